"""Reads positions whose outcome is known from text, millions of lines in seconds.

A file has a position a line and may be packed by gzip or xz. A line is one of these, the first two tab-separated:

- FEN, evaluation in centipawns from White's view, result for White (1, 0.5 or 0), anything, ply, flags (``x`` the move
  played captures or promotes; others are passed over), or
- what Stockfish's network trainer reads, as text: FEN, the move played, evaluation in its internal units and, after the
  ply, result (1, 0, -1), both for the side to move, or
- ``FEN | evaluation | result``, centipawns and 1.0, 0.5 or 0.0 for White, the FEN with its move number: what
  ``tuning.viriformat --text`` writes and other trainers read.

Successive lines are one game while the ply grows. The engine's own games, in viriformat, are read as well.
"""

from __future__ import annotations

import gzip
import lzma
import zlib
from collections.abc import Callable, Iterator
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias
from zipfile import BadZipFile

import numpy as np
from rich.progress import Progress

from engine.board.aliases import Position, Square
from engine.board.attacks import is_attacked
from engine.board.position import bit, king_square, occupied_by_all, piece_on, type_on
from engine.board.setup import new_position
from engine.board.types import EMPTY, I64, KING, NO_SQUARE, NO_TYPE, PAWN, PIECE_LETTERS, ROOK
from engine.files import drafted
from engine.jit import popcount
from engine.reading.text import quoted
from tuning.common.compiled import compiled
from tuning.common.errors import SetupError
from tuning.common.files import refuse_binary
from tuning.data import viriformat
from tuning.data.marlinformat import IN_CHECK, NOISY_MOVE, PACKED, Packed, PackedArray, pack
from tuning.data.viriformat import Positions

#: Bytes of text parsed at once.
BLOCK = 1 << 22

#: The version of what is kept in a cache; raise it whenever the same text would be read differently.
VERSION = 2

_PIECE_OF_LETTER = np.full(256, EMPTY, np.uint8)
for _piece, _letter in enumerate(PIECE_LETTERS):
    if _letter != ".":
        _PIECE_OF_LETTER[ord(_letter)] = _piece

_TAB, _NEWLINE, _CARRIAGE_RETURN, _SPACE, _SLASH, _MINUS, _POINT, _0, _1, _A, _BAR = (
    ord(sign) for sign in "\t\n\r /-.01a|"
)
_LOWER = 32

#: Bytes of text as uint8.
Text: TypeAlias = np.ndarray

#: A number that no field holds: what could not be read.
_NO_NUMBER = -(1 << 40)


# A line --------------------------------------------------------------------------------------------------------------


@compiled
def _read_number(text: Text, start: int, end: int) -> int:
    """The decimal integer in ``text[start:end]``, or _NO_NUMBER."""
    negative = start < end and text[start] == _MINUS
    start += negative
    if start >= end or end - start > 6:
        return _NO_NUMBER
    value = I64(0)
    for at in range(start, end):
        digit = I64(text[at]) - _0
        if digit < 0 or digit > 9:
            return _NO_NUMBER
        value = 10 * value + digit
    return -value if negative else value


@compiled
def _read_half_points(text: Text, start: int, end: int) -> int:
    """White's half points from "1", "0" or "0.5" (also "1.0"), or _NO_NUMBER."""
    if end - start == 1 or (end - start == 3 and text[start + 1] == _POINT and text[start + 2] == _0):
        digit = I64(text[start]) - _0
        return 2 * digit if digit == 0 or digit == 1 else _NO_NUMBER
    if end - start == 3 and text[start] == _0 and text[start + 1] == _POINT and text[start + 2] == _0 + 5:
        return 1
    return _NO_NUMBER


@compiled
def _word_end(text: Text, start: int, end: int) -> int:
    """Where the word at ``start`` ends."""
    while start < end and text[start] != _SPACE:
        start += 1
    return start


