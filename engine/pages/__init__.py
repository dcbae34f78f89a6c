"""Self-contained HTML pages: templates, and the style and script that all of Numbat's pages share."""

import json
from importlib.resources import files
from typing import Any


def fill(package: str, template: str, data: Any, **parts: str) -> str:
    """Fill in the template of a page, which then needs no other file and no network. ``__STYLE__`` and ``__DRAW__`` are
    replaced by the shared files, ``__DATA__`` by ``data`` as JSON, and each name in ``parts`` by a file of the package:
    ``script="page.js"`` replaces ``__SCRIPT__``."""
    page = files(package).joinpath(template).read_text(encoding="utf-8")
    for name, file in parts.items():
        page = page.replace(f"__{name.upper()}__", files(package).joinpath(file).read_text(encoding="utf-8"))
    for place, file in (("__STYLE__", "style.css"), ("__DRAW__", "draw.js")):
        page = page.replace(place, files(__name__).joinpath(file).read_text(encoding="utf-8").rstrip())
    return page.replace("__DATA__", as_json(data))


def as_json(data: Any) -> str:
    """``data`` as JSON in one line, without the letters that would end a script."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
