"""Fixtures for all tests."""

import asyncio
import inspect
import os
import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import chess.syzygy
import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from engine import Engine

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a shell ignores it in the background, and children inherit that
    signal.signal(signal.SIGINT, signal.default_int_handler)

REPOSITORY = Path(__file__).resolve().parent.parent

settings.register_profile("numbat", deadline=None, max_examples=50)  # a busy machine is no failure
settings.load_profile("numbat")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One worker more than there are processors: many tests wait for processes that they have started."""
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return processors + 1


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """A coroutine runs in a loop of its own, and may not take for ever; the first one may compile."""
    if not inspect.iscoroutinefunction(pyfuncitem.function):
        return None
    arguments = {name: pyfuncitem.funcargs[name] for name in inspect.signature(pyfuncitem.obj).parameters}
    asyncio.run(asyncio.wait_for(pyfuncitem.function(**arguments), 300))
    return True


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the checkout."""
    return REPOSITORY


def as_it_was(engine: "Engine") -> "Iterator[Engine]":
    """The ``engine`` for one test, after which a search is ended and all options are what they were."""
    before = dict(engine.options)
    yield engine
    engine.stop()
    engine.configure({name: value for name, value in before.items() if engine.options[name] != value})


@pytest.fixture(scope="module")
def engine_of_the_module() -> "Iterator[Engine]":
    from engine import Engine  # most parts of the tests need none

    with Engine(hash=4) as running:
        yield running


@pytest.fixture
def shared(engine_of_the_module: "Engine") -> "Iterator[Engine]":
    """An engine for all tests of a module, with the same options for each."""
    yield from as_it_was(engine_of_the_module)


@pytest.fixture(scope="module")  # not longer: asyncio.run fails while Playwright's event loop runs
def tab() -> "Iterator[Page]":
    """A tab of the system's Chromium whose clock the test moves, driven by Playwright; the test is skipped without
    either. A fault in a script of a page fails the test."""
    playwright = pytest.importorskip("playwright.sync_api")
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
    if program is None:
        pytest.skip("no Chromium on PATH")

    def fail(error: Exception) -> None:
        raise AssertionError(f"{page.url}: {error}")

    with playwright.sync_playwright() as started:
        page = started.chromium.launch(executable_path=program, args=["--no-sandbox"]).new_page()
        page.on("pageerror", fail)
        page.clock.install()
        yield page


@pytest.fixture(scope="session")
def data_file() -> Callable[[str], Path]:
    """A function from the name of a data file, such as ``perft/chess960.epd``, to its path.

    The data lie beside the checkout, or where NUMBAT_DATA says; where they are absent the test is skipped.
    """
    root = Path(os.environ.get("NUMBAT_DATA") or REPOSITORY.parent / "shared" / "data")

    def find(name: str) -> Path:
        path = root / name
        if not path.exists():
            pytest.skip(f"no {name} in {root} (NUMBAT_DATA names another place)")
        return path

    return find


@pytest.fixture(scope="session")
def tables_folder(data_file: Callable[[str], Path]) -> Path:
    """Where the Syzygy tables for three and four pieces are."""
    return data_file("syzygy")


@pytest.fixture(scope="session")
def oracle(tables_folder: Path) -> Iterator[chess.syzygy.Tablebase]:
    """python-chess's reader of these tables."""
    with chess.syzygy.open_tablebase(str(tables_folder)) as tables:
        yield tables