@compiled
def _read_board(text: Text, start: int, end: int, position: Position) -> bool:
    """Set the pieces of ``position`` from the first word of a FEN; False if that does not give 64 squares."""
    position.pieces[:] = 0
    position.colors[:] = 0
    position.board[:] = EMPTY
    at = start
    for rank in range(7, -1, -1):
        file = I64(0)
        while file < 8:
            if at >= end:
                return False
            letter = text[at]
            at += 1
            piece = I64(_PIECE_OF_LETTER[letter])
            if piece != EMPTY:
                square = 8 * rank + file
                position.board[square] = piece
                position.pieces[piece & 7] |= bit(square)
                position.colors[piece >> 3] |= bit(square)
                file += 1
            elif _1 <= letter <= _0 + 8 - file:
                file += I64(letter) - _0
            else:
                return False
        if rank > 0:
            if at >= end or text[at] != _SLASH:
                return False
            at += 1
    kings = position.pieces[KING]
    one_each = popcount(kings & position.colors[0]) == 1 and popcount(kings & position.colors[1]) == 1
    return at == end and one_each and popcount(occupied_by_all(position)) <= 32


@compiled
def _read_castling(text: Text, start: int, end: int, position: Position) -> bool:
    """Set the rights to castle from the third word of a FEN, in any of the usual spellings; False if it has others.

    A right without its rook is passed over.
    """
    position.castling = 0
    position.castling_rook[:] = NO_SQUARE
    if end - start == 1 and text[start] == _MINUS:
        return True
    for at in range(start, end):
        letter = I64(text[at]) | _LOWER
        color = 1 if text[at] & _LOWER else 0
        rook, king = color << 3 | ROOK, I64(king_square(position, color))
        first = 56 * color
        if king >> 3 != first >> 3:
            continue
        low, high = I64(first), I64(first + 8)  # where to look for the rook; the outermost counts
        if letter == ord("k"):
            low = king + 1
        elif letter == ord("q"):
            high = king
        elif _A <= letter < _A + 8:
            low = first + letter - _A
            high = low + 1
        else:
            return False
        found = NO_SQUARE
        for square in range(low, high):
            if piece_on(position, square) == rook and (found == NO_SQUARE or square > king):
                found = square
        if found != NO_SQUARE:
            right = 2 * color + (1 if found < king else 0)
            position.castling |= 1 << right
            position.castling_rook[right] = found
    return True


@compiled
def _read_square(text: Text, start: int, end: int) -> Square:
    """The square that a word names, NO_SQUARE for ``-``, or _NO_NUMBER."""
    if end - start == 1 and text[start] == _MINUS:
        return NO_SQUARE
    if end - start != 2:
        return _NO_NUMBER
    file, rank = I64(text[start]) - _A, I64(text[start + 1]) - _1
    return 8 * rank + file if 0 <= file < 8 and 0 <= rank < 8 else _NO_NUMBER


@compiled
def _read_fen(text: Text, start: int, end: int, position: Position) -> bool:
    """Set what ``marlinformat.pack`` needs of ``position`` but for the move number; False for no FEN."""
    stop = _word_end(text, start, end)
    if not _read_board(text, start, stop, position):
        return False
    start = stop + 1
    stop = _word_end(text, start, end)
    if stop - start != 1 or (text[start] != ord("w") and text[start] != ord("b")):
        return False
    position.side = text[start] == ord("b")
    start = stop + 1
    stop = _word_end(text, start, end)
    if stop <= start or not _read_castling(text, start, stop, position):
        return False
    start = stop + 1
    stop = _word_end(text, start, end)
    square = _read_square(text, start, stop)
    start = stop + 1
    rule50 = _read_number(text, start, _word_end(text, start, end))
    if square == _NO_NUMBER or rule50 < 0:
        return False
    position.en_passant = square
    position.rule50 = rule50
    return True


@compiled
def _changes_material(text: Text, start: int, end: int, position: Position) -> int:
    """Whether the move (UCI) in ``text[start:end]`` captures or promotes: 0, 1, or _NO_NUMBER for what is no move."""
    origin, target = _read_square(text, start, start + 2), _read_square(text, start + 2, start + 4)
    length = end - start
    if (length != 4 and length != 5) or origin < 0 or target < 0 or type_on(position, origin) == NO_TYPE:
        return _NO_NUMBER
    if length == 5:
        return 1
    if type_on(position, target) != NO_TYPE:
        return I64(piece_on(position, target) >> 3 != position.side)  # castling may be the king taking its rook
    return I64(type_on(position, origin) == PAWN and origin & 7 != target & 7)


