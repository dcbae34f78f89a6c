"""Work in several processes: order, losses, interruptions, and where none may be started."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from engine.messages import ThreadError
from engine.processes import Completed, LostProcess, run
from tests.process_jobs import dying, nesting, noting, refusing, squaring, strange
from tests.run_python import REPOSITORY, run_application, run_python


def results(found: Iterator[Completed]) -> list[Any]:
    return [done.result for done in found]


def is_alive(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("jobs", [1, 3])
def test_results_come_in_order_with_their_errors(jobs: int) -> None:
    reported: list[Any] = []
    found = list(run(squaring, [0.3, -0.1, 0, 0.1], jobs, on_report=lambda item, pid: reported.append((item, pid))))
    assert [done.item for done in found] == [0.3, -0.1, 0, 0.1]
    assert [done.result for done in found] == [0.3**2, None, 0, 0.1**2]
    assert [str(done.error or "") for done in found] == ["", "-0.1 is below 0", "", ""]
    assert {item for item, _ in reported} == {None}
    assert len({pid for _, pid in reported} - {os.getpid()}) == (0 if jobs == 1 else jobs)


def test_results_may_come_as_they_are_ready() -> None:
    found = run(squaring, [30, 0, 0.1], 2, ordered=False)
    assert sorted(next(found).result for _ in range(2)) == [0, 0.1**2]
    found.close()


def test_items_are_read_as_they_are_needed() -> None:
    read: list[int] = []

    def endless() -> Iterator[int]:
        while True:
            read.append(0)
            yield 0

    found = run(squaring, endless(), 2)
    assert not read
    next(found)
    assert len(read) <= 8
    found.close()


@pytest.mark.skipif(os.name == "nt", reason="no such signal")
def test_killed_process_is_retried_once(tmp_path: Path) -> None:
    killed, notices = [], []

    def kill(item: int, pid: int) -> None:
        if item == 1 and not killed:
            killed.append(pid)
            os.kill(pid, signal.SIGKILL)
        elif item == 1:
            os.kill(pid, signal.SIGKILL)

    names = {"name": "item {}".format, "on_notice": notices.append}
    found = list(run(partial(noting, tmp_path), range(6), 2, on_report=kill, **names))
    assert [done.result for done in found] == [0, None, 2, 3, 4, 5]
    assert str(found[1].error) == "item 1: its process ended with exit code -9"
    assert isinstance(found[1].error, LostProcess)
    assert notices == ["item 1: its process ended with exit code -9; trying again"]
    assert [len((tmp_path / str(number)).read_text().split()) for number in range(6)] == [1, 2, 1, 1, 1, 1]


def test_the_last_words_of_a_process_are_shown(capfd: pytest.CaptureFixture[str]) -> None:
    found = list(run(partial(dying, "out of luck"), range(3), 2))
    assert [done.result for done in found] == [0, None, 2]
    assert str(found[1].error) == "1: its process ended with exit code 7: out of luck"
    assert "out of luck" in capfd.readouterr().err


def test_errors_at_the_start_of_a_job_are_raised() -> None:
    for jobs in (1, 2):
        with pytest.raises(MemoryError, match="no memory"):
            list(run(refusing, range(5), jobs))


def test_pickling_errors_belong_to_their_items() -> None:
    first, second, third, fourth = run(strange, [0, 1, lambda: 0, 0], 2)
    assert "pickle" in str(first.error).lower()
    assert str(second.error) == "Odd: odd"
    assert "pickle" in str(third.error).lower()
    assert fourth.error is not None


@pytest.mark.parametrize("jobs", [1, 2])
def test_results_come_before_an_exception_of_the_items(jobs: int) -> None:
    def broken() -> Iterator[float]:
        yield from (0.2, 0.1, 0)
        raise KeyError("lost")

    found = run(squaring, broken(), jobs)
    assert [next(found).item for _ in range(3)] == [0.2, 0.1, 0]
    with pytest.raises(KeyError, match="lost"):
        next(found)


@pytest.mark.skipif(os.name == "nt", reason="no such signal")
@pytest.mark.parametrize("stopped", [False, True])
def test_a_closed_generator_ends_the_processes(tmp_path: Path, stopped: bool) -> None:
    """In order, unless they do not answer."""
    pids: dict[int, int] = {}
    found = run(partial(noting, tmp_path), [0, 1], 2, on_report=pids.__setitem__)
    next(found)
    if stopped:
        os.kill(pids[0], signal.SIGSTOP)
    found.close()
    assert not any(map(is_alive, pids.values()))
    assert (tmp_path / f"end-{pids[0]}").exists() != stopped


def test_an_interrupt_reaches_a_process_in_a_callback(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Such as those of imports: what they raise is only printed."""
    with pytest.raises(ZeroDivisionError):
        list(run(partial(noting, tmp_path), [-1], 2, on_report=lambda item, pid: time.sleep(0.2) or 1 / 0))
    assert list(tmp_path.glob("end-*"))
    assert capsys.readouterr().err == ""


