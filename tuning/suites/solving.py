"""Solving test positions: attempts, what counts as solved, and the tables."""

from __future__ import annotations

import asyncio
import statistics
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import chess
from rich.table import Table
from rich.text import Text

from tuning.common.errors import EngineFailure
from tuning.matches.engines import EngineSpec
from tuning.matches.info import Thought, last_scored
from tuning.matches.limits import Clock, engine_limit
from tuning.matches.player import Player
from tuning.matches.units import bench
from tuning.suites.epd import Task

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
    """What came of an attempt. ``seconds``: time to the solution, ``None`` when unsolved; ``mate``: announced."""

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


def right(task: Task, thought_move: str, mate: int | None) -> bool:
    """Whether a move (with the mate announced for it) solves the task."""
    if task.mate is not None and not task.best:
        if mate is None or (mate > 0) != (task.mate > 0):
            return False
        return mate <= task.mate if task.mate > 0 else mate == task.mate
    if task.best:
        return thought_move in task.best
    if task.points:
        return dict(task.points).get(thought_move, 0) == task.top
    return thought_move not in task.avoid


def judge(task: Task, move: str, thoughts: Sequence[Thought]) -> tuple[bool, float | None, int]:
    """Solved or not, the time to the solution in seconds, and the points of the move."""
    final = last_scored(list(thoughts))
    points = dict(task.points).get(move, 0)
    if not right(task, move, final.mate if final else None):
        return False, None, points
    since = 0.0
    was_right = False
    for thought in thoughts:
        if thought.multipv == 1 and thought.pv and not (thought.bound and task.mate is not None):
            now = right(task, thought.pv[0], thought.mate)
            if now and not was_right:
                since = thought.seconds
            was_right = now
    return True, since, points


async def _solve(player: Player, attempt: Attempt) -> Solution:
    task = attempt.task
    board = chess.Board(task.fen)
    game = f"{task.name} {attempt.number}"
    first: tuple[str, Thought, float | None, int] | None = None
    total = 0.0
    solved = True
    asked = range(0, len(task.line), 2) if task.line else range(1)
    for step in asked:
        clock = Clock(attempt.engine.limits)
        limit = engine_limit(clock, clock, board.turn, game)
        answer = await player.ask(board, limit, clock.allowance(STALL_SECONDS), game)
        if answer.move is None:
            raise EngineFailure(attempt.engine.name, f"{task.name}: {answer.fault}: {answer.detail}")
        move = board.uci(answer.move)
        thoughts = player.thoughts(answer.lines)
        if task.line:
            expected = task.line[step]
            board.push(answer.move)
            mates = board.is_checkmate()
            board.pop()
            good, seconds, points = judge(replace(task, best=(move,) if mates else (expected,)), move, thoughts)
        else:
            good, seconds, points = judge(task, move, thoughts)
            mates = True
        if first is None:
            first = move, last_scored(thoughts) or Thought(), seconds, points
        total += seconds or 0.0
        if not good:
            solved = False
            break
        if mates and task.line:
            break
        for forced in task.line[step : step + 2]:
            board.push_uci(forced)
    assert first is not None
    move, thought, _, points = first
    return Solution(
        attempt.engine.name, attempt.number, task.name, move, solved, round(total, 4) if solved else None, points,
        thought.mate, thought.depth, thought.nodes,
    )  # fmt: skip


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


def wanted(task: Task) -> str:
    """What the task asks for, in few words."""
    if task.line:
        return " ".join(task.line)
    if task.best:
        return " ".join(task.best)
    if task.mate is not None:
        return f"mate {task.mate}"
    if task.points:
        return " ".join(move for move, points in task.points if points == task.top)
    return "not " + " ".join(task.avoid)


def _cell(solution: Solution) -> Text:
    return Text(f"{solution.seconds:.2f} s") if solution.solved else Text(str(solution.move), "red")
