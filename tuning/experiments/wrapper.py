"""Runs one job of the queue and writes down how it ended, whatever becomes of whoever started it.

    python -m tuning.experiments.wrapper EXIT_FILE NICE COMMAND...

It leads a session of its own, in which all processes of the job are. Signals that are meant for the job leave it alone,
so that the exit code is written even if the daemon is gone by then; only SIGKILL leaves none, and that says enough.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

_LEFT_ALONE = (signal.SIGINT, signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM))


def _as_usual() -> None:
    """In the child: signals do what they do by default, whatever was ignored where the daemon was started."""
    for number in _LEFT_ALONE:
        signal.signal(number, signal.SIG_DFL)


def main(words: Sequence[str] | None = None) -> int:
    """Run the command; its exit code, negative for a signal, goes to the exit file."""
    exit_file, nice, *command = sys.argv[1:] if words is None else words
    for number in _LEFT_ALONE:
        signal.signal(number, signal.SIG_IGN)
    problem = ""
    try:
        os.nice(int(nice))
        code = subprocess.Popen(command, stdin=subprocess.DEVNULL, preexec_fn=_as_usual).wait()
    except OSError as error:
        code, problem = 127, f"{command[0]}: {error.strerror}"
        print(problem, flush=True)
    path = Path(exit_file)
    draft = path.with_suffix(".part")
    with draft.open("w", encoding="utf-8") as stream:
        json.dump({"code": code, "time": time.time(), "problem": problem}, stream)
        stream.flush()
        os.fsync(stream.fileno())
    draft.replace(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
