"""Why a move is bad, from the engine's lines: reasons in order of weight."""

from typing import Literal

import chess

from engine.explanation.claims import ByTables, Case, Claim, Compared, Drawn, Gain, Material, Mating, Opposition, Tables
from engine.explanation.line import LINE_PLIES, Line
from engine.explanation.tactics import MAX_COUNTED_PAWNS, MIN_PAWN_PROOF_PLIES, Win
from engine.explanation.themes import draw, mate, opposition
from engine.explanation.verdicts import WINNING, compare, decisive_change, level
from engine.play.captures import value

MIN_LOST_POINTS = 0.05  # expected points that a move must lose to be explained

#: Centipawns that a move must have cost to lose material: for each pawn of it, at least, and for each pawn if the
#: better line loses as much in the end.
_LOSS_CP_PER_PAWN, _MIN_LOSS_CP, _SURE_LOSS_CP_PER_PAWN = 30, 60, 90

#: The most centipawns that the loss of a single pawn explains while there are queens, for a marked move or a missed
#: pawn.
_MAX_PAWN_LOSS_CP = 300

#: Moves to a mate that a player can have missed, and to one that means more to a reader than a winning score.
_MAX_VISIBLE_MATE_MOVES, _MAX_TOLD_MATE_MOVES = 5, 10

_MIN_WIN_POINTS = 0.8  # expected points of a win that a draw throws away
_MAX_EVEN_POINTS = 0.75  # expected points above which a game does not count as even


def reason_of(case: Case, tables: Tables | None = None) -> Claim | None:
    """Why the move is bad: the weightiest reason or, if none is certain, how the scores changed.

    None if there is nothing to explain: it is the best move or, unless it is marked as bad, costs next to nothing and
    misses no short mate. ``tables`` looks boards up in the tablebases. Raises
    :class:`~engine.messages.PositionError` for a position that the engine refuses."""
    if not case.best_line.moves or case.best_line.moves[0] == case.move:
        return None
    visible = 0 < (case.had.mate() or 0) <= _MAX_VISIBLE_MATE_MOVES and (case.has.mate() or 0) <= 0
    if not (case.marked or visible or _is_mated_sooner(case) or case.before - case.after >= MIN_LOST_POINTS):
        return None
    lost, missed = Win(case.played_line, case.score.pov(not case.mover)), Win(case.best_line, case.had)
    return (
        _allowed_mate(case)
        or _draw(case, 1)
        or (_tables(case, tables, worse=True) if tables else None)
        or _opposition(case)
        or _draw(case, LINE_PLIES)
        or (_material(case, "loses", lost, 2) if case.after <= _MAX_EVEN_POINTS else None)
        or _missed_mate(case)
        or _material(case, "loses", lost, min(2, missed.pawns))
        or _missed(case, missed)
        or _material(case, "loses", lost)
        or _missed_draw(case)
        or (_tables(case, tables, worse=False) if tables else None)
        or _verdict(case)
        or _comparison(case)
    )


def _allowed_mate(case: Case) -> Mating | None:
    missed, allowed = case.had.mate() or 0, case.has.mate() or 0
    allows = allowed < 0 <= missed and _is_notable(case, -allowed)
    if (allows or _is_mated_sooner(case)) and len(case.played_line) > 1:
        instead = mating("misses", case.best_line, missed) if 0 < missed <= _MAX_VISIBLE_MATE_MOVES else None
        return mating("allows", case.played_line, -allowed, instead)
    return None


def _is_mated_sooner(case: Case) -> bool:
    """Whether the move allows a short mate where the best one puts it off."""
    had, has = case.had.mate() or 0, case.has.mate() or 0
    return -_MAX_VISIBLE_MATE_MOVES <= has < 0 and had < has - 1


def _missed_mate(case: Case) -> Mating | None:
    missed = case.had.mate() or 0
    if missed <= 0 or not _is_notable(case, missed) or (case.has.mate() or 0) > 0:
        return None
    return mating("misses", case.best_line, missed)


def _is_notable(case: Case, moves: int) -> bool:
    """Whether a mate in ``moves`` is worth mentioning: it is near, or changed something."""
    return moves <= _MAX_VISIBLE_MATE_MOVES or (
        moves <= _MAX_TOLD_MATE_MOVES and (case.marked or case.before - case.after >= MIN_LOST_POINTS)
    )


def mating(verb: Literal["allows", "misses", "leads"], line: Line, moves: int, missed: Mating | None = None) -> Mating:
    """The mate in ``moves`` that ``line`` begins, with its pattern if the line reaches it."""
    complete = len(line) - line.turns().start == 2 * moves - 1
    guard = mate.left_guard(line) if moves == 1 else None
    return Mating(verb, line, moves, mate.pattern(line) if complete else "", guard, missed)


