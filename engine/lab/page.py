"""The lab as one self-contained HTML page: the table, the growth and, for a small game, the tree step by step."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from importlib.resources import files
from pathlib import Path
from typing import Any

from engine.files import write_whole
from engine.lab.growth import bounds, measured
from engine.lab.measure import Row
from engine.lab.trace import TreeTrace

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


def fill(package: str, template: str, data: Any, **parts: str) -> str:
    """Fill in the template of a page, which then needs no other file and no network.

    ``__STYLE__`` and ``__DRAW__`` are replaced by the files that all of Numbat's pages share, ``__DATA__`` by ``data``
    as JSON, and each name in ``parts`` by a file of the package: ``script="page.js"`` replaces ``__SCRIPT__``.
    """
    page = files(package).joinpath(template).read_text(encoding="utf-8")
    for name, file in parts.items():
        page = page.replace(f"__{name.upper()}__", files(package).joinpath(file).read_text(encoding="utf-8"))
    for place, file in (("__STYLE__", "style.css"), ("__DRAW__", "draw.js")):
        page = page.replace(place, files("engine.lab").joinpath(file).read_text(encoding="utf-8").rstrip())
    return page.replace("__DATA__", as_json(data))


def as_json(data: Any) -> str:
    """``data`` as JSON in one line, without the letters that would end a script."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
