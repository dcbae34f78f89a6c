"""Let engines solve test positions and compare them side by side.

    python -m tuning.suite wac.epd --engine stockfish --engine ethereal-chess --movetime 500

Understands bm, am, dm (or bm #N), points for moves (c8/c9, as STS has them) and whole puzzle lines (c0 in UCI).
The time to the solution is when the engine, by its own clock, last turned to the right move and stayed.
"""

from __future__ import annotations

import argparse
import asyncio
import shlex
import signal
import statistics
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import chess
from rich.console import Console, Group
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from tuning import match
from tuning.cluster.choice import HERE, open_cluster
from tuning.common.errors import EngineFailure, SetupError, at_least
from tuning.common.flags import only_with_resume
from tuning.common.ledger import Ledger
from tuning.matches.engines import WORDS_HELP, EngineSpec, parse_each, parse_limit_words, parse_words, with_unique_names
from tuning.matches.info import Thought, last_scored
from tuning.matches.limits import Clock, engine_limit
from tuning.matches.player import Player
from tuning.matches.tournament import single_threaded
from tuning.matches.units import bench
from tuning.suites.epd import Task, load_suite

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


def _cell(solution: Solution) -> str:
    return f"{solution.seconds:.2f} s" if solution.solved else f"[red]{solution.move}[/red]"


