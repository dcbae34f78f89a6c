"""The real engine as a child process, talked to as a GUI talks to it."""

from __future__ import annotations

import contextlib
import os
import queue
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import TracebackType

from tests.run_python import WARNINGS_AS_ERRORS

MAIN = Path(__file__).resolve().parents[2] / "uci_main.py"

#: Seconds. Generous, because a time-out here tells "never" from "late" and nothing finer.
TIMEOUT = 60.0
COLD_TIMEOUT = 300.0


class UciProcess:
    """``uci_main.py`` in a process of its own; every wait has an end, and what went over the wire is kept."""

    def __init__(
        self,
        *arguments: str,
        environment: Mapping[str, str] | None = None,
        before_start: Callable[[], None] | None = None,
        reads: bool = True,
    ) -> None:
        self.transcript: list[str] = []
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed in __exit__
        self.process = subprocess.Popen(
            [sys.executable, *WARNINGS_AS_ERRORS, str(MAIN), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env={**os.environ, **(environment or {})},
            preexec_fn=before_start,
        )
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        if reads:  # else standard output is left to the caller
            self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line.decode().rstrip("\r\n"))
        self._lines.put(None)

    def __enter__(self) -> UciProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        if self._reader.ident is not None:
            self._reader.join()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()
        self._errors.close()

    def send(self, *lines: str) -> None:
        """Send ``lines`` in one write."""
        self.transcript += [f"> {line}" for line in lines]
        self.process.stdin.write("".join(f"{line}\n" for line in lines).encode(errors="surrogateescape"))
        self.process.stdin.flush()

    def close_input(self) -> None:
        """Close the engine's standard input, as a GUI that dies does."""
        self.transcript.append("> (closed)")
        self.process.stdin.close()

    def read(self, pattern: str, timeout: float = TIMEOUT) -> list[str]:
        """The lines up to and including the first one whose beginning matches the regular expression."""
        deadline = time.perf_counter() + timeout
        found: list[str] = []
        while (line := self._next(deadline, pattern)) is not None:
            found.append(line)
            if re.match(pattern, line):
                return found
        raise AssertionError(f"the engine ended before '{pattern}':\n{self._story()}")

    def _next(self, deadline: float, wanted: str) -> str | None:
        """The next line, or None at the end; ``wanted`` is what has not come by the ``deadline``."""
        try:
            line = self._lines.get(timeout=max(0.0, deadline - time.perf_counter()))
        except queue.Empty:
            raise AssertionError(f"no '{wanted}' in time:\n{self._story()}") from None
        if line is not None:
            self.transcript.append(f"< {line}")
        return line

    def heard(self) -> Iterator[str]:
        """The lines that have come and were not read yet."""
        while not self._lines.empty():
            if (line := self._next(time.perf_counter() + TIMEOUT, "a line")) is None:
                raise AssertionError(f"the engine ended:\n{self._story()}")
            yield line

    def ask(self, *lines: str, until: str, timeout: float = TIMEOUT) -> list[str]:
        """Send ``lines`` and read up to the answer that matches ``until``."""
        self.send(*lines)
        return self.read(until, timeout)

    def synchronise(self, timeout: float = TIMEOUT) -> list[str]:
        """Everything that is said before ``readyok``."""
        return self.ask("isready", until="readyok", timeout=timeout)[:-1]

    def remarks(self, *lines: str) -> list[str]:
        """Send ``lines`` and return the texts of all ``info string`` answers, up to ``readyok``."""
        self.send(*lines)
        prefix = "info string "
        return [line[len(prefix) :] for line in self.synchronise() if line.startswith(prefix)]

    def fen(self) -> str:
        """The position as the engine has it."""
        prefix = "Fen: "
        (line,) = [line for line in self.ask("d", until="Legal moves: ") if line.startswith(prefix)]
        return line[len(prefix) :]

    def rest(self, timeout: float = TIMEOUT) -> list[str]:
        """The lines until the engine closes its output."""
        deadline = time.perf_counter() + timeout
        return list(iter(lambda: self._next(deadline, "end of the output"), None))

    def end(self, timeout: float = TIMEOUT) -> int:
        """Wait for the process to end by itself; return its exit code."""
        try:
            return self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"still alive after {timeout} s:\n{self._story()}") from None

    def quit(self) -> None:
        """Say ``quit``; the engine must leave in order and have nothing to complain of."""
        self.send("quit")
        assert self.end() == 0, self._story()
        assert self.errors() == "", self._story()

    def errors(self) -> str:
        """What came on standard error so far."""
        self._errors.seek(0)
        return self._errors.read().decode()

    def _story(self) -> str:
        return "\n".join(self.transcript[-60:]) + "\n" + self.errors()
