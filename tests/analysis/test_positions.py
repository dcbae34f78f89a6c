"""``analyse FEN``."""

from __future__ import annotations

import re

import pytest

from engine.analysis import cli

MATE_IN_ONE = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 17"


def test_lines_with_san_score_and_chances(capsys):
    assert cli.main("analyse", [*MATE_IN_ONE.split(), "--depth", "8", "--lines", "2", "--option", "Hash=2"]) == 0
    out = capsys.readouterr().out
    rows = [line for line in out.splitlines() if " depth " in line]
    assert len(rows) == 2
    assert re.match(r" +#1 +White 100% +draw +0% +Black +0% +depth 8 +17\. Ra8#$", rows[0])
    assert re.match(r" +[+-]\d+\.\d\d +White +\d+% +draw +\d+% +Black +\d+% +depth 8 +17\. \S+", rows[1])
    assert re.search(r"[\d,]+ nodes in [\d.]+ s", out)


def test_the_start_position_is_the_default(capsys):
    assert cli.main("analyse", ["--nodes", "2000"]) == 0
    assert len(re.findall(r" depth \d+ +1\. \S+", capsys.readouterr().out)) == 3


@pytest.mark.parametrize("words", [["--chess960"], []], ids=["said", "seen"])
def test_chess960_castling(words, capsys):
    fen = "4k3/8/8/8/8/8/8/RK6 w A - 0 1"
    assert cli.main("analyse", [fen, *words, "--depth", "2", "--lines", "30"]) == 0
    assert "O-O-O" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("fen", "ending"),
    [
        ("R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1", "checkmate, White wins"),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "stalemate, a draw"),
    ],
)
def test_a_game_that_is_over_is_said_to_be(fen, ending, capsys):
    assert cli.main("analyse", [fen]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == ending


@pytest.mark.parametrize(
    ("command", "words", "named"),
    [
        ("analyse", ["no", "such", "thing"], "neither a FEN nor a file: 'no such thing'"),
        ("analyse", ["8/8/8/8/8/8/8/8 w - - 0 1"], "not a legal position"),
        ("analyse", ["4k3/8/8/8/8/8/8/R3K3 w K - 0 1"], "(castling without its king or rook in place)"),
        ("play", ["--fen", "4k3/8/8/8/8/8/8/R3K3 w K - 0 1"], "(castling without its king or rook in place)"),
        ("analyse", ["--time", "0"], "'0' is not a number of seconds"),
        ("analyse", ["--depth", "many"], "'many' is not a whole number from 1 to 100"),
        ("analyse", ["--depth", "3", "--time", "1"], "not allowed with"),
        ("analyse", ["--lines", "0"], "'0' is not a whole number from 1 to 256"),
        ("analyse", ["--option", "Hash"], "'Hash' is not NAME=VALUE"),
        ("analyse", ["--option", "Hash=lots"], "option Hash cannot be 'lots'"),
        ("analyse", ["--option", "Hsah=3"], "no option is called 'Hsah'"),
        ("analyse", ["--output", "x.pgn"], "--output needs a PGN file"),
        ("analyse", ["--html", "x.html"], "--html needs a PGN file"),
        ("play", ["--fen", "rubbish"], "neither a FEN nor a file: 'rubbish'"),
        ("play", ["chess"], "chess"),
    ],
)
def test_bad_input_is_one_clear_message(command, words, named, capsys):
    assert cli.main(command, words) == 2
    captured = capsys.readouterr()
    (line,) = captured.err.splitlines()
    assert line.startswith("numbat: ")
    assert named in line
    assert captured.out == ""
