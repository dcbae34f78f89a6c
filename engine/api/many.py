"""Analyses of many positions by several processes, each with its own engine."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, BinaryIO

import chess

from engine.api.types import Analysis, check_board
from engine.board.fen import set_fen, to_fen
from engine.board.setup import new_position
from engine.messages import Limits

#: The program of a process. ``multiprocessing`` would need to import the program that started it.
_PROGRAM = """import json, sys
sys.path[:] = json.loads(sys.argv[1])
from engine.api import Engine, many
many.serve(Engine)
"""

#: Positions read ahead per process.
_AHEAD = 2


def analyses(
    options: Mapping[str, Any],
    positions: Iterable[str | chess.Board],
    limits: Limits,
    jobs: int,
    on_progress: Callable[[int], object] | None,
) -> Generator[Analysis, None, None]:
    """See :meth:`engine.Engine.analyse_many`; ``options`` are keywords of the engines."""
    helpers, waiting, done = _Helpers(options), deque[Future[Analysis]](), 0
    rest = enumerate(positions)
    threads = ThreadPoolExecutor(jobs, "numbat-many")
    try:
        while True:
            while len(waiting) < _AHEAD * jobs and (item := next(rest, None)):
                try:
                    waiting.append(threads.submit(helpers.analyse, item[0], _board_of(*item), limits))
                except (ValueError, TypeError) as error:  # raised in its turn
                    waiting.append(Future())
                    waiting[-1].set_exception(error)
                if waiting[0].done():
                    break
            if not waiting:
                return
            found = waiting.popleft().result()
            done += 1
            if on_progress is not None:
                on_progress(done)
            yield found
    finally:
        helpers.kill()
        threads.shutdown(cancel_futures=True)
        helpers.close()


def _board_of(index: int, position: str | chess.Board) -> chess.Board:
    """A board from a FEN or a board. Raises :class:`PositionError` or TypeError, which name the index."""
    try:
        if not isinstance(position, str):
            check_board(position)
            return position.copy()
        record = new_position()
        set_fen(record, position)
        return chess.Board(to_fen(record), chess960=bool(record["chess960"]))
    except (ValueError, TypeError) as error:
        raise type(error)(f"position {index}: {error}") from None


class _Helpers:
    """The processes, started when they are needed."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._options = dict(options)
        self._idle: SimpleQueue[subprocess.Popen[bytes]] = SimpleQueue()
        self._all: list[subprocess.Popen[bytes]] = []
        self._lock = threading.Lock()
        self._ended = False

    def analyse(self, index: int, board: chess.Board, limits: Limits) -> Analysis:
        """Have an idle process analyse ``board``; errors name the index."""
        try:
            process = self._idle.get_nowait()
        except Empty:
            process = self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            pickle.dump((board, limits), process.stdin)
            process.stdin.flush()
            answer: Analysis | Exception = pickle.load(process.stdout)
        except (OSError, ValueError, EOFError, pickle.UnpicklingError):
            code = process.wait()
            raise RuntimeError(f"position {index}: its process ended with exit code {code}") from None
        self._idle.put(process)
        if isinstance(answer, Exception):
            answer.args = (f"position {index}: {answer}",)
            raise answer
        return answer

    def _start(self) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._ended:
                raise RuntimeError("the analysis was ended")
            process = subprocess.Popen(
                [sys.executable, "-c", _PROGRAM, json.dumps([os.path.abspath(place) for place in sys.path])],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                process_group=0 if os.name == "posix" else None,  # only this process gets Ctrl-C; it ends the others
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
            self._all.append(process)
        assert process.stdin is not None
        with suppress(OSError):  # it has failed; the first request will report it
            pickle.dump(self._options, process.stdin)
        return process

    def kill(self) -> None:
        """Kill the processes."""
        with self._lock:
            self._ended = True
        for process in self._all:
            process.kill()

    def close(self) -> None:
        """Close the pipes."""
        for process in self._all:
            with suppress(OSError), process:
                pass


def serve(make: Callable[..., Any]) -> None:
    """A process: read the options of an engine, then boards and limits, and write analyses or errors, all pickled."""
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # keep prints out of the answers
    tasks: SimpleQueue[Any] = SimpleQueue()
    threading.Thread(target=_listen, args=(sys.stdin.buffer, tasks), daemon=True).start()
    with make(**tasks.get()) as engine:
        while True:
            board, limits = tasks.get()
            answer: Analysis | Exception
            try:
                engine.new_game()  # so that the answer does not depend on earlier positions
                answer = engine.analyse(board, limits)
            except Exception as error:
                answer = error
            pickle.dump(answer, output)
            output.flush()


def _listen(stream: BinaryIO, tasks: SimpleQueue[Any]) -> None:
    """Put what arrives into ``tasks``; exit when the owner closes the pipe."""
    try:
        while True:
            tasks.put(pickle.load(stream))
    finally:
        os._exit(0)
