"""Lines to records, without an engine."""

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.messages import MAX_LIMIT, NUMBERS, Limits, OptionError, PositionError, quoted
from engine.options import OPTIONS
from engine.search.parameters import Parameters
from engine.search.timeman import plan
from engine.uci.format import info_string_line
from engine.uci.input import MAX_LINE_BYTES, split_lines
from engine.uci.parse import (
    PROTOCOL,
    Bench,
    Go,
    Placement,
    parse_bench,
    parse_go,
    parse_position,
    parse_setoption,
    split_command,
    text_after,
)

NUMBERED = (
    "wtime 1000",
    "btime -5",
    "winc 10",
    "binc 20",
    "movestogo 40",
    "movetime 500",
    "depth 7",
    "nodes 12345",
    "mate 3",
)

PARTS: dict[str, dict[str, Any]] = {
    **{part: {part.split()[0]: int(part.split()[1])} for part in NUMBERED},
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
    if {"wtime", "btime"} & expected.keys():  # one clock stands for both: fastchess sends ``go btime 100`` for White
        expected = {"wtime": expected.get("btime"), "btime": expected.get("wtime")} | expected
    assert parse_go(" ".join(chosen).split()) == Go(Limits(**expected))


@given(st.sampled_from([*NUMBERS]), st.integers() | st.floats().map(str) | st.text(max_size=4))
def test_numbers_are_clamped_or_ignored_with_a_remark(name, number):
    go = parse_go([name, *str(number).split()])
    value = getattr(go.limits, name)
    fault = NUMBERS[name].fault(name, number)
    assert bool(go.faults) == bool(fault) or not isinstance(number, int)
    if value not in (None, 0):
        assert not NUMBERS[name].fault(name, value)
        assert fault or value == number


@pytest.mark.parametrize("text", ["perft", "perft five", "perft depth 5", "perft 21"])
def test_a_perft_without_its_depth_begins_no_search(text):
    assert parse_go(["perft", "5"]).perft == 5
    with pytest.raises(OptionError, match="perft"):
        parse_go(text.split())


def test_movestogo_zero_means_the_rest_of_the_game():
    assert parse_go(["movestogo", "0", "wtime", "9"]) == Go(Limits(wtime=9, btime=9, movestogo=0))
    without = plan(Limits(wtime=9000), True, 0, Parameters())
    assert plan(Limits(wtime=9000, movestogo=0), True, 0, Parameters()) == without


LONG = "nodes " + "9" * 5000


@pytest.mark.parametrize(
    ("text", "limits", "complaint"),
    [
        ("depth abc mate 5", Limits(mate=5), "go: depth takes a whole number of plies, 1 or more, not 'abc'"),
        ("depth 0", Limits(depth=1), "go: depth takes a whole number of plies, 1 or more, not 0"),
        ("nodes 0 depth 3", Limits(nodes=1, depth=3), "go: nodes takes a whole number of nodes, 1 or more, not 0"),
        (
            "nodes 9223372036854775808",
            Limits(nodes=MAX_LIMIT),
            f"go: nodes takes a whole number of nodes, at most {MAX_LIMIT}, not {MAX_LIMIT + 1}",
        ),
        (LONG, Limits(), f"go: nodes takes a whole number of nodes, 1 or more, not {quoted('9' * 5000)}"),
        ("movetime 0.5", Limits(), "go: movetime takes a whole number of milliseconds, 0 or more, not '0.5'"),
        ("movestogo -1", Limits(movestogo=0), "go: movestogo takes a whole number of moves, 0 or more, not -1"),
        ("wtime 1_000", Limits(), "go: wtime takes a whole number of milliseconds, not '1_000'"),
        ("winc -3 binc 4", Limits(binc=4), "go: winc takes a whole number of milliseconds, 0 or more, not -3"),
        ("movetime", Limits(), "go: no number after movetime"),
        ("depth infinite", Limits(infinite=True), "go: no number after depth"),
        ("fast depth 3", Limits(depth=3), "go: 'fast' is not understood"),
        ("searchmoves depth 3", Limits(depth=3), "go: no move after searchmoves"),
    ],
)
def test_go_names_faults_and_keeps_the_rest(text, limits, complaint):
    assert parse_go(text.split()) == Go(limits, None, (complaint,))


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
def test_position_commands_are_read(text, expected):
    assert parse_position(text.split()) == expected


@pytest.mark.parametrize("text", ["", "fen", "fen moves e2e4", "moves e2e4", "startpos e2e4", FEN])
def test_malformed_position_is_refused(text):
    with pytest.raises(PositionError, match=r"^position: "):
        parse_position(text.split())


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("name Hash value 64", "Hash", 64),
        ("name hash value 64", "Hash", 64),
        ("name MOVE overhead value 100", "Move Overhead", 100),
        ("name Clear Hash", "Clear Hash", None),
        ("name Clear Hash value true", "Clear Hash", None),
        ("name Ponder value TRUE", "Ponder", True),
        ("name UCI_Chess960 value false", "UCI_Chess960", False),
        (" name BookFile value /a  b/value\tof.bin \n", "BookFile", "/a  b/value\tof.bin"),
        ("name  move   overhead  value 5", "Move Overhead", 5),
        ("name EvalFile value", "EvalFile", ""),
        ("name EvalFile value <empty>", "EvalFile", ""),
        ("name EvalType value nnue", "EvalType", "NNUE"),
    ],
)
def test_setoption_commands_are_read(text, name, value):
    assert parse_setoption(text) == (name, value)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", "'name' is missing"),
        ("Hash 64", "'name' is missing"),
        ("name", "no option is named"),
        ("name value 3", "no option is named"),
        ("name Nonsense value 3", "'Nonsense'"),
        ("name Hash value 0", "Hash must be an integer from 1 to 1048576, not '0'"),
        ("name Hash", "Hash must be an integer from 1 to 1048576, not ''"),
        ("name Ponder value yes", "Ponder must be true or false, not 'yes'"),
        ("name Clear Hash value 3", "Clear Hash takes no value, not '3'"),
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
def test_unknown_words_before_a_command_are_skipped(line, expected):
    assert split_command(line) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", Bench()),
        ("9", Bench(value=9)),
        ("9 2 64", Bench(value=9, options={"threads": 2, "hash": 64})),
        ("my suite.epd", Bench("my suite.epd")),
        ("/my suites/x 9 2", Bench("/my suites/x", value=9, options={"threads": 2})),
        # Stockfish's order
        ("128 4 8 default depth", Bench(value=8, options={"hash": 128, "threads": 4})),
        ("16 1 900 current nodes", Bench("current", "nodes", 900, {"hash": 16, "threads": 1})),
        ("16 1 3 my suite.epd", Bench("my suite.epd", value=3, options={"hash": 16, "threads": 1})),
        ("16 1 20 /x/y.epd movetime", Bench("/x/y.epd", "movetime", 20, {"hash": 16, "threads": 1})),
    ],
)
def test_the_arguments_of_bench_are_read(text, expected):
    assert parse_bench(text.split()) == expected


