"""The search against minimax: with every heuristic off it returns the very value, within any window a true bound.

Parameters switch off what prunes, reduces and extends. What they cannot reach:

- the table's cutoffs (step 6) and its score in place of the static evaluation (step 8): :func:`minimax.forget`;
- upcoming repetitions (step 4) begin four plies from the root, which only a quiescence search in check comes to;
- mate-distance pruning (step 5) and the blending of what fails high (step 28) change a bound, never its side: a result
  at beta or above lies between beta and the value;
- in check the quiescence search gives up after three defences, so its value hangs on their order: histories that learn
  nothing leave that to the generator.

Where one heuristic alone is on, what a node of two moves must return can be said exactly (:func:`predicted`): that
holds the conditions of the re-searches, and the kind of node that each search expects.
"""

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import chess
import numpy as np
import pytest

from engine.api import Engine
from engine.api.bench import positions
from engine.board.fen import set_fen
from engine.board.make import make_move, unmake_move
from engine.board.notation import list_moves
from engine.board.setup import new_position
from engine.evaluation.choice import choose
from engine.jit import new_record
from engine.search.alphabeta import search
from engine.search.deepening import UNLIMITED
from engine.search.node import is_draw
from engine.search.parameters import Parameters
from engine.search.scores import INFINITY, MATE
from engine.search.state import CONTROL, STACK_BASE
from engine.search.transposition import TranspositionTable
from engine.search.worker import Worker
from tests.search.minimax import begin, minimax, quiescence, stored_move
from tests.search.positions import DRAWS, MATES

#: Whatever may change a value. A new heuristic needs a line here.
OFF = {
    "ReverseFutilityDepth": 0,
    "NullMoveDepth": 99,
    "ProbCutDepth": 99,
    "SmallProbCutMargin": 0,
    "IterativeReductionDepth": 99,
    "LateMovePruningDepth": 0,
    "FutilityDepth": 0,
    "HistoryPruningDepth": 0,
    "QuietSeeDepth": 0,
    "NoisySeeDepth": 0,
    "NoisyFutilityDepth": 0,
    "CheckExtensionAlpha": 32_000,
    "WonScore": 32_000,
    "CheckExemptDepth": 99,
    "SingularDepth": 99,
    "LowDepthExtensionMargin": 32_000,
    "PawnCorrectionWeight": 0,
    "NonPawnCorrectionWeight": 0,
    "ContinuationCorrectionWeight": 0,
    "Rule50DampingPlies": 0,
}

#: Beyond what a tuner may set: no delta pruning, and histories that learn nothing.
FURTHER_OFF = {"DeltaMargin": 1 << 20, "HistoryBonus": 0, "HistoryBonusMax": 0, "HistoryMalus": 0, "HistoryMalusMax": 0}

#: 1024ths of a ply by which every late move is reduced: as far as possible, or not at all.
ALL_THE_WAY, NOT_AT_ALL = 1 << 20, -1 << 20

#: By one ply, but only the second move of a node four plies deep, unless the move is noisy or gives check.
ONE_PLY = np.full((64, 64), NOT_AT_ALL)
ONE_PLY[4, 2] = 1024

WHOLE = (-INFINITY, INFINITY)


@cache
def fens(count: int = 200) -> list[str]:
    """Positions from seeded random games that begin at the benchmark's positions."""
    random = np.random.default_rng(7)
    found: list[str] = []
    starts = positions()
    while len(found) < count:
        board = chess.Board(starts[len(found) % len(starts)])
        for _ in range(int(random.integers(0, 30))):
            moves = list(board.legal_moves)
            if not moves:
                break
            board.push(moves[int(random.integers(len(moves)))])
        if any(board.legal_moves):
            found.append(board.fen(en_passant="xfen"))
    return found


@cache
def narrow() -> list[str]:
    """Those of them where minimax three plies deep does not take long."""
    return [fen for fen in fens() if 1 < chess.Board(fen).legal_moves.count() <= 22][:40]


