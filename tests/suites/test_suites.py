"""EPD lines and perft files, and the commands that read them."""

import json
import os
import re
from pathlib import Path

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.board.perft import perft
from engine.reading import ReadError, read_position
from engine.suites.counts import read_counts
from engine.suites.judging import PvUpdate, judge, questions
from engine.suites.puzzles import Puzzle, load_suite, puzzle_of
from engine.suites.solving import solve_all
from tests.board.oracle import KIWIPETE, position_of
from uci_main import main


def thought(seconds: float, move: str, mate: int | None = None) -> PvUpdate:
    return PvUpdate(move, mate, seconds=seconds, depth=1)


def parse_puzzle(line: str, name: str = "x") -> Puzzle:
    return puzzle_of(read_position(line), name)


def judged(puzzle: Puzzle, move: str, updates: list[PvUpdate]) -> tuple[bool, float, int]:
    judgement = judge(puzzle, move, updates)
    return judgement.solved, judgement.since.seconds, judgement.points


def test_epd_operations_become_tasks():
    puzzle = parse_puzzle('6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra8+; id "back; rank"; c0 "a1a8";', "x")
    assert (puzzle.name, puzzle.best, puzzle.line) == ("back; rank", ("a1a8",), ("a1a8",))
    assert parse_puzzle("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1 am Ra2 Ra3", "x.1").avoid == ("a1a2", "a1a3")
    assert parse_puzzle("6k1/5ppp/8/8/8/8/8/R5K1 w - - bm #1;", "x").mate == 1
    assert parse_puzzle("6k1/5ppp/8/8/8/8/8/R5K1 w - - dm 1;", "x").mate == 1
    sts = parse_puzzle('6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra7; c8 "10 4"; c9 "a1a7 g1f2";', "x")
    assert sts.points == (("a1a7", 10), ("g1f2", 4))
    assert parse_puzzle('6k1/5ppp/8/8/8/8/8/R5K1 w - - c0 "Ra7=10, Kf2=3";', "x").top == 10
    assert parse_puzzle('6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra7; c0 "http://x.y/z?q=1";', "x").points == ()


TEN_QUEENS = "k7/8/8/8/8/8/1QQQQQ2/K1QQQQQ1 w - - 0 1"


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("nonsense", "is not a position"),
        ("6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Qh5;", "Qh5"),
        ('6k1/5ppp/8/8/8/8/8/R5K1 w - - id "nothing";', "has nothing to solve"),
        ("8/8/8/8/8/8/8/R5K1 w - - bm Ra7;", "Black has 0 kings"),
        ('6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra7; id "x; am Ra2;', "is not an operation of EPD"),
        ("4k3/8/8/8/8/8/8/1R2K3 w B - bm Rb2;", "a position of Chess960"),
        ("7k/6Q1/6K1/8/8/8/8/8 b - - dm 1;", "has no legal move"),
        (f"{TEN_QUEENS} bm Qb7;", "more promoted pieces than missing pawns"),
        ("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 100000 bm Ra8;", "move number 100000 is out of range"),
    ],
)
def test_broken_lines_name_file_and_line(tmp_path, line, complaint):
    path = tmp_path / "s.epd"
    path.write_text(f"# comment\n{line}\n")
    with pytest.raises(ValueError, match=rf"s\.epd:2: .*{complaint}"):
        load_suite(path)


def test_castling_rights_without_a_rook_are_dropped_and_named(tmp_path):
    path = tmp_path / "s.epd"
    path.write_text("4k3/8/8/8/8/8/8/R3K3 w KQ - bm O-O-O;\n")
    repairs: list[str] = []
    (puzzle,) = load_suite(path, repairs.append)
    assert (puzzle.fen.split()[2], puzzle.best) == ("Q", ("e1c1",))
    assert repairs == [f"{path}:1: castling rights 'KQ' are read as 'Q': no king or rook in place"]


LINES = st.lists(
    st.sampled_from(
        ["6k1/5ppp/8/8/8/8/8/R5K1 w - -", "0 1", "bm ", "am", "Ra8+", "Ra7", ";",
         '"', "c0", "c8", "c9", "10", "=10", "dm", "#1", "id", "é"]
    )
).map(" ".join)  # fmt: skip


@given(st.one_of(LINES, st.text()))
def test_any_line_is_a_task_or_one_clear_error(line):
    try:
        puzzle = parse_puzzle(line)
    except ValueError:
        return
    assert puzzle.best or puzzle.avoid or puzzle.mate is not None or puzzle.points or puzzle.line


def test_long_operations_are_one_clear_error():
    with pytest.raises(ValueError, match="not an operation"):
        parse_puzzle(f'6k1/5ppp/8/8/8/8/8/R5K1 w - - c0 "{"a" * 200_000}"; c1 {" " * 200_000}"x', "x")


def test_time_to_solution_is_the_last_turn_to_the_right_move():
    puzzle = parse_puzzle("6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra8+;", "x")
    thoughts = [thought(0.1, "a1a8"), thought(0.2, "a1a7"), thought(0.4, "a1a8"), thought(0.9, "a1a8")]
    assert judged(puzzle, "a1a8", thoughts) == (True, 0.4, 0)
    assert judged(puzzle, "a1a7", thoughts) == (False, 0.2, 0)


def test_mates_must_be_announced_in_time():
    puzzle = parse_puzzle("6k1/5ppp/8/8/8/8/8/R5K1 w - - dm 2;", "x")
    assert judge(puzzle, "a1a8", [thought(0.3, "a1a8", mate=2)]).solved
    assert not judge(puzzle, "a1a8", [thought(0.3, "a1a8", mate=3)]).solved
    assert not judge(puzzle, "a1a8", [thought(0.3, "a1a8")]).solved


def test_points_are_given_for_lesser_moves():
    puzzle = parse_puzzle('6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra7; c8 "10 4"; c9 "a1a7 g1f2";', "x")
    assert judged(puzzle, "g1f2", [thought(0.1, "g1f2")]) == (False, 0.1, 4)
    assert judged(puzzle, "a1a7", [thought(0.1, "a1a7")]) == (True, 0.1, 10)


@pytest.mark.parametrize(
    ("name", "count"), [("wac300", 300), ("sts_01_08", 800), ("mates_500", 500), ("arasan20", 200)]
)
def test_public_suites_are_read_whole(data_file, name, count):
    assert len(load_suite(data_file(f"suites/{name}.epd"))) == count


PUZZLE = "6k1/pp3ppp/4p3/8/1P1r4/P6P/5PP1/2R3K1 w - -"
SUITE = (
    '6k1/5ppp/8/8/8/8/8/R5K1 w - - dm 1; id "mate";\n'
    '6k1/5ppp/8/8/8/8/8/R5K1 w - - am Ra8+; id "impossible";\n'
    f'{PUZZLE} id "line"; c0 "c1c8 d4d8 c8d8";\n'
    '6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra8#; id "points"; c8 "10 4"; c9 "a1a8 g1f2";\n'
)


def test_a_line_asks_for_every_other_move_until_one_is_wrong():
    asking = questions(parse_puzzle(f'{PUZZLE} c0 "c1c8 d4d8 c8d8";'))
    assert next(asking) == chess.Board(f"{PUZZLE} 0 1")
    assert asking.send(("c1c8", [PvUpdate("c1c8", None, False, 1.0, 5, 100)])).peek().uci() == "d4d8"
    with pytest.raises(StopIteration) as end:
        asking.send(("c8c1", [PvUpdate("c8d8", None, False, 1.0, 4, 10), PvUpdate("c8c1", None, False, 2.0, 7, 20)]))
    attempt = end.value.value
    assert (attempt.solved, attempt.san) == (False, ("Rc8+", "Rc1"))
    assert (attempt.seconds, attempt.depth, attempt.nodes) == (3.0, 7, 120)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_suite_solves_what_can_be_read(tmp_path, capsys, jobs):
    path, broken, results = tmp_path / "s.epd", tmp_path / "broken.epd", tmp_path / "r.json"
    path.write_text(f"{SUITE}6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Qh5;\n")
    broken.write_text("# no puzzle\n8/8 w - - bm e4;\n")
    words = ["suite", str(broken), "no.epd", str(path), "--depth", "6", "--jobs", jobs, "--json", str(results)]
    assert main(words) == 2
    out, err = capsys.readouterr()
    refused = [line for line in err.splitlines() if str(tmp_path) in line or "no.epd" in line]
    assert [line.split(": ")[1] for line in refused] == [f"{broken}:2", "cannot read no.epd", f"{path}:5"]
    assert [re.match(r"(\w+)  (.*?) \(([^\s)]+)", line).groups() for line in out.splitlines()[:4]] == [
        ("mate", "ok", "Ra8#"), ("impossible", "not solved", "Ra8#"), ("line", "ok", "Rc8+"), ("points", "ok", "Ra8#")
    ]  # fmt: skip
    assert out.splitlines()[4] == "solved 3 of 4, 10 of 10 points (6 plies a position)"
    assert out.splitlines()[1].endswith("; wanted not Ra8#")
    written = json.loads(results.read_text())
    assert [place["solved"] for place in written["positions"]] == [True, False, True, True]
    assert written["positions"][2]["moves"] == ["c1c8", "c8d8"]


def test_an_interrupted_suite_keeps_what_is_done(tmp_path, capsys, monkeypatch):
    def interrupted(*arguments):
        yield from list(solve_all(*arguments))[:2]
        raise KeyboardInterrupt

    monkeypatch.setattr("engine.suites.cli.solve_all", interrupted)
    path, results = tmp_path / "s.epd", tmp_path / "r.json"
    path.write_text(SUITE)
    assert main(["suite", str(path), "--depth", "4", "--json", str(results)]) == 130
    out, err = capsys.readouterr()
    assert err.splitlines()[-1] == "numbat: interrupted"
    assert out.splitlines()[2] == "solved 1 of 2 (4 plies a position), 2 not tried"
    assert [place["id"] for place in json.loads(results.read_text())["positions"]] == ["mate", "impossible"]


@pytest.mark.skipif(os.name == "nt", reason="no such program")
def test_processes_that_cannot_begin_are_one_line(tmp_path, capsys, monkeypatch):
    (tmp_path / "s.epd").write_text(SUITE)
    (tmp_path / "python").symlink_to("/usr/bin/false")
    monkeypatch.setattr("sys.executable", str(tmp_path / "python"))
    for message in ("its process ended with exit code 1", "no process can be started: No such file or directory"):
        assert main(["suite", str(tmp_path / "s.epd"), "--depth", "1", "--jobs", "2"]) == 2
        assert capsys.readouterr().err.splitlines()[-1].endswith(f": {message}")
        (tmp_path / "python").unlink(missing_ok=True)


def test_results_of_a_lost_folder_are_in_the_users_home(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("engine.suites.cli.check_place", lambda *arguments: None)  # it is lost later
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    path = tmp_path / "s.epd"
    path.write_text(SUITE)
    assert main(["suite", str(path), "--depth", "1", "--json", str(tmp_path / "usb" / "r.json")]) == 2
    out, err = capsys.readouterr()
    (kept,) = tmp_path.glob("r.*.json")
    assert out.splitlines()[-1].startswith("solved ")
    assert err.splitlines()[-1].endswith(f"it is in {kept}")
    assert len(json.loads(kept.read_text())["positions"]) == len(SUITE.splitlines())


def test_perft_names_the_position_whose_count_differs(tmp_path, capsys):
    path = tmp_path / "p.epd"
    counts = f"{chess.STARTING_FEN};D1 20 ;D3 8902\n{KIWIPETE} ; D1 48;D2 2038 ;D3 97862\n"
    path.write_text(f"{counts}{chess.STARTING_FEN};D5 4865609\n")
    assert main(["perft", str(path), "2"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"ok     line 1  {chess.STARTING_FEN}"
    assert lines[1] == f"wrong  line 2  {KIWIPETE}: 2039 leaves at depth 2, not 2038"
    shares = dict(line.strip().split(": ") for line in lines[2:-2])
    assert set(shares) == {move.uci() for move in chess.Board(KIWIPETE).legal_moves}
    assert sum(map(int, shares.values())) == 2039
    assert lines[-2] == f"-      line 3  {chess.STARTING_FEN}: not compared, as its counts begin at depth 5"
    assert lines[-1].startswith("1 ok, 1 wrong; 2107 leaves, ")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "no positions"),
        (f"{KIWIPETE}\n", ":1: no counts"),
        (f"{KIWIPETE} ;D1 48\n{KIWIPETE} ;D1 x\n", ":2: 'D1 x' is not a count"),
        (f"{KIWIPETE} ;D1 48\nperft 1 2 3\n", ":2: 'D1 2 3' is not a count"),
        ("perft 1 20\n", ":1: .* is not a position"),
        (f"{KIWIPETE} ;D1 48 ;D64 1\n", ":1: D takes a whole number of plies, at most 20, not 64"),
        (f"{KIWIPETE} bm e4; D1 48\n", ":1: 'bm e4' is not a count"),
        (f"{KIWIPETE} ;D1 48\n{TEN_QUEENS} ;D1 1\n", ":2: .* more promoted pieces"),
    ],
)
def test_broken_perft_files_name_file_and_line(tmp_path, text, complaint):
    path = tmp_path / "p.epd"
    path.write_text(text)
    with pytest.raises(ReadError, match=complaint):
        read_counts(path)


def test_perft_compares_what_can_be_read(tmp_path, capsys):
    path = tmp_path / "p.epd"
    path.write_text(f"epd {KIWIPETE}\nperft 1 48\nperft 2 x\nepd 8/8\nperft 1 7\n{KIWIPETE} ;D1 48\n{KIWIPETE}\n")
    assert main(["perft", str(path)]) == 2
    out, err = capsys.readouterr()
    assert [line.split(": ")[1] for line in err.splitlines()] == [f"{path}:{line}" for line in (3, 4, 7)]
    assert out.splitlines()[-1].startswith("2 ok, 0 wrong; 96 leaves, ")


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["perft", "no/such.epd"], 2, "cannot read no/such.epd"),
        (["perft", "p.epd", "x"], 2, "'x' is not a depth"),
        (["bench", "no/such.epd", "2"], 2, "there is no file 'no/such.epd'"),
        (["bench", "b.epd", "2"], 2, "b.epd:2: "),
        (["suite", "no/such.epd"], 2, "cannot read no/such.epd"),
        (["suite", "s.epd", "--time", "1", "--nodes", "5"], 2, "not allowed with"),
        (["suite", "b.epd", "--json", "./b.epd"], 2, "--json would overwrite the suite b.epd"),
        (["suite", "s.epd", "--json", "b.epd"], 2, "cannot write b.epd: it exists and contains something else"),
    ],
)
def test_refusals_take_one_line(tmp_path, monkeypatch, capsys, words, code, said):
    monkeypatch.chdir(tmp_path)
    Path("b.epd").write_text(f"{KIWIPETE}\nnonsense\n")
    assert main(words) == code
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line


def test_bench_searches_the_positions_of_a_file(tmp_path, capsys):
    path = tmp_path / "with a blank.epd"
    path.write_text(f"{KIWIPETE}\n\n6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra8+;\n")
    assert main(["bench", str(path), "4"]) == 0
    first, second, last = capsys.readouterr().out.splitlines()[-3:]
    nodes = [int(line.split(": ")[1].split()[0]) for line in (first, second)]
    assert first.startswith("position 1/2: ")
    assert int(last.split()[0]) == sum(nodes) > 100


#: Files of counts: positions, and the highest count that is left to the quick run.
FILES = (("perftsuite.epd", 127, 4_000_000), ("chess960.epd", 960, 100_000), ("tricky.perft", 19, 4_000_000))


@pytest.mark.parametrize(("name", "number", "most"), FILES)
def test_perft_matches_the_files(data_file, name, number, most):
    found = read_counts(data_file(f"perft/{name}"))
    assert len(found) == number
    for counts in found[:: 4 if number > 500 else 1]:
        depth = max(depth for depth, leaves in counts.leaves.items() if leaves <= most)
        assert perft(position_of(counts.board), depth, threads=2) == counts.leaves[depth], counts


@pytest.mark.slow
@pytest.mark.parametrize(("name", "number", "most"), FILES)
def test_deep_perft_agrees(data_file, name, number, most):
    highest = 60_000_000 if number > 500 else 10_000_000_000
    for counts in read_counts(data_file(f"perft/{name}")):
        depth = max(depth for depth, leaves in counts.leaves.items() if leaves <= highest)
        if number > 500 or counts.leaves[depth] > 1_500_000:
            assert perft(position_of(counts.board), depth, threads=2) == counts.leaves[depth], counts
