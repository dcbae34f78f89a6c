"""What the tools refuse, each in one line and with nothing written; and ``--check``, which starts nothing either."""

import importlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.tuning.conftest import words

TWO = [*words("a"), *words("b")]
BOTH = [*TWO, "--nodes", "5"]
FUTILITY = ["--screen", "FutilityDepth=1"]


REFUSED = [
    ("match", [*BOTH, "--games", "x"], "argument --games: 'x' is not a whole number"),
    ("match", [*BOTH, "--no-such-flag"], "unrecognized arguments: --no-such-flag"),
    ("match", ["--engine", "cat"], "a match needs two engines"),
    ("match", ["--new", "HEAD"], "--new and --base go together"),
    ("match", TWO, "a has no limit: give --tc"),
    ("match", [*BOTH, "--engine", "no-such", "--check"], "no-such: no program 'no-such' on the path"),
    ("match", ["--new", "no-such", "--base", "HEAD", "--nodes", "5"], "revision 'no-such' is not in"),
    ("match", [*BOTH, "--openings", "/no.epd"], "/no.epd: No such file"),
    ("match", [*BOTH, "--openings", "junk.epd"], "no usable opening in it; the first fault: junk.epd:1: "),
    ("match", [*BOTH, "--json", "junk.epd"], "junk.epd already exists"),
    ("match", [*BOTH, "--pgn", "junk.epd"], "junk.epd"),
    ("match", [*BOTH, "--jobs", "0"], "argument --jobs: 0 is not 1 or more"),
    ("match", [*BOTH, "--games", "0"], "argument --games: 0 is not 1 or more"),
    ("match", [*BOTH, "--sprt", "5", "0"], "elo0 below elo1"),
    ("match", [*BOTH, "--tb", "/none"], "no Syzygy tables"),
    ("match", [*BOTH, "--maxmoves", "-1"], "max moves cannot be negative"),
    ("match", [*BOTH, "--fastchess", "no-such"], "no program 'no-such': fastchess plays the games between engines"),
    ("match", [*BOTH, "--resign", "movecount=-3"], "resign moves cannot be negative"),
    ("match", [*BOTH, "--movetime", "nan"], "movetime must be above zero"),
    ("match", ["--resume", "r.jsonl"], "cannot read r.jsonl"),
    ("match", ["--resume", "r.jsonl", "--check"], "--check cannot be given with it"),
    ("match", ["--resume", "r.jsonl", "--sprt", "0", "5", "--engine", "x"], "--engine, --sprt cannot be given with it"),
    ("match", ["--rivals", "no-such"], "no rival is called no-such"),
    ("spsa", ["--nodes", "500", "--openings", "junk.epd"], "no usable opening in it"),
    ("spsa", ["--nodes", "100", "--hard", "50"], "nodes 100 are more than the 50 that no search may exceed"),
    ("spsa", ["--only", "Nonsense"], "no search parameter is called Nonsense"),
    ("spsa", ["--option", "FutilityBase=90"], "FutilityBase is a parameter to tune"),
    ("spsa", ["--doubling", "-5"], "argument --doubling: -5 is not from 0 to 1000"),
    ("spsa", ["--doubling", "1,5"], "argument --doubling: '1,5' is not a number"),
    ("spsa", ["--clock", "fast"], "clock must be BASE+INCREMENT in nodes, such as 300000+3000, not 'fast'"),
    ("spsa", ["--clock", "300+3", "--hard", "900"], "--hard has no effect with --clock"),
    ("arena", ["--new", "NoSuch=1"], "unknown parameter 'NoSuch'"),
    ("arena", ["--base", "FutilityDepth=100"], "FutilityDepth must be an integer from 0 to 12, not 100"),
    ("arena", ["--new", "FutilityDepth"], "--new FutilityDepth: use NAME=VALUE"),
    ("arena", ["--each", "EvalType=Magic"], "EvalType must be one of Material, Classical, NNUE, not 'Magic'"),
    ("arena", ["--nodes", "0"], "argument --nodes: 0 is not from 1 to 1000000000"),
    ("arena", ["--resign", "score=x"], "--resign: 'score=x' is not 'off'"),
    ("arena", ["--pgn", "junk.epd/x.pgn"], "cannot write junk.epd/x.pgn"),
    ("arena", ["--resume", "r.jsonl", "--nodes", "100"], "--nodes cannot be given with it"),
    ("arena", ["--screen", "Nonsense=1"], "unknown parameter 'Nonsense'"),
    ("arena", ["--screen", "nodes=50"], "--screen takes search parameters, not nodes"),
    ("arena", [*FUTILITY, "FutilityDepth=2"], "--screen takes each parameter once"),
    ("arena", [*FUTILITY, "--sprt", "0", "5"], "leave out --new, --base and --sprt"),
    ("strength", ["--levels", "0", "99"], "argument --levels: 99 is not from 0"),
    ("strength", ["--levels", "3"], "--levels takes two or more"),
    ("strength", ["--anchors", "1350"], "argument --anchors: 1350 is not from 0 to 19"),
    ("datagen", ["games", "--option", "NoSuch=1"], "unknown parameter 'NoSuch'"),
    ("datagen", ["games", "--option", "AspirationWindow"], "--option AspirationWindow: use NAME=VALUE"),
    ("datagen", ["games", "--book", "junk.epd"], "no usable opening in it"),
    ("datagen", ["games", "--max-plies", "5000"], "argument --max-plies: 5000 is not from 1 to 1000"),
    ("datagen", ["junk.epd"], "junk.epd"),
    ("relabel", ["games.vf", "--out", "x"], "games.vf: no such file"),
    ("relabel", ["games.vf", "--out", "x", "--share", "2"], "argument --share: 2 is not from 0 to 1"),
    ("train", ["--hidden", "20"], "argument --hidden: 20 is not a multiple of 16"),
    ("train", ["--positions", "/no.tsv", "--cache", "x", "--out", "y"], "positions /no.tsv: No such file"),
    ("train", ["--resume", "nowhere"], "nowhere"),
    ("train", ["--resume", "nowhere", "--hidden", "32"], "so --hidden cannot be given with it"),
    ("texel", ["--positions", "positions.tsv", "/no.tsv", "--cache", "x"], "positions /no.tsv: No such file"),
    ("record", ["--file", "no.jsonl"], "no.jsonl: No such file"),
]


