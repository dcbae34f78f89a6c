"""Histories: how well moves did elsewhere in the tree, for ordering, pruning and reductions."""

from typing import Any

from engine.board.aliases import Depth, Move, PieceType, Ply, Position
from engine.board.attacks import all_attacks
from engine.board.moves import origin_of, target_of
from engine.board.position import piece_on, type_on
from engine.board.types import I64, NO_TYPE, ONE, PAWN, U64, ZERO
from engine.jit import inlined
from engine.search.parameters import ParametersRecord
from engine.search.state import Frame, WorkerRecord, frame_at, params_of

HISTORY_LIMIT = 16_384  # entries stay within plus and minus this
_LAST_EARLY_MOVE = 3  # the last move number that counts as early


@inlined
def history_bonus(params: ParametersRecord, depth: Depth) -> int:
    """The bonus for a cutoff at ``depth``."""
    return min(params.HistoryBonus * depth + params.HistoryBonusOffset, params.HistoryBonusMax)


@inlined
def _history_malus(params: ParametersRecord, depth: Depth) -> int:
    """The malus for moves that were tried before a cutoff at ``depth``."""
    return min(params.HistoryMalus * depth + params.HistoryMalusOffset, params.HistoryMalusMax)


@inlined
def _add_bonus(value: int, bonus: int) -> int:
    """``value`` plus ``bonus``, scaled down near the limit ("gravity", as in Stockfish)."""
    return value + bonus - value * abs(bonus) // HISTORY_LIMIT


@inlined
def continuation_index(position: Position, move: Move) -> int:
    """The moving piece and its target as one index, for a ``move`` yet to be made."""
    return piece_on(position, origin_of(move)) << 6 | target_of(move)


@inlined
def find_threats(worker: WorkerRecord, ply: Ply) -> None:
    """Set the attacked squares at ``ply``, by which :func:`butterfly_history` distinguishes moves."""
    frame_at(worker, ply).threats = all_attacks(worker.position, I64(worker.position.side) ^ 1)


@inlined
def touches_threat(frame: Frame, move: Move) -> bool:
    """Whether ``move`` leaves or enters an attacked square. Otherwise a quiet move cannot hang the piece and needs no
    static exchange evaluation."""
    return (frame.threats & (ONE << U64(origin_of(move)) | ONE << U64(target_of(move)))) != ZERO


@inlined
def _butterfly_row(worker: WorkerRecord, ply: Ply, move: Move) -> Any:
    """The [from][to] table for moves that leave and enter attacked squares as ``move`` does."""
    threats = frame_at(worker, ply).threats
    leaves = (threats >> U64(origin_of(move))) & ONE
    enters = (threats >> U64(target_of(move))) & ONE
    return worker.history[U64(worker.position.side), leaves, enters]


@inlined
def butterfly_history(worker: WorkerRecord, ply: Ply, move: Move) -> int:
    """Butterfly history: how often a quiet move between these squares caused a cutoff, less how often it failed to.
    Moves out of and into attacked squares are counted separately."""
    return I64(_butterfly_row(worker, ply, move)[origin_of(move), target_of(move)])


@inlined
def continuation_history(worker: WorkerRecord, ply: Ply, move: Move) -> int:
    """Continuation history: how well the move did in reply to the moves 1, 2 and 4 plies before."""
    params, moved = params_of(worker), U64(continuation_index(worker.position, move))
    one = I64(worker.continuation[U64(frame_at(worker, ply - 1).continuation_index), moved])
    two = I64(worker.continuation[U64(frame_at(worker, ply - 2).continuation_index), moved])
    four = I64(worker.continuation[U64(frame_at(worker, ply - 4).continuation_index), moved])
    total = one * params.Continuation1Weight + two * params.Continuation2Weight + four * params.Continuation4Weight
    return total // 1024


@inlined
def quiet_history(worker: WorkerRecord, ply: Ply, move: Move) -> int:
    """The total history of a quiet move at ``ply``."""
    return butterfly_history(worker, ply, move) + continuation_history(worker, ply, move)


@inlined
def captured_type(position: Position, move: Move) -> PieceType:
    """The type a noisy move takes; a pawn for en passant and for promotions without capture."""
    kind = type_on(position, target_of(move))
    return I64(PAWN) if kind == NO_TYPE else kind


