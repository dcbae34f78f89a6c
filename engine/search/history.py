"""Histories: how well moves of the same squares did elsewhere in the tree, for ordering and reductions."""

from engine.board.moves import origin_of, target_of
from engine.board.position import piece_on, type_on
from engine.board.types import I64, NO_TYPE, PAWN
from engine.jit import helper
from engine.search.tunables import tunables

#: Entries stay within plus and minus this.
HISTORY_LIMIT = 16_384


@helper
def history_bonus(depth):
    """What a cutoff at ``depth`` is worth."""
    return min(tunables().HistoryBonus * depth, tunables().HistoryBonusMax)


@helper
def _nudge(value, bonus):
    """``value`` moved by ``bonus``, the less the nearer the limit ("gravity", as in Stockfish)."""
    return value + bonus - value * abs(bonus) // HISTORY_LIMIT


@helper
def quiet_history(worker, move):
    """Butterfly history: how often a quiet move of these squares cut off, against how often it failed to."""
    return I64(worker.history[I64(worker.position.side), origin_of(move), target_of(move)])


@helper
def captured_type(position, move):
    """The type a noisy move takes; a pawn for en passant and for promotions without capture."""
    kind = type_on(position, target_of(move))
    return I64(PAWN) if kind == NO_TYPE else kind


@helper
def capture_history(worker, move):
    """Capture history: the same for captures, by moving piece, target and captured type."""
    position = worker.position
    piece = piece_on(position, origin_of(move))
    return I64(worker.capture_history[piece, target_of(move), captured_type(position, move)])


@helper
def _update_quiet(worker, move, bonus):
    side, origin, target = I64(worker.position.side), origin_of(move), target_of(move)
    worker.history[side, origin, target] = _nudge(I64(worker.history[side, origin, target]), bonus)


@helper
def _update_capture(worker, move, bonus):
    position = worker.position
    piece, target = piece_on(position, origin_of(move)), target_of(move)
    kind = captured_type(position, move)
    worker.capture_history[piece, target, kind] = _nudge(I64(worker.capture_history[piece, target, kind]), bonus)


@helper
def reward_quiet(worker, frame, move, depth):
    """A quiet ``move`` cut off: praise it, make it a killer, blame what was tried in vain before it."""
    if frame.killer[0] != move:
        frame.killer[1] = frame.killer[0]
        frame.killer[0] = move
    bonus = history_bonus(depth)
    _update_quiet(worker, move, bonus)
    for index in range(frame.quiet_count):
        _update_quiet(worker, I64(frame.quiets[index]), -bonus)
    _blame_noisies(worker, frame, bonus)


@helper
def reward_noisy(worker, frame, move, depth):
    """A capture or promotion ``move`` cut off: praise it, blame the noisy moves tried before it."""
    bonus = history_bonus(depth)
    _update_capture(worker, move, bonus)
    _blame_noisies(worker, frame, bonus)


@helper
def _blame_noisies(worker, frame, bonus):
    for index in range(frame.noisy_count):
        _update_capture(worker, I64(frame.noisies[index]), -bonus)
