"""Packages that come with an extra of the installation, and what to do if one is missing.

The tools import them at the top, like everything else. Without one of them a tool ends in a single line that says how
to get it, not in a traceback: see :func:`explain`, which :mod:`tuning` puts before the interpreter's own report.
"""

from __future__ import annotations

import importlib.util
import sys
from types import TracebackType

from engine.commandline import INTERRUPTED
from tuning.common.errors import SetupError

EXTRAS = {
    "torch": "train",
    "scipy": "tuning",
    "matplotlib": "tuning",
    "dask": "tuning",
    "distributed": "tuning",
    "cryptography": "tuning",
    "psutil": "tuning",
}
"""Package and the extra it comes with."""


def advice(package: str) -> str | None:
    """One line on how to get a missing ``package`` of an extra; ``None`` for other packages."""
    top = package.split(".")[0]
    if top not in EXTRAS:
        return None
    return f'{top} is not installed: python -m pip install -e ".[{EXTRAS[top]}]" in the folder of Numbat installs it'


def need(package: str, what_for: str) -> None:
    """Raise :class:`SetupError` now, not hours later, if ``package`` is missing."""
    try:
        found = importlib.util.find_spec(package) is not None
    except (ImportError, ValueError):
        found = False
    if not found:
        raise SetupError(f"{what_for}: {advice(package)}")


def explain(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
    """Report an uncaught exception: a missing package of an extra in one line and with exit code 2, and Ctrl-C while
    the modules are still being loaded as later."""
    if issubclass(kind, KeyboardInterrupt):
        print("interrupted", file=sys.stderr)
        raise SystemExit(INTERRUPTED)
    line = advice(error.name) if isinstance(error, ModuleNotFoundError) and error.name else None
    if line is None:
        sys.__excepthook__(kind, error, traceback)
        return
    print(f"error: {line}", file=sys.stderr)
    raise SystemExit(2)
