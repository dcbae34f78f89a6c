"""One running engine for all conversations that need no process of their own."""

from collections.abc import Iterator

import pytest

from engine.options import OPTIONS
from tests.uci.process import COLD_TIMEOUT, UciProcess


@pytest.fixture(scope="session")
def running() -> Iterator[UciProcess]:
    """A process that lives through all tests of this folder."""
    with UciProcess() as process:
        process.send("uci")
        process.read("uciok")
        process.synchronise(COLD_TIMEOUT)  # the very first start compiles
        yield process
        process.quit()


@pytest.fixture
def uci(running: UciProcess) -> Iterator[UciProcess]:
    """The running engine with the start position and nothing left over from another test."""
    running.send("stop", "ucinewgame", "position startpos")
    running.fen()  # answered after the end of any search, unlike isready
    before = len(running.transcript)
    yield running
    assert running.errors() == ""
    sent = "\n".join(running.transcript[before:])
    for option in OPTIONS:
        if f"setoption name {option.name} value" in sent:
            running.send(f"setoption name {option.name} value {str(option.default).lower()}")
