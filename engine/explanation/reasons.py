"""What is wrong with a move, from the engine's lines: the reasons in the order of their weight, as sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import chess
from chess.engine import Cp, MateGiven, PovScore, Score

from engine.explanation.comparison import compare
from engine.explanation.exchange import winnable
from engine.explanation.gains import gain_text
from engine.explanation.lasting import gained
from engine.explanation.line import HORIZON, Line
from engine.explanation.positional import Shift, shift
from engine.explanation.tables import Tables
from engine.explanation.themes import Finding, draw, findings, mate, opposition
from engine.explanation.verdict import sure, verdict_text
from engine.explanation.words import NAMES, side
from engine.explanation.wrong_bishop import corner, strong
from engine.play import wdl
from engine.play.exchange import Captures, value

#: Expected points that a move must lose to be explained.
LEAST_LOSS = 0.05

#: Centipawns that each pawn of the material that is said to be lost must have cost at least, up to so many pawns.
_PAWN_COST, _MOST_PAWNS = 80, 5

#: Centipawns that even a single pawn must have cost.
_LEAST_COST = 100

#: Pawns that must be lost to be the reason for a mark, of which something must be said: of a single pawn, which may be
#: won back later, the scores are surer.
_LEAST_MARKED = 2

#: Centipawns that the best move can have been worth because it wins a pawn; more has other reasons.
_PAWN_EXPLAINS = 250

#: Plies after which a line's gain is too far away to be sure of, for a pawn and for more; the move that brings it
#: about must be near. A pawn that queens may take longer.
_NEAR, _FAR = 4, 7

#: Plies after which a pawn may promote although its side makes a quiet move before.
_SOON = 2

#: Plies that a line must show for a gain of a pawn.
_LEAST_SHOWN = 3

#: Centipawns between which a loss can have the reason that the terms of an evaluation tell: a smaller one may be an
#: error of the search, a greater one has other reasons.
_CLEAR_LOSS, _NO_TACTICS = 60, 200

#: Moves to a mate that a player can have missed, to one that is told as the reason for a mark in a game that was lost
#: or won anyway, and to one that means more to a reader than that the game is won.
_VISIBLE_MATE, _NEAR_MATE, _TOLD_MATE = 5, 3, 10

#: Plies that a sentence may string together if no theme can be named, and for a small gain by quiet moves: a gain
#: that shows later is rarely forced.
_LONG, _SHORT = 5, 3

#: Pawns by which a capture is a gift that nobody makes without another reason.
_GIVEN = 4

#: Plies after a move within which something falls at once.
AT_ONCE = 3

#: Expected points from which a game counts as won.
_WON = 0.9

#: Centipawns up to which a score can be that of a draw.
_DRAWN = 30

#: Expected points between which a game counts as even.
_EVEN = (0.25, 0.75)


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a move is bad: a ``theme`` and the ``text``, a sentence or two.

    ``line`` shows it, if one does; ``gain`` is what its winner wins, in pawns, and ``mate`` the moves to a mate.
    """

    theme: str
    text: str
    line: Line | None = None
    gain: int = 0
    mate: int = 0


@dataclass(frozen=True)
class Case:
    """A move on trial: what it led to against what was there. ``had`` and ``has`` are the mover's scores with the best
    move and with the one that was played."""

    board: chess.Board
    move: chess.Move
    best: Line
    played: Line
    had: Score
    has: Score
    marked: bool = False

    @property
    def mover(self) -> chess.Color:
        return self.board.turn

    @property
    def before(self) -> float:
        """The mover's expected points with the best move."""
        return expectation(self.had, self.board.fullmove_number)

    @property
    def after(self) -> float:
        """The mover's expected points with the move played."""
        return expectation(self.has, self.board.fullmove_number)

    @property
    def drop(self) -> int:
        """The centipawns lost."""
        return self.had.score(mate_score=10_000) - self.has.score(mate_score=10_000)

    @property
    def better(self) -> str:
        """The best move in standard algebraic notation."""
        return self.board.san(self.best.moves[0])


