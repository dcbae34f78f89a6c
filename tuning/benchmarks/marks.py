"""Counts the marks of annotated games that another engine confirms.

    numbat analyse GAMES.pgn --nodes 60000
    python -m tuning.benchmarks.marks GAMES.annotated.pgn --judge stockfish --nodes 600000 --mark "?!"

A mark is confirmed if the move, by the judge's scores before and after it, costs 0.05 of a point by lichess.org's
curve, or allows or loses a mate by its rule. Prints the marks that are not, and the counts without and with mates.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from chess.engine import Cp, Limit, Score, SimpleEngine

from engine.analysis.files import AnalysisError, read_games
from engine.analysis.judge import Grade
from engine.analysis.record import positions
from engine.console import Console
from engine.explanation.standing import human_expectation
from tuning.common import command
from tuning.common.errors import SetupError, at_least
from tuning.matches.engines import parse_words

#: The least cost of a confirmed mark, in points by lichess.org's curve.
LEAST = 0.05


def is_confirmed(before: Score, after: Score) -> bool:
    """Whether a move that led from ``before`` to ``after``, both from its player's view, deserves a mark."""
    allows = after.is_mate() and after < Cp(0) and not (before.is_mate() and before < Cp(0))
    loses = before.is_mate() and before > Cp(0) and not (after.is_mate() and after > Cp(0))
    return allows or loses or human_expectation(before) - human_expectation(after) >= LEAST


def parser() -> argparse.ArgumentParser:
    """The command line of ``python -m tuning.benchmarks.marks``."""
    result = command.make_parser("benchmarks.marks", __doc__)
    result.add_argument("games", type=Path, metavar="PGN", help="annotated games")
    result.add_argument("--judge", required=True, metavar="COMMAND", help="UCI engine that judges")
    result.add_argument(
        "--nodes", type=int, default=600_000, help="nodes of each of its searches (default %(default)s)"
    )
    marks = [grade.glyph for grade in Grade if grade.bad]
    result.add_argument("--mark", choices=marks, help="count only these marks (default: all)")
    return result


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Judge and count. Raises :class:`SetupError` for a judge, nodes or games that cannot be used."""
    at_least(1, nodes=arguments.nodes)
    counts: Counter[tuple[str, str, bool]] = Counter()
    judging = parse_words([f"cmd={arguments.judge}"]).resolved_command()
    try:
        games = read_games(arguments.games)
    except AnalysisError as error:
        raise SetupError(str(error)) from None
    with SimpleEngine.popen_uci(judging, timeout=60) as judge:
        for number, game in enumerate(games, 1):
            for node, child in pairwise(positions(game)):
                board, after = node.board(), child.board()
                glyph = next((grade.glyph for grade in Grade if grade.bad and grade.nag in child.nags), None)
                if glyph is None or arguments.mark not in (None, glyph):
                    continue
                limit, turn = Limit(nodes=arguments.nodes), board.turn
                found = [judge.analyse(each, limit, game=object())["score"].pov(turn) for each in (board, after)]
                kind = "mates" if any(own and own.is_mate() for own in (node.eval(), child.eval())) else "no mates"
                confirmed = is_confirmed(*found)
                counts[glyph, kind, confirmed] += 1
                if not confirmed:
                    move = board.variation_san([after.peek()])
                    console.print(f"game {number}, {move}{glyph} ({kind}): {found[0]} to {found[1]}")
    for glyph, kind in sorted({(glyph, kind) for glyph, kind, _ in counts}):
        good, bad = counts[glyph, kind, True], counts[glyph, kind, False]
        console.print(f"{glyph} {kind}: {good} of {good + bad} confirmed")
    return 0


def main(words: Sequence[str] | None = None) -> int:
    """Run the command line; see :func:`tuning.common.command.execute` for the exit code."""
    return command.execute(parser, run, words)


if __name__ == "__main__":
    sys.exit(main())
