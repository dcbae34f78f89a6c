"""What the judge of the benchmark asks of a sentence: that it is true of a longer search, give or take a little."""

import json
import sys

import chess
import pytest

from engine.explanation.verdicts import UNSURE_CP, compare
from tests.explanation.lines import moves
from tuning.benchmarks import annotator
from tuning.benchmarks.annotator import UNNOTICED_CP, compares, kind_of, said_cost, taken_back

SLACK = 0.05

START = "rnb1kbnr/pppp1ppp/8/4p1q1/3PP3/8/PPP2PPP/RNBQKBNR w KQkq - 0 3"


@pytest.mark.parametrize(
    ("kind", "had", "has", "before", "after", "true"),
    [
        ("half", 2, 0, 0.6, 0.3, True),
        ("half", 2, 0, 0.9, 0.8, False),
        ("less", 3, 2, 0.6, 0.7, True),
        ("less", 3, 2, 0.9, 0.6, False),
        ("grown", -1, -2, 0.4, 0.3, True),
        ("grown", -1, -2, 0.5, 0.3, False),
        ("anyway", -3, -3, 0.1, 0.0, True),
        ("anyway", -3, -3, 0.2, 0.0, False),
        ("now", 0, -2, 0.9, 0.2, True),
        ("now", 0, -2, 0.5, 0.4, False),
        ("decided", 1, -3, 0.95, 0.02, True),
        ("decided", 1, -3, 0.5, 0.02, False),
        ("lost", 3, 0, 0.95, 0.7, True),
        ("open", 1, 0, 0.9, 0.7, True),
        ("open", 1, 0, 0.9, 0.8, False),
        ("either", 3, 2, 0.7, 0.7, True),
        ("either", 3, 2, 0.6, 0.7, False),
        ("worse", -1, -2, 0.4, 0.3, True),
        ("worse", -1, -2, 0.5, 0.3, False),
    ],
)
def test_comparisons_are_checked_at_both_positions(kind, had, has, before, after, true):
    assert compares(kind, had, has, before, after, SLACK) is true


@pytest.mark.parametrize(
    ("drop", "least", "most"),
    [(60, -UNNOTICED_CP, 2 * UNSURE_CP), (120, -UNNOTICED_CP, 20_000), (250, 105, 660), (600, 275, 20_000)],
)
def test_stated_costs_have_bounds(drop, least, most):
    said = said_cost(compare(0.6, 0.37, drop))
    assert said is not None
    assert said == (pytest.approx(least, abs=1), most)
    assert said_cost(compare(0.8, 0.5, 120)) is said_cost(compare(0.8, 0.7, 60)) is None


@pytest.mark.parametrize(
    ("fen", "played", "best", "kind"),
    [
        (START, "Qg4 Qxg4 Nf3", "Bxg5 f6 Be3", "hung"),
        (START, "Nf3 Qf6 dxe5", "Bxg5 f6 Be3", "missed"),
        ("4r1k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", "Rd7 Re1#", "h3 h6", "mate"),
        ("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", "Ra7 g6", "Ra8#", "mate"),
        # The knight takes a pawn and is trapped; it is lost two moves later.
        ("4k3/p1p5/1p6/3N4/8/8/8/4K3 w - - 0 1", "Nxc7+ Kd7 Nd5 Kd6 Ke2 Kxd5", "Nc3 Kd7 Ke2", "capture"),
        ("4k3/2p5/1p6/3N4/8/8/8/4K3 w - - 0 1", "Kd2 Kd7 Kd3 Kd6 Kd2 Kxd5", "Nc3 Kd7 Kd2 Kd6 Kd3", "distance"),
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "Kd1 Kd7", "Kf2 Ke7", "slow"),
    ],
)
def test_the_kind_of_a_mistake_follows_from_the_lines(fen, played, best, kind):
    board = chess.Board(fen)
    assert kind_of(board, moves(board, played), moves(board, best)) == kind


def test_a_move_is_taken_back_to_where_it_can_have_come_from():
    board = chess.Board("r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 3 3")
    steps = taken_back(board)
    for before, move in steps:
        before.push(move)
        assert before.board_fen() == board.board_fen()
    assert len(steps) > 10


def test_an_annotated_game_puzzles_and_levels_are_judged(tmp_path, capsys, monkeypatch):
    """By Numbat itself; a second run asks the judge nothing."""
    games, known = tmp_path / "fool.pgn", tmp_path / "known.jsonl"
    games.write_text("1. f3 e5 2. g4 Qh4# 0-1\n", encoding="utf-8")
    (tmp_path / "suites").mkdir()
    puzzles = ["6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - -", "4k3/8/8/8/3q4/8/4N3/4K3 w - -"]
    (tmp_path / "suites" / "lichess_puzzles_5k.epd").write_text(
        "".join(f'{puzzle} bm a1; c2 "mateIn1 backRankMate";\n' for puzzle in puzzles)
    )
    words = [str(games), "puzzles", "levels", "--judge", f"{sys.executable} uci_main.py", "--nodes", "500"]
    words += ["--judge-nodes", "500", "--known", str(known), "--data", str(tmp_path), "--elo", "1000", "--count", "3"]
    assert annotator.main(words) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["mark", "??", "1", "1", "100.0"] in rows
    assert [row[4] for row in rows if row[:4] == ["level", "1000:", "no", "mistake"]] == ["3"]
    assert {json.loads(line)["nodes"] for line in known.read_text("utf-8").splitlines()} == {500}
    monkeypatch.setattr("chess.engine.SimpleEngine.analyse", None)
    assert annotator.main([word for word in words if word != "levels"]) == 0


def test_games_that_are_missing_are_named(tmp_path, capsys):
    assert annotator.main([str(tmp_path / "none.pgn"), "--judge", sys.executable]) == 2
    assert "none.pgn: No such file" in capsys.readouterr().out
