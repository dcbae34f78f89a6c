"""Records to lines, without an engine."""

from functools import partial

import pytest

from engine.messages import Info, Result, Score
from engine.options import FOR_THE_GUI, Option
from engine.uci.format import bench_line, info_line, info_string_line, option_line, result_line


def test_info_has_its_fields_in_the_usual_order():
    info = Info(
        depth=12, seldepth=20, score=Score(cp=-31), nodes=123456, nps=3000000, hashfull=42, tbhits=7, time=41,
        pv=("e2e4", "e7e5"),
    )  # fmt: skip
    assert info_line(info) == (
        "info depth 12 seldepth 20 multipv 1 score cp -31 nodes 123456 nps 3000000 hashfull 42 tbhits 7 "
        "time 41 pv e2e4 e7e5"
    )


@pytest.mark.parametrize(
    ("info", "line"),
    [
        (Info(depth=0, score=Score(mate=0)), "depth 0 score mate 0"),
        (Info(depth=3, currmove="e2e4", currmovenumber=2), "depth 3 currmove e2e4 currmovenumber 2"),
        (Info(depth=9, nodes=1000, nps=2000, time=5), "depth 9 nodes 1000 nps 2000 hashfull 0 tbhits 0 time 5"),
    ],
)
def test_short_reports(info, line):
    assert info_line(info) == f"info {line}"


def test_wdl_follows_the_score_on_demand():
    info = Info(depth=3, score=Score(cp=20, bound="lowerbound"), wdl=(250, 600, 150))
    assert " score cp 20 lowerbound wdl 250 600 150 nodes " in info_line(info, wdl=True)
    assert "wdl" not in info_line(info)
    assert " score mate -5 upperbound nodes " in info_line(Info(depth=3, score=Score(mate=-5, bound="upperbound")))


def test_results_are_written_as_bestmove():
    assert result_line(Result("e2e4", "e7e5")) == "bestmove e2e4 ponder e7e5"
    assert result_line(Result("e2e4")) == "bestmove e2e4"
    assert result_line(Result()) == "bestmove 0000"


def test_remarks_stay_on_one_line_of_bearable_length():
    assert info_string_line("two\nlines\x1b[2J\x00\u202e") == r"info string two lines\x1b[2J\x00\u202e"
    assert len(info_string_line("x" * 100_000)) < 400


option = partial(Option, help="", effect=FOR_THE_GUI)


@pytest.mark.parametrize(
    ("row", "line"),
    [
        (option("Hash", 16, 1, 1024), "option name Hash type spin default 16 min 1 max 1024"),
        (option("Clear Hash", None), "option name Clear Hash type button"),
        (option("Ponder", False), "option name Ponder type check default false"),
        (option("BookFile", ""), "option name BookFile type string default <empty>"),
        (
            option("Style", "Solid", choices=("Solid", "Wild")),
            "option name Style type combo default Solid var Solid var Wild",
        ),
    ],
)
def test_options_as_the_protocol_wants_them(row, line):
    assert option_line(row) == line


def test_bench_line_as_openbench_reads_it():
    assert bench_line(3_000_000, 1500.0) == "3000000 nodes 2000000 nps"
    assert bench_line(10, 0.0) == "10 nodes 10000 nps"
