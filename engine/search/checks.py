"""Direct checks, found without making the move."""

from engine.board.aliases import Move, Position
from engine.board.attacks import bishop_attacks, knight_attacks, pawn_attacks, rook_attacks
from engine.board.moves import origin_of, target_of
from engine.board.position import king_square, occupied_by_all, type_on
from engine.board.types import BISHOP, I64, KING, KNIGHT, ONE, PAWN, QUEEN, ROOK, U64, ZERO
from engine.jit import inlined
from engine.search.state import Frame


@inlined
def find_checking_squares(position: Position, frame: Frame) -> None:
    """Set ``frame.checking``: by piece type, the squares from which it would attack the other side's king."""
    them = I64(position.side) ^ 1
    king = king_square(position, them)
    occupied = occupied_by_all(position)
    frame.checking[PAWN] = pawn_attacks(them, king)
    frame.checking[KNIGHT] = knight_attacks(king)
    frame.checking[BISHOP] = bishop_attacks(king, occupied)
    frame.checking[ROOK] = rook_attacks(king, occupied)
    frame.checking[QUEEN] = frame.checking[BISHOP] | frame.checking[ROOK]
    frame.checking[KING] = ZERO


@inlined
def checks_directly(position: Position, frame: Frame, move: Move) -> bool:
    """Whether the moving piece attacks the king after ``move``; promotions and castling rooks are ignored."""
    return (frame.checking[U64(type_on(position, origin_of(move)))] >> U64(target_of(move))) & ONE != ZERO
