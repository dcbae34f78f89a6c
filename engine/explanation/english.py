"""Explanations in English: the only file of this package with words.

Claims hold lines and plies; this file names moves and pieces, and puts clauses in order."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, Literal

import chess

from engine.explanation import claims
from engine.explanation.line import Line
from engine.explanation.verdicts import Cost, Kind

_NUMBERS = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight"}

_MATES: dict[claims.MatePattern, str] = {
    "": "mate",
    "backRankMate": "back-rank mate",
    "smotheredMate": "smothered mate",
}

#: The side that a level favours, as a clause.
_STANDS = {0: "", 1: "stands better", 2: "is clearly better", 3: "is winning"}
_STILL = {0: "", 1: "still stands better", 2: "is still clearly better", 3: "is still winning"}
_WOULD_BE = {0: "", 1: "better", 2: "clearly better", 3: "winning"}

_COST: dict[Cost, str] = {
    "": "",
    "slightly": "slightly better",
    "probably": "probably better",
    "surely": "better",
    "half": "half a pawn",
    "pawn": "a pawn",
    "pawns": "better by two or three pawns",
    "several": "better by several pawns",
    "far": "far better",
}

#: Costs that need not be told with a move that is marked as bad.
_UNTOLD_COSTS = ("slightly", "probably", "surely", "half", "pawn")

#: How the mover's game changed, by kind, and what the better move would have changed, unless its cost is given.
_KINDS: dict[Kind | Literal["slightly"], tuple[str, str]] = {
    "decided": ("{when} {leader} {stands}", "after {better} {mover} would be {had}"),
    "lost": ("{when} {mover}'s advantage is gone", "after {better} {mover} would be {had}"),
    "half": ("{when} much of {mover}'s advantage is gone", "{better} would have kept it"),
    "less": ("{when} {leader} {still}", ""),
    "more": ("{when} {leader} {still}", ""),
    "grown": ("{when} {other}'s advantage has grown, and {other} {stands}", ""),
    "anyway": ("{other} was winning anyway", ""),
    "now": ("{when} {other} {stands}", ""),
    "open": ("{when} {other} has gained about {cost}", ""),
    "either": ("{when} {leader} {still}", "{better} would not have changed that"),
    "worse": ("{when} {other} {stands}", "{better} would also have left {other} {had}"),
    "little": ("{other} can now play {answer}", ""),
    "slightly": ("", ""),
}

#: Findings by theme and form. A finding in :data:`_AFTER` describes the position before its move (0) or after it (1);
#: the others say what the move does.
_FINDING_TEXTS: dict[tuple[str, str], str] = {
    ("discoveredAttack", "check"): "{san} gives discovered check with {actor}",
    ("discoveredAttack", "both"): "{san} gives discovered check with {actor} and attacks {targets}",
    ("discoveredAttack", "attack"): "{san} uncovers the {kind}'s attack on {targets}",
    ("doubleCheck", ""): "{san} gives double check",
    ("fork", "fork"): "{san} forks {targets}",
    ("fork", "check"): "{san} gives check and attacks {targets}",
    ("fork", "attack"): "{san} attacks {targets} at the same time",
    ("hanging", "loose"): "{san} takes {targets}, and nothing can recapture",
    ("hanging", "cheaper"): "{san} takes {targets} with a {kind}",
    ("hanging", "outnumbered"): "{san}, as {targets} has more attackers than defenders",
    ("hanging", "unguarded"): "{targets} is no longer defended, and {san} takes it",
    ("line", ""): "{moves}",
    ("overloaded", "both"): "{targets} is overloaded: it cannot guard both {squares}",
    ("overloaded", "away"): "{san} deflects {targets} from {squares}",
    ("pin", "guard"): "{san}, and {targets} is pinned to the king and cannot recapture",
    ("pin", "pins"): "{san} pins {targets} to the king",
    ("pin", "pinned"): "{san} attacks {targets}, which is pinned to the king",
    ("promotion", "now"): "{moves}",
    ("promotion", "later"): "{san} and the {file}-pawn queens",
    ("removedDefender", "square"): "{san} takes the piece that guards {squares}",
    ("removedDefender", "piece"): "{san} takes the only defender of {targets}",
    ("skewer", ""): "{san} skewers {first} and, behind it, {last}",
    ("trapped", ""): "{targets} is trapped",
}
_AFTER: dict[tuple[str, str], int] = {("hanging", "unguarded"): 0, ("overloaded", "both"): 1, ("trapped", ""): 1}

#: Material won or lost: in general, by a single move, and for clauses that begin with the explained move.
_MATERIAL = {
    "loses": ("Loses {what}{stake}: {how}.", "Allows {how}, which wins {what}{gone}.", ""),
    "misses": ("Misses the chance to win {what}: {how}.", "Misses {how}, which wins {what}.", ""),
    "regains": ("Does not recapture: {better} would have won back {what}.",) * 3,
    "wins": ("{first} wins {what}: {how}.", "{first} wins {what}.", "{how} and wins {what}."),
}
_PROMOTION = {
    "loses": ("Lets {winner} promote{cost}{gone}: {how}.", "Lets {winner} promote{cost} with {how}{gone}.", ""),
    "misses": ("Misses the chance to promote{cost}: {how}.", "Misses the chance to promote{cost} with {how}.", ""),
    "wins": ("{first} leads to promotion{cost}: {how}.", "{first} promotes{cost}.", "{how}{cost}."),
}

_CHOICE = {
    "only": "{first} is the only move",
    "best": "{first} is the best move",
    "hardly": "{first} is the best move, but {other} is almost as good",
    "clearly": "{first} is clearly the best move",
}

_FEATURES: dict[claims.FeatureAspect, str] = {
    "passed": "{passed}",
    "pressure": "pressure on {other}'s king",
    "structure": "the better pawn structure",
    "bishops": "the bishop pair",
    "mobility": "the more active pieces",
}

_DRAWS: dict[claims.DrawKind, str] = {
    "stalemate": "Throws away the win: {after}it is stalemate.",
    "repetition": "Throws away the win: {after}the position is repeated.",
    "perpetual": "Lets {winner} draw by perpetual check, beginning with {reply}.",
    "material": "Throws away the win: {after}there is insufficient material to mate.",
    "corner": "Throws away the win: {after}the king cannot be driven from the corner.",
    "held": "{holds}: {after}the king cannot be driven from the corner.",
}

#: Draws that a move missed, as far as they have a name.
_MISSED_DRAWS = {"stalemate": " by stalemate", "repetition": " by repetition", "perpetual": " by perpetual check"}

#: Sacrifices by their aim.
_SACRIFICES = {
    "mate": "for mate in {moves}",
    "material": "{gains}",
    "attack": "for the attack on {target}",
    "draw": "for a draw",
    "standing": "and {stands}",
}

_ONLY = {
    "wins": "the only winning move",
    "parries": "the only move that parries the mate",
    "keeps": "the only move that keeps {mover}'s advantage",
    "holds": "the only move that does not lose",
    "balances": "the only move that keeps the balance",
    "good": "the only good move",
}

_RESULTS = {
    2: "won",
    1: "won, were it not for the 50-move rule",
    0: "drawn",
    -1: "lost, were it not for the 50-move rule",
    -2: "lost",
}

_MAX_NAMED_MOVES = 3  # the most moves to list that keep a tablebase result


def sentence(claim: claims.Claim, skip_better: bool = False) -> str:
    """The claim in a sentence or two; ``skip_better`` omits the better move if it would be the only explanation."""
    if isinstance(claim, claims.Compared):
        return _comparison_sentence(claim, skip_better)
    return _SENTENCES[type(claim)](claim)


# Moves, pieces, sides and lists


def _first_move(line: Line) -> str:
    """The first move of ``line``, the one that the sentence is about."""
    return line.boards[0].san(line.moves[0])


def numbered(board: chess.Board, moves: Sequence[chess.Move]) -> str:
    """The ``moves`` from ``board`` with their numbers, by which their side can be told: ``8...O-O 9.Re1``."""
    return board.variation_san(moves).replace(". ", ".")


def _moves(line: Line, first: int, last: int) -> str:
    """The moves from ``first`` to ``last`` (exclusive)."""
    return numbered(line.boards[first], line.moves[first:last])


def _move(line: Line, ply: int) -> str:
    """Another move than the one that the sentence is about, with its number: ``8...O-O``."""
    return _moves(line, ply, ply + 1)


def side(color: chess.Color) -> str:
    """``White`` or ``Black``."""
    return "White" if color else "Black"


def listed(words: Sequence[str]) -> str:
    """``a, b and c``.

    >>> listed(["the king"]), listed(["the king", "the queen", "the rook"])
    ('the king', 'the king, the queen and the rook')
    """
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else "".join(words)


def name_pieces(*pieces: claims.Piece) -> str:
    """The ``pieces``, most valuable first, those of a type together; the king needs no square.

    >>> name_pieces(*(claims.Piece.at(chess.Board(), square) for square in (chess.A1, chess.E1, chess.H1)))
    'the king and the rooks on a1 and h1'
    """
    parts = []
    for kind in reversed(chess.PIECE_TYPES):
        squares = [chess.square_name(piece.square) for piece in pieces if piece.kind == kind]
        if squares:
            name = f"the {chess.piece_name(kind)}{'s' if len(squares) > 1 else ''}"
            parts.append(name if kind == chess.KING else f"{name} on {listed(squares)}")
    return listed(parts)


def _pieces(pieces: claims.Pieces) -> str:
    """``a knight and two pawns``."""
    return listed([
        f"a {chess.piece_name(kind)}" if count == 1 else f"{_NUMBERS.get(count, count)} {chess.piece_name(kind)}s"
        for kind, count in pieces
    ])  # fmt: skip


def gained(gain: claims.Gain, square: bool = True, up: str = "") -> str:
    """The gain, with its ``square`` unless already named; ``up`` precedes the price.

    >>> gained(claims.Gain("piece", ((chess.ROOK, 1),), ((chess.PAWN, 2),), chess.C2))
    'the rook on c2 for two pawns'
    """
    price = f" for {_pieces(gain.paid)}" if gain.paid else ""
    return f"{_gain_text(gain, square)}{up}{price}"


def _gain_text(gain: claims.Gain, square: bool) -> str:
    match gain.kind:
        case "exchange":
            return f"the exchange and {_pieces(gain.won[1:])}" if gain.won[1:] else "the exchange"
        case "minor":
            return "a piece"
        case "piece" if gain.square is not None and square:
            return name_pieces(claims.Piece(gain.won[0][0], gain.square))
        case "piece":
            return f"the {chess.piece_name(gain.won[0][0])}"
        case _:
            return _pieces(gain.won)


# Themes


def _finding_text(finding: claims.Finding, line: Line, it: str = "", own: bool = False) -> str:
    """The finding in words; ``it`` replaces its targets if they are already named, and the line's first move is the
    sentence's ``own``."""
    move, targets, actor = line.moves[finding.payoff_ply], finding.targets, finding.actor
    return _FINDING_TEXTS[finding.theme, finding.form].format(
        san=_first_move(line) if own and finding.ply == 0 else _move(line, finding.ply),
        moves=_moves(line, line.turns().start, finding.payoff_ply + 1),
        targets=it or name_pieces(*targets),
        first=name_pieces(*targets[:1]),
        last=name_pieces(*targets[-1:]),
        actor=name_pieces(actor) if actor else "",
        kind=chess.piece_name(actor.kind) if actor else "",
        squares=listed([chess.square_name(square) for square in finding.squares]),
        file=chess.FILE_NAMES[chess.square_file(move.from_square)],
    )


