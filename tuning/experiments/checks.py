"""What can be said of a command before it is run: whether it can run, and how it would be continued.

Tools of the workbench are asked themselves: their command lines are read, and their settings made, as they would be at
their start. So an engine, a book, a revision, a parameter or a network that is not there is named at once.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import io
import shlex
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType

from tuning.common import revisions
from tuning.common.errors import EngineFailure, SetupError
from tuning.experiments.store import Order

RESULTS_TOOLS = ("match", "gauntlet", "suite", "spsa", "arena")
"""Tools with ``--json`` for the results file and ``--resume`` to go on with it."""

KEPT_FLAGS = ("--pgn", "--keep", "--plot", "--scheduler", "--concurrency")
"""Their flags with a value that a continuation gets again."""

REVISION_FLAGS = ("--new", "--base", "--rev")
"""Flags for revisions; the arena's ``--new`` and ``--base`` hold options, and are left alone."""

TIMED_WORDS = ("--tc", "--movetime", "tc=", "st=", "movetime=")
"""Words that let engines play by the clock."""


@dataclass(frozen=True, slots=True)
class Module:
    """``python ... -m name words`` of a command line."""

    python: tuple[str, ...]
    name: str
    words: tuple[str, ...]

    @property
    def tool(self) -> str | None:
        """``match`` for ``tuning.match``, ``None`` for what is none of the workbench's."""
        return self.name.removeprefix("tuning.") if self.name.startswith("tuning.") else None

    def command(self, words: Sequence[str]) -> tuple[str, ...]:
        return (*self.python, "-m", self.name, *words)


def module_of(command: Sequence[str]) -> Module | None:
    """The module that a command runs, if it is Python's ``-m``."""
    if not command or not Path(command[0]).name.startswith("python") or "-m" not in command:
        return None
    place = list(command).index("-m")
    if place + 1 >= len(command) or any(not word.startswith("-") for word in command[1:place]):
        return None
    return Module(tuple(command[:place]), command[place + 1], tuple(command[place + 2 :]))


def completed(order: Order, results: Path) -> Order:
    """The order with what it leaves open: this Python, the results file ``results``, and how it is continued.

    ``{cores}`` in the command is the number of cores. Raises :class:`SetupError` for a program or module that is not
    there, and for what a tool refuses.
    """
    command = tuple(word.replace("{cores}", str(order.cores)) for word in order.command)
    if not command or not command[0]:
        raise SetupError("no command: put it after the flags, such as add --name NAME -- python -m tuning.match ...")
    if command[0] in ("python", "python3"):
        command = (sys.executable, *command[1:])
    if shutil.which(command[0], path=None) is None and not (Path(order.directory) / command[0]).is_file():
        raise SetupError(f"no program {command[0]!r} on the path")
    module = module_of(command)
    resume, resume_file, written = order.resume_command, order.resume_file, None
    if module is not None:
        _must_exist(module.name)
        if module.tool in ("match", "gauntlet", "suite", "spsa"):
            module = pinned(module)
            command = module.command(module.words)
        if module.tool in RESULTS_TOOLS and "--resume" not in module.words:
            file = _value(module.words, "--json")
            if file is None:
                file = str(results)
                command = module.command((*module.words, "--json", file))
            written = str(Path(order.directory) / file)
            again = ("--resume", file, *(word for flag in KEPT_FLAGS for word in _pair(module.words, flag)))
            resume, resume_file = resume or module.command(again), resume_file or written
        elif module.tool in RESULTS_TOOLS:
            written = str(Path(order.directory) / (_value(module.words, "--resume") or ""))
        elif module.tool == "train" and (out := _value(module.words, "--out")) is not None:
            resume = resume or module.command(("--resume", out))
            resume_file = resume_file or str(Path(order.directory) / out / "log.jsonl")
        if module.tool is not None:
            ask(module)
    timed = order.timed or any(word == t or word.startswith(t) for word in command for t in TIMED_WORDS)
    timed = timed or (module is not None and module.tool == "gauntlet" and _unbounded(module.words))
    return replace(order, command=command, resume_command=resume, resume_file=resume_file, results=written, timed=timed)


