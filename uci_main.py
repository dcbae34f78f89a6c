"""Numbat's command line: a UCI engine without arguments, a command-line tool with a subcommand."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # Ctrl-C is not handled while this module loads, so it imports almost nothing
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from engine.commandline import Parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code. Almost nothing is imported before ``uciok``.

    Ctrl-C ends it with one line at any point. Without ``arguments`` the command line is that of the process, which is
    about to end, and a second Ctrl-C ends it immediately.
    """
    try:
        if other := _import_own_engine():
            shown = other if other.isprintable() else ascii(other)
            print(f"numbat: {shown} is in use instead of Numbat's package 'engine'", file=sys.stderr)
            return 2
        if arguments is None:
            from engine.configuration import ignore_config_files

            ignore_config_files()
        try:
            return _run(sys.argv[1:] if arguments is None else list(arguments))
        finally:
            if arguments is None:
                _end_at_the_next_interrupt()
    except KeyboardInterrupt:  # outside the commands' own handling: during imports or clean-up
        from engine.commandline import interrupted

        return interrupted()
    except RuntimeError as error:  # of a library too, such as that of the progress bar
        from engine.commandline import refuse
        from engine.messages import ThreadError
        from engine.processes import LostProcess

        named = ThreadError() if "start new thread" in str(error) else error
        if not isinstance(named, ThreadError | LostProcess):
            raise
        return refuse(named)


def _end_at_the_next_interrupt() -> None:
    """Make Ctrl-C end the process silently."""
    import signal

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        from engine.commandline import INTERRUPTED

        signal.signal(signal.SIGINT, lambda number, frame: os._exit(INTERRUPTED))


def _run(words: list[str]) -> int:
    from engine.printing import guard_streams

    guard_streams()
    from engine.uci.parse import commands_in

    commands = commands_in(words) if words else []
    if commands or words in ([], ["uci"], ["--tune"]):
        from engine.uci.loop import run

        return run(tune=words == ["--tune"], commands=commands)
    from engine.printing import PrintError

    try:
        try:
            return _run_subcommand(words)
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()  # while an error can still be reported in one line
    except PrintError as error:
        from engine.uci.output import exit_on_write_error

        exit_on_write_error(error.reason)


_FOLDER = os.path.dirname(os.path.abspath(__file__))  # the folder, or the archive, that contains the package ``engine``


def _import_own_engine() -> str:
    """Import the package ``engine`` next to this file, whatever is first in Python's path. Returns the file of another
    ``engine`` if the program uses that already, else an empty string."""
    if "engine" not in sys.modules:
        from importlib.machinery import PathFinder
        from importlib.util import module_from_spec

        spec = PathFinder.find_spec("engine", [_FOLDER])
        if spec is None or spec.loader is None:  # a frozen application
            import engine
        else:
            sys.modules["engine"] = engine = module_from_spec(spec)
            spec.loader.exec_module(engine)
    found = sys.modules["engine"]
    file = found.__file__ or ", ".join(found.__path__)  # a folder without __init__.py has no file
    own = os.path.join(_FOLDER, "engine", "__init__.py")
    return "" if os.path.realpath(file) == os.path.realpath(own) else file


def _run_subcommand(words: list[str]) -> int:
    if words[0] == "lab":  # has its own parser
        from engine.lab import main as lab

        return lab(words[1:])
    if words[0] in ("analyse", "analyze", "play"):
        from engine.analysis.cli import main as analysis

        return analysis("play" if words[0] == "play" else "analyse", words[1:])
    if words[0] == "suite":
        from engine.suites.cli import main as suite

        return suite(words[1:])
    if words[0] == "help":
        return _run([*words[1:], "--help"])
    from engine.commandline import DONE, UsageError, refuse
    from engine.messages import OptionError, PositionError
    from engine.options import nearest
    from engine.uci import jobs
    from engine.uci.parse import is_file, parse_bench

    try:
        known = ("-h", "--help", "--version", "--tune")
        if words[0].startswith("-") and not any(flag.startswith(words[0]) for flag in known):
            raise UsageError(f"unrecognized argument '{words[0]}'{nearest(words[0], known)} (see numbat --help)")
        parsed, rest = parser().parse_known_args(words)
        if rest:
            raise UsageError(f"unrecognized arguments: {' '.join(rest)} (see numbat {parsed.command} --help)")
        if parsed.tune:
            raise UsageError("--tune takes no subcommand (see numbat --help)")
        match parsed.command:
            case "bench":
                jobs.run_bench(parse_bench(parsed.words))
            case "perft":
                first, *fen = parsed.words
                if first.count("/") == 7 and not os.path.exists(first):  # a board
                    raise UsageError("the depth comes before the position (see numbat perft --help)")
                if is_file(first):
                    return _perft_files(parsed.words, parsed.threads)
                start = not fen or fen == ["startpos"]
                jobs.run_perft(_depth(first), None if start else " ".join(fen), parsed.threads, parsed.divide)
            case "warmup":
                if parsed.into:
                    os.environ["NUMBAT_CACHE_DIR"] = os.path.abspath(parsed.into)
                if parsed.cpu:  # the same code on every such processor, whatever this one has
                    os.environ |= {"NUMBA_CPU_NAME": parsed.cpu, "NUMBA_CPU_FEATURES": ""}
                jobs.run_warmup(parsed.all)
            case "version":
                print("\n".join(_versions()))
            case "completion":
                print(_completion(parsed.shell))
    except (UsageError, PositionError, OptionError, MemoryError, ImportError) as error:
        return refuse(str(error) or type(error).__name__)
    return DONE


