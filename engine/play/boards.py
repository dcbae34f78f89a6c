"""python-chess boards as position records, by their bitboards, and position records as boards."""

import chess

from engine.board.aliases import Position
from engine.board.fen import set_up, to_fen
from engine.board.setup import copy_position, new_position, play_move
from engine.fen import check_material, check_number, en_passant_target


def board_of(position: Position) -> chess.Board:
    """``position`` as a board, without the moves that led to it."""
    return chess.Board(to_fen(position), chess960=bool(position["chess960"]))


def position_after(position: Position, move: int) -> Position:
    """The position after ``move``."""
    result = new_position()
    copy_position(result, position)
    play_move(result, move)
    return result


def occurred_twice(position: Position) -> bool:
    """Whether the position has occurred at least three times."""
    earlier = position["history"]["key"][: int(position["ply"])]
    return int((earlier == position["key"]).sum()) >= 2


def put_board(position: Position, board: chess.Board, chess960: bool) -> None:
    """Set ``position`` to ``board``, without the moves that led to it. Raises
    :class:`~engine.messages.PositionError` if the engine refuses it."""
    pieces = pieces_of(board)
    side = int(not board.turn)
    check_material(pieces)
    set_up(
        position,
        pieces,
        side,
        _castling_rooks(board),
        en_passant_target(board.ep_square, pieces, side) if board.ep_square is not None else None,
        (
            check_number(board.halfmove_clock, "halfmove clock", 0),
            check_number(board.fullmove_number, "move number", 1),
        ),
        chess960,
    )


def pieces_of(board: chess.Board) -> str:
    """The letter of the piece on each square, from a1 to h8, a period for none."""
    pieces = ["."] * 64
    masks = (board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings)
    for letters, own in (("PNBRQK", board.occupied_co[chess.WHITE]), ("pnbrqk", board.occupied_co[chess.BLACK])):
        for letter, mask in zip(letters, masks, strict=True):
            rest = mask & own
            while rest:
                lowest = rest & -rest
                pieces[lowest.bit_length() - 1] = letter
                rest ^= lowest
    return "".join(pieces)


def _castling_rooks(board: chess.Board) -> list[int | None]:
    """The rook of each castling right, None without the right."""
    rooks: list[int | None] = [None] * 4
    for square in chess.scan_forward(board.clean_castling_rights()):
        color = int(square > 7)
        king = board.king(not color)
        rooks[2 * color + (king is not None and square < king)] = square
    return rooks
