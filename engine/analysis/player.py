"""A player's report over several games, counted from what their pages show.

A difference between two kinds of moves is reported only if it is significant at the 5% level, by Fisher's exact test of
the shares of bad moves, with Bonferroni's correction for the number of comparisons. Moves count as independent."""

import math
import re
import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from engine.analysis.files import AnalysisError
from engine.explanation.claims import COMPARISONS

_MAX_CHANCE = 0.05  # the significance level: a difference less probable by chance is reported
_MAX_DIFFERENCES = 3  # maximum number of differences reported
_MIN_COMPARED_MOVES = 50  # minimum moves on either side of a comparison
_MIN_TREND_GAMES = 4  # the fewest games that have a trend
_WINNING_PERCENT = 80  # the percentage of a side's chance to win from which its position is winning
SIDES = ("White", "Black")  # the sides, by their index

#: The points of both sides by the result.
_POINTS = {"1-0": (1.0, 0.0), "0-1": (0.0, 1.0), "1/2-1/2": (0.5, 0.5), "0-0": (0.0, 0.0)}

_OTHER = "other"  # the name of openings without one, and the beginning of the names of moves without a theme

#: Themes whose name needs a noun; ``line`` is material won or lost by no theme in particular.
_NOUNS = {
    "hanging": "hanging piece",
    "line": f"{_OTHER} tactics",
    "overloaded": "overloaded piece",
    "trapped": "trapped piece",
}


class Move(NamedTuple):
    """A move: the index of its game, what the page shows of that, the ply after the move, and the index of the side."""

    number: int
    game: Mapping[str, Any]
    ply: int
    side: int

    @property
    def entry(self) -> Any:
        """What the page shows of the move and the position after it."""
        return self.game["plies"][self.ply]

    @property
    def side_entry(self) -> Any:
        """What the page shows of the player's side."""
        return self.game["sides"][self.side]

    @property
    def is_bad(self) -> bool:
        """Whether it is an inaccuracy, a mistake or a blunder."""
        return "try" in self.entry


Groups = Mapping[str, Sequence[Move]]  # moves by the name of their kind, in the order of a table's rows
Figure = Callable[[Sequence[Move]], str]  # a figure of some moves, as a text


class _Difference(NamedTuple):
    """A comparison of two kinds of moves: by what they differ, the probability that it is chance, the difference of the
    shares of bad moves, and the sentence."""

    by: str
    chance: float
    size: float
    sentence: str


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


def moves_of(number: int, game: Mapping[str, Any]) -> Iterator[Move]:
    """Both sides' moves of a game."""
    for ply in range(1, len(game["plies"])):
        yield Move(number, game, ply, (game["first"][1] + ply) % 2)


def report_of(games: Sequence[Mapping[str, Any]], player: str, phases: Sequence[str]) -> dict[str, Any] | None:
    """The report over ``games``, each as its page shows it; None for a player who has no moves in them."""
    every = (move for number, game in enumerate(games) for move in moves_of(number, game))
    moves = [move for move in every if move.side_entry["name"] == player]
    if not moves:
        return None
    bad = [move for move in moves if move.is_bad]
    colors = _grouped(moves, lambda move: SIDES[move.side], SIDES)
    halves = _halves(moves)
    parts = _grouped(moves, lambda move: phases[move.entry.get("phase", 0)], phases)
    clocks = _grouped(moves, lambda move: move.entry.get("time", ""), ("over a tenth", "under a tenth"))
    openings = _by_size(_grouped(moves, lambda move: _opening(move.game)), lambda found: len(_games(found)))
    winning = _winning(moves)
    themes, missed, allowed = (
        _by_size(_grouped((move for move in bad if _is_missed(move) in which), _theme), len)
        for which in ((True, False), (True,), (False,))
    )
    trained = next((name for name in themes if not name.startswith(_OTHER)), "")
    differences = _significant_differences(
        [
            *_differences("colour", colors, "with {}"),
            *_differences("phase", parts, "in the {}", "in the other phases"),
            *_differences("time", clocks, "with {} of the time left"),
            *_differences("opening", {name: openings[name] for name in openings if name != _OTHER}, "in the {}",
                       "in other openings"),
            *_differences("trend", halves, "in the {}"),
        ]
    )  # fmt: skip
    results: dict[str, Figure] = {"points": lambda found: f"{_points(found)}/{_number(found)}", "accuracy": _accuracy}
    by_side = {
        figure: {name: _of_side(side, figure) for side, name in enumerate(SIDES)}
        for figure in (_number, _share, _count)
    }
    tables = [
        _table("Colour", colors, {**results, "share": _share}),
        _table("Trend", halves, {**results, "share": _share}),
        _table("Winning positions", winning, by_side[_number], "games"),
        _table("Missed", missed, by_side[_count]),
        _table("Allowed", allowed, by_side[_count]),
        _table("Phase", parts, {"share": _share, **by_side[_share]}),
        _table("Time left", clocks, {"share": _share, **by_side[_share]}),
        _table("Opening", openings, {**results, **by_side[_number]}),
    ]
    sides = [move.side_entry for move in _games(moves)]
    return {
        "player": player,
        "games": len(_games(moves)),
        "points": _points(moves),
        "accuracy": _accuracy(moves),
        "loss": f"{sum(float(side['loss']) * side['moves'] for side in sides) / len(moves):.0f}",
        "differences": [found.sentence for found in differences]
        or ["No difference between kinds of moves is more than chance."],
        "advice": list(_advice(winning, halves, any(found.by == "trend" for found in differences), themes, trained)),
        "lessons": [
            {"name": name, "places": _places(found)}
            for name, found in ((trained, themes.get(trained, ())), ("", bad))
            if found
        ],
        "tables": [table for table in tables if table["rows"]],
    }


