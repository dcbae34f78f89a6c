"""Static exchange evaluation in plain Python over python-chess: what ``see_ge`` must agree with.

It plays the exchange out as the definition has it, with the exact value as result; no bounds, no bit tricks.
"""

import chess

VALUES = {chess.PAWN: 100, chess.KNIGHT: 300, chess.BISHOP: 300, chess.ROOK: 500, chess.QUEEN: 900, chess.KING: 0}


def _best_reply(board: chess.Board, target: chess.Square, color: chess.Color) -> int:
    """What ``color`` gains by taking on ``target`` or leaving it, with both sides at their best.

    It takes with its least valuable piece, of several with the one on the lowest square. Pins do not count,
    but a king does not take what is protected; nobody promotes.
    """
    attackers = board.attackers(color, target)
    if not attackers:
        return 0
    kind, origin = min((board.piece_map()[square].piece_type, square) for square in attackers)
    if kind == chess.KING and board.attackers(not color, target):
        return 0
    gain = VALUES[board.piece_map()[target].piece_type]
    board.set_piece_at(target, board.remove_piece_at(origin))
    return max(0, gain - _best_reply(board, target, not color))


def exchange(board: chess.Board, move: chess.Move) -> int:
    """The value in centipawns of the exchange that the legal ``move`` starts, for the side that makes it."""
    if board.is_castling(move):
        return 0
    after = board.copy(stack=False)
    target = move.to_square
    captured = after.remove_piece_at(target)
    gain = VALUES[captured.piece_type] if captured else 0
    if board.is_en_passant(move):
        after.remove_piece_at(target ^ 8)
        gain = VALUES[chess.PAWN]
    piece = after.remove_piece_at(move.from_square)
    if move.promotion:
        piece = chess.Piece(move.promotion, board.turn)
        gain += VALUES[move.promotion] - VALUES[chess.PAWN]
    after.set_piece_at(target, piece)
    return gain - _best_reply(after, target, not board.turn)
