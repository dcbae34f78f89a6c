"""Engines compared by a test suite."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

import uci_main
from engine.console import Console
from tests.conftest import REPOSITORY
from tests.tuning.conftest import rival
from tuning import suite
from tuning.common import command
from tuning.common.ledger import Ledger, read_events
from tuning.suites.solving import TOOL, Solution


def run(monkeypatch, *arguments: str) -> tuple[int, str]:
    page = io.StringIO()
    monkeypatch.setattr(command, "make_console", lambda: Console(file=page, width=160))
    code = suite.main([*arguments, "--scheduler", "here"])
    return code, page.getvalue()


def test_two_engines_side_by_side_and_resumed(monkeypatch, tmp_path):
    """Real engines on a mate, a quiet answer and a puzzle line; then the file is cut and completed."""
    path = tmp_path / "tiny.epd"
    path.write_text(
        '6k1/5ppp/8/8/8/8/8/R5K1 w - - dm 1; id "mate";\n'
        '6k1/5ppp/8/8/8/8/8/R5K1 w - - am Ra8+; id "impossible";\n'
        '6k1/pp3ppp/4p3/8/1P1r4/P6P/5PP1/2R3K1 w - - bm Rc8+; id "line"; c0 "c1c8 d4d8 c8d8";\n'
    )
    engines = [word for name in ("stockfish", "ethereal-chess") for word in ("--engine", rival(name))]
    results = tmp_path / "r.jsonl"
    code, page = run(monkeypatch, str(path), *engines, "--depth", "6", "--list", "--json", str(results))
    assert code == 0
    assert [line.split()[1:] for line in page.splitlines() if line.startswith("solved ")] == [["2", "2"]]
    assert "not a1a8" in page
    lines = results.read_text().splitlines()
    results.write_text("\n".join(lines[:4]) + "\n")
    code, page = run(monkeypatch, "--resume", str(results))
    assert code == 0
    solved = [data for kind, data in read_events(results) if kind == "solution"]
    assert len(solved) == len({(data["engine"], data["number"]) for data in solved}) == 6


def test_a_suite_that_has_changed_is_not_resumed(monkeypatch, tmp_path):
    path, results = tmp_path / "tiny.epd", tmp_path / "r.jsonl"
    path.write_text('6k1/5ppp/8/8/8/8/8/R5K1 w - - dm 1; id "new";\n')
    ledger = Ledger.create(results, TOOL, {"suite": str(path), "engines": [], "limit": None, "first move": False})
    ledger.add("solution", asdict(Solution("x", 0, "old", "a1a8", True, 0.1, 0, 1, 1, 9)))
    ledger.close()
    code, page = run(monkeypatch, "--resume", str(results))
    assert (code, "tiny.epd is not what it was" in page) == (2, True)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["wac300", "mates_500", "sts_01_08"])
def test_the_installed_command_gives_the_same_answers(monkeypatch, tmp_path, data_file, name):
    path, theirs, ours = tmp_path / "part.epd", tmp_path / "theirs.jsonl", tmp_path / "ours.json"
    path.write_text("".join(data_file(f"suites/{name}.epd").read_text().splitlines(keepends=True)[::8]))
    main = str(REPOSITORY / "uci_main.py")
    words = [sys.executable, f"arg={main}", "--nodes", "5000", "--json", str(theirs)]
    assert run(monkeypatch, str(path), "--engine", *words)[0] == 0
    assert uci_main.main(["suite", str(path), "--nodes", "5000", "--json", str(ours)]) == 0
    expected = sorted((data["number"], data) for kind, data in read_events(theirs) if kind == "solution")
    places = json.loads(ours.read_text())["positions"]
    assert len(places) == len(expected) > 30
    for place, (_, data) in zip(places, expected, strict=True):
        said = {key: place[key] for key in ("solved", "points", "mate")} | {"move": place["moves"][0]}
        assert said == {key: data[key] for key in said}, place["id"]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([], "no suite"),
        (["s.epd"], "no engine"),
        (["s.epd", "--engine", "x"], "x has no limit"),
        (["s.epd", "--engine", "x", "--tc", "1+1"], "not a clock"),
        (["/no/s.epd", "--engine", "x", "--nodes", "5"], "/no/s.epd: No such file"),
    ],
)
def test_impossible_requests_are_refused_before_the_start(monkeypatch, tmp_path, arguments, complaint):
    monkeypatch.chdir(tmp_path)
    code, page = run(monkeypatch, *arguments)
    assert code == 2
    assert complaint in page
    assert not list(Path("results").glob("*")) or complaint.startswith("/no")
