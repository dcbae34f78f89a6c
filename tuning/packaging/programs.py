"""Other programs whose failure is one line, and the one file that they must have made."""

import os
import subprocess
from pathlib import Path
from typing import Any

from tuning.common.errors import SetupError


def call(*words: str | os.PathLike[str], **options: Any) -> str:
    """Run a program to its end; returns its output. Raises :class:`SetupError` with the last error that it reports."""
    line = [str(word) for word in words]
    options |= {"capture_output": True, "encoding": "utf-8", "errors": "replace"}
    result: subprocess.CompletedProcess[str] = subprocess.run(line, check=False, **options)
    if result.returncode:
        lines = [text.strip() for text in (result.stdout + result.stderr).splitlines() if text.strip()]
        errors = [text.removeprefix("ERROR: ") for text in lines if text.startswith("ERROR")] or lines or ["it failed"]
        raise SetupError(f"{' '.join(line[1:4])}: {errors[-1]}")
    return result.stdout


def only(folder: Path, pattern: str) -> Path:
    """The one file in ``folder`` that matches. Raises :class:`SetupError` if there are others, or none."""
    found = sorted(folder.glob(pattern))
    if len(found) != 1:
        raise SetupError(f"{folder} must hold one {pattern}, and holds {len(found)}")
    return found[0]
