"""The progress of a long run, on a terminal and in a log, and plain tables."""

import time
from collections.abc import Callable, Iterable

from rich.console import RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from engine.console import Console, TextColumn

LINE_SECONDS = 30.0  # seconds between lines of progress if there is no terminal


def table(left: int, *headings: str) -> Table:
    """A table without lines: the first ``left`` columns may be folded, the others are aligned to the right."""
    made = Table(box=None, pad_edge=False, header_style="bold")
    for place, heading in enumerate(headings):
        if place < left:
            made.add_column(heading, overflow="fold")
        else:
            made.add_column(heading, justify="right", no_wrap=True)
    return made


class _Bar(Progress):
    """A progress bar with more ``below`` it."""

    below: Callable[[], Iterable[RenderableType]] = staticmethod(tuple)

    def get_renderables(self) -> Iterable[RenderableType]:
        yield from super().get_renderables()
        yield from self.below()


class Display:
    """A progress bar with text on a terminal; elsewhere a line of text now and then. Enter ``bar`` to show it."""

    def __init__(self, console: Console, task: str, total: int | None, done: int = 0, numbers: bool = True) -> None:
        self._console = console
        self.bar = _Bar(
            TextColumn("{task.description}"), BarColumn(), *([MofNCompleteColumn()] if numbers else []),
            TextColumn("{task.fields[text]}"), TimeElapsedColumn(), TimeRemainingColumn(),
            console=console, disable=not console.is_terminal,
        )  # fmt: skip
        self._task = self.bar.add_task(task, total=total, completed=done, text="")
        self.begin()

    def begin(self, earlier: float = 0.0) -> None:
        """Restart the clock ``earlier`` seconds ago; call it with the first results, to leave out the start-up."""
        self._began = self._shown = time.monotonic() - earlier

    @property
    def seconds(self) -> float:
        """Elapsed time, never 0."""
        return max(time.monotonic() - self._began, 0.001)

    def show(self, done: int, text: str, line: str | None = None) -> None:
        """Show that ``done`` of the total are done, with ``text``, or in a log with ``line``."""
        self.bar.update(self._task, completed=done, text=text)
        if not self._console.is_terminal and time.monotonic() - self._shown >= LINE_SECONDS:
            self._shown = time.monotonic()
            self._console.print(text if line is None else line)
