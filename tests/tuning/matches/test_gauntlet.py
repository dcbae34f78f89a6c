"""The gauntlet preset and git revisions: who is here, who is not, and what becomes of both."""

import io
import subprocess
from pathlib import Path

import pytest

from engine.console import Console
from tests.tuning.conftest import FOOLS_MATE
from tuning import gauntlet
from tuning.common import command, revisions
from tuning.common.errors import SetupError
from tuning.common.ledger import read_events
from tuning.matches.engines import EngineSpec


def test_absent_rivals_are_named_and_left_out(monkeypatch, tmp_path, trivial):
    page = io.StringIO()
    monkeypatch.setattr(command, "make_console", lambda: Console(file=page, width=160))
    monkeypatch.setattr(gauntlet, "numbat", lambda limits: trivial("Numbat", FOOLS_MATE))
    rivals = (trivial("here", FOOLS_MATE), EngineSpec("gone", ("no-such-engine",)), trivial("here too", FOOLS_MATE))
    results = tmp_path / "g.jsonl"
    code = gauntlet.main(
        ["--tc", "5", "--games", "2", "--plies", "0", "--scheduler", "here", "--json", str(results)], rivals
    )
    text = page.getvalue()
    assert code == 0
    assert "skipped: gone: no program 'no-such-engine' on the path" in text
    assert "Ratings" in text
    assert results.with_suffix(".png").read_bytes().startswith(b"\x89PNG")


def test_a_gauntlet_goes_on_where_it_was(monkeypatch, tmp_path, trivial):
    """A second run with the same --json points to --resume; it used to lack one."""
    page = io.StringIO()
    monkeypatch.setattr(command, "make_console", lambda: Console(file=page, width=160))
    monkeypatch.setattr(gauntlet, "numbat", lambda limits: trivial("Numbat", FOOLS_MATE))
    rivals = (trivial("here", FOOLS_MATE), trivial("here too", FOOLS_MATE))
    path = str(tmp_path / "g.jsonl")
    play = ["--tc", "5", "--games", "2", "--plies", "0", "--scheduler", "here", "--json", path]
    assert gauntlet.main(play, rivals) == 0
    assert gauntlet.main(play, rivals) == 2
    assert "continue it with --resume" in page.getvalue()
    assert gauntlet.main(["--resume", path, "--scheduler", "here", "--games", "4"], rivals) == 0
    assert len([kind for kind, _ in read_events(Path(path)) if kind == "game"]) == 8
    assert gauntlet.main(["--resume", path, "--hash", "4"], rivals) == 2
    assert "so --hash cannot be given with it" in page.getvalue()


def test_nobody_to_play_is_an_error(capsys):
    arguments = gauntlet.parser().parse_args(["--only", "gone"])
    with pytest.raises(SetupError, match="no rival is installed: gone"):
        gauntlet.settings_from(arguments, (EngineSpec("gone", ("no-such-engine",)),))
    with pytest.raises(SetupError, match="no rival is called gone"):
        gauntlet.settings_from(arguments)


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
    homes = {}
    for revision, said in (("HEAD~2", "one"), ("HEAD~1", "two")):
        home = revisions.prepare(revisions.resolve(revision, project), project)
        out = subprocess.run(home.command, capture_output=True, text=True, check=True).stdout.strip()
        assert out == said
        homes[revision] = home
    assert homes["HEAD~2"].environment != homes["HEAD~1"].environment
    assert revisions.prepare(revisions.resolve("HEAD~2", project), project) == homes["HEAD~2"]
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
