"""One interface to all evaluations: a record that follows the moves of a line and evaluates its last position.

Call :func:`push_move` before a move is made, and :func:`pop` when it is taken back; in between :func:`evaluate` is
valid for the position. The record's ``kind`` chooses the evaluation."""

from engine.board.aliases import Move, Position, Score
from engine.board.position import POSITION_T
from engine.board.types import I64, U64, WHITE
from engine.evaluation import material
from engine.evaluation.classical.value import classical_value
from engine.evaluation.endgames import (
    has_lone_king,
    has_only_bishops,
    is_rook_pawn_draw,
    mop_up_value,
    opposite_bishops_value,
)
from engine.evaluation.nnue import network
from engine.evaluation.nnue.network import net_at, network_value
from engine.evaluation.records import Evaluator
from engine.jit import function_at, inlined, int64, kernel, record_type, structure

#: The kinds, as ``EvalType`` names them.
KINDS = ("Material", "Classical", "NNUE")
MATERIAL, CLASSICAL, NNUE = range(3)

MAX_VALUE = 20_000  # the largest evaluation in centipawns, either way

EVALUATOR = structure(Evaluator)

#: The signature of :func:`classical_value_of`, which the search calls by its address: few games need it, so a first
#: start does not wait for it.
CLASSICAL_SIGNATURE = int64(record_type(EVALUATOR), POSITION_T)
_classical_value = function_at(CLASSICAL_SIGNATURE)


@kernel(CLASSICAL_SIGNATURE, deferred=True)
def classical_value_of(evaluator: Evaluator, position: Position) -> Score:
    """Centipawns for the side to move by the classical evaluation."""
    return classical_value(evaluator.pawns, evaluator.stack[U64(evaluator.ply)].material, position)


@inlined
def reset(evaluator: Evaluator, position: Position) -> None:
    """Begin a line at ``position``."""
    evaluator.ply = 0
    if evaluator.kind == NNUE:
        network.begin(net_at(evaluator.net_address, 0), evaluator, position)
    material.refresh_accumulator(evaluator.stack[0].material, position)


@inlined
def push_move(evaluator: Evaluator, position: Position, move: Move) -> None:
    """Push the accumulator update for ``move``; call it before make_move."""
    ply = evaluator.ply
    child = evaluator.stack[U64(ply + 1)]
    if evaluator.kind == NNUE:
        network.set_update(child.network, position, move)
    else:
        material.update_accumulator(child.material, evaluator.stack[U64(ply)].material, position, move)
    evaluator.ply = ply + 1


@inlined
def push_null(evaluator: Evaluator) -> None:
    """Push an unchanged accumulator for a null move."""
    ply = evaluator.ply
    child = evaluator.stack[U64(ply + 1)]
    if evaluator.kind == NNUE:
        network.set_null_update(child.network)
    else:
        material.copy_accumulator(child.material, evaluator.stack[U64(ply)].material)
    evaluator.ply = ply + 1


@inlined
def pop(evaluator: Evaluator) -> None:
    """Go back one move."""
    evaluator.ply -= 1


@inlined
def prepare(evaluator: Evaluator, position: Position) -> None:
    """The first part of :func:`evaluate`, done speculatively while the transposition table's entry is loading."""
    if evaluator.kind == NNUE:
        network.compute(net_at(evaluator.net_address, 0), evaluator, position)


@inlined
def evaluate(evaluator: Evaluator, position: Position) -> Score:
    """Centipawns for the side to move."""
    mop_up = I64(0)
    if has_lone_king(position):
        if is_rook_pawn_draw(position):
            return I64(0)
        if evaluator.kind == NNUE:
            mop_up = mop_up_value(position)
    if mop_up != 0:
        value = mop_up if position.side == WHITE else -mop_up
    elif evaluator.kind == NNUE:
        value = network_value(net_at(evaluator.net_address, 0), evaluator, position)
        if has_only_bishops(position):
            value = opposite_bishops_value(position, value)
    elif evaluator.kind == CLASSICAL:
        value = _classical_value(evaluator.classical_function, evaluator, position)
    else:
        value = material.material_value(evaluator.stack[U64(evaluator.ply)].material, position)
    return max(min(value, MAX_VALUE), -MAX_VALUE)
