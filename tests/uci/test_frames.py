"""engine/README.md against the code: names are in the files that it links."""

import re
from importlib import import_module
from pathlib import Path
from typing import Any

PAGE = Path(__file__).resolve().parents[2] / "engine" / "README.md"

#: ``name`` in one cell of a row and a link to its file in another, or both in a sentence.
NAMED = re.compile(r"((?:`[\w.]+`,? ?)+)[^`\n]*?\|? ?\(?\[[\w/.]+\]\((\S+?\.py)\)")


def test_names_of_the_page_are_in_the_files_that_it_links() -> None:
    found = NAMED.findall(PAGE.read_text(encoding="utf-8"))
    assert len(found) >= 20
    for names, file in found:
        module: Any = import_module("engine." + file.removesuffix(".py").replace("/", "."))
        for name in re.findall(r"`([\w.]+)`", names):
            owner = module
            for part in name.split("."):
                assert hasattr(owner, part), f"{file} has no {name}"
                owner = getattr(owner, part)