def _gain_and_way(claim: claims.Material) -> tuple[str, str]:
    """The gain and how it is won, naming the square of the lost piece only once."""
    gain, finding, line = claim.gain, claim.finding, claim.line
    lost = [piece for piece in finding.targets if gain.is_piece(piece)]
    kinds = [piece.kind for piece in finding.targets]
    named = bool(lost) and (finding.theme != "fork" or kinds.count(lost[0].kind) == 1)
    taken = finding.theme == "hanging" and finding.form != "unguarded"
    after, start = _AFTER.get((finding.theme, finding.form)), line.turns().start
    last = finding.ply + (after or 0)
    lead = _moves(line, start if after is None else min(start, last - 1), last)
    how = _finding_text(finding, line, "it" if taken and named else "", claim.verb == "wins" and not lead)
    if lead and finding.form != "now":
        how = f"after {lead}{',' if after is None else ''} {how}"
    return gained(gain, square=taken or not named), how


def _material(claim: claims.Material) -> str:
    gain, finding, line, wins = claim.gain, claim.finding, claim.line, claim.verb == "wins"
    what, how = _gain_and_way(claim)
    moves = finding.theme in ("line", "promotion")
    form = 0
    wins_outright = wins and (finding.theme == "hanging" or finding.form == "guard")
    if (moves and finding.payoff_ply == line.turns().start) or wins_outright:
        form = 1
    elif wins and finding.ply == 0 and finding.theme != "line" and (finding.theme, finding.form) not in _AFTER:
        form = 2
        how += "," if (finding.theme, finding.form) == ("pin", "pinned") else ""
    return (_PROMOTION if gain.kind == "promotion" else _MATERIAL)[claim.verb][form].format(
        what=what,
        how=how,
        first=_first_move(line),
        better=_move(line, 0),
        winner=side(line.winner),
        cost=f" at the cost of {_pieces(gain.paid)}" if gain.paid else "",
        stake=", and with it the win" if claim.stake else "",
        gone=", and the win is gone" if claim.stake else "",
    )


