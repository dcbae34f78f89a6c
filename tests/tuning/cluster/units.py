"""Units of work for the tests of clusters; here is nothing that takes long to import."""

import os
import threading
import time
from pathlib import Path
from typing import Any

from tuning.cluster import kept


def square(unit: int, report: Any) -> int:
    report({"half": unit})
    kept.notify("a word")
    if unit == 13:
        raise ValueError("unlucky")
    return unit * unit


def slow_note(unit: tuple[int, str], report: Any) -> int:
    """Leave a note of every start, name the process, and take a while."""
    number, folder = unit
    with (Path(folder) / f"{number}").open("a") as stream:
        stream.write(f"{os.getpid()}\n")
    report({"started": number, "pid": os.getpid()})
    time.sleep(0.3)
    return number


def wait_on_cancel(folder: str, report: Any) -> None:
    """Wait until the unit is cancelled, and leave a note then."""
    ended = threading.Event()
    kept.on_cancel(ended.set)
    report("started")
    assert ended.wait(60)
    (Path(folder) / "cancelled").touch()
    report("too late")  # raises CancelledError


def keep(folder: str, report: Any) -> None:
    """Keep something in this process that leaves a note when it is closed."""
    kept.close_at_end((Path(folder) / "closed").touch)


def number_of(unit: None, report: Any) -> int:
    """The number of this process."""
    return os.getpid()
