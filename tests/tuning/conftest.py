"""What several of the workbench's tests share: engines of a few lines that break down on order, and a few games."""

import io
import random
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import chess
import chess.syzygy
import pytest

from engine.console import Console
from tuning import datagen
from tuning.common import command
from tuning.matches import units
from tuning.matches.engines import EngineSpec
from tuning.matches.limits import TimeControl
from tuning.selfplay import generation, shards

SCRIPT = Path(__file__).with_name("trivial_engine.py")

FOOLS_MATE = ("f2f3", "e7e5", "g2g4", "d8h4")
SCHOLARS_MATE = ("e2e4", "e7e5", "d1h5", "b8c6", "f1c4", "g8f6", "h5f7")

EngineMaker = Callable[..., EngineSpec]


def long_line(plies: int, seed: int = 1) -> list[str]:
    """A legal game of that many plies that no rule ends."""
    source = random.Random(seed)
    while True:
        board = chess.Board()
        while len(board.move_stack) < plies:
            moves = [move for move in board.legal_moves if not board.is_capture(move)] or list(board.legal_moves)
            if not moves or board.is_repetition(3) or board.halfmove_clock >= 90 or board.is_insufficient_material():
                break
            board.push(source.choice(moves))
        else:
            if not board.is_game_over(claim_draw=True):
                return [move.uci() for move in board.move_stack]


@pytest.fixture
def trivial() -> EngineMaker:
    """Make the description of a trivial engine that follows ``line`` and shows ``fault`` at a ply."""

    def make(
        name: str,
        line: tuple[str, ...] | list[str],
        fault: str = "",
        at: int = -1,
        pause: float = 0.0,
        limits: TimeControl = TimeControl(base=10.0),  # noqa: B008
    ) -> EngineSpec:
        words = (",".join(line), *((fault, str(at), str(pause)) if fault else ()))
        return EngineSpec(name, (sys.executable, "-S", "-E", str(SCRIPT), *words), limits=limits)

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


@pytest.fixture(autouse=True)
def _no_engine_left_over() -> Iterator[None]:
    """Engines that a test started in this process quit with it."""
    yield
    units.close_engines()


def rival(name: str) -> str:
    """The path of an installed engine; skips the test if it is missing."""
    found = shutil.which(name) or shutil.which(name, path="/usr/games:/usr/local/games")
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of four games of self-play, in two files."""
    directory = tmp_path_factory.mktemp("games") / "first"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(generation, "SHARD", 2)
        patch.setattr(shards, "SHARD", 2)
        words = ["--nodes", "100", "--opening-nodes", "100", "--hash", "1", "--scheduler", "here"]
        assert datagen.main([str(directory), *words, "--games", "4"]) == 0
    return directory
