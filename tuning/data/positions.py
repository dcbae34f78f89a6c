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
from collections.abc import Callable
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import chess
import numpy as np
from rich.progress import Progress

from engine.board.aliases import Position
from engine.board.fen import set_fen
from engine.board.setup import new_position
from engine.board.types import EMPTY, PAWN, ZERO
from engine.files import open_draft
from engine.messages import quoted
from tuning.common.compiled import compiled
from tuning.common.errors import SetupError
from tuning.data import viriformat
from tuning.data.marlinformat import IN_CHECK, NOISY_MOVE, PACKED, PackedBoard, pack
from tuning.data.viriformat import Positions

BLOCK = 1 << 16  # positions in an array before the next one is begun
VERSION = 2  # the version of what is kept in a cache; raise it whenever the same text would be read differently

_HALF_POINTS = {"1": 2, "1.0": 2, "0.5": 1, "0": 0, "0.0": 0}
_FOR_MOVER = {"1": 2, "0": 1, "-1": 0}


def _read_line(line: str, position: Any, packed: Any) -> None:
    """Write a line of any form to ``packed``; ``position`` is scratch space. Raises ``ValueError`` or ``KeyError``."""
    fields = line.split("\t")
    is_noisy = False
    if len(fields) == 1:
        fen, score, points = line.split(" | ")
        set_fen(position, fen, chess960=True)
        if fen.count(" ") != 5:
            raise ValueError(fen)
        ply, value, result = _ply(int(position["fullmove"]), int(position["side"])), int(score), _HALF_POINTS[points]
    elif len(fields) == 5 and fields[1][:1].isalpha():
        fen, uci, score, number, points = fields
        set_fen(position, fen, chess960=True)
        is_noisy = _is_noisy(position, chess.Move.from_uci(uci.lower()))
        ply, value, result = int(number), int(score), _FOR_MOVER[points]
        if position["side"]:  # this form has the mover's view
            value, result = -value, 2 - result
    elif 5 <= len(fields) <= 7:
        set_fen(position, fields[0], chess960=True)
        is_noisy = "x" in fields[-1]
        ply, value, result = int(fields[-2]), int(fields[1]), _HALF_POINTS[fields[2]]
    else:
        raise ValueError(line)
    if ply < 0 or abs(value) > 32767:
        raise ValueError(line)
    position["fullmove"] = (ply - int(position["side"])) // 2 + 1
    _write(position, packed, value, result, is_noisy)


def _ply(fullmove: Any, side: Any) -> Any:
    return 2 * (fullmove - 1) + side


def _is_noisy(position: Any, move: chess.Move) -> bool:
    """Whether ``move`` captures or promotes; castling may be the king taking its rook. Raises ``ValueError``."""
    piece, taken = (int(position["board"][square]) for square in (move.from_square, move.to_square))
    if piece == EMPTY:
        raise ValueError(f"no piece moves by {move}")
    takes = taken != EMPTY and taken >> 3 != position["side"]
    diagonal = piece & 7 == PAWN and chess.square_file(move.from_square) != chess.square_file(move.to_square)
    return takes or diagonal or move.promotion is not None


@compiled
def _write(position: Position, packed: PackedBoard, score: int, result: int, is_noisy: bool) -> None:
    pack(position, packed)
    packed.score = score
    packed.result = result
    packed.extra = (IN_CHECK if position.checkers != ZERO else 0) | (NOISY_MOVE if is_noisy else 0)


def plies(boards: np.ndarray) -> np.ndarray:
    """Plies since the start of the game, int32."""
    return np.asarray(_ply(boards["fullmove"].astype(np.int32), boards["side_en_passant"] >> 7))


def _number_games(boards: np.ndarray) -> np.ndarray:
    """The number of each position's game, int32. Marks a position as noisy if the next differs in pieces: captures."""
    step, pieces = np.diff(plies(boards)), boards["pieces"]
    pawns_and_padding = ((pieces & 0x07) == 0).sum(axis=1) + ((pieces & 0x70) == 0).sum(axis=1)
    counts = np.stack((np.bitwise_count(boards["occupancy"]), pawns_and_padding))
    is_noisy = (step == 1) & (counts[:, 1:] != counts[:, :-1]).any(axis=0)
    boards["extra"][:-1] |= np.where(is_noisy, NOISY_MOVE, 0).astype(np.uint8)
    return np.concatenate(([0], np.cumsum(step <= 0))).astype(np.int32)[: len(boards)]


_UNPACK: dict[str, Callable[[Any], Any]] = {".gz": gzip.open, ".xz": lzma.open}


def read_text(file: Path, progress: Progress) -> Positions:
    """All positions of a file of text, their scores in the file's own units. Raises :class:`SetupError` for a file that
    is missing or damaged, and names the line that it cannot read."""
    parts = [np.empty(0, PACKED)]
    position, count = new_position(), 0
    try:
        with (
            progress.open(file, "rb", description=f"reading {file.name}") as raw,
            _UNPACK.get(file.suffix, nullcontext)(raw) as stream,
        ):
            for count, encoded in enumerate(stream, start=1):
                line = encoded.decode("utf-8", "replace").rstrip("\r\n")
                if (place := (count - 1) % BLOCK) == 0:
                    parts.append(np.empty(BLOCK, PACKED))
                try:
                    _read_line(line, position, parts[-1][place])
                except (ValueError, KeyError):
                    fault = f"{quoted(line)} is in none of the readable formats, or not legal"
                    raise SetupError(f"{file}:{count}: {fault}") from None
    except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
        raise SetupError(f"positions {file}: {getattr(error, 'strerror', None) or error}") from None
    boards = np.concatenate(parts)[:count]
    return Positions(boards, _number_games(boards))


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
    positions = read_text(file, progress)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with open_draft(kept) as stream:
            np.savez(stream, boards=positions.boards, games=positions.games)
    except OSError as error:
        raise SetupError(f"cannot keep positions in {folder}: {error.strerror}") from None
    return positions
