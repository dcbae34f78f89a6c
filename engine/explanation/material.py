"""The material balance in pawns, now and after captures. Searches of captures are steps of the :mod:`.effort`."""

from collections import Counter

import chess

from engine.explanation.effort import boards_after_captures, spend
from engine.play.captures import VALUES, Captures, immediate_gain, value


def count(board: chess.Board, color: chess.Color) -> Counter[chess.PieceType]:
    """The pieces of ``color`` by type, without the king."""
    return Counter({kind: len(board.pieces(kind, color)) for kind in VALUES})


def material(counts: Counter[chess.PieceType]) -> int:
    """The value of the counted pieces in pawns."""
    return sum(value(kind) * number for kind, number in counts.items())


def balance(board: chess.Board, color: chess.Color) -> int:
    """The material of ``color`` less that of the other side, in pawns."""
    return material(count(board, color)) - material(count(board, not color))


def recaptures(board: chess.Board, square: chess.Square) -> list[chess.Move]:
    """The legal captures on ``square`` by the side to move."""
    if board.color_at(square) in (None, board.turn):
        return []
    return list(board.generate_legal_moves(to_mask=chess.BB_SQUARES[square]))


def winnable(board: chess.Board, square: chess.Square) -> int:
    """What the other side would win by capturing on ``square`` if it were to move; 0 if it had better not capture."""
    piece = board.piece_at(square)
    if piece is None:
        return 0
    spend()
    other = board
    if board.turn == piece.color:
        other = board.copy(stack=False)
        if board.is_check():
            other.turn = not board.turn
            moves = other.generate_pseudo_legal_moves(to_mask=chess.BB_SQUARES[square])
            return max((_pseudo_exchange(other, move) for move in moves), default=0)
        other.push(chess.Move.null())
    captures = recaptures(other, square)
    return max(0, *map(Captures(other).exchange, captures)) if captures else 0


def _pseudo_exchange(board: chess.Board, move: chess.Move) -> int:
    """The value of an exchange in an illegal position, where the other side is in check too."""
    won = immediate_gain(board, move)
    attacker = value(move.promotion or board.piece_type_at(move.from_square))
    board.push(move)
    guarded = bool(board.attackers(board.turn, move.to_square))
    board.pop()
    return max(0, won - attacker) if guarded else won


def after_captures(board: chess.Board) -> chess.Board:
    """The board after both sides have made all profitable captures; searched once in an explanation."""
    boards, key = boards_after_captures(), board.epd()
    if key not in boards:
        moves, nodes = Captures(board).quiescence()
        spend(1 + nodes)
        boards[key] = end = board.copy(stack=False)
        for move in moves:
            end.push(move)
    return boards[key]