def _depth(text: str, minimum: int = 0) -> int:
    from argparse import ArgumentTypeError

    from engine.commandline import UsageError, whole
    from engine.messages import PERFT

    try:
        return whole(minimum, PERFT.maximum, "a depth in plies,")(text)
    except ArgumentTypeError as error:
        raise UsageError(f"{error} (see numbat perft --help)") from None


def _perft_files(words: list[str], threads: int) -> int:
    from engine.suites.cli import perft
    from engine.uci.parse import is_file

    files = words if is_file(words[-1]) else words[:-1]
    return perft(files, _depth(words[-1], minimum=1) if files is not words else None, threads)


def parser(parsers: Mapping[str, Parser] | None = None) -> Parser:
    """The command line's parser, with ``parsers`` of commands that have their own; imports argparse."""
    from engine import __version__
    from engine.commandline import Parser, whole
    from engine.options import find

    parser = Parser(
        prog="numbat",
        usage="numbat [-h] [--version] [--tune] [subcommand ...]",
        description="A UCI chess engine. Without a subcommand it speaks UCI. UCI commands can be arguments, as in "
        "'numbat go depth 10'.",
    )
    parser.add_argument("--version", action="version", version=f"Numbat {__version__}")
    parser.add_argument("--tune", action="store_true", help="offer the search parameters as UCI options")
    commands = parser.add_subparsers(dest="command", metavar="subcommand", required=True, prog="numbat")

    def command(name: str, text: str, **settings: Any) -> Parser:
        return commands.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.", **settings)

    bench = command(
        "bench",
        "search a fixed list of positions, or those of a file; the last line is 'N nodes M nps'",
        usage="numbat bench [FILE.epd] [DEPTH] [THREADS] [HASH] | HASH THREADS LIMIT FILE|default|current [KIND]",
    )
    bench.add_argument(
        "words",
        nargs="*",
        metavar="FILE|N",
        help="a file of positions, one a line; depth in plies; search threads; transposition table in MB; or the "
        "arguments of Stockfish's bench: the limit is a depth, nodes, movetime, mate or perft",
    )

    perft = command(
        "perft",
        "count the leaves of the legal move tree, or compare with the counts of a file",
        usage="numbat perft [--threads THREADS] [--divide] DEPTH [FEN] | FILE.epd ... [DEPTH]",
    )
    perft.add_argument(
        "words",
        nargs="+",
        metavar="DEPTH|FILE",
        help="depth in plies and a position, quoted or not (default: the start position); or files with lines such as "
        "'FEN ;D1 20 ;D2 400' to compare with, and the maximum depth",
    )
    threads = whole(1, find("Threads").maximum)
    perft.add_argument("--threads", type=threads, default=1, help="number of threads (default: %(default)s)")
    perft.add_argument("--divide", action="store_true", help="also print the count of each root move")

    for name, text in (
        ("analyse", "analyse a position, or annotate the games of a PGN file"),
        ("play", "play a game against the engine in the terminal"),
        ("suite", "solve the test positions of EPD files"),
        ("lab", "compare textbook searches on chess and other games"),
    ):
        own = [parsers[name]] if parsers else []
        commands.add_parser(name, help=text, parents=own, add_help=not own)
    warmup = command("warmup", "compile the engine ahead of the first game")
    warmup.add_argument("--all", action="store_true", help="also compile the tablebase prober")
    warmup.add_argument("--into", metavar="DIR", help="fill this folder, for a later NUMBAT_CACHE_DIR=DIR")
    warmup.add_argument(
        "--cpu",
        choices=("x86-64-v2", "x86-64-v3", "x86-64-v4"),
        help="compile for all processors of this level, for a later NUMBA_CPU_NAME=CPU NUMBA_CPU_FEATURES=",
    )
    command("version", "print the version, Python, numba and the processor, for a bug report")
    completion = command("completion", "print a script that completes commands in a shell")
    completion.add_argument("shell", choices=("bash", "zsh", "fish"), help="the shell")
    command("uci", "speak UCI, as without a subcommand")
    command("help", "print this help, or that of a subcommand")
    return parser


def _completion(shell: str) -> str:
    """The completion of all commands, their options and files for a shell."""
    import shtab

    from engine.analysis import cli as analysis
    from engine.lab import cli as lab
    from engine.suites import cli as suites

    own = {name: analysis.parser(name) for name in ("analyse", "play")}
    commands = parser({**own, "suite": suites.parser(), "lab": lab.parser()})
    choices = next(vars(action)["choices"] for action in commands._actions if action.dest == "command")
    for command in choices.values():
        for action in command._actions:
            if "FILE" in str(action.metavar) or "PGN" in str(action.metavar):
                vars(action)["complete"] = shtab.FILE
    return str(shtab.complete(commands, shell))


def _versions() -> list[str]:
    """What a bug report needs: the version, Python, numba and the processor."""
    import platform
    from importlib.metadata import version

    from llvmlite.binding import get_host_cpu_name

    from engine import __version__

    return [
        f"Numbat {__version__}",
        f"Python {platform.python_version()} ({platform.python_implementation()}), numba {version('numba')}, "
        f"llvmlite {version('llvmlite')}, numpy {version('numpy')}",
        f"{platform.platform()}, {os.cpu_count()} processors of type {get_host_cpu_name()}",
    ]


if __name__ == "__main__":
    sys.exit(main())
