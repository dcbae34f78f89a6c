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
