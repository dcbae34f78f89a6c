"""Histories: how well moves did elsewhere in the tree, for ordering, pruning and reductions."""

from engine.board.attacks import all_attacks
from engine.board.moves import origin_of, target_of
from engine.board.position import piece_on, type_on
from engine.board.types import I64, NO_TYPE, ONE, PAWN, U64
from engine.jit import helper
from engine.search.state import frame_at, params_of

#: Entries stay within plus and minus this.
HISTORY_LIMIT = 16_384


@helper
def history_bonus(params, depth):
    """What a cutoff at ``depth`` is worth."""
    return min(params.HistoryBonus * depth, params.HistoryBonusMax)


@helper
def _nudge(value, bonus):
    """``value`` moved by ``bonus``, the less the nearer the limit ("gravity", as in Stockfish)."""
    return value + bonus - value * abs(bonus) // HISTORY_LIMIT


@helper
def moved_index(position, move):
    """The moving piece and its target as one index, for a ``move`` yet to be made."""
    return piece_on(position, origin_of(move)) << 6 | target_of(move)


@helper
def find_threats(worker, ply):
    """Note at ``ply`` the squares under attack, by which :func:`butterfly_history` tells moves apart."""
    if params_of(worker).ThreatHistory != 0:
        frame_at(worker, ply).threats = all_attacks(worker.position, I64(worker.position.side) ^ 1)


@helper
def _butterfly_row(worker, ply, move):
    """The table of the moves that, like ``move``, leave and enter attacked squares or not."""
    threats = frame_at(worker, ply).threats
    leaves = (threats >> U64(origin_of(move))) & ONE
    enters = (threats >> U64(target_of(move))) & ONE
    return worker.history[U64(worker.position.side), leaves, enters]


@helper
def butterfly_history(worker, ply, move):
    """Butterfly history: how often a quiet move of these squares cut off, against how often it failed to.

    A piece that flees from an attack is another matter than one that walks into it, so those count apart (+24 ± 40
    Elo in 200 games at 10,000 nodes).
    """
    return I64(_butterfly_row(worker, ply, move)[origin_of(move), target_of(move)])


@helper
def continuation_history(worker, ply, move):
    """Continuation history: how well the move did as an answer to the moves 1, 2 and 4 plies before (16 Elo by the
    measure of alphabeta)."""
    moved = U64(moved_index(worker.position, move))
    total = I64(worker.continuation[U64(frame_at(worker, ply - 1).moved), moved])
    total += I64(worker.continuation[U64(frame_at(worker, ply - 2).moved), moved])
    total += I64(worker.continuation[U64(frame_at(worker, ply - 4).moved), moved]) // 2
    return total * params_of(worker).ContinuationWeight // 1024


@helper
def quiet_history(worker, ply, move):
    """All that is known of a quiet move at ``ply``."""
    return butterfly_history(worker, ply, move) + continuation_history(worker, ply, move)


@helper
def captured_type(position, move):
    """The type a noisy move takes; a pawn for en passant and for promotions without capture."""
    kind = type_on(position, target_of(move))
    return I64(PAWN) if kind == NO_TYPE else kind


@helper
def capture_history(worker, move):
    """Capture history: as butterfly history, by moving piece, target and captured type."""
    position = worker.position
    piece = piece_on(position, origin_of(move))
    return I64(worker.capture_history[piece, target_of(move), captured_type(position, move)])


@helper
def _update_continuation(worker, ply, moved, bonus):
    before, moved = U64(frame_at(worker, ply).moved), U64(moved)
    worker.continuation[before, moved] = _nudge(I64(worker.continuation[before, moved]), bonus)


@helper
def _update_quiet(worker, ply, move, bonus):
    origin, target = origin_of(move), target_of(move)
    row = _butterfly_row(worker, ply, move)
    row[origin, target] = _nudge(I64(row[origin, target]), bonus)
    moved = moved_index(worker.position, move)
    _update_continuation(worker, ply - 1, moved, bonus)
    _update_continuation(worker, ply - 2, moved, bonus)
    _update_continuation(worker, ply - 4, moved, bonus)


@helper
def _update_capture(worker, move, bonus):
    position = worker.position
    piece, target = piece_on(position, origin_of(move)), target_of(move)
    kind = captured_type(position, move)
    worker.capture_history[piece, target, kind] = _nudge(I64(worker.capture_history[piece, target, kind]), bonus)


@helper
def reward_quiet(worker, ply, move, depth):
    """A quiet ``move`` cut off: praise it, make it a killer, blame what was tried in vain before it."""
    frame = frame_at(worker, ply)
    if frame.killer[0] != move:
        frame.killer[1] = frame.killer[0]
        frame.killer[0] = move
    bonus = history_bonus(params_of(worker), depth)
    _update_quiet(worker, ply, move, bonus)
    for index in range(frame.quiet_count):
        _update_quiet(worker, ply, I64(frame.quiets[index]), -bonus)
    _blame_noisies(worker, frame, bonus)


@helper
def reward_parent(worker, ply, depth):
    """Nothing at ``ply`` answers the quiet move that led here: praise it where it was made."""
    parent = frame_at(worker, ply - 1)
    if parent.moved != 0:
        bonus = history_bonus(params_of(worker), depth)
        _update_continuation(worker, ply - 2, parent.moved, bonus)
        _update_continuation(worker, ply - 3, parent.moved, bonus)


@helper
def reward_cutoff(worker, ply, move, depth):
    """The table knows that the quiet ``move`` cuts off here: praise it."""
    _update_quiet(worker, ply, move, history_bonus(params_of(worker), depth))


@helper
def reward_noisy(worker, ply, move, depth):
    """A capture or promotion ``move`` cut off: praise it, blame the noisy moves tried before it."""
    bonus = history_bonus(params_of(worker), depth)
    _update_capture(worker, move, bonus)
    _blame_noisies(worker, frame_at(worker, ply), bonus)


@helper
def _blame_noisies(worker, frame, bonus):
    for index in range(frame.noisy_count):
        _update_capture(worker, I64(frame.noisies[index]), -bonus)
