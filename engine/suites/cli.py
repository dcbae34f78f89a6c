"""The commands ``numbat suite`` and ``numbat perft FILE``."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable, Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn, TimeRemainingColumn

from engine import Engine
from engine.analysis.cli import MOST_JOBS, add_limits, add_options
from engine.analysis.limits import limit_of
from engine.analysis.terminal import terminated_as_interrupted
from engine.api.types import limits_of
from engine.commandline import DONE, INTERRUPTED, REFUSED, Parser, UsageError, interrupted, refuse, whole
from engine.console import Console
from engine.files import WriteError, check_place, write_whole
from engine.messages import OptionError
from engine.reading import ReadError
from engine.suites.counts import Comparison, compare, read_counts
from engine.suites.judging import Outcome, wanted
from engine.suites.solving import solve_all
from engine.suites.tasks import Task, load_suite

_Read = TypeVar("_Read")

#: A text of every file of results.
_MARK = '"wanted":'


def main(arguments: Sequence[str]) -> int:
    """Run ``suite``; returns the exit code: 0, 2 for a file that cannot be read or a lost process, 130 when
    interrupted."""
    try:
        chosen = _parser().parse_args(arguments)
        if chosen.json is not None:
            if os.path.realpath(chosen.json) in map(os.path.realpath, chosen.files):
                raise UsageError(f"--json would overwrite the suite {chosen.json}")
            check_place(chosen.json, _MARK)
        with terminated_as_interrupted():
            tasks, code = _read(chosen.files, load_suite)
            return max(code, _solve(tasks, chosen)) if tasks else code
    except (UsageError, OptionError, WriteError, MemoryError) as error:
        return refuse(str(error) or type(error).__name__)
    except KeyboardInterrupt:
        return interrupted()


def perft(files: Sequence[str], depth: int | None, threads: int) -> int:
    """Compare perft with the counts in ``files``; the exit code is 1 if any differs."""
    try:
        with terminated_as_interrupted():
            positions, code = _read(files, read_counts)
            if not positions:
                return code
            with Engine(report=_say) as engine, _bar() as bar:
                return max(code, compare(positions, Comparison(engine, depth, threads), bar))
    except KeyboardInterrupt:
        return interrupted()


def _parser() -> argparse.ArgumentParser:
    result = Parser(
        prog="numbat suite",
        description="Solve the positions of EPD files: bm, am, dm, points in c8 and c9 as in STS, puzzles in c0.",
    )
    result.add_argument("files", nargs="+", metavar="FILE.epd", help="file of positions")
    limits = result.add_mutually_exclusive_group()
    add_limits(limits, "position (default: 1)")
    result.add_argument("--jobs", type=whole(1, MOST_JOBS), default=1, metavar="N", help="processes (default: 1)")
    result.add_argument("--json", type=Path, metavar="FILE", help="file for the results")
    add_options(result)
    return result


def _say(text: str) -> None:
    Console(stderr=True).print(f"numbat: {text}", soft_wrap=True)


def _read(files: Sequence[str], reader: Callable[[str, Callable[[str], None]], list[_Read]]) -> tuple[list[_Read], int]:
    """The contents of all readable files, and the exit code."""
    found: list[_Read] = []
    code = DONE
    for file in files:
        try:
            found += reader(file, _say)
        except ReadError as error:
            code = refuse(error)
    return found, code


def _bar() -> Progress:
    console = Console()
    return Progress(
        BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn(),
        console=console, disable=not console.is_terminal,
    )  # fmt: skip


def _solve(tasks: Sequence[Task], chosen: argparse.Namespace) -> int:
    limit, words = limit_of(chosen, 1.0)
    found: list[tuple[Task, Outcome]] = []
    code = DONE
    outcomes = solve_all(tasks, limits_of(limit), dict(chosen.option), chosen.jobs, _say)
    try:
        with _bar() as bar:
            shown = bar.add_task("", total=len(tasks))
            try:
                for task, outcome in zip(tasks, outcomes, strict=True):
                    found.append((task, outcome))
                    bar.console.print(_line(task, outcome), soft_wrap=True)
                    bar.advance(shown)
            except KeyboardInterrupt:
                code = INTERRUPTED
            except BrokenProcessPool:
                code = REFUSED
            finally:
                outcomes.close()
        if found:
            print(_summary(found, len(tasks), words))
    finally:
        if found and chosen.json is not None:
            write_whole(chosen.json, json.dumps(_record(found, len(tasks), words), indent=1) + "\n")
    if code == REFUSED:
        return refuse("one of the processes ended early")
    return interrupted() if code else code


def _line(task: Task, outcome: Outcome) -> str:
    points = f", {outcome.points} of {task.top} points" if task.points else ""
    found = f"{outcome.seconds:.2f} s, depth {outcome.depth}, {outcome.nodes} nodes{points}"
    missed = "" if outcome.solved else f"; wanted {wanted(task, san=True)}"
    return f"{'ok   ' if outcome.solved else 'wrong'}  {task.name}  {' '.join(outcome.san)}  {found}{missed}"


def _summary(found: Sequence[tuple[Task, Outcome]], total: int, words: str) -> str:
    left = f", {total - len(found)} not tried" if len(found) < total else ""
    top = sum(task.top for task, _ in found)
    points = f", {sum(outcome.points for _, outcome in found)} of {top} points" if top else ""
    return f"solved {sum(outcome.solved for _, outcome in found)} of {len(found)}{points} ({words}){left}"


def _record(found: Sequence[tuple[Task, Outcome]], total: int, words: str) -> dict[str, Any]:
    positions = [
        {"id": task.name, "fen": task.fen, "wanted": wanted(task), "top": task.top, **asdict(outcome)}
        for task, outcome in found
    ]
    return {"limit": words, "total": total, "summary": _summary(found, total, words), "positions": positions}
