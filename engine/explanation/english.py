"""Explanations in English: the only file with words, and no other depends on what they are.

Claims hold lines and plies; here moves get their names, pieces theirs, and clauses their order.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import chess

from engine.explanation.facts import (
    ByTables,
    Case,
    Claim,
    Compared,
    Drawn,
    Facts,
    Feature,
    Finding,
    Gain,
    Held,
    Mated,
    Material,
    Mating,
    Opposition,
    Outlook,
    Piece,
    Pieces,
    Reason,
    Recapture,
    Shifted,
    TableResult,
    Threat,
)
from engine.explanation.line import Line
from engine.explanation.standing import Standing

_NUMBERS = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight"}

_WHERE = {"": "", "backRankMate": " on the back rank", "smotheredMate": " by a knight"}

#: What is said of the side to which a level belongs.
_STANDS = {1: "stands better", 2: "is clearly better", 3: "is winning"}
_STILL = {1: "still stands better", 2: "is still clearly better", 3: "is still winning"}
_WOULD_BE = {1: "better", 2: "clearly better", 3: "winning"}

_COST = {
    "slightly": "perhaps a little better",
    "probably": "probably better",
    "surely": "better",
    "pawns": "better by two or three pawns",
    "several": "better by several pawns",
    "far": "better by far",
}

_SHIFTS = {
    ("king", True): "{mover}'s king is less safe than after {better}",
    ("king", False): "{other}'s king is safer than after {better}",
    ("passed", True): "{mover}'s passed pawns are worth less than after {better}",
    ("passed", False): "{other}'s passed pawns become more dangerous than after {better}",
    ("mobility", True): "{mover}'s pieces have less room than after {better}",
    ("mobility", False): "{other}'s pieces get more room than after {better}",
    ("structure", True): "{mover}'s pawn structure is worse than after {better}",
    ("structure", False): "{other}'s pawn structure is better than after {better}",
}

_RESULTS = {
    2: "won",
    1: "won, but for the 50-move rule",
    0: "drawn",
    -1: "lost, but for the 50-move rule",
    -2: "lost",
}

#: Table moves that are named, if no others keep the result.
_NAMED = 3


def sentence(said: Reason | Claim, skip_better: bool = False) -> str:
    """What is ``said`` in a sentence or two; ``skip_better`` leaves out which move was better where that is all there
    is to say of it."""
    match said:
        case Reason():
            return sentence(said.claim, skip_better)
        case Mating():
            return f"{_mating(said)}."
        case Mated():
            return f"{side(said.color)} is mated in {said.moves} whatever it plays."
        case Drawn():
            return _drawn(said)
        case Held():
            return _held(said)
        case Opposition():
            return _opposition(said)
        case ByTables():
            return _by_tables(said)
        case TableResult():
            return _table_result(said)
        case Material():
            return {"loses": _loses, "misses": _misses, "wins": _wins}[said.verb](said)
        case Recapture():
            return f"Does not recapture: {said.line.san(0)} would have won back the {chess.piece_name(said.kind)}."
        case Threat():
            return _threat(said)
        case Compared():
            return _compared(said.case, said.standing, said.gained, skip_better)
        case Shifted():
            return _shifted(said)
        case Outlook():
            return _outlook(said)


# Pieces, sides and lists


def side(color: chess.Color) -> str:
    """``White`` or ``Black``."""
    return "White" if color else "Black"


def listed(words: Sequence[str]) -> str:
    """``a, b and c``.

    >>> listed(["the king"]), listed(["the king", "the queen", "the rook"])
    ('the king', 'the king, the queen and the rook')
    """
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else "".join(words)


def the(*pieces: Piece) -> str:
    """The ``pieces``, those worth most first, two of a kind together; the king needs no square.

    >>> the(*(Piece.at(chess.Board(), square) for square in (chess.A1, chess.E1, chess.H1)))
    'the king and the rooks on a1 and h1'
    """
    parts = []
    for kind in reversed(chess.PIECE_TYPES):
        squares = [chess.square_name(piece.square) for piece in pieces if piece.kind == kind]
        if squares:
            name = f"the {chess.piece_name(kind)}{'s' if len(squares) > 1 else ''}"
            parts.append(name if kind == chess.KING else f"{name} on {listed(squares)}")
    return listed(parts)


def _pieces(pieces: Pieces) -> str:
    """``a knight and two pawns``."""
    return listed([
        f"a {chess.piece_name(kind)}" if count == 1 else f"{_NUMBERS.get(count, count)} {chess.piece_name(kind)}s"
        for kind, count in pieces
    ])  # fmt: skip


def gained(gain: Gain, square: bool = True, up: str = "") -> str:
    """What is won, with its ``square`` unless that has been said; ``up`` stands before what was paid.

    >>> gained(Gain("piece", ((chess.ROOK, 1),), ((chess.PAWN, 2),), chess.C2))
    'the rook on c2 for two pawns'
    """
    return f"{_won(gain, square)}{up} for {_pieces(gain.paid)}" if gain.paid else f"{_won(gain, square)}{up}"


def _won(gain: Gain, square: bool) -> str:
    match gain.kind:
        case "promotion":
            return "a new queen"
        case "exchange":
            return f"the exchange and {_pieces(gain.won[1:])}" if gain.won[1:] else "the exchange"
        case "minor":
            return "a piece"
        case "piece":
            kind = gain.won[0][0]
            return (
                the(Piece(kind, gain.square)) if gain.square is not None and square else f"the {chess.piece_name(kind)}"
            )
        case _:
            return _pieces(gain.won)


# What themes found


def _found(finding: Finding, line: Line) -> tuple[str, str]:
    """The moves after which something is so, if it is not the first of them that does it, and what is so or done."""
    san, targets, squares = line.san(finding.ply), finding.targets, [*map(chess.square_name, finding.squares)]
    match finding.theme, finding.form:
        case "discoveredAttack", "check":
            more = f" and attacks {the(*targets)}" if targets else ""
            return "", f"{san} uncovers a check by {the(_actor(finding))}{more}"
        case "discoveredAttack", _:
            return "", f"{san} opens the {chess.piece_name(_actor(finding).kind)}'s attack on {the(*targets)}"
        case "doubleCheck", _:
            return "", f"{san} is a double check"
        case "doubleThreat", _:
            return "", f"{san} threatens {_threatened(finding, line)} and attacks {the(*targets)}"
        case "fork", "fork":
            return "", f"{san} forks {the(*targets)}"
        case "fork", "check":
            return "", f"{san} gives check and attacks {the(*targets)}"
        case "fork", _:
            return "", f"{san} attacks {the(*targets)} at once"
        case "hanging", _:
            return _hanging(finding, line, the(*targets))
        case "overloaded", "both":
            return san, f"{the(*targets)} cannot guard both {listed(squares)}"
        case "overloaded", _:
            return "", f"{san} draws {the(*targets)} away from {squares[0]}"
        case "pin", "guard":
            return "", f"{san}, and {the(*targets)} is pinned to the king and cannot recapture"
        case "pin", "pins":
            return "", f"{san} pins {the(*targets)} to the king"
        case "pin", _:
            return "", f"{san} attacks {the(*targets)}, which is pinned to the king"
        case "promotion", _ if finding.ply == finding.cashed:
            return "", f"{san} makes a new {chess.piece_name(line.moves[finding.ply].promotion or chess.QUEEN)}"
        case "promotion", _:
            file = chess.FILE_NAMES[chess.square_file(line.moves[finding.cashed].from_square)]
            return "", f"{san} and the {file}-pawn gets through"
        case "removedDefender", "square":
            return "", f"{san} takes the piece that guards {squares[0]}"
        case "removedDefender", _:
            return "", f"{san} takes the only defender of {the(*targets)}"
        case "skewer", _:
            return "", f"{san} skewers {the(targets[0])} and, behind it, {the(targets[1])}"
        case "trapped", _:
            return san, f"{the(*targets)} is trapped"
        case _:
            return "", line.sans(finding.ply, finding.cashed + 1)


def _actor(finding: Finding) -> Piece:
    assert finding.actor is not None
    return finding.actor


def _threatened(finding: Finding, line: Line) -> str:
    passed = line.boards[finding.ply + 1].copy(stack=False)
    passed.push(chess.Move.null())
    assert finding.threat is not None
    return passed.san(finding.threat)


def _hanging(finding: Finding, line: Line, it: str) -> tuple[str, str]:
    san = line.san(finding.ply)
    match finding.form:
        case "unguarded":
            return line.san(finding.ply - 1), f"nothing guards {it}, and {san} takes it"
        case "cheaper":
            return "", f"{san} takes {it} with a {chess.piece_name(_actor(finding).kind)}"
        case "outnumbered":
            return "", f"{san} takes {it}, which is attacked more often than it is defended"
        case _:
            return "", f"{san} takes {it}, and nothing can recapture"


def _told(said: Material) -> tuple[str, str]:
    """What is won and how, with the square of the piece that is lost named but once."""
    gain, finding, line = said.gain, said.finding, said.line
    lost = [piece for piece in finding.targets if gain.is_piece(piece)]
    kinds = [piece.kind for piece in finding.targets]
    named = bool(lost) and (finding.theme != "fork" or kinds.count(lost[0].kind) == 1)
    taken = finding.theme == "hanging" and finding.form != "unguarded"
    after, clause = _hanging(finding, line, "it") if taken and named else _found(finding, line)
    lead = " ".join(filter(None, (line.sans(line.turns().start, finding.ply), after)))
    how = f"after {lead}{'' if after else ','} {clause}" if lead else clause
    return gained(gain, square=taken or not named), how


def _is_move(finding: Finding) -> bool:
    """Whether a single move speaks for itself."""
    return finding.theme == "line" and finding.ply == finding.cashed


def _loses(said: Material) -> str:
    what, how = _told(said)
    queens, stake = said.gain.promotes, ", and with it the win" if said.stake else ""
    verb = f"Lets {side(said.line.winner)} get" if queens else "Loses"
    if _is_move(said.finding):
        return f"{verb} {what} {'with' if queens else 'to'} {how}{stake}."
    return f"{verb} {what}{stake}: {how}."


def _misses(said: Material) -> str:
    what, how = _told(said)
    if _is_move(said.finding):
        return f"Misses {how}, which {'gets' if said.gain.promotes else 'wins'} {what}."
    return f"Misses the chance to {'get' if said.gain.promotes else 'win'} {what}: {how}."


def _wins(said: Material) -> str:
    gain, finding, line = said.gain, said.finding, said.line
    first, verb = line.san(0), "gets" if gain.promotes else "wins"
    promotes = finding.theme == "promotion" and finding.cashed == 0
    if finding.theme == "hanging" or _is_move(finding) or (promotes and not gain.paid):
        return f"{first} {verb} {gained(gain)}."
    what, how = _told(said)
    if finding.ply == 0 and not _found(finding, line)[0] and finding.theme not in ("line", "promotion"):
        comma = "," if (finding.theme, finding.form) == ("pin", "pinned") else ""
        return f"{how}{comma} and {verb} {what}."
    return f"{first} {verb} {what}: {how}."


def _threat(said: Threat) -> str:
    first, then = said.best.san(0), said.line.san(0)
    if said.kind == "gain":
        assert said.gain is not None
        return f"{first} threatens {then}, which wins {gained(said.gain)}."
    return f"{first} threatens {'mate' if said.kind == 'mate' else 'to promote'} with {then}."


# Mates, draws and tables


def _mating(said: Mating) -> str:
    where = _WHERE[said.pattern]
    first = said.line.san(said.line.turns().start)
    if said.verb == "leads":
        return f"{first} is mate{where}" if said.moves == 1 else f"{first} leads to mate in {said.moves}{where}"
    verb = said.verb.capitalize()
    if said.moves == 1:
        text = f"{verb} mate{where} at once with {first}"
    else:
        text = f"{verb} mate in {said.moves}{where}, beginning with {first}"
    if said.missed:
        text = f"{_mating(said.missed)}, and {text[0].lower()}{text[1:]}"
    if said.guard:
        square = chess.square_name(said.line.moves[1].to_square)
        text += f": the {chess.piece_name(said.guard)} was needed to guard {square}"
    return text


def _drawn(said: Drawn) -> str:
    moves = said.line.sans(1, said.plies)
    after = f"after {moves} " if moves else ""
    match said.how:
        case "stalemate":
            return f"{'After ' + moves + ' it' if moves else 'It'} is stalemate, and the win is gone."
        case "perpetual":
            return f"Lets {side(said.line.winner)} draw by perpetual check, beginning with {said.line.san(1)}."
        case "material":
            return f"Gives the win away: {after}not enough material is left."
        case _:
            return f"Gives the win away: {after}{_wrong_bishop(said.corner)}"


def _held(said: Held) -> str:
    first = f"{said.line.san(0)} holds the draw" if said.line.moves else "It is a draw"
    after = f"after {said.line.san(1)} " if len(said.line) > 1 else ""
    return f"{first}: {after}{_wrong_bishop(said.corner)}"


def _wrong_bishop(corner: chess.Square) -> str:
    return f"the bishop cannot drive the king from the corner {chess.square_name(corner)}."


def _opposition(said: Opposition) -> str:
    better, reply = said.case.best.san(0), said.case.played.san(1)
    what = "the win" if said.win else "the draw"
    return f"Gives up the opposition and {what}: {better} would have taken it, now {reply} does."


def _by_tables(said: ByTables) -> str:
    better = said.case.best.san(0)
    if said.opposition:
        return f"{_opposition(said.opposition)} The endgame tables agree."
    if said.before == said.after:
        return f"According to the endgame tables the result is the same as after {better}."
    was, now = _RESULTS[said.before], _RESULTS[said.after]
    return f"According to the endgame tables this was {was} and is now {now}; {better} was right."


def _table_result(said: TableResult) -> str:
    rule = ", but for the 50-move rule" if abs(said.outcome) == 1 else ""
    mover, many = side(said.board.turn), len(said.kept) > 1
    if said.outcome < 0:
        return f"{mover} is lost according to the endgame tables{rule}."
    if said.outcome == 0:
        says, keeps = "It is a draw according to the endgame tables", "keep it" if many else "keeps it"
    else:
        says, keeps = f"{mover} is winning according to the endgame tables{rule}", "win" if many else "wins"
    if said.every or not said.kept:
        return f"{says}, after any move." if said.every else f"{says}."
    if len(said.kept) <= _NAMED:
        return f"{says}; only {listed([said.board.san(move) for move in said.kept])} {keeps}."
    return f"{says}; {said.board.san(said.kept[0])} and {len(said.kept) - 1} other moves {keeps}."


# Scores and what speaks for a side


def _named(case: Case) -> tuple[str, str]:
    """The better move and the answer to the one that was played, with numbers if both are written alike; the answer is
    empty if there is none."""
    better, answer = case.best.san(0), case.played.san(1) if len(case.played) > 1 else ""
    if answer != better:
        return better, answer
    boards = (case.board, case.best.moves[0]), (case.played.boards[1], case.played.moves[1])
    numbered = [board.variation_san([move]).replace(". ", ".") for board, move in boards]
    return numbered[0], numbered[1]


def _compared(case: Case, standing: Standing, facts: Facts = (), skip_better: bool = False) -> str:
    better, answer = _named(case)
    mover, other = side(case.mover), side(not case.mover)
    had, has = standing.had, standing.has
    when = f"After {answer}" if answer else "Now"
    was = f"{better} was {_COST[standing.cost]}" if standing.cost else ""
    leader = mover if has > 0 else other
    match standing.kind:
        case "decided":
            gone = has == 0 or (has == -1 and had > 0)
            text = f"{when} {mover}'s advantage is gone" if gone else f"{when} {leader} {_STANDS[abs(has)]}"
            was = was or f"after {better} {mover} would be {_WOULD_BE[had]}"
        case "gone":
            text = f"{when} {'' if has < 0 else 'much of '}{mover}'s advantage is gone"
            was = f"{better} would have kept it"
        case "turned":
            text, was = f"{when} {other} {_STANDS[-has]}", f"{better} would have kept {mover}'s advantage"
        case "less" | "more":
            text = f"{when} {leader} {_STILL[abs(has)]}"
        case "grown":
            text = f"{when} {other}'s advantage has grown, and {other} {_STANDS[-has]}"
        case "anyway":
            text = f"{other} was winning anyway"
        case "now":
            text = f"{when} {other} {_STANDS[-has]}"
        case "open":
            text = f"{when} neither side is clearly better"
        case "either" if has < had < 0:
            text, was = f"{when} {other} {_STANDS[-has]}", f"{better} too would have left {other} {_WOULD_BE[-had]}"
        case "either":
            text, was = f"{when} {leader} {_STILL[abs(has)]}", f"{better} would not have changed that"
        case _:
            text = f"{when} {other} {_speaks(facts)}" if facts else f"Now {other} has {answer}" if answer else ""
    if not text:
        return f"{was}."
    brief = skip_better and standing.cost in ("slightly", "probably", "surely")
    return f"{text}." if brief else f"{text}; {was}."


def _shifted(said: Shifted) -> str:
    names = {"mover": side(said.case.mover), "other": side(not said.case.mover), "better": said.case.best.san(0)}
    what = _SHIFTS[said.shift.aspect, said.shift.own].format(**names)
    return f"No material is lost at once, but {what}. {_compared(said.case, said.standing)}"


def _outlook(said: Outlook) -> str:
    line, stands = said.line, said.level
    first = line.san(0)
    match said.choice:
        case "only":
            choice = f"{first} is the only move"
        case "hardly":
            assert said.other is not None
            choice = f"{first} is the best move, {line.boards[0].san(said.other)} is hardly worse"
        case "clearly":
            choice = f"{first} is clearly the best move"
        case _:
            choice = f"{first} is the best move"
    standing = f"{side(stands > 0)} {_STANDS[abs(stands)]}" if stands else "the game is about even"
    facts = "; ".join(f"{side(color)} {_speaks(found)}" for color, found in said.facts.items())
    if not facts:
        return f"{choice}; {standing}."
    against = stands and set(said.facts) == {stands < 0}
    return f"{choice}; {standing}{', although' if against else '.'} {facts}."


def _speaks(facts: Facts) -> str:
    """What speaks for a side, as clauses with its verbs, each but once: "is a pawn up and has a passed pawn"."""
    clauses = defaultdict[str, list[str]](list)
    for fact in facts:
        verb, what = ("is", gained(fact, up=" up")) if isinstance(fact, Gain) else _feature(fact)
        clauses[verb].append(what)
    ordered = sorted(clauses.items(), key=lambda clause: clause[0] == "has")
    return listed([f"{verb} {listed(what)}" for verb, what in ordered])


def _feature(feature: Feature) -> tuple[str, str]:
    own, other = feature.counts
    match feature.aspect:
        case "passed":
            pawns = "pawn" if own == 1 else "pawns"
            return "has", f"the better passed {pawns}" if other else f"{'a ' if own == 1 else ''}passed {pawns}"
        case "pressure":
            return "presses on", f"{side(not feature.color)}'s king"
        case "structure":
            return "has", "the better pawn structure"
        case "bishops":
            return "has", "the two bishops"
        case _:
            return "has", "more room for its pieces"
