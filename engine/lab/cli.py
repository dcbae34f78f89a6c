"""``lab``: the command line of the lab."""

import argparse
import shutil
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from engine.commandline import Parser, interrupted, refuse, seconds, whole
from engine.files import WriteError, check_place, write_or_rescue
from engine.lab import games, table
from engine.lab.games import Demo, LabError
from engine.lab.measure import ALGORITHMS, Comparison, Row
from engine.lab.page import MARK, render
from engine.lab.play import play
from engine.lab.trace import TooLarge, TreeTrace
from engine.messages import PositionError, counted
from engine.printing import escaped, unguarded

GAMES = ("chess", "tictactoe", "bones", "othello", "tree")
MAX_DEPTH = 60

PROGRAM = "numbat lab"


def main(argv: Sequence[str]) -> int:
    """Run the lab; returns the exit code: 0, 2 for a request that it cannot fulfil, 130 when interrupted."""
    try:
        chosen = parser().parse_args(argv)
        demo = _demo(chosen)
    except ValueError as error:  # UsageError, LabError and PositionError among them
        return refuse(error, PROGRAM)
    try:
        if chosen.play:
            first = demo.game.to_move(demo.game.initial())
            play(demo, human=-first if chosen.second else first, seconds=chosen.seconds or 2.0)
            return 0
        return _compare(demo, chosen)
    except (LabError, PositionError, WriteError, ImportError) as error:
        return refuse(error, PROGRAM)
    except KeyboardInterrupt:
        return interrupted(PROGRAM)


def _compare(demo: Demo, chosen: argparse.Namespace) -> int:
    """Print the table row by row, then write the page from the rows measured so far."""
    if chosen.html:
        check_place(chosen.html, MARK)
    rows: list[Row] = []
    interrupted = False
    depth = chosen.depth or demo.depth
    grows = chosen.depth or chosen.html or not demo.whole
    first = 1 if grows else depth
    print(demo.title, table.HEADER, sep="\n", flush=True)
    try:
        with _engine(chosen) as engine:
            comparison = Comparison(demo, chosen.algorithms, chosen.seconds or 20.0, engine)
            for row in comparison.rows(depth, _announce, first):
                _announce("")
                if not rows or rows[-1].depth != row.depth:
                    print(f"\n{table.heading(row)}".rstrip())
                print(table.line(row), flush=True)
                rows.append(row)
    except KeyboardInterrupt:
        _announce("")
        interrupted = True
    if rows and (summary := table.summary(rows)):
        print(f"\n{summary}")
    print(f"\n{table.LEGEND}")
    if chosen.game == "tree" and first < demo.depth:
        print(table.CUT_OFF)
    if chosen.html:
        tree = _tree(demo, depth)
        if tree is None or tree.depth < depth:
            drawn = f"drawn to {counted(tree.depth, 'ply', 'plies')}" if tree else "not drawn"
            print(f"the tree is {drawn}; deeper ones are too large")
        write_or_rescue(chosen.html, render(demo.title, rows, tree))
        print(f"wrote {chosen.html}")
    if interrupted:
        raise KeyboardInterrupt
    return 0


def _tree(demo: Demo, depth: int) -> TreeTrace | None:
    """The deepest tree of up to ``depth`` plies that can be drawn."""
    for tried in range(depth, 0, -1):
        try:
            return TreeTrace(demo, tried)
        except TooLarge:
            continue
    return None


def _engine(chosen: argparse.Namespace) -> AbstractContextManager[Any]:
    """The compiled engine for chess, unless ``--no-engine`` is given."""
    if chosen.game != "chess" or chosen.no_engine:
        return nullcontext()
    from engine import Engine

    return Engine(hash=16, threads=1, report=_announce)


def _announce(text: str) -> None:
    """Show the current step on a terminal's last line; the next text replaces it. Blanks clear the line: not every
    terminal knows the escape sequence."""
    if sys.stderr.isatty():
        width = shutil.get_terminal_size().columns - 1
        print(f"\r{escaped(text)[:width]:{width}}\r", end="", file=unguarded(sys.stderr), flush=True)


def _demo(chosen: argparse.Namespace) -> Demo:
    """The game asked for. Raises :class:`LabError` if an option belongs to another game."""
    if chosen.play:
        if chosen.game not in (None, chosen.play):
            raise LabError(f"--play {chosen.play} and --game {chosen.game} contradict each other")
        chosen.game = chosen.play
        if chosen.html:
            raise LabError("--html is for the table, not for --play")
    elif chosen.second:
        raise LabError("--second needs --play")
    implied = {"fen": "chess", "tree": "tree"}
    for option, game in implied.items():
        if getattr(chosen, option) is not None:
            if chosen.game not in (None, game):
                raise LabError(f"--{option} is for --game {game}, not {chosen.game}")
            chosen.game = game
    chosen.game = chosen.game or "chess"
    if chosen.size is not None and chosen.game not in ("bones", "othello"):
        raise LabError(f"--size is for bones and othello, not {chosen.game}")
    size = 8 if chosen.size is None else chosen.size
    match chosen.game:
        case "chess":
            return games.chess(" ".join(chosen.fen) if chosen.fen else None)
        case "tictactoe":
            return games.tictactoe()
        case "bones":
            return games.bones(size)
        case "othello":
            return games.othello(size)
        case _:
            return games.tree(chosen.tree)


def parser() -> Parser:
    """The parser of ``lab``."""
    parser = Parser(
        prog=PROGRAM,
        description="Textbook game searches side by side: what each visits, how it grows, and how it prunes. "
        "Without options: chess from the start position, 3 plies deep.",
    )
    parser.add_argument("--game", choices=GAMES, help="game to search (default: chess)")
    parser.add_argument("--fen", nargs="+", help="a chess position, quoted or not")
    parser.add_argument("--tree", metavar="JSON", help="an explicit tree, such as '[[3,12,8],[2,4,6],[14,5,2]]'")
    parser.add_argument("--size", type=int, help="bones in the heap, or squares along the Othello board (default: 8)")
    parser.add_argument(
        "--depth",
        type=whole(1, MAX_DEPTH, "a depth in plies,"),
        help="plies; every depth up to it is measured (default: 3, Othello 4, small games whole)",
    )
    parser.add_argument(
        "--algorithms",
        type=_names,
        default=tuple(ALGORITHMS),
        metavar="A,B",
        help=f"a choice of {', '.join(ALGORITHMS)} (default: all)",
    )
    parser.add_argument(
        "--seconds", type=seconds, help="at most this long for each row (default: 20), or move (default: 2)"
    )
    parser.add_argument("--no-engine", action="store_true", help="omit the row of the compiled engine")
    parser.add_argument("--html", type=Path, metavar="FILE", help="write a page with the table, growth and small trees")
    parser.add_argument("--play", choices=GAMES[:-1], help="play against the textbook player")
    parser.add_argument("--second", action="store_true", help="with --play: the search moves first")
    return parser


def _names(text: str) -> tuple[str, ...]:
    names = tuple(text.split(","))
    for name in names:
        if name not in ALGORITHMS:
            raise argparse.ArgumentTypeError(f"'{name}' is not an algorithm of the lab: {', '.join(ALGORITHMS)}")
    return names
