"""rich's console and progress column for untrusted text, and lines that the user types.

Text has no markup or emoji codes; control characters are escaped. Style by ``style=`` and :class:`rich.text.Text`."""

import io
import os
import select
import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import IO, Any

import rich.console
import rich.progress
from rich.segment import Segment
from rich.status import Status
from rich.text import Text

from engine.printing import escaped, unguarded


class Console(rich.console.Console):
    """A console that prints text literally and :func:`escaped <engine.printing.escaped>`."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(markup=False, highlight=False, emoji=False, **settings)

    @property
    def file(self) -> IO[str]:
        return unguarded(super().file)

    @file.setter
    def file(self, file: IO[str]) -> None:
        self._file = file

    def render_str(self, text: str, **settings: Any) -> Text:
        return super().render_str(escaped(text), **settings)  # before its width is measured

    def render(
        self, renderable: rich.console.RenderableType, options: rich.console.ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=escaped(segment.text))

    def status(self, status: rich.console.RenderableType, **settings: Any) -> Status:
        return super().status(Text(escaped(status)) if isinstance(status, str) else status, **settings)


class TextColumn(rich.progress.TextColumn):
    """A column of literal text."""

    def render(self, task: rich.progress.Task) -> Text:
        return Text(escaped(self.text_format.format(task=task)))


def read_line(prompt: str, seconds: float | None = None) -> str | None:
    """A line that the user types; None after ``seconds`` without one. Bytes that are no text become U+FFFD. Raises
    EOFError at the end of the input, after printing a line end. Without a terminal, and on Windows, no time limit."""
    if sys.stdin is None:  # started with standard input closed
        raise EOFError
    if isinstance(sys.stdin, io.TextIOWrapper) and sys.stdin.errors != "replace":
        with suppress(io.UnsupportedOperation):  # a line was read before
            sys.stdin.reconfigure(errors="replace")
    try:
        if seconds is None or os.name == "nt" or not sys.stdin.isatty():
            return input(prompt)
        print(prompt, end="", flush=True)
        if not select.select([sys.stdin], [], [], seconds)[0]:
            return None
        line = sys.stdin.readline()
        if not line:
            raise EOFError
        return line.rstrip("\n")
    except EOFError:
        print()
        raise
