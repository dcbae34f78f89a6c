"""``analyse FEN``."""

# ruff: noqa: E501 (positions and addresses)

import io
import os
import re

import chess
import pytest
from chess.engine import Cp, PovScore

from engine import Analysis
from engine.analysis import cli
from engine.analysis.positions import Lines
from tests.analysis.conftest import on_terminal

MATE_IN_ONE = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 17"


def test_lines_with_san_score_and_chances(capsys):
    assert cli.main("analyse", [*MATE_IN_ONE.split(), "--depth", "8", "--lines", "2", "--option", "Hash=2"]) == 0
    out = capsys.readouterr().out
    rows = [line for line in out.splitlines() if " depth " in line]
    assert [int(re.search(r"depth (\d+)", row)[1]) for row in rows] == [*range(1, 9), 8, 8]  # each depth as it comes
    rows = rows[-2:]
    assert re.match(r" +#1 +White 100% +draw +0% +Black +0% +depth 8 +17\. Ra8#$", rows[0])
    assert re.match(r" +[+-]\d+\.\d\d +White +\d+% +draw +\d+% +Black +\d+% +depth 8 +17\. \S+", rows[1])
    assert re.search(r"[\d,]+ nodes in [\d.]+ s", out)


def report(rank: int, depth: int, score: int, move: str) -> Analysis:
    return Analysis(PovScore(Cp(score), chess.WHITE), (chess.Move.from_uci(move),), multipv=rank, depth=depth)


def test_lines_of_different_iterations_are_never_mixed():
    lines = Lines()
    shown = []
    for step in (
        report(1, 1, 30, "e2e4"), report(2, 1, 20, "d2d4"), report(1, 2, 25, "d2d4"), report(2, 2, 10, "c2c4"),
        report(1, 3, 25, "d2d4"),
    ):  # fmt: skip
        if lines.add(step):
            shown.append([(line.depth, line.multipv) for line in lines.shown])
    assert shown == [[(1, 1)], [(1, 1), (1, 2)], [(2, 1), (2, 2)]]
    single = Lines()
    assert all(single.add(report(1, depth, 30, "e2e4")) for depth in (1, 2, 2, 3))


def test_the_lines_of_a_search_are_shown_in_order(numbat):
    board = chess.Board("r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/8/PPPP1PPP/RNBQK1NR w KQkq - 0 3")
    lines = Lines()
    full = 0
    for found in numbat.stream(board, chess.engine.Limit(depth=9), multipv=4):
        if lines.add(found) and len(lines.shown) == 4:
            full += 1
            assert [line.multipv for line in lines.shown] == [1, 2, 3, 4]
            assert len({line.move for line in lines.shown}) == 4
            scores = [line.score.relative for line in lines.shown]
            assert scores == sorted(scores, reverse=True)
    assert full >= 9


@pytest.mark.parametrize("lines", ["1", "3"])
def test_the_move_that_is_explained_is_the_first_line_s(lines, capsys):
    """A search of its own for the explanation could prefer another move."""
    assert cli.main("analyse", ["--depth", "4", "--lines", lines]) == 0
    out = capsys.readouterr().out
    best = re.search(r" depth 4 +1\. (\S+)", out)[1]
    assert f"\n\n{best} is the best move" in out
    assert out.splitlines()[-1].count("hardly worse") <= (lines == "3")


@pytest.mark.parametrize("words", [["--chess960"], []], ids=["said", "seen"])
def test_the_best_lines_of_a_chess960_position_castle(words, capsys):
    fen = "4k3/8/8/8/8/8/8/RK6 w A - 0 1"
    assert cli.main("analyse", [fen, *words, "--depth", "2", "--lines", "30"]) == 0
    assert "O-O-O" in capsys.readouterr().out


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="no pseudoterminals there")
def test_lines_wrap_at_spaces_on_a_terminal():
    said = on_terminal("analyse", "--depth", "9")
    assert b"\x1b" not in said  # which this terminal would print
    rows = said.decode().splitlines()
    assert max(map(len, rows)) <= 80, rows
    later = [row for row in rows if re.match(r" {9}\S", row)]
    assert later
    assert all(re.match(r" {9}(\d+\. )?[KQRBNa-hO]", row) for row in later), later


def test_castling_rights_without_a_rook_are_dropped_with_a_word(capsys):
    assert cli.main("analyse", ["4k3/8/8/8/8/8/8/R3K3 w KQ - 0 1", "--depth", "2"]) == 0
    said = capsys.readouterr()
    assert said.err == "numbat: castling rights 'KQ' are read as 'Q': no king or rook in place\n"
    assert "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1" in said.out


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


