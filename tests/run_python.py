"""Start Python, or an application that embeds it, in a process whose warnings are errors."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parent.parent

#: The exception: python-chess 1.11 uses a name that Python 3.14 deprecates.
WARNINGS_AS_ERRORS = ("-W", "error", "-W", "ignore:'asyncio.DefaultEventLoopPolicy' is deprecated:DeprecationWarning")


def run_python(*words: object, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run Python with ``words`` to its end. Unless ``options`` differ, it reads nothing and its output is text."""
    if not {"input", "stdin"} & options.keys():
        options["stdin"] = subprocess.DEVNULL
    if "stdout" not in options:
        options["capture_output"] = True
    command = [sys.executable, *WARNINGS_AS_ERRORS, *map(str, words)]
    return subprocess.run(command, **{"text": True, "timeout": 600, "check": False} | options)


#: An application that embeds Python: its ``sys.executable`` is the application itself.
APPLICATION = """#!{python}
import sys
sys.executable = __file__
{more}
sys.path.insert(0, {repository!r})
open({starts!r}, "a").write("started\\n")
"""


def run_application(folder: Path, name: str, text: str, more: str, **environment: str) -> tuple[str, str, int]:
    """Run an application called ``name`` with the program ``text``: its output, its errors and how often it started."""
    program, starts = folder / name, folder / "starts"
    head = APPLICATION.format(python=sys.executable, more=more, repository=str(REPOSITORY), starts=str(starts))
    program.write_text(head + text)
    program.chmod(0o755)
    done = subprocess.run(
        [program], capture_output=True, text=True, timeout=600, check=False, env=os.environ | environment
    )
    return done.stdout, done.stderr, len(starts.read_text().split())
