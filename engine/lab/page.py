"""The lab as one self-contained HTML page: the table, the growth and, for a small game, the tree step by step."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from importlib.resources import files
from pathlib import Path

from engine.lab.growth import bounds, measured
from engine.lab.measure import Row
from engine.lab.trace import TreeTrace


def write_page(path: Path, title: str, rows: Sequence[Row], tree: TreeTrace | None) -> None:
    """Write the page to ``path``; it needs no network and no other file. Raises ``OSError``."""
    path.write_text(render(title, rows, tree), encoding="utf-8")


def render(title: str, rows: Sequence[Row], tree: TreeTrace | None) -> str:
    """The page's text. Its controls can be preset in the address: ``#search=alpha-beta&step=7``."""
    data = {
        "title": title,
        "rows": [{**asdict(row), "branching": row.branching} for row in rows],
        "measured": measured(rows),
        "bounds": bounds(rows),
        "tree": tree.as_json() if tree else None,
    }
    text = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")  # no "</script>" inside a script
    template = files("engine.lab").joinpath("page.html").read_text(encoding="utf-8")
    return template.replace("__DATA__", text)
