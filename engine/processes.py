"""Work in several processes: items in, results out, in order.

A *job* is a picklable function, at the top level of a module that other processes can import (``partial`` is fine). It
gets ``report`` and returns a context manager with the function that turns an item into its result::

    @contextmanager
    def counting(depth: int, report: Callable[[Any], None]) -> Iterator[Callable[[str], int]]:
        with Engine() as engine:  # once in each process

            def count(fen: str) -> int:
                report(f"begun {fen}")  # arrives at on_report(fen, "begun ..."), in the caller's thread
                engine.set_board(chess.Board(fen))
                return engine.perft(depth)

            yield count

    for done in run(partial(counting, 5), fens, jobs=2, on_report=show):
        print(done.item, done.error or done.result)

Processes are started as ``python -c`` and talk over pipes. None is started by a frozen or embedding
application (``sys.executable`` would start the application again) and none by a process that was started here: the
calling process then does the work itself.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
import traceback
from _thread import interrupt_main
from collections import deque
from collections.abc import Callable, Generator, Iterable
from contextlib import AbstractContextManager, ExitStack, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from time import monotonic, sleep
from typing import Any, BinaryIO

from engine.configuration import ignore_config_files, ignores_config_files
from engine.messages import ThreadError, next_of

Report = Callable[[Any], None]
Job = Callable[[Report], AbstractContextManager[Callable[[Any], Any]]]

#: In the environment of a process until it has read its job. An application that was started instead starts no other.
_MARK = "NUMBAT_PROCESS"

_GRACE_SECONDS = 5.0  # seconds for processes to end after their input
_REPEAT_SECONDS = 0.1  # seconds before an interrupt that was swallowed comes again
_TAIL_CHARACTERS = 2000  # maximum characters of standard error in the message about the end of a process
_ROOT = str(Path(__file__).resolve().parent.parent)  # the folder, or the archive, that contains this package

#: What a process runs: it finds this package by its folder, in which there may be libraries named like standard ones.
_PROGRAM = """
import sys
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
spec = PathFinder.find_spec("engine", sys.argv[1:])
sys.modules["engine"] = package = module_from_spec(spec)
spec.loader.exec_module(package)
from engine.processes import main
main()
"""

_INTERRUPTED = 130

#: Options of a process that gets no Ctrl-C: it ends with its input.
_NO_INTERRUPTS: dict[str, Any] = {"process_group": 0}
if sys.platform == "win32":
    _NO_INTERRUPTS = {"creationflags": subprocess.CREATE_NO_WINDOW}

_is_worker = False


class LostProcess(RuntimeError):
    """No process can be started, or two processes ended while they worked on the same item."""


@dataclass(frozen=True, slots=True)
class Completed:
    """An item with its result, or the exception that it raised."""

    item: Any
    result: Any = None
    error: BaseException | None = None


def can_start() -> bool:
    """Whether this process may start others."""
    program = os.path.basename(sys.executable or "").lower()
    own = program.startswith("python") and not getattr(sys, "frozen", False)  # embedding applications call themselves
    return own and not _is_worker and _MARK not in os.environ


def run(
    job: Job,
    items: Iterable[Any],
    jobs: int,
    *,
    ordered: bool = True,
    name: Callable[[Any], str] = str,
    on_report: Callable[[Any, Any], None] = lambda item, message: None,
    on_notice: Callable[[str], None] = lambda line: None,
) -> Generator[Completed, None, None]:
    """Yield every item with its result, or its error; in order, or as they come.

    ``jobs`` processes work, or the calling one if that is 1. ``items`` are read as they are needed. ``on_report`` gets
    each item and what the job reports while it works on it (None before the first item), ``on_notice`` a line for
    each lost process; both are called in the caller's thread. The item of a lost process is tried once more and
    may report again; its error is then :class:`LostProcess`, with the ``name`` of the item and the last output.

    An exception of ``items`` is raised when the items before it are done. :class:`LostProcess`, if no process can be
    started, and what the job raises before its first item are raised immediately. These, Ctrl-C and closing the
    generator end the processes: there the job is interrupted as by Ctrl-C."""
    if jobs == 1 or not can_start():
        yield from _run_here(job, items, on_report)
        return
    pool = _WorkerPool(pickle.dumps(job), name, jobs)
    waiting: deque[_Task] = deque()
    rest, unfinished = iter(items), 0
    more, failure = True, None
    try:
        while True:
            while more and unfinished < (2 * jobs if ordered else jobs + 1) and len(waiting) < 4 * jobs:
                try:
                    task = _Task(next(rest))
                except StopIteration:
                    more = False
                except Exception as error:
                    more, failure = False, error
                else:
                    unfinished += 1
                    waiting.append(task)
                    pool.add(task)
            if not waiting:
                break
            about, kind, value = next_of(pool.events)
            if kind == "failed":
                raise value
            if kind == "report":
                on_report(about and about.item, value)
            elif kind == "notice":
                on_notice(value)
            elif about is not None:
                about.completed = value
                unfinished -= 1
                if not ordered:
                    waiting.remove(about)
                    yield value
            while ordered and waiting and (first := waiting[0].completed):
                waiting.popleft()
                yield first
        if failure is not None:
            raise failure
    finally:
        pool.close()


def _run_here(
    job: Job, items: Iterable[Any], on_report: Callable[[Any, Any], None]
) -> Generator[Completed, None, None]:
    """Work in this process, in a thread, so that reports arrive while it works."""
    events: SimpleQueue[tuple[str, Any]] = SimpleQueue()
    current: Any = None
    with job(lambda message: events.put(("report", (current, message)))) as work:

        def complete(item: Any) -> None:
            try:
                completed = Completed(item, work(item))
            except BaseException as error:
                completed = Completed(item, error=error)
            events.put(("result", completed))

        for current in items:
            _start_thread(complete, current)
            while (event := next_of(events))[0] == "report":
                on_report(*event[1])
            yield event[1]


def _start_thread(work: Callable[..., object], *arguments: Any) -> threading.Thread:
    """A daemon thread that runs ``work``. Raises :class:`ThreadError`."""
    thread = threading.Thread(target=work, args=arguments, name="numbat-processes", daemon=True)
    try:
        thread.start()
    except RuntimeError:
        raise ThreadError from None
    return thread


class _Task:
    """An item on its way."""

    def __init__(self, item: Any) -> None:
        self.item = item
        self.completed: Completed | None = None


class _WorkerPool:
    """At most ``jobs`` processes, each with a thread that gives it one task after the other."""

    def __init__(self, job: bytes, name: Callable[[Any], str], jobs: int) -> None:
        self._job = job
        self._name = name
        self._jobs = jobs
        self._tasks: SimpleQueue[_Task | None] = SimpleQueue()
        #: With "report", "notice", "result", or "failed" for an error that ends the work.
        self.events: SimpleQueue[tuple[_Task | None, str, Any]] = SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._processes: list[_Process] = []
        self._lock = threading.Lock()
        self._closed = False

    def add(self, task: _Task) -> None:
        """Have ``task`` done, by one more process if there may be one."""
        self._tasks.put(task)
        if len(self._threads) < self._jobs:
            self._threads.append(_start_thread(self._work_off))

    def close(self) -> None:
        with self._lock:
            self._closed = True
        for process in self._processes:
            process.close_input()
        end = monotonic() + _GRACE_SECONDS
        try:
            for process in self._processes:
                process.wait(end - monotonic())
        finally:
            for process in self._processes:
                process.kill()
            for _ in self._threads:
                self._tasks.put(None)
        for thread in self._threads:
            thread.join(_GRACE_SECONDS)

    def _work_off(self) -> None:
        """The thread of a process: do tasks until there are no more."""
        process: _Process | None = None
        try:
            while task := self._tasks.get():
                for is_last in (False, True):
                    process = process or self._start()
                    if process is None:
                        return
                    if self._has_done(process, task):
                        break
                    self._lost(process, task, is_last)
                    process = None
        except BaseException as error:
            self.events.put((None, "failed", error))

    def _start(self) -> _Process | None:
        with self._lock:
            if self._closed:
                return None
            try:
                process = _Process(self._job)
            except OSError as error:
                raise LostProcess(f"no process can be started: {error.strerror}") from None
            self._processes.append(process)
        return process

    def _lost(self, process: _Process, task: _Task, is_last: bool) -> None:
        """Report the end of ``process``. Raises :class:`LostProcess` if the last one did not get ready."""
        code, output = process.end()
        text = f"{self._name(task.item)}: its process ended with exit code {code}"
        error = LostProcess(f"{text}: {output}" if output else text)
        if not is_last:
            self.events.put((None, "notice", f"{text}; trying again"))
        elif process.ready:
            self.events.put((task, "result", Completed(task.item, error=error)))
        else:
            raise error

    def _has_done(self, process: _Process, task: _Task) -> bool:
        """Have ``process`` do ``task``; False if it ends."""
        try:
            data = pickle.dumps(task.item)
        except Exception as error:
            self.events.put((task, "result", Completed(task.item, error=error)))
            return True
        try:
            process.send(data)
            while True:
                kind, content = process.receive()
                try:
                    value = pickle.loads(content)
                except Exception as error:
                    kind, value = "error", error
                if kind == "ready":
                    process.ready = True
                elif kind == "report":
                    self.events.put((task if process.ready else None, kind, value))
                elif kind == "failed":
                    self.events.put((None, kind, value))
                    return True
                else:
                    self.events.put((task, "result", Completed(task.item, **{kind: value})))
                    return True
        except (OSError, EOFError, ValueError, pickle.UnpicklingError):  # ValueError: the pipe was closed here
            return False


class _Process:
    """A process and its pipes."""

    def __init__(self, job: bytes) -> None:
        self._tail = ""
        self.ready = False
        self._popen = _start("work", job, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **_NO_INTERRUPTS)
        with ExitStack() as failed:
            failed.callback(self.kill)
            assert self._popen.stderr is not None
            failed.enter_context(self._popen.stderr)
            self._listener = _start_thread(self._copy_errors)
            failed.pop_all()

    def send(self, data: bytes) -> None:
        assert self._popen.stdin is not None
        pickle.dump(data, self._popen.stdin)
        self._popen.stdin.flush()

    def receive(self) -> tuple[str, bytes]:
        """The next message. Raises EOFError or UnpicklingError at the end."""
        assert self._popen.stdout is not None
        message: tuple[str, bytes] = pickle.load(self._popen.stdout)
        return message

    def _copy_errors(self) -> None:
        """Show what the process writes to standard error."""
        assert self._popen.stderr is not None
        with suppress(OSError, ValueError), self._popen.stderr as lines:
            for line in lines:
                text = line.decode(errors="replace")
                self._tail = (self._tail + text)[-_TAIL_CHARACTERS:]
                if sys.stderr is not None:
                    sys.stderr.write(text)

    def end(self) -> tuple[int, str]:
        """Kill it; the exit code, and the tail of its standard error."""
        self.kill()
        code = self._popen.wait()
        self._listener.join(1)  # a program that it started may hold the pipe
        return code, self._tail.strip()

    def close_input(self) -> None:
        assert self._popen.stdin is not None
        with suppress(OSError):
            self._popen.stdin.close()

    def wait(self, seconds: float) -> None:
        with suppress(subprocess.TimeoutExpired):
            self._popen.wait(max(0, seconds))

    def kill(self) -> None:
        """Kill it if it runs, and close its pipes."""
        assert self._popen.stdout is not None
        self._popen.kill()
        self.close_input()
        self._popen.wait()
        self._popen.stdout.close()


def detach(function: Callable[..., Any], *arguments: Any) -> subprocess.Popen[bytes]:
    """Start a process that calls ``function`` and outlives this one; its exit code is the result. Raises OSError."""
    job = pickle.dumps((function, arguments))
    options: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "start_new_session": True}
    options["cwd"] = os.path.abspath(os.sep)
    flags = breakaway = 0
    if sys.platform == "win32":
        flags = subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP
        flags |= subprocess.BELOW_NORMAL_PRIORITY_CLASS
        breakaway = subprocess.CREATE_BREAKAWAY_FROM_JOB  # the processes of a job are killed together
    try:
        process = _start("detached", job, **options, creationflags=flags | breakaway)
    except PermissionError:  # the job allows no process to leave it
        process = _start("detached", job, **options, creationflags=flags)
    with suppress(OSError):
        process.stdin.close()  # type: ignore[union-attr]
    with suppress(ThreadError):
        _start_thread(process.wait)  # leave no zombie
    return process


def _start(kind: str, job: bytes, **options: Any) -> subprocess.Popen[bytes]:
    """Start a process, and send it how it finds modules, and the job. Raises OSError."""
    if not can_start():
        raise OSError("this application can start no Python")
    places = [place for place in sys.path if isinstance(place, str)]
    try:
        path = [os.path.abspath(place) for place in places]
    except FileNotFoundError:  # the working directory was deleted
        path = [place for place in places if os.path.isabs(place)]
    words = [sys.executable, "-P", "-c", _PROGRAM, _ROOT]
    process = subprocess.Popen(words, stdin=subprocess.PIPE, env={**os.environ, _MARK: "1"}, **options)
    assert process.stdin is not None
    with suppress(OSError):  # it has ended, which is noticed later
        pickle.dump((kind, path, ignores_config_files(), job), process.stdin)
        process.stdin.flush()
    return process


def main() -> None:
    """A process: read what to do from standard input."""
    source = os.fdopen(os.dup(0), "rb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # on Windows libraries wait for a read of it to end (numpy 24290)
    kind, sys.path[:], ignores_files, job = pickle.load(source)
    if ignores_files:
        ignore_config_files()
    del os.environ[_MARK]
    if kind == "detached":
        function, arguments = pickle.loads(job)
        sys.exit(function(*arguments))
    global _is_worker
    _is_worker = True
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # keep prints out of the results
    items: SimpleQueue[bytes] = SimpleQueue()
    code = 1
    try:
        _start_thread(_listen, source, items)
        _serve(job, items, _Sender(output))
    except KeyboardInterrupt:
        code = _INTERRUPTED
    except BaseException:
        traceback.print_exc()
    os._exit(code)  # without waiting for other threads


def _listen(source: BinaryIO, items: SimpleQueue[bytes]) -> None:
    """Put what arrives into ``items``; end this process with its input."""
    with suppress(EOFError, OSError, pickle.UnpicklingError):
        while True:
            items.put(pickle.load(source))
    swallowed = threading.Event()

    def notice(ignored: sys.UnraisableHookArgs) -> None:
        if ignored.exc_type is KeyboardInterrupt:
            swallowed.set()
        else:
            sys.__unraisablehook__(ignored)

    sys.unraisablehook = notice  # for a callback, such as one of an import, in which the interrupt arrives
    _interrupt()
    end = monotonic() + _GRACE_SECONDS
    while swallowed.wait(max(0, end - monotonic())) and monotonic() < end:
        sleep(_REPEAT_SECONDS)  # until the hook has returned, or it swallows the next one too
        swallowed.clear()
        _interrupt()
    os._exit(0)


def _interrupt() -> None:
    if sys.platform == "win32":
        interrupt_main()
    else:  # also interrupts system calls
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)


class _Sender:
    """Sends messages to the process that started this one."""

    def __init__(self, output: BinaryIO) -> None:
        self._output = output
        self._lock = threading.Lock()

    def __call__(self, kind: str, value: Any) -> None:
        """Send ``value``; an exception comes with its traceback, as a note."""
        if isinstance(value, BaseException):
            value.add_note("".join(traceback.format_exception(value)))
            try:
                pickle.loads(pickle.dumps(value))
            except Exception:
                value = RuntimeError(f"{type(value).__name__}: {value}")
        data = pickle.dumps(value)
        with self._lock:
            pickle.dump((kind, data), self._output)
            self._output.flush()


def _serve(job: bytes, items: SimpleQueue[bytes], send: _Sender) -> None:
    with ExitStack() as stack:
        try:
            work = stack.enter_context(pickle.loads(job)(partial(send, "report")))
        except Exception as error:
            send("failed", error)
            return
        send("ready", None)
        while True:
            data = next_of(items)
            try:
                send("result", work(pickle.loads(data)))
            except Exception as error:
                send("error", error)