def _threat(claim: claims.Threat) -> str:
    first, then = _first_move(claim.best), _move(claim.line, 0)
    if claim.gain:
        leads = "leads to promotion" if claim.gain.kind == "promotion" else f"wins {gained(claim.gain)}"
        return f"{first} threatens {then}, which {leads}."
    return f"{first} threatens {'mate' if claim.mate else 'to promote'} with {then}."


# Praise


def _sacrifice(claim: claims.Sacrifice) -> str:
    line, piece = claim.line, claim.piece
    moved = line.moves[0].to_square == piece.square
    whole = claim.gains is not None and chess.ROOK in dict(claim.gains.paid)  # the rook is counted, not the exchange
    what = f"the {chess.piece_name(piece.kind)}" if moved else name_pieces(piece)
    what = "the exchange" if claim.exchange and not whole else what
    aim = _SACRIFICES[claim.aim].format(
        moves=claim.moves,
        gains=_returned(claim.gains, piece) if claim.gains else "",
        target="the king" if claim.target is None else chess.square_name(claim.target),
        stands=_STANDS[abs(claim.level)] if claim.level > 0 else "keeps the balance",
    )
    declined = len(line) > 1 and line.moves[1].to_square != piece.square
    return f"{'Offers' if declined else 'Sacrifices'} {what} {aim}."


