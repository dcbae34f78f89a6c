"""What must be closed before a release, and the notes that are published with it."""

import re
import sys
from pathlib import Path

import pytest

from engine.version import NUMBER
from tuning import release
from tuning.common.errors import SetupError
from tuning.packaging.notes import check_release, notes

CHANGELOG = """\
# Changes

## 0.3.0 (2026-12-01)

### Added
- A thing that takes
  two lines.
- Another.

## 0.2.0 (2026-11-25)

- Old.
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A checkout that is closed for 0.3.0."""
    (tmp_path / "CHANGELOG.md").write_text(CHANGELOG)
    (tmp_path / "CITATION.cff").write_text("title: Numbat\nversion: 0.3.0\ndate-released: 2026-12-01\n")
    return tmp_path


def test_a_closed_release_has_its_notes(root: Path) -> None:
    check_release(root, "0.3.0", "v0.3.0")
    assert notes(root) == "### Added\n- A thing that takes two lines.\n- Another.\n"


@pytest.mark.parametrize(
    ("file", "old", "new", "complaint"),
    [
        ("CHANGELOG.md", "0.3.0 (2026-12-01)", "Unreleased", "section of CHANGELOG.md is 'Unreleased'"),
        ("CHANGELOG.md", "0.3.0 (2026-12-01)", "0.3.0", "section of CHANGELOG.md is '0.3.0'"),
        ("CHANGELOG.md", CHANGELOG[11:], "\n## 0.3.0 (2026-12-01)\n", "section of CHANGELOG.md is empty"),
        ("CITATION.cff", "0.3.0", "0.2.0", "no line 'version: 0.3.0'"),
        ("CITATION.cff", "12-01", "11-25", "no line 'date-released: 2026-12-01'"),
    ],
)
def test_a_release_that_is_not_closed_is_refused(root: Path, file: str, old: str, new: str, complaint: str) -> None:
    path = root / file
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(SetupError, match=complaint):
        check_release(root, "0.3.0", "v0.3.0")


@pytest.mark.parametrize(("number", "tag"), [("0.3.0.dev0", "v0.3.0"), ("0.3.0", "0.3.0"), ("0.3.0", "v0.3.1")])
def test_the_tag_is_the_version(root: Path, number: str, tag: str) -> None:
    with pytest.raises(SetupError, match=f"the tag {tag} is not v{number}"):
        check_release(root, number, tag)


def test_the_citation_is_that_of_the_last_release(repository: Path) -> None:
    changelog = (repository / "CHANGELOG.md").read_text(encoding="utf-8")
    number, date = re.findall(r"^## (\S+) \(([\d-]+)\)$", changelog, re.MULTILINE)[0]
    assert number == NUMBER or "dev" in NUMBER
    assert {f"version: {number}", f"date-released: {date}"} <= set(
        (repository / "CITATION.cff").read_text().split("\n")
    )


def test_a_folder_with_files_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "kept").touch()
    assert release.main([str(tmp_path)]) == 2
    assert "is not empty" in capsys.readouterr().out
    assert release.main([str(tmp_path / "new"), "--tag", "v9.9.9"]) == 2
    assert "the tag v9.9.9 is not v" in capsys.readouterr().out
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]


def test_what_the_zip_needs_is_checked_before_the_long_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def unreachable(url: str, path: Path) -> None:
        raise OSError("no network")

    monkeypatch.setattr("urllib.request.urlretrieve", unreachable)
    monkeypatch.setattr(release.windows, "PYTHON", f"https://python.test/python-3.{sys.version_info.minor}.1-embed.zip")
    monkeypatch.setattr(release, "check_release", lambda *of: None)
    monkeypatch.setattr(release, "build", lambda out: pytest.fail("the long work has begun"))
    assert release.main([str(tmp_path / "new"), "--tag", "v1.0.0"]) == 2
    (line,) = capsys.readouterr().out.splitlines()
    assert "no zip for Windows: no network (--python FILE" in line
    assert not (tmp_path / "new").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="scripts are no programs")
@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("echo Numbat 1.0; echo bestmove e7e5", ""),
        ("echo Numbat 1.0.dev0", "reports the version 'Numbat 1.0.dev0', not 'Numbat 1.0'"),
        ("echo Numbat 1.0; echo info depth 3", "plays no move"),
        ("echo out of memory; exit 3", "out of memory"),
    ],
)
def test_what_does_not_play_is_not_published(tmp_path: Path, text: str, complaint: str) -> None:
    program = tmp_path / "numbat"
    program.write_text(f"#!/bin/sh\n{text}\n")
    program.chmod(0o755)
    if complaint:
        with pytest.raises(SetupError, match=complaint):
            release.try_program(program, "1.0", {}, str(tmp_path))
    else:
        release.try_program(program, "1.0", {}, str(tmp_path))
