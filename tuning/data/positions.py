"""Reads positions whose outcome is known from text.

A file has a position a line and may be packed by gzip or xz. A line is one of these, the first two tab-separated:

- FEN, evaluation in centipawns from White's view, result for White (1, 0.5 or 0), anything, ply, flags (``x`` the move
  played captures or promotes; others are passed over), or
- what Stockfish's network trainer reads, as text: FEN, the move played, evaluation in its internal units and, after the
  ply, result (1, 0, -1), both for the side to move, or
- ``FEN | evaluation | result``, centipawns and 1.0, 0.5 or 0.0 for White, the FEN with its move number: what
  ``tuning.viriformat --text`` writes and other trainers read.

Successive lines are one game while the ply grows. The engine's own games, in viriformat, are read as well.
"""

import gzip
import lzma
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple
from zipfile import BadZipFile

import chess
import numpy as np
from rich.progress import Progress

from engine.board.aliases import Position
from engine.board.position import piece_on, type_on
from engine.board.setup import new_position
from engine.board.types import I64, NO_SQUARE, NO_TYPE, PAWN, PIECE_LETTERS, ROOK, ZERO
from engine.files import drafted
from engine.jit import popcount
from engine.messages import quoted
from tuning.common.compiled import compiled
from tuning.common.errors import SetupError
from tuning.common.files import refuse_binary
from tuning.data import viriformat
from tuning.data.marlinformat import IN_CHECK, NOISY_MOVE, PACKED, UNMOVED_ROOK, Packed, PackedArray, unpack
from tuning.data.viriformat import Positions

#: Bytes of text parsed at once.
BLOCK = 1 << 22

#: The version of what is kept in a cache; raise it whenever the same text would be read differently.
VERSION = 2

_PIECES = PIECE_LETTERS.replace(".", "")
_NO_PIECE = 255
_CODES = np.full(256, _NO_PIECE, np.uint8)
_CODES[[ord(letter) for letter in _PIECES]] = [PIECE_LETTERS.index(letter) for letter in _PIECES]
_GAPS = {ord("0") + count: "." * count for count in range(1, 9)}
_BOARD_LETTERS = frozenset(_PIECES + ".")
_SQUARES = {"-": NO_SQUARE, **{name: square for square, name in enumerate(chess.SQUARE_NAMES)}}
_HALF_POINTS = {"1": 2, "1.0": 2, "0.5": 1, "0": 0, "0.0": 0}
_FOR_MOVER = {"1": 2, "0": 1, "-1": 0}

#: In place of a move that the line does not name: not marked as a capture or promotion, or marked as one.
_UNKNOWN, _NOISY = -1, -2


class _Line(NamedTuple):
    """A line as numbers, White's view; ``board`` has a letter for each square, ``unmoved`` a bit for each rook that may
    castle, ``move`` its squares and promotion in 6, 6 and 3 bits, or :data:`_UNKNOWN` or :data:`_NOISY`."""

    board: str
    unmoved: int
    side: int
    en_passant: int
    rule50: int
    ply: int
    score: int
    result: int
    move: int


def _read_line(line: str) -> _Line:
    """Read a line of any form. Raises ``ValueError``, ``KeyError`` or ``IndexError``."""
    fields = line.split("\t")
    move = _UNKNOWN
    if len(fields) == 1:
        fen, score, points = line.split(" | ")
        words = fen.split(" ")
        ply, result = 2 * (int(words[5]) - 1) + (words[1] == "b"), _HALF_POINTS[points]
    elif len(fields) == 5 and fields[1][:1].isalpha():
        fen, uci, score, number, points = fields
        words, ply, result = fen.split(" "), int(number), _FOR_MOVER[points]
        found = chess.Move.from_uci(uci)
        move = found.from_square | found.to_square << 6 | (found.promotion or 0) << 12
    elif 5 <= len(fields) <= 7:
        fen, score, points = fields[:3]
        words, ply, result = fen.split(" "), int(fields[-2]), _HALF_POINTS[points]
        move = _NOISY if "x" in fields[-1] else _UNKNOWN
    else:
        raise ValueError(line)
    rows = words[0].translate(_GAPS).split("/")
    board, side, value = "".join(reversed(rows)), ("w", "b").index(words[1]), int(score)
    if [len(row) for row in rows] != [8] * 8 or not _BOARD_LETTERS.issuperset(board):
        raise ValueError(line)
    if side and move >= 0:  # this form has the mover's view
        value, result = -value, 2 - result
    rule50 = int(words[4])
    if ply < 0 or rule50 < 0 or abs(value) > 32767:
        raise ValueError(line)
    return _Line(board, _unmoved(words[2], board), side, _SQUARES[words[3]], rule50, ply, value, result, move)


def _unmoved(castling: str, board: str) -> int:
    """The rooks that may castle, a bit each, in any of the usual spellings; rights without a rook are ignored."""
    rooks = 0
    for letter in castling if castling != "-" else "":
        first = 0 if letter.isupper() else 56
        rank, own = board[first : first + 8], letter.isupper()
        king, rook = rank.find("K" if own else "k"), "R" if own else "r"
        match letter.lower():
            case "k":
                file = rank.rfind(rook, king)
            case "q":
                file = rank.find(rook, 0, max(king, 0))
            case name:
                file = "abcdefgh".index(name)
                file = file if rank[file] == rook else -1
        if king >= 0 and file >= 0:
            rooks |= 1 << first + file
    if not castling:
        raise ValueError("no castling rights")
    return rooks


