"""The order of events: what is answered at once, and what waits for the engine or for the end of a search.

Three threads take part. The main thread reads; it turns lines into tasks and hands them over, so that it is
always ready for the next line. The session's own thread loads the engine and then runs the tasks in the order
in which they came. A search, a perft or a bench runs in a third thread, so that the session can go on
answering.
"""

from __future__ import annotations

import os
import threading
import traceback
from collections import deque
from collections.abc import Callable
from queue import SimpleQueue
from typing import TYPE_CHECKING

from engine.messages import Info, OptionError, PositionError, Result
from engine.uci import jobs
from engine.uci.explaining import Explanation
from engine.uci.format import diagram, info_line, result_line
from engine.uci.output import Output
from engine.uci.parse import Assignment, Go, Placement

if TYPE_CHECKING:
    from engine.api import Engine

#: Seconds that loading waits for a first ``uci``: importing numba would delay the answer.
_LOAD_AFTER = 0.1

#: Seconds that a search gets to end when the conversation is over.
_LAST_WORD = 2.0


class Task:
    """One thing to do.

    ``at_rest`` tasks wait until no search is running. The others run at once; of these, the ``lasting`` ones
    (``stop``) are run again in their turn behind the tasks that still wait, because they were meant for those
    as well.
    """

    __slots__ = ("at_rest", "lasting", "name", "run")

    def __init__(self, name: str, run: Callable[[], None], *, at_rest: bool = True, lasting: bool = False) -> None:
        self.name = name
        self.run = run
        self.at_rest = at_rest
        self.lasting = lasting