@pytest.mark.parametrize(
    "text", ["x", "0", "-3", str(2**63), "5 0", "5 9999", "5 1 0", "5 1 16 7", "16 1 9 default plies"]
)
def test_bad_arguments_of_bench_are_refused(text):
    with pytest.raises(OptionError):
        parse_bench(text.split())


WORDS = st.sampled_from(
    sorted(PROTOCOL)
    + ["fen", "startpos", "moves", "name", "value", "perft", "searchmoves", "e2e4", "-1", "0", "٣", "", "<empty>"]
    + list(itertools.chain.from_iterable(part.split() for part in PARTS))
    + [option.name for option in OPTIONS]
) | st.text(max_size=8)


def parse(line: str) -> None:
    """What happens to ``line`` before the engine gets it."""
    command, words = split_command(line)
    try:
        match command:
            case "go":
                parse_go(words)
            case "position":
                parse_position(words)
            case "setoption":
                parse_setoption(text_after("setoption", line))
            case "bench":
                parse_bench(words)
            case _:
                info_string_line(line)
    except (PositionError, OptionError) as error:
        info_string_line(str(error))


@given(st.lists(WORDS, max_size=12).map(" ".join))
def test_any_line_is_understood_or_named(line):
    parse(line)


def read_lines(*chunks: bytes) -> tuple[list[str], list[str]]:
    """The lines in ``chunks``, and the beginnings of those that were too long."""
    too_long: list[str] = []
    return list(split_lines(chunks, too_long.append)), too_long


def test_lines_are_joined_from_chunks():
    assert read_lines(b"y" * (MAX_LINE_BYTES + 1)) == ([], ["y" * 100])
    assert read_lines(b"uci\nis", b"rea", b"dy\r\n\ngo", b"") == (["uci", "isready", "", "go"], [])


@pytest.mark.parametrize("cut", [1, 1000, MAX_LINE_BYTES - 1, MAX_LINE_BYTES, MAX_LINE_BYTES + 1, 2 * MAX_LINE_BYTES])
def test_a_line_that_is_too_long_is_left_out_and_said_once(cut):
    data = b"uci\n" + b"x" * MAX_LINE_BYTES + b"\nisready\n" + b"y" * (3 * MAX_LINE_BYTES) + b"\nquit"
    chunks = [data[place : place + cut] for place in range(0, len(data), cut)] if cut > 1 else [data]
    lines, too_long = read_lines(*chunks)
    assert [line[:7] for line in lines] == ["uci", "x" * 7, "isready", "quit"]
    assert too_long == ["y" * 100]


def test_faults_beyond_three_are_counted():
    go = parse_go(("one two three four five " + "depth x " * 9 + "movetime 5").split())
    assert go.limits == Limits(movetime=5)
    assert go.faults[-2] == "go: 'one', 'two', 'three' and 2 more are not understood"
    assert go.faults[-1] == "go: 4 more limits are invalid"
    assert len(go.faults) == 7
    with pytest.raises(PositionError, match=r"'a', 'b', 'c' and 1 more after startpos are not understood"):
        parse_position(["startpos", *"abcd"])


def test_the_command_is_a_word_of_its_own():
    assert text_after("setoption", "mysetoption setoption name Hash value 3") == " name Hash value 3"
    assert parse_setoption(text_after("setoption", "setoption\tname Hash value 3")) == ("Hash", 3)
