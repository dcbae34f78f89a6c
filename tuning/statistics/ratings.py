"""A rating list from many encounters: Bradley-Terry with draws, fitted by maximum likelihood.

The model is Davidson's (1970): with strengths ``g = 10**(elo / 400)``, win : draw : loss between two players
are in the ratio ``g1 : nu * sqrt(g1 * g2) : g2``, with one draw parameter ``nu`` for all. The expected
score depends on the difference alone, the colours being balanced by the plan of play.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.special import expit
from scipy.stats import norm

from tuning.common.errors import SetupError
from tuning.statistics.elo import LEAST

_ELO = math.log(10) / 400
LEAST_GAMES = 2 * LEAST
"""Games that a player needs for an error: those of :data:`LEAST` pairs."""

_PRIOR_DRAWS = 0.5
"""Virtual draws per encounter if a player won or lost everything, so that ratings stay finite."""


@dataclass(frozen=True, slots=True)
class Rating:
    """One player: Elo relative to the mean, 95% error, points and games.

    ``error`` is ``None`` if unknown: from fewer than :data:`LEAST_GAMES`, from draws only, or after a clean score, for
    which the Elo is a bound.
    """

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

    The mean of all is 0. Raises :class:`SetupError` when the players fall into groups that never met.
    """
    index = {name: place for place, name in enumerate(names)}
    played = [(index[a], index[b], np.array(counts, float)) for (a, b), counts in results.items() if sum(counts)]
    if len(names) < 2 or not played:
        raise SetupError("ratings need at least one game")
    _check_connected(names, played)
    group = _groups(len(names), played)
    softened = len({group[i] for i, j, _ in played} | {group[j] for i, j, _ in played}) > 1
    fitted = [(i, j, counts + np.array([0, _PRIOR_DRAWS if softened else 0, 0])) for i, j, counts in played]
    first = np.array([i for i, _, _ in fitted])
    second = np.array([j for _, j, _ in fitted])
    losses, draws, wins = np.array([counts for _, _, counts in fitted]).T
    total = losses + draws + wins
    players = len(names)

    def unpack(x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Probabilities of win, draw and loss, and the natural strengths difference."""
        difference = x[first] - x[second]
        log_nu = x[-1]
        exponents = np.stack([difference / 2, np.full_like(difference, log_nu), -difference / 2])
        weights = np.exp(exponents - exponents.max(axis=0))
        win, draw, loss = weights / weights.sum(axis=0)
        return win, draw, loss, difference

    def cost(x: np.ndarray) -> tuple[float, np.ndarray]:
        win, draw, loss, _ = unpack(x)
        value = -float(wins @ np.log(win) + draws @ np.log(draw) + losses @ np.log(loss))
        surplus = (wins - losses) / 2 - total * (win - loss) / 2
        gradient = np.zeros_like(x)
        np.add.at(gradient, first, -surplus)
        np.add.at(gradient, second, surplus)
        gradient[-1] = -float(np.sum(draws - total * draw))
        return value, gradient

    drawless = draws.sum() == 0
    bounds = [(None, None)] * players + [(-30.0, -30.0) if drawless else (None, None)]
    start = np.zeros(players + 1)
    start[-1] = -30.0 if drawless else 0.0
    done = minimize(cost, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"ftol": 1e-15, "gtol": 1e-9})
    win, draw, loss, _ = unpack(done.x)

    # Fisher information: the covariance of the sufficient statistics (half the score margin, draws).
    information = np.zeros((players + 1, players + 1))
    margin = total * ((win + loss) - (win - loss) ** 2) / 4
    cross = total * -(win - loss) * draw / 2
    np.add.at(information, (first, first), margin)
    np.add.at(information, (second, second), margin)
    np.add.at(information, (first, second), -margin)
    np.add.at(information, (second, first), -margin)
    for places, sign in ((first, 1), (second, -1)):
        np.add.at(information, (places, np.full_like(places, players)), sign * cross)
        np.add.at(information, (np.full_like(places, players), places), sign * cross)
    information[-1, -1] = 1.0 if drawless else float(np.sum(total * draw * (1 - draw)))
    covariance = np.linalg.pinv(information)[:players, :players]

    project = np.eye(players) - 1 / players
    strengths = project @ done.x[:players]
    spread = project @ covariance @ project.T
    reach = norm.ppf(0.975)
    points = np.zeros(players)
    games = np.zeros(players, int)
    for i, j, (lost, drawn, won) in played:
        points[i] += won + drawn / 2
        points[j] += lost + drawn / 2
        games[[i, j]] += int(lost + drawn + won)
    decided = (losses + wins).sum() > 0
    together = np.bincount(group)[group] > np.count_nonzero(games) / 2  # beyond them, the mean is a matter of the prior
    known = decided & (games >= LEAST_GAMES) & together
    ratings = [
        Rating(
            name,
            float(strengths[i] / _ELO),
            float(reach * math.sqrt(max(spread[i, i], 0.0)) / _ELO) if known[i] else None,
            float(points[i]),
            int(games[i]),
        )
        for i, name in enumerate(names)
        if games[i]
    ]
    superiority = {}
    for i, a in enumerate(names):
        for j, b in enumerate(names):
            if i != j and known[i] and known[j]:
                deviation = math.sqrt(max(spread[i, i] + spread[j, j] - 2 * spread[i, j], 1e-12))
                superiority[a, b] = float(norm.cdf((strengths[i] - strengths[j]) / deviation))
    ordered = tuple(sorted(ratings, key=lambda rating: -rating.elo))
    return RatingList(ordered, softened, superiority)


def fit_linear(
    terms: np.ndarray, given: np.ndarray, won: np.ndarray, lost: np.ndarray, start: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Maximum-likelihood values where ``terms`` [encounter][value] @ values + ``given`` is the first player's lead in
    Elo (Bradley-Terry, a draw counts as half a win), and their 95% errors."""

    def loss(values: np.ndarray) -> tuple[float, np.ndarray]:
        log_odds = _ELO * (terms @ values + given)
        value = won @ np.logaddexp(0, -log_odds) + lost @ np.logaddexp(0, log_odds)
        return float(value), _ELO * (terms.T @ ((won + lost) * expit(log_odds) - won))

    values = minimize(loss, start, jac=True, method="BFGS", options={"gtol": 1e-7}).x
    chance = expit(_ELO * (terms @ values + given))
    information = _ELO**2 * terms.T @ (terms * ((won + lost) * chance * (1 - chance))[:, None])
    return values, norm.ppf(0.975) * np.sqrt(np.linalg.pinv(information).diagonal())


def _check_connected(names: Sequence[str], played: Sequence[tuple[int, int, np.ndarray]]) -> None:
    """Raise :class:`SetupError` for groups that never met: they have no common scale."""
    rows = [i for i, _, _ in played]
    columns = [j for _, j, _ in played]
    graph = coo_array((np.ones(len(rows)), (rows, columns)), shape=(len(names), len(names)))
    _, labels = connected_components(graph, directed=False)
    seen = sorted({*rows, *columns})
    if len({labels[i] for i in seen}) > 1:
        groups = [[names[i] for i in seen if labels[i] == label] for label in sorted({labels[i] for i in seen})]
        raise SetupError("not connected by games, even through others: " + " | ".join(", ".join(g) for g in groups))


def _groups(players: int, played: Sequence[tuple[int, int, np.ndarray]]) -> np.ndarray:
    """The group of each player; within one, ratings are finite.

    Ford's condition (1957): points must flow, through others if need be, from everyone to everyone.
    """
    rows, columns = [], []
    for i, j, (lost, drawn, won) in played:
        if won + drawn:
            rows.append(i)
            columns.append(j)
        if lost + drawn:
            rows.append(j)
            columns.append(i)
    graph = coo_array((np.ones(len(rows)), (rows, columns)), shape=(players, players))
    return np.asarray(connected_components(graph, directed=True, connection="strong")[1])
