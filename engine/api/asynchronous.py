"""The engine for programs with an event loop: its calls in threads of its own, ended when their task is cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Self, TypeVar, Unpack

import chess

from engine.api import Engine
from engine.api.calls import CLOSED
from engine.api.types import Reports, analysis_of
from engine.messages import Info
from engine.options import Options

if TYPE_CHECKING:
    from engine.api.types import Analysis, AnyLimit

T = TypeVar("T")

#: Threads of an engine: for its call, and for closing it meanwhile. (asyncio's own are few, and shared by all.)
_THREAD_COUNT = 2

#: Time between two stops of a cancelled call that has not ended: it may not have begun when the first one came.
_STOP_SECONDS = 0.05


class AsyncEngine:
    """An :class:`~engine.api.Engine` whose calls are awaited, one at a time.

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
    ...         async for report in engine.stream(board):
    ...             if report.depth == 5:
    ...                 break
    >>> asyncio.run(main())
    Ra8#
    cancelled; still searching: False

    The options and errors are those of :class:`~engine.api.Engine`, which is made in a thread when the context is
    entered. A cancelled call ends its search before it raises :class:`asyncio.CancelledError`.
    """

    def __init__(self, *, report: Callable[[str], None] = lambda line: None, **options: Unpack[Options]) -> None:
        self._make = partial(Engine, report=report, **options)
        self._lock = asyncio.Lock()
        self._threads = ThreadPoolExecutor(_THREAD_COUNT, "numbat-async")
        self.engine: Any = None  # the engine itself, for calls that do not wait; None before the context is entered

    async def __aenter__(self) -> Self:
        self.engine = await self._in_thread(self._make)
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._in_thread(self.engine.close)
        self._threads.shutdown(wait=False)

    def _in_thread(self, function: Callable[..., T], *arguments: Any, **more: Any) -> asyncio.Future[T]:
        work = partial(function, *arguments, **more)
        return asyncio.get_running_loop().run_in_executor(self._threads, work)

    async def analyse(self, board: chess.Board, limit: AnyLimit, **more: Any) -> Any:
        """Await :meth:`engine.api.Engine.analyse`."""
        return await self.call(self.engine.analyse, board, limit, **more)

    async def play(self, board: chess.Board, limit: AnyLimit, **more: Any) -> chess.Move | None:
        """Await :meth:`engine.api.Engine.play`; ``on_report`` is called in another thread."""
        return await self.call(self.engine.play, board, limit, **more)

    async def explain(self, board: chess.Board, move: chess.Move | None = None, limit: AnyLimit | None = None) -> str:
        """Await :meth:`engine.api.Engine.explain`."""
        return await self.call(self.engine.explain, board, move, limit)

    async def stream(self, board: chess.Board, limit: AnyLimit | None = None, **more: Any) -> AsyncIterator[Analysis]:
        """Iterate over :meth:`engine.api.Engine.stream` by ``async for``; leaving the loop ends the search."""
        async with self._lock:
            reports = _AsyncReports()
            stream = self.engine._stream(reports, board, limit, **more)
        board = board.copy(stack=False)
        try:
            while (info := await reports.queue.get()) is not None:
                yield analysis_of(info, board)
            stream.job.result()  # raises the error of the search
        finally:
            stream.stop()

    async def call(self, function: Callable[..., T], *arguments: Any, **more: Any) -> T:
        """Await any other method of the engine, such as ``call(engine.engine.configure, hash=64)``."""
        async with self._lock:
            if self.engine.closed:
                raise RuntimeError(CLOSED)
            running = self._in_thread(function, *arguments, **more)
            try:
                return await asyncio.shield(running)
            except asyncio.CancelledError:
                while not running.done():
                    self.engine.stop()
                    with suppress(asyncio.CancelledError):  # a second cancellation changes nothing
                        await asyncio.wait([running], timeout=_STOP_SECONDS)
                with suppress(BaseException):
                    running.result()  # mark an error as retrieved: no caller is left
                raise


class _AsyncReports(Reports):
    """Reports for the event loop in which it is made."""

    def __init__(self) -> None:
        self.queue: asyncio.Queue[Info | None] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()

    def put(self, item: Info | None, block: bool = True, timeout: float | None = None) -> None:
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self.queue.put_nowait, item)
