"""Each limit ends the search, in any combination, and nothing else does."""

import itertools
import threading
import time
from collections.abc import Callable

import chess
import pytest

from engine.api import Engine
from engine.evaluation.choice import choose
from engine.evaluation.evaluator import KINDS
from engine.messages import Info, Limits, Score, Signals
from engine.search.deepening import ABORTED_WITH_MOVE
from engine.search.node import CHECK_INTERVAL
from engine.search.pool import Pool
from engine.search.scores import MAX_PLY
from engine.search.threads import DeepThread, ThreadTask
from tests.search.conftest import Bare
from tests.search.conversation import PATIENCE, Running, reports, start, wait_until
from tests.search.positions import extreme_board, random_board

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
MATE_IN_ONE = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"
ONE_MOVE = "7k/8/8/8/8/6N1/5PPP/r5K1 w - - 0 1"
MATED = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"
STALEMATED = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"


@pytest.mark.parametrize("depth", [1, 2, 5, 9])
def test_depth_is_reached_and_not_passed(engine: Engine, depth: int) -> None:
    infos = reports(engine, chess.Board(KIWIPETE), Limits(depth=depth))
    complete = [info.depth for info in infos if info.score is not None and not info.score.bound]
    assert complete == list(range(1, depth + 1))
    assert max(info.depth for info in infos) == depth


def test_clock_groups_the_first_iterations(bare: Callable[..., Bare], monkeypatch: pytest.MonkeyPatch) -> None:
    """From the first report on each iteration is told, and the last report is what the search came to."""
    monkeypatch.setattr("engine.search.pool.MIN_REPORT_MS", 1000.0)  # on a busy machine one may take more than usual
    monkeypatch.setattr("engine.search.pool.MIN_REPORT_SHARE", 0.7)
    search = bare()
    line = search.search(Limits(wtime=20_000), KIWIPETE)
    told = [found.depth for found in search.lines if not found.bound]
    assert told == list(range(told[0], told[-1] + 1))
    assert search.lines[-1] == line
    assert told[0] > 1


@pytest.mark.parametrize(
    "limits", [Limits(movetime=100), Limits(wtime=10_000, depth=4), Limits(wtime=10_000, nodes=1000)]
)
def test_fixed_limits_report_each_iteration(bare: Callable[..., Bare], limits: Limits) -> None:
    search = bare()
    search.search(limits, KIWIPETE)
    assert search.lines[0].depth == 1


def test_depth_beyond_every_line_ends(engine: Engine) -> None:
    infos = reports(engine, chess.Board("8/8/8/8/8/k1K5/8/8 w - - 0 1"), Limits(depth=10_000))
    assert infos[-1].score == Score(cp=0)
    assert infos[-1].depth <= MAX_PLY


# The last report


def release(engine: Engine, limits: Limits, board: chess.Board) -> Running:
    """A search of ``board``, hit if it ponders and stopped if it is infinite."""
    running = start(engine, limits, board)
    if limits.ponder or limits.infinite:
        assert running.reported.wait(PATIENCE)
        assert running.goes_on
        (engine.ponderhit if limits.ponder else engine.stop)()
    running.result()
    return running


WHOLE = [
    Limits(depth=5),
    Limits(nodes=1),
    Limits(nodes=23_456),
    Limits(movetime=150),
    Limits(wtime=3000),
    Limits(wtime=1),
    Limits(mate=2, nodes=20_000),
    Limits(infinite=True),
    Limits(infinite=True, depth=3),
    Limits(ponder=True, depth=3),
    Limits(ponder=True, wtime=600),
]


@pytest.mark.parametrize("limits", WHOLE, ids=repr)
@pytest.mark.parametrize("option", [None, ("MultiPV", 3), ("Skill Level", 3), ("Threads", 2)], ids=str)
def test_the_last_report_is_about_the_whole_search(engine, searched, limits, option):
    """It is the result's, it counts all nodes and all of the time, and nothing stands there twice."""
    name, value = option or ("MultiPV", 1)
    engine.set_option(name, value)
    running = release(engine, limits, chess.Board(KIWIPETE))
    pool, _ = searched[-1]
    nodes = pool.nodes
    result = running.result()
    last = result.info
    assert last.score is not None
    assert last.pv[:1] == (result.bestmove,)
    assert [info for info in running.infos if info.multipv == 1][-1] == last
    ranks = running.infos[-ranks_of(running.infos) :]
    assert [info.multipv for info in ranks] == list(range(1, len(ranks) + 1))
    assert len(ranks) == (value if name == "MultiPV" else 1)
    assert len({info.pv[0] for info in ranks}) == len(ranks)
    if name == "Threads":
        assert 0 < last.nodes <= nodes
    else:
        assert {info.nodes for info in ranks} == {nodes}
    assert last.time <= pool.elapsed
    told = [(info.depth, info.multipv, info.score, info.nodes, info.pv) for info in running.infos]
    assert limits.ponder or len(set(told)) == len(told)
    assert not [info for info in running.infos[: -len(ranks)] if info.final]


