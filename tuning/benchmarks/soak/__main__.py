"""Sends valid and invalid input to one engine process for a long time, and checks every answer with python-chess.

    python -m tuning.benchmarks.soak --seed 1 --lines 20000
    python -m tuning.benchmarks.soak --replay soak-1.jsonl

Valid and invalid commands, positions (Chess960 too), options, searches of all kinds, stop and ponderhit at any time,
long lines and bytes that are not text. A script that fails is reduced to the steps that are needed for the failure and
kept as a file, which ``--replay`` runs again.

With ``--boundscheck`` the engine's compiled code checks every index; it has a separate cache, is several times as slow,
and the first start takes minutes.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from pathlib import Path

from engine.play.book import ENTRY_SIZE
from tuning.benchmarks.soak.script import Author, Files, ScriptStep, read_script, write_script
from tuning.benchmarks.soak.shrink import shrink, tail
from tuning.benchmarks.soak.talk import MAIN, TalkReport, talk

OWN_NET = MAIN.parent / "engine" / "evaluation" / "nnue" / "numbat.nnue"


def make_files(folder: Path, data: Path | None) -> Files:
    """Good and bad files below ``folder``, the tables and books in ``data`` among them; named as seen from there."""
    net = OWN_NET.read_bytes()
    (folder / "good net.nnue").write_bytes(net)
    (folder / "cut.nnue").write_bytes(net[: len(net) // 2])
    (folder / "brackets.nnue").write_bytes(net[:12] + b"[" * 200_000)
    (folder / "empty").write_bytes(b"")
    (folder / "zeros.bin").write_bytes(bytes(ENTRY_SIZE * 100))
    (folder / "bad tables").mkdir()
    (folder / "bad tables" / "KQvK.rtbw").write_bytes(b"\x71\xe8\x23\x5d" + bytes(12))
    if hasattr(os, "mkfifo"):
        os.mkfifo(folder / "pipe")
        os.mkfifo(folder / "bad tables" / "KRvK.rtbw")
    bad = sorted(path.name for path in folder.iterdir() if path.name not in ("good net.nnue", "zeros.bin"))
    tables, books = ["tables"], ["zeros.bin"]
    (folder / "tables").mkdir()  # stays empty without tables
    for file in sorted((data / "syzygy").glob("*.rtb?")) if data else ():
        (folder / "tables" / file.name).symlink_to(file.resolve())
    for file in sorted((data / "books").glob("*.bin"))[:2] if data else ():
        (folder / file.name).symlink_to(file.resolve())
        books.append(file.name)
    return Files(("good net.nnue",), tuple(bad), tuple(tables), tuple(books))


def environment(boundscheck: bool) -> dict[str, str]:
    """That of the engine."""
    variables = dict(os.environ)
    if boundscheck:
        variables["NUMBA_BOUNDSCHECK"] = "1"
    return variables


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a soak; 0 when it was clean."""
    parser = argparse.ArgumentParser(
        "python -m tuning.benchmarks.soak", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--lines", type=int, default=20_000)
    parser.add_argument("--replay", type=Path, metavar="FILE", help="run the script in FILE")
    parser.add_argument("--out", type=Path, metavar="FILE", help="file for a script that fails (soak-SEED.jsonl)")
    parser.add_argument("--data", type=Path, help="a directory with syzygy/ and books/ (NUMBAT_DATA)")
    parser.add_argument("--boundscheck", action="store_true", help="check every index of the compiled code")
    parser.add_argument("--patience", type=float, default=120.0, help="seconds that an answer may take")
    parser.add_argument("--tries", type=int, default=2, help="number of tries of a shorter script")
    parser.add_argument("--shrink", type=float, default=20.0, metavar="MINUTES", help="time for reducing it, 0: none")
    chosen = parser.parse_args(arguments)
    data = chosen.data or (Path(os.environ["NUMBAT_DATA"]) if os.environ.get("NUMBAT_DATA") else None)
    out = chosen.out or Path(f"soak-{chosen.seed}.jsonl")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = make_files(folder, data)

        def steps() -> Iterable[ScriptStep]:
            return read_script(chosen.replay) if chosen.replay else Author(chosen.seed, files).steps(chosen.lines)

        return soak(steps, chosen, out, folder)


def soak(script: Callable[[], Iterable[ScriptStep]], chosen: argparse.Namespace, out: Path, folder: Path) -> int:
    """Run the ``script``, which is the same at every call; after a fault, keep the fewest steps that cause it.
    ``folder`` holds the files that they name."""
    variables = environment(chosen.boundscheck)

    def report(lines: int, megabytes: float) -> None:
        print(f"{time.strftime('%H:%M:%S')} {lines} lines, {megabytes:.0f} MB", flush=True)

    outcome = talk(script(), variables, chosen.patience, report, folder=folder)
    done = f"{outcome.lines} lines and {outcome.answers} answers in {outcome.seconds:.0f} s"
    if outcome.fault is None:
        print(f"clean: {done}, memory {min(outcome.memory, default=0):.0f} to {max(outcome.memory, default=0):.0f} MB")
        return 0
    print(f"FAULT after {done}\n")
    print_fault(outcome)
    kind, deadline = outcome.fault.kind, time.monotonic() + 60 * chosen.shrink
    steps = list(islice(script(), outcome.steps))  # later steps do not matter
    write_script(out, steps)
    last = outcome

    def fails(fewer: Sequence[ScriptStep]) -> bool:
        nonlocal last
        for _ in range(chosen.tries):
            again = talk(fewer, variables, chosen.patience, folder=folder)
            if again.fault is not None and again.fault.kind == kind:
                last = again
                write_script(out, fewer)
                print(f"{len(fewer)} steps still fail", flush=True)
                return True
        return False

    def enough() -> bool:
        return bool(time.monotonic() > deadline)

    if chosen.shrink:
        shrink(tail(steps, fails), fails, enough)
        if last is not outcome:
            print_fault(last)
    print(f"\nkept in {out}; say it again with: python -m tuning.benchmarks.soak --replay {out}")
    return 1


def print_fault(outcome: TalkReport) -> None:
    """What happened before the fault, and the fault."""
    print("\n".join(outcome.story))
    print(outcome.fault, flush=True)


if __name__ == "__main__":
    sys.exit(main())
