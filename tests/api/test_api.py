"""The engine as a Python object: what its users may rely on, and what they are told when they go wrong."""

import gc
import os
import re
import shutil
import signal
import threading
import time
from collections.abc import Callable
from math import inf
from pathlib import Path
from typing import Any

import chess
import chess.polyglot
import chess.variant
import pytest
from chess.engine import Cp, Limit, Mate, PovScore, PovWdl, Wdl
from hypothesis import given
from hypothesis import strategies as st

import engine
from engine import Analysis, Engine, Stopped
from engine.api.boards import position_of
from engine.api.types import FIELDS, limits_of
from engine.board.fen import set_fen, to_fen
from engine.board.notation import play_moves
from engine.board.setup import new_position
from engine.messages import MAX_LIMIT, NUMBERS, Info, Limits, OptionError, PositionError, Score, Signals
from engine.options import KEYWORDS, OPTIONS, Option, by_keyword
from engine.play.selector import MoveSelector
from engine.search.pool import Pool
from engine.search.transposition import TranspositionTable
from tests.board.oracle import KIWIPETE, random_game, starts
from tests.search.conversation import start

MATE_IN_ONE = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"


@pytest.fixture
def numbat(shared: Engine) -> Engine:
    shared.new_game()
    shared.set_position(None)
    return shared


def test_leaving_the_context_stops_and_raises() -> None:
    running = Engine(hash=1)
    streams = []

    def fail() -> None:
        with running:
            streams.append(running.stream(chess.Board()))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert not running.searching
    assert [*streams[0]][-1].pv


# Positions


@pytest.mark.parametrize("fen", [chess.STARTING_FEN, KIWIPETE, "8/8/8/1Ppp3r/1K6/8/8/6k1 w - c6 0 1"])
def test_positions_come_back_as_they_went_in(numbat: Engine, fen: str) -> None:
    board = chess.Board(fen)
    numbat.set_position(fen)
    assert numbat.board() == board
    assert numbat.key() == chess.polyglot.zobrist_hash(board)
    assert numbat.fen() == board.fen(en_passant="xfen")


@pytest.mark.parametrize("numbers", [(1.5,), (True,), (21,), (10**5000,), (3, 1.5), (3, 0), (3, 10**5000)])
def test_a_perft_takes_numbers_in_its_range(numbat: Engine, numbers: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"takes a whole number|must be an integer"):
        numbat.perft(*numbers)


def test_a_null_move_clears_the_history(numbat: Engine) -> None:
    """As for other engines of python-chess, which get its FEN."""
    board = chess.Board()
    for move in ("g1f3", "g8f6", "0000", "f6g8"):
        board.push_uci(move)
    numbat.set_board(board)
    assert numbat.fen() == board.fen()


def test_a_board_is_set_as_its_fen_and_moves_are() -> None:
    """From the bitboards, and from the last position that can come again; everything but the oldest keys is equal."""
    for seed, first in enumerate([*starts(8)][::4]):
        for board in random_game(first, seed, 60):
            found = position_of(board)
            expected = new_position()
            set_fen(expected, first.fen(en_passant="xfen"), board.chess960)
            play_moves(expected, [move.uci() for move in board.move_stack])
            assert to_fen(found, shredder=True) == to_fen(expected, shredder=True)
            for name in ("pieces", "colors", "key", "pawn_key", "nonpawn_key", "checkers", "chess960", "ply"):
                assert (found[name] == expected[name]).all(), (name, board)
            keys = [position["history"]["key"][: int(position["ply"])].tolist() for position in (found, expected)]
            assert keys[0] == keys[1], board


@pytest.mark.parametrize(
    ("fen", "moves", "named"), [("no position at all", (), "FEN board 'no'"), (None, ("e2e4", "rubbish"), "rubbish")]
)
def test_bad_position_is_named_and_the_previous_one_stays(numbat, fen, moves, named):
    numbat.set_position(KIWIPETE)
    with pytest.raises(PositionError, match=named):
        numbat.set_position(fen, moves)
    assert numbat.fen() == KIWIPETE