@compiled
def _read_bars(text: Text, start: int, end: int, position: Position, board: Packed) -> bool:
    """Set ``board`` from a line ``FEN | evaluation | result``; False if it is none."""
    first = start
    while first < end and text[first] != _BAR:
        first += 1
    second = first + 1
    while second < end and text[second] != _BAR:
        second += 1
    if second >= end or first - start < 2 or text[first - 1] != _SPACE or text[second - 1] != _SPACE:
        return False
    if not _read_fen(text, start, first - 1, position):
        return False
    last = first - 1  # the move number is the last word of the FEN
    while text[last - 1] != _SPACE:
        last -= 1
    fullmove = _read_number(text, last, first - 1)
    score = _read_number(text, first + 2, second - 1)
    result = _read_half_points(text, second + 2, end)
    if fullmove < 1 or abs(score) > 32767 or not 0 <= result <= 2:
        return False
    _finish(position, board, 2 * (fullmove - 1) + I64(position.side), score, result, I64(0))
    return True


@compiled
def _finish(position: Position, board: Packed, ply: int, score: int, result: int, noisy: int) -> None:
    """Set ``board`` from ``position`` and what else its line says."""
    side = I64(position.side)
    position.fullmove = (ply - side) // 2 + 1
    pack(position, board)
    board.score = score
    board.result = result
    checked = is_attacked(position, I64(king_square(position, side)), side ^ 1, occupied_by_all(position))
    board.extra = (IN_CHECK if checked else 0) | (NOISY_MOVE if noisy else 0)


@compiled
def _read_line(text: Text, start: int, end: int, tabs: np.ndarray, position: Position, board: Packed) -> bool:
    """Set ``board`` from a line; False if that is of none of the forms."""
    fields = 1
    for at in range(start, end):
        if text[at] == _TAB:
            if fields == len(tabs) - 1:
                return False
            tabs[fields] = at
            fields += 1
    if fields == 1:
        return _read_bars(text, start, end, position, board)
    if fields < 5 or not _read_fen(text, start, tabs[1], position):
        return False
    tabs[fields] = end

    if fields == 5 and text[tabs[1] + 1] >= _A:  # a move
        noisy = _changes_material(text, tabs[1] + 1, tabs[2], position)
        score = _read_number(text, tabs[2] + 1, tabs[3])
        ply = _read_number(text, tabs[3] + 1, tabs[4])
        result = _read_number(text, tabs[4] + 1, tabs[5]) + 1
        if position.side:
            score, result = -score, 2 - result
    else:
        score = _read_number(text, tabs[1] + 1, tabs[2])
        result = _read_half_points(text, tabs[2] + 1, tabs[3])
        ply = _read_number(text, tabs[fields - 2] + 1, tabs[fields - 1])
        noisy = I64(0)
        for at in range(tabs[fields - 1], end):
            noisy |= text[at] == ord("x")
    if noisy < 0 or abs(score) > 32767 or ply < 0 or not 0 <= result <= 2:
        return False

    _finish(position, board, ply, score, result, noisy)
    return True


@compiled
def _read_lines(text: Text, tabs: np.ndarray, position: Position, boards: PackedArray) -> int:
    """Set ``boards`` from whole lines; the number of lines, or ``-1 - n`` when line n (from 0) cannot be read."""
    number, start = 0, 0
    for at in range(len(text)):
        if text[at] == _NEWLINE:
            end = at - 1 if at > start and text[at - 1] == _CARRIAGE_RETURN else at
            if not _read_line(text, start, end, tabs, position, boards[number]):
                return -1 - number
            number += 1
            start = at + 1
    return number


# A file --------------------------------------------------------------------------------------------------------------


def plies(boards: np.ndarray) -> np.ndarray:
    """Plies since the start of the game, int32."""
    return 2 * (boards["fullmove"].astype(np.int32) - 1) + (boards["side_en_passant"] >> 7)


