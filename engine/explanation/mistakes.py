"""Why a move is bad, from the engine's lines: reasons in order of weight."""

from typing import Literal

import chess
from chess.engine import Score

from engine.explanation.assessment import decides, gained
from engine.explanation.claims import (
    ByTables,
    Case,
    Claim,
    Compared,
    Drawn,
    Facts,
    Finding,
    Gain,
    Material,
    Mating,
    Opposition,
    Tables,
)
from engine.explanation.evaluation_terms import shift
from engine.explanation.line import HORIZON, Line
from engine.explanation.material import balance, winnable
from engine.explanation.material_won import gain_of
from engine.explanation.themes import draw, findings, mate, opposition
from engine.explanation.verdicts import LITTLE, WINNING, compare, decided
from engine.play.captures import Captures, value

#: Expected points that a move must lose to be explained.
LEAST_LOSS = 0.05

#: Centipawns that each pawn of the material lost must have cost at least, up to a number of pawns.
_PAWN_COST, _MOST_PAWNS = 30, 5

#: Centipawns that the score must show for each pawn of the material lead after a gain, up to that number of pawns.
_PAWN_SHOWS = 60

#: Centipawns that even a single pawn must have cost.
_LEAST_COST = 60

#: The most centipawns that the loss of a single pawn explains, for a marked move or a missed pawn.
_PAWN_EXPLAINS = 300

#: Plies within which the move that brings about a gain must come, and a pawn may promote after a quiet move.
_NEAR, _SOON = 4, 2

#: Plies that a line must show to prove the gain of a pawn.
_LEAST_SHOWN = 3

#: Centipawns between which terms of the evaluation can explain a loss: less may be an error of the search, more has
#: other reasons.
_CLEAR_LOSS, _NO_TACTICS = 60, 200

#: Moves to a mate that a player can have missed, and to one that means more to a reader than a winning score.
_VISIBLE_MATE, _LONG_MATE = 5, 10

#: Plies that a sentence may quote without a theme, and for a small gain by quiet moves: later gains are rarely forced.
_LONG, _SHORT = 5, 3

#: Pawns given up by a capture that is not made without another reason.
_GIVEN = 4

#: Part of a gain that its theme brings at least; the rest may be won on the way.
_MOST = 0.6

#: Pawns that a sacrifice gives.
_OFFERED = 2

#: Plies after a move within which material falls at once.
AT_ONCE = 3

#: Centipawns up to which a score can mean a draw.
DRAWN = 30

#: Expected points above which a game does not count as even.
_EVEN = 0.75


def reason_of(case: Case, tables: Tables | None = None) -> Claim | None:
    """Why the move is bad: the weightiest reason or, if none is certain, how the scores changed.

    None if there is nothing to explain: it is the best move or, unless it is marked as bad, costs next to nothing and
    misses no short mate. ``tables`` looks boards up in the tablebases. Raises
    :class:`~engine.messages.PositionError` for a position that the engine refuses."""
    if not case.best.moves or case.best.moves[0] == case.move:
        return None
    visible = 0 < (case.had.mate() or 0) <= _VISIBLE_MATE and (case.has.mate() or 0) <= 0
    if not (case.marked or visible or _is_mated_sooner(case) or case.before - case.after >= LEAST_LOSS):
        return None
    return (
        _allowed_mate(case)
        or _draw(case, 1)
        or (_tables(case, tables, worse=True) if tables else None)
        or _opposition(case)
        or _draw(case, HORIZON)
        or (_material(case, "loses", 2) if case.after <= _EVEN else None)
        or _missed_mate(case)
        or _material(case, "loses", min(2, sure_gain(case.best)))
        or _material(case, "misses")
        or _material(case, "loses")
        or _positional(case)
        or (_tables(case, tables, worse=False) if tables else None)
        or _verdict(case)
        or _comparison(case)
    )


def _allowed_mate(case: Case) -> Mating | None:
    missed, allowed = case.had.mate() or 0, case.has.mate() or 0
    allows = allowed < 0 <= missed and _is_notable(case, -allowed)
    if (allows or _is_mated_sooner(case)) and len(case.played) > 1:
        instead = mating("misses", case.best, missed) if 0 < missed <= _VISIBLE_MATE else None
        return mating("allows", case.played, -allowed, instead)
    return None