def _packed(lines: Sequence[_Line]) -> np.ndarray:
    """The lines as PACKED positions, their extra byte 0."""
    boards = np.zeros(len(lines), PACKED)
    text, unmoved, side, en_passant, rule50, ply, score, result, _ = zip(*lines, strict=True)
    codes = _CODES[np.frombuffer("".join(text).encode(), np.uint8).reshape(-1, 64)]
    codes[(np.array(unmoved, np.uint64)[:, None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1) == 1] += (
        UNMOVED_ROOK - ROOK
    )
    present = codes != _NO_PIECE
    boards["occupancy"] = np.packbits(present, axis=1, bitorder="little").view("<u8")[:, 0]
    order = np.argsort(~present, axis=1, kind="stable")[:, :32]
    pieces = np.take_along_axis(np.where(present, codes, 0), order, axis=1)
    boards["pieces"] = pieces[:, ::2] | pieces[:, 1::2] << 4
    sides, plies = np.array(side), np.array(ply)
    boards["side_en_passant"] = sides << 7 | np.array(en_passant)
    boards["rule50"] = np.minimum(rule50, 255)
    boards["fullmove"] = np.minimum((plies - sides) // 2 + 1, 0xFFFF)
    boards["score"], boards["result"] = score, result
    return boards


@compiled
def _set_flags(boards: PackedArray, moves: np.ndarray, position: Position) -> int:
    """Set the extra bytes of ``boards``; return how many precede the first without a legal position or a piece to move.

    ``moves`` are those of :class:`_Line`."""
    for number in range(len(boards)):
        if unpack(position, boards[number]) == 0:
            return number
        move = moves[number]
        noisy = move == _NOISY
        if move >= 0:
            origin, target = move & 63, move >> 6 & 63
            if type_on(position, origin) == NO_TYPE:
                return number
            # Castling may be the king taking its rook.
            takes = type_on(position, target) != NO_TYPE and piece_on(position, target) >> 3 != position.side
            takes |= type_on(position, origin) == PAWN and origin & 7 != target & 7
            noisy = takes or move >> 12 != 0
        boards[number].extra = (IN_CHECK if position.checkers != ZERO else 0) | (NOISY_MOVE if noisy else 0)
    return len(boards)


def _read_lines(lines: Sequence[str]) -> tuple[np.ndarray, int]:
    """The positions of ``lines``, and how many lines precede the first that cannot be read."""
    read = []
    with suppress(ValueError, KeyError, IndexError):
        for line in lines:
            read.append(_read_line(line))
    if not read:
        return np.empty(0, PACKED), 0
    boards = _packed(read)
    moves = np.array([line.move for line in read], np.int64)
    return boards, int(_set_flags(boards, moves, new_position()))


def plies(boards: np.ndarray) -> np.ndarray:
    """Plies since the start of the game, int32."""
    return 2 * (boards["fullmove"].astype(np.int32) - 1) + (boards["side_en_passant"] >> 7)


@compiled
def _count_pieces(board: Packed) -> int:
    """A number that determines the numbers of pieces and of pawns."""
    count = popcount(board.occupancy)
    pawns = 0
    for index in range(count):
        pawns += I64(board.pieces[index >> 1]) >> 4 * (index & 1) & 7 == PAWN
    return 64 * I64(count) + pawns


@compiled
def _number_games(boards: PackedArray, plies: np.ndarray, games: np.ndarray) -> None:
    """Number the games, and mark positions as noisy if the next one has other pieces or pawns, because not every file
    marks captures."""
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
    """All positions of a file of text, their scores in the file's own units. Raises :class:`SetupError` for a file that
    is missing or damaged, and names the line that it cannot read."""
    parts = [np.empty(0, PACKED)]
    before = 0
    try:
        with (
            progress.open(file, "rb", description=f"reading {file.name}") as raw,
            _UNPACK.get(file.suffix, nullcontext)(raw) as stream,
        ):
            for block in _blocks(stream):
                lines = block.decode("utf-8", "replace").replace("\r\n", "\n").split("\n")[:-1]
                part, count = _read_lines(lines)
                if count < len(lines):
                    fault = f"{quoted(lines[count])} is in none of the readable formats, or not legal"
                    raise SetupError(f"{file}:{before + count + 1}: {fault}")
                parts.append(part)
                before += count
    except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
        raise SetupError(f"positions {file}: {getattr(error, 'strerror', None) or error}") from None
    boards = np.concatenate(parts)
    games = np.empty(len(boards), np.int32)
    _number_games(boards, plies(boards), games)
    return Positions(boards, games)


def is_games(path: Path) -> bool:
    """Whether ``path`` is a file in viriformat or the folder of a run, not text."""
    return path.is_dir() or path.suffix == viriformat.SUFFIX


def read_positions(path: Path, cache: Path, progress: Progress) -> Positions:
    """All positions of ``path``: text, games in viriformat, or the directory of a run that made such games.

    Positions from text are kept in the folder ``cache`` until the file changes. Raises :class:`SetupError` for a path
    that cannot be read or is empty, or a cache that cannot be written."""
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
        with drafted(kept) as stream:
            np.savez(stream, boards=positions.boards, games=positions.games)
    except OSError as error:
        raise SetupError(f"cannot keep positions in {folder}: {error.strerror}") from None
    return positions