@inlined
def capture_history(worker: WorkerRecord, move: Move) -> int:
    """Capture history: like butterfly history, by moving piece, target and captured type."""
    position = worker.position
    piece = piece_on(position, origin_of(move))
    return I64(worker.capture_history[piece, target_of(move), captured_type(position, move)])


@inlined
def _update_continuation(worker: WorkerRecord, ply: Ply, moved: int, bonus: int) -> None:
    before, moved = U64(frame_at(worker, ply).continuation_index), U64(moved)
    worker.continuation[before, moved] = _add_bonus(I64(worker.continuation[before, moved]), bonus)


@inlined
def _update_quiet(worker: WorkerRecord, ply: Ply, move: Move, bonus: int) -> None:
    origin, target = origin_of(move), target_of(move)
    row = _butterfly_row(worker, ply, move)
    row[origin, target] = _add_bonus(I64(row[origin, target]), bonus)
    moved = continuation_index(worker.position, move)
    _update_continuation(worker, ply - 1, moved, bonus)
    _update_continuation(worker, ply - 2, moved, bonus)
    _update_continuation(worker, ply - 4, moved, bonus)


@inlined
def _update_capture(worker: WorkerRecord, move: Move, bonus: int) -> None:
    position = worker.position
    piece, target = piece_on(position, origin_of(move)), target_of(move)
    kind = captured_type(position, move)
    worker.capture_history[piece, target, kind] = _add_bonus(I64(worker.capture_history[piece, target, kind]), bonus)


@inlined
def reward_quiet(worker: WorkerRecord, ply: Ply, move: Move, depth: Depth) -> None:
    """A quiet ``move`` caused a cutoff: give it a bonus, and give the moves tried before a malus."""
    frame = frame_at(worker, ply)
    params = params_of(worker)
    _update_quiet(worker, ply, move, history_bonus(params, depth))
    malus = _history_malus(params, depth)
    for index in range(frame.quiet_count):
        _update_quiet(worker, ply, I64(frame.quiets[index]), -malus)
    _punish_noisies(worker, frame, malus)


@inlined
def reward_parent(worker: WorkerRecord, ply: Ply, depth: Depth) -> None:
    """All moves at ``ply`` failed low: give the quiet move that led here a bonus."""
    parent = frame_at(worker, ply - 1)
    if parent.continuation_index != 0:
        params = params_of(worker)
        bonus = history_bonus(params, depth) * params.ParentBonus // 1024
        _update_continuation(worker, ply - 2, parent.continuation_index, bonus)
        _update_continuation(worker, ply - 3, parent.continuation_index, bonus)


@inlined
def punish_parent(worker: WorkerRecord, ply: Ply, depth: Depth) -> None:
    """A TT cutoff refutes the previous move; if it was an early quiet move, give it a malus (as in Stockfish)."""
    parent = frame_at(worker, ply - 1)
    if parent.quiet != 0 and parent.continuation_index != 0 and parent.move_count <= _LAST_EARLY_MOVE:
        params = params_of(worker)
        malus = _history_malus(params, depth) * params.EarlyQuietMalus // 1024
        _update_continuation(worker, ply - 2, parent.continuation_index, -malus)
        _update_continuation(worker, ply - 3, parent.continuation_index, -malus)


@inlined
def reward_cutoff(worker: WorkerRecord, ply: Ply, move: Move, depth: Depth) -> None:
    """A TT cutoff by the quiet ``move``: give it a bonus."""
    params = params_of(worker)
    _update_quiet(worker, ply, move, history_bonus(params, depth) * params.TableCutoffBonus // 1024)


@inlined
def reward_noisy(worker: WorkerRecord, ply: Ply, move: Move, depth: Depth) -> None:
    """A noisy ``move`` caused a cutoff: give it a bonus, and the noisy moves tried before it a malus."""
    params = params_of(worker)
    _update_capture(worker, move, history_bonus(params, depth))
    _punish_noisies(worker, frame_at(worker, ply), _history_malus(params, depth))


@inlined
def _punish_noisies(worker: WorkerRecord, frame: Frame, malus: int) -> None:
    for index in range(frame.noisy_count):
        _update_capture(worker, I64(frame.noisies[index]), -malus)
