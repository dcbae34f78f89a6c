"""The forty checks that fastchess makes of an engine (``fastchess --compliance``), in our own words.

The list is that of Disservin/fastchess, app/src/engine/compliance.hpp (74deac2, July 2026), step by step in its order;
where the program itself is installed, it is asked as well.
"""

import shutil
import subprocess
import sys
from collections.abc import Callable

import pytest

from tests.uci.process import COLD_TIMEOUT, MAIN, UciProcess

#: fastchess waits that long for an answer, in seconds.
PING = 60.0

MIDDLEGAME = "3r2k1/p5n1/1pq1p2p/2p3p1/2P1P1n1/1P1P2pP/PN1Q2K1/5R2 w - - 0 27"
BLACK_TO_MOVE = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"


class Manager:
    """A tournament manager: what it sends, and what it remembers of the answers."""

    def __init__(self, process: UciProcess) -> None:
        self.process = process
        self.introduction: list[str] = []
        self.answer: list[str] = []

    def start(self) -> None:
        """The engine introduces itself; the first start of all may compile."""
        self.introduction = self.process.ask("uci", until="uciok$")
        self.process.synchronise(COLD_TIMEOUT)

    def ready(self) -> None:
        """The engine is ready, within the time of a ping."""
        self.process.synchronise(PING)

    def has(self, prefix: str) -> None:
        """The engine said who it is."""
        assert [line for line in self.introduction if line.startswith(prefix) and line != prefix.strip()]

    def send(self, line: str) -> None:
        """Just send."""
        self.process.send(line)

    def bestmove(self) -> None:
        """The search ends with a move."""
        self.answer = self.process.read("bestmove", PING)
        assert len(self.answer[-1].split()) in (2, 4)
        assert self.answer[-1].split()[1] != "(none)"

    @property
    def info(self) -> str:
        """The last report before the move."""
        return [line for line in self.answer if line.startswith("info")][-1]

    def reported(self) -> None:
        """There was a report."""
        assert self.info

    def well_formed(self) -> None:
        """``time``, ``nps`` and ``score`` are followed by something, and never by a broken number."""
        words = self.info.split()
        assert words[0] == "info"
        for number, word in enumerate(words):
            if word in ("time", "nps", "score"):
                assert "." not in words[number + 1]

    def scored(self) -> None:
        """The report has a score."""
        assert " score " in self.info


Step = Callable[[Manager], None]


def new_game(manager: Manager) -> None:
    manager.send("ucinewgame")
    manager.ready()


def sends(line: str) -> Step:
    return lambda manager: manager.send(line)


def says(prefix: str) -> Step:
    return lambda manager: manager.has(prefix)


STEPS: tuple[tuple[str, Step], ...] = (
    ("the engine starts", Manager.start),
    ("it is ready", Manager.ready),
    ("it has a name", says("id name ")),
    ("it has an author", says("id author ")),
    ("a new game", new_game),
    ("the start position", sends("position startpos")),
    ("it is ready after that", Manager.ready),
    ("a position by FEN", sends(f"position fen {MIDDLEGAME}")),
    ("it is ready after that", Manager.ready),
    ("a search with White's clock alone", sends("go wtime 100")),
    ("it moves", Manager.bestmove),
    ("it reports", Manager.reported),
    ("the report is well formed", Manager.well_formed),
    ("the report has a score", Manager.scored),
    ("a position with Black to move", sends(f"position fen {BLACK_TO_MOVE}")),
    ("a search with Black's clock alone", sends("go btime 100")),
    ("it moves", Manager.bestmove),
    ("it reports", Manager.reported),
    ("the report is well formed", Manager.well_formed),
    ("the report has a score", Manager.scored),
    ("a search with increments", sends("go wtime 100 winc 100 btime 100 binc 100")),
    ("it moves", Manager.bestmove),
    ("it reports", Manager.reported),
    ("the report is well formed", Manager.well_formed),
    ("the report has a score", Manager.scored),
    ("a search with increments, Black's first", sends("go btime 100 binc 100 wtime 100 winc 100")),
    ("it moves", Manager.bestmove),
    ("it reports", Manager.reported),
    ("the report is well formed", Manager.well_formed),
    ("the report has a score", Manager.scored),
    ("the report has a score, asked twice", Manager.scored),
    ("another game", new_game),
    ("the start position", sends("position startpos")),
    ("a search with both clocks", sends("go wtime 100 btime 100")),
    ("it moves", Manager.bestmove),
    ("the report is well formed", Manager.well_formed),
    ("the game goes on", sends("position startpos moves e2e4 e7e5")),
    ("a search with both clocks", sends("go wtime 100 btime 100")),
    ("it moves", Manager.bestmove),
    ("the report is well formed", Manager.well_formed),
)


def test_the_forty_steps() -> None:
    assert len(STEPS) == 40
    with UciProcess() as process:
        manager = Manager(process)
        for number, (name, step) in enumerate(STEPS, 1):
            try:
                step(manager)
            except (AssertionError, IndexError) as error:
                raise AssertionError(f"step {number}, {name}: {error}\n{process.transcript[-20:]}") from error
        process.quit()


@pytest.mark.skipif(shutil.which("fastchess") is None, reason="fastchess is not installed")
@pytest.mark.usefixtures("running")  # compiled by now
def test_fastchess_itself_is_content() -> None:
    command = ["fastchess", "--compliance", sys.executable, str(MAIN)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=COLD_TIMEOUT)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "Engine passed all compliance checks." in result.stdout