def pinned(module: Module) -> Module:
    """The module with its revisions named by their commits of now, whatever is committed or written until it runs."""
    words = list(module.words)
    for place, word in enumerate(words):
        before = words[place - 1] if place else ""
        flag, equals, value = word.partition("=")
        if before in REVISION_FLAGS:
            words[place] = revisions.resolve(word)[:10]
        elif equals and (flag in REVISION_FLAGS or flag == "rev"):
            words[place] = f"{flag}={revisions.resolve(value)[:10]}"
    return replace(module, words=tuple(words))


def in_worktree(order: Order, revision: str) -> Order:
    """The order in a worktree of ``revision``, with a compile cache of its own; files that are here get full names.

    Raises :class:`SetupError` when there is no such revision or it does not compile.
    """
    home = revisions.prepare(revisions.resolve(revision))
    command = tuple(_full_name(word) for word in order.command[1:])
    environment = {**order.environment, **home.environment}
    return replace(order, command=(*order.command[:1], *command), directory=str(home.tree), environment=environment)


def _full_name(word: str) -> str:
    """A word that names a file from here, by its full name; ``NAME=FILE`` too."""
    key, equals, value = word.rpartition("=")
    if value and not value.startswith("-") and ("/" in value or "." in value) and Path(value).is_file():
        return f"{key}{equals}{Path(value).resolve()}"
    return word


def _unbounded(words: Sequence[str]) -> bool:
    return not any(flag in words for flag in ("--nodes", "--depth"))


def _must_exist(name: str) -> None:
    try:
        found = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        found = None
    if found is None:
        raise SetupError(f"no module {name!r} here")


def _value(words: Sequence[str], flag: str) -> str | None:
    pair = _pair(words, flag)
    return None if not pair else pair[-1].partition("=")[2] if len(pair) == 1 else pair[1]


def _pair(words: Sequence[str], flag: str) -> tuple[str, ...]:
    """The last ``flag value`` or ``flag=value`` in ``words``."""
    for place in range(len(words) - 1, -1, -1):
        if words[place].startswith(f"{flag}="):
            return (words[place],)
        if words[place] == flag and place + 1 < len(words):
            return (flag, words[place + 1])
    return ()


def ask(module: Module) -> None:
    """Let a tool of the workbench look at its command line. Raises :class:`SetupError` with what it says."""
    try:
        tool = importlib.import_module(module.name)
    except ModuleNotFoundError as error:
        from tuning.common.extras import advice

        raise SetupError(f"{module.name}: {advice(error.name or '') or error}") from None
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
            _look(tool, module.words)
    except SystemExit as stop:
        if stop.code:
            line = said.getvalue().strip().splitlines()[-1:] or [f"it refuses {shlex.join(module.words)}"]
            raise SetupError(f"{module.name}: {line[0]}") from None
    except (SetupError, EngineFailure) as error:
        raise SetupError(f"{module.name}: {error}") from None


def _look(tool: ModuleType, words: Sequence[str]) -> None:
    """Read the command line as the tool would, make its settings, open its book and look for its engines."""
    read = getattr(tool, "parse_arguments", None)
    if read is None and not hasattr(tool, "parser"):
        return
    arguments = read(words) if read is not None else tool.parser().parse_args(words)
    for flag in ("resume", "openings", "suite", "positions"):
        for file in _files(getattr(arguments, flag, None)):
            if not Path(file).exists():
                raise SetupError(f"{file}: no such file")
    for word in words:
        network = word.removeprefix("option.").removeprefix("EvalFile=")
        if "EvalFile=" in word and word.endswith(f"EvalFile={network}") and network and not Path(network).is_file():
            raise SetupError(f"{word}: no such network")
    make = getattr(tool, "settings_from", None)
    if make is None or getattr(arguments, "resume", None):
        return
    made = make(arguments)
    settings = made[0] if isinstance(made, tuple) else made
    if (book := getattr(settings, "book", None)) is not None and hasattr(book, "open"):
        book.open(lambda complaint: None)
    for engine in getattr(settings, "engines", ()):
        if engine.revision is None and getattr(arguments, "scheduler", None) in (None, "here"):
            engine.resolved_command()


def _files(value: object) -> Iterator[str]:
    if isinstance(value, str | Path):
        yield str(value)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _files(one)
