"""The evaluation: kept up to date like computed anew, blind to colours, explained as it is counted."""

import json
import random

import chess
import numpy as np
import pytest

from engine.board.moves import CASTLE_LONG, CASTLE_SHORT, EN_PASSANT, PROMOTION
from engine.board.notation import list_moves
from engine.board.setup import play_move
from engine.evaluation import material
from engine.jit import new_record
from tests.board.oracle import position_from


def refreshed(position):
    accumulator = new_record(material.ACCUMULATOR)
    material.refresh_accumulator(accumulator, position)
    return accumulator


def evaluated(fen):
    position = position_from(fen)
    return int(material.material_value(refreshed(position), position))


def sums(accumulator):
    return int(accumulator["middlegame"]), int(accumulator["endgame"]), int(accumulator["phase"])


STARTS = [
    chess.STARTING_FEN,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "4k3/PPP3p1/8/5pP1/4pP2/8/1pp2PPP/4K3 w - - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    *(chess.Board.from_chess960_pos(number).fen() for number in (0, 199, 362, 611, 959)),
    "1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 w GBgb - 0 1",
]
KINDS = {"castling": {CASTLE_SHORT, CASTLE_LONG}, "en passant": {EN_PASSANT}, "promotion": {*range(PROMOTION, 16)}}


def random_game(start, choose, seen):
    """The positions and moves of a game with many rare moves, which are counted in ``seen``."""
    position = position_from(start, chess960=True)
    for _ in range(120):
        moves = list_moves(position)
        if not moves:
            return
        rare = [move for move in moves if any(move >> 12 in kinds for kinds in KINDS.values())]
        move = choose.choice(rare if rare and choose.random() < 0.5 else moves)
        for name, kinds in KINDS.items():
            seen[name] += move >> 12 in kinds
        yield position, move
        play_move(position, move)


def test_updated_accumulator_equals_refreshed_one():
    choose = random.Random(1)
    before, after = new_record(material.ACCUMULATOR), new_record(material.ACCUMULATOR)
    seen = dict.fromkeys(KINDS, 0)
    for start in STARTS * 3:
        material.refresh_accumulator(before, position_from(start, chess960=True))
        for position, move in random_game(start, choose, seen):
            assert sums(before) == sums(refreshed(position)), f"from {start}"
            material.update_accumulator(after, before, position, move)
            before, after = after, before
    assert min(seen.values()) >= 5, seen


FENS = [
    *STARTS[:4],
    "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 b - - 0 9",
    "8/5k2/6p1/3R2Pp/5P2/r3K1P1/8/8 w - - 1 60",
    "4k3/8/8/8/3Q4/8/8/4K3 b - - 0 1",
    "QQQQk3/8/8/8/8/8/8/QQQ1K3 b - - 0 1",
    "4k3/8/8/8/8/8/P7/1N2K3 w - - 0 1",
]


@pytest.mark.parametrize("fen", FENS)
def test_the_mirrored_position_has_the_same_score(fen):
    assert evaluated(chess.Board(fen).mirror().fen()) == evaluated(fen)


@pytest.mark.parametrize("fen", FENS)
def test_the_explanation_sums_up_to_the_evaluation(fen):
    shares = material.explain(position_from(fen))
    total = sum(white - black for _, white, black in shares)
    white_view = evaluated(fen) if chess.Board(fen).turn else -evaluated(fen)
    assert abs(total - white_view) <= 0.5 * 2 * len(shares) + 1  # half a centipawn a share, one for the sum


def test_start_position_is_level_and_a_queen_is_nine_pawns():
    assert sums(refreshed(position_from(chess.STARTING_FEN))) == (0, 0, material.FULL_PHASE)
    assert 700 < evaluated("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1") < 1100


@pytest.fixture
def table():
    return json.loads(material.WEIGHTS_FILE.read_text())


def test_the_material_is_classical(table):
    classical = {"pawn": 100, "knight": 300, "bishop": 300, "rook": 500, "queen": 900, "king": 0}
    assert table["material"] == classical
    assert table["phase"] == {"pawn": 0, "knight": 1, "bishop": 1, "rook": 2, "queen": 4, "king": 0}


def test_weights_are_read_eighth_rank_first(table, tmp_path, monkeypatch):
    for name in material.PIECE_NAMES:
        for stage in ("middlegame", "endgame"):
            table["piece_square"][name][stage] = [[0] * 8 for _ in range(8)]
    table["piece_square"]["rook"]["middlegame"][0][7] = 11  # h8
    file = tmp_path / "weights.json"
    file.write_text(json.dumps(table))
    spare = np.zeros_like(material.WEIGHTS["piece_square"])
    monkeypatch.setattr(material, "WEIGHTS", {"piece_square": spare})
    material.load_weights(file)
    white, black = (chess.ROOK - 1), 8 | (chess.ROOK - 1)
    assert spare[white, chess.H8]["middlegame"] == 511
    assert spare[white, chess.H8]["endgame"] == 500
    assert spare[black, chess.H1]["middlegame"] == -511
    assert spare[white, chess.A8]["middlegame"] == 500
