"""The launcher for OpenBench: made as its worker makes it, run as its worker runs it."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import chess
import chess.engine
import pytest

from engine.folders import cache_folder

TIMEOUT = 600

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("make") is None or sys.platform == "win32", reason="needs make, and no Windows"),
]


@pytest.fixture(scope="module")
def launcher(repository: Path, tmp_path_factory) -> Path:
    """Made in a copy of the sources, moved away, and the copy deleted; then all caches are the launcher's own."""
    folder = tmp_path_factory.mktemp("openbench")
    source = folder / "source"
    for name in ("engine", "tuning"):
        shutil.copytree(repository / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(repository / "uci_main.py", source)
    command = ["make", "-j", "EXE=Numbat-12345678", "CC=gcc", f"PYTHON={sys.executable}"]
    where = source / "tuning" / "openbench"
    made = subprocess.run(command, cwd=where, env=environment(folder), capture_output=True, text=True, timeout=TIMEOUT)
    assert made.returncode == 0, made.stdout + made.stderr
    shutil.move(where / "Numbat-12345678", folder)
    shutil.rmtree(source)
    return folder / "Numbat-12345678"


def environment(folder: Path) -> dict[str, str]:
    """The user's cache is in ``folder``, but compiled code is shared with all other tests."""
    return {"NUMBAT_CACHE_DIR": str(cache_folder()), **os.environ, "XDG_CACHE_HOME": str(folder / "cache")}


def run(launcher: Path, *arguments: str) -> str:
    result = subprocess.run(
        [f"./{launcher.name}", *arguments],
        cwd=launcher.parent,
        env=environment(launcher.parent),
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=True,
    )
    assert result.stderr == ""
    return result.stdout


def parsed(output: str) -> tuple[int, int]:
    """Nodes and speed by the rules of OpenBench's client: the last line that has them, all signs made spaces."""
    nodes = speed = None
    for line in reversed(output.strip().splitlines()):
        line = re.sub(r"[^a-zA-Z0-9 ]+", " ", line)
        found_speed = re.search(r"(\d+)\s+nps", line)
        found_nodes = re.search(r"(\d+)\s+nodes", line)
        speed = speed or (found_speed and int(found_speed[1]))
        nodes = nodes or (found_nodes and int(found_nodes[1]))
    assert nodes, output
    assert speed, output
    return nodes, speed


def test_bench_is_the_one_of_the_sources(launcher: Path, repository: Path) -> None:
    command = [sys.executable, repository / "uci_main.py", "bench"]
    plain = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=True).stdout
    assert parsed(run(launcher, "bench"))[0] == parsed(plain)[0]


def test_it_plays_and_unpacks_itself_once(launcher: Path) -> None:
    with chess.engine.SimpleEngine.popen_uci(
        [str(launcher)], timeout=TIMEOUT, env=environment(launcher.parent)
    ) as engine:
        assert engine.id["name"].startswith("Numbat ")
        assert engine.play(chess.Board(), chess.engine.Limit(depth=3)).move in chess.Board().legal_moves
    assert len(list((launcher.parent / "cache" / "numbat").glob("launcher-*"))) == 1


def test_a_python_without_what_is_needed_is_told_so(launcher: Path, repository: Path) -> None:
    del launcher
    command = [sys.executable, "-S", "-E", "bundle.py", "nothing"]
    result = subprocess.run(command, cwd=repository / "tuning" / "openbench", capture_output=True, text=True)
    assert result.returncode == 2
    (line,) = result.stderr.splitlines()
    assert re.match(r"bundle: .* lacks numba, .*pip install numba", line)
    assert not (repository / "tuning" / "openbench" / "nothing").exists()
