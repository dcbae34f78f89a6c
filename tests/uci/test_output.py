"""Standard output that cannot be written: said once, on standard error, with a code that is not 0."""

import os
import subprocess
import sys
from typing import IO

import pytest

from tests.run_python import run_python
from tests.uci.process import COLD_TIMEOUT, MAIN

FULL = "/dev/full"

COMMANDS: dict[str, tuple[list[str], str]] = {
    "bench": (["bench", "1"], ""),
    "version": (["version"], ""),
    "help": (["lab", "--help"], ""),
    "lab": (["lab", "--depth", "1", "--no-engine"], ""),
    "analyse": (["analyse", "--depth", "1"], ""),
    "search": ([], "go depth 1\n"),
}


#: argparse passes over errors, which come at once where Python does not buffer.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}


def run(command: str, output: IO[bytes]) -> subprocess.CompletedProcess[str]:
    """One of :data:`COMMANDS` that prints to ``output``."""
    arguments, said = COMMANDS[command]
    streams = {"input": said, "stdout": output, "stderr": subprocess.PIPE}
    return run_python(MAIN, *arguments, **streams, env=ENVIRONMENT, timeout=COLD_TIMEOUT)


@pytest.mark.skipif(not os.path.exists(FULL), reason=f"there is no {FULL}")
@pytest.mark.parametrize("command", [command for command in COMMANDS if command != "bench"])
def test_full_disk_is_an_error_of_one_line(command):
    with open(FULL, "wb") as full:
        result = run(command, full)
    assert result.returncode == 1
    assert result.stderr == "numbat: cannot write to standard output: No space left on device\n"


@pytest.mark.skipif(sys.platform == "win32", reason="pipes break otherwise there")
@pytest.mark.parametrize("command", ["bench", "lab", "search"])
def test_closed_reader_is_no_error(command):
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as broken:
        result = run(command, broken)
    assert (result.returncode, result.stderr) == (0, "")
