"""Games between engines, played by fastchess: its command, and what it prints.

Made for ``alpha 1.8.2`` (commit 74deac23) of https://github.com/Disservin/fastchess.
"""

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Generator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from tuning.common import revisions
from tuning.common.errors import EngineFailure, SetupError
from tuning.matches.adjudication import Adjudication
from tuning.matches.engines import EngineSpec
from tuning.matches.limits import TimeControl

TESTED_VERSION = "alpha 1.8.2"

EXIT_SECONDS = 30.0  # time limit for fastchess to end after an interrupt

FAULTS = {
    "time losses": "loses on time",
    "stalls": "'s connection stalls",
    "illegal moves": "makes an illegal move",
    "disconnections": "disconnects",
}
"""How an engine can lose without being beaten: the heading in reports, and the words of fastchess."""

_FINISHED = re.compile(r"Finished game (\d+) \((.+)\): (1-0|0-1|1/2-1/2) \{(.*)\}")
_TROUBLE = re.compile(r"(?:Warning|Fatal|Error)\b")


@dataclass(frozen=True, slots=True)
class MatchGame:
    """A finished game: ``index`` (0 or 1) of the pair that starts from opening ``pair``."""

    pair: int
    index: int
    white: str
    black: str
    result: str
    reason: str

    def points_of(self, engine: str) -> float:
        """Points of one of the two engines: 1, 0.5 or 0."""
        white = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}[self.result]
        return white if engine == self.white else 1.0 - white

    @property
    def fault(self) -> str | None:
        """The heading in :data:`FAULTS` of a game that was not lost on the board; the loser is to blame."""
        return next((heading for heading, words in FAULTS.items() if words in self.reason), None)


def find(path: str | None) -> str:
    """The program. Raises :class:`SetupError` with advice if it is missing."""
    found = shutil.which(path or "fastchess")
    if found is None:
        raise SetupError(
            f"no program {path or 'fastchess'!r}: fastchess plays the games between engines; build it from "
            f"https://github.com/Disservin/fastchess (tested: {TESTED_VERSION}) and name it with --fastchess FILE"
        )
    return os.path.abspath(found)


def engine_words(spec: EngineSpec, options: Mapping[str, str]) -> list[str]:
    """The words of ``-engine``, ``options`` in the engine's spelling. Raises :class:`EngineFailure`."""
    command, environment, directory = starting(spec)
    if environment:  # which fastchess has no word for
        if (env := shutil.which("env")) is None:
            raise EngineFailure(spec.name, "its environment is set by the program 'env', which is not on the path")
        command = [env, *(f"{name}={value}" for name, value in environment.items()), *command]
    program, *arguments = command
    words = [f"name={spec.name}", f"cmd={program}", *([f"dir={directory}"] if directory else [])]
    if arguments:
        words.append(f"args={' '.join(map(_quoted, arguments))}")
    return [*words, *limit_words(spec.limits), *(f"option.{name}={value}" for name, value in options.items())]


def starting(spec: EngineSpec) -> tuple[list[str], dict[str, str], str | None]:
    """The command, the additional environment and the folder in which to start an engine."""
    if spec.revision is None:
        return spec.resolved_command(), dict(spec.environment), spec.directory
    home = revisions.prepare(spec.revision)
    return [*home.command, *spec.command], {**home.environment, **spec.environment}, str(home.tree)


def _quoted(word: str) -> str:
    """A word of ``args=``, which fastchess splits at spaces outside of quotation marks."""
    mark = "'" if '"' in word else '"'
    return f"{mark}{word}{mark}" if re.search(r"""[\s"']""", word) else word


def limit_words(limits: TimeControl) -> list[str]:
    """The limits of one engine."""
    words = {
        "tc": None if limits.base is None else limits.clock,
        "st": None if limits.movetime is None else f"{limits.movetime:g}",
        "nodes": limits.nodes,
        "plies": limits.depth,
        "timemargin": round(1000 * limits.tolerance) or None,
    }
    return [f"{name}={value}" for name, value in words.items() if value is not None]


def adjudication_words(rules: Adjudication) -> list[str]:
    """When to end a game early."""
    words = []
    if rules.resign_moves:
        both = str(rules.resign_both).lower()
        words += ["-resign", f"movecount={rules.resign_moves}", f"score={rules.resign_score}", f"twosided={both}"]
    if rules.draw_moves:
        counts = f"movecount={rules.draw_moves}", f"score={rules.draw_score}"
        words += ["-draw", f"movenumber={rules.draw_from}", *counts]
    if rules.max_moves:
        words += ["-maxmoves", str(rules.max_moves)]
    return words + (["-tb", rules.tablebases] if rules.tablebases else [])


def read_game(line: str, names: Sequence[str], pairs: Sequence[int]) -> MatchGame | None:
    """The game that ``line`` reports, if it does; ``pairs`` are the engines' pairs in fastchess's order."""
    found = _FINISHED.match(line)
    players = {f"{white} vs {black}": (white, black) for white, black in (tuple(names), tuple(reversed(names)))}
    if found is None or found[2] not in players:
        return None
    number = int(found[1]) - 1
    white, black = players[found[2]]
    return MatchGame(pairs[number // 2], number % 2, white, black, found[3], found[4])


def is_trouble(line: str) -> bool:
    """Whether ``line`` tells of something that went wrong."""
    return _TROUBLE.match(line) is not None


def run(command: Sequence[str]) -> Generator[str, None, None]:
    """Start fastchess and yield its lines; closing the generator interrupts it. Raises :class:`SetupError`."""
    # In its own process group, Ctrl-C ends this program, which then ends fastchess.
    group: dict[str, Any] = {"creationflags": 0x200} if os.name == "nt" else {"start_new_session": True}
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8",
        errors="replace", **group,
    ) as process:  # fmt: skip
        reason = ""
        try:
            for line in process.stdout or ():
                reason = line.strip() if is_trouble(line) or (not is_trouble(reason) and line.strip()) else reason
                yield line.rstrip("\n")
            if code := process.wait():
                raise SetupError(f"fastchess ended with exit code {code}: {reason}")
        finally:
            if process.poll() is None:
                process.send_signal(getattr(signal, "CTRL_BREAK_EVENT", signal.SIGINT))
                try:
                    with suppress(subprocess.TimeoutExpired):
                        process.communicate(timeout=EXIT_SECONDS)
                finally:
                    process.kill()
