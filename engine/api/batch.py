"""Static evaluation of many positions: FENs and boards in, an array out."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, TypeAlias

import chess
import numpy as np

from engine.api.boards import record_of
from engine.board.setup import new_position
from engine.evaluation.batch import BOARD, evaluate_boards, read_fens
from engine.evaluation.choice import Evaluation
from engine.evaluation.evaluator import EVALUATOR
from engine.jit import new_record
from engine.messages import PositionError, quoted

#: FENs and boards, mixed freely, or an array from :func:`pack`.
Positions: TypeAlias = Iterable[str | chess.Board] | np.ndarray

_CHUNK_POSITIONS = 8192  # positions that are read or evaluated before Ctrl-C takes effect


def pack(positions: Iterable[str | chess.Board]) -> np.ndarray:
    """The positions as an array of :data:`engine.evaluation.batch.BOARD`. Raises :class:`PositionError`."""
    return np.concatenate([np.empty(0, BOARD), *_packed(positions)])


def evaluate(evaluation: Evaluation, positions: Positions) -> np.ndarray:
    """The static values of the positions by ``evaluation``: centipawns for the side to move, int32.

    Raises :class:`PositionError` for an illegal position, else TypeError; both name its index from 0."""
    evaluator, position = new_record(EVALUATOR), new_position()
    evaluation.install(evaluator)
    done, parts = 0, [np.empty(0, np.int32)]
    for boards in _sliced(positions) if isinstance(positions, np.ndarray) else _packed(positions):
        values = np.empty(len(boards), np.int32)
        count = int(evaluate_boards(boards, position, evaluator, values))
        if count < len(boards):
            raise PositionError(f"position {done + count}: its bitboards are not those of a legal position")
        parts.append(values)
        done += count
    return np.concatenate(parts)


def _sliced(boards: np.ndarray) -> Iterator[np.ndarray]:
    if boards.dtype != BOARD:
        raise TypeError(f"an array of positions must come from Engine.pack, not have dtype {boards.dtype}")
    if boards.ndim != 1:
        raise TypeError(f"an array of positions must have one dimension, not shape {boards.shape}")
    boards = np.ascontiguousarray(boards)
    for start in range(0, len(boards), _CHUNK_POSITIONS):
        yield boards[start : start + _CHUNK_POSITIONS]


def _packed(positions: Iterable[str | chess.Board]) -> Iterator[np.ndarray]:
    """The positions in chunks of BOARD records."""
    if isinstance(positions, str | bytes | chess.Board):
        raise TypeError(f"positions must be an iterable of FENs or boards, not {quoted(positions)}")
    scratch, done, rest = new_position(), 0, iter(positions)
    while chunk := list(islice(rest, _CHUNK_POSITIONS)):
        boards = np.empty(len(chunk), BOARD)
        # Python handles lines that are not FENs, such as the empty ones for boards.
        lines = [position.replace("\n", " ") if isinstance(position, str) else "" for position in chunk]
        text = np.frombuffer("\n".join(lines).encode("ascii", "replace") + b"\n", np.uint8)
        number = start = 0
        while True:
            count, start = read_fens(text, start, scratch, boards[number:])
            number += count
            if number == len(chunk):
                break
            _write(boards, number, done, chunk[number])
            start += len(lines[number]) + 1
            number += 1
        yield boards
        done += len(chunk)


def _write(boards: np.ndarray, number: int, before: int, given: Any) -> None:
    """Set board ``number`` from a FEN or a board, with the checks of :meth:`engine.Engine.set_position`."""
    try:
        position = record_of(given)
    except (PositionError, TypeError) as error:
        raise type(error)(f"position {before + number}: {error}") from None
    for name in ("pieces", "colors", "side"):
        boards[name][number] = position[name]
