"""Space: safe squares in the centre of one's own camp, above all behind pawns, where pieces can regroup."""

from engine.board.aliases import Color, PackedScore
from engine.board.types import I64, PAWN, U64
from engine.evaluation.classical.features import SPACE
from engine.evaluation.classical.view import ANY, View, ahead
from engine.evaluation.classical.weights import Trace, term
from engine.jit import inlined, popcount

#: Ranks two to four of each colour on files c to f.
_WHITE_FIELD, _BLACK_FIELD = U64(0x0000_0000_3C3C_3C00), U64(0x003C_3C3C_0000_0000)


@inlined
def space_terms(trace: Trace, view: View, us: Color) -> PackedScore:
    """Squares of the field, not occupied by own pawns nor attacked by enemy ones; behind own pawns they count twice."""
    field = _WHITE_FIELD if us == 0 else _BLACK_FIELD
    safe = field & ~view.pawns[us] & ~view.attacks[us ^ 1, PAWN]
    behind = ahead(view.pawns[us], us ^ 1) & safe & ~view.attacks[us ^ 1, ANY]
    return term(trace, us, SPACE, I64(popcount(safe) + popcount(behind)))
