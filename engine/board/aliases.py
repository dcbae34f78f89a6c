"""Names for what kernels take and give, for annotations. numba ignores them; people and type checkers do not.

Compiled, every number is int64 but for bitboards and keys, which are uint64, and every record is passed by reference.
"""

from typing import Any, TypeAlias

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

#: A POSITION record.
Position: TypeAlias = Any

#: A MOVE_LIST record.
MoveList: TypeAlias = Any

#: An EVALUATOR record, and the ACCUMULATOR of one ply in the network or in the material evaluation.
Evaluator: TypeAlias = Any
Accumulator: TypeAlias = Any

#: A NET record: a network's weights; and a REFRESH_TABLE record: accumulators kept by orientation.
NetRecord: TypeAlias = Any
RefreshTable: TypeAlias = Any

#: Of the classical evaluation: what it looks at, what it has found, and what it remembers of pawns.
View: TypeAlias = Any
Trace: TypeAlias = Any
PawnTable: TypeAlias = Any

#: A WORKER record of the search, its FRAME of one ply, and a LINE that it found.
Worker: TypeAlias = Any
Frame: TypeAlias = Any
Line: TypeAlias = Any

#: A TUNABLES record: the search parameters.
Params: TypeAlias = Any

#: A TABLE record: how kernels reach the transposition table.
TableRecord: TypeAlias = Any

#: A TABLEBASE record: how kernels reach the endgame tables.
TablebaseRecord: TypeAlias = Any
