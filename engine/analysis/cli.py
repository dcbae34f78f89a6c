"""The subcommands ``analyse`` and ``play``."""

import argparse
import io
import itertools
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from engine.commandline import (
    MAX_JOBS,
    Parser,
    UsageError,
    add_limits,
    add_options,
    interrupted,
    refuse,
    seconds,
    terminated_as_interrupted,
    whole,
)
from engine.files import WriteError, write_whole
from engine.messages import OptionError, PositionError
from engine.options import find
from engine.reading.pasted import is_pgn
from engine.reading.text import ReadError, lines_of


def main(command: str, arguments: Sequence[str]) -> int:
    """Run ``analyse`` or ``play``; returns the exit code: 0, 2 after a refusal, 130 after an interrupt."""
    from engine.analysis.files import AnalysisError

    try:
        chosen = parser(command).parse_args(arguments)
        with terminated_as_interrupted():
            options = dict(chosen.option)
            if command == "analyse":
                return analyse(chosen, options)
            from engine.analysis.play import play_chess

            return play_chess(chosen, options)
    except (UsageError, PositionError, OptionError, AnalysisError, WriteError, MemoryError) as error:
        return refuse(str(error) or type(error).__name__)
    except KeyboardInterrupt:
        return interrupted()


def analyse(chosen: argparse.Namespace, options: dict[str, Any]) -> int:
    """Look at a position, or at all games of PGN files."""
    from engine.analysis import games, positions

    words = chosen.what
    if words == ["-"] or (not words and sys.stdin is not None and not sys.stdin.isatty()):
        text = _standard_input()
        if is_pgn(text):
            return games.analyse([_kept(text)], chosen, options)
    else:
        text, paths = " ".join(words), [Path(word) for word in words]
        named = any(map(_is_file, paths)) or (len(paths) == 1 and _is_other(paths[0]))
        if named and not _is_board(words[0]):
            return games.analyse(paths, chosen, options)
    for option in ("output", "html", "csv", "game_time", "jobs", "fresh", "again", "player"):
        if getattr(chosen, option):
            raise UsageError(f"--{option.replace('_', '-')} needs a PGN file")
    return positions.analyse(text, chosen, options)


def _standard_input() -> str:
    """All of standard input, in any encoding; empty if it cannot be read. Raises :class:`UsageError`."""
    if sys.stdin.isatty():
        end = "Ctrl-Z and Enter" if sys.platform == "win32" else "Ctrl-D"
        print(f"numbat: paste a FEN, moves or games, then press {end}", file=sys.stderr)

    def warn(line: int, text: str) -> None:
        print(f"numbat: standard input:{line}: {text}", file=sys.stderr)

    try:
        stream = io.BytesIO(sys.stdin.buffer.read())
        return "\n".join(line for _, line in lines_of(stream, warn, "standard input"))
    except ReadError as error:
        raise UsageError(str(error)) from None
    except OSError:  # closed, or only open for writing
        return ""


def _kept(text: str) -> Path:
    """The file in this folder where pasted games are kept, so that an interrupted analysis can go on."""
    for number in itertools.count(1):
        path = Path(f"pasted-{number}.pgn" if number > 1 else "pasted.pgn")
        if not path.exists():
            write_whole(path, text)
        if path.read_text(encoding="utf-8", errors="replace") == text:
            return path
    raise AssertionError("some name is free")


def _is_board(word: str) -> bool:
    """Whether it is the board of a FEN: then the next words are no files, even if there is one called ``1``."""
    return word.count("/") == 7 and not (_is_file(Path(word)) or _is_other(Path(word)))


def _is_file(path: Path) -> bool:
    try:
        return path.suffix.lower() == ".pgn" or path.is_file()
    except OSError:  # a name that is too long
        return False


def _is_other(path: Path) -> bool:
    """Whether it is a directory, a pipe or a device, which cannot be read."""
    try:
        return path.exists()
    except OSError:
        return False


