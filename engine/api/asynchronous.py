"""The engine for programs with an event loop: coroutines that search, and whose cancellation ends the search."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, Unpack, overload

import chess

from engine.api import Engine
from engine.api.types import Analysis, Stream
from engine.options import Options

if TYPE_CHECKING:
    from engine.api.types import AnyLimit, RootMoves

T = TypeVar("T")


class AsyncEngine:
    """An :class:`~engine.api.Engine` whose searches are awaited.

    >>> import asyncio, chess
    >>> from chess.engine import Limit
    >>> from engine import AsyncEngine
    >>> async def main():
    ...     board = chess.Board("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1")
    ...     async with AsyncEngine(hash=1) as engine:
    ...         print(board.san(await engine.play(board, Limit(depth=4))))
    ...         try:
    ...             await asyncio.wait_for(engine.analyse(chess.Board(), Limit(nodes=10**12)), 0.1)
    ...         except TimeoutError:
    ...             print("cancelled; still searching:", engine.engine.searching)
    ...         async with engine.stream(board) as reports:
    ...             async for report in reports:
    ...                 if report.depth == 5:
    ...                     break
    >>> asyncio.run(main())
    Ra8#
    cancelled; still searching: False

    The options are those of :class:`~engine.api.Engine`, which is made in a thread when the context is entered; so are
    the errors. Calls take turns. A call cancelled during its search ends the search before it raises
    :class:`asyncio.CancelledError`. Inside ``async with engine.stream(...)`` the same task can only close the engine;
    other calls raise RuntimeError there.
    """

    def __init__(self, *, report: Callable[[str], None] = lambda line: None, **options: Unpack[Options]) -> None:
        self._make = partial(Engine, report=report, **options)
        self._engine: Engine | None = None
        self._lock = asyncio.Lock()  # see _turn()
        self._reader: Callable[[], AsyncStream | None] = lambda: None  # a weak reference to the stream that is open
        self._executor = ThreadPoolExecutor(1, "numbat-async")

    def __repr__(self) -> str:
        return f"<Async{str(self._engine)[1:]}" if self._engine else "<AsyncEngine: not entered>"

    @property
    def engine(self) -> Engine:
        """The engine itself, for calls that do not wait. Raises RuntimeError before the context is entered."""
        if self._engine is None:
            raise RuntimeError("the engine has not been started: use 'async with AsyncEngine() as engine'")
        return self._engine

    async def __aenter__(self) -> AsyncEngine:
        if self._engine is not None:
            raise RuntimeError("this engine has been used before; create a new one")
        making = asyncio.get_running_loop().run_in_executor(self._executor, self._make)
        try:
            self._engine = await asyncio.shield(making)
        except asyncio.CancelledError:
            making.add_done_callback(_close_made)
            raise
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    async def close(self) -> None:
        """End the search and release everything; from any task, thread and loop."""
        if self._engine is not None:
            self._engine.stop()
            await self._call(self._engine.close)
        self._executor.shutdown(wait=False)

    @overload
    async def analyse(
        self, board: chess.Board, limit: AnyLimit, *, multipv: None = None, root_moves: RootMoves = None
    ) -> Analysis: ...

    @overload
    async def analyse(
        self, board: chess.Board, limit: AnyLimit, *, multipv: int, root_moves: RootMoves = None
    ) -> list[Analysis]: ...

    async def analyse(
        self, board: chess.Board, limit: AnyLimit, *, multipv: int | None = None, root_moves: RootMoves = None
    ) -> Analysis | list[Analysis]:
        """As :meth:`engine.api.Engine.analyse`."""
        async with self._turn():
            return await self._search(self.engine.analyse, board, limit, multipv=multipv, root_moves=root_moves)

    async def play(self, board: chess.Board, limit: AnyLimit, *, root_moves: RootMoves = None) -> chess.Move | None:
        """As :meth:`engine.api.Engine.play`."""
        async with self._turn():
            return await self._search(self.engine.play, board, limit, root_moves=root_moves)

    async def explain(self, board: chess.Board, move: chess.Move | None = None, limit: AnyLimit | None = None) -> str:
        """As :meth:`engine.api.Engine.explain`."""
        async with self._turn():
            return await self._search(self.engine.explain, board, move, limit)

    def stream(
        self,
        board: chess.Board,
        limit: AnyLimit | None = None,
        *,
        multipv: int | None = None,
        root_moves: RootMoves = None,
    ) -> AsyncStream:
        """As :meth:`engine.api.Engine.stream`, with ``async with`` and ``async for``; the search begins when the
        context is entered."""
        begin = partial(self._search, self.engine.stream, board, limit, multipv=multipv, root_moves=root_moves)
        return AsyncStream(self, begin)

    async def configure(self, **options: Unpack[Options]) -> None:
        """As :meth:`engine.api.Engine.configure`, once the current search is over."""
        async with self._turn():
            await self._call(self.engine.configure, **options)

    async def new_game(self) -> None:
        """As :meth:`engine.api.Engine.new_game`, once the current search is over."""
        async with self._turn():
            await self._call(self.engine.new_game)

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        """Reserve the engine for this task."""
        reader = self._reader()
        if reader is not None and reader.task is asyncio.current_task():
            raise RuntimeError("this task is reading a stream of the engine; leave that first")
        async with self._lock:
            yield

    async def _search(self, function: Callable[..., T], *arguments: Any, **more: Any) -> T:
        """:meth:`_call` for a search; a stop counts from now on."""
        engine, since = self.engine, self.engine.last_stop

        def work() -> T:
            with engine.turn(since):
                return function(*arguments, **more)

        return await self._call(work)

    async def _call(self, function: Callable[..., T], *arguments: Any, **more: Any) -> T:
        """Run ``function`` in the thread; if the task is cancelled, end the search and wait for the thread."""
        if self.engine.closed:
            return function(*arguments, **more)  # raises that it is closed
        running = asyncio.get_running_loop().run_in_executor(self._executor, partial(function, *arguments, **more))
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            self.engine.stop()
            while not running.done():
                with suppress(asyncio.CancelledError):  # a second cancellation changes nothing
                    await asyncio.wait([running])
            running.exception()  # mark it as retrieved: no caller is left
            raise


class AsyncStream:
    """The reports of a running search, one by one, as they come: an asynchronous context manager and iterator."""

    def __init__(self, engine: AsyncEngine, begin: Callable[[], Awaitable[Stream]]) -> None:
        self._engine, self._begin = engine, begin
        self._turn = AsyncExitStack()  # the loop leaves it if the stream is dropped
        self._reports: Stream | None = None
        self.task: asyncio.Task[Any] | None = None  # the one that reads it

    async def __aenter__(self) -> AsyncStream:
        async with AsyncExitStack() as turn:
            await turn.enter_async_context(self._engine._turn())
            self._reports = await self._begin()
            self._turn = turn.pop_all()
        self.task, self._engine._reader = asyncio.current_task(), weakref.ref(self)
        return self

    def __aiter__(self) -> AsyncStream:
        return self

    async def __anext__(self) -> Analysis:
        if self._reports is None:
            raise RuntimeError("the search has not started: use 'async with engine.stream(board) as reports'")
        report: Analysis | None = await self._engine._call(next, self._reports, None)
        if report is None:
            raise StopAsyncIteration
        return report

    def stop(self) -> None:
        """Ask the search to end; pending reports can still be read."""
        if self._reports is not None:
            self._reports.stop()

    async def __aexit__(self, *error: object) -> None:
        try:
            self.stop()
            assert self._reports is not None
            await self._engine._call(self._reports.close)
        finally:
            self.task = None
            await self._turn.aclose()


def _close_made(making: asyncio.Future[Engine]) -> None:
    """Close an engine whose task was cancelled while it was being made."""
    if not making.cancelled() and making.exception() is None:
        making.result().close()
