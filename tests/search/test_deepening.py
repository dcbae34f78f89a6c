"""The compiled loop over iterations is the engine's: same moves, same nodes, whatever breaks it off."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from engine import Engine
from engine.board.notation import list_moves
from engine.evaluation.choice import choose
from engine.fen import START_FEN
from engine.jit import new_record
from engine.messages import Limits
from engine.search.deepening import ABORTED_WITH_MOVE, UNLIMITED
from engine.search.parameters import Parameters
from engine.search.scores import MAX_PLY
from engine.search.state import CONTROL
from engine.search.transposition import TranspositionTable, start_generation
from engine.search.worker import RootLine, Worker
from tests.board.oracle import position_from
from tests.search.conftest import Bare, Searched
from tests.search.positions import random_board
from tuning.selfplay.compiled_search import choose_move

FENS = [
    START_FEN,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1",
    "5rk1/5pp1/6P1/8/8/8/8/2K3QR w - - 0 1",
    "7k/8/8/8/8/6N1/5PPP/r5K1 w - - 0 1",  # one legal move
    *(random_board(seed, 30).fen() for seed in range(4)),
]


class Ready:
    """One worker, ready to search a position, with what its record points to."""

    def __init__(self, fen: str, nodes: int = UNLIMITED) -> None:
        self.control: Any = new_record(CONTROL)
        self.worker = Worker(self.control.__array_interface__["data"][0], choose("Material", ""), Parameters())
        self.table = TranspositionTable(1)
        start_generation(self.table.record)
        self.position = position_from(fen)
        self.worker.prepare(self.position, list_moves(self.position), self.table, nodes)

    def choose(self, nodes: int = UNLIMITED, hard: int = UNLIMITED, last: int = MAX_PLY - 1) -> tuple[int, int]:
        """The move and the score of the compiled loop."""
        return choose_move(self.worker.record, nodes, hard, last, 0)


@pytest.mark.parametrize("fen", FENS)
@pytest.mark.parametrize("nodes", [1, 17, 1_000, 4_321])
def test_compiled_loop_agrees_with_the_engine(bare: Callable[..., Bare], fen: str, nodes: int) -> None:
    search, ready = bare(), Ready(fen)
    line = search.search(Limits(nodes=nodes), fen)
    move, score = ready.choose(hard=nodes)
    outcome = search.pool.workers[0].record["deepening"]["outcome"]
    finished = search.lines[:-1] if outcome == ABORTED_WITH_MOVE else search.lines
    assert (move, ready.worker.nodes) == (line.moves[0], search.pool.nodes)
    assert score == [one.score for one in finished if not one.bound][-1]


def test_iterations_are_the_same_one_after_the_other() -> None:
    for fen in FENS:
        for depth in (1, 4, 7):
            one, other = Ready(fen), Ready(fen)
            line = list(one.worker.deepen(1, depth))[-1][0]
            assert other.choose(last=depth) == (line.moves[0], line.score)
            assert other.worker.nodes == one.worker.nodes


def test_a_soft_limit_lets_the_iteration_finish() -> None:
    def nodes(last: int, soft: int = UNLIMITED) -> int:
        ready = Ready(FENS[1])
        ready.choose(soft, last=last)
        return ready.worker.nodes

    five = nodes(5)
    assert nodes(20, five) == five
    assert nodes(20, five + 1) == nodes(6)


def test_bounds_are_reported_between_windows(bare: Callable[..., Bare]) -> None:
    """The report of a failed window comes before the iteration's result, and widens one after the other."""
    bounds: list[RootLine] = []
    for fen in FENS:
        search = bare()
        search.search(Limits(depth=9), fen)
        for line, following in zip(search.lines, search.lines[1:], strict=False):
            assert line.moves
            if line.bound:
                bounds.append(line)
                assert following.depth == line.depth
    assert {line.bound for line in bounds} == {"lowerbound", "upperbound"}


def test_a_better_score_keeps_the_line(bare: Callable[..., Bare]) -> None:
    """A failed-high line has a move but no reply yet; the line of the last iteration goes on from it."""
    kept = 0
    for fen in FENS:
        search = bare()
        search.search(Limits(depth=10), fen)
        finished: list[int] = []
        for line in search.lines:
            if line.bound == "lowerbound" and line.moves[:1] == finished[:1]:
                assert len(line.moves) >= min(len(finished), 2)
                kept += line.moves == finished and len(finished) > 1
            if not line.bound:
                finished = line.moves
    assert kept


@pytest.mark.parametrize("threads", [1, 2])
def test_an_engine_searches_with_its_own_parameters(threads: int, searched: Searched) -> None:
    """Set before a search they count for all of its threads, and for no other engine."""
    with Engine(hash=1, threads=threads) as engine, Engine(hash=1) as other:
        before = other.bench(5)[0]
        engine.set_option("FutilityDepth", 0)
        engine.set_option("ReductionBase", 20)
        changed = engine.bench(5)[0]
        pool, _ = searched[-1]
        addresses = {int(pool.parameters.address)}
        assert {int(worker.record["params_address"]) for worker in pool.workers} == addresses
        other.new_game()
        assert other.bench(5)[0] == before
        if threads == 1:
            assert changed != before


def test_reductions_follow_their_parameters() -> None:
    parameters = Parameters({"ReductionBase": 80, "ReductionDivisor": 220})
    before = parameters.record["reduction"].copy()
    parameters.set("ReductionBase", 90)
    assert (abs(parameters.record["reduction"][1:, 1:] - before[1:, 1:] - 102) <= 1).all()
    parameters.set("ReductionBase", 80)
    assert np.array_equal(parameters.record["reduction"], before)
    assert before[10, 20] == int(1024 * (0.8 + np.log(10) * np.log(20) / 2.2))
