"""Test suites: what EPD lines ask for, who solves them, and when."""

import io
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.console import Console
from tests.tuning.conftest import rival
from tuning import suite
from tuning.common import command
from tuning.common.errors import SetupError
from tuning.common.ledger import read_events
from tuning.matches.info import Thought
from tuning.suites.epd import load_suite, parse_task
from tuning.suites.solving import judge


def thought(seconds: float, *pv: str, mate: int | None = None) -> Thought:
    return Thought(depth=1, cp=None if mate else 10, mate=mate, seconds=seconds, pv=pv)


def test_epd_operations_become_tasks():
    task = parse_task('6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra8+; id "back; rank"; c0 "a1a8";', "x")
    assert (task.name, task.best, task.line) == ("back; rank", ("a1a8",), ("a1a8",))
    assert parse_task("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1 am Ra2 Ra3", "x.1").avoid == ("a1a2", "a1a3")
    assert parse_task("6k1/5ppp/8/8/8/8/8/R5K1 w - - bm #1;", "x").mate == 1
    assert parse_task("6k1/5ppp/8/8/8/8/8/R5K1 w - - dm 1;", "x").mate == 1
    sts = parse_task('6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra7; c8 "10 4"; c9 "a1a7 g1f2";', "x")
    assert sts.points == (("a1a7", 10), ("g1f2", 4))
    assert parse_task('6k1/5ppp/8/8/8/8/8/R5K1 w - - c0 "Ra7=10, Kf2=3";', "x").top == 10
    assert parse_task('6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra7; c0 "http://x.y/z?q=1";', "x").points == ()


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("nonsense", "is not a position"),
        ("6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Qh5;", "Qh5"),
        ('6k1/5ppp/8/8/8/8/8/R5K1 w - - id "nothing";', "has nothing to solve"),
        ("8/8/8/8/8/8/8/R5K1 w - - bm Ra7;", "not a legal position"),
        ('6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra7; id "x; am Ra2;', "is not an operation of EPD"),
        ("4k3/8/8/8/8/8/8/1R2K3 w Q - bm Rb2;", "a position of Chess960"),
    ],
)
def test_broken_lines_name_file_and_line(tmp_path, line, complaint):
    path = tmp_path / "s.epd"
    path.write_text(f"# comment\n{line}\n")
    with pytest.raises(ValueError, match=rf"s\.epd:2: .*{complaint}"):
        load_suite(path)


LINES = st.lists(
    st.sampled_from(
        ["6k1/5ppp/8/8/8/8/8/R5K1 w - -", "0 1", "bm ", "am", "Ra8+", "Ra7", ";",
         '"', "c0", "c8", "c9", "10", "=10", "dm", "#1", "id", "é"]
    )
).map(" ".join)  # fmt: skip


@given(st.one_of(LINES, st.text()))
def test_any_line_is_a_task_or_one_clear_error(line):
    try:
        task = parse_task(line, "x", complain=lambda repair: None)
    except SetupError:
        return
    assert task.best or task.avoid or task.mate is not None or task.points or task.line


def test_operations_take_linear_time():
    start = time.process_time()
    with pytest.raises(ValueError, match="not an operation"):
        parse_task(f'6k1/5ppp/8/8/8/8/8/R5K1 w - - c0 "{"a" * 200_000}"; c1 {" " * 200_000}"x', "x")
    assert time.process_time() - start < 10


def test_time_to_solution_is_the_last_turn_to_the_right_move():
    task = parse_task("6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra8+;", "x")
    thoughts = [thought(0.1, "a1a8"), thought(0.2, "a1a7"), thought(0.4, "a1a8"), thought(0.9, "a1a8", "g8h8")]
    assert judge(task, "a1a8", thoughts) == (True, 0.4, 0)
    assert judge(task, "a1a7", thoughts) == (False, None, 0)


def test_mates_must_be_announced_in_time():
    task = parse_task("6k1/5ppp/8/8/8/8/8/R5K1 w - - dm 2;", "x")
    assert judge(task, "a1a8", [thought(0.3, "a1a8", mate=2)])[0]
    assert not judge(task, "a1a8", [thought(0.3, "a1a8", mate=3)])[0]
    assert not judge(task, "a1a8", [thought(0.3, "a1a8")])[0]


def test_points_are_given_for_lesser_moves():
    task = parse_task('6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra7; c8 "10 4"; c9 "a1a7 g1f2";', "x")
    assert judge(task, "g1f2", [thought(0.1, "g1f2")]) == (False, None, 4)
    assert judge(task, "a1a7", [thought(0.1, "a1a7")]) == (True, 0.1, 10)


@pytest.mark.parametrize(
    ("name", "count"), [("wac300", 300), ("sts_01_08", 800), ("mates_500", 500), ("arasan20", 200)]
)
def test_public_suites_are_read_whole(data_file, name, count):
    assert len(load_suite(data_file(f"suites/{name}.epd"))) == count


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
    results, picture = tmp_path / "r.jsonl", tmp_path / "r.png"
    code, page = run(monkeypatch, str(path), *engines, "--depth", "6", "--list", "--json", str(results))
    assert code == 0
    assert [line.split()[1:] for line in page.splitlines() if line.startswith("solved ")] == [["2", "2"]]
    assert "not a1a8" in page
    lines = results.read_text().splitlines()
    results.write_text("\n".join(lines[:4]) + "\n")
    code, page = run(monkeypatch, "--resume", str(results), "--plot", str(picture))
    assert code == 0
    solved = [data for kind, data in read_events(results) if kind == "solution"]
    assert len(solved) == len({(data["engine"], data["number"]) for data in solved}) == 6
    assert picture.read_bytes().startswith(b"\x89PNG")


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
