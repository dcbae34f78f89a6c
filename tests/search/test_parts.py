"""Alpha-beta out of the parts of the search returns minimax's value: the parts are right."""

from __future__ import annotations

from collections.abc import Iterator

import chess
import numpy as np
import pytest

from engine.api.bench import positions
from engine.board.fen import set_fen
from engine.board.notation import list_moves
from engine.board.setup import new_position
from engine.evaluation.choice import choose
from engine.evaluation.material import WEIGHTS
from engine.jit import new_record
from engine.search.scores import INFINITY, MATE
from engine.search.state import CONTROL
from engine.search.transposition import TranspositionTable
from engine.search.tunables import Parameters
from engine.search.worker import UNLIMITED, Worker
from tests.search.plain import minimax, search_plainly

COUNT = 200


def python_minimax(board: chess.Board, depth: int, ply: int) -> int:
    """The same over python-chess and the table of weights, sharing no code with the engine."""
    if not any(board.legal_moves):
        return ply - MATE if board.is_check() else 0
    if ply > 0 and (board.halfmove_clock >= 100 or board.is_repetition(2) or board.is_insufficient_material()):
        return 0
    if depth == 0:
        return python_evaluate(board)
    best = -MATE
    for move in board.legal_moves:
        board.push(move)
        best = max(best, -python_minimax(board, depth - 1, ply + 1))
        board.pop()
    return best


def python_evaluate(board: chess.Board) -> int:
    """The linear weighted sum of the material evaluation."""
    middlegame = endgame = phase = 0
    for square, piece in board.piece_map().items():
        middlegame_weight, endgame_weight, phase_weight, _ = ROWS[piece.piece_type - 1 + 8 * (not piece.color)][square]
        middlegame += middlegame_weight
        endgame += endgame_weight
        phase += phase_weight
    phase = min(phase, 24)
    total = middlegame * phase + endgame * (24 - phase)
    return (total if board.turn else -total) // 24


ROWS = WEIGHTS["piece_square"].tolist()


def random_positions() -> list[str]:
    """Positions from seeded random games that begin at the benchmark's positions."""
    random = np.random.default_rng(7)
    fens: list[str] = []
    starts = positions()
    while len(fens) < COUNT:
        board = chess.Board(starts[len(fens) % len(starts)])
        for _ in range(int(random.integers(0, 30))):
            moves = list(board.legal_moves)
            if not moves:
                break
            board.push(moves[int(random.integers(len(moves)))])
        if any(board.legal_moves):
            fens.append(board.fen(en_passant="xfen"))
    return fens


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    """A worker alone; the control record lives as long as it."""
    control = new_record(CONTROL)
    worker = Worker(control.__array_interface__["data"][0], choose("Material", ""), Parameters())
    yield worker
    assert control["stop"] == 0


def prepare(worker: Worker, fen: str) -> TranspositionTable:
    """Have ``worker`` ready to search the position; the table has to be kept."""
    position = new_position()
    set_fen(position, fen)
    table = TranspositionTable(1)
    worker.prepare(position, list_moves(position), table, UNLIMITED)
    return table


def test_alpha_beta_equals_compiled_minimax(worker: Worker) -> None:
    for fen in random_positions():
        depth = 4 if chess.Board(fen).legal_moves.count() <= 20 else 3
        table = prepare(worker, fen)
        scores = [search_plainly(worker.record, -INFINITY, INFINITY, shallow) for shallow in range(1, depth + 1)]
        assert scores == [minimax(worker.record, shallow, 0) for shallow in range(1, depth + 1)], fen
        assert table.megabytes == 1


def test_alpha_beta_equals_minimax_over_python_chess(worker: Worker) -> None:
    for fen in random_positions()[::8]:
        board = chess.Board(fen)
        table = prepare(worker, fen)
        scores = [search_plainly(worker.record, -INFINITY, INFINITY, depth) for depth in (1, 2)]
        assert scores == [python_minimax(board, depth, 0) for depth in (1, 2)], fen
        assert table.megabytes == 1


def test_a_narrow_window_gives_a_bound(worker: Worker) -> None:
    """Fail-soft: a result at alpha or below is an upper bound, one at beta or above a lower bound."""
    for fen in random_positions()[::5]:
        table = prepare(worker, fen)
        value = minimax(worker.record, 3, 0)
        for alpha in (value - 60, value - 1, value, value + 60):
            result = search_plainly(worker.record, alpha, alpha + 1, 3)
            assert value <= result <= alpha if result <= alpha else alpha + 1 <= result <= value, (fen, alpha)
        assert table.megabytes == 1
