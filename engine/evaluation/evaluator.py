"""One interface to all evaluations: a record that follows the moves of a line and evaluates where it stands.

Going down a line, :func:`push_move` comes before the move is made and :func:`pop` with its taking back;
:func:`evaluate` is right for the position in between. Which evaluation answers is the record's ``kind``.
"""

from __future__ import annotations

from engine.board.types import U64, WHITE
from engine.evaluation import material
from engine.evaluation.classical.pawns import PAWN_TABLE
from engine.evaluation.classical.value import classical_value
from engine.evaluation.lone_king import lone_king_value
from engine.evaluation.nnue.network import SUMS, net_at, network_value, note_move, note_nothing, sum_up
from engine.jit import helper, structure

#: The kinds, as ``EvalType`` names them.
KINDS = ("Material", "Classical", "NNUE")
MATERIAL, CLASSICAL, NNUE = range(3)

#: The longest line, in plies, that an evaluator can follow.
LONGEST_LINE = 256

#: No evaluation goes beyond this many centipawns.
HIGHEST = 20_000

#: What one ply's evaluation starts from. Whole cache lines, the network's sums first.
ACCUMULATOR = structure(("sums", SUMS), ("linear", material.ACCUMULATOR), ("unused", "i4", (13,)))

EVALUATOR = structure(
    ("stack", ACCUMULATOR, (LONGEST_LINE,)),  # [ply]
    ("ply", "i8"),
    ("kind", "i8"),
    ("net_address", "u8"),  # of a NET record, where the kind is NNUE
    ("pawns", PAWN_TABLE),  # where the kind is Classical
)


@helper
def reset(evaluator, position):
    """Begin a line at ``position``."""
    evaluator.ply = 0
    if evaluator.kind == NNUE:
        sum_up(net_at(evaluator.net_address, 0), evaluator.stack[0].sums, position)
    material.refresh_accumulator(evaluator.stack[0].linear, position)


@helper
def push_move(evaluator, position, move):
    """Follow ``move``, which is yet to be made on ``position``."""
    ply = evaluator.ply
    child = evaluator.stack[U64(ply + 1)]
    if evaluator.kind == NNUE:
        note_move(child.sums, position, move)
    else:
        material.update_accumulator(child.linear, evaluator.stack[U64(ply)].linear, position, move)
    evaluator.ply = ply + 1


@helper
def push_null(evaluator):
    """Follow a null move."""
    ply = evaluator.ply
    child = evaluator.stack[U64(ply + 1)]
    if evaluator.kind == NNUE:
        note_nothing(child.sums)
    else:
        material.copy_accumulator(child.linear, evaluator.stack[U64(ply)].linear)
    evaluator.ply = ply + 1


@helper
def pop(evaluator):
    """Go back by one move."""
    evaluator.ply -= 1


@helper
def evaluate(evaluator, position):
    """Centipawns for the side to move."""
    if evaluator.kind == NNUE:
        value = network_value(net_at(evaluator.net_address, 0), evaluator.stack, evaluator.ply, position)
        alone = lone_king_value(position)
        value += alone if position.side == WHITE else -alone
    elif evaluator.kind == CLASSICAL:
        value = classical_value(evaluator.pawns, evaluator.stack[U64(evaluator.ply)].linear, position)
    else:
        value = material.evaluate(evaluator.stack[U64(evaluator.ply)].linear, position)
    return max(min(value, HIGHEST), -HIGHEST)