class Session:
    """One engine, and the tasks it was given."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._engine: Engine | None = None
        self._threads = 1
        self._shows_wdl = False
        self._may_load = threading.Event()
        self._inbox: SimpleQueue[Task] = SimpleQueue()
        self._waiting: deque[Task] = deque()
        self._halt: Callable[[], None] | None = None  # how to stop what is running
        self._ending = False  # what is running was stopped or has said its last word
        self._scored = True  # the last report held a score
        self._over = False
        self._thread = threading.Thread(target=self._serve, name="numbat-session", daemon=True)
        #: With ``debug on``, more is told about what the engine understood.
        self.debug = False

    # --- for the reading thread ---------------------------------------------------------------------

    def open(self) -> None:
        """Start the session's thread."""
        self._thread.start()

    def load_now(self) -> None:
        """Begin to load the engine, now that a first answer is out."""
        self._may_load.set()

    def loaded(self) -> bool:
        """Whether the engine is loaded."""
        return self._engine is not None

    def is_ready(self) -> None:
        """Answer ``readyok`` when everything before it is done; during a search at once."""
        self._submit(Task("isready", lambda: self._output.line("readyok"), at_rest=False))

    def stop(self) -> None:
        """End the search, and those that still wait to begin."""
        self._submit(Task("stop", self._stop, at_rest=False, lasting=True))

    def ponder_hit(self) -> None:
        """The move pondered on was played: from now on the clock counts."""
        self._submit(Task("ponderhit", self._ponder_hit, at_rest=False, lasting=True))

    def new_game(self) -> None:
        """Forget the last game; a search that nobody stopped is stopped."""
        self.stop()
        self._submit(Task("ucinewgame", lambda: self._loaded.new_game()))

    def place(self, placement: Placement) -> None:
        """Set up a position."""
        self._submit(Task("position", lambda: self._place(placement)))

    def assign(self, assignment: Assignment) -> None:
        """Give an option its value."""
        self._submit(Task("setoption", lambda: self._assign(assignment)))

    def go(self, go: Go) -> None:
        """Start a search or a perft."""
        depth = go.perft
        self._submit(Task("go", lambda: self._go(go) if depth is None else self._perft(depth)))

    def bench(self, depth: int | None, threads: int, megabytes: int) -> None:
        """Run the bench with an engine of its own, so that options and position stay as they are."""
        self._submit(Task("bench", lambda: self._bench(depth, threads, megabytes)))

    def explain(self, move: str | None) -> None:
        """Print in words what is wrong with ``move``, or what the best move does."""
        self._submit(Task("explain", lambda: self._explain_move(move)))

    def show_board(self) -> None:
        """Print the position."""
        self._submit(Task("d", self._show_board))

    def show_evaluation(self) -> None:
        """Print how the evaluation comes about."""
        self._submit(Task("eval", lambda: self._output.line(self._loaded.explain_evaluation())))

    def close(self) -> bool:
        """Stop everything; False when something is still at work, such as a compiler that cannot be stopped."""
        self._over = True
        if not self.loaded():
            return False
        self._submit(Task("quit", self._stop, at_rest=False))
        self._thread.join(_LAST_WORD)
        return not self._thread.is_alive()

    def _submit(self, task: Task) -> None:
        self._inbox.put(task)
        self._may_load.set()

    # --- in the session's thread --------------------------------------------------------------------

    @property
    def _loaded(self) -> Engine:
        assert self._engine is not None
        return self._engine

    @property
    def _at_rest(self) -> bool:
        return self._halt is None

    def _serve(self) -> None:
        self._may_load.wait(_LOAD_AFTER)
        self._load()
        while not (self._over and self._at_rest):
            task = self._inbox.get()
            if task.at_rest:
                self._waiting.append(task)
                if not self._at_rest and not self._ending:
                    self._output.remark(f"{task.name} waits for the end of the search")
            else:
                self._run(task)
                if task.lasting and self._waiting:
                    self._waiting.append(task)
            while self._waiting and not self._over and (self._at_rest or not self._waiting[0].at_rest):
                self._run(self._waiting.popleft())
        self._loaded.close()

    def _load(self) -> None:
        """Import, and compile or load, everything heavy. Without an engine there is nothing to go on with."""
        if self._over:
            return
        try:
            from engine.api import Engine

            self._engine = Engine(report=self._output.remark)
        except Exception as error:
            traceback.print_exc()
            self._output.remark(f"the engine cannot be loaded: {_describe(error)}")
            os._exit(1)

    def _run(self, task: Task) -> None:
        """Run ``task``; whatever goes wrong costs one line, never the process."""
        try:
            task.run()
        except (PositionError, OptionError) as error:
            self._output.remark(str(error))
        except jobs.Stopped:
            self._output.remark(f"{task.name} stopped")
        except Exception as error:
            traceback.print_exc()
            self._output.remark(f"{task.name} failed: {_describe(error)}")

    def _stop(self) -> None:
        self._ending = True
        if self._halt is not None:
            self._halt()

    def _ponder_hit(self) -> None:
        if not self._at_rest:
            self._loaded.ponderhit()

    def _place(self, placement: Placement) -> None:
        self._loaded.set_position(placement.fen, placement.moves)
        if self.debug:
            self._output.remark(f"position is {self._loaded.fen()}")

    def _assign(self, assignment: Assignment) -> None:
        name, value = assignment.option.name, assignment.value
        self._loaded.set_option(name, value)
        if name == "Threads" and isinstance(value, int):
            self._threads = value
        if name == "UCI_ShowWDL":
            self._shows_wdl = value is True
        if self.debug:
            self._output.remark(f"option {name} is set" + ("" if value is None else f" to {value}"))

    def _go(self, go: Go) -> None:
        if self.debug:
            self._output.remark(f"searching with {go.limits}")
        self._check_moves(go.limits.searchmoves)
        self._begin(self._loaded.stop)
        try:
            self._loaded.start(go.limits, self._on_info, self._on_result)
        except Exception:
            move = next(iter(self._loaded.board().legal_moves), None)  # whoever sent ``go`` waits for an answer
            self._output.line(result_line(Result(move.uci() if move is not None else "0000")))
            self._finish()
            raise

    def _check_moves(self, moves: tuple[str, ...]) -> None:
        """Name those of ``moves`` that are not legal; the search leaves them out."""
        board = self._loaded.board()
        for move in moves:
            try:
                board.parse_uci(move)
            except ValueError:
                self._output.remark(f"go: '{move}' after searchmoves is not a legal move here")

    def _perft(self, depth: int) -> None:
        perft = jobs.Perft(self._loaded, depth, self._threads)
        self._begin(perft.stop)
        self._in_background("go perft", lambda: perft.run(True, self._output.line))

    def _bench(self, depth: int | None, threads: int, megabytes: int) -> None:
        from engine.api import Engine

        bench = jobs.Bench(Engine(hash=megabytes, threads=threads), depth)
        self._begin(bench.stop)
        self._in_background("bench", lambda: bench.run(self._output.remark, self._output.line))

    def _explain_move(self, move: str | None) -> None:
        explanation = Explanation(self._loaded, move)
        self._begin(explanation.stop)
        self._in_background("explain", lambda: self._output.line(explanation.run()))

    def _show_board(self) -> None:
        engine = self._loaded
        fen = engine.fen()
        self._output.line(
            f"\n{diagram(fen.split()[0])}\n\nFen: {fen}\nKey: {engine.key():016X}\n"
            f"Checkers: {' '.join(engine.checkers())}\nLegal moves: {engine.board().legal_moves.count()}"
        )

    def _begin(self, halt: Callable[[], None]) -> None:
        self._halt = halt
        self._ending = False
        self._scored = True

    def _in_background(self, name: str, work: Callable[[], None]) -> None:
        def run() -> None:
            self._run(Task(name, work))
            self._finish()

        threading.Thread(target=run, name=f"numbat-{name}", daemon=True).start()

    def _end(self) -> None:
        """What was running is over: what waited for that can go on."""
        self._loaded.wait()
        self._halt = None

    # --- in the thread of the search ----------------------------------------------------------------

    def _on_info(self, info: Info) -> None:
        self._scored = info.score is not None
        self._output.line(info_line(info, self._shows_wdl))

    def _on_result(self, result: Result) -> None:
        self._ending = True
        if not self._scored and result.info is not None:  # tournament managers take the last report's score
            self._on_info(result.info)
        self._output.line(result_line(result))
        self._finish()

    def _finish(self) -> None:
        self._inbox.put(Task("end of search", self._end, at_rest=False))


def _describe(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
