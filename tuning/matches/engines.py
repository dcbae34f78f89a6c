"""The words of an ``--engine`` flag, and the specification of an engine made from them."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tuning.common.errors import EngineFailure, SetupError
from tuning.matches.limits import TimeControl, parse_tc

GAME_FOLDERS = ("/usr/games", "/usr/local/games")
"""The Filesystem Hierarchy Standard's folders for games, which may be missing from the PATH."""

WORDS_HELP = (
    "cmd=COMMAND (or just COMMAND), name=, dir=, arg=, option.NAME=VALUE, env.NAME=VALUE, "
    "rev=REVISION (this engine at a git revision), and separate limits: tc=, st= (seconds a move) or movetime= "
    "(milliseconds a move), nodes=, depth=, timemargin= (milliseconds)"
)


@dataclass(frozen=True, slots=True)
class EngineSpec:
    """All that is needed to start an engine.

    ``options`` must exist in the engine; ``shared_options`` are sent only to engines that have them.
    ``revision`` is a commit of this project; the command then runs in a worktree of it."""

    name: str
    command: tuple[str, ...]
    directory: str | None = None
    options: dict[str, str] = field(default_factory=dict)
    shared_options: dict[str, str] = field(default_factory=dict)
    environment: dict[str, str] = field(default_factory=dict)
    revision: str | None = None
    limits: TimeControl = field(default_factory=TimeControl)

    def resolved_command(self) -> list[str]:
        """The command, its program looked up on the path, then in ``directory``. Raises :class:`EngineFailure`."""
        program, *arguments = self.command
        candidates = [shutil.which(program), shutil.which(program, path=os.pathsep.join(GAME_FOLDERS))]
        if self.directory:
            candidates.append(shutil.which(str(Path(self.directory) / program)))
        for found in candidates:
            if found:
                return [os.path.abspath(found), *arguments]
        elsewhere = f" nor in {self.directory}" if self.directory else ""
        raise EngineFailure(self.name, f"no program {program!r} on the path{elsewhere}")


def parse_words(words: Sequence[str], default: TimeControl = TimeControl()) -> EngineSpec:  # noqa: B008
    """Read one ``--engine`` flag, written as cutechess writes it (see ``WORDS_HELP``).

    ``default`` gives the other limits. Raises :class:`SetupError` naming the bad word."""
    command: list[str] = []
    plain: dict[str, str] = {}
    arguments: list[str] = []
    prefixed: dict[str, dict[str, str]] = {"option": {}, "env": {}}
    limit_words: list[str] = []
    for position, word in enumerate(words):
        key, equals, value = word.partition("=")
        prefix, dot, name = key.partition(".")
        if not equals or (position == 0 and key not in _KEYS and not dot):
            if command:
                raise SetupError(f"engine word {word!r} is not of the form NAME=VALUE")
            command = _split(word, word)
        elif key == "cmd":
            command = _split(word, value)
        elif key == "arg":
            arguments.append(value)
        elif key in LIMIT_KEYS:
            limit_words.append(word)
        elif key in _KEYS:
            plain[key] = os.path.abspath(os.path.expanduser(value)) if key == "dir" else value
        elif dot and prefix in prefixed:
            prefixed[prefix][name] = value
        else:
            raise SetupError(f"engine word {word!r} is unknown; the words are: {WORDS_HELP}")
    revision = plain.get("rev")
    if not command and not revision:
        raise SetupError(f"engine {' '.join(words)!r} has no command (cmd=...) and no revision (rev=...)")
    return EngineSpec(
        name=plain.get("name") or (Path(command[0]).name if command else str(revision)),
        command=(*command, *arguments),
        directory=plain.get("dir"),
        options=prefixed["option"],
        environment=prefixed["env"],
        revision=revision,
        limits=parse_limit_words(limit_words, default),
    )


def _split(word: str, command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError as error:
        raise SetupError(f"engine word {word!r}: {error}") from None


LIMIT_KEYS = ("tc", "st", "movetime", "nodes", "depth", "timemargin")
_KEYS = ("cmd", "name", "dir", "arg", "rev", *LIMIT_KEYS)


def parse_limit_words(words: Sequence[str], default: TimeControl = TimeControl()) -> TimeControl:  # noqa: B008
    """Read ``tc= st= movetime= nodes= depth= timemargin=``; ``default`` gives the other limits."""
    fields: dict[str, Any] = {}
    for word in words:
        key, _, value = word.partition("=")
        try:
            if key == "tc":
                base, increment, moves = parse_tc(value)
                fields |= {"base": base, "increment": increment, "moves": moves, "movetime": None}
            elif key in ("st", "movetime"):
                seconds = float(value) / (1.0 if key == "st" else 1000.0)
                fields |= {"movetime": seconds, "base": None, "increment": 0.0, "moves": 0}
            elif key == "timemargin":
                fields["margin"] = float(value) / 1000.0
            else:
                fields[key] = int(value)
        except ValueError as error:
            if isinstance(error, SetupError):
                raise
            raise SetupError(f"engine word {word!r}: {value!r} is not a number") from None
    return replace(default, **fields)


def parse_each(words: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """Split the words of ``--each`` into options and limit words."""
    options: dict[str, str] = {}
    limit_words: list[str] = []
    for word in words:
        key, _, value = word.partition("=")
        if key.startswith("option."):
            options[key.removeprefix("option.")] = value
        elif key in LIMIT_KEYS:
            limit_words.append(word)
        else:
            raise SetupError(f"--each takes option.NAME=VALUE and limits, not {word!r}")
    return options, limit_words


def with_unique_names(specs: Sequence[EngineSpec]) -> list[EngineSpec]:
    """Number engines that share a name (``numbat``, ``numbat (2)``), to distinguish their results."""
    unique: dict[str, EngineSpec] = {}
    for spec in specs:
        names = (spec.name, *(f"{spec.name} ({number})" for number in range(2, len(specs) + 1)))
        name = next(name for name in names if name not in unique)
        unique[name] = replace(spec, name=name)
    return list(unique.values())
