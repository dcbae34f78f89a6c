"""``analyse`` of a position: the best lines of one position, shown while the search runs, and an explanation."""

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, cast

import chess
from rich.live import Live
from rich.text import Text

from engine import Engine
from engine.analysis.diagram import FEW_COLOURS, diagram, painted, shows_chessmen
from engine.analysis.lines import ending_text, line_text, wrapped
from engine.api.explaining import EXPLAIN_NODES, claim_of, claim_of_best
from engine.api.types import Analysis
from engine.commandline import limit_of
from engine.console import Console
from engine.explanation import sentence
from engine.messages import Limits
from engine.options import Options
from engine.reading.pasted import read_pasted

_INDENT_COLUMNS = 9  # columns that the later rows of a line are indented


class Lines:
    """The lines of a search as its reports come, best first: always of one complete iteration. Reports come in
    rounds; lines of an unfinished round do not compare with earlier ones."""

    def __init__(self) -> None:
        self.shown: list[Analysis] = []
        self._coming: list[Analysis] = []

    def add(self, report: Analysis) -> bool:
        """Take the next report; whether the lines shown have changed."""
        if report.multipv <= len(self._coming):  # the first of a new round
            self._coming = []
        self._coming.append(report)
        if len(self._coming) >= len(self.shown):
            self.shown = list(self._coming)
            return True
        return False


def analyse(text: str, chosen: argparse.Namespace, options: dict[str, Any]) -> int:
    """Print the best lines of the position in ``text``, and an explanation; Ctrl-C only ends the search."""
    board = read_pasted(text, chosen.chess960, lambda text: print(f"numbat: {text}", file=sys.stderr))
    console = Console(soft_wrap=True)
    width = console.width if console.is_terminal else None
    if shows_chessmen(console):
        console.print(painted(board, chess.WHITE, console.color_system in FEW_COLOURS))
    else:
        console.print(diagram(board, chess.WHITE))
    console.print(f"{board.fen()}, {chess.COLOR_NAMES[board.turn]} to move\n")
    if board.outcome() is not None:
        console.print(ending_text(board))
        return 0
    limit, _ = limit_of(chosen, 5.0)
    lines = Lines()
    with Engine(report=console.print, **cast(Options, options)) as engine:
        wanted = chosen.lines or 3
        with engine.stream(board, limit, multipv=wanted) as reports, _progress(console, board, width) as show:
            try:
                for report in reports:
                    if lines.add(report):
                        show(lines.shown)
            except KeyboardInterrupt:
                reports.stop()
                for report in reports:  # the last ones re-rank the lines that the unfinished iteration did not reach
                    lines.add(report)
        console.print(_text(board, lines.shown, width))
        console.print(f"\n{wrapped(_explanation(engine, board, lines.shown), width)}")
    return 0


@contextmanager
def _progress(console: Console, board: chess.Board, width: int | None) -> Iterator[Callable[[list[Analysis]], None]]:
    """A function that shows the lines so far: on a terminal all in one place, elsewhere the best of each depth."""
    if console.is_terminal and not console.is_dumb_terminal:
        with Live(console=console, transient=True) as live:
            yield lambda lines: live.update(Text(_text(board, lines, width)))
        return
    depth = 0

    def show(lines: list[Analysis]) -> None:
        nonlocal depth
        if lines[0].depth > depth and not lines[0].bound:
            depth = lines[0].depth
            console.print(wrapped(line_text(board, lines[0]), width, _INDENT_COLUMNS))

    yield show
    console.print()


def _explanation(engine: Engine, board: chess.Board, lines: list[Analysis]) -> str:
    """In words, what the best of ``lines`` does; another search is made for a threat alone."""
    analyse = partial(engine.analyse, limit=Limits(nodes=EXPLAIN_NODES))
    if not lines:
        return sentence(claim_of(board, None, analyse, engine.table_outcome))
    other = lines[1] if len(lines) > 1 else None
    return sentence(claim_of_best(board, lines[0], other, analyse, engine.table_outcome))


def _text(board: chess.Board, lines: list[Analysis], width: int | None) -> str:
    """All lines, best first, with the nodes and time that they took."""
    rows = [wrapped(line_text(board, line), width, _INDENT_COLUMNS) for line in lines]
    if lines:
        best = lines[0]
        rows.append(f"\n{best.nodes:,} node{'s' * (best.nodes != 1)} in {best.time:.1f} s, {best.nps:,} a second")
    return "\n".join(rows)
