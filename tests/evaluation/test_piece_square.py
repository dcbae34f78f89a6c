"""Learning the piece-square tables: reading, numbers, gradient's end point and the whole command."""

import gzip
import json
import lzma
import random

import chess
import numpy as np
import pytest
from rich.progress import Progress

from engine.evaluation.material import WEIGHTS_FILE
from tuning.common.errors import SetupError
from tuning.learning import piece_square as ps
from tuning.learning.logistic import fit_scale, logistic_loss
from tuning.piece_square import main

MATERIAL = np.array([100, 300, 300, 500, 900, 0])
PHASES = np.array([0, 1, 1, 2, 4, 0])


def random_board(choose):
    """A random game's position a few dozen plies on."""
    board = chess.Board()
    for _ in range(choose.randrange(90)):
        moves = list(board.legal_moves)
        if not moves:
            break
        board.push(choose.choice(moves))
    return board


def row(fen, evaluation=10, result=0.5, ply=20, flags=b"-"):
    return ps.Row(fen.split()[0].encode(), evaluation, result, ply, flags)


def test_features_agree_with_python_chess():
    choose = random.Random(3)
    boards = [random_board(choose) for _ in range(40)]
    sample = ps.encode([board.board_fen().encode() for board in boards], np.zeros(40), PHASES)
    expected = np.zeros((40, 6 * 64))
    phase = np.zeros(40)
    for number, board in enumerate(boards):
        for square, piece in board.piece_map().items():
            from_a8 = square ^ 56 if piece.color else square
            expected[number, (piece.piece_type - 1) * 64 + from_a8] += 1 if piece.color else -1
            phase[number] += PHASES[piece.piece_type - 1] / 24
    assert np.array_equal(sample.features.toarray(), expected)
    assert sample.phase == pytest.approx(np.minimum(phase, 1))
    pieces = sum(len(board.piece_map()) for board in boards)
    assert sample.visits.sum() == pytest.approx(pieces)


@pytest.mark.parametrize("board", [b"8/8/8/8/8/8/8/7", b"8/8/8/8/8/8/8/8/8", b"8/8/8/8/x7/8/8/8"])
def test_a_broken_board_is_quoted(board):
    with pytest.raises(SetupError, match=board.decode()):
        ps.pieces_of([b"8/8/8/8/8/8/8/8", board])


def test_the_trainer_s_lines_are_read_from_white_s_view():
    lines = [
        b"4k3/8/8/8/8/8/3p4/3QK3 w - - 0 40\td1d2\t208\t78\t1\n",
        b"4k3/8/8/8/8/8/3Q4/4K3 b - - 0 40\te8f8\t-416\t79\t-1\n",
        b"5k2/8/8/8/8/8/3Q4/4K3 w - - 0 41\td2d8\t0\t80\t0\n",
    ]
    first, second, third = ps.read_rows(lines, "lines")
    assert first == ps.Row(b"4k3/8/8/8/8/8/3p4/3QK3", 100, 1.0, 78, b"cx")
    assert second == ps.Row(b"4k3/8/8/8/8/8/3Q4/4K3", 200, 1.0, 79, b"-")
    assert third == ps.Row(b"5k2/8/8/8/8/8/3Q4/4K3", 0, 0.5, 80, b"k")


def test_only_quiet_positions_are_kept():
    start, after_e4 = chess.STARTING_FEN, "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b"
    taken = "rnbqkbnr/pppp1ppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b"
    rows = [
        row(start, ply=20), row(after_e4, ply=21),  # game 0: quiet, then taken on
        row(taken, ply=22), row(taken, ply=23, flags=b"c"),  # answered by a check, in check
        row(start, ply=10), row(start, ply=11, flags=b"x"),  # game 1
        row(start, ply=9, evaluation=-1501), row(start, ply=7, result=1.0),  # decided; too early
        row(start, ply=30, evaluation=-1500),
    ]  # fmt: skip
    kept = [(game, row.ply, row.evaluation) for game, row in ps.quiet_rows(rows)]
    assert kept == [(0, 20, 10), (1, 10, 10), (4, 30, -1500)]


def test_a_promotion_is_no_quiet_move():
    assert ps.changes_material(b"8/P6k/8/8/8/8/8/K7", b"Q7/7k/8/8/8/8/8/K7")
    assert not ps.changes_material(b"8/P6k/8/8/8/8/8/K7", b"8/P6k/8/8/8/8/8/1K6")


def test_the_scale_of_evaluations_is_found():
    scores = np.linspace(-600, 600, 500)
    assert fit_scale(scores, 1 / (1 + np.exp(-scores / 173))) == pytest.approx(173, rel=1e-3)


