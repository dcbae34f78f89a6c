"""Correction histories: errors of the static evaluation with the same pawns, pieces or previous move."""

from engine.board.aliases import Color, Depth, Ply, Position, Score
from engine.board.types import I64, U64
from engine.jit import inlined
from engine.search.scores import DECIDED
from engine.search.state import CORRECTIONS, WorkerRecord, frame_at, params_of

_MAX_CORRECTION = 1024  # entries stay within plus and minus this: 64 centipawns
_UNITS_PER_CP = 16  # units of an entry for a centipawn
_MASK = U64(CORRECTIONS - 1)


@inlined
def _pawn_slot(position: Position) -> int:
    return I64(position.pawn_key & _MASK)


@inlined
def _nonpawn_slot(position: Position, color: Color) -> int:
    return I64(position.nonpawn_key[color] & _MASK)


@inlined
def corrected_eval(worker: WorkerRecord, ply: Ply, raw_eval: Score) -> Score:
    """``raw_eval`` plus the corrections for this pawn structure, these pieces and the previous move. An advantage
    counts less as the 50-move rule approaches."""
    position = worker.position
    side = I64(position.side)
    params = params_of(worker)
    pawns = I64(worker.pawn_correction[side, _pawn_slot(position)])
    pieces = I64(worker.nonpawn_correction[side, 0, _nonpawn_slot(position, 0)])
    pieces += I64(worker.nonpawn_correction[side, 1, _nonpawn_slot(position, 1)])
    last = I64(worker.continuation_correction[side, frame_at(worker, ply - 1).continuation_index])
    total = pawns * params.PawnCorrectionWeight + pieces * params.NonPawnCorrectionWeight
    total += last * params.ContinuationCorrectionWeight
    plies = params.Rule50DampingPlies
    rule50 = I64(position.rule50)
    if plies != 0 and rule50 != 0:  # divisions are slow
        raw_eval = raw_eval * (plies - min(rule50, plies)) // plies
    score = raw_eval + total // (1024 * _UNITS_PER_CP)
    return max(min(score, DECIDED - 1), 1 - DECIDED)


@inlined
def _learn(value: int, bonus: int) -> int:
    """``value`` plus ``bonus``, scaled down near the limit."""
    return value + bonus - value * abs(bonus) // _MAX_CORRECTION


@inlined
def learn_correction(worker: WorkerRecord, ply: Ply, error: int, depth: Depth) -> None:
    """A search of ``depth`` found the corrected evaluation to be ``error`` centipawns too low."""
    position = worker.position
    side = I64(position.side)
    bonus = error * depth * params_of(worker).CorrectionRate // 1024
    bonus = max(min(bonus, _MAX_CORRECTION // 4), -_MAX_CORRECTION // 4)
    slot = _pawn_slot(position)
    worker.pawn_correction[side, slot] = _learn(I64(worker.pawn_correction[side, slot]), bonus)
    for color in range(2):
        slot = _nonpawn_slot(position, color)
        value = I64(worker.nonpawn_correction[side, color, slot])
        worker.nonpawn_correction[side, color, slot] = _learn(value, bonus)
    index = frame_at(worker, ply - 1).continuation_index
    value = I64(worker.continuation_correction[side, index])
    worker.continuation_correction[side, index] = _learn(value, bonus)