@compiled
def _count_pieces(board: Packed) -> int:
    """A number that tells how many pieces there are, and how many of them are pawns."""
    count = popcount(board.occupancy)
    pawns = 0
    for index in range(count):
        pawns += I64(board.pieces[index >> 1]) >> 4 * (index & 1) & 7 == PAWN
    return 64 * I64(count) + pawns


@compiled
def _number_games(boards: PackedArray, plies: np.ndarray, games: np.ndarray) -> None:
    """Number the games, and mark as noisy what is followed by a position with other pieces or pawns.

    Not every file says which moves capture; the next position does.
    """
    last = I64(0)
    for number in range(len(boards)):
        count = _count_pieces(boards[number])
        games[number] = 0
        if number > 0:
            games[number] = games[number - 1] + (plies[number] <= plies[number - 1])
            if plies[number] == plies[number - 1] + 1 and count != last:
                boards[number - 1].extra |= NOISY_MOVE
        last = count


_UNPACK: dict[str, Callable[[Any], Any]] = {".gz": gzip.open, ".xz": lzma.open}


def _blocks(stream: BinaryIO) -> Iterator[bytes]:
    """The stream in blocks of whole lines; the last line may lack its end."""
    rest = b""
    while block := stream.read(BLOCK):
        end = block.rfind(b"\n") + 1
        if end:
            yield rest + block[:end]
            rest = block[end:]
        else:
            rest += block
    if rest:
        yield rest + b"\n"


def read_text(file: Path, progress: Progress) -> Positions:
    """All positions of a file of text, their scores in the file's own units.

    Raises :class:`SetupError` for a file that is missing or damaged, and names the line that it cannot read.
    """
    tabs, position = np.empty(8, np.int64), new_position()
    parts = [np.empty(0, PACKED)]
    before = 0
    try:
        with (
            progress.open(file, "rb", description=f"reading {file.name}") as raw,
            _UNPACK.get(file.suffix, nullcontext)(raw) as stream,
        ):
            for block in _blocks(stream):
                part = np.zeros(block.count(b"\n"), PACKED)
                count = _read_lines(np.frombuffer(block, np.uint8), tabs, position, part)
                if count < 0:
                    line = block.split(b"\n", -count)[-1 - count].decode("utf-8", "replace")
                    raise SetupError(f"{file}:{before - count}: {quoted(line)} is in none of the readable formats")
                parts.append(part)
                before += count
    except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
        raise SetupError(f"positions {file}: {getattr(error, 'strerror', None) or error}") from None
    boards = np.concatenate(parts)
    games = np.empty(len(boards), np.int32)
    _number_games(boards, plies(boards), games)
    return Positions(boards, games)


def is_games(path: Path) -> bool:
    """Whether ``path`` holds games of ours, a file of them or the folder of a run, and no text."""
    return path.is_dir() or path.suffix == viriformat.SUFFIX


def read_positions(path: Path, cache: Path, progress: Progress) -> Positions:
    """All positions of ``path``: text, games in viriformat, or the directory of a run that made such games.

    What was read from text is kept in the folder ``cache`` for as long as the file is the same. Raises
    :class:`SetupError` for what cannot be read, holds nothing, or cannot be kept.
    """
    if is_games(path):
        positions = viriformat.read_positions(viriformat.files_of(path))
    else:
        positions = _cached_text(path, cache, progress)
    if not len(positions):
        raise SetupError(f"positions {path}: none in it")
    return positions


def _cached_text(file: Path, folder: Path, progress: Progress) -> Positions:
    try:
        state = file.stat()
    except OSError as error:
        raise SetupError(f"positions {file}: {error.strerror}") from None
    kept = folder / f"{file.name}.{state.st_size}-{state.st_mtime_ns}-{VERSION}.npz"
    with suppress(OSError, ValueError, KeyError, EOFError, BadZipFile), np.load(kept) as arrays:  # or it is made again
        return Positions(arrays["boards"], arrays["games"])
    if file.suffix not in _UNPACK:
        refuse_binary(file, "positions")
    positions = read_text(file, progress)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with drafted(kept) as draft, draft.open("wb") as stream:
            np.savez(stream, boards=positions.boards, games=positions.games)
    except OSError as error:
        raise SetupError(f"cannot keep positions in {folder}: {error.strerror}") from None
    return positions