def _is_mated_sooner(case: Case) -> bool:
    """Whether the move allows a short mate where the best one puts it off."""
    had, has = case.had.mate() or 0, case.has.mate() or 0
    return -_VISIBLE_MATE <= has < 0 and had < has - 1


def _missed_mate(case: Case) -> Mating | None:
    missed = case.had.mate() or 0
    if missed <= 0 or not _is_notable(case, missed) or (case.has.mate() or 0) > 0:
        return None
    return mating("misses", case.best, missed)


def _is_notable(case: Case, moves: int) -> bool:
    """Whether a mate in ``moves`` is worth mentioning: it is near, or changed something."""
    return moves <= _VISIBLE_MATE or (moves <= _LONG_MATE and (case.marked or case.before - case.after >= LEAST_LOSS))


def mating(verb: Literal["allows", "misses", "leads"], line: Line, moves: int, missed: Mating | None = None) -> Mating:
    """The mate in ``moves`` that ``line`` begins, with its pattern if the line reaches it."""
    complete = len(line) - line.turns().start == 2 * moves - 1
    guard = mate.left_guard(line) if moves == 1 else None
    return Mating(verb, line, moves, mate.pattern(line) if complete else "", guard, missed)


def _tables(case: Case, tables: Tables, worse: bool) -> ByTables | None:
    """The tablebases' claim that the result is ``worse``, or that the move was no mistake."""
    before, after = tables(case.board), tables(case.played.boards[1])
    if before is None or after is None or (before <= -after if worse else before != -after):
        return None
    return ByTables(case.best, case.played, before, -after, _opposition(case))


def _draw(case: Case, within: int) -> Drawn | None:
    """The draw that the line reaches within ``within`` plies."""
    drawn = abs(case.has.score(mate_score=10_000)) <= DRAWN
    ended = draw.ending(case.played)
    if case.before < WINNING - 0.1 or not drawn or ended is None or ended[1] > within:
        return None
    how, plies = ended
    return Drawn(how, case.played, plies) if how != "repetition" else None


def _opposition(case: Case) -> Opposition | None:
    reply = case.played.moves[1] if len(case.played) > 1 else None
    if case.before - case.after < 0.25 or not opposition.loses_it(case.board, case.move, case.best.moves[0], reply):
        return None
    return Opposition(case.best, case.played, win=case.before >= _EVEN)


def _material(case: Case, verb: Literal["loses", "misses"], at_least: int = 1) -> Material | None:
    """The material, worth ``at_least`` pawns or more, that the mover ``loses`` to the reply, or ``misses`` as the best
    move would have won it."""
    full = case.played if verb == "loses" else case.best
    gain, line = sure_gain(full), full.certain_prefix
    if gain < at_least or not _costs(case, verb, gain):
        return None
    if not (won := gain_of(line)) or not (finding := explained(line, won)):
        return None
    if verb == "misses" and won.kind == "promotion" and case.move.promotion:
        return None  # it does promote
    retaken = taken_before(case.board, line.moves[0]) if verb == "misses" else None
    if retaken and value(line.captured(0)) == value(retaken):
        return Material("regains", line, Gain("piece", ((retaken, 1),)), finding)
    stake = verb == "loses" and case.before >= WINNING and case.after <= _EVEN
    return Material(verb, line, won, finding, stake)


def _costs(case: Case, verb: str, gain: int) -> bool:
    """Whether the scores agree that the mover ``loses`` or ``misses`` a ``gain``."""
    if gain < 1 or case.drop < max(_LEAST_COST, _PAWN_COST * min(gain, _MOST_PAWNS)):
        return False
    if not case.marked and case.before - case.after < LEAST_LOSS:
        return False
    if len(case.best) >= _LEAST_SHOWN and case.played.gain + case.best.gain < 1:
        return False  # the better move wins, or loses, as much
    if gain == 1 and case.drop > _PAWN_EXPLAINS and (verb == "misses" or case.marked):
        return False
    return verb == "loses" or shows(case.had, case.best.certain_prefix)


def shows(score: Score, line: Line) -> bool:
    """Whether the ``score`` of the winner shows the material lead after ``line``: else the loser has compensation."""
    ahead = balance(line.boards[0], line.winner) + line.gain
    return score.score(mate_score=10_000) >= _PAWN_SHOWS * min(ahead, _MOST_PAWNS)


