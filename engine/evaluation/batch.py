"""Static values of many positions at once; compiled on first use, because no game needs it."""

from typing import Annotated, Any, TypeAlias

import numpy as np

from engine.board.aliases import Position
from engine.board.attacks import king_attacks
from engine.board.position import bit, king_square, occupied_by_all, update_checks
from engine.board.setup import complete_setup
from engine.board.types import (
    BISHOP,
    EMPTY,
    I64,
    KING,
    KNIGHT,
    NO_SQUARE,
    ONE,
    PAWN,
    PIECE_LETTERS,
    QUEEN,
    RANK_1,
    RANK_8,
    ROOK,
    ZERO,
)
from engine.evaluation.evaluator import NNUE, evaluate, reset
from engine.evaluation.nnue.network import net_at
from engine.evaluation.nnue.refresh import clear, refresh
from engine.evaluation.records import Evaluator
from engine.jit import Array, Record, inlined, lsb, popcount, structure, u8
from engine.jit.decorators import on_demand


class Board(Record):
    """The part of a position that its static value depends on: 72 bytes."""

    pieces: Annotated[Array[u8], (6,)]  # [type] both colours: pawns, knights, bishops, rooks, queens, kings
    colors: Annotated[Array[u8], (2,)]  # [color]
    side: u8  # colour to move


BOARD = structure(Board)

Boards: TypeAlias = Any  # an array of BOARD records
Text: TypeAlias = np.ndarray  # bytes of text as uint8

_NEWLINE, _SPACE, _SLASH, _MINUS, _0, _1, _A = (ord(sign) for sign in "\n /-01a")

_PIECE_OF_LETTER = np.full(256, EMPTY, np.uint8)
for _piece, _letter in enumerate(PIECE_LETTERS):
    if _letter != ".":
        _PIECE_OF_LETTER[ord(_letter)] = _piece

_IN_CASTLING = np.zeros(256, np.bool_)
_IN_CASTLING[[ord(letter) for letter in "KQABCDEFGHkqabcdefgh"]] = True


@inlined
def _word_end(text: Text, start: int, end: int) -> int:
    while start < end and text[start] != _SPACE:
        start += 1
    return start


@inlined
def _read_pieces(text: Text, start: int, end: int, position: Position) -> bool:
    """Set the bitboards from the first word of a FEN; False if it does not describe 64 squares."""
    for kind in range(6):
        position.pieces[kind] = ZERO
    position.colors[0] = ZERO
    position.colors[1] = ZERO
    rank, file = I64(7), I64(0)
    for at in range(start, end):
        letter = text[at]
        piece = I64(_PIECE_OF_LETTER[letter])
        if letter == _SLASH:
            if file != 8 or rank == 0:
                return False
            rank, file = rank - 1, I64(0)
        elif file == 8:
            return False
        elif piece != EMPTY:
            position.pieces[piece & 7] |= bit(8 * rank + file)
            position.colors[piece >> 3] |= bit(8 * rank + file)
            file += 1
        elif _1 <= letter <= _0 + 8 - file:
            file += I64(letter) - _0
        else:
            return False
    return rank == 0 and file == 8


@inlined
def _is_possible(position: Position) -> bool:
    """Whether the material and squares of pawns and kings are possible (:func:`engine.fen.check_material`)."""
    count = I64(0)
    for color in range(2):
        own = position.colors[color]
        pawns = I64(popcount(position.pieces[PAWN] & own))
        promoted = max(I64(popcount(position.pieces[QUEEN] & own)) - 1, 0)
        for kind in (KNIGHT, BISHOP, ROOK):
            promoted += max(I64(popcount(position.pieces[kind] & own)) - 2, 0)
        if popcount(position.pieces[KING] & own) != 1 or popcount(own) > 16 or pawns > 8 or promoted + pawns > 8:
            return False
        count += I64(popcount(own))
    every = ZERO
    for kind in range(6):
        every |= position.pieces[kind]
        count -= I64(popcount(position.pieces[kind]))
    if count != 0 or every != occupied_by_all(position) or position.colors[0] & position.colors[1] != ZERO:
        return False  # impossible in a FEN, but not in an array
    near = king_attacks(king_square(position, I64(0))) & bit(king_square(position, I64(1)))
    return position.pieces[PAWN] & (RANK_1 | RANK_8) == ZERO and near == ZERO


