"""The engine of a conversation and the commands that act on it.

The main thread reads lines and submits them as tasks, so that it is always ready for the next line. The session's
thread loads the engine and runs the tasks in the order of :mod:`engine.uci.schedule`. A search, a perft, a bench or
an explanation runs in a third thread, so that the session can go on answering; the session's thread prints its last
line.
"""

from __future__ import annotations

import gc
import os
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.messages import Info, OptionError, PositionError, Result, Stopped
from engine.options import Options
from engine.uci import jobs
from engine.uci.explaining import Explanation
from engine.uci.format import diagram, info_line, remark_line, result_line, some_of
from engine.uci.output import Output
from engine.uci.parse import Assignment, Go, Placement, parse_position
from engine.uci.schedule import Schedule, Task, Turn, Work

if TYPE_CHECKING:
    from engine.api import Engine

#: Seconds for which loading waits for the first ``uci``, as importing numba would delay the answer.
_LOAD_AFTER = 0.1

#: Seconds for what was stopped to end after ``quit``.
_LAST_WORD = 5.0

#: Seconds between checks, after ``quit``, whether the reader of the output is gone.
_LOOK = 0.2


class Session:
    """One engine and its tasks."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._engine: Engine | None = None
        self._debug = False
        self._placement = Placement(None)  # the last accepted one
        self._final: list[str] = []  # reports to print together with ``bestmove``
        self._asked = False  # true once a command that produces output was received
        self._compiles = False
        self._may_load = threading.Event()
        self._gone = threading.Event()
        self._schedule = Schedule(self._run, output.remark)

    # --- for the reading thread ---------------------------------------------------------------------

    def open(self) -> None:
        """Start the session's thread."""
        threading.Thread(target=self._serve, name="numbat-session", daemon=True).start()

    def load_now(self) -> None:
        """Begin to load the engine, after the first answer."""
        self._may_load.set()

    def loaded(self) -> bool:
        """Whether the engine is loaded."""
        return self._engine is not None

    def compiles(self) -> bool:
        """Whether the engine is still being loaded and has reported that it compiles."""
        return self._compiles and not self.loaded()

    def say(self, text: str) -> None:
        """Print ``text`` after the answers to earlier commands."""
        if self._asked:
            self._submit(Task("the next answer", lambda: self._output.line(text), Turn.IN_ORDER))
        else:
            self._output.line(text)

    def remark(self, text: str) -> None:
        """Print ``text`` as an ``info string``, in its turn."""
        self.say(remark_line(text))

    def debug(self, on: bool) -> None:
        """Switch remarks on how commands were understood on or off."""
        self._submit(Task("debug", lambda: self._set_debug(on), Turn.IN_ORDER))

    def is_ready(self) -> None:
        """Answer ``readyok`` when all earlier commands are done; during a search or an explanation at once."""
        self._ask(Task("isready", lambda: self._output.line("readyok"), Turn.IN_ORDER))

    def stop(self) -> None:
        """Stop the search and those still waiting to begin."""
        self._submit(Task("stop", self._schedule.stop, Turn.NOW))

    def ponder_hit(self) -> None:
        """The expected move was played: the clock now runs."""
        self._submit(Task("ponderhit", self._schedule.ponder_hit, Turn.NOW))

    def new_game(self) -> None:
        """Forget the last game, stopping a running search."""
        self.stop()
        self._submit(Task("ucinewgame", lambda: self._loaded.new_game()))

    def place(self, words: Sequence[str]) -> None:
        """Set up the position that the ``words`` after ``position`` name."""
        self._submit(Task("position", lambda: self._place(words)))

    def assign(self, assignment: Assignment) -> None:
        """Set an option."""
        self._submit(Task("setoption", lambda: self._assign(assignment)))

    def go(self, go: Go) -> None:
        """Start a search or a perft."""
        depth = go.perft
        self._ask(Task("go", lambda: self._go(go) if depth is None else self._perft(depth)))

    def bench(self, file: str | None, depth: int | None, options: Options) -> None:
        """Run the bench with a second engine, so that options and position stay as they are."""
        self._ask(Task("bench", lambda: self._bench(file, depth, options)))

    def explain(self, move: str | None) -> None:
        """Explain why ``move`` is bad, or what the best move does."""
        self._ask(Task("explain", lambda: self._explain_move(move)))

    def show_board(self) -> None:
        """Print the position."""
        self._ask(Task("d", self._show_board))

    def show_evaluation(self) -> None:
        """Print the evaluation and its terms."""
        self._ask(Task("eval", lambda: self._output.line(self._loaded.explain_evaluation())))

    def close(self, at_once: bool = False) -> bool:
        """Stop a search and finish all other commands; with ``at_once`` stop everything.

        Returns False if a thread is still busy: a compiler, a search that does not end, any work whose reader is gone
        or that lasts too long after ``at_once``.
        """
        if not self.loaded() and (at_once or not self._asked):
            return False
        self._submit(Task("quit", lambda: self._schedule.close(at_once), Turn.NOW))
        begun = time.monotonic()
        while not self._gone.wait(_LOOK):  # Windows does not notice Ctrl-C in a wait without a timeout
            late = at_once and time.monotonic() - begun > _LAST_WORD
            if late or self._output.is_abandoned() or self._schedule.overdue(_LAST_WORD):
                return False
        return True

    def _ask(self, task: Task) -> None:
        self._asked = True
        self._submit(task)

    def _submit(self, task: Task) -> None:
        self._schedule.submit(task)
        self._may_load.set()

    # --- in the session's thread --------------------------------------------------------------------

    @property
    def _loaded(self) -> Engine:
        assert self._engine is not None
        return self._engine

    def _serve(self) -> None:
        self._may_load.wait(_LOAD_AFTER)
        self._load()
        self._schedule.serve()
        self._loaded.close()
        self._gone.set()

    def _load(self) -> None:
        """Import the engine and compile or load it. A failure ends the process."""
        try:
            with _no_collection():
                from engine.api import Engine

                self._engine = Engine(report=self._report)
        except Exception as error:
            traceback.print_exc()
            self._output.remark(f"the engine cannot be loaded: {_describe(error)}")
            os._exit(1)

    def _report(self, text: str) -> None:
        """Print a remark of the engine. While the engine is being loaded, it means that it compiles."""
        self._compiles = True
        gc.enable()  # a compiler leaves much garbage
        self._output.remark(text)

    def _run(self, task: Task) -> None:
        """Run ``task``; an exception costs a line, never the process."""
        try:
            task.run()
        except Exception as error:
            self._explain(task.name, error)

    def _explain(self, name: str, error: Exception) -> None:
        """Report why ``name`` failed."""
        if isinstance(error, PositionError | OptionError):
            self._output.remark(str(error))
        elif isinstance(error, Stopped):
            self._output.remark(f"{name} stopped")
        else:
            traceback.print_exception(error)
            self._output.remark(f"{name} failed: {_describe(error)}")

    def _set_debug(self, on: bool) -> None:
        self._debug = on

    def _place(self, words: Sequence[str]) -> None:
        try:
            placement = parse_position(words)
            self._loaded.set_position(placement.fen, placement.moves)
        except PositionError as error:
            raise PositionError(f"{error}; the previous position is kept") from None
        self._placement = placement
        if self._debug:
            self._output.remark(f"position is {self._loaded.fen()}")

    def _assign(self, assignment: Assignment) -> None:
        name, value = assignment.option.name, assignment.value
        self._loaded.set_option(name, value)
        if self._debug:
            self._output.remark(f"option {name} is set" + ("" if value is None else f" to {value}"))

    def _go(self, go: Go) -> None:
        if self._debug:
            self._output.remark(f"searching with {go.limits}")
        engine = self._loaded
        limits = replace(go.limits, searchmoves=self._legal(go.limits.searchmoves))
        try:
            engine.start(limits, self._on_info, self._on_result)
        except Exception:
            move = next(iter(engine.board().legal_moves), None)  # the GUI waits for a bestmove
            self._output.line(result_line(Result(move.uci() if move is not None else "0000")))
            raise
        self._schedule.begin(Work("the current search", engine.stop, True, engine.ponderhit, engine.wait))

    def _legal(self, moves: tuple[str, ...]) -> tuple[str, ...]:
        """The legal ones among ``moves``, without duplicates; the others are reported."""
        wanted = dict.fromkeys(moves)
        good = [move for move in wanted if self._loaded.is_legal(move)]
        bad = [move for move in wanted if move not in good]
        if bad:
            what = "is not a legal move" if len(bad) == 1 else "are not legal moves"
            self._output.remark(f"go: {some_of(bad)} after searchmoves {what} here")
        return tuple(good)

    def _perft(self, depth: int) -> None:
        perft = jobs.Perft(self._loaded, depth, self._loaded.options["Threads"])
        self._in_background("go perft", lambda: perft.run(self._output.line), perft.stop)

    def _bench(self, file: str | None, depth: int | None, options: Options) -> None:
        from engine.api import Engine

        engine = Engine(**options)
        try:
            bench = jobs.Bench(engine, depth, file)
        except OptionError:
            engine.close()
            raise

        def work() -> str:
            try:
                return bench.run(self._output.remark)
            finally:
                engine.close()

        self._in_background("bench", work, bench.stop)

    def _explain_move(self, move: str | None) -> None:
        board = self._loaded.board_after(self._placement.fen, self._placement.moves)  # with its repetitions
        explanation = Explanation(self._loaded, board, move)
        self._in_background("explain", explanation.run, explanation.stop, overtaken=True)

    def _show_board(self) -> None:
        engine = self._loaded
        fen = engine.fen()
        self._output.line(
            f"\n{diagram(fen.split()[0])}\n\nFen: {fen}\nKey: {engine.key():016X}\n"
            f"Checkers: {' '.join(engine.checkers())}\nLegal moves: {engine.board().legal_moves.count()}"
        )

    def _in_background(
        self, name: str, work: Callable[[], str], stop: Callable[[], None], overtaken: bool = False
    ) -> None:
        """Run ``work`` in a thread; it returns its last line."""

        def run() -> None:
            try:
                text = work()
            except Exception as error:
                explained = error
                self._schedule.finish(lambda: self._explain(name, explained))
            else:
                self._schedule.finish(lambda: self._output.line(text))

        threading.Thread(target=run, name=f"numbat-{name}", daemon=True).start()
        self._schedule.begin(Work(name, stop, overtaken=overtaken))

    # --- in the thread of the search ----------------------------------------------------------------

    def _on_info(self, info: Info) -> None:
        line = info_line(info, self._loaded.options["UCI_ShowWDL"])
        if info.final:  # saves a write before the clock stops
            self._final.append(line)
        else:
            self._output.line(line)

    def _on_result(self, result: Result) -> None:
        self._schedule.finish(lambda: self._say_result(result))

    def _say_result(self, result: Result) -> None:
        lines, self._final = [*self._final, result_line(result)], []
        self._output.line("\n".join(lines))


@contextmanager
def _no_collection() -> Iterator[None]:
    """Disable garbage collection while permanent objects are created, and exempt them from later collections."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def _describe(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