def parser(command: str) -> Parser:
    """The parser of one of the two commands."""
    result = Parser(prog=f"numbat {command}")
    if command == "analyse":
        result.description = (
            "Explain a position: the best lines with their scores and the chances of White, a draw and Black. Or "
            "annotate the games of PGN files: GAMES.annotated.pgn and the page GAMES.annotated.html are written next "
            "to each. Standard input ('-' or a pipe) may be any of them; games from it are kept in pasted.pgn."
        )
        result.add_argument(
            "what",
            nargs="*",
            metavar="FEN|MOVES|PGN|-",
            help="a position as FEN, EPD or moves such as '1. e4 e5' (default: the start), or PGN files",
        )
        result.add_argument("--lines", type=whole(1, 256), help="number of lines, for a position (default: 3)")
        result.add_argument(
            "--output", type=Path, metavar="FILE", help="where to write the annotated PGN of a single file"
        )
        result.add_argument("--html", type=Path, metavar="FILE", help="where to write the web page of a single file")
        result.add_argument("--csv", type=Path, metavar="FILE", help="where to write a table with a row for each move")
        result.add_argument("--player", metavar="NAME", help="report on this player, for several games")
        result.add_argument("--fresh", action="store_true",
                            help="drop the marks, comments and variations that are in the files")  # fmt: skip
        result.add_argument("--again", action="store_true",
                            help="search games again whose results are from another version of Numbat")  # fmt: skip
        result.add_argument(
            "--jobs",
            type=whole(1, MAX_JOBS),
            metavar="N",
            help="annotate N games of PGN files in parallel processes",
        )
        times = "position (default: 5, in games 0.5)"
    else:
        times = "move (default: 1)"
        result.description = (
            "Play against the engine in the terminal; moves as e4 or e2e4. At the prompt 'help' lists the commands."
        )
        result.add_argument("--fen", nargs="+", metavar="FIELD", help="FEN of the start position, quoted or not")
        result.add_argument("--black", action="store_true", help="play Black")
        result.add_argument("--pgn", type=Path, metavar="FILE", help="append the game to this file")
        strength = result.add_mutually_exclusive_group()
        elo, skill = find("UCI_Elo"), find("Skill Level")
        strength.add_argument(
            "--elo",
            type=whole(elo.minimum, elo.maximum),
            metavar="N",
            help=f"playing strength in Elo, from {elo.minimum} to {elo.maximum} (default: full strength)",
        )
        strength.add_argument(
            "--level",
            type=whole(skill.minimum, skill.maximum),
            metavar="N",
            help=f"playing strength as a level, from {skill.minimum} to {skill.maximum} (default: {skill.default})",
        )
    result.add_argument("--chess960", action="store_true",
                        help="treat the position as Chess960 even if its castling rights do not show it")  # fmt: skip
    limits = result.add_mutually_exclusive_group()
    if command == "analyse":
        game_time = "seconds for each game of a PGN file; comparing moves takes more"
        limits.add_argument("--game-time", type=seconds, metavar="TIME", help=game_time)
    if command == "play":
        limits.add_argument(
            "--clock",
            type=_clock,
            metavar="MIN+SEC",
            help="play with a chess clock: minutes a game and seconds added for each move, such as 5+3",
        )
    add_limits(limits, times)
    add_options(result)
    return result


def _clock(text: str) -> tuple[float, float]:
    """Minutes and seconds of increment, as 5+3 or 10, in seconds both."""
    minutes, _, increment = text.partition("+")
    try:
        base, step = 60 * float(minutes), float(increment or 0)
    except ValueError:
        base = step = -1.0
    if not (0 < base <= 60 * 1000 and 0 <= step <= 3600):
        raise argparse.ArgumentTypeError(f"'{text}' is not a clock such as 5+3 (minutes a game, seconds added a move)")
    return base, step
