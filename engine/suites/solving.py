"""Solves puzzles with the engine, in this process or in several."""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, cast

from engine import Engine
from engine.messages import Info, Limits
from engine.options import Options
from engine.processes import Completed, Report, run
from engine.suites.judging import Attempt, PvUpdate, questions
from engine.suites.puzzles import Puzzle


def solve(engine: Engine, limits: Limits, puzzle: Puzzle) -> Attempt:
    """Solve a puzzle as a new game, with ``limits`` for each move."""
    asking = questions(puzzle)
    board = next(asking)
    engine.new_game()
    while True:
        updates: list[PvUpdate] = []

        def keep(info: Info, updates: list[PvUpdate] = updates) -> None:
            if info.score is not None and info.multipv == 1 and info.pv:
                bound, seconds = bool(info.score.bound), info.time / 1000
                updates.append(PvUpdate(info.pv[0], info.score.mate, bound, seconds, info.depth, info.nodes))

        best = engine.search(board, limits, keep)
        try:
            board = asking.send((best.pv[0], updates))
        except StopIteration as end:
            attempt: Attempt = end.value
            return attempt


@contextmanager
def solving(options: dict[str, Any], limits: Limits, report: Report) -> Iterator[Callable[[Puzzle], Attempt]]:
    """The function that solves a puzzle, by an engine of its process."""
    with Engine(**cast(Options, options)) as engine:
        yield partial(solve, engine, limits)


def solve_all(
    puzzles: Sequence[Puzzle], limits: Limits, options: dict[str, Any], jobs: int, report: Callable[[str], None]
) -> Generator[Completed, None, None]:
    """The puzzles in their order with their attempts, from ``jobs`` processes; warnings are reported."""
    with Engine(report=report, **cast(Options, options)):
        pass  # compiles the engine for all processes, and checks the options
    job = partial(solving, options, limits)
    jobs = min(jobs, len(puzzles))
    yield from run(job, puzzles, jobs, name=lambda puzzle: str(puzzle.name), on_notice=report)