def test_an_invalid_board_keeps_the_previous_position(numbat: Engine) -> None:
    numbat.set_position(KIWIPETE)
    for call in (numbat.search, numbat.play, numbat.stream):
        with pytest.raises(PositionError, match="kings"):
            call(chess.Board.empty(), Limits(depth=1))
    assert numbat.fen() == KIWIPETE


# Options


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Hash", 10**6),  # within the range, beyond this machine
        ("Move Overhead", 1e9),
        ("No Such Option", 1),
        ("NullMoveBase", -1000),
        ("NullMoveBase", "3"),
    ],
)
def test_a_bad_value_is_named_and_nothing_changes(numbat: Engine, name: str, value: object) -> None:
    board = chess.Board(KIWIPETE)
    numbat.new_game()
    before = numbat.search(board, Limits(depth=6))
    with pytest.raises(OptionError, match=name):
        numbat.set_option(name, value)
    numbat.new_game()
    after = numbat.search(board, Limits(depth=6))
    assert (after.nodes, after.score, after.pv) == (before.nodes, before.score, before.pv)


@pytest.mark.parametrize("keyword", ["syzygy_path", "book_file", "eval_file"])
def test_a_path_to_nowhere_is_refused(numbat: Engine, keyword: str, tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere"
    for path in (nowhere, str(nowhere)):
        with pytest.raises(OptionError, match="nowhere"):
            numbat.configure(**{keyword: path})
        assert numbat.options[by_keyword(keyword).name] == ""
    with pytest.raises(OptionError, match="nowhere"):
        Engine(hash=1, **{keyword: nowhere})


def test_of_several_directories_with_tables_one_must_be_there(tmp_path: Path) -> None:
    remarks: list[str] = []
    with Engine(hash=1, report=remarks.append) as running:
        path = os.pathsep.join([str(tmp_path), str(tmp_path / "nowhere")])
        running.configure(syzygy_path=path)
        assert running.options["SyzygyPath"] == path
    assert [remark for remark in remarks if "nowhere" in remark]


def test_the_options_are_there_to_be_read(numbat: Engine) -> None:
    numbat.configure(multipv=3)
    assert numbat.options["MultiPV"] == 3
    assert set(numbat.options) == {option.name for option in OPTIONS if option.kind != "button"}
    with pytest.raises(TypeError):
        numbat.options["MultiPV"] = 5  # type: ignore[index]


def test_repr_shows_changed_options_and_state() -> None:
    with Engine(hash=1, threads=2, eval_type="Classical", uci_elo=1400, uci_limitstrength=True) as running:
        options = "uci_limitstrength=True, uci_elo=1400"
        assert repr(running) == f"<Engine: Classical, hash 1 MB, 2 threads, {options}, idle>"
        with running.stream(chess.Board()) as reports:
            assert repr(running).endswith("searching>")
            assert repr(reports) == f"<Stream of {chess.STARTING_FEN}, running>"
        assert repr(reports).endswith("ended>")
    assert repr(running) == "<Engine: closed>"


# Closing


def test_closing_gives_the_memory_back() -> None:
    before = kept()
    running = Engine(hash=8)
    assert kept() == before + 3
    running.analyse(chess.Board(), Limit(depth=3))
    running.close()
    assert kept() == before


def kept() -> int:
    """The number of selectors, pools and tables in memory."""
    gc.collect()
    return sum(type(each) in (MoveSelector, Pool, TranspositionTable) for each in gc.get_objects())


def test_a_closed_engine_raises_a_clear_error() -> None:
    running = Engine(hash=1)
    board = chess.Board()
    reports = running.stream(board)
    running.close()
    running.close()
    running.stop()
    reports.close()
    running.ponderhit()
    assert not running.searching
    for call in (
        lambda: running.play(board, Limit(depth=1)), lambda: running.analyse(board, Limit(depth=1)),
        lambda: running.stream(board), lambda: running.search(board, Limits(depth=1)), running.fen, running.board,
        running.new_game, lambda: running.configure(multipv=2), lambda: running.set_position(None),
        lambda: running.go(Limits(depth=1)), lambda: running.perft(2), running.explain_evaluation, running.__enter__,
    ):  # fmt: skip
        with pytest.raises(RuntimeError, match="this engine is closed"):
            call()
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        running.nonsense  # type: ignore[attr-defined] # noqa: B018


# What is passed by mistake


@pytest.mark.parametrize("limit", [0.5, 1, "1", {"time": 1}])
def test_wrong_type_of_limit_names_the_right_one(numbat: Engine, limit: Any) -> None:
    for call in (numbat.play, numbat.analyse, numbat.stream):
        with pytest.raises(TypeError, match=r"Limit\(time=0\.5\)"):
            call(chess.Board(), limit)
    with pytest.raises(TypeError, match=r"search takes engine\.Limits"):
        numbat.search(chess.Board(), limit)


def test_wrong_type_of_position_or_move_is_refused(numbat: Engine) -> None:
    for call in (numbat.play, numbat.analyse, numbat.stream):
        with pytest.raises(TypeError, match=r"chess\.Board\('8/8"):
            call("8/8/8/8/8/8/8/8 w - - 0 1", Limit(depth=1))  # type: ignore[operator]
        with pytest.raises(TypeError, match=r"chess\.Board, not None"):
            call(None, Limit(depth=1))  # type: ignore[operator]
    with pytest.raises(TypeError, match=r"chess\.Board"):
        numbat.set_board(chess.STARTING_FEN)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"chess\.Board"):
        numbat.search(chess.STARTING_FEN, Limits(depth=1))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="set_board"):
        numbat.set_position(chess.Board())  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="not 'e2e4'"):
        numbat.play(chess.Board(), Limit(depth=1), root_moves=["e2e4"])  # type: ignore[list-item]


