"""``analyse FEN``: the best lines of one position, growing on the screen while the search runs."""

from __future__ import annotations

import argparse
from typing import Any

import chess
from rich.console import Console
from rich.live import Live
from rich.text import Text

from engine import Engine
from engine.analysis.boards import board_of
from engine.analysis.cli import limit_of
from engine.analysis.lines import ending_text, line_text
from engine.chesstypes import Analysis


def analyse(fen: str, chosen: argparse.Namespace, options: dict[str, Any]) -> int:
    """Print the best lines of the position; Ctrl-C ends the search and keeps what was found."""
    board = board_of(fen, chosen.chess960)
    console = Console(highlight=False, soft_wrap=True)
    console.print(str(board), markup=False)
    console.print(f"{board.fen()}, {chess.COLOR_NAMES[board.turn]} to move\n", markup=False)
    if board.outcome() is not None:
        console.print(ending_text(board))
        return 0
    limit, _ = limit_of(chosen, 5.0)
    lines: dict[int, Analysis] = {}
    with Engine(report=lambda text: console.print(text, markup=False)) as engine:
        for name, value in options.items():
            engine.set_option(name, value)
        wanted = chosen.lines or 3
        with engine.stream(board, limit, multipv=wanted) as reports, Live(console=console, transient=True) as live:
            try:
                for report in reports:
                    lines[report.multipv] = report
                    live.update(_text(board, lines))
            except KeyboardInterrupt:
                reports.stop()
                for report in reports:  # the last ones rank anew what the unfinished iteration did not reach
                    lines[report.multipv] = report
    console.print(_text(board, lines))
    return 0


def _text(board: chess.Board, lines: dict[int, Analysis]) -> Text:
    """All lines, best first, and what they cost."""
    rows = [line_text(board, line) for _, line in sorted(lines.items())]
    if lines:
        best = lines[min(lines)]
        rows.append(f"\n{best.nodes:,} nodes in {best.time:.1f} s, {best.nps:,} a second")
    return Text("\n".join(rows))
