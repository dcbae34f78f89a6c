"""A fixed search over fixed positions: its node count tells two versions apart, its speed two machines.

The positions are a mixture of openings, middlegames, tactics and endings in ``bench.txt``."""

from pathlib import Path

DEPTH = 13  # depth in plies if none is given; threads and Hash are those of a new engine


def positions() -> list[str]:
    """The FENs of the benchmark."""
    return Path(__file__).with_name("bench.txt").read_text().splitlines()
