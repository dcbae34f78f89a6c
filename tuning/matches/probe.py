"""An engine started once before a match: its name, and whether it accepts its options."""

import os
import re
import subprocess
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tuning.common.errors import EngineFailure
from tuning.matches.engines import EngineSpec

READY_SECONDS = 150.0  # time limit for an engine to be ready; engines that compile take long the first time

_OPTION = re.compile(r"option name (.+) type (\w+)")

_TROUBLE = re.compile(
    r"\b(cannot|can't|unable|not(?! used)|no such|invalid|must be|takes no value|unknown|fail\w*|error)\b",
    re.IGNORECASE,
)
"""Words that make a warning about an option a complaint. Stockfish on Windows reports large pages "not used"."""

_SWITCHES = dict.fromkeys(("true", "1", "on", "yes"), "true") | dict.fromkeys(("false", "0", "off", "no"), "false")


@dataclass(frozen=True, slots=True)
class EngineInfo:
    """An engine's own name, and its options, spelled as its own."""

    identity: str
    options: Mapping[str, str]


def probe(
    spec: EngineSpec, command: Sequence[str], environment: Mapping[str, str], directory: str | None, chess960: bool
) -> EngineInfo:
    """Start an engine by ``command``, set its options and wait until it is ready. Raises :class:`EngineFailure` if that
    fails, or if it complains about an option: it would play with another value."""
    try:
        process = subprocess.Popen(
            command, cwd=directory, env={**os.environ, **environment}, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, encoding="utf-8", errors="replace",
        )  # fmt: skip
    except OSError as error:
        raise EngineFailure(spec.name, f"cannot start {command[0]}: {error.strerror or error}") from None
    assert process.stdin is not None
    assert process.stdout is not None
    patience = threading.Timer(READY_SECONDS, process.kill)
    patience.start()
    try:
        with process:
            lines = _answer(spec, process, ["uci"], "uciok")
            known = {name.lower(): (name, kind) for line in lines for name, kind in _OPTION.findall(line)}
            if chess960 and "uci_chess960" not in known:
                raise EngineFailure(spec.name, "it does not play Chess960")
            options = _options(spec, known)
            sent = [f"setoption name {name} value {value}" for name, value in options.items()]
            warnings = _answer(spec, process, [*sent, "isready"], "readyok")
            process.kill()  # it has nothing to save
    finally:
        patience.cancel()
        process.kill()
    if complaint := complaint_about(options, warnings):
        raise EngineFailure(spec.name, complaint)
    names = [line.removeprefix("id name ") for line in lines if line.startswith("id name ")]
    return EngineInfo(names[0] if names else spec.name, options)


def _answer(spec: EngineSpec, process: subprocess.Popen[str], commands: Sequence[str], end: str) -> list[str]:
    """The lines that the engine prints until ``end``. Raises :class:`EngineFailure` if that does not come."""
    assert process.stdin is not None
    assert process.stdout is not None
    lines: list[str] = []
    try:
        process.stdin.write("".join(f"{command}\n" for command in commands))
        process.stdin.flush()
        for line in process.stdout:
            lines.append(line.strip())
            if lines[-1] == end:
                return lines
    except OSError:
        pass  # it closed its input, and did not answer
    said = f": {lines[-1]}" if lines else ""
    raise EngineFailure(spec.name, f"no {end!r} within {READY_SECONDS:g} s, or before it ended{said}")


def _options(spec: EngineSpec, known: Mapping[str, tuple[str, str]]) -> dict[str, str]:
    """The engine's own options, and the shared ones that it has."""
    options = {}
    shared = {name: value for name, value in spec.shared_options.items() if name.lower() in known}
    for asked, value in {**shared, **spec.options}.items():
        if asked.lower() not in known:
            names = ", ".join(name for name, _ in known.values())
            raise EngineFailure(spec.name, f"no option is called {asked}; its options are {names}")
        name, kind = known[asked.lower()]
        if kind == "check" and value.lower() not in _SWITCHES:
            raise EngineFailure(spec.name, f"{name} must be true or false, not {value!r}")
        options[name] = _SWITCHES[value.lower()] if kind == "check" else value
    return options


def complaint_about(options: Mapping[str, str], lines: Sequence[str]) -> str | None:
    """An engine's complaint about one of its ``options``, found by name or a value of four characters or more."""
    for line in lines:
        _, found, warning = line.partition("info string ")
        if not found or not _TROUBLE.search(warning):
            continue
        for name, value in options.items():
            if re.search(rf"\b{re.escape(name)}\b", warning, re.IGNORECASE) or (len(value) > 3 and value in warning):
                return warning
    return None
