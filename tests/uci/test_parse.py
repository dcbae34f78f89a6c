"""Lines to records, without an engine."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.messages import Limits, OptionError, PositionError
from engine.options import OPTIONS
from engine.uci.parse import (
    PROTOCOL,
    Go,
    Placement,
    parse_bench,
    parse_go,
    parse_position,
    parse_setoption,
    split_command,
)

PARTS: dict[str, dict[str, Any]] = {
    "wtime 1000": {"wtime": 1000},
    "btime -5": {"btime": -5},
    "winc 10": {"winc": 10},
    "binc 20": {"binc": 20},
    "movestogo 40": {"movestogo": 40},
    "movetime 500": {"movetime": 500},
    "depth 7": {"depth": 7},
    "nodes 12345": {"nodes": 12345},
    "mate 3": {"mate": 3},
    "infinite": {"infinite": True},
    "ponder": {"ponder": True},
    "searchmoves e2e4 d2d4": {"searchmoves": ("e2e4", "d2d4")},
}


@given(st.permutations(list(PARTS)), st.integers(0, len(PARTS)))
def test_go_takes_all_limits_in_any_order_and_combination(parts, count):
    chosen = parts[:count]
    expected: dict = {}
    for part in chosen:
        expected |= PARTS[part]
    if {"wtime", "btime"} & expected.keys():
        expected = {"wtime": expected.get("btime"), "btime": expected.get("wtime")} | expected
    assert parse_go(" ".join(chosen).split()) == Go(Limits(**expected))


def test_go_without_anything_is_unbounded():
    assert parse_go([]) == Go(Limits())


def test_go_perft_is_no_search():
    assert parse_go(["perft", "5"]).perft == 5


def test_one_clock_stands_for_both():
    """fastchess's compliance list sends ``go btime 100`` with White to move and waits for an answer."""
    assert parse_go(["btime", "100"]) == Go(Limits(wtime=100, btime=100))
    assert parse_go(["wtime", "100"]) == Go(Limits(wtime=100, btime=100))


def test_movestogo_zero_means_the_rest_of_the_game():
    assert parse_go(["movestogo", "0", "wtime", "9"]) == Go(Limits(wtime=9, btime=9))


@pytest.mark.parametrize(
    ("text", "limits", "complaint"),
    [
        (
            "depth abc wtime 5",
            Limits(wtime=5, btime=5),
            "go: depth takes a whole number of plies, 1 or more, not 'abc'",
        ),
        ("depth 0", Limits(depth=1), "go: depth takes a whole number of plies, 1 or more, not '0'"),
        ("nodes -1", Limits(nodes=1), "go: nodes takes a whole number of nodes, 1 or more, not '-1'"),
        ("wtime 1e3", Limits(), "go: wtime takes a whole number of milliseconds, not '1e3'"),
        ("wtime 1_000", Limits(), "go: wtime takes a whole number of milliseconds, not '1_000'"),
        ("winc -3 binc 4", Limits(binc=4), "go: winc takes a whole number of milliseconds, 0 or more, not '-3'"),
        ("movetime", Limits(), "go: no number after movetime"),
        ("depth infinite", Limits(infinite=True), "go: no number after depth"),
        ("fast depth 3", Limits(depth=3), "go: 'fast' is not understood"),
        ("searchmoves depth 3", Limits(depth=3), "go: no move after searchmoves"),
    ],
)
def test_go_names_what_makes_no_sense_and_keeps_the_rest(text, limits, complaint):
    assert parse_go(text.split()) == Go(limits, None, (complaint,))


def test_absurdly_long_numbers_are_refused():
    (complaint,) = parse_go(["nodes", "9" * 5000]).complaints
    assert complaint.startswith("go: nodes takes a whole number of nodes")


