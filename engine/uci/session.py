"""The engine of a conversation and the commands that act on it.

The main thread reads lines and queues commands, so that it is always ready for the next line. One other thread loads
the engine and runs the commands in order; ``go`` returns with its move. The main thread delivers ``stop`` and
``ponderhit``, through the signals of the earlier commands, and answers ``isready`` and the like during a search."""

from __future__ import annotations

import gc
import os
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

from engine.fen import read_fen
from engine.messages import CHESS960, Info, Limits, OptionError, PositionError, Result, Signals, Stopped
from engine.options import Value
from engine.search.threads import DeepThread
from engine.uci import jobs
from engine.uci.format import diagram, info_line, info_string_line, result_line, some_of
from engine.uci.output import Output
from engine.uci.parse import Bench, Go, Placement, parse_position

if TYPE_CHECKING:
    from engine.api import Engine
    from engine.uci.commentary import Commentary

_LOAD_DELAY = 0.1  # seconds to wait for the first ``uci`` before numba is imported, which would delay the answer
_QUIET_WAIT = 1.0  # seconds that a command may wait before the user is told which command holds it up
_LONG_COMMANDS = ("go", "go perft", "bench", "explain")  # names of commands that may take minutes
_QUIT_TIMEOUT = 5.0  # seconds to wait after ``quit`` for stopped work, and for a perft
_POLL_INTERVAL = 0.2  # seconds between checks, after ``quit``, whether the reader of the output is gone


@dataclass(slots=True, eq=False)
class Command:
    """A command in the queue; ``run`` gets its signals. An ``early`` one need not wait for a search."""

    name: str
    run: Callable[[Signals], object]
    early: bool = False
    done: bool = False
    signals: Signals = field(default_factory=Signals)


