"""rich's console and progress column for untrusted text: no markup, no emoji codes, control characters escaped.

Style text by ``style=`` and :class:`rich.text.Text`.
"""

from __future__ import annotations

from collections.abc import Iterable
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
