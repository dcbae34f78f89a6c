"""What every command does alike: exit codes, the console, how it refuses and how it is interrupted."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

from rich.console import Console

from tuning.common.extras import need

PAGE_WIDTH = 120


def check_picture(path: str | None) -> None:
    """Raise :class:`SetupError` now if a picture could not be drawn at the end."""
    if path is not None:
        need("matplotlib", "--plot")
        from tuning.common.plots import check

        check(Path(path))


def make_console() -> Console:
    """The terminal, or for a file or pipe a page wide enough for the tables."""
    console = Console()
    return console if console.is_terminal else Console(width=PAGE_WIDTH)


def as_interrupt(number: int, frame: object) -> NoReturn:
    """A signal handler: end as Ctrl-C does, with everything written down."""
    raise KeyboardInterrupt
