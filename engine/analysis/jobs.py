"""Games annotated one after the other in this process, or several at a time in processes of their own."""

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, cast

from chess.engine import Limit

from engine import Engine
from engine.analysis.annotate import Annotator
from engine.analysis.files import games_in
from engine.analysis.record import GameAnalysis
from engine.explanation import explain
from engine.options import Options
from engine.processes import Completed, Report, run


class Item(NamedTuple):
    """A game to annotate: its place among the games of a run, its name in messages, and the game as PGN."""

    place: int
    name: str
    pgn: str


@dataclass(frozen=True, slots=True)
class Setup:
    """How games are annotated; see :class:`Annotator`. ``options`` are the engine's."""

    options: dict[str, Any]
    limit: Limit
    whole_game: bool


#: Gets the part of an item's work that is done, as a number, or a message; a message may belong to no item.
OnReport = Callable[[Item | None, float | str], None]

#: Yields each item, as it is done, with its :class:`~engine.analysis.record.GameAnalysis`, or with an error.
AnnotateAll = Callable[[Setup, Iterator[Item], OnReport], Generator[Completed, None, None]]


@contextmanager
def annotating(setup: Setup, report: Report) -> Iterator[Callable[[Item], GameAnalysis]]:
    """Annotates items in this process; a job for :func:`engine.processes.run`."""
    with Engine(report=report, **cast(Options, setup.options)) as engine:
        why = partial(explain, tables=engine.table_outcome)
        annotator = Annotator(engine, setup.limit, setup.whole_game, why)

        def annotate(item: Item) -> GameAnalysis:
            (game,) = games_in(item.pgn)
            return annotator.annotate(game, report)

        yield annotate


def annotate_all(
    setup: Setup, items: Iterator[Item], on_report: OnReport, jobs: int = 1
) -> Generator[Completed, None, None]:
    """Annotate ``items`` on this machine, ``jobs`` at a time; see :data:`AnnotateAll`."""
    return run(
        partial(annotating, setup),
        items,
        jobs,
        ordered=False,
        name=lambda item: item.name,
        on_report=on_report,
        on_notice=lambda line: on_report(None, line),
    )