def _returned(gain: claims.Gain, piece: claims.Piece) -> str:
    """What a sacrificed ``piece`` brings."""
    if gain.kind == "promotion":
        return "to promote"
    if piece.kind not in dict(gain.paid):
        return f"to win {gained(gain)}"
    return f"for {_pieces(gain.won)}" if gain.kind == "list" else f"to win {_gain_text(gain, square=True)}"


def _only_move(claim: claims.OnlyMove) -> str:
    text = f"{_first_move(claim.line)} is {_ONLY[claim.aim].format(mover=side(claim.line.winner))}"
    text += ", a quiet move" if claim.aim == "wins" and claim.quiet else ""
    if claim.other is None:
        return f"{text}."
    cost = sentence(claim.other)
    return f"{text}; {_move(claim.other.line, 0)} {cost[0].lower()}{cost[1:]}"


# Mates, draws and tablebases


def _mating(claim: claims.Mating) -> str:
    moves = claim.moves
    if claim.verb == "mated":
        return f"{side(claim.line.winner)} gets mated in {moves} whatever it plays."
    if claim.verb == "leads":
        mate, first = _MATES[claim.pattern], _first_move(claim.line)
        return f"{first} is {mate}." if moves == 1 else f"{first} leads to {mate} in {moves}."
    how = f"misses {_mate(claim.missed)}, and allows {_mate(claim)}" if claim.missed else f"{claim.verb} {_mate(claim)}"
    if claim.guard:
        square = chess.square_name(claim.line.moves[1].to_square)
        how += f": the {chess.piece_name(claim.guard)} was needed to guard {square}"
    return f"{how[0].upper()}{how[1:]}."