def expectation(score: Score, move: int) -> float:
    """The expected points, from 0 to 1, that ``score`` means at a ``move`` of the game (see :mod:`engine.play.wdl`)."""
    mate_in = score.mate()
    if mate_in is not None:
        return 1.0 if mate_in > 0 or score is MateGiven else 0.0
    wins, draws, _ = wdl.MODEL.chances(round(score.score(mate_score=0) * wdl.MODEL.pawn / 100), move)
    return (wins + draws / 2) / 1000


def case_of(
    board: chess.Board,
    move: chess.Move,
    best_line: Sequence[chess.Move],
    reply_line: Sequence[chess.Move],
    best_score: PovScore,
    played_score: PovScore,
    marked: bool = False,
) -> Case | None:
    """The case of ``move``; None if there is nothing to explain: it is the best move or, unless it is ``marked`` as
    bad, costs next to nothing and misses no short mate."""
    if move in reply_line[:1]:  # it cannot be a reply: the square it comes from is empty now
        reply_line = reply_line[1:]
    best = Line.of(board, best_line)
    played = Line.of(board, [move, *reply_line], winner=not board.turn)
    if not best.moves or best.moves[0] == move:
        return None
    had, has = (_known(line, score.pov(board.turn)) for line, score in ((best, best_score), (played, played_score)))
    case = Case(board, move, best, played, had, has, marked)
    visible = 0 < (case.had.mate() or 0) <= _VISIBLE_MATE and (case.has.mate() or 0) <= 0
    return case if marked or visible or case.before - case.after >= LEAST_LOSS else None


def _known(line: Line, score: Score) -> Score:
    """The ``score`` of ``line`` for the side that begins it, unless the line comes to a draw that searches take for a
    win."""
    ended = draw.ending(line)
    if ended is None or ended[0] != "bishop":
        return score
    winner = strong(line.boards[ended[1]])
    return min(score, Cp(0)) if winner == line.boards[0].turn else max(score, Cp(0))


def reason(case: Case, tables: Tables | None = None) -> Reason:
    """The weightiest reason against the move of ``case``; if none is sure, what became of the game."""
    return (
        _allowed_mate(case)
        or _draw(case, 1)
        or _tables(case, tables)
        or _opposition(case)
        or _draw(case, HORIZON)
        or _missed_mate(case)
        or _material(case)
        or _positional(case)
        or (_unchanged(case) if tables and _same_by_tables(case, tables) else _verdict(case) or _comparison(case))
    )


def _allowed_mate(case: Case) -> Reason | None:
    missed, allowed = case.had.mate() or 0, case.has.mate() or 0
    if allowed < 0 <= missed and _is_told(case, -allowed) and len(case.played) > 1:
        text = mate_text(case.played, -allowed, "Allows")
        guard = mate.left_guard(case.played) if allowed == -1 else ""
        if 0 < missed <= _VISIBLE_MATE:
            text = f"{mate_text(case.best, missed, 'Misses')}, and {text[0].lower()}{text[1:]}"
        text = f"{text}: {guard}." if guard else f"{text}."
        return Reason(mate_theme(case.played, -allowed), text, case.played, mate=-allowed)
    return None


def _missed_mate(case: Case) -> Reason | None:
    missed = case.had.mate() or 0
    if missed <= 0 or not _is_told(case, missed) or (case.has.mate() or 0) > 0:
        return None
    text = mate_text(case.best, missed, "Misses")
    return Reason(mate_theme(case.best, missed), f"{text}.", case.best, mate=missed)


def _is_told(case: Case, moves: int) -> bool:
    """Whether a mate in so many ``moves`` is worth telling: one that is near, or that changed something."""
    near = _NEAR_MATE if case.marked else _VISIBLE_MATE
    return moves <= near or (moves <= _TOLD_MATE and case.before - case.after >= LEAST_LOSS)


def mate_text(line: Line, moves: int, verb: str) -> str:
    """``Allows mate in 2 on the back rank with Rd8+``."""
    first = line.san(line.turns().start)
    start = f"{verb} mate" if moves == 1 else f"{verb} mate in {moves}"
    end = f"at once with {first}" if moves == 1 else f"beginning with {first}"
    where = {"backRankMate": " on the back rank", "smotheredMate": " by a knight"}.get(mate_theme(line, moves), "")
    return f"{start}{where} {end}" if moves == 1 else f"{start}{where}, {end}"


