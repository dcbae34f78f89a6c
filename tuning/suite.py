"""Let engines solve test positions and compare them side by side.

    python -m tuning.suite wac.epd --engine stockfish --engine ethereal-chess --movetime 500

Understands bm, am, dm (or bm #N), points for moves (c8/c9, as STS has them) and whole puzzle lines (c0 in UCI).
The solution time is when the engine, by its own clock, switched to the right move for the last time.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from rich.console import Group

from engine.console import Console
from engine.reading import ReadError
from engine.suites.tasks import Task, load_suite
from tuning.cluster.run import HERE, run_units
from tuning.common import command
from tuning.common.display import Display
from tuning.common.errors import SetupError, at_least
from tuning.common.flags import add_check_flag, add_cluster_flags, add_results_flags, results_path
from tuning.common.ledger import Ledger
from tuning.matches.engines import WORDS_HELP, EngineSpec, parse_each, parse_limit_words, parse_words, with_unique_names
from tuning.matches.flags import add_each_flag, add_limit_flags, limits_from, with_commit
from tuning.matches.tournament import single_threaded
from tuning.matches.units import introduce
from tuning.suites.solving import TOOL, Attempt, Solution, position_table, score_table, solve


def parser() -> argparse.ArgumentParser:
    """The command line of ``python -m tuning.suite``."""
    result = command.make_parser("suite", __doc__)
    result.add_argument("suite", nargs="?", help="EPD file")
    result.add_argument(
        "--engine", nargs="+", action="append", default=[], metavar="WORD", help=f"a UCI engine: {WORDS_HELP}"
    )
    add_each_flag(result)
    result.add_argument("--limit", type=int, metavar="N", help="use only the first N positions")
    result.add_argument("--first-move", action="store_true", help="require only the first move of puzzle lines")
    result.add_argument("--list", action="store_true", help="list positions that not every engine solved")
    add_limit_flags(result)
    add_cluster_flags(result)
    add_check_flag(result)
    add_results_flags(result, "SUITE", "position")
    return result


def _load(path: Path, report: Callable[[str], None] = print) -> list[Task]:
    try:
        return load_suite(path, report)
    except ReadError as error:
        raise SetupError(str(error)) from None


def _settings(arguments: argparse.Namespace) -> dict[str, Any]:
    if arguments.suite is None:
        raise SetupError("no suite: name an EPD file")
    shared, limit_words = parse_each(arguments.each)
    limits = parse_limit_words(limit_words, limits_from(arguments))
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
    _load(Path(arguments.suite), lambda repair: None)
    if arguments.scheduler in (None, HERE):
        for spec in specs:
            if spec.revision is None:
                spec.resolved_command()  # or it is named at once
    engines = [with_commit(single_threaded(replace(spec, shared_options=shared))) for spec in specs]
    return {
        "suite": str(Path(arguments.suite).resolve()),
        "engines": [asdict(spec) for spec in engines],
        "limit": arguments.limit,
        "first move": arguments.first_move,
    }


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Do what the command line says. Raises :class:`SetupError` when it cannot be done."""
    solutions: list[Solution] = []
    if arguments.resume:
        path = Path(arguments.resume)
        ledger, events = Ledger.resume(path, TOOL)
        settings = dict(ledger.settings)
        try:
            solutions = [Solution(**data) for kind, data in events if kind == "solution"]
            specs = [EngineSpec.from_json(data) for data in settings["engines"]]
            suite, most, first_move = Path(settings["suite"]), settings["limit"], settings["first move"]
        except (KeyError, TypeError, ValueError) as error:
            raise SetupError(f"{path} does not contain the results of a suite: {error!r}") from None
    else:
        settings = _settings(arguments)
        specs = [EngineSpec.from_json(data) for data in settings["engines"]]
        suite, most, first_move = Path(settings["suite"]), settings["limit"], settings["first move"]
        if arguments.check:
            for spec in specs:
                introduce(spec)
            return command.checked(console, arguments.json)
    tasks = _load(suite)[:most]
    listed = {number: task.name for number, task in enumerate(tasks)}
    if any(listed.get(solution.number) != solution.task for solution in solutions):
        ledger.close()
        raise SetupError(f"{suite} is not what it was when {arguments.resume} began: start a new run")
    if first_move:
        tasks = [replace(task, line=(), best=task.best or task.line[:1]) for task in tasks]
    if not arguments.resume:
        ledger = Ledger.create(results_path(arguments, suite.stem), TOOL, settings)
    names = [spec.name for spec in specs]
    done = {(solution.engine, solution.number) for solution in solutions}
    attempts = [
        Attempt(spec, task, number)
        for number, task in enumerate(tasks)
        for spec in specs
        if (spec.name, number) not in done
    ]
    display = Display(console, "positions", len(tasks) * len(specs), len(done))

    def take(result: dict[str, Any]) -> None:
        ledger.add("solution", result)
        solutions.append(Solution(**result))
        solved = ", ".join(f"{n} {sum(s.solved for s in solutions if s.engine == n)}" for n in names)
        display.show(len(solutions), solved)

    try:
        code = run_units(
            solve, iter(attempts), on_result=take, on_failure=lambda error: ledger.add("trouble", str(error)),
            bar=display.bar, console=console, scheduler=arguments.scheduler, workers=arguments.concurrency,
            advice=f"continue with: python -m tuning.suite --resume {shlex.quote(str(ledger.path))}",
        )  # fmt: skip
    finally:
        ledger.close()
    parts: list[Any] = [score_table(tasks, names, solutions)]
    if arguments.list:
        parts += ["", position_table(tasks, names, solutions)]
    console.print(Group(*parts))
    console.print(f"\nresults: {ledger.path}")
    return code


def main(words: Sequence[str] | None = None) -> int:
    """Run the command line; see :func:`tuning.common.command.execute` for the exit code."""
    return command.execute(parser, run, words, ("--list", "--scheduler", "--concurrency"))


if __name__ == "__main__":
    sys.exit(main())
