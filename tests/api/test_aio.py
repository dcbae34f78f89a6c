"""The engine for an event loop: what is awaited, and what a cancelled task leaves behind."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import chess
import pytest
from chess.engine import Limit, Mate

from engine import AsyncEngine
from engine.messages import OptionError

MATE_IN_ONE = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"
ENDLESS = Limit(nodes=10**15)


def run(main: Coroutine[Any, Any, None]) -> None:
    """Run ``main``, which must not take for ever."""
    asyncio.run(asyncio.wait_for(main, 120))


async def searches(engine: AsyncEngine) -> None:
    """Wait until a search runs."""
    while not engine.engine.searching:
        await asyncio.sleep(0.005)


def test_what_the_engine_can_is_awaited():
    async def main() -> None:
        board = chess.Board(MATE_IN_ONE)
        async with AsyncEngine(hash=1) as engine:
            assert await engine.play(board, Limit(depth=3)) == chess.Move.from_uci("d1d8")
            best = await engine.analyse(board, Limit(depth=3))
            lines = await engine.analyse(board, Limit(depth=3), multipv=2)
            assert best.score.relative == lines[0].score.relative == Mate(1)
            assert await engine.explain(board, limit=Limit(nodes=1000)) == "Rd8# is mate on the back rank."
            await engine.configure(multipv=2)
            await engine.new_game()
            assert engine.engine.options["MultiPV"] == 2
            assert repr(engine).startswith("<AsyncEngine: NNUE, hash 1 MB, ")
        assert repr(engine) == "<AsyncEngine: closed>"
        with pytest.raises(RuntimeError, match="this engine is closed"):
            await engine.play(board, Limit(depth=3))

    run(main())


def test_an_explanation_ends_with_its_task():
    async def main() -> None:
        async with AsyncEngine(hash=1) as engine:
            thinking = asyncio.create_task(engine.explain(chess.Board(), chess.Move.from_uci("f2f3"), ENDLESS))
            await searches(engine)
            thinking.cancel()
            with pytest.raises(asyncio.CancelledError):
                await thinking
            assert not engine.engine.searching

    run(main())


def test_the_loop_goes_on_while_the_engine_thinks():
    async def main() -> None:
        async with AsyncEngine(hash=1) as engine:
            thinking = asyncio.create_task(engine.play(chess.Board(), ENDLESS))
            await searches(engine)
            assert not thinking.done()
            engine.engine.stop()
            assert await thinking in chess.Board().legal_moves

    run(main())


@pytest.mark.parametrize("call", ["play", "analyse"])
def test_a_cancelled_task_leaves_no_search_behind(call):
    async def main() -> None:
        async with AsyncEngine(hash=1) as engine:
            for pause in (0.0, 0.001, 0.01, 0.1):
                task = asyncio.create_task(getattr(engine, call)(chess.Board(), ENDLESS))
                await asyncio.sleep(pause)
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
                assert not engine.engine.searching
            assert await engine.play(chess.Board(MATE_IN_ONE), Limit(depth=2)) is not None

    run(main())


def test_a_task_that_is_cancelled_twice_still_ends_its_search():
    async def main() -> None:
        async with AsyncEngine(hash=1) as engine:
            task = asyncio.create_task(engine.play(chess.Board(), ENDLESS))
            await searches(engine)
            task.cancel()
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert not engine.engine.searching

    run(main())


def test_a_time_limit_of_asyncio_ends_the_search():
    async def main() -> None:
        async with AsyncEngine(hash=1) as engine:
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(engine.play(chess.Board(), ENDLESS), 0.2)
            assert not engine.engine.searching

    run(main())


def test_tasks_take_turns_and_a_cancelled_one_does_not_stop_its_neighbour():
    async def main() -> None:
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

    run(main())


def test_a_stream_is_read_left_and_cancelled():
    async def main() -> None:
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

    run(main())


def test_errors_are_those_of_the_engine():
    async def main() -> None:
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

    run(main())


def test_leaving_the_context_ends_the_search_of_another_task():
    async def main() -> None:
        async with AsyncEngine(hash=1) as engine:
            task = asyncio.create_task(engine.play(chess.Board(), ENDLESS))
            await searches(engine)
        assert await task in chess.Board().legal_moves

    run(main())
