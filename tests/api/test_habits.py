"""Programs written for python-chess's engines, and the examples for beginners."""

import csv

import chess
import pytest
from chess.engine import Cp, Limit, PovScore

from engine import Analysis, Engine
from tests.conftest import REPOSITORY
from tests.run_python import run_python

EXAMPLES = REPOSITORY / "engine" / "api" / "examples"

GAME = '[White "Ann"]\n[Black "Bob"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n'


def test_calls_of_python_chess_are_accepted():
    board = chess.Board()
    engine = Engine(hash=1)
    engine.configure({"Skill Level": 5, "Move Overhead": 50}, multipv=2)
    assert [engine.options[name] for name in ("Skill Level", "Move Overhead", "MultiPV")] == [5, 50, 2]
    info = engine.analyse(board, Limit(depth=3))
    assert info["score"] is info.score
    with engine.analysis(board, Limit(depth=3)) as reports:
        assert all("pv" in report for report in reports)
    engine.quit()
    assert engine.closed


def test_an_analysis_is_a_mapping_of_its_fields():
    line = Analysis(PovScore(Cp(1), chess.WHITE), depth=3)
    assert (line["depth"], line.get("string", "none"), "score" in line, "move" in line) == (3, "none", True, False)
    assert dict(line) == {name: getattr(line, name) for name in line}
    assert line == Analysis(PovScore(Cp(1), chess.WHITE), depth=3) != Analysis(line.score)
    with pytest.raises(KeyError, match="currmove"):
        line["currmove"]


def test_a_line_is_readable_text(shared: Engine):
    board = chess.Board("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1")
    assert str(shared.analyse(board, Limit(depth=3))) == "#1 d3 1. Ra8#"
    board.push_san("Kd2")
    (line,) = shared.analyse(board, Limit(depth=2), multipv=1)
    assert str(line) == f"{line.score.white().score() / 100:+.2f} d2 {board.variation_san(line.pv)}"


def test_the_bot_answers_moves():
    said = run_python(EXAMPLES / "bot.py", input="e4\nzz\n")
    assert said.returncode == 0, said.stderr
    greeting, answer, error = said.stdout.splitlines()[-3:]
    assert "White" in greeting
    board = chess.Board()
    board.push_san("e4")
    board.push_san(answer)
    assert "zz" in error


def test_blunders_are_named(tmp_path):
    path = tmp_path / "game.pgn"
    path.write_text(GAME)
    said = run_python(EXAMPLES / "blunders.py", path)
    assert said.returncode == 0, said.stderr
    assert [line.split()[:2] for line in said.stdout.splitlines()[-2:]] == [["Ann", "-"], ["2.", "g4"]]


def test_positions_are_labelled(tmp_path):
    source, target = tmp_path / "positions.fen", tmp_path / "labels.csv"
    source.write_text(f"{chess.STARTING_FEN}\n6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1\n")
    said = run_python(EXAMPLES / "label.py", source, target)
    assert said.returncode == 0, said.stderr
    first, second = csv.DictReader(target.read_text().splitlines())
    assert (first["fen"], second["score"], second["move"]) == (chess.STARTING_FEN, "9999", "a1a8")


def test_an_evaluation_of_ones_own_is_searched():
    said = run_python(EXAMPLES / "evaluation.py")
    assert said.returncode == 0, said.stderr
    before, after = (line.split(maxsplit=2)[1:] for line in said.stdout.splitlines())
    assert int(before[0]) > int(after[0])
    assert before[1] != after[1]
