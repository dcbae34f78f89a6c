"""How the tests start Python: warnings are errors, but for one that is none of ours."""

import subprocess
import sys
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parent.parent

#: python-chess 1.11 names what Python 3.14 deprecates and 3.16 drops.
STRICT = ("-W", "error", "-W", "ignore:'asyncio.DefaultEventLoopPolicy' is deprecated:DeprecationWarning")


def run_python(*words: object, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run Python with ``words`` to its end; unless ``options`` differ, it reads nothing and its output is text."""
    if not {"input", "stdin"} & options.keys():
        options["stdin"] = subprocess.DEVNULL
    if "stdout" not in options:
        options["capture_output"] = True
    command = [sys.executable, *STRICT, *map(str, words)]
    return subprocess.run(command, **{"text": True, "timeout": 600, "check": False} | options)
