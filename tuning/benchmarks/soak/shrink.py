"""The fewest steps that still fail, by delta debugging (Andreas Zeller and Ralf Hildebrandt, 2002)."""

from collections.abc import Callable, Sequence
from typing import TypeVar

Item = TypeVar("Item")


def tail(items: Sequence[Item], fails: Callable[[Sequence[Item]], bool]) -> list[Item]:
    """The shortest of the last 8, 32, 128, ... ``items`` that ``fails``; all of them if none does."""
    length = 8
    while length < len(items):
        if fails(items[-length:]):
            return list(items[-length:])
        length *= 4
    return list(items)


def shrink(items: Sequence[Item], fails: Callable[[Sequence[Item]], bool], enough: Callable[[], bool]) -> list[Item]:
    """As few of ``items`` as still make ``fails`` true: none of them can be left out. Ends early when ``enough``."""
    items, parts = list(items), 2
    while len(items) > 1 and not enough():
        size = -(-len(items) // parts)
        for begin in range(0, len(items), size):
            rest = items[:begin] + items[begin + size :]
            if not enough() and fails(rest):
                items, parts = rest, max(parts - 1, 2)
                break
        else:
            if size == 1:
                break
            parts = min(2 * parts, len(items))
    return items
