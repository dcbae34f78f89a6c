"""The order of answers: nothing overtakes what was sent before it, and one ``stop`` ends all that it was meant for."""

import pytest

from engine.messages import Limits, Signals
from engine.uci.output import Output
from engine.uci.parse import Go
from engine.uci.session import Session
from tests.uci.process import UciProcess

ROUNDS = 100

WORK = {
    "search": ("go depth 1", "bestmove"),
    "perft": ("go perft 1", r"\d+ ms, \d+ nodes per second"),
    "bench": ("bench 1", r"\d+ nodes \d+ nps"),
}


@pytest.mark.parametrize("work", WORK)
def test_readyok_never_overtakes_earlier_commands(uci: UciProcess, work: str) -> None:
    """Right after the last line of a search there is a moment when the engine is not at rest yet."""
    go, end = WORK[work]
    for _ in range(ROUNDS if work != "bench" else 3):
        uci.ask(go, until=end)
        uci.send("setoption name EvalFile value /no/such/network", "isready")
        (remark, _) = uci.read("readyok")
        assert "/no/such/network" in remark


def test_a_new_game_is_waited_for(uci: UciProcess) -> None:
    """A large table takes long to clear: that must not fall into the next clock."""
    uci.send("debug on")
    try:
        for _ in range(ROUNDS):
            uci.ask("go depth 1", until="bestmove")
            uci.send("ucinewgame", "position startpos moves e2e4", "isready")
            (remark, _) = uci.read("readyok")
            assert "4P3" in remark
    finally:
        uci.send("debug off")


def test_answers_come_in_the_order_of_the_questions(uci: UciProcess) -> None:
    """Also those that need no engine."""
    for _ in range(ROUNDS):
        uci.send("d", "nonsense", "setoption name Hash value 0", "go perft 1", "position nowhere", "d", "isready")
        said = uci.read("readyok")
        marks = ("Fen: ", "info string unknown", "info string Hash must be", "Nodes", "info string position", "Fen: ")
        places = [index for index, line in enumerate(said) if line.startswith(marks)]
        assert [said[place].startswith(mark) for place, mark in zip(places, marks, strict=True)] == [True] * 6


def test_readyok_does_not_wait_for_a_queued_search(uci: UciProcess) -> None:
    for _ in range(20):
        uci.send("go infinite", "stop", "go infinite", "position startpos", "isready")
        uci.read("readyok")
        uci.send("stop", "isready")
        uci.read("readyok")


def test_stop_ends_every_earlier_search(uci: UciProcess) -> None:
    uci.send("go infinite", "go infinite", "go infinite", "stop")
    for _ in range(3):
        uci.read("bestmove")
    uci.send("go infinite", "go infinite", "stop", "go infinite")
    for _ in range(2):
        uci.read("bestmove")
    uci.read("info depth 2 ")
    assert not [line for line in uci.synchronise() if line.startswith("bestmove")]
    uci.ask("stop", until="bestmove")


def test_stop_ends_a_queued_perft_and_bench(uci: UciProcess) -> None:
    uci.send("go infinite", "go perft 12", "bench 60", "stop")
    uci.read("bestmove")
    uci.read("info string go perft stopped")
    uci.read("info string bench stopped")


def test_ponderhit_is_for_every_earlier_search(uci: UciProcess) -> None:
    uci.send("go ponder movetime 20", "go ponder movetime 20", "ponderhit")
    uci.read("bestmove")
    uci.read("bestmove")


def test_only_long_waiting_is_reported(uci: UciProcess) -> None:
    uci.send("go perft 3", "position startpos", "go perft 3", "d", "isready")
    assert "info string" not in "".join(uci.read("Fen: "))
    uci.send("go perft 12", "nonsense")
    uci.read("info string the next answer queued until go perft ends")
    uci.ask("stop", "isready", until="readyok")
    uci.send("go infinite", "d", "eval")
    uci.read("info string d queued until the current search ends")
    said = uci.ask("stop", "isready", until="readyok")
    assert "waits" not in "".join(said)
    assert [line for line in said if line.startswith("Fen: ")]


def test_one_stop_is_passed_on_per_search(monkeypatch):
    stops, real = [0], Signals.stop

    def stop(signals: Signals) -> None:
        stops[0] += 1
        real(signals)

    monkeypatch.setattr(Signals, "stop", stop)
    session = Session(Output())  # runs nothing yet
    for _ in range(100):
        session.go(Go(Limits(infinite=True)))
        session.stop()
    assert stops == [100]