MAIN = """
import signal
from functools import partial
from pathlib import Path
from engine.processes import run
from tests.process_jobs import noting

def interrupt(number, frame):
    raise KeyboardInterrupt

signal.signal(signal.SIGTERM, interrupt)
signal.signal(signal.SIGINT, interrupt)
list(run(partial(noting, Path({folder!r})), [1, 1], 2, on_report=lambda item, pid: print(pid, flush=True)))
"""


@pytest.mark.skipif(os.name == "nt", reason="no such signal")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_processes_end_with_the_one_that_started_them(tmp_path: Path, number: signal.Signals) -> None:
    """Signals to its whole group, as from a terminal."""
    child = subprocess.Popen(
        [sys.executable, "-c", MAIN.format(folder=str(tmp_path))],
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert child.stdout is not None
    pids = [int(child.stdout.readline()) for _ in range(2)]
    os.killpg(child.pid, number)
    _, errors = child.communicate(timeout=60)
    assert errors.count("Traceback") == (0 if number == signal.SIGKILL else 1), errors
    end = time.monotonic() + 30
    while any(map(is_alive, pids)):
        assert time.monotonic() < end
        time.sleep(0.05)
    assert len(list(tmp_path.glob("end-*"))) == 2


#: Prints the processes that did the work, and this one.
WHERE = """
import os, sys
from engine.processes import run
from tests.process_jobs import squaring
pids = set()
list(run(squaring, [0.2] * 4, 2, on_report=lambda item, pid: pids.add(pid)))
print(len(pids - {os.getpid()}))
"""


@pytest.mark.skipif(os.name == "nt", reason="scripts are no programs")
@pytest.mark.parametrize(
    ("name", "more"), [("python", "sys.frozen = True"), ("app", ""), ("python", "sys.executable = None")]
)
def test_applications_start_no_process(tmp_path: Path, name: str, more: str) -> None:
    output, errors, starts = run_application(tmp_path, name, WHERE, more)
    assert (output, starts) == ("0\n", 1), errors


@pytest.mark.skipif(os.name == "nt", reason="scripts are no programs")
def test_unknown_launcher_does_not_fork_repeatedly(tmp_path: Path) -> None:
    """Those that it starts instead of Python start none, and count as lost."""
    _, errors, starts = run_application(tmp_path, "python-app", WHERE, "")
    assert "its process ended" in errors
    assert starts <= 5


def test_a_process_starts_no_other() -> None:
    assert results(run(nesting, [0, 0], 2)) == [0, 0]


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="needs a folder that cannot be written")
def test_child_does_not_write_to_cwd(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    done = run_python("-c", WHERE, cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(REPOSITORY)})
    assert done.stdout == "2\n", done.stderr


def test_child_does_not_import_from_cwd(tmp_path: Path) -> None:
    (tmp_path / "pickle.py").write_text("raise SystemExit('wrong module')")
    program = "import sys; sys.path.remove('')\n" + WHERE
    done = run_python("-c", program, cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(REPOSITORY)})
    assert done.stdout == "2\n", done.stderr


#: ``WHERE`` in a copy of the package, with an entry of sys.path that is no text.
INSTALLED = """
import sys
sys.path[:0] = [None, sys.argv[1]]
import engine
assert engine.__file__.startswith(sys.argv[1])
sys.path.append(sys.path.pop(1))
"""


def test_libraries_beside_the_package_do_not_hide_standard_ones(tmp_path: Path) -> None:
    """As after ``pip install dataclasses pathlib``, old copies that stand in the same folder."""
    shutil.copytree(REPOSITORY / "engine", tmp_path / "engine", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("dataclasses", "pathlib", "queue"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('wrong module')")
    environment = os.environ | {"PYTHONPATH": str(REPOSITORY)}
    done = run_python("-P", "-c", INSTALLED + WHERE, tmp_path, cwd=tmp_path, env=environment)
    assert done.stdout == "2\n", done.stderr


def test_a_process_whose_start_fails_does_not_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[subprocess.Popen] = []
    real = subprocess.Popen

    def noted(*arguments: Any, **names: Any) -> subprocess.Popen:
        started.append(real(*arguments, **names))
        return started[-1]

    def refuse(thread: threading.Thread) -> None:
        if "_copy_errors" in repr(thread._target):
            raise RuntimeError("can't start new thread")
        begin(thread)

    begin = threading.Thread.start
    monkeypatch.setattr("engine.processes.subprocess.Popen", noted)
    monkeypatch.setattr(threading.Thread, "start", refuse)
    with pytest.raises(ThreadError):
        list(run(squaring, [0], 2))
    assert [process.poll() is None for process in started] == [False]