# Searching


@pytest.mark.parametrize(
    ("limits", "fen"),
    [
        (Limits(), chess.STARTING_FEN),
        (Limits(infinite=True, depth=3), chess.STARTING_FEN),
        (Limits(ponder=True, depth=3), chess.STARTING_FEN),
        (Limits(winc=10, binc=10, movestogo=3), chess.STARTING_FEN),
        (Limits(btime=1000), chess.STARTING_FEN),  # the clock of the other side
        (Limits(wtime=1000), chess.STARTING_FEN.replace(" w ", " b ")),
    ],
    ids=repr,
)
def test_endless_limits_are_refused(numbat: Engine, limits: Limits, fen: str) -> None:
    for call in (numbat.search, numbat.play):
        with pytest.raises(ValueError, match="limit"):
            call(chess.Board(fen), limits)
    assert not numbat.searching


def test_search_returns_the_last_report(numbat: Engine) -> None:
    infos: list[Info] = []
    last = numbat.search(chess.Board(KIWIPETE), Limits(depth=5), infos.append)
    assert last == [info for info in infos if info.pv][-1]
    assert last.depth == 5


@pytest.mark.parametrize("nodes", [5000, 10**12])  # a short search runs in the calling thread
@pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt])
def test_an_error_in_a_callback_ends_the_search(numbat: Engine, nodes: int, error: type[BaseException]) -> None:
    calls: list[Info] = []

    def fail(info: Info) -> None:
        calls.append(info)
        raise error

    with pytest.raises(error):
        numbat.search(chess.Board(), Limits(nodes=nodes), fail)
    assert len(calls) == 1
    assert not numbat.searching
    assert numbat.search(chess.Board(MATE_IN_ONE), Limits(depth=2)).score == Score(mate=1)


def test_the_position_searched_is_the_one_set_before_the_start(numbat: Engine) -> None:
    running = start(numbat, Limits(infinite=True), chess.Board(MATE_IN_ONE))
    numbat.set_position(None)  # while the search runs
    numbat.stop()
    assert running.result().bestmove == "d1d8"
    assert numbat.fen() == chess.STARTING_FEN


# python-chess's types, in and out