def mate_theme(line: Line, moves: int) -> str:
    """``backRankMate`` if the line shows one to its end, else ``mateIn2`` and the like."""
    complete = len(line) - line.turns().start == 2 * moves - 1
    return mate.pattern(line) if complete and mate.pattern(line) else f"mateIn{moves}"


def _same_by_tables(case: Case, tables: Tables) -> bool:
    """Whether the tables say that the move changes nothing."""
    before, after = tables(case.board), tables(case.played.boards[1])
    return before is not None and after is not None and before == -after


def _tables(case: Case, tables: Tables | None) -> Reason | None:
    if tables is None:
        return None
    before, after = tables(case.board), tables(case.played.boards[1])
    if before is None or after is None or before <= -after:
        return None
    names = {2: "won", 1: "won, but for the 50-move rule", 0: "drawn", -1: "lost, but for the 50-move rule", -2: "lost"}
    opposed = _opposition(case)
    text = (
        f"According to the endgame tables this was {names[before]} and is now {names[-after]}; {case.better} was right."
    )
    if opposed:
        text = f"{opposed.text} The endgame tables agree."
    return Reason("tables", text)


def _unchanged(case: Case) -> Reason:
    """What the tables say if they see no mistake."""
    return Reason("tables", f"According to the endgame tables the result is the same as after {case.better}.")


def _draw(case: Case, within: int) -> Reason | None:
    """The draw by the rules to which the line comes ``within`` so many plies."""
    drawn = abs(case.has.score(mate_score=10_000)) <= _DRAWN
    ended = draw.ending(case.played)
    if case.before < _WON - 0.1 or not drawn or ended is None or ended[1] > within:
        return None
    how, plies = ended
    moves = case.played.sans(1, plies)
    if how == "stalemate":
        text = "It is stalemate" if plies == 1 else f"After {moves} it is stalemate"
        return Reason("stalemate", f"{text}, and the win is gone.", case.played)
    if how == "material":
        after = f"after {moves} " if plies > 1 else ""
        return Reason("draw", f"Gives the win away: {after}not enough material is left.", case.played)
    if how == "bishop":
        after = f"after {moves} " if plies > 1 else ""
        where = chess.square_name(corner(case.played.boards[plies]) or 0)
        text = f"Gives the win away: {after}the bishop cannot drive the king from the corner {where}."
        return Reason("draw", text, case.played)
    if draw.is_perpetual(case.played, plies):
        text = f"Lets {side(not case.mover)} draw by perpetual check, beginning with {case.played.san(1)}."
        return Reason("perpetual", text, case.played)
    return None


def _opposition(case: Case) -> Reason | None:
    reply = case.played.moves[1] if len(case.played) > 1 else None
    if case.before - case.after < 0.25 or not opposition.loses_it(case.board, case.move, case.best.moves[0], reply):
        return None
    what = "the win" if case.before >= _EVEN[1] else "the draw"
    text = f"Gives up the opposition and {what}: {case.better} would have taken it, now {case.played.san(1)} does."
    return Reason("opposition", text)


def _material(case: Case) -> Reason | None:
    """What the reply wins, or what the best move would have won, if the scores bear it out."""
    allowed, missed = (sure_gain(line) for line in (case.played, case.best))
    cost = allowed + missed
    if missed == 1 > allowed and case.drop > _PAWN_EXPLAINS:
        return None
    least = _LEAST_MARKED if case.marked else 1
    if case.before - case.after < LEAST_LOSS or max(allowed, missed) < least:
        return None
    if case.drop < max(_LEAST_COST, _PAWN_COST * min(cost, _MOST_PAWNS)):
        return None
    return _allows(case) if allowed >= missed else _misses(case)


def sure_gain(line: Line) -> int:
    """The pawns that the winner of ``line`` wins, 0 if the line does not show enough of it."""
    start = line.turns().start
    far = HORIZON if is_queen(gain_text(line)) else _NEAR if line.gain < 3 else _FAR
    if line.gain < 1 or len(line) <= start or line.secured - start > far:
        return 0
    return 0 if line.gain < 2 and len(line) - start < _LEAST_SHOWN else line.gain


