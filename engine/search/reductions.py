"""Late move reductions (LMR): with good ordering later moves are rarely best, so they are searched less deep."""

from engine.board.types import I64, U64
from engine.jit import helper


@helper
def late_move_reduction(params, depth, number, is_pv, improving, is_quiet, history):
    """By how much less deep, in 1024ths of a ply, the ``number``-th move is searched, before bounds.

    What did well before (``history``) is reduced less, and so are captures and moves on the principal variation.
    """
    reduction = I64(params.reduction[U64(min(depth, 63)), U64(min(number, 63))])
    if not is_pv:
        reduction += 512
    if not improving:
        reduction += 512
    if is_quiet:
        return reduction - 1024 * history // params.ReductionHistory
    return reduction - 1024 - 512 * history // params.ReductionHistory
