"""engine/README.md against the code: the calls of a search, and where everything else is."""

import re
import sys
import threading
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from engine.messages import Limits
from engine.search import worker
from engine.search.threads import DeepThread
from engine.uci.output import Output
from engine.uci.parse import Go
from engine.uci.session import Session
from tests.uci.process import COLD_TIMEOUT

PAGE = Path(__file__).resolve().parents[2] / "engine" / "README.md"

#: ``name`` in one cell of a row and a link to its file in another, or both in a sentence.
NAMED = re.compile(r"((?:`[\w.]+`,? ?)+)[^`\n]*?\|? ?\(?\[[\w/.]+\]\((\S+?\.py)\)")

FRAME = re.compile(r"^\| `(\w+\.\w+)` \| \[\S+\]\((\S+)\)", re.MULTILINE)


def test_names_of_the_page_are_in_the_files_that_it_links() -> None:
    found = NAMED.findall(PAGE.read_text(encoding="utf-8"))
    assert len(found) >= 20
    for names, file in found:
        module: Any = import_module("engine." + file.removesuffix(".py").replace("/", "."))
        for name in re.findall(r"`([\w.]+)`", names):
            owner = module
            for part in name.split("."):
                assert hasattr(owner, part), f"{file} has no {name}"
                owner = getattr(owner, part)


def test_go_passes_the_frames_of_the_page_in_two_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    class Recorder(Output):
        def line(self, text: str) -> None:
            if "bestmove" in text:
                answered.set()

    def deepen(*arguments: Any) -> int:
        frame = sys._getframe(1)
        names = []
        while frame is not None:
            if Path(frame.f_code.co_filename).is_relative_to(PAGE.parent):
                names.append((frame.f_code.co_qualname, Path(frame.f_code.co_filename)))
            frame = frame.f_back
        calls.append(names[::-1])
        threads.append([thread for thread in threading.enumerate() if isinstance(thread, DeepThread)])
        return real(*arguments)

    calls: list[list[tuple[str, Path]]] = []
    threads: list[list[threading.Thread]] = []
    before = [thread for thread in threading.enumerate() if isinstance(thread, DeepThread)]
    answered, real = threading.Event(), worker.deepen
    session = Session(Recorder())
    session.open()
    session.is_ready()
    session.go(Go(Limits(depth=1)))
    assert answered.wait(COLD_TIMEOUT)
    monkeypatch.setattr(worker, "deepen", deepen)
    answered.clear()
    session.go(Go(Limits(depth=3)))
    assert answered.wait(COLD_TIMEOUT)
    assert session.close()
    assert calls[0] == [(name, PAGE.parent / file) for name, file in FRAME.findall(PAGE.read_text(encoding="utf-8"))]
    assert len(calls[0]) == 6
    assert len(set(threads[0]) - set(before)) == 1  # and the main thread
