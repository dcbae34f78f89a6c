"""Shared by all figures: colours, file names, writing."""

from pathlib import Path

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from tuning.common.errors import SetupError
from tuning.common.files import keep_apart

matplotlib.use("Agg")
matplotlib.rcParams["figure.dpi"] = 150

COLOR = "#2b6ca3"
HIGHLIGHT = "#c44536"


def check(path: Path) -> None:
    """Raise :class:`SetupError` before a long run if no picture can be written to ``path``."""
    known = sorted(FigureCanvasAgg.get_supported_filetypes())
    if path.suffix.lower().removeprefix(".") not in known:
        raise SetupError(f"cannot draw {path}: its name must end in one of .{', .'.join(known)}")
    keep_apart(path, ())


def save(figure: Figure, path: Path) -> None:
    """Write a picture in the format of its suffix. Raises :class:`SetupError`."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi="figure")
    except (OSError, ValueError) as error:
        raise SetupError(f"cannot draw {path}: {error}") from None
