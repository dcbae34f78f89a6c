"""A rating list from many encounters: Bradley and Terry's model, fitted by maximum likelihood.

A player's expected score against another is that of their difference in Elo, as in :mod:`tuning.statistics.elo`; a draw
counts as half a win. The colours are balanced by the plan of play.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.special import expit, ndtr, ndtri

from tuning.common.errors import SetupError
from tuning.statistics.elo import MIN_OBSERVATIONS

_ELO = math.log(10) / 400
MIN_GAMES = 2 * MIN_OBSERVATIONS
"""Games that a player needs for an error: those of :data:`MIN_OBSERVATIONS` pairs."""

_PRIOR_DRAWS = 0.5  # virtual draws per encounter if a player won or lost everything, so that ratings stay finite


@dataclass(frozen=True, slots=True)
class Rating:
    """One player: Elo relative to the mean, 95% error, points and games.

    ``error`` is ``None`` if unknown: from under :data:`MIN_GAMES`, only draws, or a clean score."""

    name: str
    elo: float
    error: float | None
    points: float
    games: int


@dataclass(frozen=True, slots=True)
class RatingList:
    """Ratings from best to worst. ``softened`` means that a clean score
    required virtual draws, so that the extremes are bounds rather than estimates.
    ``superiority[(a, b)]`` is the likelihood that a is stronger than b, for all pairs of players with an error."""

    ratings: tuple[Rating, ...]
    softened: bool
    superiority: Mapping[tuple[str, str], float]


def fit(names: Sequence[str], results: Mapping[tuple[str, str], Sequence[float]]) -> RatingList:
    """Fit ratings to ``results[(a, b)] = (losses, draws, wins)`` from a's view.

    The mean of all is 0. Raises :class:`SetupError` when the players fall into groups that never met."""
    index = {name: place for place, name in enumerate(names)}
    played = {(index[a], index[b]): counts for (a, b), counts in results.items() if sum(counts)}
    if len(names) < 2 or not played:
        raise SetupError("ratings need at least one game")
    players, places, counts = len(names), np.array(list(played)), np.array(list(played.values()), float)
    _check_connected(names, places)
    group = _groups(players, places, counts)
    softened = len(set(group[places].flat)) > 1
    terms = np.eye(players)[places[:, 0]] - np.eye(players)[places[:, 1]]
    virtual = np.array([0, _PRIOR_DRAWS if softened else 0, 0])
    values, covariance = fit_linear(terms, np.zeros(len(terms)), counts + virtual, np.zeros(players))
    project = np.eye(players) - 1 / players
    elos, spread = project @ values, project @ covariance @ project.T
    games, points = abs(terms).T @ counts.sum(axis=1), np.zeros(players)
    np.add.at(points, places, counts @ np.array([[0, 1], [0.5, 0.5], [1, 0]]))
    decided = counts[:, [0, 2]].sum() > 0
    together = np.bincount(group)[group] > np.count_nonzero(games) / 2  # beyond them, the mean is a matter of the prior
    known = decided & (games >= MIN_GAMES) & together
    errors = errors_of(spread)
    ratings = [
        Rating(name, float(elos[i]), float(errors[i]) if known[i] else None, float(points[i]), int(games[i]))
        for i, name in enumerate(names)
        if games[i]
    ]
    superiority = {}
    for i, j in permutations(np.flatnonzero(known).tolist(), 2):
        deviation = math.sqrt(max(spread[i, i] + spread[j, j] - 2 * spread[i, j], 1e-12))
        superiority[names[i], names[j]] = float(ndtr((elos[i] - elos[j]) / deviation))
    return RatingList(tuple(sorted(ratings, key=lambda rating: -rating.elo)), softened, superiority)


def fit_linear(
    terms: np.ndarray, given: np.ndarray, counts: np.ndarray, start: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Maximum-likelihood values where ``terms`` [encounter][value] @ values + ``given`` is the first player's lead in
    Elo, and their covariance. ``counts`` [encounter] are losses, draws and wins; a draw counts as half a win.

    The covariance is that of the results themselves (White's sandwich): draws make errors smaller."""
    lost, drawn, won = counts.T
    total, points = counts.sum(axis=1), won + drawn / 2

    def loss(values: np.ndarray) -> tuple[float, np.ndarray]:
        log_odds = _ELO * (terms @ values + given)
        value = points @ np.logaddexp(0, -log_odds) + (total - points) @ np.logaddexp(0, log_odds)
        return float(value), _ELO * (terms.T @ (total * expit(log_odds) - points))

    values = minimize(loss, start, jac=True, method="BFGS", options={"gtol": 1e-7}).x
    chance = expit(_ELO * (terms @ values + given))
    squares = won * (1 - chance) ** 2 + drawn * (0.5 - chance) ** 2 + lost * chance**2
    bread = np.linalg.pinv(_ELO**2 * terms.T @ (terms * (total * chance * (1 - chance))[:, None]))
    return values, bread @ (_ELO**2 * terms.T @ (terms * squares[:, None])) @ bread


def errors_of(covariance: np.ndarray) -> np.ndarray:
    """The 95% errors."""
    return np.asarray(ndtri(0.975) * np.sqrt(np.maximum(covariance.diagonal(), 0)))


def _check_connected(names: Sequence[str], places: np.ndarray) -> None:
    """Raise :class:`SetupError` for groups that never met: they have no common scale."""
    graph = coo_array((np.ones(len(places)), places.T), shape=(len(names), len(names)))
    _, labels = connected_components(graph, directed=False)
    groups = [[names[i] for i in np.unique(places) if labels[i] == label] for label in np.unique(labels[places])]
    if len(groups) > 1:
        raise SetupError("not connected by games, even through others: " + " | ".join(", ".join(g) for g in groups))


def _groups(players: int, places: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """The group of each player; within one, ratings are finite.

    Ford's condition (1957): points must flow, through others if need be, from everyone to everyone."""
    lost, drawn, won = counts.T
    flows = np.concatenate((places[won + drawn > 0], places[lost + drawn > 0][:, ::-1]))
    graph = coo_array((np.ones(len(flows)), flows.T), shape=(players, players))
    return np.asarray(connected_components(graph, directed=True, connection="strong")[1])