def parser() -> argparse.ArgumentParser:
    """The command line of ``python -m tuning.suite``."""
    result = argparse.ArgumentParser(
        prog="python -m tuning.suite", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    result.add_argument("suite", nargs="?", help="the EPD file")
    result.add_argument(
        "--engine", nargs="+", action="append", default=[], metavar="WORD", help=f"one UCI engine: {WORDS_HELP}"
    )
    result.add_argument(
        "--each", nargs="+", default=[], metavar="WORD", help="option.NAME=VALUE and limits for every engine"
    )
    result.add_argument("--limit", type=int, metavar="N", help="only the first N positions")
    result.add_argument("--first-move", action="store_true", help="ask only for the first move of puzzle lines")
    result.add_argument("--list", action="store_true", help="list the positions that not every engine solved")
    match.add_limit_flags(result)
    match.add_cluster_flags(result)
    group = result.add_argument_group("results")
    group.add_argument("--json", metavar="FILE", help="one position a line (default: results/SUITE-TIME.jsonl)")
    group.add_argument("--resume", metavar="FILE", help="go on with a results file; its settings are used")
    group.add_argument("--plot", metavar="FILE", help="positions solved over time, PNG or SVG")
    return result


def _settings(arguments: argparse.Namespace) -> dict[str, Any]:
    if arguments.suite is None:
        raise SetupError("no suite: name an EPD file")
    shared, limit_words = parse_each(arguments.each)
    limits = parse_limit_words(limit_words, match.limits_from(arguments))
    specs = with_unique_names([parse_words(words, limits) for words in arguments.engine])
    if not specs:
        raise SetupError("no engine: give --engine at least once")
    at_least(1, limit=arguments.limit)
    for spec in specs:
        if spec.limits.base is not None:
            raise SetupError(f"{spec.name}: a suite takes --movetime, --nodes or --depth, not a clock")
        if not spec.limits.bounded:
            raise SetupError(f"{spec.name} has no limit: give --movetime, --nodes or --depth")
        if spec.protocol != "uci":
            raise SetupError(f"{spec.name}: suites speak UCI only")
    load_suite(Path(arguments.suite))
    if arguments.scheduler in (None, HERE):
        for spec in specs:
            if spec.revision is None:
                spec.resolved_command()  # or it is named at once
    engines = [match.with_commit(single_threaded(replace(spec, shared_options=shared))) for spec in specs]
    return {
        "suite": str(Path(arguments.suite).resolve()),
        "engines": [spec.to_json() for spec in engines],
        "limit": arguments.limit,
        "first move": arguments.first_move,
    }


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Do what the command line says. Raises :class:`SetupError` when it cannot be done."""
    solutions: list[Solution] = []
    match.check_picture(arguments.plot)
    if arguments.resume:
        path = Path(arguments.resume)
        ledger, events = Ledger.resume(path, TOOL)
        settings = dict(ledger.settings)
        try:
            solutions = [Solution(**data) for kind, data in events if kind == "solution"]
            specs = [EngineSpec.from_json(data) for data in settings["engines"]]
            suite, most, first_move = Path(settings["suite"]), settings["limit"], settings["first move"]
        except (KeyError, TypeError, ValueError) as error:
            raise SetupError(f"{path} does not hold the results of a suite: {error!r}") from None
    else:
        settings = _settings(arguments)
        specs = [EngineSpec.from_json(data) for data in settings["engines"]]
        suite, most, first_move = Path(settings["suite"]), settings["limit"], settings["first move"]
    tasks = load_suite(suite)[:most]
    if first_move:
        tasks = [replace(task, line=(), best=task.best or task.line[:1]) for task in tasks]
    if not arguments.resume:
        path = Path(arguments.json or f"results/{suite.stem}-{datetime.now():%Y%m%d-%H%M%S}.jsonl")
        ledger = Ledger.create(path, TOOL, settings)
    names = [spec.name for spec in specs]
    done = {(solution.engine, solution.number) for solution in solutions}
    attempts = [
        Attempt(spec, task, number)
        for number, task in enumerate(tasks)
        for spec in specs
        if (spec.name, number) not in done
    ]
    code, failures = 0, 0
    cluster = open_cluster(arguments.scheduler, arguments.concurrency)
    progress = Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[solved]}"),
        TimeElapsedColumn(), TimeRemainingColumn(), console=console, disable=not console.is_terminal,
    )  # fmt: skip
    before = signal.signal(signal.SIGTERM, match.as_interrupt)
    try:
        with progress:
            bar = progress.add_task("positions", total=len(tasks) * len(specs), completed=len(done), solved="")
            for outcome in cluster.run(solve, iter(attempts), lambda item: None):
                if outcome.error is not None:
                    console.print(f"! {outcome.error}", style="red", highlight=False, markup=False, soft_wrap=True)
                    ledger.add("trouble", str(outcome.error))
                    failures += 1
                    if failures >= 3 and failures > len(solutions):
                        raise SetupError(f"gave up after {failures} failures")
                    continue
                ledger.add("solution", outcome.result)
                solutions.append(Solution(**outcome.result))
                progress.update(
                    bar, advance=1,
                    solved=", ".join(f"{n} {sum(s.solved for s in solutions if s.engine == n)}" for n in names),
                )  # fmt: skip
    except KeyboardInterrupt:
        console.print(f"interrupted; go on with: python -m tuning.suite --resume {shlex.quote(str(ledger.path))}")
        code = 130
    finally:
        cluster.close()
        ledger.close()
        signal.signal(signal.SIGTERM, before)
    parts: list[Any] = [score_table(tasks, names, solutions)]
    if arguments.list:
        parts += ["", position_table(tasks, names, solutions)]
    console.print(Group(*parts))
    if arguments.plot:
        from tuning.common.plots import save
        from tuning.suites.plots import suite_figure

        times = {n: [s.seconds for s in solutions if s.engine == n and s.seconds is not None] for n in names}
        save(suite_figure(times, len(tasks), str(specs[0].limits)), Path(arguments.plot))
    console.print(f"\nresults: {ledger.path}", highlight=False)
    return code or int(failures > 0)


def main(words: Sequence[str] | None = None) -> int:
    """Run the command line; 0: done, 1: with failures, 2: cannot be done as asked, 130: interrupted."""
    arguments = parser().parse_args(words)
    console = match.make_console()
    try:
        if arguments.resume:
            only_with_resume(parser(), words, ("--list", "--plot", "--scheduler", "--concurrency"))
        return run(arguments, console)
    except (SetupError, EngineFailure) as error:
        console.print(f"error: {error}", style="bold red", highlight=False, markup=False, soft_wrap=True)
        return 2


if __name__ == "__main__":
    sys.exit(main())
