"""What is attacked and what can be won, counted in pawns on python-chess boards, and a board at rest."""

from __future__ import annotations

import chess

from engine.play.exchange import VALUES, exchange, taken, value

#: Captures in a row that are looked at before a board counts as at rest.
_DEPTH = 10


def balance(board: chess.Board, color: chess.Color) -> int:
    """The material of ``color`` less that of the other side, in pawns."""
    return sum(worth * _surplus(board, kind, color) for kind, worth in VALUES.items())


def _surplus(board: chess.Board, kind: chess.PieceType, color: chess.Color) -> int:
    return len(board.pieces(kind, color)) - len(board.pieces(kind, not color))


def recaptures(board: chess.Board, square: chess.Square) -> list[chess.Move]:
    """The legal captures of the side to move on ``square``."""
    if board.color_at(square) in (None, board.turn):
        return []
    return list(board.generate_legal_moves(to_mask=chess.BB_SQUARES[square]))


def winnable(board: chess.Board, square: chess.Square) -> int:
    """What the other side would win by capturing on ``square``, were it its move; 0 if it had better not."""
    piece = board.piece_at(square)
    if piece is None:
        return 0
    other = board
    if board.turn == piece.color:
        if board.is_check():
            other = board.copy(stack=False)
            other.turn = not board.turn
            return max((_pseudo_exchange(other, move) for move in _captures_on(other, square)), default=0)
        other = board.copy(stack=False)
        other.push(chess.Move.null())
    else:
        other = board.copy(stack=False)
    return max(0, max((exchange(other, move) for move in recaptures(other, square)), default=0))


def _captures_on(board: chess.Board, square: chess.Square) -> list[chess.Move]:
    return [move for move in board.generate_pseudo_legal_moves(to_mask=chess.BB_SQUARES[square])]


def _pseudo_exchange(board: chess.Board, move: chess.Move) -> int:
    """As :func:`exchange` in a position that is not legal, because the other side is in check too."""
    won = taken(board, move)
    attacker = value(move.promotion or board.piece_type_at(move.from_square))
    board.push(move)
    guarded = bool(board.attackers(board.turn, move.to_square))
    board.pop()
    return max(0, won - attacker) if guarded else won


def is_safe(board: chess.Board, square: chess.Square) -> bool:
    """Whether the piece on ``square`` cannot be captured at a profit."""
    return winnable(board, square) == 0


def settled(board: chess.Board) -> chess.Board:
    """The board after both sides have made the captures that pay: by a search of captures and promotions, in
    which the side to move may also leave things as they are unless it is in check."""
    _, moves = _search(board.copy(stack=False), -1000, 1000, _DEPTH)
    end = board.copy(stack=False)
    for move in moves:
        end.push(move)
    return end


def _search(board: chess.Board, alpha: int, beta: int, depth: int) -> tuple[int, list[chess.Move]]:
    """The balance for the side to move, and the moves that lead to it."""
    standing = balance(board, board.turn)
    check = board.is_check()
    if check:
        moves = list(board.legal_moves)
        if not moves:
            return -500, []
    else:
        moves = [move for move in board.legal_moves if board.is_capture(move) or move.promotion == chess.QUEEN]
    if depth == 0 or (not check and standing >= beta):
        return standing, []
    best, line = (-1000, []) if check else (standing, [])
    alpha = max(alpha, best)
    moves.sort(key=lambda move: value(board.piece_type_at(move.from_square)) - 10 * taken(board, move))
    for move in moves:
        if not check and standing + taken(board, move) <= alpha:
            continue
        board.push(move)
        found, rest = _search(board, -beta, -alpha, depth - 1)
        board.pop()
        if -found > best:
            best, line = -found, [move, *rest]
            alpha = max(alpha, best)
            if alpha >= beta:
                break
    return best, line