RULES = [fen for _, fen, _ in (*MATES, *DRAWS)]

#: Positions where minimax four plies deep does not take long either.
ENDINGS = [
    "8/8/4k3/8/8/2K5/4P3/8 w - - 0 1",
    "8/5k2/8/3p4/8/2P5/8/3K4 w - - 0 1",
    "8/2k5/8/1p6/1P6/8/5K2/8 b - - 0 1",
    "8/8/2k5/5p2/8/8/1KP5/8 w - - 0 1",
]

#: Without the perpetual check, where evasions in the quiescence search come to an upcoming repetition.
SHORT_RULES = [fen for name, fen, _ in (*MATES, *DRAWS) if "perpetual" not in name]


@dataclass
class Bench:
    """A worker whose search has only those heuristics that are given, on one position at a time."""

    parameters: Parameters = field(default_factory=lambda: Parameters(OFF))
    control: Any = field(default_factory=lambda: new_record(CONTROL))
    table: TranspositionTable = field(default_factory=lambda: TranspositionTable(1))

    def __post_init__(self) -> None:
        control_address = self.control.__array_interface__["data"][0]
        self.worker = Worker(control_address, choose("Material", ""), self.parameters)
        self.record = self.worker.record
        self.oracle = self.record, self.record.__array_interface__["data"][0], quiescence()
        self.set()

    def set(self, reduction: int | np.ndarray = NOT_AT_ALL, **values: int) -> None:
        """Switch off all but these parameters, and reduce late moves by so much: one number, or [depth][move count]."""
        for name, value in (OFF | FURTHER_OFF | values).items():
            self.parameters.record[name] = value
        self.parameters.record["reduction"][:] = reduction

    def place(self, fen: str) -> list[int]:
        """Take up the position; its legal moves."""
        self.position = new_position()
        set_fen(self.position, fen)
        self.moves = list_moves(self.position)
        return self.moves

    def prepare(self, moves: list[int] | None = None, node_limit: int = UNLIMITED) -> None:
        """Make ready for one search of these root moves (all)."""
        self.worker.prepare(self.position, moves or self.moves, self.table, node_limit)

    def minimax(self, depth: int) -> int:
        """The value of the position."""
        self.prepare()
        return int(minimax(*self.oracle, depth, 0))

    def values(self, depth: int) -> dict[int, int]:
        """The value of each move, with ``depth`` plies to go after it."""
        self.prepare()
        values, position = {}, self.record["position"]
        for move in self.moves:
            make_move(position, move)
            values[move] = -int(minimax(*self.oracle, depth, 1))
            unmake_move(position, move)
        return values

    def search(
        self,
        window: tuple[int, int],
        depth: int,
        moves: list[int] | None = None,
        cut_node: int = 0,
        node_limit: int = UNLIMITED,
    ) -> int:
        """The result of the search over these root moves, the first one first."""
        self.prepare(moves, node_limit)
        begin(self.record, (moves or [0])[0])
        self.record["root_depth"] = depth
        return search(self.record, *window, depth, 0, cut_node)

    def play(self, move: int) -> None:
        """Go on to the position after ``move``."""
        make_move(self.position, move)
        self.moves = list_moves(self.position)

    def ends(self, line: list[int]) -> bool:
        """Whether the game is over after these moves, the last of which is still to be played."""
        self.play(line[-1])
        return not self.moves or is_draw(self.position, len(line))

    @property
    def line(self) -> list[int]:
        """The principal variation of the last search."""
        frame = self.record["stack"][STACK_BASE]
        return frame["pv"][: frame["pv_length"]].tolist()

    @property
    def stored_move(self) -> int:
        """The move in the only entry of the table, which is the root's after a search."""
        return int(stored_move(self.record))

    def nodes_of(self, index: int) -> int:
        """The nodes that the last search spent on the root move of this index."""
        return int(self.record["root"][index]["nodes"])


