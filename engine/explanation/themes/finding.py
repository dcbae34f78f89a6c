"""What a theme has found in a line."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """A ``theme``, the ``ply`` of the line whose move it is about, and what that move does, as a clause that begins
    with the move: ``Nc7+ forks the king and the rook on a8``. At ``cashed`` the winner takes what it wins by it."""

    theme: str
    ply: int
    cashed: int
    text: str
