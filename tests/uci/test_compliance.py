"""The forty checks that fastchess makes of an engine (``fastchess --compliance``), in our own words.

The list is that of Disservin/fastchess, app/src/engine/compliance.hpp (74deac2, July 2026), step by step in its order;
where the program itself is installed, it is asked as well.
"""

import shutil
import subprocess
import sys

import pytest

from tests.uci.process import COLD_TIMEOUT, MAIN, UciProcess

#: fastchess waits that long for an answer, in seconds.
PING = 60.0

MIDDLEGAME = "3r2k1/p5n1/1pq1p2p/2p3p1/2P1P1n1/1P1P2pP/PN1Q2K1/5R2 w - - 0 27"
BLACK_TO_MOVE = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"


#: Searches in the order of the list, each with what is sent before it.
SEARCHES = (
    ("position startpos", f"position fen {MIDDLEGAME}", "go wtime 100"),
    (f"position fen {BLACK_TO_MOVE}", "go btime 100"),
    ("go wtime 100 winc 100 btime 100 binc 100",),
    ("go btime 100 binc 100 wtime 100 winc 100",),
    ("ucinewgame", "position startpos", "go wtime 100 btime 100"),
    ("position startpos moves e2e4 e7e5", "go wtime 100 btime 100"),
)


def test_compliance_list() -> None:
    with UciProcess() as process:
        introduction = process.ask("uci", until="uciok$")
        for name in ("id name ", "id author "):
            assert [line for line in introduction if line.startswith(name) and line != name.strip()]
        process.synchronise(COLD_TIMEOUT)  # the first start of all may compile
        process.send("ucinewgame")
        for *before, go in SEARCHES:
            for line in before:
                process.send(line)
                process.synchronise(PING)
            process.send(go)
            *_, report, answer = process.read("bestmove", PING)
            assert answer.split()[1] != "(none)"
            assert len(answer.split()) in (2, 4)
            words = report.split()
            assert words[0] == "info"
            for name in ("time", "nps", "score"):
                assert "." not in words[words.index(name) + 1]
        process.quit()


@pytest.mark.skipif(shutil.which("fastchess") is None, reason="fastchess is not installed")
@pytest.mark.usefixtures("running")  # compiled by now
def test_fastchess_itself_is_content() -> None:
    command = ["fastchess", "--compliance", sys.executable, str(MAIN)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=COLD_TIMEOUT)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "Engine passed all compliance checks." in result.stdout