def _mate(claim: claims.Mating) -> str:
    mate, first = _MATES[claim.pattern], _move(claim.line, claim.line.turns().start)
    return f"{mate} in one with {first}" if claim.moves == 1 else f"{mate} in {claim.moves}, beginning with {first}"


def _draw_sentence(claim: claims.Drawn) -> str:
    line = claim.line
    if claim.missed:
        return f"Misses the draw{_MISSED_DRAWS.get(claim.how, '')}: {_moves(line, 0, claim.plies)}."
    drawn, moves = line.boards[claim.plies], _moves(line, 1, claim.plies)
    pawns = claim.how == "held" and drawn.pawns & drawn.occupied_co[line.winner]
    text = _DRAWS[claim.how].format(
        after=f"after {moves} " if moves and not pawns else "",
        winner=side(line.winner),
        reply=_moves(line, 1, 2),
        holds="it is a draw" if pawns or not line.moves else f"{_first_move(line)} holds the draw",
    )
    return f"{text[0].upper()}{text[1:]}"


def _opposition(claim: claims.Opposition) -> str:
    better, reply = _move(claim.best, 0), _move(claim.line, 1)
    what = "the win" if claim.win else "the draw"
    return f"Gives up the opposition, and with it {what}: {better} would have taken it; now {reply} takes it."


def _by_tables(claim: claims.ByTables) -> str:
    better = _move(claim.best, 0)
    if claim.opposition:
        return f"{_opposition(claim.opposition)} The tablebases agree."
    if claim.before == claim.after:
        return f"According to the tablebases the result is the same as after {better}."
    was, now = _RESULTS[claim.before], _RESULTS[claim.after]
    return f"According to the tablebases the position was {was} and is now {now}; {better} was right."


def _table_result(claim: claims.TableResult) -> str:
    board, many = claim.line.boards[0], len(claim.kept) > 1
    mover = side(board.turn)
    keeps = "keep it" if many else "keeps it"
    if abs(claim.outcome) == 1:
        what = "win" if claim.outcome > 0 else "loss"
        says = f"The tablebases give {mover} a {what} that the 50-move rule turns into a draw"
    elif claim.outcome == 0:
        says = "It is a draw according to the tablebases"
    else:
        says = f"{mover} is {'winning' if claim.outcome > 0 else 'lost'} according to the tablebases"
        keeps = "win" if many else "wins"
    if claim.every or not claim.kept:
        return f"{says}, after any move." if claim.every else f"{says}."
    if len(claim.kept) <= _MAX_NAMED_MOVES:
        return f"{says}; only {listed([board.san(move) for move in claim.kept])} {keeps}."
    return f"{says}; {board.san(claim.kept[0])} and {len(claim.kept) - 1} other moves {keeps}."


