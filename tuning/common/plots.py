"""What all figures share: colours, the check of a file name, the writing."""

from __future__ import annotations

from pathlib import Path

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from engine.printing import escaped
from tuning.common.errors import SetupError

matplotlib.use("Agg")
matplotlib.rcParams["figure.dpi"] = 150

COLOR = "#2b6ca3"
HIGHLIGHT = "#c44536"


def check(path: Path) -> None:
    """Raise :class:`SetupError` if no picture can be written to ``path``, before the work that is to be drawn."""
    known = sorted(FigureCanvasAgg.get_supported_filetypes())
    if path.suffix.lower().removeprefix(".") not in known:
        raise SetupError(f"cannot draw {path}: its name must end in one of .{', .'.join(known)}")
    if path.is_dir():
        raise SetupError(f"cannot draw {path}: it is a directory")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SetupError(f"cannot draw {path}: {path.parent}: {error.strerror}") from None


def literal(name: str) -> str:
    """A name from outside in a figure: :func:`engine.printing.escaped`, and a dollar sign is no formula."""
    return escaped(name, keep="").replace("$", r"\$")


def save(figure: Figure, path: Path) -> None:
    """Write a picture; the suffix says the format. Raises :class:`SetupError` when that cannot be done."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi="figure")
    except (OSError, ValueError) as error:
        raise SetupError(f"cannot draw {path}: {error}") from None
