"""A player's report over several games, counted from the data of their pages."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from engine.analysis.files import AnalysisError

#: Themes that only compare scores.
_COMPARISONS = ("", "comparison", "positional", "verdict")

#: Themes whose name needs a noun; ``line`` is material won or lost by no theme in particular.
_NOUNS = {
    "hanging": "hanging piece",
    "line": "other tactics",
    "overloaded": "overloaded piece",
    "trapped": "trapped piece",
}


def players_of(names: Sequence[tuple[str, str]], wanted: str | None) -> str:
    """The player called ``wanted``, or whose name alone contains that text; without it the one player of all games, or
    an empty text. ``names`` are White's and Black's of each game.

    Raises :class:`AnalysisError` if no player, or more than one, is called so.

    >>> games = [("Ann", "Bob"), ("Cid", "Ann")]
    >>> players_of(games, None), players_of(games, "bo"), players_of(games[:1], None)
    ('Ann', 'Bob', '')
    """
    if wanted is None:
        common = set(names[0]).intersection(*names) - {"?"} if len(names) > 1 else set()
        return common.pop() if len(common) == 1 else ""
    known = sorted({name for pair in names for name in pair})
    found = [name for name in known if name.casefold() == wanted.casefold()]
    found = found or [name for name in known if wanted.casefold() in name.casefold()]
    if len(found) == 1:
        return found[0]
    which = f"'{wanted}' fits {', '.join(found[:5])}" if found else f"no game has a player called '{wanted}'"
    raise AnalysisError(f"--player: {which}")


def report_of(games: Sequence[dict[str, Any]], player: str, phases: Sequence[str]) -> dict[str, Any] | None:
    """The report over ``games``, each the data of a page; None for a player who has no moves in them."""
    own = [
        (at, game, side) for at, game in enumerate(games) for side in (0, 1) if game["sides"][side]["name"] == player
    ]
    sides = [game["sides"][side] for _, game, side in own if game["sides"][side]["moves"]]
    if not sides:
        return None
    plies = [
        (at, ply, game, game["plies"][ply])
        for at, game, side in own
        for ply in range(1, len(game["plies"]))
        if (game["first"][1] + ply) % 2 == side
    ]

    def rows(name_of: Callable[[dict[str, Any], dict[str, Any]], str]) -> dict[str, tuple[int, list[list[int]]]]:
        """For each name of moves, which is empty for moves that do not count, their number and the bad ones."""
        moves: Counter[str] = Counter()
        places: defaultdict[str, list[list[int]]] = defaultdict(list)
        for at, number, game, ply in plies:
            if name := name_of(game, ply):
                moves[name] += 1
                places[name] += [[at, number]] if "try" in ply else []
        return {name: (count, places[name]) for name, count in moves.items()}

    def table(title: str, found: Iterable[tuple[str, list[list[int]], list[str]]], *columns: str) -> dict[str, Any]:
        named = [{"name": name, "cells": cells, "places": places} for name, places, cells in found]
        return {"title": title, "columns": list(columns), "rows": named}

    def themes(title: str, missed: bool) -> dict[str, Any]:
        found = rows(lambda game, ply: _words(ply.get("theme", "")) if ply.get("missed", False) == missed else "")
        most = sorted(found.items(), key=lambda row: (-len(row[1][1]), row[0]))
        return table(title, ((name, places, []) for name, (_, places) in most))

    def shares(title: str, found: dict[str, tuple[int, list[list[int]]]], names: Iterable[str]) -> dict[str, Any]:
        named = ((name, *found[name]) for name in names if name in found)
        return table(title, ((name, at, [f"{len(at) / count:.0%}"]) for name, count, at in named), "share")

    by_clock = rows(lambda game, ply: ply.get("time", ""))
    by_opening = rows(lambda game, ply: _opening(game))
    openings: defaultdict[str, list[tuple[dict[str, Any], int]]] = defaultdict(list)
    for _, game, side in own:
        openings[_opening(game)].append((game, side))
    figures = (
        (
            name,
            by_opening.get(name, (0, []))[1],
            [str(len(played)), _points(played), _accuracy([game["sides"][side] for game, side in played])],
        )
        for name, played in sorted(openings.items(), key=lambda row: -len(row[1]))
    )
    tables = [
        themes("Missed", True),
        themes("Allowed", False),
        shares("Phase", rows(lambda game, ply: phases[ply.get("phase", 0)]), phases),
        shares("Time left", by_clock, sorted(by_clock)),
        table("Opening", figures, "games", "points", "accuracy"),
    ]
    moves = sum(side["moves"] for side in sides)
    return {
        "player": player,
        "games": len(own),
        "points": _points([(game, side) for _, game, side in own]),
        "accuracy": _accuracy(sides),
        "loss": f"{sum(float(side['loss']) * side['moves'] for side in sides) / moves:.0f}",
        "tables": [table for table in tables if table["rows"]],
    }


def _opening(game: dict[str, Any]) -> str:
    """The opening without its code, so that a whole family counts as one, and without its variation."""
    return game["opening"].partition(":")[0].partition(" ")[2] or "other"


def _points(played: Sequence[tuple[dict[str, Any], int]]) -> str:
    """The points in games, by the player's side."""
    scores = {"1-0": (1.0, 0.0), "0-1": (0.0, 1.0), "1/2-1/2": (0.5, 0.5)}
    return f"{sum(scores.get(game['result'], (0.0, 0.0))[side] for game, side in played):g}"


def _accuracy(sides: Sequence[dict[str, Any]]) -> str:
    """The mean accuracy of the sides that have moves."""
    found = [float(side["accuracy"].rstrip("%")) for side in sides if side["moves"]]
    return f"{sum(found) / len(found):.1f}%" if found else ""


def _words(theme: str) -> str:
    """The name of a theme in words; empty if it only compares scores.

    >>> _words("removedDefender"), _words("mateIn2"), _words("hanging"), _words("verdict")
    ('removed defender', 'mate', 'hanging piece', '')
    """
    if theme in _COMPARISONS or theme in _NOUNS:
        return _NOUNS.get(theme, "")
    return "mate" if theme.startswith("mateIn") else re.sub("(?=[A-Z])", " ", theme).lower()
