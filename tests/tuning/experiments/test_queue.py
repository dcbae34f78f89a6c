"""The queue: jobs of a few lines that are stopped, killed and continued, and commands that cannot run."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from engine.console import Console
from tests.tuning.conftest import FOOLS_MATE
from tests.tuning.matches.test_match import words
from tuning import queue
from tuning.common import revisions
from tuning.common.errors import SetupError
from tuning.experiments import processes
from tuning.experiments.checks import completed, module_of, pinned
from tuning.experiments.daemon import Daemon
from tuning.experiments.store import Order, Store

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the queue needs sessions")

SECONDS = 180.0
"""For anything that should happen soon, on however busy a machine."""

COUNTER = """
import signal, sys, time
def stop(number, frame):
    print("asked to end", flush=True)
    sys.exit(130)
signal.signal(signal.SIGINT, stop)
first, last, pause, path = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), sys.argv[4]
for number in range(first, last):
    with open(path, "a") as stream:
        stream.write(f"{number}\\n")
    time.sleep(pause)
print("counted to", last, flush=True)
"""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A queue of its own; whatever runs at the end is killed."""
    made = Store(tmp_path / "queue")
    yield made
    for job in made.read().jobs.values():
        if job.process is not None:
            processes.send(processes.members(job.process, job.boot), signal.SIGKILL)


def ask(store: Store, *arguments: str) -> tuple[int, str]:
    """What a command of the queue says."""
    page = io.StringIO()
    before = queue.Console
    queue.Console = lambda **settings: Console(file=page, width=200)  # type: ignore[assignment, misc]
    try:
        return queue.main(["--directory", str(store.folder), *arguments]), page.getvalue()
    finally:
        queue.Console = before  # type: ignore[misc]


def python(code: str, *arguments: str) -> list[str]:
    return ["--", sys.executable, "-c", code, *arguments]


