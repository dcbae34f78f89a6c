"""Solving test positions: attempts, what counts as solved, and the tables."""

from __future__ import annotations

import asyncio
import statistics
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rich.table import Table
from rich.text import Text

from engine.suites.judging import Outcome, Report, questions, wanted
from engine.suites.tasks import Task
from tuning.common.errors import EngineFailure
from tuning.matches.engines import EngineSpec
from tuning.matches.info import Thought, last_scored
from tuning.matches.limits import Clock, engine_limit
from tuning.matches.player import Player
from tuning.matches.units import bench

TOOL = "tuning.suite"

STALL_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class Attempt:
    """One position for one engine: the unit of work."""

    engine: EngineSpec
    task: Task
    number: int


@dataclass(frozen=True, slots=True)
class Solution:
    """The result of an attempt. ``seconds``: time to the solution, ``None`` when unsolved; ``mate``: announced."""

    engine: str
    number: int
    task: str
    move: str
    solved: bool
    seconds: float | None
    points: int
    mate: int | None
    depth: int
    nodes: int


async def _solve(player: Player, attempt: Attempt) -> Solution:
    task = attempt.task
    game = f"{task.name} {attempt.number}"
    first = None
    asking = questions(task)
    board = next(asking)
    while True:
        clock = Clock(attempt.engine.limits)
        limit = engine_limit(clock, clock, board.turn, game)
        answer = await player.ask(board, limit, clock.allowance(STALL_SECONDS), game)
        if answer.move is None:
            raise EngineFailure(attempt.engine.name, f"{task.name}: {answer.fault}: {answer.detail}")
        thoughts = player.thoughts(answer.lines)
        first = first or last_scored(thoughts) or Thought()
        try:
            board = asking.send((board.uci(answer.move), reports_of(thoughts)))
        except StopIteration as end:
            outcome: Outcome = end.value
            break
    return Solution(
        attempt.engine.name, attempt.number, task.name, outcome.moves[0], outcome.solved,
        outcome.seconds if outcome.solved else None, outcome.points, outcome.mate, first.depth, first.nodes,
    )  # fmt: skip


def reports_of(thoughts: Sequence[Thought]) -> list[Report]:
    """The best lines among ``thoughts``, to be judged."""
    return [
        Report(thought.pv[0] if thought.pv else "", thought.mate, thought.bound, thought.seconds, thought.depth,
               thought.nodes)
        for thought in thoughts
        if thought.multipv == 1
    ]  # fmt: skip


def solve(attempt: Attempt, report: Callable[[Any], None]) -> dict[str, Any]:
    """Run one attempt in this process. Raises :class:`EngineFailure` when the engine breaks down."""

    async def run() -> Solution:
        async with bench().player(attempt.engine) as player:
            return await asyncio.shield(_solve(player, attempt))

    return asdict(bench().run(run()))


def score_table(tasks: Sequence[Task], names: Sequence[str], solutions: Sequence[Solution]) -> Table:
    """One column for each engine."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("")
    for name in names:
        table.add_column(name, justify="right")
    own = {name: [s for s in solutions if s.engine == name] for name in names}
    times = {name: [s.seconds for s in found if s.seconds is not None] for name, found in own.items()}
    table.add_row("positions", *(str(len(own[name])) for name in names))
    table.add_row("solved", *(str(sum(s.solved for s in own[name])) for name in names))
    table.add_row(
        "solved, %", *(f"{100 * sum(s.solved for s in own[name]) / max(1, len(own[name])):.1f}" for name in names)
    )
    if any(task.points for task in tasks):
        most = sum(task.top for task in tasks)
        table.add_row(f"points of {most}", *(str(sum(s.points for s in own[name])) for name in names))
    if any(task.mate is not None for task in tasks):
        signs = {number: task.mate for number, task in enumerate(tasks)}
        table.add_row(
            "any mate found",
            *(str(sum((s.mate or 0) * (signs[s.number] or 0) > 0 for s in own[name])) for name in names),
        )
    table.add_row("mean time, s", *(f"{statistics.fmean(times[n]):.3f}" if times[n] else "-" for n in names))
    table.add_row("median time, s", *(f"{statistics.median(times[n]):.3f}" if times[n] else "-" for n in names))
    table.add_row(
        "mean depth", *(f"{statistics.fmean([s.depth for s in own[n]]):.1f}" if own[n] else "-" for n in names)
    )
    return table


def position_table(tasks: Sequence[Task], names: Sequence[str], solutions: Sequence[Solution]) -> Table:
    """The positions that not everybody solved, a column for each engine."""
    found = {(s.engine, s.number): s for s in solutions}
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("Position", "Wanted", *names):
        table.add_column(heading)
    for number, task in enumerate(tasks):
        row = [found.get((name, number)) for name in names]
        if all(s is None or s.solved for s in row):
            continue
        table.add_row(task.name, wanted(task), *("" if s is None else _cell(s) for s in row))
    return table


def _cell(solution: Solution) -> Text:
    return Text(f"{solution.seconds:.2f} s") if solution.solved else Text(str(solution.move), "red")