def test_no_report_is_repeated_wherever_the_search_ends(engine):
    engine.set_option("MultiPV", 3)
    for nodes in range(5_000, 25_000, 500):
        engine.new_game()
        infos = release(engine, Limits(nodes=nodes), chess.Board(KIWIPETE)).infos
        told = [(info.depth, info.multipv, info.score, info.nodes, info.pv) for info in infos]
        assert len(set(told)) == len(told), nodes


def ranks_of(infos: list[Info]) -> int:
    """The number of reports in the last batch."""
    return infos[-1].multipv


@pytest.mark.parametrize(("stop", "wait"), [("stop", "infinite"), ("stop", "ponder"), ("ponderhit", "ponder")])
@pytest.mark.parametrize("fen", [KIWIPETE, MATE_IN_ONE, MATED], ids=["search", "mate", "over"])
@pytest.mark.parametrize("limit", [{"depth": 2}, {"mate": 1, "nodes": 2000}], ids=str)
def test_finished_search_waits_silently_with_its_time_stopped(engine, searched, monkeypatch, fen, stop, wait, limit):
    monkeypatch.setattr("engine.search.pool.FIRST_TICK_SECONDS", 0.0)
    monkeypatch.setattr("engine.search.pool.TICK_SECONDS", 0.001)
    said: list[Info] = []
    engine.set_position(fen)
    begun = time.perf_counter()
    job = ThreadTask(lambda: engine.go(Limits(**limit, **{wait: True}), said.append))  # type: ignore[arg-type]
    DeepThread("numbat-test", job.run)
    wait_until(lambda: said and (fen == MATED or stands(searched[-1][0])))
    searched = 1000 * (time.perf_counter() - begun)
    time.sleep(0.02)
    before = len(said)
    assert not job.wait(0.2)
    assert said[before:] == []
    getattr(engine, stop)()
    assert job.wait(PATIENCE)
    assert len(said) > before or stop == "stop"
    assert all(info.final and info.time <= searched for info in said[before:])
    assert not said[-1].currmove


