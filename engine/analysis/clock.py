"""A chess clock."""

import time
from collections.abc import Callable

import chess


class ChessClock:
    """Two clocks of ``base`` seconds each, with ``increment`` seconds after every move; at most one of them runs.

    >>> now = 0.0
    >>> clock = ChessClock(300, 3, lambda: now)
    >>> clock.start(chess.WHITE)
    >>> now = 10.0
    >>> clock.remaining(chess.WHITE)
    290.0
    >>> clock.press()
    293.0
    """

    def __init__(self, base: float, increment: float = 0.0, now: Callable[[], float] = time.monotonic) -> None:
        self.base, self.increment, self._now = base, increment, now
        self._since = 0.0
        self.reset()

    def reset(self) -> None:
        """Both clocks as at the start of a game, and neither runs."""
        self._remaining = {chess.WHITE: self.base, chess.BLACK: self.base}
        self._runs: chess.Color | None = None

    def start(self, side: chess.Color) -> None:
        """Start the clock of ``side`` unless it runs already; the other one stops without an increment."""
        if self._runs != side:
            self.stop()
            self._runs, self._since = side, self._now()

    def stop(self) -> None:
        """Stop the clock that runs, without an increment."""
        if self._runs is not None:
            self._remaining[self._runs] = self.remaining(self._runs)
            self._runs = None

    def press(self) -> float:
        """The side whose clock runs has moved: stop it, add the increment unless its flag fell, return what is left."""
        side = self._runs
        assert side is not None, "a clock must run to be pressed"
        self.stop()
        if self._remaining[side] > 0:
            self._remaining[side] += self.increment
        return self._remaining[side]

    def remaining(self, side: chess.Color) -> float:
        """The seconds of ``side``, 0 when its flag has fallen."""
        spent = self._now() - self._since if self._runs == side else 0.0
        return max(0.0, self._remaining[side] - spent)

    def flag_fell(self, side: chess.Color) -> bool:
        """Whether the flag of ``side`` has fallen."""
        return self.remaining(side) <= 0


def clock_text(seconds: float, tenths: bool = True) -> str:
    """Seconds as a clock shows them, in the last twenty seconds with ``tenths``.

    >>> clock_text(293.2), clock_text(4000), clock_text(9.87)
    ('4:53', '1:06:40', '0:09.8')
    """
    whole = int(seconds)
    minutes, rest = divmod(whole, 60)
    if minutes >= 60:
        return f"{minutes // 60}:{minutes % 60:02}:{rest:02}"
    return f"{minutes}:{rest:02}" + (f".{int(seconds * 10) % 10}" if tenths and seconds < 20 else "")
