"""Matches against the rivals that are installed, and git revisions."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.tuning.conftest import SCRIPT, finished, refused, run_tool
from tuning import match
from tuning.common import revisions
from tuning.common.errors import SetupError
from tuning.common.results import read_events
from tuning.matches import rivals
from tuning.matches.engines import EngineSpec


def spec(name: str) -> EngineSpec:
    return EngineSpec(name, (sys.executable, "-S", "-E", str(SCRIPT)))


def _play(monkeypatch, known: tuple[EngineSpec, ...], *flags: str) -> tuple[int, str]:
    """The exit code of a match with ``known`` rivals, and all that it prints."""
    monkeypatch.setattr(rivals, "numbat", lambda: spec("Numbat"))
    monkeypatch.setattr(rivals, "RIVALS", known)
    return run_tool(monkeypatch, match.main, "--rivals", *flags)


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in for fastchess is a shell script")
def test_missing_rivals_are_skipped(monkeypatch, tmp_path, playing):
    known = (spec("here"), EngineSpec("gone", ("no-such-engine",)), spec("here too"))
    settings = ("--games", "2", "--json", str(tmp_path / "g.jsonl"), *playing("1"))
    text = finished(_play(monkeypatch, known, *settings))
    assert "skipped: gone: no program 'no-such-engine' on the path" in text
    assert "Ratings" in text
    assert len([kind for kind, _ in read_events(tmp_path / "g.jsonl") if kind == "game"]) == 4  # not 6: a gauntlet


def test_no_installed_rival_is_refused(monkeypatch, tmp_path):
    gone = (EngineSpec("gone", ("no-such-engine",)),)
    refused(_play(monkeypatch, gone, "--json", str(tmp_path / "g.jsonl")), "is installed: gone")
    assert not list(tmp_path.iterdir())


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository whose engine says which revision it is and refuses to compile at the third."""
    folder = tmp_path / "project"
    folder.mkdir()

    def git(*words: str) -> None:
        identity = ("-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "commit.gpgsign=false")
        subprocess.run(["git", "-C", str(folder), *identity, *words], check=True, capture_output=True)

    git("init")
    for text in ("print('one')", "print('two')", "raise SystemExit('does not compile')"):
        (folder / "uci_main.py").write_text(text)
        git("add", ".")
        git("commit", "-m", text)
    return folder


def test_each_revision_gets_its_worktree_and_cache(project, tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBAT_REVISIONS", str(tmp_path / "cache"))
    homes, lines = {}, []
    for revision, said in (("HEAD~2", "one"), ("HEAD~1", "two")):
        home = revisions.prepare(revisions.resolve(revision, project), project, lines.append)
        out = subprocess.run(home.command, capture_output=True, text=True, check=True).stdout.strip()
        assert out == said
        homes[revision] = home
    assert homes["HEAD~2"].environment != homes["HEAD~1"].environment
    assert revisions.prepare(revisions.resolve("HEAD~2", project), project, lines.append) == homes["HEAD~2"]
    assert lines == ["compiling this revision, once, for about a minute"] * 2
    with pytest.raises(SetupError, match="does not compile"):
        revisions.prepare(revisions.resolve("HEAD", project), project)
    with pytest.raises(SetupError, match="'nonsense'"):
        revisions.resolve("nonsense", project)


def test_the_working_tree_is_a_revision_too(project, tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBAT_REVISIONS", str(tmp_path / "cache"))
    assert revisions.resolve(".", project) == revisions.resolve("HEAD", project)
    (project / "uci_main.py").write_text("print('changed')")
    home = revisions.prepare(revisions.resolve(".", project), project)
    assert (home.tree / "uci_main.py").read_text() == "print('changed')"
