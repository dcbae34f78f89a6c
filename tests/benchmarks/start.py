"""First and later starts: seconds from the start of the process to ``readyok``. Prints figures, judges nothing.

    python -m tests.benchmarks.start [--rounds 5] [--warm]

A cold start finds an empty cache, a warm one what a cold one left. Both are timed on all processors and on one. The
processor seconds, those of the processes that compile included, count the work whatever else the machine does.
With ``--warm`` one cold start fills the cache and only warm ones are timed.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import tempfile
from pathlib import Path

from tests.uci.process import COLD_TIMEOUT, UciProcess

#: Seconds to ``readyok``, and of processor time until the end.
Figure = tuple[float, float]


def start(cache: Path, processors: set[int]) -> Figure:
    """One start on these ``processors``."""

    def settle() -> None:
        os.sched_setaffinity(0, processors)

    before = _spent()
    with UciProcess(environment={"NUMBAT_CACHE_DIR": str(cache)}, before_start=settle) as process:
        process.send("uci", "isready")
        took = process.read_timed("readyok", COLD_TIMEOUT)[-1].time - process.started
        process.quit()
    return took, _spent() - before


def _spent() -> float:
    """Processor seconds of all children that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def report(name: str, figures: list[Figure]) -> None:
    """Print one line."""
    took, spent = zip(*figures, strict=True)
    columns = (min(took), statistics.median(took), max(took), statistics.median(spent))
    print(f"{name:26}" + "".join(f"{figure:12.2f}" for figure in columns), flush=True)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--warm", action="store_true", help="time no cold starts, which take a minute or so each")
    chosen = parser.parse_args()
    everything = os.sched_getaffinity(0)
    places = {f"on {len(everything)} processors": everything, "on 1 processor": {min(everything)}}
    print(f"{'seconds to readyok':26}{'minimum':>12}{'median':>12}{'maximum':>12}{'processor':>12}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        number = 0

        def fresh() -> Path:
            nonlocal number
            number += 1
            return Path(folder) / str(number)

        start(fresh(), everything)  # the system reads the libraries from disk
        if not chosen.warm:
            for name, processors in places.items():
                report(f"cold, {name}", [start(fresh(), processors) for _ in range(chosen.rounds)])
        filled = Path(folder) / "1"
        for name, processors in places.items():
            report(f"warm, {name}", [start(filled, processors) for _ in range(chosen.rounds)])
        size = sum(path.stat().st_size for path in filled.rglob("*") if path.is_file())
        print(f"the cache takes {size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