def test_scores_and_moves_are_those_of_python_chess(numbat: Engine) -> None:
    board, mate = chess.Board(MATE_IN_ONE), chess.Move.from_uci("d1d8")
    best = numbat.analyse(board, Limit(depth=3))
    assert best.score == PovScore(Mate(1), chess.WHITE)
    assert best.wdl == PovWdl(Wdl(1000, 0, 0), chess.WHITE)
    assert (best.move, best.pv, best.multipv) == (mate, (mate,), 1)
    reports: list[Analysis] = []
    assert numbat.play(board, Limits(depth=2), on_report=reports.append) == mate
    assert reports[-1].score == best.score
    assert board == chess.Board(MATE_IN_ONE)
    board.push(mate)
    assert numbat.play(board, Limits(depth=2)) is None
    over = numbat.analyse(board, Limit(depth=3))
    assert over.score == PovScore(Mate(0), chess.BLACK)
    assert over.move is None


def test_analyse_of_a_position_for_black_is_from_black_s_view(numbat: Engine) -> None:
    board = chess.Board("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1")
    best = numbat.analyse(board, Limits(depth=5))
    assert best.score.turn == chess.BLACK
    assert best.score.white() > Cp(400)
    for move in best.pv:
        assert move in board.legal_moves
        board.push(move)


def test_multipv_gives_different_first_moves_best_first(numbat: Engine) -> None:
    lines = numbat.analyse(chess.Board(KIWIPETE), Limit(depth=5), multipv=4)
    assert [line.multipv for line in lines] == [1, 2, 3, 4]
    assert len({line.move for line in lines}) == 4
    assert sorted(lines, key=lambda line: line.score.relative, reverse=True) == lines
    assert numbat.analyse(chess.Board("k7/8/K7/1R6/8/8/8/8 b - - 0 1"), Limit(depth=2), multipv=4)[1:] == []
    with pytest.raises(OptionError, match="MultiPV"):
        numbat.analyse(chess.Board(), Limit(depth=1), multipv=0)


def test_root_moves_that_are_not_legal_are_named(numbat: Engine) -> None:
    with pytest.raises(ValueError, match="e2e5"):
        numbat.analyse(chess.Board(), Limit(depth=2), root_moves=[chess.Move.from_uci("e2e5")])
    with pytest.raises(ValueError, match="root_moves is empty"):
        numbat.play(chess.Board(), Limit(depth=2), root_moves=[])


@pytest.mark.parametrize(
    ("name", "value", "takes"),
    [
        ("depth", 0, "a whole number of plies, 1 or more, not 0"),
        pytest.param(
            "nodes", 10**6000, f"a whole number of nodes, at most {2**63 - 1}, not a number of 19932 bits", id="huge"
        ),
        pytest.param(
            "nodes", -(10**6000), "a whole number of nodes, at least 1, not a number of 19932 bits", id="negative"
        ),
        ("time", inf, "a number of seconds, 0 or more, not inf"),
        ("time", 1e300, "a number of seconds, at most 9223372036854775, not 1e+300"),
        ("white_clock", -inf, "a number of seconds, not -inf"),
        ("white_inc", -0.5, "a number of seconds, 0 or more, not -0.5"),
    ],
)
def test_invalid_limit_is_named(numbat: Engine, name: str, value: Any, takes: str) -> None:
    told = f"^the limit's {name} takes {re.escape(takes)}$"
    limit = Limit(**{name: value})
    for call in (numbat.play, numbat.analyse, numbat.stream):
        with pytest.raises(ValueError, match=told):
            call(chess.Board(), limit)
    assert not numbat.searching
    field = FIELDS[name]
    with pytest.raises(ValueError, match=f"^the limit {field} takes a whole number of "):
        Limits(**{field: value})


@given(st.sampled_from([*FIELDS]), st.integers() | st.floats() | st.none() | st.booleans() | st.text(max_size=3))
def test_any_limit_is_one_of_the_engines_own_or_refused(name: str, value: Any) -> None:
    told = ""
    try:
        limits = limits_of(Limit(**{name: value}))
    except ValueError as error:
        told = str(error)
    if "give a time, a depth or a number of nodes" in told:
        assert value is None or name in ("white_inc", "black_inc", "remaining_moves")
    elif told:
        assert f" {name} takes " in told
        assert f", not {value!r}" in told or " bits" in told
    else:
        assert value is not None
        in_seconds = NUMBERS[FIELDS[name]].unit == "milliseconds"
        assert getattr(limits, FIELDS[name]) == (round(1000 * value) if in_seconds else value)


