"""Runs one job of the queue and writes down how it ended, whatever becomes of whoever started it.

    python -m tuning.experiments.wrapper EXIT_FILE NICE COMMAND...

It leads a session of its own, with all processes of the job in it. It blocks the signals that are meant for the job, so
that the exit code is written even if the daemon is gone by then; only after SIGKILL there is none.
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

from engine.files import drafted

_HELD_BACK = (signal.SIGINT, signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM))


def _let_through() -> None:
    """In the child: from here on signals arrive, also one that was sent while the command was being started."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _HELD_BACK)


def main(words: Sequence[str] | None = None) -> int:
    """Run the command; its exit code, negative for a signal, goes to the exit file."""
    exit_file, nice, *command = sys.argv[1:] if words is None else words
    signal.pthread_sigmask(signal.SIG_BLOCK, _HELD_BACK)
    for number in _HELD_BACK:  # whatever was ignored when the daemon was started: a blocked signal is kept, not lost
        signal.signal(number, signal.SIG_DFL)
    problem = ""
    try:
        os.nice(int(nice))
        code = subprocess.Popen(command, stdin=subprocess.DEVNULL, preexec_fn=_let_through).wait()
    except OSError as error:
        code, problem = 127, f"{command[0]}: {error.strerror}"
        print(problem, flush=True)
    with drafted(Path(exit_file)) as draft, draft.open("w", encoding="utf-8") as stream:
        json.dump({"code": code, "time": time.time(), "problem": problem}, stream)
        stream.flush()
        os.fsync(stream.fileno())
    return 0


if __name__ == "__main__":
    sys.exit(main())
