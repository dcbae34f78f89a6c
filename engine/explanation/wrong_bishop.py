"""The draw with the wrong bishop: rook's pawns and bishops that do not control the queening corner, against a bare king
that reaches it."""

from __future__ import annotations

import chess

#: By the defending king's distance from the corner, one less with the move: the least distance of the attacking king
#: from the squares around the corner, and the ranks, from White's view, of a pawn that is far enough back. Confirmed by
#: tablebases for every position with one bishop and one pawn.
_RACES = {1: (2, (1, 2, 3, 4, 6)), 2: (3, (1, 2, 3)), 3: (4, (1, 2))}

#: The most pieces on the board before an exchange: two kings, the pieces exchanged, bishops and pawns.
_FEW = 10


def corner(board: chess.Board) -> chess.Square | None:
    """The queening corner of a side that has, besides its king, only pawns on one rook's file and bishops that do not
    control that corner, against a bare king; None for other material.

    >>> chess.square_name(corner(chess.Board("8/3k4/5B2/8/6K1/P7/8/8 b - - 0 72")))
    'a8'
    >>> corner(chess.Board("8/3k4/4B3/8/6K1/P7/8/8 b - - 0 72"))
    """
    owner = strong(board)
    pawns, bishops = board.pawns, board.bishops
    if board.occupied_co[not owner] & ~board.kings or not pawns or not bishops:
        return None
    if board.occupied_co[owner] & ~(board.kings | pawns | bishops):
        return None
    for file in (0, 7):
        square = chess.square(file, 7 if owner else 0)
        same = chess.BB_LIGHT_SQUARES if chess.BB_SQUARES[square] & chess.BB_LIGHT_SQUARES else chess.BB_DARK_SQUARES
        if not pawns & ~chess.BB_FILES[file] and not bishops & same:
            return square
    return None


def is_drawn(board: chess.Board) -> bool:
    """Whether ``board`` is surely such a draw.

    A king in the corner, or next to it with the move, cannot be driven out by any number of such pawns and bishops: to
    guard the corner the attacking king would have to stand next to it. How far away the defender may be is known for
    one pawn and one bishop.

    >>> is_drawn(chess.Board("8/3k4/5B2/8/6K1/P7/8/8 b - - 0 72"))
    True
    >>> is_drawn(chess.Board("8/8/2K2B2/P7/8/8/5k2/8 b - - 0 72"))
    False
    """
    square = corner(board)
    if square is None:
        return False
    owner = strong(board)
    king, other = board.king(not owner), board.king(owner)
    if king is None or other is None:
        return False
    lead = chess.square_distance(king, square) - (board.turn != owner)
    if lead <= 0:
        return True
    if lead not in _RACES or chess.popcount(board.pawns | board.bishops) > 2:
        return False
    least, ranks = _RACES[lead]
    beside = chess.SquareSet(chess.BB_KING_ATTACKS[square])
    away = min(chess.square_distance(other, gate) for gate in beside) - (board.turn == owner)
    pawn = chess.square_rank(chess.lsb(board.pawns))
    return away >= least and (pawn if owner else 7 - pawn) in ranks


def drawing_exchange(board: chess.Board) -> tuple[chess.Move, chess.Move] | None:
    """A capture after which every recapture reaches such a draw, with one recapture; None if there is none.

    The other side need not recapture, but then it has lost the piece.

    >>> board = chess.Board("8/3k4/5B2/6K1/6R1/P7/6r1/8 b - - 0 71")
    >>> board.variation_san(drawing_exchange(board))
    '71...Rxg4+ 72. Kxg4'
    """
    if chess.popcount(board.occupied) > _FEW:
        return None
    for move in board.generate_legal_captures():
        taken, taker = board.piece_type_at(move.to_square), board.piece_type_at(move.from_square)
        then = after(board, move)
        replies = list(then.generate_legal_moves(to_mask=chess.BB_SQUARES[move.to_square]))
        if taken == taker and replies and all(is_drawn(after(then, reply)) for reply in replies):
            return move, replies[0]
    return None


def strong(board: chess.Board) -> chess.Color:
    """The side with the pawns."""
    return bool(board.pawns & board.occupied_co[chess.WHITE])


def after(board: chess.Board, move: chess.Move) -> chess.Board:
    """The board after ``move``."""
    board = board.copy(stack=False)
    board.push(move)
    return board