def test_no_limit_is_too_large_for_the_search(numbat: Engine) -> None:
    """The greatest that is let in ends nothing by itself, and overflows nothing."""
    for limits in (
        Limits(depth=MAX_LIMIT, nodes=MAX_LIMIT, mate=MAX_LIMIT, movetime=100),
        Limits(wtime=MAX_LIMIT, winc=MAX_LIMIT, movestogo=MAX_LIMIT, nodes=500),
        Limits(wtime=-MAX_LIMIT),
        Limits(movetime=MAX_LIMIT, depth=2),
    ):
        for nodes_as_time in (0, 10_000):
            numbat.configure(nodestime=nodes_as_time)
            numbat.new_game()
            for _ in range(2):
                assert numbat.play(chess.Board(), limits) in chess.Board().legal_moves


def test_other_variants_are_refused(numbat: Engine) -> None:
    with pytest.raises(PositionError, match="atomic"):
        numbat.play(chess.variant.AtomicBoard(), Limit(depth=1))


def test_castling_comes_in_the_notation_of_the_board(numbat: Engine) -> None:
    for chess960, castling in ((False, "e1g1"), (True, "e1h1")):
        board = chess.Board("4k3/8/8/8/8/8/8/4K2R w K - 0 1", chess960=chess960)
        move = chess.Move.from_uci(castling)
        assert numbat.play(board, Limit(depth=2), root_moves=[move]) == move
        assert numbat.analyse(board, Limit(depth=2), root_moves=[move]).move == move


# The stream


def test_leaving_an_endless_stream_ends_its_search(numbat: Engine) -> None:
    with numbat.stream(chess.Board()) as reports:
        assert next(reports).pv
        assert numbat.searching
    assert is_idle(numbat)
    assert list(reports) == []


def test_a_stream_is_closed_while_another_thread_reads_it(numbat: Engine) -> None:
    reports = numbat.stream(chess.Board())
    finish(in_thread(lambda: list(reports)), in_thread(reports.close))


def test_a_stream_is_stopped_from_another_thread(numbat: Engine) -> None:
    reports = numbat.stream(chess.Board(MATE_IN_ONE))  # finds the mate at once, and waits all the same
    stopper = threading.Timer(0.2, reports.stop)
    stopper.start()
    assert [report.score.relative for report in reports][-1] == Mate(1)
    finish(stopper)
    assert stopper.finished.is_set()


def test_another_search_ends_the_stream(numbat: Engine) -> None:
    reports = numbat.stream(chess.Board())
    numbat.play(chess.Board(), Limit(depth=2))
    assert list(reports)[-1].pv
    reports.close()


def test_a_stream_that_is_over_does_not_end_the_next_search(numbat: Engine) -> None:
    first, dropped = numbat.stream(chess.Board()), numbat.stream(chess.Board())
    with numbat.stream(chess.Board(KIWIPETE)) as second:
        first.close()
        del dropped
        time.sleep(0.1)
        assert numbat.searching
        assert next(second).pv


def test_threads_take_turns(numbat: Engine) -> None:
    """Each gets a move of its own board."""
    boards = [chess.Board(fen) for fen in (chess.STARTING_FEN, KIWIPETE, MATE_IN_ONE, "8/8/8/8/8/4k3/8/4K2R w - - 0 1")]
    wrong: list[object] = []

    def play(board: chess.Board) -> None:
        for _ in range(10):
            try:
                move = numbat.play(board, Limit(nodes=200))
            except BaseException as error:
                wrong.append(error)
            else:
                if move not in board.legal_moves:
                    wrong.append(move)

    finish(*[in_thread(lambda board=board: play(board)) for board in boards])
    assert not wrong


