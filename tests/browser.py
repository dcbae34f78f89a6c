"""Pages of Numbat in a real browser: Chromium, headless, as a person would drive it. Skipped if there is none."""

import re
import shutil
import subprocess
from html import unescape
from pathlib import Path
from urllib.parse import quote

import pytest

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
needs_browser = pytest.mark.skipif(BROWSER is None, reason="no Chromium on PATH")


class Dom:
    """A page after its scripts have run, as the browser writes it out."""

    def __init__(self, page: Path, fragment: str = "", script: str = "", width: int = 800) -> None:
        assert BROWSER
        if script:  # act as the reader would, and report what goes wrong
            text = page.read_text("utf-8").replace("</body>", f"<script>{script}</script></body>")
            page = page.with_name("driven.html")
            page.write_text(text, "utf-8")
        command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=30000"]
        command += ["--allow-file-access-from-files"]  # to look into frames
        command += [f"--window-size={width},900"]
        command += [f"--user-data-dir={page.parent / 'profile'}", "--dump-dom"]
        command += [f"{page.as_uri()}#{quote(fragment, safe='=&')}"]
        self.text = subprocess.run(command, capture_output=True, check=True, timeout=120, encoding="utf-8").stdout

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
