"""Mate patterns: back rank and smothered mate."""

import chess

from engine.explanation.claims import MatePattern
from engine.explanation.line import Line


def pattern(line: Line) -> MatePattern:
    """The pattern of the mate at the end of the line: ``backRankMate``, ``smotheredMate``, or empty for others. As in
    the lichess puzzles: in a back rank mate the king's own pieces shut it in, and the attacker guards none of their
    squares; in a smothered mate its own pieces surround it and a knight mates."""
    board = line.final_board
    if not board.is_checkmate() or board.turn == line.winner or len(board.checkers()) > 1:
        return ""
    king, checker = board.king(board.turn), board.checkers().pop()
    assert king is not None
    around, own = board.attacks(king), board.occupied_co[board.turn]
    home, front = (0, around & chess.BB_RANK_2) if board.turn else (7, around & chess.BB_RANK_7)
    shut_in = front.issubset(own) and not any(board.is_attacked_by(line.winner, square) for square in front)
    if shut_in and chess.square_rank(king) == chess.square_rank(checker) == home:
        return "backRankMate"
    smothered = board.piece_type_at(checker) == chess.KNIGHT and around.issubset(own)
    return "smotheredMate" if smothered else ""


def left_guard(line: Line) -> chess.PieceType | None:
    """The type of the piece moved first if it guarded against the mate that follows; None if none was possible."""
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
