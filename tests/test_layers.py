"""Imports point down only, in engine and workbench; every file is looked at, imports inside functions included."""

import ast
import graphlib
from collections.abc import Iterator
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent

#: What each part of the engine may import from, below itself: the parts on lower floors.
FLOORS: dict[str, int] = {
    "version": 0,
    "messages": 0,
    "fen": 1,
    "printing": 0,
    "options": 1,
    "files": 1,
    "folders": 1,
    "memory": 1,
    "configuration": 0,
    "commandline": 2,
    "console": 1,
    "processes": 1,
    "pages": 0,
    "reading": 2,
    "jit": 2,
    "board": 3,
    "evaluation": 4,
    "search": 5,
    "syzygy": 6,
    "play": 7,
    "explanation": 8,
    "api": 9,
    "uci": 10,
    # Beside the engine: they stand on it, and only the command line stands on them.
    "textbook": 10,
    "lab": 11,
    "analysis": 11,
    "suites": 11,
}

#: Parts without a floor of their own: the package itself names its version and passes on ``Engine``.
PACKAGE = "__init__"

#: The floor of ``uci_main``, above everything.
TOP = 100

#: The rooms of the workbench; each imports only from those before it. Commands, the files beside them, stand on all.
ROOMS = (
    "common",
    "statistics",
    "matches",
    "data",
    "selfplay",
    "learning",
    "levels",
    "experiments",
    "packaging",
    "benchmarks",
)


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


def is_module(name: str) -> bool:
    """Whether a file or a package of the repository is called so."""
    path = REPOSITORY / name.replace(".", "/")
    return path.is_dir() or path.with_suffix(".py").exists()


def imports_of(source: str, package: str = "") -> Iterator[tuple[int, str]]:
    """Line and module of every import, wherever it stands; with ``package``, of those from it."""
    for node in ast.walk(ast.parse(source)):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: write imports in full"
            inside = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [name if is_module(name) else node.module for name in inside]
        yield from ((node.lineno, name) for name in names if package in ("", name.split(".")[0]))


def violations(module: str, source: str) -> list[str]:
    """What ``source`` imports against the rules, were it the module ``module``."""
    found = []
    floor = TOP if module == "uci_main" else FLOORS.get(part_of(module), -1)
    for line, imported in imports_of(source):
        top = imported.split(".")[0]
        if top in ("tests", "tuning", "uci_main"):
            found.append(f"line {line}: the engine must not know {top}")
        elif top == "numba" and part_of(module) != "jit":
            found.append(f"line {line}: {imported} without the settings of engine.jit")
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


def workbench_files() -> list[Path]:
    """All Python files of the workbench."""
    return sorted((REPOSITORY / "tuning").rglob("*.py"))


def room_of(path: Path) -> str:
    """The room that a file of the workbench is in, ``tuning`` for a command."""
    return ["tuning", *path.relative_to(REPOSITORY / "tuning").parts[:-1]][:2][-1]


def room_violations(module: str, source: str) -> list[str]:
    """What ``source`` imports against the rules of the workbench, were it the module ``module`` of it."""
    found = [
        f"line {line}: the workbench must not know {imported}"
        for line, imported in imports_of(source)
        if imported.split(".")[0] in ("tests", "uci_main", "numba")  # engine.jit loads numba with its settings
    ]
    room = module.split(".")[1] if module.count(".") > 1 else None
    for line, imported in imports_of(source, "tuning"):
        target = [*imported.split("."), ""][1]
        if target not in ROOMS:
            found.append(f"line {line}: no file imports the command {imported}")
        elif room in ROOMS and ROOMS.index(target) > ROOMS.index(room):
            found.append(f"line {line}: {module} must not import {imported}")
    return found


@pytest.mark.parametrize("path", workbench_files(), ids=lambda path: path.relative_to(REPOSITORY).as_posix())
def test_imports_of_the_workbench_point_down(path):
    module = ".".join(path.relative_to(REPOSITORY).with_suffix("").parts)
    assert room_of(path) in ("tuning", *ROOMS), f"give {room_of(path)} a place in ROOMS"
    assert room_violations(module, path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("package", ["engine", "tuning"])
def test_no_two_files_stand_on_each_other(package):
    graph = {}
    for path in (REPOSITORY / package).rglob("*.py"):
        module = ".".join(path.relative_to(REPOSITORY).with_suffix("").parts)
        graph[module] = {imported for _, imported in imports_of(path.read_text(encoding="utf-8"), package)}
    graphlib.TopologicalSorter(graph).prepare()  # raises CycleError
