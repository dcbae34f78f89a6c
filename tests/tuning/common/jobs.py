"""Units of work for tests; nothing here takes long to import."""

import os
import signal
import time
from pathlib import Path
from typing import Any


def square(unit: int, report: Any) -> int:
    """Square a number that is not unlucky."""
    report({"half": unit})
    if unit == 13:
        raise ValueError("unlucky")
    return unit * unit


def die_once(unit: tuple[int, str], report: Any) -> int:
    """End the process at the first try of the third unit."""
    number, folder = unit
    report(number)
    mark = Path(folder) / "died"
    if number == 2 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def note(unit: tuple[int, str], report: Any) -> None:
    """Leave a note, and take a while."""
    (Path(unit[1]) / f"{unit[0]}").touch()
    time.sleep(0.2)
