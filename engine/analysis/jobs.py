"""Games annotated one after the other in this process, or several at a time in processes of their own."""

from __future__ import annotations

import multiprocessing
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, NamedTuple, TypeVar, cast

import chess.pgn
from chess.engine import Limit

from engine import Engine
from engine.analysis.annotate import Annotator
from engine.analysis.files import AnalysisError, games_in, pgn_text
from engine.analysis.notes import looked
from engine.analysis.report import entry
from engine.analysis.terminal import terminated_as_interrupted
from engine.explanation import explain
from engine.messages import PositionError
from engine.options import Options

#: Seconds after which an unfinished game is sent as it is.
SAVE_AFTER = 10.0

#: Seconds that the processes have to send their unfinished games after an interruption.
_GRACE = 1.5


class Step(NamedTuple):
    """The part of a game's work that is done."""

    part: float


class Unfinished(NamedTuple):
    """A game as PGN, and how many of its positions were searched."""

    pgn: str
    looked: int


class Finished(NamedTuple):
    """A game as PGN and as JSON for its page; ``page`` is empty and ``refused`` says why if the engine refuses it."""

    pgn: str
    page: str = ""
    refused: str = ""


class Remark(NamedTuple):
    """A remark of the engine."""

    text: str


Message = Step | Unfinished | Finished | Remark


Key = TypeVar("Key")

#: The caller's own key of a game, the game's number in its file, and the game.
Item = tuple[Key, int, chess.pgn.Game]


@dataclass(frozen=True, slots=True)
class Setup:
    """How games are annotated; see :class:`Annotator`. ``options`` are the engine's."""

    options: dict[str, Any]
    limit: Limit
    label: str
    whole_game: bool

    @contextmanager
    def annotator(self, report: Callable[[str], None]) -> Iterator[Annotator]:
        """An annotator with an engine that reports to ``report``."""
        with Engine(report=report, **cast(Options, self.options)) as engine:
            why = partial(explain, tables=engine.table_outcome, skip_better=True)
            yield Annotator(engine, self.limit, self.label, self.whole_game, why)


Receive = Callable[[Key | None, Message], None]

#: Annotates all items and gives each message, with the key of its game, to the function. Raises :class:`AnalysisError`
#: if it cannot go on, and whatever the engine raises for its options.
AnnotateAll = Callable[[Iterator[Item[Key]], Setup, Receive[Key]], None]


def annotate_all(items: Iterator[Item[Key]], setup: Setup, receive: Receive[Key], jobs: int = 1) -> None:
    """Annotate ``items`` on this machine, ``jobs`` at a time; see :data:`AnnotateAll`.

    On KeyboardInterrupt the unfinished games are received before it is raised again.
    """
    if jobs > 1:
        _Processes(setup, receive).run(items, jobs)
        return
    with setup.annotator(lambda text: receive(None, Remark(text))) as annotator:
        for key, number, game in items:
            _annotate(annotator, number, game, partial(receive, key))


def annotate_pgn(setup: Setup, number: int, pgn: str, send: Callable[[Message], None]) -> None:
    """Annotate the game ``pgn`` in this process and ``send`` the messages."""
    with setup.annotator(lambda text: send(Remark(text))) as annotator:
        (game,) = games_in(pgn)
        _annotate(annotator, number, game, send)


def _annotate(annotator: Annotator, number: int, game: chess.pgn.Game, send: Callable[[Message], None]) -> None:
    saved, begun = time.monotonic(), False

    def on_step(part: float, write: Callable[[], None]) -> None:
        nonlocal saved, begun
        begun = True
        send(Step(part))
        if time.monotonic() - saved > SAVE_AFTER:
            write()
            send(Unfinished(pgn_text(game), looked(game)))
            saved = time.monotonic()

    try:
        moves = annotator.annotate(game, on_step)
        done = Finished(pgn_text(game), entry(game, moves, number))
    except PositionError as error:
        done = Finished(pgn_text(game), refused=str(error))
    except KeyboardInterrupt:
        if begun:  # before that nothing is new, and earlier notes may be half removed
            send(Unfinished(pgn_text(game), looked(game)))
        raise
    send(done)


class _Processes(Generic[Key]):
    """Processes that annotate one game each at a time."""

    def __init__(self, setup: Setup, receive: Receive[Key]) -> None:
        self._setup = setup
        self._receive = receive
        self._processes: list[multiprocessing.process.BaseProcess] = []
        self._busy: dict[Connection, Item[Key]] = {}

    def run(self, items: Iterator[Item[Key]], jobs: int) -> None:
        """Annotate ``items``, ``jobs`` at a time."""
        try:
            for item in islice(items, jobs):
                self._give(self._start(), item)
            while self._busy:
                for pipe, message in self._messages():
                    key, number, _ = self._busy[pipe]
                    if message is None:
                        raise AnalysisError(f"the process that annotated game {number} ended early")
                    self._receive(key, message)
                    if isinstance(message, Finished):
                        del self._busy[pipe]
                        if (following := next(items, None)) is not None:
                            self._give(pipe, following)
        except KeyboardInterrupt:
            self._interrupt()
            raise
        finally:
            for process in self._processes:
                process.kill()
            for process in self._processes:
                process.join(_GRACE)

    def _start(self) -> Connection:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(theirs, self._setup), daemon=True)
        with _without_interruptions():
            process.start()
        theirs.close()
        self._processes.append(process)
        return ours

    def _give(self, pipe: Connection, item: Item[Key]) -> None:
        self._busy[pipe] = item
        with suppress(OSError):  # it has ended, which is noticed at the next message
            pipe.send((item[1], pgn_text(item[2])))

    def _messages(self, seconds: float | None = None) -> Iterator[tuple[Connection, Message | None]]:
        """What the busy processes send, None at the end of one. Raises what they send as exceptions."""
        for pipe in wait(list(self._busy), seconds):
            assert isinstance(pipe, Connection)
            message = None
            with suppress(EOFError, OSError):
                message = pipe.recv()
            if isinstance(message, Exception):
                raise message
            yield pipe, message

    def _interrupt(self) -> None:
        """Receive the unfinished games."""
        for process in self._processes:
            process.terminate()
        end = time.monotonic() + _GRACE
        while self._busy and (left := end - time.monotonic()) > 0:
            for pipe, message in self._messages(left):
                if message is not None:
                    self._receive(self._busy[pipe][0], message)
                if message is None or isinstance(message, (Unfinished, Finished)):
                    del self._busy[pipe]


@contextmanager
def _without_interruptions() -> Iterator[None]:
    """Start processes that ignore Ctrl-C, which is for this one; they get SIGTERM from it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    previous = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)


def _serve(pipe: Connection, setup: Setup) -> None:
    """A process: annotate the games that come through ``pipe``."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(KeyboardInterrupt, EOFError, OSError), terminated_as_interrupted():
        try:
            with setup.annotator(lambda text: pipe.send(Remark(text))) as annotator:
                while True:
                    number, pgn = pipe.recv()
                    (game,) = games_in(pgn)
                    _annotate(annotator, number, game, pipe.send)
        except (ValueError, MemoryError) as error:
            pipe.send(error)
