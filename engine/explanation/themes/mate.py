"""Mate patterns: back rank and smothered mate."""

import chess

from engine.explanation.claims import MatePattern
from engine.explanation.line import Line


def pattern(line: Line) -> MatePattern:
    """The pattern of the mate at the end of the line: ``backRankMate``, ``smotheredMate``, or empty for others. As in
    the lichess puzzles: in a back rank mate the king's own pieces shut it in, and the attacker guards none of their
    squares; in a smothered mate its own pieces surround it and a knight mates."""
    board = line.last
    if not board.is_checkmate() or board.turn == line.winner:
        return ""
    king = board.king(board.turn)
    checkers = list(board.checkers())
    assert king is not None
    if is_back_rank(board, king, checkers):
        return "backRankMate"
    around = chess.SquareSet(chess.BB_KING_ATTACKS[king])
    knight = len(checkers) == 1 and board.piece_type_at(checkers[0]) == chess.KNIGHT
    return "smotheredMate" if knight and around.issubset(_own(board)) else ""


def is_back_rank(board: chess.Board, king: chess.Square, checkers: list[chess.Square]) -> bool:
    """Whether a rook or queen mates on the back rank a king shut in by its own pieces."""
    home = 0 if board.turn else 7
    if chess.square_rank(king) != home or len(checkers) != 1 or chess.square_rank(checkers[0]) != home:
        return False
    front = chess.SquareSet(chess.BB_KING_ATTACKS[king] & chess.BB_RANKS[1 if board.turn else 6])
    return front.issubset(_own(board)) and not any(board.is_attacked_by(not board.turn, square) for square in front)


def _own(board: chess.Board) -> chess.SquareSet:
    return chess.SquareSet(board.occupied_co[board.turn])


def left_guard(line: Line) -> chess.PieceType | None:
    """The type of the piece moved first if it could have captured the one that mates next; None if the mate was not
    possible before."""
    if len(line) < 2 or line.turns().start != 1:
        return None
    mistake, blow = line.moves[:2]
    stayed = line.boards[0].copy(stack=False)
    stayed.push(chess.Move.null())
    if mistake.to_square in line.boards[1].attackers(not line.winner, blow.to_square) or not stayed.is_legal(blow):
        return None
    stayed.push(blow)
    captures = stayed.generate_legal_moves(chess.BB_SQUARES[mistake.from_square], chess.BB_SQUARES[blow.to_square])
    return stayed.piece_type_at(mistake.from_square) if any(captures) else None
