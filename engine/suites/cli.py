"""The commands ``numbat suite`` and ``numbat perft FILE``."""

import argparse
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn, TimeRemainingColumn

from engine import Engine
from engine.api.types import limits_of
from engine.commandline import (
    DONE,
    INTERRUPTED,
    MAX_JOBS,
    Parser,
    UsageError,
    add_limits,
    add_options,
    interrupted,
    limit_of,
    refuse,
    terminated_as_interrupted,
    whole,
)  # fmt: skip
from engine.console import Console
from engine.files import WriteError, check_place, write_or_rescue
from engine.messages import OptionError, counted
from engine.processes import LostProcess
from engine.reading import ReadError
from engine.suites.counts import CountCheck, compare, read_counts
from engine.suites.judging import Attempt, wanted
from engine.suites.puzzles import Puzzle, load_suite
from engine.suites.solving import solve_all

_Read = TypeVar("_Read")

#: Reads a file, and passes on its warnings and its unreadable lines.
Reader = Callable[[str, Callable[[str], None], Callable[[ReadError], object]], list[_Read]]

_MARK = '"wanted":'  # a text of every file of results


def main(arguments: Sequence[str]) -> int:
    """Run ``suite``; the exit code: 0, 2 for unreadable input or a lost process, 130 when interrupted."""
    try:
        chosen = parser().parse_args(arguments)
        if chosen.json is not None:
            if os.path.realpath(chosen.json) in map(os.path.realpath, chosen.files):
                raise UsageError(f"--json would overwrite the suite {chosen.json}")
            check_place(chosen.json, _MARK)
        with terminated_as_interrupted():
            puzzles, code = _read(chosen.files, load_suite)
            return max(code, _solve(puzzles, chosen)) if puzzles else code
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
                return max(code, compare(positions, CountCheck(engine, depth, threads), bar))
    except KeyboardInterrupt:
        return interrupted()


def parser() -> Parser:
    """The parser of ``suite``."""
    result = Parser(
        prog="numbat suite",
        description="Solve the positions of EPD files: bm, am, dm, points in c8 and c9 as in STS, puzzles in c0.",
    )
    result.add_argument("files", nargs="+", metavar="FILE.epd", help="file of positions")
    limits = result.add_mutually_exclusive_group()
    add_limits(limits, "position (default: 1)")
    result.add_argument("--jobs", type=whole(1, MAX_JOBS), default=1, metavar="N", help="processes (default: 1)")
    result.add_argument("--json", type=Path, metavar="FILE", help="file for the results")
    add_options(result)
    return result


def _say(text: str) -> None:
    Console(stderr=True).print(f"numbat: {text}", soft_wrap=True)


def _read(files: Sequence[str], reader: Reader[_Read]) -> tuple[list[_Read], int]:
    """The readable items of the files, and the exit code. The faults are printed."""
    found: list[_Read] = []
    codes = [DONE]
    for file in files:
        try:
            found += reader(file, _say, lambda error: codes.append(refuse(error)))
        except ReadError as error:
            codes.append(refuse(error))
    return found, max(codes)


def _bar() -> Progress:
    console = Console()
    return Progress(
        BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn(),
        console=console, disable=not console.is_terminal,
    )  # fmt: skip


def _solve(puzzles: Sequence[Puzzle], chosen: argparse.Namespace) -> int:
    limit, words = limit_of(chosen, 1.0)
    found: list[tuple[Puzzle, Attempt]] = []
    code = DONE
    solving = solve_all(puzzles, limits_of(limit), dict(chosen.option), chosen.jobs, _say)
    try:
        with _bar() as bar:
            shown = bar.add_task("", total=len(puzzles))
            try:
                for completed in solving:
                    bar.advance(shown)
                    if isinstance(completed.error, LostProcess):
                        code = refuse(completed.error)
                    elif completed.error is not None:
                        raise completed.error
                    else:
                        found.append((completed.item, completed.result))
                        bar.console.print(_line(*found[-1]), soft_wrap=True)
            except KeyboardInterrupt:
                code = INTERRUPTED
            finally:
                solving.close()
        if found:
            print(_summary(found, len(puzzles), words))
    finally:
        if found and chosen.json is not None:
            write_or_rescue(chosen.json, json.dumps(_record(found, len(puzzles), words), indent=1) + "\n")
    return interrupted() if code == INTERRUPTED else code


def _line(puzzle: Puzzle, attempt: Attempt) -> str:
    points = f", {attempt.points} of {counted(puzzle.top, 'point')}" if puzzle.points else ""
    moves = " ".join(attempt.san)
    if not attempt.solved:
        return f"{puzzle.name}  not solved ({moves}); wanted {wanted(puzzle, san=True)}{points}"
    found = f"{attempt.seconds:.2f} s, depth {attempt.depth}, {counted(attempt.nodes, 'node')}{points}"
    return f"{puzzle.name}  ok ({moves})  {found}"


def _summary(found: Sequence[tuple[Puzzle, Attempt]], total: int, words: str) -> str:
    left = f", {total - len(found)} not tried" if len(found) < total else ""
    top = sum(puzzle.top for puzzle, _ in found)
    points = f", {sum(attempt.points for _, attempt in found)} of {counted(top, 'point')}" if top else ""
    return f"solved {sum(attempt.solved for _, attempt in found)} of {len(found)}{points} ({words}){left}"


def _record(found: Sequence[tuple[Puzzle, Attempt]], total: int, words: str) -> dict[str, Any]:
    positions = [
        {"id": puzzle.name, "fen": puzzle.fen, "wanted": wanted(puzzle), "top": puzzle.top, **asdict(attempt)}
        for puzzle, attempt in found
    ]
    return {"limit": words, "total": total, "summary": _summary(found, total, words), "positions": positions}
