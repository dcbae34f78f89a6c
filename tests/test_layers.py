"""Imports point down only; every file of the engine is looked at, imports inside functions included."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent

#: What each part of the engine may import from, below itself: the parts on lower floors.
FLOORS: dict[str, int] = {
    "messages": 0,
    "options": 1,
    "files": 1,
    "jit": 2,
    "board": 3,
    "evaluation": 4,
    "search": 5,
    "syzygy": 5,
    "tablereader": 5,
    "tablebase": 6,
    "book": 6,
    "bench": 6,
    "wdl": 6,
    "strength": 6,
    "glance": 5,
    "chesstypes": 6,
    "thinker": 7,
    "explanation": 7,
    "api": 8,
    "aio": 9,
    "uci": 9,
    # Beside the engine: they stand on it, and only the command line stands on them.
    "textbook": 9,
    "lab": 10,
    "analysis": 11,
}

#: Parts without a floor of their own: the package itself names its version and passes on ``Engine``.
PACKAGE = "__init__"

#: The floor of ``uci_main``, above everything.
TOP = 100


def source_files() -> list[Path]:
    """All Python files that the rules are about."""
    return [REPOSITORY / "uci_main.py", *sorted((REPOSITORY / "engine").rglob("*.py"))]


def part_of(module: str) -> str:
    """``board`` for ``engine.board.types``, ``__init__`` for ``engine`` itself."""
    return [*module.split("."), PACKAGE][1]


def module_of(path: Path) -> str:
    """The dotted name of a file."""
    names = list(path.relative_to(REPOSITORY).with_suffix("").parts)
    return ".".join(names[:-1] if names[-1] == PACKAGE and len(names) > 2 else names)


def imports_of(source: str) -> Iterator[tuple[int, str]]:
    """Line and module of every import, wherever it stands."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: write imports in full"
            assert node.module is not None
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            for name in names if node.module == "engine" else [node.module]:
                yield node.lineno, name


def violations(module: str, source: str) -> list[str]:
    """What ``source`` imports against the rules, were it the module ``module``."""
    found = []
    floor = TOP if module == "uci_main" else FLOORS.get(part_of(module), -1)
    for line, imported in imports_of(source):
        top = imported.split(".")[0]
        if top in ("tests", "tuning", "uci_main"):
            found.append(f"line {line}: the engine must not know {top}")
        elif top == "engine":
            target = part_of(imported)
            inside = target == part_of(module) and module != "uci_main"
            if not inside and FLOORS.get(target, 0) >= floor:
                found.append(f"line {line}: {module} must not import {imported}")
    return found


@pytest.mark.parametrize("path", source_files(), ids=lambda path: path.relative_to(REPOSITORY).as_posix())
def test_imports_point_down(path):
    module = module_of(path)
    if module == f"engine.{PACKAGE}":
        return  # resolves Engine lazily, by name
    assert module == "uci_main" or part_of(module) in FLOORS, f"give {part_of(module)} a floor in FLOORS"
    assert violations(module, path.read_text(encoding="utf-8")) == []


def test_tuning_is_no_part_of_the_engine():
    assert not [path for path in source_files() if "tuning" in path.parts]


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("engine.board.moves", "from engine.search import alphabeta"),
        ("engine.jit.cache", "import engine.board"),
        ("engine.api", "def f():\n    from engine.uci.output import Output"),
        ("engine.search.worker", "from tuning import spsa"),
        ("engine.evaluation.material", "from engine import api"),
        ("engine.uci.loop", "from engine.textbook import pvs"),
        ("engine.api", "from engine.analysis import annotate"),
        ("engine.messages", "from engine.options import OPTIONS"),
    ],
)
def test_imports_that_point_up_are_found(module, source):
    assert len(violations(module, source)) == 1


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("engine.search.worker", "from engine.board.moves import Move\nimport numpy"),
        ("engine.uci.session", "from engine.api import Engine"),
        ("engine.board.moves", "from engine.board.types import EMPTY"),
        ("uci_main", "from engine.uci.loop import run\nfrom engine import __version__"),
        ("engine.uci.loop", "from engine import __version__"),
        ("engine.textbook.games.chess", "from engine.board import position"),
    ],
)
def test_imports_that_point_down_are_allowed(module, source):
    assert violations(module, source) == []