@inlined
def _is_legal(position: Position) -> bool:
    """Whether the side not to move is not in check, and the other in check by at most two pieces."""
    side = position.side
    position.side = side ^ 1
    update_checks(position)
    if position.checkers != ZERO:
        return False
    position.side = side
    update_checks(position)
    return popcount(position.checkers) <= 2


@inlined
def _is_number(text: Text, start: int, end: int) -> bool:
    for at in range(start, end):
        if text[at] < _0 or text[at] > _0 + 9:
            return False
    return 0 < end - start <= 5


@inlined
def _are_rest(text: Text, start: int, end: int, side: int) -> bool:
    """Whether castling rights, en passant square and perhaps clocks follow in their usual form."""
    stop = _word_end(text, start, end)
    if stop == start:
        return False
    for at in range(start, stop):
        if not _IN_CASTLING[text[at]] and (text[at] != _MINUS or stop - start > 1):
            return False
    start = stop + 1
    stop = _word_end(text, start, end)
    if stop - start == 2:
        if text[start] < _A or text[start] >= _A + 8 or text[start + 1] != _0 + (3 if side else 6):
            return False
    elif stop - start != 1 or text[start] != _MINUS:
        return False
    for _ in range(2):
        if stop == end:
            return True
        start = stop + 1
        stop = _word_end(text, start, end)
        if not _is_number(text, start, stop):
            return False
    return stop == end


@inlined
def _read_fen(text: Text, start: int, end: int, position: Position) -> bool:
    """Set the part of ``position`` in BOARD; False for FENs that :func:`engine.board.fen.set_fen` may refuse."""
    stop = _word_end(text, start, end)
    if not _read_pieces(text, start, stop, position) or not _is_possible(position):
        return False
    start = stop + 1
    if _word_end(text, start, end) - start != 1 or (text[start] != ord("w") and text[start] != ord("b")):
        return False
    position.side = text[start] == ord("b")
    return _are_rest(text, start + 2, end, I64(position.side)) and _is_legal(position)


@inlined
def _write(board: Board, position: Position) -> None:
    for kind in range(6):
        board.pieces[kind] = position.pieces[kind]
    board.colors[0] = position.colors[0]
    board.colors[1] = position.colors[1]
    board.side = position.side


@on_demand
def read_fens(text: Text, start: int, position: Position, boards: Boards) -> tuple[int, int]:
    """Set each of ``boards`` from a line of ``text``, from ``start`` on; ``position`` is scratch space. Returns the
    number of lines read before one that is not in the usual form or not legal, and its start."""
    for number in range(len(boards)):
        end = start
        while end < len(text) and text[end] != _NEWLINE:
            end += 1
        if not _read_fen(text, start, end, position):
            return number, start
        _write(boards[number], position)
        start = end + 1
    return len(boards), start


@inlined
def _place(position: Position, mask: Any, piece: int) -> None:
    while mask != ZERO:
        position.board[lsb(mask)] = piece
        mask &= mask - ONE


@inlined
def _complete(position: Position) -> None:
    """Derive from the bitboards everything that the hand-written evaluations read."""
    for square in range(64):
        position.board[square] = EMPTY
    for color in range(2):
        for kind in range(6):
            _place(position, position.pieces[kind] & position.colors[color], color << 3 | kind)
    position.castling = 0
    position.en_passant = NO_SQUARE
    complete_setup(position)


@on_demand
def evaluate_boards(boards: Boards, position: Position, evaluator: Evaluator, values: np.ndarray) -> int:
    """Set ``values`` to centipawns for the side to move; ``position`` is scratch space. Returns the number of values
    before the first impossible board."""
    evaluator.ply = 0
    clear(evaluator.refresh_table)
    for number in range(len(boards)):
        board = boards[number]
        for kind in range(6):
            position.pieces[kind] = board.pieces[kind]
        position.colors[0] = board.colors[0]
        position.colors[1] = board.colors[1]
        position.side = board.side & ONE
        if not _is_possible(position):
            return number
        if evaluator.kind == NNUE:  # refresh from the previous position, which is similar within a game
            net, accumulator = net_at(evaluator.net_address, 0), evaluator.stack[0].network
            refresh(net, evaluator.refresh_table, accumulator, position, I64(0))
            refresh(net, evaluator.refresh_table, accumulator, position, I64(1))
        else:
            _complete(position)
            reset(evaluator, position)
        values[number] = evaluate(evaluator, position)
    return len(boards)