def _grouped(moves: Iterable[Move], name_of: Callable[[Move], str], order: Sequence[str] = ()) -> dict[str, list[Move]]:
    """Moves by a name, in that ``order`` or as the names come; without a name they are left out."""
    groups: dict[str, list[Move]] = {name: [] for name in order}
    for move in moves:
        if name := name_of(move):
            groups.setdefault(name, []).append(move)
    return {name: found for name, found in groups.items() if found}


def _by_size(groups: Groups, size: Callable[[Sequence[Move]], int]) -> dict[str, Sequence[Move]]:
    return dict(sorted(groups.items(), key=lambda group: -size(group[1])))


def _halves(moves: Sequence[Move]) -> dict[str, list[Move]]:
    """The moves of the earlier and of the later games, by their dates if all have one."""
    games = {move.number: move.game["date"] for move in moves}
    order = sorted(games, key=lambda number: games[number]) if all(games.values()) else list(games)
    if len(order) < _MIN_TREND_GAMES:
        return {}
    half = len(order) // 2
    parts = {f"first {half} games": set(order[:half]), f"last {len(order) - half} games": set(order[half:])}
    return {name: [move for move in moves if move.number in part] for name, part in parts.items()}


def _winning(moves: Sequence[Move]) -> dict[str, list[Move]]:
    """The last move in a winning position of each game that had one, by whether the game was won."""
    last = {
        (move.number, move.side): move
        for move in moves
        if move.game["plies"][move.ply - 1]["bands"][2 * move.side] >= _WINNING_PERCENT
    }
    ended = [move for move in last.values() if move.game["result"] in _POINTS]
    return _grouped(ended, lambda move: "won" if _POINTS[move.game["result"]][move.side] == 1 else "not won")


def _table(title: str, groups: Groups, columns: Mapping[str, Figure], counted: str = "bad moves") -> dict[str, Any]:
    """A table of ``groups``, in which the bad moves are counted, or else every one."""
    rows = [
        {
            "name": name,
            "cells": [figure(moves) for figure in columns.values()],
            "places": _places(move for move in moves if move.is_bad or counted != "bad moves"),
        }
        for name, moves in groups.items()
    ]
    return {"title": title, "columns": list(columns), "counted": counted, "rows": rows}


def _places(moves: Iterable[Move]) -> list[list[int]]:
    return [[move.number, move.ply] for move in moves]


def _of_side(side: int, figure: Figure) -> Figure:
    """The figure of the moves of one side; empty if there are none."""

    def found(moves: Sequence[Move]) -> str:
        own = [move for move in moves if move.side == side]
        return figure(own) if own else ""

    return found


def _is_missed(move: Move) -> bool:
    """Whether the player missed the theme of a bad move, not allowed it."""
    return bool(move.entry.get("missed"))


def _theme(move: Move) -> str:
    return _words(move.entry.get("theme", ""))


def _opening(game: Mapping[str, Any]) -> str:
    """The opening without its code, so that a whole family counts as one, and without its variation."""
    return str(game["opening"]).partition(":")[0].partition(" ")[2] or _OTHER


