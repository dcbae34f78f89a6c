"""Searches run from a test: started in the background, looked at, and waited for."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import chess

from engine.api import Engine
from engine.messages import Info, Limits, Result, Signals
from engine.search.threads import DeepThread, ThreadTask

#: Seconds after which a search that should have ended counts as hung. Generous, for a busy machine.
PATIENCE = 60.0

#: Seconds in which a search that must go on is watched.
WATCH = 0.15


@dataclass
class Running:
    """A search that was started: its lines so far, and its job."""

    engine: Engine
    infos: list[Info] = field(default_factory=list)
    signals: Signals = field(default_factory=Signals)
    reported: threading.Event = field(default_factory=threading.Event)
    job: ThreadTask[Result] = field(init=False)

    def on_info(self, info: Info) -> None:
        if info.score is not None:  # not one of those that only tell where the search stands
            self.infos.append(info)
            self.reported.set()

    @property
    def goes_on(self) -> bool:
        """Whether the search gave no result for a while."""
        return not self.job.wait(WATCH)

    def result(self) -> Result:
        """The result, waited for."""
        assert self.job.wait(PATIENCE), "the search does not end"
        return self.job.result()


def wait_until(condition: Callable[[], bool]) -> None:
    """Look until ``condition`` holds."""
    deadline = time.perf_counter() + PATIENCE
    while not condition():
        assert time.perf_counter() < deadline
        time.sleep(0.001)


def start(engine: Engine, limits: Limits, board: chess.Board | None = None) -> Running:
    """Start a search of ``board`` (None: of the engine's position), in a thread like that of the UCI session."""
    if board is not None:
        engine.set_board(board)
    running = Running(engine)
    running.job = ThreadTask(lambda: engine.go(limits, running.on_info, running.signals))
    DeepThread("numbat-test", running.job.run)
    while not (engine.searching or running.job.finished):
        time.sleep(0.0005)
    return running


def reports(engine: Engine, board: chess.Board, limits: Limits) -> list[Info]:
    """All lines of a search of ``board``."""
    running = start(engine, limits, board)
    running.result()
    return running.infos