def known_tables():
    """Tables with a pattern, [stage][column]: a gradient along ranks or files, kings and pawns' end ranks zero."""
    rank, file = np.indices((8, 8)) - 3.5
    tables = np.zeros((2, 6, 8, 8))
    for kind in range(5):
        tables[0, kind] = 8 * (rank if kind % 2 else file)
        tables[1, kind] = 8 * (file if kind % 2 else -rank)
    tables[:, 0, [0, 7]] = 0
    return tables.reshape(2, 6 * 64)


def test_known_tables_are_found_again():
    choose = random.Random(5)
    boards = [random_board(choose).board_fen().encode() for _ in range(1000)]
    sample = ps.encode(boards, np.zeros(len(boards)), PHASES)
    truth = known_tables()
    sample.target = 1 / (1 + np.exp(-ps.centipawns(sample, MATERIAL, truth) / 250))
    learned, scale = ps.fit_tables(sample, MATERIAL, decay=1e-7, iterations=100)
    often = sample.visits > 40
    assert np.corrcoef(learned[often], truth[often])[0, 1] > 0.9
    assert scale == pytest.approx(250, rel=0.1)
    assert not learned.reshape(2, 6, 8, 8)[:, 0, [0, 7]].any()
    assert abs(learned.reshape(2, 6, 64)[:, 5].mean(axis=1)).max() < 1e-9
    model = ps.centipawns(sample, MATERIAL, learned) / scale
    start = ps.centipawns(sample, MATERIAL, 0 * truth)
    without = logistic_loss(start / fit_scale(start, sample.target), sample.target)
    best = logistic_loss(np.log(sample.target / (1 - sample.target)), sample.target)
    assert logistic_loss(model, sample.target) - best < 0.05 * (without - best)


@pytest.fixture(scope="module")
def positions(tmp_path_factory):
    """Games of random moves, scored by known tables."""
    choose = random.Random(7)
    file = tmp_path_factory.mktemp("positions") / "games.tsv.gz"
    with gzip.open(file, "wt") as out:
        for _ in range(60):
            board = random_board(choose)
            sample = ps.encode([board.board_fen().encode()], np.zeros(1), PHASES)
            evaluation = round(float(ps.centipawns(sample, MATERIAL, known_tables())[0]))
            result = float(choose.random() < 1 / (1 + np.exp(-evaluation / 150)))
            for ply in range(20, 26):  # the same position again and again makes a quiet game
                out.write(f"{board.fen()}\t{evaluation}\t{result}\t{ply}\t-\n")
    return file


def run(positions, output, *more):
    output.write_bytes(WEIGHTS_FILE.read_bytes())
    return main(["--positions", str(positions), "--output", str(output), "--iterations", "20", *more])


def test_the_command_rewrites_the_tables_alone(positions, tmp_path, capsys):
    output = tmp_path / "weights.json"
    assert run(positions, output) == 0
    report = capsys.readouterr().err
    assert "held-out loss" in report
    assert "effective value" in report
    old, new = (json.loads(file.read_text()) for file in (WEIGHTS_FILE, output))
    assert {name: new[name] for name in ("material", "phase")} == {name: old[name] for name in ("material", "phase")}
    assert new["piece_square"] != old["piece_square"]
    assert "games.tsv.gz" in new["note"]
    assert str(positions.parent) not in new["note"]
    assert len([line for line in output.read_text().splitlines() if line.count(",") >= 7]) == 2 * 6 * 8
    again = tmp_path / "again.json"
    assert run(positions, again) == 0
    assert again.read_text() == output.read_text()


def test_a_limit_is_kept(positions):
    with Progress(disable=True) as progress:
        source = ps.read_source(positions, 25, np.random.default_rng(1), progress)
    assert len(source.boards) == len(source.results) == len(source.games) == 25


@pytest.mark.parametrize(
    ("content", "complaint"),
    [(b"8/8/8/8/8/8/8/8 w - - 0\tnonsense\t1\t20\t-\n", "bad.tsv:1"), (b"", "no quiet position"), (None, "bad.tsv")],
)
def test_unusable_positions_are_refused_by_name(content, complaint, tmp_path, capsys):
    file, output = tmp_path / "bad.tsv", tmp_path / "weights.json"
    if content is not None:
        file.write_bytes(content)
    assert run(file, output) == 2
    assert complaint in capsys.readouterr().err
    assert output.read_bytes() == WEIGHTS_FILE.read_bytes()


@pytest.mark.parametrize(("packing", "pack"), [("gz", gzip.compress), ("xz", lzma.compress)])
def test_a_damaged_file_is_refused(positions, packing, pack, tmp_path, capsys):
    file = tmp_path / f"half.tsv.{packing}"
    file.write_bytes(pack(gzip.decompress(positions.read_bytes()))[:300])
    assert run(file, tmp_path / "weights.json") == 2
    assert file.name in capsys.readouterr().err
