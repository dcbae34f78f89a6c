"""The record of tests: its lines, what is proof, and how finished runs come into it."""

import ast
import importlib
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from engine.console import Console
from engine.search.parameters import TUNABLES
from tests.tuning.conftest import finished, refused, run_tool, words
from tuning import match
from tuning.common import command
from tuning.common.errors import SetupError
from tuning.common.results import ResultsFile
from tuning.experiments import trials
from tuning.experiments.results import trial_of
from tuning.experiments.trials import Trial, parse, read, without_folders
from tuning.record import main

LINE = {"date": "2026-01-31", "idea": "no razoring", "outcome": "kept", "games": 4, "elo": 1.5, "error": 9.0}


def ask(monkeypatch, file: Path, *arguments: str) -> tuple[int, str]:
    page = io.StringIO()
    console = Console(file=page, width=250, force_terminal=True, no_color=True)
    monkeypatch.setattr(command, "make_console", lambda: console)
    return main(["--file", str(file), *arguments]), page.getvalue()


def test_the_repositorys_record_is_whole_without_folders(monkeypatch):
    tests = read()
    assert len(tests) >= 70
    assert {test.outcome for test in tests} >= {"kept", "dropped"}
    assert [parse(json.loads(test.line())) for test in tests] == tests
    for test in tests:
        assert test.command is None or without_folders(test.command) == test.command
    page = finished(ask(monkeypatch, trials.FILE, "show", "razoring", "8000 nodes"))
    assert "no razoring" in page
    assert "ProbCut" not in page


@pytest.mark.parametrize(
    ("changes", "proof"),
    [
        ({}, False),
        ({"games": 5000, "limit": "8000 nodes"}, True),
        ({"games": 5000, "limit": "7999 nodes"}, False),
        ({"games": 5000, "limit": "2+0.02, depth 5"}, False),
        ({"games": 5000, "limit": "300000+3000 nodes"}, True),
        ({"games": 4999, "limit": "2+0.02"}, False),
        ({"games": 5000}, False),
        ({"limit": "8000 nodes", "verdict": "H1", "model": "normalized", "bounds": (0.0, 5.0)}, True),
        ({"limit": "8000 nodes", "verdict": "H0", "model": "normalized", "bounds": (-5.0, 0.0)}, True),
        ({"limit": "8000 nodes", "verdict": "H1", "model": "normalized", "bounds": (0.0, 50.0)}, False),
        ({"limit": "8000 nodes", "model": "normalized", "bounds": (0.0, 5.0), "llr": 2.9}, False),
        ({"limit": "1000 nodes", "verdict": "H1", "model": "normalized", "bounds": (0.0, 5.0)}, False),
    ],
)
def test_proof_follows_the_rule(changes, proof):
    assert Trial(**{**LINE, **changes}).proof == proof


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("nonsense", "Expecting value"),
        ("[1]", "not a JSON object"),
        (json.dumps({**LINE, "outcome": "great"}), "one of kept, dropped, open, not 'great'"),
        (json.dumps({**LINE, "pentanomial": [0, 0, 3, 0, 0]}), "do not make the pairs"),
        (json.dumps({**LINE, "colour": "red"}), "unknown field colour"),
        (json.dumps({**LINE, "idea": " "}), "idea is missing"),
    ],
)
def test_invalid_lines_are_named(monkeypatch, tmp_path, line, complaint):
    file = tmp_path / "tests.jsonl"
    file.write_text(f"{json.dumps(LINE)}\n\n{line}\n")
    assert complaint in refused(ask(monkeypatch, file), f"{file}:3 is not a test: ")


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in for fastchess is a shell script")
def test_a_finished_match_is_added_once(monkeypatch, tmp_path, playing):
    results, file = tmp_path / "r.jsonl", tmp_path / "tests.jsonl"
    file.write_text(json.dumps(LINE))  # without an end of line
    settings = ["--nodes", "10", "--sprt", "0", "200", "--json", str(results), *playing("1", "0")]
    run_tool(monkeypatch, match.main, *words("strong"), *words("weak"), *settings)
    add = ("add", str(results), "--idea", "legal moves", "--outcome", "kept", "--evaluation", "none", "--note", "why")
    page = finished(ask(monkeypatch, file, *add))
    assert "legal moves" in page
    old, new = read(file)
    assert old.idea == "no razoring"
    assert (new.verdict, new.bounds, new.model) == ("H1", (0, 200), "logistic")
    assert (new.limit, new.evaluation) == ("10 nodes", "none")
    assert (new.first, new.second, new.note) == ("strong", "weak", "why")
    assert new.games == 2 * sum(new.pentanomial) == sum(new.wdl)
    assert new.llr > 2.9
    refused(ask(monkeypatch, file, *add), "already in the record: 'legal moves'")
    assert len(read(file)) == 2


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in for fastchess is a shell script")
def test_unfinished_runs_need_the_flag_stopped(monkeypatch, tmp_path, playing):
    results, file = tmp_path / "r.jsonl", tmp_path / "tests.jsonl"
    settings = ["--nodes", "9", "--games", "4", "--json", str(results), *playing("=")]
    run_tool(monkeypatch, match.main, *words("a"), *words("b"), *settings)
    lines = results.read_text().splitlines()
    add = ("add", str(results), "--idea", "x", "--outcome", "open")
    results.write_text("\n".join(lines[:-1]) + "\n")
    assert "has no summary" in ask(monkeypatch, file, *add)[1]
    results.write_text("\n".join([*lines, json.dumps({"change": {"games": 8}})]) + "\n")
    refused(ask(monkeypatch, file, *add), "is not finished")
    assert not file.exists()
    assert ask(monkeypatch, file, *add, "--stopped")[0] == 0
    assert read(file)[0].elo == 0
    assert read(file)[0].error is None  # of two pairs


