"""Names for what kernels take and give, for annotations. numba ignores them; people and type checkers do not.

Compiled, every number is int64 but for bitboards and keys, which are uint64, and every record is passed by reference.
"""

from typing import TYPE_CHECKING, Any, TypeAlias

#: 0 for a1 to 63 for h8.
Square: TypeAlias = int

#: WHITE or BLACK.
Color: TypeAlias = int

#: PAWN .. KING, NO_TYPE for an empty square.
PieceType: TypeAlias = int

#: ``color << 3 | type``, EMPTY for an empty square.
Piece: TypeAlias = int

#: A set of squares: the bit ``1 << square`` for each.
Bitboard: TypeAlias = int

#: A Zobrist key.
Key: TypeAlias = int

#: See :mod:`engine.board.moves`; 0 for none.
Move: TypeAlias = int

#: Centipawns, mates and table wins at the ends of the scale (see :mod:`engine.search.scores`).
Score: TypeAlias = int

#: A middlegame and an endgame score in one number (see :mod:`engine.evaluation.classical.weights`).
PackedScore: TypeAlias = int

#: Plies still to search.
Depth: TypeAlias = int

#: Plies from the root.
Ply: TypeAlias = int

#: 0 or 1, where a kernel's signature or a record wants a number.
Flag: TypeAlias = int

if TYPE_CHECKING:  # the records, which lie above
    from engine.board.position import MoveList as MoveList
    from engine.board.position import Position as Position
    from engine.evaluation.classical.pawns import PawnTable as PawnTable
    from engine.evaluation.classical.view import View as View
    from engine.evaluation.classical.weights import TraceRecord
    from engine.evaluation.evaluator import Evaluator as Evaluator
    from engine.evaluation.nnue.network import NetRecord as NetRecord
    from engine.evaluation.nnue.refresh import RefreshTable as RefreshTable
    from engine.search.state import Frame as Frame
    from engine.search.state import Line as Line
    from engine.search.state import Worker as Worker
    from engine.search.tablebase import TablebaseRecord as TablebaseRecord
    from engine.search.transposition import TableRecord as TableRecord
    from engine.search.tunables import Params as Params

    Trace: TypeAlias = TraceRecord | None
else:
    Position = MoveList = Evaluator = NetRecord = RefreshTable = View = Trace = PawnTable = Any
    Worker = Frame = Line = Params = TableRecord = TablebaseRecord = Any
