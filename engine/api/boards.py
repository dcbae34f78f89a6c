"""Positions from python-chess's boards, by their bitboards: no text in between."""

from __future__ import annotations

from typing import Any

import chess

from engine.api.types import check_board
from engine.board.fen import check_material, check_number, en_passant_target, set_up
from engine.board.notation import play_moves
from engine.board.setup import new_position
from engine.board.types import BLACK, EMPTY, NO_SQUARE, WHITE
from engine.messages import PositionError


def position_of(board: chess.Board, chess960: bool = False) -> Any:
    """``board`` as a position record, with the moves played on it as far as positions can repeat.

    Raises :class:`PositionError`, also for a board of another variant, and TypeError for what is no board.
    """
    check_board(board)
    if board.uci_variant != "chess":
        raise PositionError(f"the variant {board.uci_variant} is not supported")
    moves = board.move_stack[-board.halfmove_clock :] if board.halfmove_clock > 0 else []
    root = board
    if moves:
        root = board.root() if len(moves) == len(board.move_stack) else board.copy(stack=len(moves)).root()
    position = new_position()
    pieces = _pieces(root)
    side = WHITE if root.turn else BLACK
    check_material(pieces)
    set_up(
        position,
        pieces,
        side,
        _castling_rooks(root),
        en_passant_target(root.ep_square, pieces, side) if root.ep_square is not None else NO_SQUARE,
        (
            check_number(root.halfmove_clock, "halfmove clock", 0),
            check_number(root.fullmove_number, "move number", 1),
        ),
        chess960 or board.chess960,
    )
    if moves:
        play_moves(position, [move.uci() for move in moves])
    return position


def _pieces(board: chess.Board) -> bytearray:
    """The piece on each square."""
    pieces = bytearray((EMPTY,)) * 64
    masks = (board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings)
    for color, own in ((WHITE, board.occupied_co[chess.WHITE]), (BLACK, board.occupied_co[chess.BLACK])):
        for kind, mask in enumerate(masks):
            rest = mask & own
            while rest:
                lowest = rest & -rest
                pieces[lowest.bit_length() - 1] = color << 3 | kind
                rest ^= lowest
    return pieces


def _castling_rooks(board: chess.Board) -> list[int]:
    """The rook of each right to castle, NO_SQUARE for none."""
    rooks = [NO_SQUARE] * 4
    for square in chess.scan_forward(board.clean_castling_rights()):
        color = WHITE if square < 8 else BLACK
        king = board.king(color == WHITE)
        rooks[2 * color + (king is not None and square < king)] = square
    return rooks
