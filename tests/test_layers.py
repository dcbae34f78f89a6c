"""Imports point down only, in engine and workbench; imports inside functions count too."""

import ast
import graphlib
from collections.abc import Iterator
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent

#: The parts of the engine from the lowest layer to the highest: each imports only from layers below its own.
LAYERS = (
    ("version", "messages", "printing", "configuration", "pages"),
    ("fen", "options", "files", "folders", "memory", "console", "processes"),
    ("commandline", "reading", "jit"),
    ("board",),
    ("evaluation",),
    ("search",),
    ("syzygy",),
    ("play",),
    ("explanation",),
    ("api",),
    ("uci", "textbook"),
    ("lab", "analysis", "suites"),
)

LAYER_OF = {part: number for number, parts in enumerate(LAYERS) for part in parts}

#: The packages of the workbench: each imports only from itself and those before it. Commands, the files beside them,
#: import from all, and no file imports a command.
PACKAGES = (
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


def modules(folder: str) -> dict[str, str]:
    """The sources of all modules in ``folder``, by dotted name."""
    paths = sorted((REPOSITORY / folder).rglob("*.py"))
    names = [".".join(path.relative_to(REPOSITORY).with_suffix("").parts) for path in paths]
    return {name: path.read_text(encoding="utf-8") for name, path in zip(names, paths, strict=True)}


def is_module(name: str) -> bool:
    """Whether the repository has a module or a package of this name."""
    path = REPOSITORY / name.replace(".", "/")
    return path.is_dir() or path.with_suffix(".py").exists()


def imports_of(source: str) -> Iterator[str]:
    """The module of every import, at any level of the file."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: write imports in full"
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                yield name if is_module(name) else str(node.module)


ENGINE = modules("engine")
WORKBENCH = modules("tuning")


def test_imports_of_the_engine_point_down() -> None:
    wrong = []
    for module, source in ENGINE.items():
        part = module.split(".")[1]
        assert part in ("__init__", *LAYER_OF), f"give {part} a place in LAYERS"
        for imported in imports_of(source):
            package, target = [*imported.split("."), "", ""][:2]
            outside = package in ("tests", "tuning", "uci_main")
            unset = package == "numba" and part != "jit"  # numba needs the settings of engine.jit
            beside = package == "engine" and target and part not in ("__init__", target)  # the package imports lazily
            if outside or unset or (beside and LAYER_OF[target] >= LAYER_OF[part]):
                wrong.append(f"{module} must not import {imported}")
    assert wrong == []


def test_imports_of_the_workbench_point_down() -> None:
    wrong = []
    for module, source in WORKBENCH.items():
        package = next(iter(module.split(".")[1:-1]), "")  # none for a command
        assert package in ("", *PACKAGES), f"give {package} a place in PACKAGES"
        allowed = PACKAGES[: PACKAGES.index(package) + 1] if package else PACKAGES
        for imported in imports_of(source):
            root, target = [*imported.split("."), "", ""][:2]
            if root in ("tests", "uci_main", "numba") or (root == "tuning" and target not in allowed):
                wrong.append(f"{module} must not import {imported}")
    assert wrong == []


@pytest.mark.parametrize("sources", [ENGINE, WORKBENCH], ids=["engine", "tuning"])
def test_no_import_cycles_between_files(sources: dict[str, str]) -> None:
    graph = {module: {name for name in imports_of(source) if name in sources} for module, source in sources.items()}
    graphlib.TopologicalSorter(graph).prepare()  # raises CycleError
