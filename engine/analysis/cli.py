"""The subcommands ``analyse`` and ``play``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from engine import __version__
from engine.analysis.terminal import forgive_letters, terminated_as_interrupted
from engine.messages import OptionError, PositionError
from engine.options import find

#: What a shell expects from a program that Ctrl-C ended; here SIGTERM does the same.
INTERRUPTED = 130


class UsageError(ValueError):
    """A command line that makes no sense; the message says why."""


def main(command: str, arguments: Sequence[str]) -> int:
    """Run ``analyse`` or ``play``; returns the exit code: 0, 2 for what cannot be done, 130 when interrupted or
    terminated."""
    from engine.analysis.files import AnalysisError

    forgive_letters()
    try:
        chosen = parser(command).parse_args(arguments)
        with terminated_as_interrupted():
            return _run(command, chosen)
    except (UsageError, PositionError, OptionError, AnalysisError, MemoryError) as error:
        print(f"numbat: {error or type(error).__name__}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nnumbat: interrupted", file=sys.stderr)
        return INTERRUPTED


def _run(command: str, chosen: argparse.Namespace) -> int:
    options = dict(chosen.option)
    if command == "analyse":
        return analyse(chosen, options)
    from engine.analysis.play import play_chess

    return play_chess(chosen, options)


def analyse(chosen: argparse.Namespace, options: dict[str, Any]) -> int:
    """Look at a position, or at all games of a PGN file."""
    from engine.analysis import games, positions

    words = chosen.what
    paths = [Path(word) for word in words]
    if any(_is_file(path) or path.suffix.lower() == ".pgn" for path in paths):
        return games.analyse(paths, chosen, options)
    for option in ("output", "html", "game_time"):
        if getattr(chosen, option) is not None:
            raise UsageError(f"--{option.replace('_', '-')} needs a PGN file")
    return positions.analyse(" ".join(words), chosen, options)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name that is too long
        return False


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One line instead of the usage and a line."""
        raise UsageError(f"{message} (see {self.prog} --help)")


def parser(command: str) -> argparse.ArgumentParser:
    """The parser of one of the two commands."""
    result = _Parser(prog=f"numbat {command}")
    if command == "analyse":
        result.description = (
            "Explain a position: the best lines with their scores and White's chances. Or annotate the games of PGN "
            "files: GAMES.annotated.pgn and the page GAMES.annotated.html are written beside each."
        )
        result.add_argument("what", nargs="*", metavar="FEN|PGN", help="a position (default: the first), or files")
        result.add_argument("--lines", type=_number(1, 256), help="for a position: how many lines (default: 3)")
        result.add_argument("--output", type=Path, metavar="FILE", help="for a file: where the annotated PGN goes")
        result.add_argument("--html", type=Path, metavar="FILE", help="for a file: where the page goes")
        times = "position (default: 5, in games 0.5)"
    else:
        times = "move (default: 1)"
        result.description = (
            "Play against the engine in the terminal; moves as e4 or e2e4. At the prompt 'help' names the other words."
        )
        result.add_argument("--fen", nargs="+", help="begin here, quoted or not")
        result.add_argument("--black", action="store_true", help="play Black")
        result.add_argument("--pgn", type=Path, metavar="FILE", help="keep the game there, after the games it holds")
        strength = result.add_mutually_exclusive_group()
        elo, skill = find("UCI_Elo"), find("Skill Level")
        strength.add_argument("--elo", type=_number(elo.minimum, elo.maximum), metavar="N",
                              help=f"play as strong as this Elo, from {elo.minimum} to {elo.maximum} (default: full)")
        strength.add_argument("--level", type=_number(skill.minimum, skill.maximum), metavar="N",
                              help=f"play at this level, {skill.minimum} to {skill.maximum}, which is full strength")
    result.add_argument("--chess960", action="store_true",
                        help="the position is one of Chess960, even where its castling does not tell")  # fmt: skip
    limits = result.add_mutually_exclusive_group()
    if command == "analyse":
        limits.add_argument("--game-time", type=_seconds, metavar="TIME", help="for files: seconds for a whole game")
    if command == "play":
        limits.add_argument("--clock", type=_clock, metavar="MIN+SEC",
                            help="play with a chess clock: minutes a game and seconds added for each move, such as 5+3")
    limits.add_argument("--time", type=_seconds, help=f"seconds for each {times}")
    limits.add_argument("--depth", type=_number(1, 100), help="plies for each position or move, instead of a time")
    limits.add_argument("--nodes", type=_number(1, 10**15), help="nodes for each position or move, instead of a time")
    result.add_argument("--option", type=_option, action="append", default=[], metavar="NAME=VALUE",
                        help="a UCI option of the engine, such as 'Hash=256'; may be repeated")  # fmt: skip
    return result


def limit_of(chosen: argparse.Namespace, seconds: float) -> tuple[Any, str]:
    """The limit that was asked for, or ``seconds``, as python-chess's Limit and in words."""
    from chess.engine import Limit

    if chosen.depth is not None:
        return Limit(depth=chosen.depth), f"{chosen.depth} plies a position"
    if chosen.nodes is not None:
        return Limit(nodes=chosen.nodes), f"{chosen.nodes} nodes a position"
    time = chosen.time or seconds
    return Limit(time=time), f"{time:g} s a position"


def engine_name(words: str, options: dict[str, Any]) -> str:
    """Who analyses, for tags and pages: the version, the limit in words and the options that differ."""
    return ", ".join([f"Numbat {__version__}", words, *(f"{name} {value}" for name, value in options.items())])


def _option(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"'{text}' is not NAME=VALUE")
    try:
        option = find(name.strip())
        return option.name, option.parse(value.strip())
    except OptionError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _number(least: int, most: int):
    def number(text: str) -> int:
        if not (text.isascii() and text.isdigit() and least <= int(text[:18]) <= most):
            raise argparse.ArgumentTypeError(f"'{text}' is not a whole number from {least} to {most}")
        return int(text)

    return number


def _clock(text: str) -> tuple[float, float]:
    """Minutes and seconds of increment, as 5+3 or 10, in seconds both."""
    minutes, _, increment = text.partition("+")
    try:
        base, step = 60 * float(minutes), float(increment or 0)
    except ValueError:
        base = step = -1.0
    if not (0 < base <= 60 * 1000 and 0 <= step <= 3600):
        raise argparse.ArgumentTypeError(f"'{text}' is not a clock of minutes and added seconds, such as 5+3")
    return base, step


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < 1e6:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of seconds above 0")
    return seconds