@pytest.fixture(scope="module")
def shared(running: Engine) -> Bench:
    """Once the engine is compiled."""
    return Bench()


@pytest.fixture
def bench(shared: Bench) -> Bench:
    """With every heuristic off."""
    shared.set()
    return shared


def keeps_the_contract(result: int, value: int, window: tuple[int, int]) -> bool:
    """Fail-soft: at alpha or below an upper bound, at beta or above a lower bound, between them the value."""
    alpha, beta = window
    if value <= alpha:
        return value <= result <= alpha
    if value >= beta:
        return beta <= result <= value
    return result == value


def windows(*values: int) -> list[tuple[int, int]]:
    """Open and closed windows, null windows and others, around and at these values."""
    found = {WHOLE}
    for value in values:
        for alpha in (value - 70, value - 1, value, value + 30):
            found |= {(alpha, alpha + 1), (alpha, alpha + 40)}
        found |= {(value - 1, value + 1), (value - 40, value), (-INFINITY, value), (value, INFINITY)}
    return sorted(found)


def over_python_chess(bench: Bench, board: chess.Board, depth: int, ply: int) -> int:
    """Minimax by the rules of python-chess; the position at the end of a line is the engine's to judge."""
    if depth == 0:
        bench.place(board.fen(en_passant="fen"))
        bench.prepare()
        return int(minimax(*bench.oracle, 0, ply))
    if not any(board.legal_moves):
        return ply - MATE if board.is_check() else 0
    if ply > 0 and (board.halfmove_clock >= 100 or board.is_repetition(2) or board.is_insufficient_material()):
        return 0
    best = -MATE
    for move in board.legal_moves:
        board.push(move)
        best = max(best, -over_python_chess(bench, board, depth - 1, ply + 1))
        board.pop()
    return best


def test_minimax_goes_by_the_rules(bench: Bench) -> None:
    for fen in narrow()[::20] + RULES[::14]:
        expected = [over_python_chess(bench, chess.Board(fen), depth, 0) for depth in (1, 2)]
        bench.place(fen)
        assert [bench.minimax(depth) for depth in (1, 2)] == expected, fen


@pytest.mark.parametrize(
    ("some", "depth"),
    [
        (lambda: fens()[::3], 1),
        (lambda: fens()[::8], 2),
        (lambda: narrow()[::3], 3),
        (lambda: RULES, 1),
        (lambda: RULES, 2),
        (lambda: SHORT_RULES, 3),
    ],
)
def test_search_returns_the_value_or_a_true_bound(bench: Bench, some: Callable[[], list[str]], depth: int) -> None:
    for fen in some():
        bench.place(fen)
        value = bench.minimax(depth)
        for window, cut_node in itertools.product(windows(value), (0, 1)):
            result = bench.search(window, depth, cut_node=cut_node)
            assert keeps_the_contract(result, value, window), (fen, window, cut_node)
            assert sum(map(bench.nodes_of, range(len(bench.moves)))) == bench.record["nodes"] - 1


def test_the_line_leads_to_the_value(bench: Bench) -> None:
    """Each of its moves is worth as much as the position it is played in, and after mate or a draw there is none."""
    for fen in narrow()[::4] + SHORT_RULES:
        bench.place(fen)
        value = bench.search(WHOLE, 3)
        assert bench.record["root_score"] == value
        line = bench.line
        assert bench.stored_move == line[0], fen
        bench.search((value - 1, value), 3)
        refutation = bench.stored_move
        values = bench.values(2)
        assert values[line[0]] == value, fen
        assert values[refutation] >= value, fen
        for played, move in enumerate(line[1:3], 1):
            bench.play(line[played - 1])
            assert max(bench.values(2 - played).values()) == bench.values(2 - played)[move], (fen, line)
        assert len(line) >= 3 or bench.ends(line), (fen, line)


