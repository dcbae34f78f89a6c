"""The code passes its own linter and type checker."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize("command", [["ruff", "check", "."], ["mypy"]], ids=" ".join)
def test_clean(command, repository):
    result = subprocess.run(
        [sys.executable, "-m", *command], cwd=repository, capture_output=True, text=True, timeout=300, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr
