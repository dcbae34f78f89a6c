"""Bad input: one clear line that names it, the previous state kept, the process alive."""

import sys

import pytest

from tests.uci.process import UciProcess


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("setoption name Nonsense value 1", "Nonsense"),
        ("setoption name Hash value 0", "Hash must be an integer from 1 to 1048576, not '0'"),
        ("debug maybe", "maybe"),
        ("bench deep", "deep"),
        ("go depth 1 searchmoves e2e5", "'e2e5' after searchmoves is not a legal move here; all moves are searched"),
        ("xyzzy", "unknown command: xyzzy"),
        ("\x00\x01\x02", "unknown command"),
        ("STOP", "unknown command: STOP"),
    ],
)
def test_bad_commands_and_options_change_nothing_and_are_named(uci, line, named):
    uci.send("position startpos moves d2d4")
    before = uci.fen()
    (remark,) = uci.remarks(line)
    assert named in remark
    assert uci.fen() == before


def test_bytes_that_are_no_text(uci):
    uci.process.stdin.write(b"\xff\xfe\xc3\x28\n\x00\n")
    assert len(uci.remarks()) == 2


@pytest.mark.skipif(sys.platform == "win32", reason="memory limits are a Unix matter")
def test_a_hash_table_that_memory_cannot_hold():
    """The old table stays, and the search goes on with it."""
    import resource

    def limit_memory() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))

    with UciProcess(before_start=limit_memory) as process:
        process.synchronise()
        (remark,) = process.remarks("setoption name Hash value 16384")
        assert "Hash" in remark
        assert "16384" in remark
        process.ask("go depth 6", until="bestmove")
        process.quit()


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ("fen 8/8/8/8/8/8/8/8 w - - 0 1", "White has 0 kings instead of 1"),
        ("startpos moves é2é4", "illegal move 'é2é4' (move 1 of the list; write e2e4, e7e8q)"),
        ("start", "position: 'start' is neither 'startpos' nor 'fen'"),
    ],
)
def test_a_refused_position_leaves_the_previous_one(uci, words, named):
    uci.send("position fen 6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1")
    assert uci.remarks(f"position {words}") == [f"{named}; the previous position is kept"]
    assert uci.ask("go depth 2", until="bestmove")[-1] == "bestmove a1a8"


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("go depth 1 searchmoves" + "".join(f" e{n}" for n in range(10_000)), "9997 more after searchmoves are no"),
        ("go depth 1 searchmoves" + " e2e4" * 200_000 + " e2e5", "'e2e5' after searchmoves is not a legal move here"),
        ("go depth abc mate 1", "go: depth takes a whole number of plies, 1 or more, not 'abc'"),
    ],
    ids=["illegal moves", "one illegal move", "no number"],
)
def test_thousands_of_faults_take_one_line(uci, line, named):
    lines = uci.ask(line, until="bestmove")
    (remark,) = [line for line in lines if line.startswith("info string")]
    assert named in remark


def test_a_line_that_is_too_long_is_named_and_ignored(uci):
    (remark,) = uci.remarks("position startpos moves" + " e2e4" * 400_000)
    assert remark.startswith("ignored a line of more than 1048576 bytes: position startpos moves e2e4")


def test_a_game_of_many_thousand_moves(uci):
    moves = ["g1f3", "g8f6", "f3g1", "f6g8"] * 25_000
    assert uci.remarks("position startpos moves " + " ".join(moves)) == []
    assert uci.fen().endswith(" 100000 50001")
    uci.ask("go depth 3", until="bestmove [a-h]")


@pytest.mark.parametrize("name", ["EvalFile", "BookFile", "SyzygyPath"])
def test_a_name_that_no_file_can_have(uci, name):
    remarks = uci.remarks(f"setoption name {name} value a\0b")
    fault = "no such directory" if name == "SyzygyPath" else "not a valid"
    assert [remark for remark in remarks if r"a\x00b" in remark and fault in remark]