def arena_file(path: Path, summary: bool = True, clock: list[int] | None = None, own: tuple = ()) -> Path:
    """A results file as the arena writes it."""
    rules = {"nodes": 8000, "hard": False, "hash": 8, "clock": clock, "adjudication": {}}
    settings = {
        "names": ["FutilityBase=110", "base"],
        "meeting": {"first": [["FutilityBase", "110"], *own], "second": [], "rules": rules, "fingerprint": "f"},
        "games": None,
        "book": {"path": "/somewhere/uho.epd", "order": "random", "seed": 1, "plies": None, "chess960": False},
        "sprt": {"elo0": 0.0, "elo1": 5.0, "alpha": 0.05, "beta": 0.05, "model": "normalized"},
    }
    results = ResultsFile.create(path, "tuning.arena", settings)
    results.add("pair", {"number": 0})
    if summary:
        pairs = [300, 1500, 3000, 2300, 450]
        losses, wins = 2 * 300 + 1500, 2 * 450 + 2300
        wdl = [losses, 2 * sum(pairs) - losses - wins, wins]
        results.add("summary", {"first": "FutilityBase=110", "second": "base", "games": 15100, "wdl": wdl,
                               "pentanomial": pairs, "network": "numbat.nnue 01234567"})  # fmt: skip
    results.close()
    return path


@pytest.mark.parametrize(
    ("clock", "own", "limit"),
    [
        ([300_000, 3_000], (), "300000+3000 nodes"),
        ([300_000, 3_000], (["clock", "150000"],), "150000+0 nodes / 300000+3000 nodes"),
        (None, (["nodes", "6800"],), "6800 nodes / 8000 nodes"),
    ],
)
def test_the_limits_of_both_sides_are_named(tmp_path, clock, own, limit):
    trial, _ = trial_of(arena_file(tmp_path / "arena.jsonl", clock=clock, own=own), "limits", "open")
    assert trial.limit == limit


def test_a_finished_arena_is_added(monkeypatch, tmp_path):
    results = arena_file(tmp_path / "arena.jsonl")
    page = finished(
        ask(
            monkeypatch,
            tmp_path / "t.jsonl",
            "add",
            str(results),
            "--idea",
            "futility",
            "--outcome",
            "kept",
            "--constant",
            "FutilityBase=90",
        )
    )
    (found,) = read(tmp_path / "t.jsonl")
    assert found.proof
    assert (found.verdict, found.limit, found.book, found.games) == ("H1", "8000 nodes", "uho.epd", 15100)
    assert found.evaluation == "numbat.nnue 01234567"
    assert found.pentanomial == (300, 1500, 3000, 2300, 450)
    assert "yes" in page


