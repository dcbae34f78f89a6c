"""What scores are worth: the model, and its fit to games that were drawn by lot from a known one."""

import json
import random
from pathlib import Path

import chess
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.api import Engine
from engine.messages import Limits
from engine.play.wdl import MODEL, REFERENCE_MOVE, Model, can_win, limit_by_material
from tuning.learning.wdl import Samples, fit, rows_of_pgn
from tuning.wdl import main

TRUTH = Model((120.0, 30.0, 0.0), (70.0, 10.0, 0.0), (8, 100))


@given(st.integers(-40_000, 40_000), st.integers(1, 500))
def test_chances_add_up_and_mirror(score: int, move: int) -> None:
    win, draw, loss = MODEL.chances(score, move)
    assert win + draw + loss == 1000
    assert min(win, draw, loss) >= 0
    assert MODEL.chances(-score, move) == (loss, draw, win)


@given(st.integers(-2000, 2000), st.integers(0, 500), st.integers(1, 200))
def test_more_is_never_worse(score: int, more: int, move: int) -> None:
    win, _, loss = MODEL.chances(score, move)
    better_win, _, better_loss = MODEL.chances(score + more, move)
    assert better_win >= win
    assert better_loss <= loss
    assert MODEL.normalize(score + more) >= MODEL.normalize(score)


def test_hundred_centipawns_win_half_the_games() -> None:
    score = round(MODEL.pawn)
    assert MODEL.normalize(score) == 100
    assert abs(MODEL.chances(score, REFERENCE_MOVE)[0] - 500) <= 5


def test_moves_beyond_the_fit_count_as_its_ends() -> None:
    first, last = MODEL.moves
    assert MODEL.at(1) == MODEL.at(first)
    assert MODEL.at(last + 300) == MODEL.at(last)


def test_reports_hold_normalized_scores_and_their_chances() -> None:
    with Engine(hash=2) as running:
        info = running.search(chess.Board("rnbqkb1r/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"), Limits(depth=6))
        assert info.wdl[0] > 600 > 200 > info.wdl[2]
        mate = running.search(chess.Board("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"), Limits(depth=3))
        assert mate.wdl == (1000, 0, 0)


@pytest.mark.parametrize(
    ("fen", "white", "black"),
    [
        ("8/8/8/3k4/8/3K4/3P4/8 w - - 0 1", True, False),
        ("8/8/4k3/8/2BB4/3K4/8/7n w - - 0 1", True, False),
        ("8/8/4k3/8/3B1B2/3K4/8/6bn w - - 0 1", False, True),
        ("8/8/4k3/8/3N1N2/3K4/8/8 w - - 0 1", False, False),
        ("8/8/4k3/p7/3N1N2/3K4/8/8 w - - 0 1", True, True),
    ],
)
def test_only_material_that_mates_wins(fen: str, white: bool, black: bool) -> None:
    board = chess.Board(fen)
    pieces = [int(board.pieces_mask(kind, chess.WHITE) | board.pieces_mask(kind, chess.BLACK)) for kind in range(1, 6)]
    assert [can_win(pieces, board.occupied_co[color]) for color in (chess.WHITE, chess.BLACK)] == [white, black]


@given(st.integers(-2000, 2000), st.integers(1, 100), st.booleans(), st.booleans())
def test_a_side_without_material_never_wins(score: int, move: int, white: bool, black: bool) -> None:
    chances = MODEL.chances(score, move)
    win, draw, loss = limit_by_material(chances, white, black)
    assert win + draw + loss == 1000
    assert min(win, draw, loss) >= 0
    assert win == 0 or white
    assert loss == 0 or black
    if white and black:
        assert (win, draw, loss) == chances
    elif chances[0] >= chances[2] if white else black and chances[2] >= chances[0]:
        assert win - loss == chances[0] - chances[2]