def test_aborted_search_keeps_finished_lines(bench: Bench) -> None:
    """Whatever the node at which it ends: the best move so far has its own value."""
    broken = 0
    for fen in narrow()[::5]:
        bench.place(fen)
        values = bench.values(1)
        bench.search(WHOLE, 2)
        for limit in range(1, int(bench.record["nodes"]), 7):
            bench.search(WHOLE, 2, node_limit=limit)
            assert bench.record["aborted"] == 1
            if bench.line:
                assert bench.record["root_score"] == values[bench.line[0]], (fen, limit)
                broken += 1
    assert broken > 100


@dataclass(frozen=True)
class Case:
    """One heuristic alone, and what it makes of a node of two moves."""

    parameters: dict[str, Any]
    #: How deep the node is searched.
    depth: int = 3
    #: How deep the late move is searched at first.
    late: int = 2
    #: Whether a node where a fail-high is expected is searched a ply less deep.
    iir: bool = False


CASES = {
    "none": Case({}),
    "late move reductions": Case({"reduction": ALL_THE_WAY, "HindsightMargin": -(1 << 20)}, late=1),
    "internal iterative reduction": Case({"IterativeReductionDepth": 2}, iir=True),
    "both of these": Case({"IterativeReductionDepth": 2, "reduction": ALL_THE_WAY}, late=1, iir=True),
    # Reduced by one ply, and by another one because the position after the move seems better than the one before.
    "hindsight": Case({"reduction": ONE_PLY, "HindsightMargin": -(1 << 20), "ReductionTtPv": 0}, depth=4, late=1),
}


def predicted(
    case: Case, first: list[int], second: list[int], window: tuple[int, int], cut_node: int
) -> tuple[int, bool]:
    """The value of a search of two moves (below alpha: any number there; from beta on alike), and
    whether the second move is searched at all. ``first`` and ``second`` are the moves' values by depth."""
    alpha, beta = window
    is_pv = beta - alpha > 1

    def child(values: list[int], depth: int, cut: int) -> int:
        """On the principal variation ``cut`` is 1 here: there too a node without a table move is reduced."""
        return values[depth - 1 if case.iir and cut and depth >= 2 else depth]

    new_depth = case.depth - 1
    best = child(first, new_depth, int(is_pv) or 1 - cut_node)
    if best >= beta:
        return best, False
    alpha = max(alpha, best)
    reduced = min(case.late, new_depth)
    score = child(second, reduced, 1)
    if score > alpha and reduced < new_depth:
        score = child(second, new_depth, 1 - cut_node)
    if score > alpha and is_pv:
        score = child(second, new_depth, int(beta - alpha > 1))
    return max(best, score) if score > alpha else best, True


@pytest.mark.parametrize("name", CASES)
def test_heuristic_decides_a_node_of_two_moves_as_predicted(bench: Bench, name: str) -> None:
    """With the windows around all values of both moves, for that is where re-searches are decided."""
    case = CASES[name]
    random = np.random.default_rng(3)
    differed = 0
    for fen in ENDINGS if case.depth > 3 else narrow()[::4]:
        moves = bench.place(fen)
        bench.set()
        by_depth = [bench.values(depth) for depth in range(case.depth)]
        bench.set(**case.parameters)
        for _ in range(4):
            pair = [int(move) for move in random.permutation(moves)[:2]]
            if len(pair) < 2:
                continue
            first, second = ([values[move] for values in by_depth] for move in pair)
            for window in windows(*first[1:], *second[1:]):
                # On the principal variation the kind of node makes no difference to these heuristics.
                for cut_node in (0,) if window[1] - window[0] > 1 else (0, 1):
                    expected, goes_on = predicted(case, first, second, window, cut_node)
                    result = bench.search(window, case.depth, pair, cut_node)
                    where = (fen, pair, first, second, window, cut_node)
                    assert np.clip(result, *window) == np.clip(expected, *window), where
                    assert (bench.nodes_of(1) > 0) == goes_on, where
                    plain = max(first[-1], second[-1])
                    differed += np.clip(expected, *window) != np.clip(plain, *window)
    assert (differed > 50) == (name != "none")