@pytest.mark.parametrize(
    "header", [{"tool": "tuning.strength", "settings": {}}, {"tool": "tuning.match", "settings": {}}]
)
def test_other_files_are_refused(monkeypatch, tmp_path, header):
    (tmp_path / "r.jsonl").write_text(json.dumps(header) + "\n" + json.dumps({"summary": {}}) + "\n")
    with pytest.raises(SetupError, match=r"r\.jsonl is "):
        trial_of(tmp_path / "r.jsonl", "x", "open")


def test_an_idea_of_a_screening_is_added(monkeypatch, tmp_path):
    path = arena_file(tmp_path / "arena.jsonl", summary=False)
    results = ResultsFile.resume(path, "tuning.arena")[0]
    effects = [
        {"idea": ["SmallProbCutMargin", 300], "elo": 2.46, "error": 1.2},
        {"idea": ["B", 1], "elo": -1, "error": 1},
    ]
    pairs = {"first": "new", "second": "base", "games": 4, "wdl": [1, 2, 1], "pentanomial": [0, 1, 0, 1, 0]}
    results.add("summary", {**pairs, "effects": effects, "network": "numbat.nnue 01234567"})
    results.close()
    file = tmp_path / "tests.jsonl"
    asked = ("add", str(path), "--idea", "a lower margin", "--outcome", "open", "--stopped")
    refused(ask(monkeypatch, file, *asked), "say which with --screened")
    refused(ask(monkeypatch, file, *asked, "--screened", "C"), "screened SmallProbCutMargin, B: not C")
    assert ask(monkeypatch, file, *asked, "--screened", "SmallProbCutMargin")[0] == 0
    (test,) = read(file)
    assert (test.elo, test.error, test.games, test.wdl, test.pentanomial) == (2.5, 1.2, 4, None, None)
    assert (test.first, test.second) == ("SmallProbCutMargin=300", "without, among 2")
    assert ask(monkeypatch, file, *asked, "--screened", "B")[0] == 0
    assert ask(monkeypatch, file, *asked, "--screened", "B")[0] == 2  # once is enough
    ordinary = arena_file(tmp_path / "ordinary.jsonl")
    refused(
        ask(monkeypatch, file, "add", str(ordinary), "--idea", "x", "--outcome", "open", "--screened", "B"),
        "leave out --screened",
    )


def test_commands_are_recorded_without_folders():
    assert without_folders("x --openings /a/b.c/book.epd cmd='/usr/bin/sf 11' ../y/net.nnue name=a/b 8+0.08") == (
        "x --openings book.epd cmd='sf 11' net.nnue name=a/b 8+0.08"
    )


@pytest.mark.skipif(sys.platform == "win32", reason="pipes end otherwise there")
def test_closed_pipe_ends_the_command_quietly():
    command = [sys.executable, "-m", "tuning.record"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait(60) == 0


#: The modules with hand-set constants that decide what is searched, and for how long.
SEARCH = "correction deepening extensions history movepick node pruning quiescence reductions timeman transposition"


def constants_of_search() -> dict[str, float]:
    """The parameters and the numeric constants of search and time by name."""
    found: dict[str, float] = {tunable.name: tunable.default for tunable in TUNABLES}
    for name in SEARCH.split():
        module = importlib.import_module(f"engine.search.{name}")
        for statement in ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8")).body:
            if isinstance(statement, ast.Assign) and not isinstance(statement.value, ast.Call):
                for target in ast.walk(statement.targets[0]):
                    if isinstance(target, ast.Name) and isinstance(getattr(module, target.id), int | float):
                        found[target.id] = getattr(module, target.id)
    return found


def test_no_constant_of_the_search_changes_without_a_record():
    """Add the test with ``python -m tuning.record add ... --constant NAME=VALUE``. The values in ``constants.json`` are
    those of the day when this rule began; they change only with a name."""
    known = json.loads(Path(__file__).with_name("constants.json").read_text())
    for test in read():
        known.update(test.constants or {})
    assert {name: value for name, value in constants_of_search().items() if known.get(name) != value} == {}