# Scores and advantages


def _comparison_sentence(claim: claims.Compared, skip_better: bool = False) -> str:
    kind, cost, mover = claim.standing.kind, claim.standing.cost, claim.best.winner
    had, has = claim.standing.had, claim.standing.has
    better, answer = _move(claim.best, 0), _moves(claim.line, 1, 2)
    words = dict(
        better=better, answer=answer, when=f"After {answer}" if answer else "Now",
        mover=side(mover), other=side(not mover), leader=side(mover == (has > 0)),
        stands=_STANDS[abs(has)], still=_STILL[abs(has)], had=_WOULD_BE[abs(had)], cost=_COST[cost],
    )  # fmt: skip
    text, change = (part.format(**words) for part in _KINDS["slightly" if kind == "little" and not answer else kind])
    if claim.missed:
        change = f"{better} would have won {gained(claim.missed.gain)}"
    elif cost:
        change = f"{better} was {'better' if kind == 'open' else _COST[cost]}"
    if text and skip_better and not claim.missed and cost in _UNTOLD_COSTS:
        return f"{text}."
    return f"{text}; {change}." if text else f"{change}."


def _as_good(claim: claims.AsGood) -> str:
    return f"{_first_move(claim.line)} is about as good as the best move, {_move(claim.best, 0)}."


def _game_over(claim: claims.GameOver) -> str:
    return f"The game is over: {'checkmate' if claim.checkmate else 'a draw'}."


def _outlook(claim: claims.Outlook) -> str:
    line, stands = claim.line, claim.level
    other = numbered(line.boards[0], [claim.other]) if claim.other else ""
    choice = _CHOICE[claim.choice].format(first=_first_move(line), other=other)
    standing = f"{side(stands > 0)} {_STANDS[abs(stands)]}" if stands else "the game is about even"
    if claim.certain:
        standing = f"{standing}, and mate is forced" if stands else "it is a draw, because neither side can force mate"
    known = "; ".join(f"{side(color)} {_clauses(found)}" for color, found in claim.facts)
    if not known:
        return f"{choice}; {standing}."
    against = stands and {color for color, _ in claim.facts} == {stands < 0}
    return f"{choice}; {standing}{', although' if against else '.'} {known}."


def _clauses(known: claims.Facts) -> str:
    """The advantages of a side as clauses, each verb only once: "is a pawn up and has a passed pawn"."""
    clauses = defaultdict[str, list[str]](list)
    for fact in known:
        if isinstance(fact, claims.Gain) and fact.paid and fact.kind != "exchange":
            verb, what = "has", gained(fact)
        else:
            verb, what = ("is", gained(fact, up=" up")) if isinstance(fact, claims.Gain) else ("has", _feature(fact))
        clauses[verb].append(what)
    ordered = sorted(clauses.items(), key=lambda clause: clause[0] == "has")
    return listed([f"{verb} {listed(what)}" for verb, what in ordered])


def _feature(feature: claims.Feature) -> str:
    own, other = feature.counts
    passed = f"passed {'pawn' if own == 1 else 'pawns'}"
    if other:
        passed = f"the better {passed}"
    elif own == 1:
        passed = f"a {passed}"
    return _FEATURES[feature.aspect].format(passed=passed, other=side(not feature.color))


_SENTENCES: dict[type, Callable[[Any], str]] = {
    claims.Mating: _mating,
    claims.Drawn: _draw_sentence,
    claims.Opposition: _opposition,
    claims.ByTables: _by_tables,
    claims.TableResult: _table_result,
    claims.Material: _material,
    claims.Threat: _threat,
    claims.Outlook: _outlook,
    claims.Sacrifice: _sacrifice,
    claims.OnlyMove: _only_move,
    claims.AsGood: _as_good,
    claims.GameOver: _game_over,
}