def _tables(case: Case, tables: Tables, worse: bool) -> ByTables | None:
    """The tablebases' claim that the result is ``worse``, or that the move was no mistake."""
    before, after = tables(case.board), tables(case.played_line.boards[1])
    if before is None or after is None or (before <= -after if worse else before != -after):
        return None
    return ByTables(case.best_line, case.played_line, before, -after, _opposition(case))


def _draw(case: Case, within: int) -> Drawn | None:
    """The draw that the line reaches within ``within`` plies."""
    ended = draw.ending(case.played_line)
    if case.before < _MIN_WIN_POINTS or not draw.is_level(case.has) or ended is None or ended[1] > within:
        return None
    return Drawn(ended[0], case.played_line, ended[1])


def _missed_draw(case: Case) -> Drawn | None:
    """The draw with which the best line ends, by perpetual check for example, where the game is lost now."""
    if not draw.is_level(case.had) or case.after > 1 - _MAX_EVEN_POINTS:
        return None
    ended = draw.ending(case.best_line)
    return Drawn(ended[0], case.best_line, ended[1], missed=True) if ended else None


def _opposition(case: Case) -> Opposition | None:
    if case.before - case.after < 0.25:
        return None
    reply = case.played_line.moves[1] if len(case.played_line) > 1 else None
    if not opposition.loses_it(case.board, case.move, case.best_line.moves[0], reply):
        return None
    return Opposition(case.best_line, case.played_line, win=case.before >= _MAX_EVEN_POINTS)


def _material(case: Case, verb: Literal["loses", "misses"], win: Win, at_least: int = 1) -> Material | None:
    """The ``win`` of ``at_least`` pawns or more that the mover ``loses`` to the reply, or ``misses``."""
    loses = verb == "loses"
    if win.pawns < at_least or not _costs(case, verb, win) or not win.gain or not win.finding:
        return None
    line, gain = win.proof, win.gain
    if loses and draw.is_level(case.has) and draw.ending(case.played_line):
        return None  # it was given for the draw
    if not loses and gain.kind == "promotion" and case.move.promotion:
        return None  # it does promote
    retaken = None if loses else previous_capture(case.board, line.moves[0])
    if retaken and value(line.captured(0)) == value(retaken):
        return Material("regains", line, Gain("piece", ((retaken, 1),)), win.finding)
    stake = loses and case.before >= WINNING and case.after <= _MAX_EVEN_POINTS
    return Material(verb, line, gain, win.finding, stake)


def _costs(case: Case, verb: str, win: Win) -> bool:
    """Whether the scores agree that the mover loses or misses what the ``win`` gains."""
    if win.pawns < 1 or case.drop < max(_MIN_LOSS_CP, _LOSS_CP_PER_PAWN * min(win.pawns, MAX_COUNTED_PAWNS)):
        return False
    if not case.marked and case.before - case.after < MIN_LOST_POINTS:
        return False
    as_much = len(case.best_line) >= MIN_PAWN_PROOF_PLIES and case.played_line.gain + case.best_line.gain < 1
    if as_much and not (win.shown and case.drop >= _SURE_LOSS_CP_PER_PAWN * min(win.pawns, MAX_COUNTED_PAWNS)):
        return False  # the better move wins, or loses, as much
    if win.pawns == 1 and case.board.queens and case.drop > _MAX_PAWN_LOSS_CP and (verb == "misses" or case.marked):
        return False
    return verb == "loses" or win.shown


def previous_capture(board: chess.Board, move: chess.Move) -> chess.PieceType | None:
    """The type of piece that the last move took if ``move`` recaptures; None if it is no recapture."""
    if not board.move_stack or board.peek().to_square != move.to_square or not board.is_capture(move):
        return None
    previous = board.copy(stack=1)
    last = previous.pop()
    return Line((previous, board), (last,), board.turn).captured(0)


def _missed(case: Case, win: Win) -> Material | Compared | None:
    """The gain that the mover missed and, if the game has turned, how it stands now."""
    missed = _material(case, "misses", win)
    if missed is None or not (level(case.before) > 0 and level(case.after) <= -2):
        return missed
    standing = decisive_change(case.before, case.after) or compare(case.before, case.after, case.drop, marked=True)
    return Compared(case.best_line, case.played_line, standing, missed=missed)


def _verdict(case: Case) -> Compared | None:
    """How the game turned, if nothing else is certain."""
    if case.had.is_mate() or case.has.is_mate() or len(case.played_line) < 2:
        return None
    found = decisive_change(case.before, case.after)
    return Compared(case.best_line, case.played_line, found) if found else None


def _comparison(case: Case) -> Compared:
    """Compare the prospects before and after the move, as the last resort."""
    return Compared(case.best_line, case.played_line, compare(case.before, case.after, case.drop, case.marked))