class Session:
    """One engine and its commands. A ``strict`` one refuses a ``go`` of which any part is invalid."""

    def __init__(self, output: Output, strict: bool = False) -> None:
        self._output = output
        self.strict = strict
        self._engine: Engine | None = None
        self._debug = False
        self._commentary: Commentary | None = None  # of the option Explain
        self._placement = Placement(None)  # the last accepted one
        self._asked = False  # true once a command that produces output was received
        self._compiles = False
        self._commands: deque[Command] = deque()  # the running command first, then the waiting ones
        self._early: deque[Command] = deque()  # the early commands among them
        self._lock = threading.Lock()  # of the commands, and of the order of early answers
        self._wakeups: SimpleQueue[None] = SimpleQueue()  # wakes the session's thread; its put() cannot be interrupted
        self._running: Command | None = None
        self._begun = 0.0  # its start, in seconds of time.monotonic
        self._early_allowed = False  # early commands need not wait for it
        self._reported: Command | None = None  # the running command that the user was told to wait for
        self._closing = False  # no further command will come
        self.refused = False  # whether any command was refused
        self._ended: SimpleQueue[None] = SimpleQueue()  # gets an item when the session's thread ends

    # --- for the reading thread ---------------------------------------------------------------------

    def open(self) -> None:
        """Start the session's thread. Raises :class:`engine.messages.ThreadError`."""
        DeepThread("numbat-session", self._serve)

    def load_now(self) -> None:
        """Begin to load the engine, after the first answer."""
        self._wakeups.put(None)

    def loaded(self) -> bool:
        return self._engine is not None

    def compiles(self) -> bool:
        """Whether the engine is still being loaded and has reported that it compiles."""
        return self._compiles and not self.loaded()

    def say(self, text: str) -> None:
        """Print ``text`` after the answers to earlier commands, or immediately during a search."""
        if self._asked:
            self._submit(Command("the next answer", lambda signals: self._output.line(text), early=True))
        else:
            self._output.line(text)

    def info_string(self, text: str) -> None:
        """Print ``text`` as an ``info string``, in its turn."""
        self.say(info_string_line(text))

    def debug(self, on: bool) -> None:
        """Turn explanations of how commands were understood on or off."""
        self._submit(Command("debug", lambda signals: self._set_debug(on), early=True))

    def is_ready(self) -> None:
        """Answer ``readyok`` when all earlier commands are done, or immediately during a search or an explanation."""
        self._ask(Command("isready", lambda signals: self._output.line("readyok"), early=True))

    def stop(self) -> None:
        """Stop the running command and all that wait."""
        with self._lock:
            for command in reversed(self._commands):
                if command.signals.stopped:  # and so are all earlier ones
                    break
                command.signals.stop()

    def ponderhit(self) -> None:
        """The expected move was played: the clock now runs."""
        with self._lock:
            for command in reversed(self._commands):
                if command.signals.hit:
                    break
                command.signals.ponderhit()

    def new_game(self) -> None:
        """Forget the last game, stopping a running search."""
        self.stop()
        self._submit(Command("ucinewgame", lambda signals: self._loaded.new_game()))

    def set_position(self, words: Sequence[str]) -> None:
        """Set up the position that the ``words`` after ``position`` name."""
        self._submit(Command("position", lambda signals: self._set_position(words)))

    def set_option(self, name: str, value: Value) -> None:
        self._submit(Command("setoption", lambda signals: self._set_option(name, value)))

    def go(self, go: Go) -> None:
        """Search, or count a perft."""
        if go.perft is not None:
            self._ask(Command("go perft", partial(self._perft, go.perft)))
        else:
            self._ask(Command("go", partial(self._go, go.limits)))

    def bench(self, bench: Bench) -> None:
        """Run the bench with a second engine, so that options and position stay as they are."""
        self._ask(Command("bench", partial(self._bench, bench)))

    def explain(self, move: str | None) -> None:
        """Explain why ``move`` is bad, or what the best move does."""
        self._ask(Command("explain", partial(self._explain, move)))

    def show_board(self) -> None:
        self._ask(Command("d", lambda signals: self._show_board()))

    def show_evaluation(self) -> None:
        self._ask(Command("eval", lambda signals: self._output.line(self._loaded.explain_evaluation())))

    def finish(self) -> bool:
        """Finish all commands, searches included. Returns the same as :meth:`close`."""
        self._asked = True
        return self.close(stops_searches=False)

    def close(self, immediately: bool = False, stops_searches: bool = True) -> bool:
        """Stop searches and finish all other commands, a perft only within seconds; with ``immediately`` stop all.
        Returns False if a thread is still busy: it compiles, its search does not end, the reader of its output is gone,
        or it goes on too long after ``immediately``."""
        if not self.loaded() and (immediately or not self._asked):
            return False
        with self._lock:
            if immediately:
                self._commands = deque(filter(None, [self._running]))
            for command in self._commands:
                if immediately or (command.name == "go" and stops_searches):
                    command.signals.stop()
            self._closing = True
        self._wakeups.put(None)
        closed = time.monotonic()
        while True:
            with suppress(Empty):
                self._ended.get(timeout=_POLL_INTERVAL)  # Windows does not notice Ctrl-C in a wait without a timeout
                return True
            running, now = self._running, time.monotonic()
            spent = now - max(closed, self._begun)
            if running is not None and running.name == "go perft" and spent > _QUIT_TIMEOUT and stops_searches:
                running.signals.stop()
            is_stopped = running is not None and running.signals.stopped and spent > 2 * _QUIT_TIMEOUT
            if is_stopped or (immediately and now - closed > _QUIT_TIMEOUT) or self._output.reader_closed():
                return False

    def _ask(self, command: Command) -> None:
        self._asked = True
        self._submit(command)

    def _submit(self, command: Command) -> None:
        """Queue ``command``, or run it now if it is early and the work that runs may be overtaken."""
        with self._lock:
            running = self._running
            if command.early and self._early_allowed and running is not None and not running.signals.stopped:
                self._execute(command)
                return
            self._commands.append(command)
            if command.early:
                self._early.append(command)
            self._watch()
        self._wakeups.put(None)

    def _watch(self) -> None:
        """Start the timer that tells the user when a command has waited too long."""
        running = self._running
        if running is None or len(self._commands) == 1 or running.name not in _LONG_COMMANDS or running.signals.stopped:
            return
        if self._reported is not running:
            self._reported = running
            timer = threading.Timer(_QUIET_WAIT, self._report_wait, [running])
            timer.daemon = True
            with suppress(RuntimeError):  # no thread left
                timer.start()

    def _report_wait(self, running: Command) -> None:
        """Tell the user which command waits for ``running``, if one still does."""
        with self._lock:
            waiting = next((command for command in self._commands if not command.done), None)
            if self._running is running and waiting is not None:
                work = "the current search" if running.name == "go" else running.name
                self._output.info_string(f"{waiting.name} queued until {work} ends")

    # --- in the session's thread --------------------------------------------------------------------

    @property
    def _loaded(self) -> Engine:
        assert self._engine is not None
        return self._engine

    def _serve(self) -> None:
        """Load the engine and run commands until :meth:`close`."""
        with suppress(Empty):
            self._wakeups.get(timeout=_LOAD_DELAY)
        self._load()
        while (command := self._next()) is not None:
            self._execute(command)
        self._loaded.close()
        self._ended.put(None)

    def _next(self) -> Command | None:
        """Wait for the next command; None at the end."""
        with self._lock:
            if self._running is not None:
                self._commands.popleft()
            self._running, self._early_allowed = None, False
        while True:
            with self._lock:
                for queue in (self._commands, self._early):
                    while queue and queue[0].done:
                        queue.popleft()
                if self._commands:
                    command = self._running = self._commands[0]
                    command.done = True
                    self._begun = time.monotonic()
                    self._watch()
                    return command
                if self._closing:
                    return None
            self._wakeups.get()

    def _allow_early_commands(self, signals: Signals) -> None:
        """Run the waiting early commands, and from now on each new one, unless ``signals`` stop the work."""
        with self._lock:
            if not signals.stopped:
                self._early_allowed = True
                while self._early:
                    early = self._early.popleft()
                    if not early.done:
                        early.done = True
                        self._execute(early)

    def _answer(self, text: str) -> None:
        """Print the last line of the running command; no early command overtakes it any more."""
        with self._lock:
            self._early_allowed = False
        self._output.line(text)

    def _execute(self, command: Command) -> None:
        self._guard(command.name, command.run, command.signals)

    def _guard(self, name: str, function: Callable[..., object], *arguments: object) -> None:
        """Call ``function``; report an exception and continue."""
        try:
            function(*arguments)
        except Exception as error:
            self._report_error(name, error)

    def _report_error(self, name: str, error: Exception) -> None:
        self.refused = self.refused or not isinstance(error, Stopped)
        if isinstance(error, PositionError | OptionError):
            self._output.info_string(str(error))
        elif isinstance(error, Stopped):
            self._output.info_string(f"{name} stopped")
        elif isinstance(error, MemoryError):
            self._output.info_string(f"{name} ran out of memory")
        else:
            traceback.print_exception(error)
            self._output.info_string(f"{name} failed: {_describe(error)}")

    def _load(self) -> None:
        """Import the engine and compile or load it. A failure ends the process."""
        try:
            with no_collection():
                from engine.api import Engine

                self._engine = Engine(report=self._report)
        except Exception as error:
            traceback.print_exc()
            self._output.info_string(f"the engine cannot be loaded: {_describe(error)}")
            os._exit(1)

    def _report(self, text: str) -> None:
        """Print a message of the engine. One that comes while it is being loaded means that it compiles."""
        self._compiles = True
        gc.enable()  # a compiler leaves much garbage
        self._output.info_string(text)

    def _set_debug(self, on: bool) -> None:
        self._debug = on

    def _set_position(self, words: Sequence[str]) -> None:
        try:
            placement = parse_position(words)
            self._loaded.set_position(placement.fen, placement.moves)
        except PositionError as error:
            raise PositionError(f"{error}; the previous position is kept") from None
        if placement.fen not in (None, self._placement.fen):  # report each game once
            is_960 = self._loaded.options["UCI_Chess960"]
            for repair in read_fen(placement.fen, is_960).repairs:
                self._output.info_string(f"position: {repair}")
            if self._loaded.board().chess960 and not is_960:
                self._output.info_string(CHESS960)
        self._placement = placement
        if self._debug:
            self._output.info_string(f"position is {self._loaded.fen()}")

    def _set_option(self, name: str, value: Value) -> None:
        self._loaded.set_option(name, value)
        if self._debug:
            self._output.info_string(f"option {name} is set" + ("" if value is None else f" to {value}"))

    def _go(self, limits: Limits, signals: Signals) -> None:
        if self._debug:
            self._output.info_string(f"searching with {limits}")
        if self.strict and len(self._legal(limits.searchmoves)) < len(set(limits.searchmoves)):
            self.refused = True
            return
        final: list[str] = []  # reports that share a write with ``bestmove``, as each takes from the clock
        commentary: Commentary | None = None

        def on_info(info: Info) -> None:
            line = info_line(info, self._loaded.options["UCI_ShowWDL"])
            if info.final:
                final.append(line)
            else:
                self._output.line(line)
            if commentary is not None:
                self._guard("Explain", commentary.follow, info)

        try:
            commentary = self._comment(limits)
            if limits.searchmoves:
                limits = replace(limits, searchmoves=self._legal(limits.searchmoves))
            self._allow_early_commands(signals)
            result = self._loaded.go(limits, on_info, signals)
            if commentary is not None and not limits.infinite and (signals.hit or not limits.ponder):
                self._guard("Explain", commentary.end, result.bestmove)
        except Exception:
            move = next(iter(self._loaded.board().legal_moves), None)  # the GUI waits for a bestmove
            self._answer(result_line(Result(move.uci() if move is not None else "0000")))
            raise
        self._answer("\n".join([*final, result_line(result)]))

    def _comment(self, limits: Limits) -> Commentary | None:
        """Begin the commentary on a search; None without the option Explain."""
        options = self._loaded.options
        if not options["Explain"]:
            self._commentary = None
            return None
        from engine.uci.commentary import Commentary

        if self._commentary is None:
            self._commentary = Commentary(self._output.info_string)
        board = self._loaded.board_after(self._placement.fen, self._placement.moves)
        self._commentary.begin(board, limits.infinite or options["UCI_AnalyseMode"])
        return self._commentary

    def _legal(self, moves: tuple[str, ...]) -> tuple[str, ...]:
        """Return the legal ones of ``moves``, without duplicates, and report the others."""
        wanted = dict.fromkeys(moves)
        good = [move for move in wanted if self._loaded.is_legal(move)]
        bad = [move for move in wanted if move not in good]
        if bad:
            what = "is not a legal move" if len(bad) == 1 else "are not legal moves"
            rest = "" if good or self.strict else "; all moves are searched"
            self._output.info_string(f"go: {some_of(bad)} after searchmoves {what} here{rest}")
        return tuple(good)

    def _perft(self, depth: int, signals: Signals) -> None:
        threads = self._loaded.options["Threads"]
        self._output.line(jobs.perft(self._loaded, depth, threads, self._output.line, signals))

    def _bench(self, bench: Bench, signals: Signals) -> None:
        from engine.api import Engine

        if signals.stopped:
            raise Stopped
        current = self._loaded.fen()
        with Engine(**bench.options) as engine:
            self._output.line(jobs.bench(engine, bench, self._output.info_string, signals, current))

    def _explain(self, move: str | None, signals: Signals) -> None:
        from engine.api.explaining import read_move_to_explain

        if signals.stopped:
            raise Stopped
        board = self._loaded.board_after(self._placement.fen, self._placement.moves)  # with its repetitions
        try:
            board, chosen, lead = (board, None, "") if move is None else read_move_to_explain(board, move)
        except PositionError as error:
            raise PositionError(f"explain: {error}") from None
        self._allow_early_commands(signals)
        self._answer(lead + self._loaded.explain(board, chosen, signals=signals))

    def _show_board(self) -> None:
        engine = self._loaded
        fen = engine.fen()
        self._output.line(
            f"\n{diagram(fen.split()[0])}\n\nFen: {fen}\nKey: {engine.key():016X}\n"
            f"Checkers: {' '.join(engine.checkers())}\nLegal moves: {engine.board().legal_moves.count()}"
        )


@contextmanager
def no_collection() -> Iterator[None]:
    """Disable garbage collection while permanent objects are created, and exempt them from later collections."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def _describe(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
