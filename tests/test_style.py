"""The code passes its own linter, formatter and type checker."""

import ast
import subprocess
import sys

import pytest

COMMANDS = (["ruff", "check", "."], ["ruff", "format", "--check", "."], ["mypy"])


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_linter_formatter_and_type_checker_find_nothing(command, repository):
    result = subprocess.run(
        [sys.executable, "-m", *command], cwd=repository, capture_output=True, text=True, timeout=300
    )
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize(
    ("module", "right", "wrong"),
    [
        ("board/position.py", "position.pinned_straight", "position.pined_straight"),
        ("search/correction.py", "worker.pawn_correction", "worker.pawn_corection"),
        ("search/pruning.py", "params.WonPly", "params.WonPli"),
        ("evaluation/evaluator.py", "evaluator.kind", "evaluator.sort"),
    ],
)
def test_the_type_checker_finds_a_misspelt_field_of_a_record(module, right, wrong, repository, tmp_path):
    kernels = (repository / "engine" / module).read_text(encoding="utf-8")
    assert right in kernels
    copy = tmp_path / "misspelt.py"
    copy.write_text(kernels.replace(right, wrong), encoding="utf-8")
    result = subprocess.run(
        [sys.executable, "-m", "mypy", copy], cwd=repository, capture_output=True, text=True, timeout=300, check=False
    )
    assert f'has no attribute "{wrong.split(".")[1]}"' in result.stdout, result.stdout + result.stderr


def test_threads_are_waited_for_by_events_alone(repository):
    """Before Python 3.13 a join that a signal interrupts takes the thread for ended, and memory is shared with it."""
    found = []
    for path in [*(repository / "engine").rglob("*.py"), *(repository / "tuning").rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute) and node.attr in ("is_alive", "PyThreadState_SetAsyncExc"):
                found.append(f"{path}:{node.lineno}")
            is_method = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
            if is_method and node.func.attr == "join" and not node.args:  # those of texts and paths take something
                found.append(f"{path}:{node.lineno}")
    assert found == []


def test_names_of_tests_are_short(repository):
    names = [
        node.name
        for path in (repository / "tests").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
    ]
    assert len(names) > 100
    assert [name for name in names if len(name) > 60] == []
