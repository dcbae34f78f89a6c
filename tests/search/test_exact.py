"""With every pruning, reduction and extension off, the compiled search returns minimax's value at every depth."""

from __future__ import annotations

from collections.abc import Iterator

import chess
import numpy as np
import pytest
from numba import int64, njit

from engine.bench import positions
from engine.board.draws import is_insufficient_material, is_repetition
from engine.board.fen import set_fen
from engine.board.make import make_move, unmake_move
from engine.board.movegen import ALL_MOVES, count_moves, generate_moves
from engine.board.notation import list_moves
from engine.board.setup import new_position
from engine.board.types import I64, ZERO
from engine.evaluation.choice import choose
from engine.evaluation.evaluator import evaluate, reset
from engine.evaluation.material import WEIGHTS
from engine.jit import new_record
from engine.search.scores import MATE
from engine.search.state import CONTROL, WORKER_T, frame_at
from engine.search.transposition import TranspositionTable
from engine.search.tunables import Parameters
from engine.search.worker import UNLIMITED, Worker

COUNT = 200


@njit(int64(WORKER_T, int64, int64), error_model="numpy")
def plain_minimax(worker, depth, ply):
    """Minimax (as negamax) without any cut: the oracle, over the engine's rules and evaluation."""
    position = worker.position
    if count_moves(position) == 0:
        return ply - MATE if position.checkers != ZERO else I64(0)
    if ply > 0 and (position.rule50 >= 100 or is_repetition(position, ply) or is_insufficient_material(position)):
        return I64(0)
    frame = frame_at(worker, ply)
    if depth == 0:
        reset(worker.evaluator, position)
        return evaluate(worker.evaluator, position)
    best = I64(-MATE)
    count = generate_moves(position, frame.moves, 0, ALL_MOVES)
    for index in range(count):
        move = I64(frame.moves.move[index])
        make_move(position, move)
        best = max(best, -plain_minimax(worker, depth - 1, ply + 1))
        unmake_move(position, move)
    return best


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
    """A worker in exact mode, alone; the control record lives as long as it."""
    control = new_record(CONTROL)
    worker = Worker(control.__array_interface__["data"][0], choose("Material", ""), Parameters())
    worker.record["exact"] = 1
    yield worker
    assert control["stop"] == 0


def deepened(worker: Worker, fen: str, depth: int) -> list[int]:
    """The scores of the exact search at depths 1 to ``depth``."""
    position = new_position()
    set_fen(position, fen)
    worker.prepare(position, list_moves(position), TranspositionTable(1), UNLIMITED)
    return [lines[0].score for lines in worker.deepen(1, depth)]


def test_exact_search_equals_compiled_minimax(worker: Worker) -> None:
    for fen in random_positions():
        depth = 4 if chess.Board(fen).legal_moves.count() <= 20 else 3
        scores = deepened(worker, fen, depth)
        oracle = [int(plain_minimax(worker.record, shallow, 0)) for shallow in range(1, depth + 1)]
        assert scores == oracle, fen


def test_exact_search_equals_minimax_over_python_chess(worker: Worker) -> None:
    for fen in random_positions()[::8]:
        board = chess.Board(fen)
        oracle = [python_minimax(board, depth, 0) for depth in (1, 2)]
        assert deepened(worker, fen, 2) == oracle, fen
