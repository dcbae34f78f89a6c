"""The lab as one self-contained HTML page: the table, the growth and, for a small game, the tree step by step."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from engine.files import write_whole
from engine.lab.growth import bounds, measured
from engine.lab.measure import Row
from engine.lab.trace import TreeTrace
from engine.pages import fill

#: A text of every page.
MARK = "<title>Numbat lab</title>"


def write_page(path: Path, title: str, rows: Sequence[Row], tree: TreeTrace | None) -> None:
    """Write the page to ``path``; it needs no network and no other file. Raises :class:`WriteError`."""
    write_whole(path, render(title, rows, tree))


def render(title: str, rows: Sequence[Row], tree: TreeTrace | None) -> str:
    """The page as HTML. Its URL fragment can preset the controls: ``#search=alpha-beta&step=7``."""
    data = {
        "title": title,
        "rows": [{**asdict(row), "branching": row.branching} for row in rows],
        "measured": measured(rows),
        "bounds": bounds(rows),
        "tree": tree.as_json() if tree else None,
    }
    return fill("engine.lab", "page.html", data)
