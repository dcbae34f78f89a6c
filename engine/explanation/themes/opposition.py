"""Opposition: in a pawn ending kings face each other one square apart, and the side to move must give way."""

import chess


def is_pawn_ending(board: chess.Board) -> bool:
    """Whether only kings and at least one pawn are left."""
    return board.occupied == board.kings | board.pawns and bool(board.pawns)


def has_opposition(board: chess.Board) -> bool:
    """Whether the side that has just moved has the direct opposition.

    >>> has_opposition(chess.Board("8/8/4k3/8/4K3/4P3/8/8 b - - 0 1"))
    True
    """
    one, other = board.king(chess.WHITE), board.king(chess.BLACK)
    assert one is not None
    assert other is not None
    files = abs(chess.square_file(one) - chess.square_file(other))
    ranks = abs(chess.square_rank(one) - chess.square_rank(other))
    return sorted((files, ranks)) == [0, 2]


def loses_it(board: chess.Board, move: chess.Move, better: chess.Move, reply: chess.Move | None) -> bool:
    """Whether ``better`` would have taken the opposition with the king and ``move`` lets it go, or lets the other
    side take it with ``reply``."""
    if reply is None or not is_pawn_ending(board):
        return False
    after_better, after = board.copy(stack=False), board.copy(stack=False)
    after_better.push(better)
    after.push(move)
    kings = board.piece_type_at(better.from_square) == after.piece_type_at(reply.from_square) == chess.KING
    if not kings or not is_pawn_ending(after) or has_opposition(after) or not has_opposition(after_better):
        return False
    after.push(reply)
    return is_pawn_ending(after) and has_opposition(after)
