"""Moves as 16-bit numbers: ``from | to << 6 | kind << 12``.

The kind (the chess programming wiki's "from-to based" encoding) has one bit for captures and one for promotions.
Castling is encoded as the king taking its own rook, for Chess960 and standard chess alike. In kernels a move is an
int64; 0 is no move and, when made, the null move."""

from engine.board.aliases import Move, PieceType, Square
from engine.board.types import KNIGHT
from engine.jit import inlined

QUIET, DOUBLE_PUSH, CASTLE_SHORT, CASTLE_LONG, CAPTURE, EN_PASSANT = range(6)
PROMOTION = 8  # + (piece type - KNIGHT), + CAPTURE when it takes


@inlined
def encode(origin: Square, target: Square, kind: int) -> Move:
    """The move of ``kind`` from square ``origin`` to square ``target``."""
    return origin | target << 6 | kind << 12


@inlined
def origin_of(move: Move) -> Square:
    """The square the piece leaves."""
    return move & 63


@inlined
def target_of(move: Move) -> Square:
    """The square the piece goes to; for castling the rook's square."""
    return move >> 6 & 63


@inlined
def kind_of(move: Move) -> int:
    """QUIET .. EN_PASSANT, or PROMOTION + piece (+ CAPTURE)."""
    return move >> 12 & 15


@inlined
def is_capture(move: Move) -> bool:
    """Whether the move takes a piece (en passant included)."""
    return (move & CAPTURE << 12) != 0


@inlined
def is_promotion(move: Move) -> bool:
    """Whether the move promotes a pawn."""
    return (move & PROMOTION << 12) != 0


@inlined
def is_noisy(move: Move) -> bool:
    """Whether the move changes material: a capture or a promotion."""
    return (move & (CAPTURE | PROMOTION) << 12) != 0


@inlined
def is_castling(move: Move) -> bool:
    """Whether the move castles."""
    kind = kind_of(move)
    return kind == CASTLE_SHORT or kind == CASTLE_LONG


@inlined
def promoted_type(move: Move) -> PieceType:
    """The piece type of a promotion; undefined for other moves."""
    return (move >> 12 & 3) + KNIGHT


@inlined
def castled_king_square(move: Move) -> Square:
    """The king's square after castling: on the g- or c-file of its rank."""
    return (move & 56) + (6 if kind_of(move) == CASTLE_SHORT else 2)


@inlined
def castled_rook_square(move: Move) -> Square:
    """The rook's square after castling: on the f- or d-file of its rank."""
    return (move & 56) + (5 if kind_of(move) == CASTLE_SHORT else 3)
