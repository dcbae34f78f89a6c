"""The engine for an event loop: what is awaited, and what a cancelled task leaves behind."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import chess
import pytest
from chess.engine import Limit, Mate

from engine import AsyncEngine
from engine.messages import OptionError

MATE_IN_ONE = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"
ENDLESS = Limit(nodes=10**15)


async def until(engine: AsyncEngine, searching: bool) -> None:
    """Wait until a search runs, or until none does."""
    while engine.engine.searching != searching:
        await asyncio.sleep(0.005)


async def test_calls_are_awaited():
    board = chess.Board(MATE_IN_ONE)
    async with AsyncEngine(hash=1) as engine:
        assert await engine.play(board, Limit(depth=3)) == chess.Move.from_uci("d1d8")
        best = await engine.analyse(board, Limit(depth=3))
        lines = await engine.analyse(board, Limit(depth=3), multipv=2)
        assert best.score.relative == lines[0].score.relative == Mate(1)
        limit = Limit(nodes=1000)
        assert await engine.explain(board, limit=limit) == engine.engine.explain(board, limit=limit)
        await engine.call(engine.engine.configure, multipv=2)
        await engine.call(engine.engine.new_game)
        assert engine.engine.options["MultiPV"] == 2
    with pytest.raises(RuntimeError, match="this engine is closed"):
        await engine.play(board, Limit(depth=3))


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize(("call", "more"), [("play", []), ("analyse", []), ("explain", [chess.Move.from_uci("f2f3")])])
async def test_a_cancelled_task_leaves_no_search_behind(call, more, times):
    async with AsyncEngine(hash=1) as engine:
        for pause in (0.0, 0.001, 0.01, 0.1):
            task = asyncio.create_task(getattr(engine, call)(chess.Board(), *more, ENDLESS))
            await asyncio.sleep(pause)
            for _ in range(times):
                task.cancel()
                await asyncio.sleep(0)
            with pytest.raises(asyncio.CancelledError):
                await task
            assert not engine.engine.searching
        assert await engine.play(chess.Board(MATE_IN_ONE), Limit(depth=2)) is not None


async def test_cancelling_one_task_does_not_stop_another():
    async with AsyncEngine(hash=1) as engine:
        first = asyncio.create_task(engine.play(chess.Board(), ENDLESS))
        await until(engine, searching=True)
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
        depths = [report.depth async for report in engine.stream(board, Limit(depth=5)) if not report.bound]
        assert depths == [1, 2, 3, 4, 5]
        async for report in engine.stream(board):
            if report.depth == 4:
                break
        await until(engine, searching=False)

        async def watch() -> None:
            async for _ in engine.stream(board):
                pass

        for pause in (0.0, 0.001, 0.1):
            task = asyncio.create_task(watch())
            await asyncio.sleep(pause)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await until(engine, searching=False)
        async for report in engine.stream(board):
            assert report.pv
            await engine.play(chess.Board(MATE_IN_ONE), Limit(depth=2))  # ends the stream


async def test_engines_do_not_wait_for_threads_of_others():
    """A stream of a finished position reports nothing until it is stopped."""
    over = chess.Board("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1")

    async def watch(engine: AsyncEngine) -> None:
        async for _ in engine.stream(over):
            pass

    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))
    async with AsyncEngine(hash=1) as first, asyncio.timeout(60):
        watching = asyncio.create_task(watch(first))
        await until(first, searching=True)
        await asyncio.sleep(0.05)
        async with AsyncEngine(hash=1) as second:
            assert await second.play(chess.Board(MATE_IN_ONE), Limit(depth=2)) == chess.Move.from_uci("d1d8")
        watching.cancel()


async def test_errors_are_those_of_the_engine():
    with pytest.raises(OptionError, match="Threads"):
        await AsyncEngine(threads=0).__aenter__()
    async with AsyncEngine(hash=1) as engine:
        with pytest.raises(TypeError, match=r"Limit\(time"):
            await engine.play(chess.Board(), 0.5)  # type: ignore[arg-type]


async def test_leaving_the_context_ends_the_search_of_another_task():
    async with AsyncEngine(hash=1) as engine:
        task = asyncio.create_task(engine.play(chess.Board(), ENDLESS))
        await until(engine, searching=True)
    assert await task in chess.Board().legal_moves
