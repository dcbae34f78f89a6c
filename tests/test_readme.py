"""The README says what is so: its commands, its table of options, its examples."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from engine.options import OPTIONS
from uci_main import main


@pytest.fixture(scope="module")
def readme(repository: Path) -> str:
    return (repository / "README.md").read_text(encoding="utf-8")


def blocks(readme: str, language: str) -> list[str]:
    """The fenced blocks in ``language``."""
    return re.findall(rf"^```{language}\n(.*?)^```", readme, re.MULTILINE | re.DOTALL)


def test_continuous_integration_runs_the_test_command_and_nothing_else(readme, repository):
    (command,) = [block.strip() for block in blocks(readme, "sh") if "pytest" in block]
    script = (repository / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert script[-1] == command
    assert [line for line in script if "pip" in line or "pytest" in line] == [command]
    assert os.access(repository / ".ci" / "run", os.X_OK) or sys.platform == "win32"


def test_the_console_script_is_the_command_line(repository):
    project = tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["scripts"] == {"numbat": f"{main.__module__}:{main.__name__}"}


def test_the_table_of_options_is_the_table_of_options(readme):
    rows = re.findall(r"^\| ([^|]+) \| ([^|]*) ?\| ([^|]+) \| ([^|]+) \|$", readme, re.MULTILINE)
    documented = [tuple(cell.strip() for cell in row) for row in rows if row[0] != "Option"]
    expected = []
    for option in OPTIONS:
        default = "" if option.default is None else str(option.default)
        span = {
            "spin": f"{option.minimum} to {option.maximum}",
            "check": "true, false",
            "button": "button",
            "combo": ", ".join(option.choices),
            "string": "text",
        }[option.kind]
        default = default.lower() if option.kind == "check" else default
        expected.append((option.name, default, span, option.help))
    assert documented == expected


@pytest.mark.parametrize("number", [0, 1])
def test_python_examples_run(readme, number, repository, tmp_path):
    """As written; where ``numbat`` is not installed, a script in its place runs the checkout."""
    environment = dict(os.environ)
    if shutil.which("numbat") is None:
        if sys.platform == "win32":
            pytest.skip("numbat is not installed")
        script = tmp_path / "numbat"
        script.write_text(f"#!/bin/sh\nexec '{sys.executable}' '{repository / 'uci_main.py'}' \"$@\"\n")
        script.chmod(0o755)
        environment["PATH"] = f"{tmp_path}{os.pathsep}{environment['PATH']}"
    result = subprocess.run(
        [sys.executable, "-c", blocks(readme, "python")[number]],
        cwd=repository,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert re.search(r"[a-h][1-8][a-h][1-8]", result.stdout)


def test_layout_names_what_there_is(readme, repository):
    (layout,) = re.findall(r"^```\n(uci_main.*?)^```", readme, re.MULTILINE | re.DOTALL)
    parents = {0: repository}
    for line in layout.splitlines():
        indent = len(line) - len(line.lstrip())
        path = parents[indent] / line.split()[0]
        assert path.exists(), line
        parents[indent + 2] = path


def test_files_and_modules_that_are_mentioned_exist(readme, repository):
    for name in re.findall(r"`((?:engine|tuning|tests)/[\w./]+)`", readme):
        assert (repository / name).exists() or name == "engine/__pycache__", name
    for module in re.findall(r"python -m ((?:tuning|tests)[\w.]*)", readme):
        place = repository / module.replace(".", "/")
        assert place.with_suffix(".py").exists() or (place / "__main__.py").exists(), module
