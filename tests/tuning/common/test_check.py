"""``--check``: what a long run needs is looked at, and nothing is started or written."""

import importlib
from pathlib import Path

import pytest

from tests.tuning.conftest import FOOLS_MATE
from tests.tuning.matches.test_match import words

BOTH = [*words("a", FOOLS_MATE), *words("b", FOOLS_MATE), "--nodes", "5"]


def check(capsys: pytest.CaptureFixture[str], tool: str, *arguments: str) -> tuple[int, str]:
    """The exit code of ``python -m tuning.TOOL ... --check``, and all that it prints."""
    try:
        code = importlib.import_module(f"tuning.{tool}").main([*arguments, "--check"])
    except SystemExit as stop:
        code = stop.code
    out, error = capsys.readouterr()
    return code, out + error


def files_of(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*"))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a book that has no position and a file of positions; the working folder of each test."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "junk.epd").write_text("nonsense\n")
    (tmp_path / "positions.tsv").touch()
    return tmp_path


@pytest.mark.parametrize(
    ("tool", "arguments", "complaint"),
    [
        ("match", [*BOTH, "--games", "x"], "invalid int value: 'x'"),
        ("match", [*BOTH, "--no-such-flag"], "unrecognized arguments: --no-such-flag"),
        ("match", ["--engine", "cat"], "a match needs two engines"),
        ("match", [*BOTH, "--engine", "no-such"], "no-such: no program 'no-such' on the path"),
        ("match", ["--new", "no-such", "--base", "HEAD", "--nodes", "5"], "revision 'no-such' is not in"),
        ("match", [*BOTH, "--openings", "/no.epd"], "/no.epd: No such file"),
        ("match", [*BOTH, "--openings", "junk.epd"], "no usable opening in it"),
        ("match", [*BOTH, "--json", "junk.epd"], "junk.epd already exists"),
        ("match", [*BOTH, "--json", "junk.epd/r.jsonl"], "cannot write"),
        ("match", [*BOTH, "--concurrency", "0"], "--concurrency must be 1 or more"),
        ("match", ["--resume", "r.jsonl"], "--check cannot be given with it"),
        ("match", ["--rivals", "no-such"], "no rival is called no-such"),
        ("spsa", ["--nodes", "5", "--only", "NoSuch"], "NoSuch"),
        ("spsa", ["--nodes", "500", "--openings", "junk.epd"], "no usable opening in it"),
        ("arena", ["--new", "NoSuch=1"], "unknown parameter 'NoSuch'"),
        ("arena", ["--new", "EvalFile=/no.nnue"], "/no.nnue"),
        ("arena", ["--openings", "junk.epd"], "no usable opening in it"),
        ("arena", ["--pgn", "junk.epd/x.pgn"], "cannot write junk.epd/x.pgn"),
        ("strength", ["--levels", "0", "99"], "--levels takes two or more"),
        ("strength", ["--openings", "/no.epd"], "/no.epd: No such file"),
        ("datagen", ["games", "--option", "NoSuch=1"], "unknown parameter 'NoSuch'"),
        ("datagen", ["games", "--book", "junk.epd"], "no usable opening in it"),
        ("datagen", ["junk.epd"], "cannot write junk.epd"),
        ("match", [*BOTH, "--pgn", "junk.epd"], "junk.epd already exists"),
        ("relabel", ["games.vf", "--out", "x"], "games.vf: no such file"),
        ("texel", ["--positions", "positions.tsv", "/no.tsv", "--cache", "x"], "positions /no.tsv: No such file"),
    ],
)
def test_what_cannot_run_is_named(folder, capsys, tool, arguments, complaint):
    before = files_of(folder)
    code, page = check(capsys, tool, *arguments)
    assert (code, complaint in page) == (2, True), page
    assert files_of(folder) == before


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("match", [*BOTH, "--pgn", "x.pgn", "--json", "r.jsonl"]),
        ("arena", ["--new", "FutilityBase=110", "--nodes", "500", "--pgn", "x.pgn"]),
        ("spsa", ["--nodes", "500"]),
        ("datagen", ["games", "--nodes", "100", "--opening-nodes", "100"]),
        ("texel", ["--positions", "positions.tsv", "--cache", "x", "--plot", "new/loss.png"]),
    ],
)
def test_what_can_run_is_not_started(folder, capsys, tool, arguments):
    before = files_of(folder)
    code, page = check(capsys, tool, *arguments)
    assert code == 0, page
    assert page.splitlines()[-1] == "ready to run"
    assert files_of(folder) == before
