"""Measures how long a GUI waits: cold and warm starts, first answers, stop, a long game.

    python -m tuning.benchmarks.start [--rounds 5] [--warm]

A cold start finds an empty cache, a warm one a filled one. Both are timed on all processors and on one. Processor
seconds include the processes that compile, and do not depend on other load. With ``--warm`` one cold start fills the
cache and only warm ones are timed. Answers, in milliseconds, are shown with their targets; on a busy machine only the
minimum is meaningful.
"""

import ctypes
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from itertools import cycle, islice
from pathlib import Path

from tuning.common import command
from tuning.common.flags import whole
from tuning.common.revisions import PROJECT

MAIN = PROJECT / "uci_main.py"

Figure = tuple[float, float]  # seconds to ``readyok``, and of processor time until the end


class Gui:
    """An engine process, talked to as a GUI talks to it. Times are seconds."""

    def __init__(self, cache: Path, processors: set[int] | None = None) -> None:
        self.started = time.perf_counter()
        self._process = subprocess.Popen(
            [sys.executable, str(MAIN)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "NUMBAT_CACHE_DIR": str(cache)},
            preexec_fn=(lambda: os.sched_setaffinity(0, processors)) if processors else None,
        )

    def ask(self, *lines: str, until: str) -> float:
        """Send ``lines`` in one write; how long it takes until a line begins with ``until``."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        sent = time.perf_counter()
        self._process.stdin.write("".join(f"{line}\n" for line in lines))
        self._process.stdin.flush()
        for line in self._process.stdout:
            if line.startswith(until):
                return time.perf_counter() - sent
        raise SystemExit(f"the engine ended before {until!r}, with exit code {self._process.wait()}")

    def since_start(self, *lines: str, until: str) -> float:
        """The time from the start of the process to the answer to :meth:`ask`; the process then quits."""
        self.ask(*lines, until=until)
        took = time.perf_counter() - self.started
        self.quit()
        return took

    def quit(self) -> None:
        self._process.communicate("quit\n")
        if self._process.returncode:
            raise SystemExit(f"the engine left with exit code {self._process.returncode}")


def start(cache: Path, processors: set[int]) -> Figure:
    """One start on these ``processors``."""
    before = _spent()
    took = Gui(cache, processors).since_start("uci", "isready", until="readyok")
    return took, _spent() - before


def _adopt_orphans() -> None:
    """Have Linux give this process the compiler of a cold start, which outlives the engine (PR_SET_CHILD_SUBREAPER)."""
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)


def _spent() -> float:
    """Processor seconds of all children, once they have ended."""
    with suppress(ChildProcessError):
        while True:
            os.wait()
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def first_search(cache: Path) -> float:
    """``go wtime 100`` right after ``readyok``, to ``bestmove``."""
    gui = Gui(cache)
    gui.ask("isready", until="readyok")
    took = gui.ask("go wtime 100 btime 100", until="bestmove")
    gui.quit()
    return took


def stop(gui: Gui) -> float:
    """From ``stop`` to ``bestmove``."""
    gui.ask("position startpos", "go infinite", until="info depth 12 ")
    return gui.ask("stop", until="bestmove")


def isready(gui: Gui) -> float:
    """From ``isready`` to ``readyok`` while a search runs."""
    gui.ask("position startpos", "go infinite", until="info depth 12 ")
    took = gui.ask("isready", until="readyok")
    gui.ask("stop", until="bestmove")
    return took


def long_game(gui: Gui) -> float:
    """A ``position`` with 600 moves, together with the ``isready`` behind it."""
    moves = " ".join(islice(cycle(["g1f3", "g8f6", "f3g1", "f6g8"]), 600))
    return gui.ask(f"position startpos moves {moves}", "isready", until="readyok")


def report(name: str, figures: list[Figure]) -> None:
    """Print one line about starts."""
    took, spent = zip(*figures, strict=True)
    columns = (min(took), statistics.median(took), max(took), statistics.median(spent))
    print(f"{name:34}" + "".join(f"{figure:10.2f}" for figure in columns), flush=True)


def report_answer(name: str, target: str, rounds: int, measure: Callable[[], float]) -> None:
    """Measure an answer and print one line."""
    values = [measure() * 1000 for _ in range(rounds)]
    columns = "".join(f"{value:10.1f}" for value in (min(values), statistics.median(values), max(values)))
    print(f"{name:34}{columns}{target:>10}", flush=True)


def starts(folder: Path, rounds: int, cold: bool) -> Path:
    """Time starts with caches in ``folder``; the one that is filled at the end."""
    everything = os.sched_getaffinity(0)
    places = {f"on {len(everything)} processors": everything, "on 1 processor": {min(everything)}}
    print(f"{'seconds to readyok':34}{'minimum':>10}{'median':>10}{'maximum':>10}{'processor':>10}", flush=True)
    filled = folder / "0"
    start(filled, everything)  # the system reads the libraries from disk
    if cold:
        for name, processors in places.items():
            report(f"cold, {name}", [start(Path(tempfile.mkdtemp(dir=folder)), processors) for _ in range(rounds)])
    for name, processors in places.items():
        report(f"warm, {name}", [start(filled, processors) for _ in range(rounds)])
    size = sum(path.stat().st_size for path in filled.rglob("*") if path.is_file())
    print(f"the cache takes {size / 1e6:.1f} MB")
    return filled


def answers(cache: Path, rounds: int) -> None:
    """Time answers with a filled ``cache``."""
    print(f"\n{'milliseconds':34}{'minimum':>10}{'median':>10}{'maximum':>10}{'target':>10}")
    report_answer("start to uciok", "300", rounds, lambda: Gui(cache).since_start("uci", until="uciok"))
    report_answer("first go wtime 100 to bestmove", "100", rounds, lambda: first_search(cache))
    gui = Gui(cache)
    gui.ask("isready", until="readyok")
    report_answer("stop to bestmove", "20", 4 * rounds, lambda: stop(gui))
    report_answer("isready during a search", "20", 4 * rounds, lambda: isready(gui))
    report_answer("position with 600 moves", "5", 4 * rounds, lambda: long_game(gui))
    gui.quit()


def main() -> None:
    """Print the tables."""
    parser = command.make_parser("benchmarks.start", __doc__)
    parser.add_argument("--rounds", type=whole(1), default=5)
    parser.add_argument("--warm", action="store_true", help="time no cold starts")
    chosen = parser.parse_args()
    _adopt_orphans()
    with tempfile.TemporaryDirectory() as folder:
        answers(starts(Path(folder), chosen.rounds, not chosen.warm), chosen.rounds)


if __name__ == "__main__":
    main()