def daemon(store: Store, *arguments: str) -> subprocess.Popen[str]:
    """The daemon as a process of its own."""
    command = [sys.executable, "-m", "tuning.queue", "--directory", str(store.folder), "run", "--nice", "0", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def until(condition: Callable[[], object], seconds: float = SECONDS) -> None:
    """Wait for something to become true."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.05)


def run(store: Store, cores: int = 1) -> list[str]:
    """Run everything in this process; what the daemon said."""
    said: list[str] = []
    Daemon(store, cores, 0, said.append).run(until_empty=True)
    return said


def states(store: Store) -> dict[int, str]:
    return {number: job.state for number, job in store.read().jobs.items()}


def test_jobs_run_one_after_the_other_by_priority(store, tmp_path):
    note = str(tmp_path / "note")
    write = "import sys; open(sys.argv[1], 'a').write(sys.argv[2])"
    for name, rank in (("a", 0), ("b", 0), ("c", 5)):
        assert ask(store, "add", "--name", name, "--priority", str(rank), *python(write, note, name))[0] == 0
    assert ask(store, "priority", "2", "7") == (0, "")
    run(store)
    assert Path(note).read_text() == "bca"
    code, page = ask(store)
    assert code == 0
    assert page.count("done") == 3


def test_a_job_that_fails_is_named_and_the_others_go_on(store, tmp_path):
    ask(store, "add", "--name", "bad", *python("print('it broke'); raise SystemExit(3)"))
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\nexit 0\n")
    program.chmod(0o755)
    ask(store, "add", "--name", "gone", "--", str(program))
    ask(store, "add", "--name", "homeless", "--cwd", str(tmp_path / "queue" / "results"), *python("pass"))
    ask(store, "add", "--name", "good", *python("print('found it')"))
    program.unlink()
    (tmp_path / "queue" / "results").rmdir()
    said = "\n".join(run(store))
    assert states(store) == {1: "failed", 2: "failed", 3: "failed", 4: "done"}
    assert "1 bad: failed: exit code 3: it broke" in said
    assert f"2 gone: failed: {program}: No such file or directory" in said
    assert "3 homeless: cannot be started" in said
    page = ask(store)[1]
    assert "exit code 3: it broke" in page
    assert "found it" in page
    page = ask(store, "show", "1")[1]
    assert "failed, exit code 3" in page
    assert "it broke" in store.log(1).read_text()


def test_cores_are_shared_and_a_large_job_is_not_overtaken_for_good(store, tmp_path):
    path = tmp_path / "note"
    meet = (
        "import sys, time, pathlib\n"
        "p = pathlib.Path(sys.argv[1]); (p.parent / (p.name + sys.argv[2])).touch(); end = time.time() + 60\n"
        "while not all((p.parent / (p.name + n)).exists() for n in 'ab') and time.time() < end: time.sleep(0.05)\n"
        "sys.exit(time.time() >= end)"
    )
    for name in "ab":  # each ends only if the other runs at the same time
        ask(store, "add", "--name", name, *python(meet, str(path), name))
    ask(store, "add", "--name", "both", "--cores", "2", *python("pass"))
    ask(store, "add", "--name", "three", "--cores", "3", *python("pass"))
    said = "\n".join(run(store, cores=2))
    assert states(store) == {1: "done", 2: "done", 3: "done", 4: "waiting"}
    assert "4 three: wants 3 cores of 2" in said


def test_a_killed_daemon_loses_nothing(store, tmp_path):
    """Its job goes on, the next daemon takes it over, and starts it no second time."""
    path = tmp_path / "numbers"
    release = tmp_path / "release"
    code = (
        "import sys, time, pathlib\nopen(sys.argv[1], 'a').write('x')\nend = time.time() + 60\n"
        "while not pathlib.Path(sys.argv[2]).exists() and time.time() < end: time.sleep(0.05)\nprint('all there')"
    )
    ask(store, "add", "--name", "long", *python(code, str(path), str(release)))
    ask(store, "add", "--name", "next", *python("pass"))
    first = daemon(store, "--cores", "1")
    until(path.exists)
    until(lambda: states(store)[1] == "running")
    first.kill()
    first.communicate()
    job = store.read().jobs[1]
    assert processes.members(job.process, job.boot)  # it lives without its daemon
    second = daemon(store, "--cores", "1", "--until-empty")
    time.sleep(1.5)
    assert states(store) == {1: "running", 2: "waiting"}
    release.touch()
    said, _ = second.communicate(timeout=SECONDS)
    assert states(store) == {1: "done", 2: "done"}
    assert path.read_text() == "x"
    assert "long: started" not in said
    assert store.read().jobs[1].attempts == 1


def test_an_end_that_nobody_saw_is_noted(store):
    ask(store, "add", "--name", "short", *python("import time; time.sleep(1); raise SystemExit(4)"))
    first = daemon(store)
    until(lambda: states(store)[1] == "running")
    first.kill()
    first.communicate()
    job = store.read().jobs[1]
    until(lambda: not processes.members(job.process, job.boot))
    run(store)
    assert states(store) == {1: "failed"}
    assert store.read().jobs[1].code == 4


def test_a_machine_that_was_gone_continues_with_the_resume_command(store, tmp_path):
    """Everything killed at once, wrapper and all: no exit code, a torn line, and a lock file that nobody holds."""
    path = tmp_path / "numbers"
    count = python(COUNTER, "0", "1000", "0.05", str(path))
    rest = f"{sys.executable} {tmp_path / 'rest.py'} 1000 1002 0 {path}"
    (tmp_path / "rest.py").write_text(COUNTER)
    ask(store, "add", "--name", "count", "--resume-command", rest, "--resume-file", str(path), *count)
    first = daemon(store)
    until(path.exists)
    until(lambda: states(store)[1] == "running")
    first.kill()
    first.communicate()
    job = store.read().jobs[1]
    processes.send(processes.members(job.process, job.boot), signal.SIGKILL)
    with store.events.open("a") as stream:
        stream.write('{"time":1,"number":1,"end":"do')
    assert (store.folder / "daemon.lock").exists()
    said = "\n".join(run(store))
    assert states(store) == {1: "done"}
    assert "1 count: interrupted: it was killed" in said
    assert "1 count: continued" in said
    assert path.read_text().splitlines()[-2:] == ["1000", "1001"]
    assert all(json.loads(line) for line in store.events.read_text().splitlines())


def test_another_boot_or_another_process_of_that_number_is_not_the_job():
    own = psutil.Process()
    assert processes.members((own.pid, own.create_time()), "another boot") == []
    assert processes.members((own.pid, own.create_time() - 1000), processes.boot()) == []


def test_a_job_that_is_ended_before_its_command_has_started_is_interrupted_all_the_same(tmp_path):
    exit_file = tmp_path / "exit.json"
    child = processes.start(["sleep", "600"], exit_file, tmp_path / "log", str(tmp_path), {}, 0)
    processes.end((child.pid, processes.began(child.pid)), processes.boot())
    child.wait()
    assert json.loads(exit_file.read_text())["code"] == -signal.SIGINT


@pytest.mark.parametrize(("number", "expected"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)])
def test_a_stopped_daemon_ends_its_jobs_in_order(store, tmp_path, number, expected):
    path = tmp_path / "numbers"
    ask(store, "add", "--name", "count", *python(COUNTER, "0", "100000", "0.05", str(path)))
    first = daemon(store)
    until(path.exists)
    first.send_signal(number)
    said, _ = first.communicate(timeout=SECONDS)
    assert first.returncode == expected
    assert "count: interrupted" in said
    assert "asked to end" in store.log(1).read_text()
    job = store.read().jobs[1]
    assert (job.state, job.crashes) == ("interrupted", 0)
    assert job.process is None


def test_interrupts_that_were_ignored_where_the_daemon_began_reach_the_job(store, tmp_path):
    """As under nohup, or in the background of a shell script."""
    path = tmp_path / "numbers"
    ask(store, "add", *python(COUNTER, "0", "100000", "0.05", str(path)))
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        first = daemon(store)
    finally:
        signal.signal(signal.SIGINT, before)
    until(path.exists)
    first.send_signal(signal.SIGTERM)
    first.communicate(timeout=SECONDS)
    assert "asked to end" in store.log(1).read_text()


def test_who_is_killed_again_and_again_fails(store):
    ask(store, "add", "--name", "doomed", *python("import os; os.kill(os.getpid(), 9)"))
    said = "\n".join(run(store))
    assert states(store) == {1: "failed"}
    assert store.read().jobs[1].attempts == 3
    assert "killed 3 times in a row" in said
    ask(store, "again", "1")
    assert states(store) == {1: "interrupted"}
    assert ask(store, "again", "1")[0] == 2


def lines_of(path: Path) -> int:
    return len(path.read_text().splitlines()) if path.exists() else 0


def test_pause_stops_all_processes_and_resume_continues_them(store, tmp_path):
    path = tmp_path / "numbers"
    ask(store, "add", "--name", "count", "--", "sh", "-c", f"{sys.executable} {tmp_path / 'count.py'}; true")
    (tmp_path / "count.py").write_text(f"import sys; sys.argv[1:] = ['0', '100000', '0.02', {str(path)!r}]\n{COUNTER}")
    ask(store, "add", "--name", "second", *python("pass"))
    first = daemon(store, "--cores", "2")
    until(lambda: lines_of(path) > 3 and states(store)[2] == "done")
    assert ask(store, "pause")[0] == 0
    time.sleep(0.3)
    before = lines_of(path)
    ask(store, "add", "--name", "third", *python("pass"))
    time.sleep(1.2)
    assert lines_of(path) == before
    assert states(store) == {1: "running", 2: "done", 3: "waiting"}
    assert "paused" in ask(store)[1]
    assert ask(store, "resume", "1")[0] == 2  # everything is paused
    assert ask(store, "resume")[0] == 0
    until(lambda: lines_of(path) > before and states(store)[3] == "done")
    assert ask(store, "pause", "1")[0] == 0
    assert ask(store, "remove", "1")[0] == 0  # even one that is stopped
    until(lambda: states(store)[1] == "removed")
    assert ask(store, "show", "1") == (2, "error: no job 1 in the queue\n")
    first.terminate()
    first.communicate(timeout=SECONDS)
    assert first.returncode == 0


def test_what_measures_time_is_ended_by_a_pause_and_continued(store, tmp_path):
    path = tmp_path / "numbers"
    ask(store, "add", "--timed", *python(COUNTER, "0", "100000", "0.05", str(path)))
    first = daemon(store)
    until(path.exists)
    assert "ended, because it measures time" in ask(store, "pause", "1")[1]
    until(lambda: states(store)[1] == "interrupted")
    time.sleep(1.2)
    assert states(store)[1] == "interrupted"
    ask(store, "resume", "1")
    until(lambda: states(store)[1] == "running")
    first.terminate()
    first.communicate(timeout=SECONDS)


def test_two_daemons_do_not_run_one_queue(store):
    ask(store, "add", *python("import time; time.sleep(60)"))
    first = daemon(store)
    until(lambda: states(store)[1] == "running")
    code, page = ask(store, "run")
    assert (code, page.splitlines()[-1]) == (2, f"error: {store.folder}: its queue is already run by another process")
    assert states(store)[1] == "running"
    first.terminate()
    first.communicate(timeout=SECONDS)


@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        ([], "no command"),
        (["no-such-program", "x"], "no program 'no-such-program' on the path"),
        (["python", "-m", "tuning.no_such"], "no module 'tuning.no_such' here"),
        (["python", "-m", "tuning.match", "--games", "x"], "invalid int value: 'x'"),
        (["python", "-m", "tuning.match", "--no-such-flag"], "unrecognized arguments: --no-such-flag"),
        (["python", "-m", "tuning.match", "--engine", "cat"], "a match needs two engines"),
        (["python", "-m", "tuning.match", "--engine", "cat", "--engine", "no-such", "--nodes", "5"], "no program 'no-"),
        (["python", "-m", "tuning.match", "--new", "no-such", "--base", "HEAD", "--nodes", "5"], "revision 'no-such'"),
        (["python", "-m", "tuning.match", "--engine", "cat", "--engine", "cat", "--nodes", "5", "--openings", "/no"],
         "/no: no such file"),
        (["python", "-m", "tuning.match", "--engine", "cat", "option.EvalFile=/no.nnue", "--engine", "cat", "--nodes",
          "5"], "option.EvalFile=/no.nnue: no such network"),
        (["python", "-m", "tuning.match", "--resume", "/no.jsonl"], "/no.jsonl: no such file"),
        (["python", "-m", "tuning.texel", "--positions", "/no.tsv", "--cache", "x"], "/no.tsv: no such file"),
    ],
)  # fmt: skip
def test_what_cannot_run_is_named_at_once(store, command, complaint):
    code, page = ask(store, "add", "--", *command)
    assert code == 2
    assert complaint in page
    assert len(page.splitlines()) == 1
    assert not store.read().jobs


def test_a_book_of_junk_is_named_at_once(store, tmp_path):
    (tmp_path / "book.epd").write_text("nonsense\n")
    match = ["python", "-m", "tuning.match", *words("a", FOOLS_MATE), *words("b", FOOLS_MATE), "--nodes", "5"]
    code, page = ask(store, "add", "--cwd", str(tmp_path), "--", *match, "--openings", "book.epd")
    assert code == 2
    assert "no usable opening in it" in page


def test_tools_are_continued_from_their_results(tmp_path):
    order = Order("x", ("python", "-m", "tuning.match", *words("a", FOOLS_MATE), *words("b", FOOLS_MATE),
                        "--nodes", "9", "--pgn=x.pgn", "--concurrency", "{cores}"), str(tmp_path), 2)  # fmt: skip
    made = completed(order, tmp_path / "r.jsonl")
    assert made.command[-5:] == ("--pgn=x.pgn", "--concurrency", "2", "--json", str(tmp_path / "r.jsonl"))
    assert made.resume_command == (
        sys.executable, "-m", "tuning.match", "--resume", str(tmp_path / "r.jsonl"), "--pgn=x.pgn",
        "--concurrency", "2",
    )  # fmt: skip
    assert made.resume_file == made.results == str(tmp_path / "r.jsonl")
    assert not made.timed
    arena = ("python", "-m", "tuning.arena", "--nodes", "9", "--games", "2", "--keep", "games.vf")
    assert completed(Order("x", arena, str(tmp_path)), tmp_path / "r.jsonl").resume_command[-2:] == (
        "--keep",
        "games.vf",
    )
    assert module_of(("python3", "-u", "-m", "x.y", "z")).words == ("z",)
    assert module_of(("python3", "x.py", "-m", "x")) is None
    with pytest.raises(SetupError, match="no program"):
        completed(Order("x", ("no-such",), "/"), tmp_path)


def test_revisions_are_those_of_the_moment_a_job_was_added(tmp_path, monkeypatch):
    """So that writing goes on while games are played."""
    monkeypatch.setattr(revisions, "resolve", lambda revision: {".": "a" * 40, "HEAD": "b" * 40}[revision])
    words = ("--new", ".", "--base=HEAD", "--engine", "rev=HEAD", "name=rev")
    module = module_of(("python", "-m", "tuning.match", *words))
    assert pinned(module).words == ("--new", "a" * 10, f"--base={'b' * 10}", "--engine", f"rev={'b' * 10}", "name=rev")


def test_a_job_runs_in_the_worktree_of_its_revision(store, tmp_path, monkeypatch):
    home = revisions.Home(tmp_path / "tree", tmp_path / "cache")
    home.tree.mkdir()
    monkeypatch.setattr(revisions, "resolve", lambda revision: f"commit of {revision}")
    monkeypatch.setattr(revisions, "prepare", lambda commit: {"commit of .": home}[commit])
    monkeypatch.chdir(tmp_path)
    (tmp_path / "book.epd").touch()
    code = "import os, sys; print(os.getcwd(), os.environ['NUMBAT_CACHE_DIR'], *sys.argv[1:])"
    assert ask(store, "add", "--rev", ".", *python(code, "book.epd", "file=book.epd", "other.epd"))[0] == 0
    run(store)
    book = tmp_path / "book.epd"
    assert f"{home.tree} {home.cache} {book} file={book} other.epd" in store.log(1).read_text()


def test_a_match_in_the_queue_is_resumed_and_shows_its_elo(store, tmp_path):
    """Killed in the middle, with its daemon and the machine; then finished, no game played twice."""
    slow = [*words("w", FOOLS_MATE, "late", "0", "0.05"), *words("b", FOOLS_MATE)]
    match = ["python", "-m", "tuning.match", *slow, "--nodes", "5", "--games", "40", "--plies", "0"]
    assert ask(store, "add", "--name", "a match", "--", *match, "--scheduler", "here")[0] == 0
    results = Path(store.read().jobs[1].order.results)
    first = daemon(store)
    until(lambda: lines_of(results) > 3)
    first.kill()
    first.communicate()
    job = store.read().jobs[1]
    processes.send(processes.members(job.process, job.boot), signal.SIGKILL)
    run(store)
    assert states(store) == {1: "done"}
    assert "Elo +0.0 ±0.0" not in ask(store)[1]
    assert "40 games +20 =0 -20" in ask(store)[1]
    games = [json.loads(line)["game"] for line in results.read_text().splitlines() if line.startswith('{"game"')]
    assert len({(game["pair"], game["index"]) for game in games}) == len(games) == 40


def test_a_job_is_called_by_its_number_or_its_name(store):
    for name in ("one", "two", "two", "1"):
        ask(store, "add", "--name", name, *python("pass"))
    assert "1 one" in ask(store, "show", "one")[1]
    assert ask(store, "show", "1") == ask(store, "show", "one")  # a number comes before a name
    assert ask(store, "pause", "two") == (2, "error: jobs 2, 3 are called two: say which by its number\n")
    assert ask(store, "remove", "2")[0] == 0
    assert ask(store, "priority", "two", "5")[0] == ask(store, "pause", "two")[0] == 0
    two = store.read().jobs[3]
    assert (two.order.priority, two.paused) == (5, True)
    assert ask(store, "show", "three") == (2, "error: no job three in the queue\n")


def test_what_a_job_printed_does_not_act(store, capsys):
    hostile = "[red]\x1b[2J\x9b"
    ask(store, "add", "--name", hostile, *python("pass"))
    store.log(1).parent.mkdir(parents=True, exist_ok=True)
    store.log(1).write_bytes(f"first\n{hostile}\tlast".encode() + b"\xff\n")
    assert ask(store, "log", hostile, "-n", "1")[0] == 0
    assert capsys.readouterr().out == "[red]\\x1b[2J\\x9b\tlast\\xff\n"
    assert "1 [red]\\x1b[2J\\x9b" in ask(store, "show", "1")[1]
    assert "[red]\\x1b[2J" in ask(store, "list")[1]


def test_what_the_queue_cannot_do_is_one_line(store, tmp_path):
    for text in ("show 9", "log 9", "remove 9", "pause 9", "resume 9", "again 9", "priority 9 1"):
        assert ask(store, *text.split()) == (2, "error: no job 9 in the queue\n")
    ask(store, "add", *python("pass"))
    assert ask(store, "log", "1")[1] == "error: job 1 has not printed anything yet\n"
    assert ask(store, "add", "--cores", "0", *python("pass")) == (2, "error: --cores must be 1 or more, not 0\n")
    assert ask(store, "run", "--cores", "-1") == (2, "error: --cores must be 1 or more, not -1\n")
    (tmp_path / "file").touch()
    code, page = ask(Store(tmp_path / "other"), "--directory", str(tmp_path / "file" / "x"), "list")
    assert (code, len(page.splitlines())) == (2, 1)
    store.events.write_text('{"time":1,"number":1,"add":{"name":"x"}}\n')
    code, page = ask(store)
    assert code == 2
    assert "events.jsonl:1 is not an event of a queue" in page
    store.events.unlink()
