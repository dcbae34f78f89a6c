"""Pages of Numbat in Chromium, driven by Playwright as a person would."""

import re
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from playwright.sync_api import Page


def visit(tab: "Page", page: Path, fragment: str = "", width: int = 800, height: int = 900) -> None:
    """Load a page anew in a window of this size."""
    tab.goto("about:blank")  # a new fragment alone would load nothing
    tab.set_viewport_size({"width": width, "height": height})
    tab.goto(f"{page.as_uri()}#{quote(fragment, safe='=&')}")


class Dom:
    """A page after a ``script`` has acted as its reader and half a minute has passed, as the browser writes it out."""

    def __init__(self, tab: "Page", page: Path, fragment: str = "", script: str = "", width: int = 800) -> None:
        visit(tab, page, fragment, width)
        tab.evaluate(f"async () => {{{script}}}")
        tab.clock.run_for(30_000)
        self.text = tab.content()

    def of(self, identity: str) -> str:
        """The text of the element with this id."""
        found = re.search(rf'id="{identity}"[^>]*>([^<]*)<', self.text)
        assert found, identity
        return unescape(found[1])

    def classes(self, identity: str) -> set[str]:
        """The classes of the element with this id."""
        found = re.search(rf'<g id="{identity}" class="([^"]*)"', self.text)
        assert found, identity
        return set(found[1].split())

    def pruned(self) -> list[int]:
        """The nodes whose branches are crossed out."""
        return [int(node) for node in re.findall(r'<g id="branch-(\d+)" class="[^"]*pruned', self.text)]