def _words(theme: str) -> str:
    """The name of a theme in words; empty if it only compares scores. Material won by no theme in particular is named.

    >>> _words("removedDefender"), _words("mateIn2"), _words("hanging"), _words("verdict")
    ('removed defender', 'mate', 'hanging piece', '')
    >>> _words("line:exchange"), _words("line:minor")
    ('other tactics: exchange', 'other tactics: minor piece')
    """
    theme, _, won = theme.partition(":")
    if won:
        return f"{_NOUNS[theme]}: {won}{' piece' * (won == 'minor')}"
    if theme in ("", *COMPARISONS) or theme in _NOUNS:
        return _NOUNS.get(theme, "")
    return "mate" if theme.startswith("mateIn") else re.sub("(?=[A-Z])", " ", theme).lower()


# Figures


def _games(moves: Iterable[Move]) -> list[Move]:
    """One move of each game."""
    return list({(move.number, move.side): move for move in moves}.values())


def _count(moves: Sequence[Move]) -> str:
    return str(len(moves))


def _number(moves: Sequence[Move]) -> str:
    return str(len(_games(moves)))


def _points(moves: Sequence[Move]) -> str:
    return f"{sum(_POINTS.get(move.game['result'], (0.0, 0.0))[move.side] for move in _games(moves)):g}"


def _accuracy(moves: Sequence[Move]) -> str:
    """The mean of the games' accuracies."""
    return f"{statistics.fmean(float(move.side_entry['accuracy'].rstrip('%')) for move in _games(moves)):.1f}%"


def _rate(moves: Sequence[Move]) -> float:
    """The share of bad moves."""
    return sum(move.is_bad for move in moves) / len(moves)


def _share(moves: Sequence[Move]) -> str:
    return f"{_rate(moves):.1%}"


# Sentences


def _differences(by: str, groups: Groups, words: str, others: str = "") -> Iterator[_Difference]:
    """The two groups compared or, with a word for ``others``, each with all others."""
    for name, moves in list(groups.items())[: None if others else 1]:
        rest = [move for other in groups if other != name for move in groups[other]]
        if min(len(moves), len(rest)) < _MIN_COMPARED_MOVES:
            continue
        other_words = others or words.format(next(other for other in groups if other != name))
        both = (_rate(moves), moves, words.format(name)), (_rate(rest), rest, other_words)
        (least, good, where_good), (most, bad, where_bad) = sorted(both, key=lambda each: each[0])
        counts = [count for found in (bad, good) for count in (sum(move.is_bad for move in found), len(found))]
        sentence = f"{_share(bad)} of the moves {where_bad} are bad, but only {_share(good)} of those {where_good}."
        yield _Difference(by, chance_of(*counts), most - least, sentence)


def _significant_differences(compared: Sequence[_Difference]) -> list[_Difference]:
    """The largest differences that are more than chance, one of each kind."""
    certain = [found for found in compared if found.chance * len(compared) < _MAX_CHANCE]
    largest: dict[str, _Difference] = {}
    for found in sorted(certain, key=lambda found: -found.size):
        largest.setdefault(found.by, found)
    return list(largest.values())[:_MAX_DIFFERENCES]


def chance_of(found: int, among: int, others: int, among_others: int) -> float:
    """The probability that two samples of one kind differ at least as much as these: ``found`` of ``among`` and
    ``others`` of ``among_others`` (Fisher's exact test, two-sided).

    >>> round(chance_of(3, 4, 1, 4), 3)
    0.486
    """
    total = found + others

    def log_ways(size: int, chosen: int) -> float:
        return math.lgamma(size + 1) - math.lgamma(chosen + 1) - math.lgamma(size - chosen + 1)

    def probability(first: int) -> float:
        ways = log_ways(among, first) + log_ways(among_others, total - first)
        return math.exp(ways - log_ways(among + among_others, total))

    limit = probability(found) * (1 + 1e-7)
    possible = range(max(0, total - among_others), min(total, among) + 1)
    return min(1.0, sum(each for first in possible if (each := probability(first)) <= limit))


def _advice(winning: Groups, halves: Groups, trend: bool, themes: Groups, trained: str) -> Iterator[str]:
    """Advice on won games, the theme to train and the trend."""
    if winning:
        total, missed = sum(map(len, winning.values())), len(winning.get("not won", ()))
        yield f"Games with a winning position: {total}; not won: {missed}."
    if trained:
        known = sum(map(len, themes.values()))
        yield f"The theme to train first: {trained}, {len(themes[trained])} of {known} bad moves that have a theme."
    if halves and not trend:
        (first, earlier), (last, later) = halves.items()
        shares = f"{_share(earlier)} of the moves are bad in the {first}, {_share(later)} in the {last}"
        yield f"There is no clear trend: {shares}."