@pytest.mark.parametrize(
    "fen", ["8/8/8/8/8/4k3/3p4/3K4 b - - 0 1", "4k3/8/8/7r/R7/8/8/4K3 w - - 100 90", "8/8/8/3k4/8/8/8/KNN5 w - - 0 1"]
)
def test_a_certain_draw_is_reported_as_one(fen: str) -> None:
    with Engine(hash=2) as running:
        info = running.search(chess.Board(fen), Limits(depth=12))
    assert info.score.cp == 0
    assert info.wdl == (0, 1000, 0)


def rows(count: int) -> list[tuple[int, int, float]]:
    """Scores, move numbers and results of moves, won and lost as :data:`TRUTH` says."""
    source = random.Random(1)
    found = []
    for number in range(count):
        score, move = round(source.gauss(0, 150)), 8 + number % 60
        win, draw, _ = TRUTH.chances(score, move)
        lot = source.random() * 1000
        found.append((score, move, 1.0 if lot < win else 0.0 if lot < win + draw else -1.0))
    return found


def games_file(path: Path, count: int) -> None:
    """Games of one move each, of a player called ``a``; their comments have the scores."""
    with path.open("w") as stream:
        for number, (score, move, points) in enumerate(rows(count)):
            result = {1.0: "1-0", 0.0: "1/2-1/2", -1.0: "0-1"}[points]
            comment = f"{score / 100:+.2f}/9 0.1s" if number % 2 else f"[%eval {score / 100:.2f}]"
            tags = f'[White "a"]\n[SetUp "1"]\n[FEN "4k3/8/8/8/8/8/8/4K2R w - - 0 {move}"]\n[Result "{result}"]'
            stream.write(f"{tags}\n\n{move}. Rh2 {{{comment}}} {result}\n\n")


def test_the_fit_finds_the_model_that_the_games_came_from() -> None:
    model, _ = fit(Samples(*np.array(rows(20_000)).T))
    assert model.pawn == pytest.approx(TRUTH.pawn, rel=0.1)
    for move in (10, 32, 60):
        for found, true in zip(model.at(move), TRUTH.at(move), strict=True):
            assert found == pytest.approx(true, rel=0.1)


def test_the_command_fits_scores_as_they_were_shown(tmp_path: Path) -> None:
    """Here a pawn was shown as half of what the evaluation had."""
    games, out = tmp_path / "games.pgn", tmp_path / "wdl.json"
    games_file(games, 300)
    assert main([str(games), "--shown-pawn", "200", "--out", str(out)]) == 0
    assert Model.from_json(json.loads(out.read_text())).pawn == pytest.approx(2 * TRUTH.pawn, rel=0.3)


def test_a_score_of_zero_needs_no_sign(tmp_path: Path) -> None:
    """As cutechess writes it."""
    game = '[Result "1/2-1/2"]\n\n1. e4 {0.00/20 0.5s} e5 {+0.10/20 0.5s} 2. Nf3 {-0.10/21 0.5s} 1/2-1/2\n'
    (tmp_path / "games.pgn").write_text(game)
    assert [row[0] for row in rows_of_pgn(tmp_path / "games.pgn", None)] == [0, 10, -10]


def test_the_scores_in_both_kinds_of_comments_are_read(tmp_path: Path) -> None:
    games_file(tmp_path / "games.pgn", 20)
    assert list(rows_of_pgn(tmp_path / "games.pgn", "a")) == [pytest.approx(row) for row in rows(20)]
    assert list(rows_of_pgn(tmp_path / "games.pgn", "nobody")) == []


@pytest.mark.parametrize(("games", "complaint"), [("none", "no such file"), ("few", "too few")])
def test_too_few_games_are_refused_and_nothing_is_written(tmp_path: Path, capsys, games: str, complaint: str) -> None:
    path, out = tmp_path / "games.pgn", tmp_path / "wdl.json"
    if games == "few":
        games_file(path, 20)
    assert main([str(path), "--out", str(out)]) == 2
    assert complaint in " ".join(capsys.readouterr().out.split())
    assert not out.exists()
