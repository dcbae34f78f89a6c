"""Readable files of weights: JSON with a line for each rank of a table."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tuning.common.files import write_whole


def write_weights(file: Path, contents: Mapping[str, Any]) -> None:
    """Write ``contents``, with each list of whole numbers on one aligned line. Raises :class:`SetupError`."""
    text = re.sub(r"\[\s*(-?\d[-\d\s,]*?)\s*\]", _aligned, json.dumps(contents, indent=1))
    write_whole(file, (text + "\n").encode())


def _aligned(numbers: re.Match[str]) -> str:
    return "[" + ", ".join(f"{int(value):4}" for value in numbers[1].split(",")) + "]"
