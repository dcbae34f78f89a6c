"""Completes positions from their pieces, and plays moves in UCI notation."""

from ctypes import memmove
from typing import Any

import numpy as np

from engine.board.aliases import Move, MoveList, Position, Square
from engine.board.make import make_move
from engine.board.movegen import ALL_MOVES, generate_moves
from engine.board.moves import castled_king_square, is_castling, is_promotion, origin_of, promoted_type, target_of
from engine.board.position import (
    GAME_HISTORY,
    MOVE_LIST,
    POSITION,
    POSITION_T,
    king_square,
    piece_on,
    put_piece,
    recompute_keys,
    set_en_passant,
    update_checks,
)
from engine.board.types import EMPTY, EP_PSEUDO, I64, KNIGHT, NO_SQUARE, ZERO
from engine.jit import inlined, int64, kernel, new_record, record_type, types, uint8

MOVE_LIST_T = record_type(MOVE_LIST)


@kernel(types.void(POSITION_T))
def complete_setup(position: Position) -> None:
    """Derive bitboards, castling masks, keys, checkers and pins from board, side, rights and clocks."""
    for kind in range(6):
        position.pieces[kind] = ZERO
    position.colors[0] = ZERO
    position.colors[1] = ZERO
    for square in range(64):
        piece = piece_on(position, square)
        if piece != EMPTY:
            put_piece(position, piece, square)
        position.castling_mask[square] = 15
    for right in range(4):
        if I64(position.castling) & (1 << right):
            rook = I64(position.castling_rook[right])
            king = king_square(position, right >> 1)
            position.castling_mask[rook] = I64(position.castling_mask[rook]) & ~(1 << right)
            position.castling_mask[king] = I64(position.castling_mask[king]) & ~(1 << right)
        else:
            position.castling_rook[right] = NO_SQUARE
    position.ply = 0
    update_checks(position)
    target = I64(position.en_passant) & ~EP_PSEUDO
    if target != NO_SQUARE:
        set_en_passant(position, I64(position.side), target)
    recompute_keys(position)


@kernel(int64(POSITION_T, MOVE_LIST_T))
def legal_moves(position: Position, moves: MoveList) -> int:
    """Fill ``moves`` with the legal moves; return their number."""
    return generate_moves(position, moves, I64(0), ALL_MOVES)


@kernel(types.void(POSITION_T, int64))
def play_move(position: Position, move: Move) -> None:
    """Play a game move, which is never unmade; an irreversible move clears the history."""
    make_move(position, move)
    _trim_history(position)


@inlined
def _trim_history(position: Position) -> None:
    """Drop positions that cannot recur; at :data:`GAME_HISTORY` plies drop the older half."""
    if position.rule50 == 0:
        position.ply = 0
    elif position.ply >= GAME_HISTORY:
        half = GAME_HISTORY // 2
        for ply in range(half, position.ply):
            # Game moves are never unmade: repetition detection alone reads the history.
            position.history[ply - half].key = position.history[ply].key
        position.ply -= half


_FILES, _RANKS, _SPACE = ord("a"), ord("1"), ord(" ")
_PROMOTION_LETTERS = np.frombuffer(b"nbrq", np.uint8).copy()


@inlined
def _matches(move: Move, origin: Square, target: Square, letter: int, castled: bool) -> bool:
    """Whether ``move`` is written as these squares and promotion ``letter`` (0 for none)."""
    if origin_of(move) != origin:
        return False
    if castled:
        return letter == 0 and is_castling(move) and castled_king_square(move) == target
    if target_of(move) != target:
        return False
    if is_promotion(move):
        return I64(_PROMOTION_LETTERS[promoted_type(move) - KNIGHT]) == letter
    return letter == 0


@kernel(int64(POSITION_T, MOVE_LIST_T, uint8[::1]))
def play_text(position: Position, moves: MoveList, text: Any) -> int:
    """Play moves in UCI notation, separated by single spaces; ``moves`` is scratch space. Castling is the king's
    two-square move or its capture of the rook. Returns -1, or the index of an illegal move's first character."""
    start = 0
    while start < len(text):
        end = start
        while end < len(text) and text[end] != _SPACE:
            end += 1
        move = I64(0)
        if end - start == 4 or end - start == 5:
            origin = I64(text[start]) - _FILES + 8 * (I64(text[start + 1]) - _RANKS)
            target = I64(text[start + 2]) - _FILES + 8 * (I64(text[start + 3]) - _RANKS)
            letter = I64(text[start + 4]) if end - start == 5 else 0
            count = generate_moves(position, moves, I64(0), ALL_MOVES)
            for castled in range(2):
                for index in range(count):
                    candidate = I64(moves.move[index])
                    if move == 0 and _matches(candidate, origin, target, letter, castled == 1):
                        move = candidate
        if move == 0:
            return start
        make_move(position, move)
        _trim_history(position)
        start = end + 1
    return -1


def new_position() -> Position:
    """An empty position record; :func:`engine.board.fen.set_fen` fills it."""
    position: Position = new_record(POSITION)
    return position


def copy_position(target: Position, source: Position) -> None:
    """Copy ``source`` without the unused part of its history."""
    size = _HISTORY_AT + int(source["ply"]) * _UNDO_SIZE
    memmove(target["pieces"].ctypes.data, source["pieces"].ctypes.data, size)


assert POSITION.names is not None
assert POSITION.fields is not None
assert (POSITION.names[0], POSITION.names[-1]) == ("pieces", "history")
_HISTORY_AT, _UNDO_SIZE = POSITION.fields["history"][1], POSITION["history"].base.itemsize