def _allows(case: Case) -> Reason | None:
    what, how_won = gain_text(case.played), explained(case.played)
    if not what or not how_won:
        return None
    theme, how = how_won
    stake = ", and with it the win" if case.before >= _WON and case.after <= _EVEN[1] else ""
    verb = f"Lets {side(not case.mover)} get" if is_queen(what) else "Loses"
    if theme == "line" and " " not in how:
        text = f"{verb} {what} {'with' if is_queen(what) else 'to'} {how}{stake}."
    else:
        what, how = once(what, how)
        text = f"{verb} {what}{stake}: {how}."
    return Reason(theme, text, case.played, case.played.gain)


def _misses(case: Case) -> Reason | None:
    what, how_won = gain_text(case.best), explained(case.best)
    if not what or not how_won:
        return None
    theme, how = how_won
    if retaken := _taken_before(case.board, case.best.moves[0]):
        text = f"Does not recapture: {case.better} would have won back the {retaken}."
        return Reason("recapture", text, case.best, case.best.gain)
    if theme == "line" and " " not in how:
        text = f"Misses {how}, which {'gets' if is_queen(what) else 'wins'} {what}."
    else:
        what, how = once(what, how)
        text = f"Misses the chance to {'get' if is_queen(what) else 'win'} {what}: {how}."
    return Reason(theme, text, case.best, case.best.gain)


def is_queen(what: str) -> bool:
    """Whether what is won is a pawn's promotion."""
    return what.startswith("a new")


def once(what: str, clause: str) -> tuple[str, str]:
    """Both, with the square of the piece that is lost named but once."""
    piece, word, paid = what.partition(" for ")
    taken = re.search(rf"takes {piece}( on [a-h][1-8])?(?=[, ]|$)", clause)
    if taken:
        return what, clause.replace(taken[0], "takes it")
    return (piece.split(" on ")[0] if piece in clause else piece) + word + paid, clause


def _taken_before(board: chess.Board, move: chess.Move) -> str:
    """The piece that ``move`` wins back by recapturing; empty if it is no recapture, or wins more."""
    if not board.move_stack or board.peek().to_square != move.to_square or not board.is_capture(move):
        return ""
    former = board.copy(stack=1)
    last = former.pop()
    taken, taker = former.piece_type_at(last.to_square), board.piece_type_at(last.to_square)
    return chess.piece_name(taken) if taken is not None and value(taker) <= value(taken) + 1 else ""


def explained(line: Line) -> tuple[str, str] | None:
    """The theme by which the winner of ``line`` gets its gain, and the clause that says so; None if no theme begins
    soon and the moves alone would be too many to be forced."""
    start = line.turns().start
    what = gain_text(line)
    for finding in findings(line):
        fits = finding.theme == "promotion" if is_queen(what) else _is_part(line, finding, what)
        forced = _forced(line, start, finding.ply) or (_promotes(finding) and finding.ply - start <= _SOON)
        near = forced and finding.ply - start <= _NEAR and finding.ply < line.shown
        if fits and near and line.gains[finding.cashed + 1] >= max(1, line.gain - 1):
            return finding.theme, _led_to(line, start, finding)
    end = max(line.shown, start + 1)
    end -= (end - start + 1) % 2
    if _given_up(line, start, end):
        return None
    if end - start > (_LONG if line.gain > 2 or _forced(line, start, end) else _SHORT) or line.secured - start > _NEAR:
        return None
    return "line", line.sans(start, end)


def _promotes(finding: Finding) -> bool:
    """Whether a pawn promotes at once; one that has some way to go may yet be stopped."""
    return finding.theme == "promotion" and finding.cashed == finding.ply


def _given_up(line: Line, start: int, end: int) -> bool:
    """Whether the gain from ``line`` comes by a capture with which the loser gives up far more than it takes, by a
    piece that was not lost anyway: it may not do that."""
    return any(
        line.gains[ply] < line.gain
        and not line.boards[ply].is_check()
        and line.boards[ply].is_capture(line.moves[ply])
        and Captures(line.boards[ply]).exchange(line.moves[ply]) <= -_GIVEN
        and not winnable(line.boards[ply], line.moves[ply].from_square)
        for ply in range(start + 1, end, 2)
    )


