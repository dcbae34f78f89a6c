"""Static exchange evaluation in plain Python over python-chess: what ``see_ge`` must agree with.

It plays the exchange out as the definition has it, with the exact value as result; no bounds, no bit tricks.
"""

import chess

VALUES = {chess.PAWN: 100, chess.KNIGHT: 300, chess.BISHOP: 300, chess.ROOK: 500, chess.QUEEN: 900, chess.KING: 0}


#: The squares of a side's pinned pieces, and of the pieces that pin them.
Pins = dict[chess.Color, tuple[set[chess.Square], set[chess.Square]]]


def _pins(board: chess.Board) -> Pins:
    pins: Pins = {color: (set(), set()) for color in chess.COLORS}
    for color in chess.COLORS:
        king = board.king(color)
        assert king is not None
        for square in chess.SquareSet(board.occupied_co[color] & ~board.kings):
            bare = board.copy(stack=False)
            bare.remove_piece_at(square)
            if pinners := set(bare.attackers(not color, king)) - set(board.attackers(not color, king)):
                pins[color][0].add(square)
                pins[color][1].update(pinners)
    return pins


def _best_reply(board: chess.Board, target: chess.Square, color: chess.Color, pins: Pins) -> int:
    """The gain of ``color`` by taking on ``target`` or leaving it, with both sides at their best.

    It takes with its least valuable piece, of several with the one on the lowest square. No pinned piece takes while a
    pinner stands, a king does not take what is protected, and no pawn promotes.
    """
    pinned, pinners = pins[color]
    attackers = set(board.attackers(color, target))
    if any(board.piece_at(square) for square in pinners - {target}):
        attackers -= pinned
    if not attackers:
        return 0
    kind, origin = min((board.piece_map()[square].piece_type, square) for square in attackers)
    if kind == chess.KING and board.attackers(not color, target):
        return 0
    gain = VALUES[board.piece_map()[target].piece_type]
    board.set_piece_at(target, board.remove_piece_at(origin))
    return max(0, gain - _best_reply(board, target, not color, pins))


def exchange(board: chess.Board, move: chess.Move) -> int:
    """The value in centipawns of the exchange that the legal ``move`` starts, for the side that makes it."""
    if board.is_castling(move):
        return 0
    after, pins = board.copy(stack=False), _pins(board)
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
    return gain - _best_reply(after, target, not board.turn, pins)