def test_final_report_follows_currmove(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.search.pool.FIRST_TICK_SECONDS", 0.0)
    monkeypatch.setattr("engine.search.pool.TICK_SECONDS", 0.0)
    for nodes in range(20_000, 40_000, 1000):
        said: list[Info] = []
        engine.set_position(KIWIPETE)
        engine.go(Limits(nodes=nodes), said.append)
        assert said[-1].score is not None
        assert said[-1].nodes == nodes


def test_unfinished_iteration_reports_bound_only_above_window(bare: Callable[..., Bare]) -> None:
    """Within the window it is worth exactly its score."""
    bounds = set()
    boards = (random_board(seed, 30) for seed in itertools.count(5))
    while bounds != {"", "lowerbound"}:
        fen = next(boards).fen()
        for nodes in range(300, 12_000, 300):
            search = bare()
            line = search.search(Limits(nodes=nodes), fen)
            iteration = search.pool.workers[0].record["deepening"]
            if iteration["outcome"] != ABORTED_WITH_MOVE:
                assert not line.bound
                continue
            bounds.add(line.bound)
            failed = [told.moves[0] for told in search.lines[:-1] if told.depth == line.depth and told.bound]
            assert not line.bound or failed[-1] == line.moves[0]
            assert line.bound or iteration["alpha"] < line.score < iteration["beta"]


@pytest.mark.parametrize("nodes", [700, CHECK_INTERVAL, 12_345])
def test_one_thread_visits_exactly_as_many_nodes_as_allowed(bare: Callable[..., Bare], nodes: int) -> None:
    search = bare()
    line = search.search(Limits(nodes=nodes), KIWIPETE)
    assert search.pool.nodes == nodes
    assert line.moves
    whole = [shown for shown in search.lines if not shown.bound]  # after the last of them a window may be aborted
    assert whole[-1] == line  # the caller gets a score and a move, however short the search


EXTREME = (
    "r1n1n1b1/1P1P1P1P/1N1N1N2/2RnQrRq/2pKp3/3BNQbQ/k7/4Bq2 w - - 0 1",
    "8/PPPPPPPP/8/7k/K7/8/pppppppp/8 w - - 0 1",
    *[extreme_board(seed).fen() for seed in range(3)],
)


@pytest.mark.parametrize("evaluation", KINDS)
def test_limits_bound_the_first_iteration(bare: Callable[..., Bare], evaluation: str) -> None:
    search = bare()
    search.pool.use(choose(evaluation, ""))
    for fen in EXTREME:
        assert search.search(Limits(nodes=1000), fen).moves
        assert search.pool.nodes <= 2000
        search.search(Limits(depth=2), fen)
        assert search.pool.nodes < 200_000


@pytest.mark.slow
@pytest.mark.parametrize("evaluation", KINDS)
def test_node_limits_hold_in_extreme_positions(bare: Callable[..., Bare], evaluation: str) -> None:
    search = bare()
    search.pool.use(choose(evaluation, ""))
    for seed in range(2000):
        for nodes in (1000, 5000):
            search.search(Limits(nodes=nodes), extreme_board(seed).fen())
            assert search.pool.nodes <= 2 * nodes


@pytest.mark.parametrize(
    "fen",
    [
        "4bbnr/1p2kppp/r1npp3/p1p5/1P2P3/2PP2PN/P1q1BP1P/R1B1KN1R w - - 3 16",
        "r1b2b1r/pp1Nk1p1/N3pn1p/5p2/1PP1q1P1/3P4/P3PP1P/R1BQKBR1 w Q - 1 16",
        "rn4nr/Q2pk1b1/p1b1p1p1/1p3pNp/1P6/P3P2P/R1P2qP1/2BK1BNR w - - 1 16",
    ],
)
def test_an_unfinished_iteration_plays_no_move_that_was_refuted(bare: Callable[..., Bare], fen: str) -> None:
    for nodes in range(5_000, 24_000, 500):
        search = bare()
        search.pool.use(choose("NNUE", ""))
        line = search.search(Limits(nodes=nodes), fen)
        *_, before, last = search.lines
        if last.bound == "lowerbound" and before.bound == "upperbound" and before.depth == last.depth:
            assert line.moves[0] == before.moves[0]


@pytest.mark.parametrize("fen", [chess.STARTING_FEN, KIWIPETE, MATE_IN_ONE])
def test_depth_one_finishes_with_few_nodes(bare: Callable[..., Bare], fen: str) -> None:
    search = bare()
    expected = search.search(Limits(depth=1), fen)
    nodes = search.pool.nodes
    search = bare()
    assert search.search(Limits(nodes=1), fen) == expected
    assert search.pool.nodes == nodes
    for threads in (3, 8):  # others may have found a better move before
        search = bare(threads)
        search.search(Limits(nodes=1), fen)
        assert (search.lines[0].depth, search.lines[0].bound) == (1, "")


def test_depth_one_of_all_lines_finishes_with_few_nodes(engine: Engine) -> None:
    board = chess.Board(KIWIPETE)
    moves = [chess.Move.from_uci(info.pv[0]) for info in line_reports(engine, board, Limits(nodes=1), 100)]
    assert sorted(moves, key=str) == sorted(board.legal_moves, key=str)
    reported = [info.score.cp for info in line_reports(engine, board, Limits(nodes=1), 5) if info.score is not None]
    assert reported == [
        info.score.cp for info in line_reports(engine, board, Limits(depth=1), 5) if info.score is not None
    ]


def test_lines_of_an_unfinished_first_iteration_have_moves(engine: Engine) -> None:
    engine.configure(multipv=48)
    engine.set_position(KIWIPETE)
    signals, infos = Signals(), list[Info]()
    signals.stop()
    engine.go(Limits(depth=20), infos.append, signals)
    assert 0 < len(infos) < 48
    assert all(info.pv for info in infos)


def line_reports(engine: Engine, board: chess.Board, limits: Limits, lines: int) -> list[Info]:
    """What is said of the ``lines`` of a search from a clean table."""
    engine.new_game()
    infos: list[Info] = []
    engine.search(board, limits, infos.append, lines)
    return infos


def test_threads_share_the_nodes(bare: Callable[..., Bare]) -> None:
    search = bare(threads=3)
    search.search(Limits(nodes=30_000), KIWIPETE)
    assert 10_000 <= search.pool.nodes <= 30_000


def test_movetime_is_kept(engine: Engine) -> None:
    assert reports(engine, chess.Board(KIWIPETE), Limits(movetime=200))[-1].time > 100


@pytest.mark.parametrize(
    "limits",
    [
        Limits(wtime=1000),
        Limits(wtime=500, btime=900_000, winc=10, binc=10, movestogo=1),
        Limits(wtime=100, movetime=900_000),
        Limits(wtime=900_000, movetime=100),
        Limits(depth=1, wtime=900_000),
        Limits(nodes=1000, movetime=900_000),
        Limits(mate=1, depth=3, nodes=100_000),
        Limits(movetime=100, searchmoves=("a2a3",)),
    ],
    ids=repr,
)
def test_the_tightest_limit_counts(engine: Engine, limits: Limits) -> None:
    result = start(engine, limits, chess.Board()).result()
    assert chess.Move.from_uci(result.bestmove) in chess.Board().legal_moves


@pytest.mark.parametrize("limits", [*(Limits(wtime=clock) for clock in (1, 0, -5, -100_000)), Limits()], ids=repr)
def test_move_without_time_left_was_searched(engine: Engine, limits: Limits) -> None:
    for _ in range(5):
        running = start(engine, limits, chess.Board(MATE_IN_ONE))
        if limits == Limits():
            engine.stop()
        result = running.result()
        assert result.bestmove == "d1d8"
        assert result.info.score == Score(mate=1)


def test_searchmoves_restricts_the_root_moves(engine: Engine) -> None:
    board = chess.Board("k7/8/8/3q4/4P3/8/8/3R3K b - - 0 1")  # the queen is attacked, but the king has to move
    moves = tuple(board.uci(move) for move in board.legal_moves if move.from_square == chess.A8)
    result = start(engine, Limits(depth=5, searchmoves=moves), board).result()
    assert result.bestmove in moves
    best = engine.search(board, Limits(depth=5)).score
    assert best.cp is not None
    assert result.info.score.cp is not None
    assert result.info.score.cp < best.cp


def test_searchmoves_without_a_legal_move_is_no_restriction(engine: Engine) -> None:
    result = start(engine, Limits(depth=3, searchmoves=("e2e5", "nonsense")), chess.Board(MATE_IN_ONE)).result()
    assert result.bestmove == "d1d8"


def test_a_longer_mate_does_not_satisfy_the_limit(engine: Engine) -> None:
    result = start(engine, Limits(mate=2, depth=18), chess.Board("8/8/8/8/8/4N2p/5K1k/8 w - - 0 1")).result()
    assert result.info.score == Score(mate=3)
    assert result.info.depth == 18


@pytest.mark.parametrize("fen", [MATE_IN_ONE, ONE_MOVE, STALEMATED])
def test_ponder_waits_for_ponderhit_or_stop(engine: Engine, fen: str) -> None:
    running = start(engine, Limits(ponder=True, wtime=10, btime=10), chess.Board(fen))
    assert running.reported.wait(10)
    assert running.goes_on
    engine.stop()
    running.result()


def test_time_pondered_counts_towards_the_optimum(bare: Callable[..., Bare]) -> None:
    """Measured by a clock of nodes, which runs alike on every machine."""
    search = bare()
    pool = search.pool
    pool.node_clock.rate = 1
    hit = threading.Thread(target=lambda: (wait_until(lambda: pool.nodes > 600_000), search.signals.ponderhit()))
    hit.start()
    search.search(Limits(ponder=True, wtime=2_800_000), KIWIPETE)  # an optimum of 100,000 nodes
    hit.join()
    assert pool.nodes > 600_000
    left = pool.node_clock.limits_for(Limits(wtime=1), white_to_move=True).wtime
    assert left is not None
    assert 2_800_000 - left <= 20 * CHECK_INTERVAL


def stands(pool: Pool) -> bool:
    """Whether the time of the search does not run on."""
    elapsed = pool.elapsed
    time.sleep(0.001)
    return pool.elapsed == elapsed


def test_time_pondered_does_not_count_against_the_limit(engine: Engine) -> None:
    running = start(engine, Limits(ponder=True, movetime=300), chess.Board(KIWIPETE))
    assert not running.job.wait(0.4)
    begun = time.perf_counter()
    engine.ponderhit()
    running.result()
    assert time.perf_counter() - begun > 0.25


def test_ponderhit_out_of_place_changes_nothing(engine: Engine) -> None:
    engine.ponderhit()
    running = start(engine, Limits(), chess.Board())
    engine.ponderhit()
    assert running.goes_on
    engine.stop()
    running.result()


def test_single_legal_move_is_played(engine: Engine) -> None:
    board = chess.Board(ONE_MOVE)
    assert board.legal_moves.count() == 1
    result = start(engine, Limits(wtime=3_600_000), board).result()
    assert chess.Move.from_uci(result.bestmove) in board.legal_moves
    assert result.info.score is not None


@pytest.mark.parametrize(("fen", "score"), [(MATED, Score(mate=0)), (STALEMATED, Score(cp=0))])
def test_without_a_legal_move_there_is_a_score_and_no_move(engine: Engine, fen: str, score: Score) -> None:
    running = start(engine, Limits(wtime=1000, btime=1000), chess.Board(fen))
    result = running.result()
    assert result.bestmove == "0000"
    assert result.ponder == ""
    assert [(info.depth, info.score) for info in running.infos] == [(0, score)]
