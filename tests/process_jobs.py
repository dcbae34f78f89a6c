"""Jobs for the tests of ``engine.processes``, in a module that is quick to import."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from engine.processes import run

Report = Callable[[Any], None]


@contextmanager
def squaring(report: Report) -> Iterator[Callable[[float], float]]:
    report(os.getpid())

    def square(number: float) -> float:
        time.sleep(abs(number))
        if number < 0:
            raise ValueError(f"{number} is below 0")
        return number * number

    yield square


@contextmanager
def noting(folder: Path, report: Report) -> Iterator[Callable[[int], int]]:
    """Leaves a note of every start of an item, and one at the end; the item 1 reports its process and never ends,
    nor does -1, in a callback, which swallows exceptions."""

    class Deaf:
        def __del__(self) -> None:
            time.sleep(3600)

    def note(number: int) -> int:
        with (folder / str(number)).open("a") as notes:
            notes.write(f"{os.getpid()}\n")
        report(os.getpid())
        if number == -1:
            Deaf()
        if abs(number) == 1:
            time.sleep(3600)
        return number

    try:
        yield note
    finally:
        (folder / f"end-{os.getpid()}").touch()


@contextmanager
def dying(words: str, report: Report) -> Iterator[Callable[[int], int]]:
    def die(number: int) -> int:
        if number == 1:
            print(words, flush=True)
            os._exit(7)
        return number

    yield die


@contextmanager
def refusing(report: Report) -> Iterator[Callable[[int], int]]:
    raise MemoryError("no memory")
    yield


@contextmanager
def strange(report: Report) -> Iterator[Callable[[int], Any]]:
    class Odd(Exception):
        def __init__(self, one: int, two: int) -> None:
            super().__init__("odd")

    def work(number: int) -> Any:
        if number:
            raise Odd(1, 2)
        return lambda: 0

    yield work


@contextmanager
def nesting(report: Report) -> Iterator[Callable[[int], int]]:
    def nest(number: int) -> int:
        pids: set[int] = set()
        list(run(squaring, [0.1] * 3, 2, on_report=lambda item, pid: pids.add(pid)))
        return len(pids - {os.getpid()})

    yield nest
