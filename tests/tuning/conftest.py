"""Fixtures for the tests of the workbench: fake engines, a fake fastchess, and a few games."""

import io
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.console import Console
from tuning import datagen
from tuning.common import command
from tuning.selfplay import generation, shards

SCRIPT = Path(__file__).with_name("fake_engine.py")

FASTCHESS = Path(__file__).with_name("fake_fastchess.py")


def words(name: str, *fault: str) -> list[str]:
    """An ``--engine`` flag for the fake engine."""
    command = shlex.join([sys.executable, "-S", "-E", str(SCRIPT), *fault])
    return ["--engine", f"cmd={command}", f"name={name}"]


@pytest.fixture
def playing(tmp_path: Path) -> Callable[..., list[str]]:
    """The flag ``--fastchess`` for the stand-in with these results."""

    def make(*results: str) -> list[str]:
        script = tmp_path / "fastchess"
        command = shlex.join([sys.executable, "-S", "-E", str(FASTCHESS), ",".join(results)])
        script.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
        script.chmod(0o755)
        return ["--fastchess", str(script)]

    return make


def run_tool(monkeypatch: pytest.MonkeyPatch, main: Callable[..., int], *words: str) -> tuple[int, str]:
    """The exit code of a tool in this process, and what it prints on a wide page."""
    page = io.StringIO()
    monkeypatch.setattr(command, "make_console", lambda: Console(file=page, width=240))
    return main([*words]), page.getvalue()


def finished(outcome: tuple[int, str]) -> str:
    """What a tool printed that ended well."""
    assert outcome[0] == 0, outcome[1]
    return outcome[1]


def refused(outcome: tuple[int, str], complaint: str) -> str:
    """What a tool printed that refused its command line with this complaint."""
    assert (outcome[0], complaint in outcome[1]) == (2, True), outcome[1]
    return outcome[1]


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of four games of self-play, in two files."""
    directory = tmp_path_factory.mktemp("games") / "first"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(generation, "SHARD_GAMES", 2)
        patch.setattr(shards, "SHARD_GAMES", 2)
        words = ["--nodes", "100", "--opening-nodes", "100", "--hash", "1", "--scheduler", "here"]
        assert datagen.main([str(directory), *words, "--games", "4"]) == 0
    return directory