@pytest.mark.parametrize("rest", ['- bm Kf8; id "a mate";', "- 0 1 id x"])
def test_an_epd_line_is_a_position_whatever_files_there_are(rest, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "b").touch()
    assert cli.main("analyse", f"R5k1/5ppp/8/8/8/8/8/4K3 b - {rest}".split()) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "checkmate, White wins"


@pytest.mark.parametrize(
    ("text", "fen"),
    [
        ("1. f3 e5 2. g4 Qh4#", "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"),
        ("f3 e5 g4 Qh4", "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"),
        ("position startpos moves f2f3 e7e5 g2g4 d8h4", "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"),
        ("https://lichess.org/analysis/standard/R5k1/5ppp/8/8/8/8/8/4K3_b_-_-_0_1", "R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1"),
        ("https://lichess.org/editor/R5k1/5ppp/8/8/8/8/8/4K3_b_-_-_0_1?color=white", "R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("pasted", [False, True], ids=["argument", "pipe"])
def test_moves_and_addresses_with_a_position_are_read(text, fen, pasted, monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert cli.main("analyse", [] if pasted else [text]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[-1] == "checkmate, " + ("White wins" if fen.split()[1] == "b" else "Black wins")
    assert any(line.startswith(fen) for line in out)


def test_a_pasted_game_is_annotated_and_kept(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for result in ("1-0", "1-0", "0-1"):  # the second time it is the same file
        pgn = f"1. e4 e5 {result}\n" if result == "0-1" else f'[White "A"]\n[Result "{result}"]\n\n1. e4 e5 {result}\n'
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(pgn.encode())))
        assert cli.main("analyse", ["-", "--depth", "1"]) == 0
    assert sorted(path.name for path in tmp_path.glob("*.pgn")) == [
        "pasted-2.annotated.pgn", "pasted-2.pgn", "pasted.annotated.pgn", "pasted.pgn",
    ]  # fmt: skip
    assert "wrote pasted-2.annotated.pgn and pasted-2.annotated.html" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("command", "words", "named"),
    [
        ("analyse", ["no", "such", "thing"], "neither a position nor moves nor a file: 'no such thing'"),
        (
            "analyse",
            ["https://lichess.org/q7ZvsdUF"],
            "'https://lichess.org/q7ZvsdUF' is an address, which Numbat does not load",
        ),
        ("analyse", ["1. e4 e5 2. 5e"], "2. '5e' is not a move"),
        ("analyse", ["1. e4 e5 2. Ke3 Nf6"], "2. 'Ke3' is not a legal move"),
        ("analyse", ["8/8/8/8/8/8/8/8 w - - 0 1"], "White has 0 kings instead of 1"),
        ("play", ["--fen", "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1 bm Ra8"], "'bm Ra8' after the position"),
        ("analyse", ["4k3/8/8/8/8/8/8/R3K3 w Q - !?"], "'!?' is not an operation of EPD"),
        ("analyse", ["4k3/8/8/8/8/8/8/R3K3 w Q - 0 1 moves a1b8"], "'a1b8' is not a legal move"),
        ("analyse", ["4k3/8/8/8/8/8/8/R3K3 w"], "has 2 fields instead of 3 to 6"),
        ("analyse", ["."], "cannot read .: a directory, not a file"),
        ("analyse", ["--time", "0"], "'0' is not a number of seconds"),
        ("analyse", ["--depth", "many"], "'many' is not a whole number from 1 to 100"),
        ("analyse", ["--depth", "3", "--time", "1"], "not allowed with"),
        ("analyse", ["--lines", "0"], "'0' is not a whole number from 1 to 256"),
        ("analyse", ["--option", "Hash"], "'Hash' is not NAME=VALUE"),
        ("analyse", ["--option", "Hash=lots"], "Hash must be an integer from 1 to 1048576, not 'lots'"),
        ("analyse", ["--output", "x.pgn"], "--output needs a PGN file"),
        ("analyse", ["--jobs", "2"], "--jobs needs a PGN file"),
        ("analyse", ["--game-time", "3"], "--game-time needs a PGN file"),
        ("play", ["--fen", "rubbish"], "not a FEN: 'rubbish'"),
        ("play", ["chess"], "chess"),
        ("play", ["--clock", "soon"], "'soon' is not a clock"),
        ("play", ["--clock", "5+3", "--depth", "3"], "not allowed with"),
        ("play", ["--elo", "9999"], "'9999' is not a whole number from 400 to 3235"),
        ("play", ["--elo", "399"], "'399' is not a whole number from 400 to 3235"),
        ("play", ["--elo", "1400", "--level", "3"], "not allowed with"),
    ],
)
def test_bad_input_is_one_clear_message(command, words, named, capsys):
    assert cli.main(command, words) == 2
    captured = capsys.readouterr()
    (line,) = captured.err.splitlines()
    assert line.startswith("numbat: ")
    assert named in line
    assert captured.out == ""