def test_a_loop_of_calls_leaves_turns_to_others(numbat: Engine) -> None:
    done, over = [0], threading.Event()

    def loop() -> None:
        while not over.is_set():
            numbat.analyse(chess.Board(), Limit(nodes=3000))
            done[0] += 1

    looping = in_thread(loop)
    try:
        for number in range(10):
            before = done[0]
            numbat.configure(multipv=1 + number % 2)
            assert done[0] - before <= 3
    finally:
        over.set()
        finish(looping)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no such timer")
def test_a_signal_handler_does_not_cut_a_search_short(numbat: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """A call in it has its turn after the one that it interrupts."""
    found: list[Analysis] = []
    handler = signal.signal(signal.SIGALRM, lambda *_: found.append(numbat.analyse(chess.Board(), Limit(depth=2))))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        assert numbat.analyse(chess.Board(KIWIPETE), Limit(nodes=400_000)).nodes >= 400_000
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
    assert [line.depth for line in found] == [2]


# Stops


def is_idle(engine: Engine) -> bool:
    """Whether the search of ``engine`` ends soon."""
    deadline = time.monotonic() + 60
    while engine.searching and time.monotonic() < deadline:
        time.sleep(0.001)
    return not engine.searching


def in_thread(call: Callable[[], object]) -> threading.Thread:
    """A thread that runs ``call``."""
    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    return thread


def finish(*threads: threading.Thread) -> None:
    """Wait for ``threads``, which end soon."""
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()


#: Calls that search for ever.
ENDLESS: dict[str, Callable[[Engine], object]] = {
    "go": lambda engine: engine.go(Limits(infinite=True)),
    "play": lambda engine: engine.play(chess.Board(), Limit(nodes=10**12)),
    "analyse": lambda engine: engine.analyse(chess.Board(), Limit(nodes=10**12), multipv=2),
    "stream": lambda engine: list(engine.stream(chess.Board())),
    "explain": lambda engine: engine.explain(chess.Board(), chess.Move.from_uci("f2f3"), Limit(nodes=10**12)),
    "bench": lambda engine: engine.bench(200),
}


@pytest.mark.parametrize("end", [Engine.stop, Engine.close])
@pytest.mark.parametrize("call", ENDLESS)
def test_stop_at_any_time_ends_the_search(call: str, end: Callable[[Engine], None]) -> None:
    """At moments that the system chooses: it is repeated until the call has ended, as it may come before the call."""
    running = Engine(hash=1)
    for pause in (0.0, 0.0001, 0.001, 0.01, 0.1):
        if running.closed:
            running = Engine(hash=1)
        errors: list[BaseException] = []

        def search(running: Engine = running, errors: list[BaseException] = errors) -> None:
            try:
                ENDLESS[call](running)
            except (Stopped, RuntimeError) as error:
                errors.append(error)

        searcher = in_thread(search)
        time.sleep(pause)
        deadline = time.monotonic() + 30
        while searcher.is_alive() and time.monotonic() < deadline:
            end(running)
            searcher.join(0.01)
        assert not searcher.is_alive()
        assert errors or call not in ("explain", "bench")
        assert running.closed or running.analyse(chess.Board(), Limit(depth=5)).depth == 5
    running.close()


def test_signals_that_come_before_their_call_end_it(numbat: Engine) -> None:
    signals = Signals()
    signals.stop()
    assert numbat.go(Limits(infinite=True), signals=signals).bestmove
    for call in (numbat.explain, numbat.bench):
        with pytest.raises(Stopped):
            call(*[chess.Board()][: call == numbat.explain], signals=signals)
    pondering = Signals()
    pondering.ponderhit()
    assert numbat.go(Limits(ponder=True, depth=2), signals=pondering).bestmove


def searching(engine: Engine, search: Callable[[], object]) -> threading.Thread:
    """A thread in which ``engine`` is executing ``search``."""
    thread = in_thread(search)
    while not engine.searching:
        time.sleep(0.001)
    return thread


def test_a_call_waits_for_its_turn(numbat: Engine) -> None:
    order: list[str] = []
    player = searching(numbat, lambda: (ENDLESS["play"](numbat), order.append("play")))
    calls = (
        numbat.new_game,
        lambda: numbat.set_option("Move Overhead", 100),
        lambda: numbat.play(chess.Board(), Limit(depth=1)),
    )
    others = [in_thread(lambda call=call: (call(), order.append("other"))) for call in calls]
    time.sleep(0.1)
    assert order == []
    numbat.stop()
    finish(player, *others)
    assert sorted(order) == ["other", "other", "other", "play"]


def test_a_board_may_change_during_its_search(numbat: Engine) -> None:
    board, lines = chess.Board(), list[Analysis]()
    searcher = searching(numbat, lambda: lines.append(numbat.analyse(board, Limit(nodes=10**12))))
    board.push_san("e4")
    numbat.stop()
    finish(searcher)
    assert lines[0].move in chess.Board().legal_moves


@pytest.mark.parametrize("call", ["play", "stream"])
def test_calls_that_wait_for_their_turn_are_stopped_too(numbat: Engine, call: str) -> None:
    first = searching(numbat, lambda: ENDLESS["play"](numbat))
    second = in_thread(lambda: ENDLESS[call](numbat))
    time.sleep(0.05)
    numbat.stop()
    finish(first, second)


def test_a_call_overtaken_by_close_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    running = Engine(hash=1)
    # Called between the first check and the turn.
    monkeypatch.setattr("engine.api.calls.get_ident", lambda: (monkeypatch.undo(), running.close()))
    with pytest.raises(RuntimeError, match="closed"):
        ENDLESS["play"](running)


# Streams without a reader


def abandoned(numbat: Engine, how: str) -> None:
    """Begin a stream and drop it."""
    match how:
        case "unread":
            numbat.stream(chess.Board())
        case "left":
            next(numbat.stream(chess.Board()))
        case "in a cycle":
            cycle: list[Any] = [numbat.stream(chess.Board())]
            cycle.append(cycle)
            del cycle
            gc.collect()
        case "waiting":
            reports = numbat.stream(chess.Board(MATE_IN_ONE), Limits(infinite=True, depth=1))
            next(reports)


@pytest.mark.parametrize("how", ["unread", "left", "in a cycle", "waiting"])
def test_a_stream_that_is_dropped_ends_its_search(numbat: Engine, how: str) -> None:
    abandoned(numbat, how)
    assert is_idle(numbat)


def test_streams_are_collected_at_any_instruction(numbat: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """A finalizer must not wait for what the thread that it interrupts holds, here the search in its planning."""
    reports = []

    def pace_of(*arguments: object) -> float:
        reports.clear()
        return 1.0

    monkeypatch.setattr("engine.search.pool.pace_of", pace_of)
    reports.append(numbat.stream(chess.Board(), Limit(white_clock=36_000, black_clock=36_000)))
    assert is_idle(numbat)


@pytest.mark.parametrize("call", ["play", "stream", "new_game", "set_option", "close", "bench", "go", "explain"])
def test_callback_cannot_use_its_engine(numbat: Engine, call: str) -> None:
    arguments: dict[str, tuple] = {
        "play": (chess.Board(KIWIPETE), Limit(depth=1)),
        "stream": (chess.Board(KIWIPETE),),
        "new_game": (),
        "set_option": ("Threads", 2),
        "close": (),
        "bench": (1,),
        "go": (Limits(depth=1),),
        "explain": (chess.Board(),),
    }
    refused: list[bool] = []

    def meddle(report: Analysis) -> None:
        with pytest.raises(RuntimeError, match="reports"):
            getattr(numbat, call)(*arguments[call])
        refused.append(True)

    assert numbat.play(chess.Board(), Limit(depth=3), on_report=meddle) in chess.Board().legal_moves
    assert refused


# Options as keywords


def reports_of(numbat: Engine) -> list[Info]:
    """What a short search reports."""
    infos: list[Info] = []
    numbat.search(chess.Board(KIWIPETE), Limits(depth=5), infos.append)
    return infos


@pytest.mark.parametrize("option", [option for option in OPTIONS if option.kind != "button"], ids=lambda o: o.name)
def test_every_option_has_a_keyword(numbat: Engine, option: Option) -> None:
    (own,) = [keyword for keyword, row in KEYWORDS.items() if row is option]
    for keyword in (own, option.name.replace(" ", "_").lower()):
        assert keyword.isidentifier()
        assert by_keyword(keyword) is option
        numbat.configure(**{keyword: option.default})  # type: ignore[misc]


@pytest.mark.parametrize(("keyword", "value"), [("threads", 0), ("eval_file", "/nothing.nnue")])
def test_after_an_error_no_keyword_has_taken_effect(numbat: Engine, keyword: str, value: Any) -> None:
    """Whether a network can be read turns out only when it is, after other options were set."""
    with pytest.raises(OptionError, match=by_keyword(keyword).name if value == 0 else value):
        numbat.configure(multipv=2, **{keyword: value})  # type: ignore[misc]
    assert len({info.multipv for info in reports_of(numbat)}) == 1


def test_options_are_restored_whose_files_are_gone(tmp_path: Path) -> None:
    network = tmp_path / "own.nnue"
    shutil.copy(Path(engine.__file__).parent / "evaluation/nnue/numbat.nnue", network)
    with Engine(hash=1, eval_file=network) as own:
        before, values = dict(own.options), own.evaluate([KIWIPETE]).tolist()
        network.unlink()
        with pytest.raises(OptionError, match="BookFile"):
            own.configure(hash=2, eval_file="", eval_type="Material", book_file="/nothing")
        assert (dict(own.options), own.evaluate([KIWIPETE]).tolist()) == (before, values)


def test_the_button_has_a_keyword(numbat: Engine) -> None:
    reports_of(numbat)
    full = reports_of(numbat)[-1].nodes
    numbat.configure(clear_hash=True)
    assert reports_of(numbat)[-1].nodes > full
    with pytest.raises(OptionError, match="Clear Hash"):
        numbat.configure(clear_hash=False)


def test_unknown_keywords_are_named() -> None:
    with pytest.raises(OptionError, match=r"no option is called 'hsah' \(did you mean hash\?\)"):
        Engine(hsah=3)
    with pytest.raises(OptionError, match="Hash"):
        Engine(hash=0)


# The rest


def test_search_out_of_memory_leaves_an_engine_that_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    with Engine(hash=1) as running:

        def refuse(*arguments: object) -> None:
            raise MemoryError

        with monkeypatch.context() as patch:
            patch.setattr(Pool, "search", refuse)
            for call in (running.play, running.analyse, lambda board, limit: list(running.stream(board, limit))):
                with pytest.raises(MemoryError):
                    call(chess.Board(), Limit(depth=3))
        assert running.analyse(chess.Board(), Limit(depth=3)).depth == 3


def test_bench_is_deterministic_and_reports_each_position(numbat: Engine) -> None:
    seen: list[tuple[int, int, str, int]] = []
    nodes, milliseconds = numbat.bench(4, lambda *row: seen.append(row))
    assert milliseconds > 0
    assert [row[0] for row in seen] == list(range(1, seen[0][1] + 1))
    assert sum(row[3] for row in seen) == nodes
    assert len({row[2] for row in seen}) == len(seen) >= 30
    numbat.search(chess.Board(KIWIPETE), Limits(depth=6))
    assert numbat.bench(4)[0] == nodes


def test_the_evaluation_is_explained_term_by_term(numbat: Engine) -> None:
    numbat.set_option("EvalType", "Material")

    def total(fen: str | None) -> float:
        numbat.set_position(fen)
        lines = numbat.explain_evaluation().splitlines()
        assert lines[-1] == "(pawns, from White's view)"
        rows = [line.split("|") for line in lines if line.count("|") == 3][1:]
        *terms, whole = [[float(cell) for cell in row[1:]] for row in rows]
        assert [row[0].strip() for row in rows][-1] == "sum"
        for white, black, difference in (*terms, whole):
            assert difference == pytest.approx(white - black, abs=0.011)
        for column in range(3):
            assert whole[column] == pytest.approx(sum(term[column] for term in terms), abs=0.05)
        return whole[2]

    assert total(None) == 0
    assert total("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1") > 5
    assert total("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR b KQkq - 0 1") < -5
