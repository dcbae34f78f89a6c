"""Shared by all figures: colours, file names, writing."""

from pathlib import Path

import matplotlib
from matplotlib.figure import Figure

from tuning.common.errors import SetupError

matplotlib.use("Agg")
matplotlib.rcParams["figure.dpi"] = 150

COLOR = "#2b6ca3"
HIGHLIGHT = "#c44536"


def save(figure: Figure, path: Path) -> None:
    """Write a picture in the format of its suffix. Raises :class:`SetupError`."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi="figure")
    except (OSError, ValueError) as error:
        raise SetupError(f"cannot draw {path}: {error}") from None