def run(capsys: pytest.CaptureFixture[str], tool: str, *arguments: str) -> tuple[int, str]:
    """The exit code of ``python -m tuning.TOOL``, and all that it prints."""
    try:
        code = importlib.import_module(f"tuning.{tool}").main(arguments)
    except SystemExit as stop:
        code = stop.code
    out, error = capsys.readouterr()
    return code, out + error


def files_of(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*"))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, playing: Callable[..., list[str]]) -> Path:
    """A folder with a book that has no position and a file of positions; the working folder of each test."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(Path(playing("1")[1]).parent), prepend=os.pathsep)
    (tmp_path / "junk.epd").write_text("nonsense\n")
    (tmp_path / "positions.tsv").touch()
    return tmp_path


@pytest.mark.parametrize(("tool", "arguments", "complaint"), REFUSED)
def test_refusals_are_one_line(folder, capsys, tool, arguments, complaint):
    if tool == "train":
        pytest.importorskip("torch")
    before = files_of(folder)
    checks = [[]] if "--resume" in arguments or tool == "record" else [["--check"], []]
    for check in checks:
        code, page = run(capsys, tool, *arguments, *check)
        assert (code, complaint in page) == (2, True), page
        assert page.startswith(("error: ", f"python -m tuning.{tool}: ")), page
        assert page.count("\n") == 1, page
        assert [path for path in files_of(folder) if path.name != "results"] == before


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("match", [*BOTH, "--pgn", "x.pgn", "--json", "r.jsonl"]),
        ("arena", ["--new", "FutilityBase=110", "--nodes", "500", "--pgn", "x.pgn"]),
        ("spsa", ["--nodes", "500"]),
        ("datagen", ["games", "--nodes", "100", "--opening-nodes", "100"]),
        ("texel", ["--positions", "positions.tsv", "--cache", "x"]),
    ],
)
def test_check_starts_nothing(folder, capsys, tool, arguments):
    before = files_of(folder)
    code, page = run(capsys, tool, *arguments, "--check")
    assert code == 0, page
    assert page.splitlines()[-1] == "ready to run"
    assert files_of(folder) == before