def _forced(line: Line, start: int, end: int) -> bool:
    """Whether the winner of ``line`` gives check or captures with every move from ``start`` up to ``end``."""
    return all(
        line.boards[ply].gives_check(line.moves[ply]) or line.boards[ply].is_capture(line.moves[ply])
        for ply in range(start, end, 2)
    )


def _is_part(line: Line, finding: Finding, what: str) -> bool:
    """Whether what the theme takes is the better part of what is lost: a pawn may be forked when a queen is gone, and
    a queen that hangs may be one that is exchanged later."""
    kind = line.captured(finding.cashed)
    if finding.theme != "hanging":
        return kind is None or 2 * value(kind) >= line.gain
    lost = what.partition(" for ")[0]  # what comes behind was paid for it
    return kind is not None and (NAMES[kind] in lost or "piece" in lost or (kind == chess.ROOK and "exchange" in lost))


def _led_to(line: Line, start: int, finding: Finding) -> str:
    """The clause of ``finding`` behind the moves that lead to it."""
    if finding.ply == start:
        return finding.text
    lead = line.sans(start, finding.ply)
    text = finding.text.removeprefix("after ")
    return f"after {lead} {text}" if text != finding.text else f"after {lead}, {text}"


def _verdict(case: Case) -> Reason | None:
    """What became of the game, if nothing else is certain."""
    if case.had.is_mate() or case.has.is_mate() or len(case.played) < 2:
        return None
    text = verdict_text(case.mover, *_named(case), case.before, case.after)
    theme = f"verdict:{sure(case.before)}:{sure(case.after)}"
    return Reason(theme, text, case.played) if text else None


def _named(case: Case) -> tuple[str, str]:
    """The better move and the answer to the one that was played, with numbers if both are written alike; the answer is
    empty if there is none."""
    answer = case.played.san(1) if len(case.played) > 1 else ""
    if answer != case.better:
        return case.better, answer
    numbered = (board.variation_san([line.moves[ply]]) for board, line, ply in
                ((case.board, case.best, 0), (case.played.boards[1], case.played, 1)))  # fmt: skip
    better, answer = (text.replace(". ", ".") for text in numbered)
    return better, answer


def _comparison(case: Case) -> Reason:
    """How the game stood and stands, if nothing else can be said."""
    better, answer = _named(case)
    found = compare(case.mover, better, answer, case.before, case.after, case.drop)
    text = found.text
    if found.kind == "little" and (gain := _gained(case)):
        text = text.replace(
            f"Now {side(not case.mover)} has {answer};", f"After {answer} {side(not case.mover)} {gain};"
        )
    return Reason(f"comparison:{found.kind}:{found.had}:{found.has}", text, case.played)


def _gained(case: Case) -> str:
    """What the other side has after the answer to the move that it has not in the best line."""
    played, best = (
        Line(line.boards[2:], line.moves[2:], not case.mover) if len(line) > 2 else line
        for line in (case.played, case.best)
    )
    return gained(played, best, not case.mover)


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


def _positional(case: Case) -> Reason | None:
    if case.marked:
        return None  # of four such sentences on marks two were false: the scores are surer
    at_once = case.played.gains[1 : AT_ONCE + 1]
    if case.played.gain + case.best.gain != 0 or max(at_once) > 0 or case.had.is_mate() or case.has.is_mate():
        return None
    found: Shift | None = shift(case.played, case.best)
    if found is None or not max(_CLEAR_LOSS, found.loss / 3) <= case.drop <= _NO_TACTICS:
        return None
    names = {"mover": side(case.mover), "other": side(not case.mover), "better": case.better}
    text = f"No material is lost at once, but {_SHIFTS[found.aspect, found.own].format(**names)}."
    cost = _comparison(case)
    theme = cost.theme.replace("comparison", f"positional:{found.aspect}")
    return Reason(theme, f"{text} {cost.text}", case.played)