def sure_gain(line: Line) -> int:
    """The pawns that the winner of ``line`` wins; 0 if the line does not prove it."""
    start, gain = line.turns().start, line.certain_prefix.gain
    return gain if len(line) - start >= (1 if gain > 1 else _LEAST_SHOWN) else 0


def taken_before(board: chess.Board, move: chess.Move) -> chess.PieceType | None:
    """The type of piece that the last move took if ``move`` recaptures; None if it is no recapture."""
    if not board.move_stack or board.peek().to_square != move.to_square or not board.is_capture(move):
        return None
    previous = board.copy(stack=1)
    last = previous.pop()
    return Line((previous, board), (last,), board.turn).captured(0)


def explained(line: Line, gain: Gain) -> Finding | None:
    """The theme by which the winner of ``line`` gets its ``gain``; the moves alone if no theme begins soon, and only
    the first if they are too many to be forced; None if the loser would not play them, or they lack the promotion."""
    start = line.turns().start
    for finding in findings(line):
        promotes = gain.kind == "promotion"
        fits = promotes == (finding.theme == "promotion") and (promotes or _is_part(line, finding, gain))
        begins = _forced(line, start, finding.ply) or (finding.form == "now" and finding.ply - start <= _SOON)
        near = begins and finding.ply - start <= _NEAR and finding.ply < line.quoted
        if fits and near and line.gains[finding.payoff_ply + 1] >= max(1, min(line.gain - 1, _MOST * line.gain)):
            return finding
    end = max(line.quoted, start + 1)
    end -= (end - start + 1) % 2
    long = end - start > (_LONG if line.gain > 2 or _forced(line, start, end) else _SHORT)
    queens = not long and any(line.moves[ply].promotion for ply in line.turns())
    if (gain.kind == "promotion" and not queens) or _given_up(line, start, end):
        return None
    small = line.gain < 2 or {kind for kind, _ in gain.won} == {chess.PAWN}
    if small and (long or not _forced(line, start, start + 1) or line.gains[start + 1] <= -_OFFERED):
        return None  # the loser often has another answer to a quiet threat to win a pawn, or to a sacrifice
    return Finding("line", start, start if long else end - 1)


def _given_up(line: Line, start: int, end: int) -> bool:
    """Whether the gain of ``line`` depends on a capture with which the loser gives up far more than it takes, by a
    piece that was not lost anyway: the loser would not play it."""
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


def _is_part(line: Line, finding: Finding, gain: Gain) -> bool:
    """Whether the theme's capture is the larger part of the ``gain``: the line may fork a pawn after winning a queen,
    and a hanging queen may be exchanged later."""
    kind = line.captured(finding.payoff_ply)
    if finding.theme != "hanging":
        return kind is None or 2 * value(kind) >= line.gain
    return kind is not None and gain.includes(kind)


def _verdict(case: Case) -> Compared | None:
    """How the game turned, if nothing else is certain."""
    if case.had.is_mate() or case.has.is_mate() or len(case.played) < 2:
        return None
    found = decided(case.before, case.after)
    return Compared(case.best, case.played, found) if found else None


def _comparison(case: Case) -> Compared:
    """How the game stood and stands, as the last resort."""
    least = LITTLE + 1 if case.marked else 0  # a mark says already that the move was worse
    found = compare(case.before, case.after, max(case.drop, least))
    advantages = _gained(case) if found.kind == "little" and not decides(case.board) else ()
    return Compared(case.best, case.played, found, advantages)


def _gained(case: Case) -> Facts:
    """The other side's advantages after the reply that it does not have in the best line."""
    if len(case.played) < 2:
        return ()
    played, best = (
        Line(line.boards[2:], line.moves[2:], not case.mover) if len(line) > 2 else line
        for line in (case.played, case.best)
    )
    return gained(played, best, not case.mover)


def _positional(case: Case) -> Compared | None:
    if case.marked or decides(case.board) or not 1 - WINNING < case.after <= case.before < WINNING:
        return None  # not reliable enough for a marked move
    at_once = case.played.gains[1 : AT_ONCE + 1]
    if case.played.gain + case.best.gain != 0 or max(at_once) > 0 or case.had.is_mate() or case.has.is_mate():
        return None
    found = shift(case.played, case.best)
    if found is None or not max(_CLEAR_LOSS, found.loss / 3) <= case.drop <= _NO_TACTICS:
        return None
    return Compared(case.best, case.played, compare(case.before, case.after, case.drop), shift=found)
