"""Optional packages, and advice on how to install a missing one.

The tools import them at the top. If one is missing, :func:`explain`, which :mod:`tuning` installs as exception hook,
prints how to install it in place of a traceback.
"""

import sys
from types import TracebackType

from engine.commandline import INTERRUPTED

EXTRAS = {
    "torch": "train",
    "scipy": "tuning",
    "matplotlib": "tuning",
    "distributed": "cluster",
    "build": "release",
    "twine": "release",
}
"""Package and the extra it comes with."""


def advice(package: str) -> str | None:
    """One line on how to get a missing ``package`` of an extra; ``None`` for other packages."""
    top = package.split(".")[0]
    if top not in EXTRAS:
        return None
    return f'{top} is not installed: python -m pip install -e ".[{EXTRAS[top]}]" in the folder of Numbat installs it'


def explain(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
    """Report an uncaught exception: a missing optional package in one line, exit code 2; Ctrl-C as usual."""
    if issubclass(kind, KeyboardInterrupt):
        print("interrupted", file=sys.stderr)
        raise SystemExit(INTERRUPTED)
    line = advice(error.name) if isinstance(error, ModuleNotFoundError) and error.name else None
    if line is None:
        sys.__excepthook__(kind, error, traceback)
        return
    print(f"error: {line}", file=sys.stderr)
    raise SystemExit(2)
