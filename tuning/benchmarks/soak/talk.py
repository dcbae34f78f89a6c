"""Runs one script with one engine process."""

import contextlib
import queue
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tuning.benchmarks.soak.judge import Fault, ProtocolJudge
from tuning.benchmarks.soak.script import ScriptStep, whole

MAIN = Path(__file__).resolve().parents[3] / "uci_main.py"

#: Megabytes by which the process may grow after the second measurement of its memory.
MOST_GROWTH = 200.0

#: Lines of the conversation kept for the report.
_KEPT = 60


@dataclass
class TalkReport:
    """The report on a conversation: its ``fault``, if any, the number of ``steps`` and lines until then, and the last
    lines."""

    fault: Fault | None = None
    steps: int = 0
    lines: int = 0
    answers: int = 0
    seconds: float = 0.0
    memory: list[float] = field(default_factory=list)
    story: list[str] = field(default_factory=list)


class _Talk:
    def __init__(self, process: subprocess.Popen[bytes], errors: Callable[[], str], patience: float) -> None:
        self.judge = ProtocolJudge()
        self.story: deque[str] = deque(maxlen=_KEPT)
        self.lines = 0
        self._process = process
        self._errors = errors
        self._patience = patience
        self._heard: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._closed = False
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._heard.put(line.decode("utf-8", "backslashreplace").rstrip("\r\n"))
        self._heard.put(None)

    def say(self, text: str, meaning: dict[str, Any]) -> None:
        """Send a line."""
        assert self._process.stdin is not None
        self.judge.say(text, meaning)
        self.lines += 1
        self.story.append(f"> {text[:200]!r}")
        try:
            self._process.stdin.write(text.encode("latin-1") + b"\n")
            self._process.stdin.flush()
        except OSError:
            self.listen()
            raise self._ended() from None

    def listen(self) -> None:
        """Judge what was heard up to now."""
        while True:
            try:
                self._hear(self._heard.get_nowait())
            except queue.Empty:
                return

    def settle(self) -> None:
        """Wait until nothing is due."""
        if self.judge.endless:
            self.say("stop", {"is": "stop"})
        self.say("isready", {"is": "isready"})
        self.wait(lambda: not self.judge.due and not self.judge.uci_due)
        if self._errors():
            raise Fault("standard error", self._errors()[-2000:])

    def wait(self, enough: Callable[[], bool]) -> None:
        """Listen until ``enough``."""
        deadline = time.monotonic() + self._patience
        while not enough():
            try:
                self._hear(self._heard.get(timeout=max(0.0, deadline - time.monotonic())))
            except queue.Empty:
                due = [due.said[:80] for due in list(self.judge.due)[:5]]
                raise Fault("silence", f"no answer within {self._patience:.0f} s to {due}") from None

    def _hear(self, line: str | None) -> None:
        if line is None:
            self._closed = True
            if not self.judge.over or self.judge.due:
                raise self._ended()
            return
        self.story.append(f"< {line[:300]}")
        self.judge.hear(line)

    def _ended(self) -> Fault:
        try:
            code: int | None = self._process.wait(10)
        except subprocess.TimeoutExpired:
            code = None
        return Fault("the process ended", f"with code {code}: {self._errors()[-2000:]}")

    def close(self) -> None:
        """End the process, if it has not ended."""
        self._process.kill()
        self._process.wait()
        self._reader.join(10.0)
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            with contextlib.suppress(OSError):  # unsent input
                stream.close()

    def quit(self) -> None:
        """End the conversation; nothing may come after what is due."""
        self.say("quit", {"is": "quit"})
        self.say("d", {"is": "d"})
        self.wait(lambda: self._closed)
        if (code := self._process.wait(self._patience)) != 0:
            raise Fault("exit code", str(code))
        if self._errors():
            raise Fault("standard error", self._errors()[-2000:])


def talk(
    steps: Iterable[ScriptStep],
    environment: Mapping[str, str] | None = None,
    patience: float = 120.0,
    progress: Callable[[int, float], None] = lambda lines, memory: None,
    command: tuple[str, ...] = (sys.executable, str(MAIN)),
    folder: Path | None = None,
) -> TalkReport:
    """Send ``steps`` to a new engine and judge its answers, each within ``patience`` seconds. File names in the script
    are relative to ``folder``."""
    outcome = TalkReport()
    start = time.monotonic()
    with tempfile.TemporaryFile() as errors:

        def said() -> str:
            errors.seek(0)
            return errors.read().decode("utf-8", "replace")

        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, env=environment, cwd=folder
        )
        conversation = _Talk(process, said, patience)
        try:
            conversation.settle()
            for step in steps:
                outcome.steps += 1
                for text, meaning in step.lines:
                    conversation.say(whole(text), meaning)
                if step.pause:
                    time.sleep(step.pause)
                conversation.listen()
                if step.settle:
                    conversation.settle()
                if step.measure:
                    outcome.memory.append(_megabytes(process.pid))
                    progress(conversation.lines, outcome.memory[-1])
                    _judge_memory(outcome.memory)
            conversation.quit()
        except Fault as fault:
            outcome.fault = fault
        finally:
            conversation.close()
    outcome.lines, outcome.answers = conversation.lines, conversation.judge.answered
    outcome.seconds, outcome.story = time.monotonic() - start, list(conversation.story)
    return outcome


def _megabytes(process: int) -> float:
    """The memory of the process in megabytes; 0 if the system does not report it."""
    try:
        status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    except OSError:
        return 0.0
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    return int(found[1]) / 1024 if found else 0.0


def _judge_memory(memory: list[float]) -> None:
    if len(memory) > 2 and memory[-1] - memory[1] > MOST_GROWTH:
        raise Fault("memory", f"grew from {memory[1]:.0f} to {memory[-1]:.0f} MB")
