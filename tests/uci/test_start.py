"""A warm start, and several first ones."""

from contextlib import ExitStack

import pytest

from tests.uci.process import COLD_TIMEOUT, UciProcess


def play(process: UciProcess) -> str:
    """A first search; its node count and move."""
    lines = process.ask("position startpos moves e2e4", "go depth 6", until="bestmove")
    report = [line for line in lines if line.startswith("info depth 6 ")][-1].split()
    return f"{report[report.index('nodes') + 1]} {lines[-1]}"


def test_the_first_search_after_a_warm_start_fits_a_short_clock(running):
    assert running.process.poll() is None
    with UciProcess() as process:
        process.send("uci", "isready", "position startpos", "go wtime 100 btime 100")
        process.read("uciok")
        assert process.read("readyok") == ["readyok"]  # it compiled nothing
        lines = process.read("bestmove")
        assert [line for line in lines if " score " in line]
        process.quit()


@pytest.mark.slow
def test_eight_first_starts_at_once(tmp_path):
    environment = {"NUMBAT_CACHE_DIR": str(tmp_path)}
    with ExitStack() as stack:
        processes = [stack.enter_context(UciProcess(environment=environment)) for _ in range(8)]
        for process in processes:
            process.send("uci", "isready")
        for process in processes:
            process.read("readyok", 2 * COLD_TIMEOUT)
        assert len({play(process) for process in processes}) == 1
        for process in processes:
            process.quit()
