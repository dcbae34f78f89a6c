"""Searches run from a test: started in the background, looked at, and waited for."""

import threading
from dataclasses import dataclass, field

import chess

from engine.api import Engine
from engine.messages import Info, Limits, Result

#: Seconds after which a search that should have ended counts as hung. Generous, for a busy machine.
PATIENCE = 30.0

#: Seconds in which a search that must go on is watched.
WATCH = 0.15


@dataclass
class Running:
    """A search that was started: its lines so far and its result once there is one."""

    engine: Engine
    infos: list[Info] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    done: threading.Event = field(default_factory=threading.Event)
    reported: threading.Event = field(default_factory=threading.Event)

    def on_info(self, info: Info) -> None:
        if info.score is not None:  # not one of those that only tell where the search stands
            self.infos.append(info)
            self.reported.set()

    def on_result(self, result: Result) -> None:
        self.results.append(result)
        self.done.set()

    @property
    def goes_on(self) -> bool:
        """Whether the search gave no result for a while."""
        return not self.done.wait(WATCH)

    def result(self) -> Result:
        """The result, waited for; there must be exactly one."""
        assert self.done.wait(PATIENCE), "the search does not end"
        assert self.engine.wait(PATIENCE)
        assert len(self.results) == 1
        return self.results[0]


def start(engine: Engine, limits: Limits, board: chess.Board | None = None) -> Running:
    """Start a search of ``board`` (None: of the engine's position)."""
    if board is not None:
        engine.set_board(board)
    running = Running(engine)
    engine.start(limits, running.on_info, running.on_result)
    return running


def reports(engine: Engine, board: chess.Board, limits: Limits) -> list[Info]:
    """All lines of a search of ``board``."""
    running = start(engine, limits, board)
    running.result()
    return running.infos
