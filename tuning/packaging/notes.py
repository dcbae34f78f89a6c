"""The changelog and the citation file: whether a release is closed in both, and its notes."""

import re
from pathlib import Path

from tuning.common.errors import SetupError

#: The heading of a section: ``## 0.2.0 (2026-11-25)``, or ``## Unreleased`` at the top between releases.
_HEADING = re.compile(r"^## (\S+)(?: \((\d{4}-\d\d-\d\d)\))?\n", re.MULTILINE)


def check_release(root: Path, number: str, tag: str) -> None:
    """Raise :class:`SetupError` unless the files in ``root`` describe the release of ``number`` under ``tag``."""
    if tag != f"v{number}":
        raise SetupError(f"the tag {tag} is not v{number}, after the NUMBER of engine/version.py")
    title, date, text = _sections(root)[0]
    if title != number or not date:
        raise SetupError(f"the first section of CHANGELOG.md is '{title}': it must be '{number} (YEAR-MONTH-DAY)'")
    if not text.strip():
        raise SetupError("the first section of CHANGELOG.md is empty")
    citation = (root / "CITATION.cff").read_text(encoding="utf-8")
    for line in (f"version: {number}", f"date-released: {date}"):
        if line not in citation.splitlines():
            raise SetupError(f"CITATION.cff has no line '{line}'")


def notes(root: Path) -> str:
    """The changelog's newest section without its heading, each item on one line, as release pages keep line breaks."""
    return re.sub(r"\n +", " ", _sections(root)[0][2])


def _sections(root: Path) -> list[tuple[str, str, str]]:
    """Title, date (empty without one) and text of each section of the changelog."""
    _, *parts = _HEADING.split((root / "CHANGELOG.md").read_text(encoding="utf-8"))
    return [(parts[at], parts[at + 1] or "", parts[at + 2].strip() + "\n") for at in range(0, len(parts), 3)]
