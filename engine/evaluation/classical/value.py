"""The sum of all terms, and the same sum with a trace.

One source serves play and tuning: ``trace`` is None in play; compiled for a record instead, the same functions also
record how often each feature occurs."""

from engine.board.aliases import Color, PackedScore, Position, Score
from engine.board.position import POSITION_T
from engine.board.types import BLACK, I64, U64, WHITE
from engine.evaluation.classical.features import COUNT, TEMPO
from engine.evaluation.classical.king import attack_terms, shelter_terms
from engine.evaluation.classical.passed import passed_terms
from engine.evaluation.classical.pawns import PAWN_TABLE, PawnTable, pawn_terms
from engine.evaluation.classical.pieces import piece_terms
from engine.evaluation.classical.scaling import SCALE_UNIT, scale_class
from engine.evaluation.classical.space import space_terms
from engine.evaluation.classical.threats import threat_terms
from engine.evaluation.classical.view import View, open_view
from engine.evaluation.classical.weights import TRACE, Trace, TraceRecord, endgame_of, middlegame_of, term, weights
from engine.evaluation.material import ACCUMULATOR, FULL_PHASE, MaterialAccumulator, refresh_accumulator
from engine.jit import inlined, int64, kernel, record_type

PAWN_TABLE_T, TRACE_T = record_type(PAWN_TABLE), record_type(TRACE)


@inlined
def _side_terms(trace: Trace, view: View, position: Position, us: Color) -> PackedScore:
    """The terms that need the attacks of both sides."""
    return (
        shelter_terms(trace, view, us)
        + attack_terms(trace, view, position, us)
        + threat_terms(trace, view, position, us)
        + passed_terms(trace, view, position, us)
        + space_terms(trace, view, us)
    )


@inlined
def _packed_sum(trace: Trace, pawn_table: PawnTable, position: Position) -> PackedScore:
    """White's terms minus Black's, both stages."""
    view = pawn_table.maps
    open_view(view, position)
    score = pawn_terms(trace, pawn_table, position)
    score += piece_terms(trace, view, position, I64(WHITE)) - piece_terms(trace, view, position, I64(BLACK))
    score += _side_terms(trace, view, position, I64(WHITE)) - _side_terms(trace, view, position, I64(BLACK))
    tempo = term(trace, I64(position.side), TEMPO, 1)
    return score + (tempo if position.side == WHITE else -tempo)


@inlined
def _tapered(position: Position, packed: PackedScore, phase: int) -> Score:
    """Centipawns for the side to move: the endgame half scaled, then both halves weighted by the phase."""
    us = I64(position.side)
    if us == BLACK:
        packed = -packed
    middlegame, endgame = middlegame_of(packed), endgame_of(packed)
    scale = weights().scale[U64(scale_class(position, us if endgame > 0 else us ^ 1))]
    total = middlegame * phase * SCALE_UNIT + endgame * scale * (FULL_PHASE - phase)
    return total // (FULL_PHASE * SCALE_UNIT)


@kernel(int64(PAWN_TABLE_T, record_type(ACCUMULATOR), POSITION_T), deferred=True)
def classical_value(pawn_table: PawnTable, accumulator: MaterialAccumulator, position: Position) -> Score:
    """Centipawns for the side to move. ``pawn_table``: a thread's PAWN_TABLE record; the phase is ``accumulator``'s."""
    phase = min(I64(accumulator.phase), I64(FULL_PHASE))
    return _tapered(position, _packed_sum(None, pawn_table, position), phase)


@kernel(int64(PAWN_TABLE_T, POSITION_T, TRACE_T), deferred=True)
def traced_value(pawn_table: PawnTable, position: Position, trace: TraceRecord) -> Score:
    """The value of :func:`classical_value`, with every feature's count recorded in ``trace``."""
    for color in range(2):
        for feature in range(COUNT):
            trace.count[color, feature] = 0
        trace.scale_class[color] = scale_class(position, I64(color))
    refresh_accumulator(trace.accumulator, position)
    phase = min(I64(trace.accumulator.phase), I64(FULL_PHASE))
    return _tapered(position, _packed_sum(trace, pawn_table, position), phase)