FEN = "8/8/8/4k3/8/8/4K3/8 w - - 0 1"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("startpos", Placement(None)),
        ("startpos moves", Placement(None)),
        ("startpos moves e2e4 e7e5", Placement(None, ("e2e4", "e7e5"))),
        (f"fen {FEN}", Placement(FEN)),
        (f"fen {FEN} moves e2e3", Placement(FEN, ("e2e3",))),
    ],
)
def test_position(text, expected):
    assert parse_position(text.split()) == expected


@pytest.mark.parametrize("text", ["", "fen", "fen moves e2e4", "moves e2e4", "startpos e2e4", FEN])
def test_position_that_is_no_position(text):
    with pytest.raises(PositionError, match=r"^position: "):
        parse_position(text.split())


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("name Hash value 64", "Hash", 64),
        ("name hash value 64", "Hash", 64),
        ("name MOVE overhead value 100", "Move Overhead", 100),
        ("name Clear Hash", "Clear Hash", None),
        ("name Ponder value TRUE", "Ponder", True),
        ("name UCI_Chess960 value false", "UCI_Chess960", False),
        (" name BookFile value /a  b/value\tof.bin \n", "BookFile", "/a  b/value\tof.bin"),
        ("name  move   overhead  value 5", "Move Overhead", 5),
        ("name EvalFile value", "EvalFile", ""),
    ],
)
def test_setoption(text, name, value):
    assignment = parse_setoption(text)
    assert (assignment.option.name, assignment.value) == (name, value)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", "'name' is missing"),
        ("Hash 64", "'name' is missing"),
        ("name", "no option is named"),
        ("name value 3", "no option is named"),
        ("name Nonsense value 3", "'Nonsense'"),
        ("name Hash value 0", "Hash cannot be '0': it takes a whole number from 1 to "),
        ("name Hash value much", "Hash cannot be 'much'"),
        ("name Hash", "Hash cannot be ''"),
        ("name Ponder value yes", "Ponder cannot be 'yes': it takes true or false"),
        ("name Clear Hash value 3", "Clear Hash cannot be '3': it takes no value"),
    ],
)
def test_setoption_names_option_value_and_range(text, named):
    with pytest.raises(OptionError) as error:
        parse_setoption(text)
    assert named in str(error.value)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("joho debug on", ("debug", ["on"])),
        ("  isready  ", ("isready", [])),
        ("\tgo\tdepth 3", ("go", ["depth", "3"])),
        ("", ("", [])),
        ("hello d eval", ("", ["hello", "d", "eval"])),
        ("d", ("d", [])),
    ],
)
def test_words_that_mean_nothing_are_skipped(line, expected):
    assert split_command(line) == expected


@pytest.mark.parametrize(
    ("text", "expected"), [("", (None, 1, 16)), ("9", (9, 1, 16)), ("9 2", (9, 2, 16)), ("9 2 64", (9, 2, 64))]
)
def test_bench(text, expected):
    assert parse_bench(text.split()) == expected


@pytest.mark.parametrize("text", ["x", "0", "-3", "5 0", "5 9999", "5 1 0", "5 1 16 7"])
def test_bench_that_makes_no_sense(text):
    with pytest.raises(OptionError):
        parse_bench(text.split())


WORDS = st.sampled_from(
    sorted(PROTOCOL)
    + ["fen", "startpos", "moves", "name", "value", "perft", "searchmoves", "e2e4", "-1", "0", "٣", "", "<empty>"]
    + list(itertools.chain.from_iterable(part.split() for part in PARTS))
    + [option.name for option in OPTIONS]
) | st.text(max_size=8)


@given(st.lists(WORDS, max_size=12).map(" ".join))
def test_whatever_comes_in_is_understood_or_named(line):
    command, words = split_command(line)
    try:
        match command:
            case "go":
                parse_go(words)
            case "position":
                parse_position(words)
            case "setoption":
                parse_setoption(line.partition("setoption")[2])
    except (PositionError, OptionError) as error:
        message = str(error)
    else:
        message = "understood"
    assert message
