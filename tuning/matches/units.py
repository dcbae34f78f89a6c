"""The unit of work of a match: two games from one opening, colours reversed, played by one worker.

Every worker process keeps an event loop and its last engines, so that units need not start them. The engines of a
killed worker end, because their input closes.
"""

import asyncio
import atexit
import contextlib
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar

import chess
import chess.syzygy

from tuning.cluster import kept
from tuning.matches.engines import EngineSpec
from tuning.matches.game import Conditions, play_game
from tuning.matches.openings import Opening
from tuning.matches.player import Player, ignore_failures_of_engines, open_player
from tuning.matches.records import GameRecord

T = TypeVar("T")

SLOW_SECONDS = 15.0
"""Time after which an engine that is still starting is reported."""

KEPT_ENGINES = 4
"""Engines that a worker keeps running between units; the least recently used ones quit first."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two games between two engines from one opening. ``done`` lists games (0, 1) that need not be played."""

    number: int
    engines: tuple[EngineSpec, EngineSpec]
    opening: Opening
    conditions: Conditions
    done: tuple[int, ...] = ()
    games: int = 2


@dataclass(frozen=True, slots=True)
class EngineInfo:
    """An engine's own name and options."""

    name: str
    identity: str
    options: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.identity!r} with {len(self.options)} options"


class EnginePool:
    """Runs coroutines on an event loop in its own thread and keeps engines running. One per worker process."""

    def __init__(self) -> None:
        self._idle: list[Player] = []
        self._tablebases: dict[str, chess.syzygy.Tablebase] = {}
        self._loop = asyncio.new_event_loop()
        self._loop.set_exception_handler(ignore_failures_of_engines)
        self._ended = threading.Event()
        threading.Thread(target=self._run_loop, name="engines", daemon=True).start()

    def _run_loop(self) -> None:
        self._loop.run_forever()
        self._ended.set()

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run to the end, or until the unit of this thread is cancelled; not for the loop's own thread."""
        future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        kept.on_cancel(future.cancel)
        return future.result()

    @contextlib.asynccontextmanager
    async def player(self, spec: EngineSpec) -> AsyncIterator[Player]:
        """A running engine for exclusive use; afterwards it is kept for the next user."""
        player = self._take_idle(spec)
        if player is not None and not (player.alive and await player.adopt(spec)):
            await player.kill()
            player = None
        if player is None:
            player = await open_player(spec)
        try:
            yield player
        except BaseException:
            await player.kill()
            raise
        if player.alive:
            self._idle.append(player)
        else:
            await player.kill()
        while len(self._idle) > KEPT_ENGINES:
            await self._idle.pop(0).close()

    def _take_idle(self, spec: EngineSpec) -> Player | None:
        """An idle engine like ``spec``, or one that differs only in option values."""
        alike = [player for player in reversed(self._idle) if player.spec.differs_in_values(spec)]
        if not alike:
            return None
        player = next((player for player in alike if player.spec == spec), alike[0])
        self._idle.remove(player)
        return player

    def tablebase(self, path: str | None) -> chess.syzygy.Tablebase | None:
        if path is None:
            return None
        if path not in self._tablebases:
            self._tablebases[path] = chess.syzygy.open_tablebase(path)
        return self._tablebases[path]

    async def play_pair(self, pair: Pair, on_game: Callable[[GameRecord], None]) -> list[GameRecord]:
        """Play the games of a pair that are not done yet."""
        records = []
        tablebase = self.tablebase(pair.conditions.adjudication.tablebases)
        for index in range(pair.games):
            if index in pair.done:
                continue
            white, black = pair.engines if index % 2 == 0 else pair.engines[::-1]
            async with self.player(white) as first, self.player(black) as second:
                players = {chess.WHITE: first, chess.BLACK: second}
                record = await play_game(players, pair.opening, pair.conditions, pair.number, index, tablebase)
            records.append(record)
            on_game(record)
        return records

    async def quit_idle(self) -> None:
        """Quit idle engines."""
        idle, self._idle = self._idle, []
        await asyncio.gather(*(player.close() for player in idle))

    def close(self) -> None:
        """Cancel running games, quit all engines and end the loop."""
        if self._loop.is_closed():
            return

        async def quit_all() -> None:
            running = asyncio.all_tasks() - {asyncio.current_task()}
            for task in running:
                if not task.cancelling():  # else it is about to kill its engines
                    task.cancel()
            await asyncio.gather(*running, return_exceptions=True)
            await self.quit_idle()

        self.run(quit_all())
        for tablebase in self._tablebases.values():
            tablebase.close()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._ended.wait()
        self._loop.close()


_engines: EnginePool | None = None
_making = threading.Lock()


def engines() -> EnginePool:
    """This process's engines, made on first use."""
    global _engines
    with _making:
        if _engines is None:
            _engines = EnginePool()
            atexit.register(close_engines)
            kept.close_at_end(close_engines)
        return _engines


def close_engines() -> None:
    """Close this process's engines, if it has some."""
    global _engines
    if _engines is not None:
        _engines.close()
        _engines = None


def play_pair(pair: Pair, report: Callable[[GameRecord], None]) -> list[GameRecord]:
    """Play one unit in this process; report each game when it ends, return them all. Raises :class:`EngineFailure` if
    an engine cannot be started."""
    return engines().run(engines().play_pair(pair, report))


def quit_idle(unit: None, report: Callable[[Any], None]) -> None:
    """Quit the engines of earlier matches: their files may have changed."""
    engines().run(engines().quit_idle())


def probe(spec: EngineSpec, report: Callable[[Any], None] = lambda item: None) -> EngineInfo:
    """Start an engine and return its name and options. Raises :class:`EngineFailure`."""

    async def start() -> EngineInfo:
        line = f"{spec.name} is slow to start: it may be compiling, once"
        slow = asyncio.get_running_loop().call_later(SLOW_SECONDS, kept.notify, line)
        try:
            async with engines().player(spec) as player:
                return EngineInfo(spec.name, player.identity, tuple(player.protocol.options))
        finally:
            slow.cancel()

    return engines().run(start())
