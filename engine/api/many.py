"""Analyses of many positions by several processes, each with its own engine."""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from functools import partial
from typing import Any, NamedTuple

import chess

from engine.api.boards import record_of
from engine.api.types import Analysis
from engine.board.fen import to_fen
from engine.messages import Limits
from engine.processes import Report, run


class _Portable(NamedTuple):
    """A position as text: boards may be of a class that only the caller's program has."""

    number: int
    fen: str
    moves: tuple[str, ...]
    chess960: bool

    def board(self) -> chess.Board:
        board = chess.Board(self.fen, chess960=self.chess960)
        for move in self.moves:
            board.push(chess.Move.from_uci(move))
        return board


def analyses(
    options: Mapping[str, Any],
    positions: Iterable[str | chess.Board],
    limits: Limits,
    jobs: int,
    on_progress: Callable[[int], object] | None,
) -> Generator[Analysis, None, None]:
    """The work of :meth:`engine.Engine.analyse_many`; ``options`` are the keywords of that class."""
    items = (_portable(index, position) for index, position in enumerate(positions))
    job = partial(_analysing, dict(options), limits)
    with closing(run(job, items, jobs, name=lambda item: f"position {item.number}")) as found:
        for count, completed in enumerate(found, 1):
            if (error := completed.error) is not None:
                if isinstance(error, ValueError | TypeError):
                    error.args = (f"position {completed.item.number}: {error}",)
                raise error
            if on_progress is not None:
                on_progress(count)
            yield completed.result


def _portable(index: int, position: str | chess.Board) -> _Portable:
    """A FEN or a board as text. Raises :class:`PositionError` or TypeError, which name the index."""
    try:
        record = record_of(position)
    except (ValueError, TypeError) as error:
        raise type(error)(f"position {index}: {error}") from None
    if isinstance(position, str):
        return _Portable(index, to_fen(record), (), bool(record["chess960"]))
    moves = tuple(move.uci() for move in position.move_stack)
    return _Portable(index, position.root().fen(en_passant="fen"), moves, position.chess960)


@contextmanager
def _analysing(options: dict[str, Any], limits: Limits, report: Report) -> Iterator[Callable[[_Portable], Analysis]]:
    from engine.api import Engine

    with Engine(**options) as engine:

        def analyse(position: _Portable) -> Analysis:
            engine.new_game()  # so that the answer does not depend on earlier positions
            return engine.analyse(position.board(), limits)

        yield analyse
