"""The engine for an event loop: what is awaited, and what a cancelled task leaves behind."""

import asyncio
import gc
import threading

import chess
import pytest
from chess.engine import Limit, Mate

from engine import AsyncEngine
from engine.messages import OptionError

MATE_IN_ONE = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"
ENDLESS = Limit(nodes=10**15)


async def searches(engine: AsyncEngine) -> None:
    """Wait until a search runs."""
    while not engine.engine.searching:
        await asyncio.sleep(0.005)


async def test_calls_are_awaited():
    board = chess.Board(MATE_IN_ONE)
    async with AsyncEngine(hash=1) as engine:
        assert await engine.play(board, Limit(depth=3)) == chess.Move.from_uci("d1d8")
        best = await engine.analyse(board, Limit(depth=3))
        lines = await engine.analyse(board, Limit(depth=3), multipv=2)
        assert best.score.relative == lines[0].score.relative == Mate(1)
        assert await engine.explain(board, limit=Limit(nodes=1000)) == "Rd8# is back-rank mate."
        await engine.configure(multipv=2)
        await engine.new_game()
        assert engine.engine.options["MultiPV"] == 2
        assert repr(engine).startswith("<AsyncEngine: NNUE, hash 1 MB, ")
    assert repr(engine) == "<AsyncEngine: closed>"
    with pytest.raises(RuntimeError, match="this engine is closed"):
        await engine.play(board, Limit(depth=3))


@pytest.mark.parametrize("call", ["play", "analyse"])
async def test_a_cancelled_task_leaves_no_search_behind(call):
    async with AsyncEngine(hash=1) as engine:
        for pause in (0.0, 0.001, 0.01, 0.1):
            task = asyncio.create_task(getattr(engine, call)(chess.Board(), ENDLESS))
            await asyncio.sleep(pause)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert not engine.engine.searching
        assert await engine.play(chess.Board(MATE_IN_ONE), Limit(depth=2)) is not None


@pytest.mark.parametrize(("call", "more"), [("play", []), ("explain", [chess.Move.from_uci("f2f3")])])
async def test_a_task_that_is_cancelled_twice_still_ends_its_search(call, more):
    async with AsyncEngine(hash=1) as engine:
        task = asyncio.create_task(getattr(engine, call)(chess.Board(), *more, ENDLESS))
        await searches(engine)
        task.cancel()
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not engine.engine.searching


async def test_tasks_take_turns_and_a_cancelled_one_does_not_stop_its_neighbour():
    async with AsyncEngine(hash=1) as engine:
        first = asyncio.create_task(engine.play(chess.Board(), ENDLESS))
        await searches(engine)
        waiting = asyncio.create_task(engine.play(chess.Board(MATE_IN_ONE), Limit(depth=2)))
        impatient = asyncio.create_task(engine.play(chess.Board(), Limit(depth=2)))
        await asyncio.sleep(0.05)
        impatient.cancel()
        await asyncio.sleep(0.05)
        assert engine.engine.searching
        assert not first.done()
        engine.engine.stop()
        assert await first in chess.Board().legal_moves
        assert await waiting == chess.Move.from_uci("d1d8")
        assert impatient.cancelled()


async def test_a_stream_is_read_left_and_cancelled():
    board = chess.Board()
    async with AsyncEngine(hash=1) as engine:
        async with engine.stream(board, Limit(depth=5)) as reports:
            depths = [report.depth async for report in reports if not report.bound]
        assert depths == [1, 2, 3, 4, 5]
        async with engine.stream(board) as reports:
            async for report in reports:
                if report.depth == 4:
                    break
        assert not engine.engine.searching

        async def watch() -> None:
            async with engine.stream(board) as reports:
                async for _ in reports:
                    pass

        for pause in (0.0, 0.001, 0.1):
            task = asyncio.create_task(watch())
            await asyncio.sleep(pause)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await engine.new_game()
            assert not engine.engine.searching
        async with engine.stream(board) as reports:
            reports.stop()
            assert [report async for report in reports][-1].pv
        with pytest.raises(RuntimeError, match="async with"):
            await anext(engine.stream(board))


async def test_errors_are_those_of_the_engine():
    with pytest.raises(OptionError, match="Threads"):
        await AsyncEngine(threads=0).__aenter__()
    outside = AsyncEngine()
    with pytest.raises(RuntimeError, match="async with AsyncEngine"):
        outside.engine.stop()
    assert repr(outside) == "<AsyncEngine: not entered>"
    async with AsyncEngine(hash=1) as engine:
        with pytest.raises(TypeError, match=r"Limit\(time"):
            await engine.play(chess.Board(), 0.5)  # type: ignore[arg-type]
        with pytest.raises(RuntimeError, match="create a new one"):
            await engine.__aenter__()


async def test_leaving_the_context_ends_the_search_of_another_task():
    async with AsyncEngine(hash=1) as engine:
        task = asyncio.create_task(engine.play(chess.Board(), ENDLESS))
        await searches(engine)
    assert await task in chess.Board().legal_moves


@pytest.mark.parametrize("call", ["play", "analyse", "explain", "stream"])
async def test_a_task_cancelled_before_its_search_begins_ends_it(call):
    async with AsyncEngine(hash=1) as engine:
        inner, stopped = engine.engine, threading.Event()
        stop, set_board = inner.stop, inner.set_board
        inner.stop = lambda: (stop(), stopped.set())  # type: ignore[method-assign,assignment,return-value]
        inner.set_board = lambda board: (stopped.wait(60), set_board(board))  # type: ignore[method-assign,assignment,return-value]

        async def search() -> None:
            if call == "stream":
                async with engine.stream(chess.Board()) as reports:
                    _ = [report async for report in reports]
            else:
                await getattr(engine, call)(chess.Board(), limit=ENDLESS)

        task = asyncio.create_task(search())
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert inner.wait(30)


async def test_a_stream_that_is_dropped_ends_its_search_and_its_turn():
    async with AsyncEngine(hash=1) as engine:
        reports = await engine.stream(chess.Board()).__aenter__()
        assert (await anext(reports)).pv
        del reports
        gc.collect()
        assert engine.engine.wait(30)
        assert await engine.play(chess.Board(MATE_IN_ONE), Limit(depth=2)) == chess.Move.from_uci("d1d8")
        engine.stream(chess.Board())  # not entered, it has not begun
        assert not engine.engine.searching


async def test_reader_of_a_stream_can_only_close_the_engine():
    """It would wait for itself."""
    async with AsyncEngine(hash=1) as engine, engine.stream(chess.Board()) as reports:
        async for _ in reports:
            for call in (engine.play(chess.Board(), Limit(depth=1)), engine.new_game(), engine.configure(multipv=2)):
                with pytest.raises(RuntimeError, match="leave that first"):
                    await call
            with pytest.raises(RuntimeError, match="leave that first"):
                await engine.stream(chess.Board()).__aenter__()
            await engine.close()
    assert engine.engine.closed


@pytest.mark.parametrize("other", ["loop", "thread"])
async def test_the_engine_is_closed_from_another_thread(other):
    engine = AsyncEngine(hash=1)
    async with engine:
        playing = [asyncio.create_task(engine.play(chess.Board(), ENDLESS)) for _ in range(2)]
        await searches(engine)
        close = engine.engine.close if other == "thread" else lambda: asyncio.run(engine.close())
        await asyncio.to_thread(close)
        assert await playing[0] in chess.Board().legal_moves
        (second,) = await asyncio.gather(playing[1], return_exceptions=True)  # it may have come before the close
        assert second in chess.Board().legal_moves if isinstance(second, chess.Move) else "is closed" in str(second)
