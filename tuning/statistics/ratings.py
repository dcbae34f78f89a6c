"""A rating list from many encounters: Bradley-Terry with draws, fitted by maximum likelihood.

The model is Davidson's (1970): with strengths ``g = 10**(elo / 400)``, win : draw : loss between two players
are in the ratio ``g1 : nu * sqrt(g1 * g2) : g2``, with one draw parameter ``nu`` for all. The expected
score depends on the difference alone, the colours being balanced by the plan of play.
"""

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
    which the Elo is a bound."""

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


class _Likelihood:
    """The likelihood of encounters ``(first, second, (losses, draws, wins))``. Parameters float64 [player + 1] are the
    natural strengths and, last, the logarithm of the draw parameter."""

    def __init__(self, players: int, encounters: Sequence[tuple[int, int, np.ndarray]]) -> None:
        self.players = players
        self.first = np.array([i for i, _, _ in encounters])
        self.second = np.array([j for _, j, _ in encounters])
        self.losses, self.draws, self.wins = np.array([counts for _, _, counts in encounters]).T
        self.total = self.losses + self.draws + self.wins
        self.drawless = self.draws.sum() == 0

    def probabilities(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Of win, draw and loss in each encounter."""
        difference = x[self.first] - x[self.second]
        exponents = np.stack([difference / 2, np.full_like(difference, x[-1]), -difference / 2])
        weights = np.exp(exponents - exponents.max(axis=0))
        win, draw, loss = weights / weights.sum(axis=0)
        return win, draw, loss

    def cost(self, x: np.ndarray) -> tuple[float, np.ndarray]:
        """The negative log-likelihood and its gradient."""
        win, draw, loss = self.probabilities(x)
        value = -float(self.wins @ np.log(win) + self.draws @ np.log(draw) + self.losses @ np.log(loss))
        surplus = (self.wins - self.losses) / 2 - self.total * (win - loss) / 2
        gradient = np.zeros_like(x)
        np.add.at(gradient, self.first, -surplus)
        np.add.at(gradient, self.second, surplus)
        gradient[-1] = -float(np.sum(self.draws - self.total * draw))
        return value, gradient

    def best(self) -> np.ndarray:
        """The most likely parameters."""
        bounds = [(None, None)] * self.players + [(-30.0, -30.0) if self.drawless else (None, None)]
        start = np.zeros(self.players + 1)
        start[-1] = -30.0 if self.drawless else 0.0
        options = {"ftol": 1e-15, "gtol": 1e-9}
        return np.asarray(minimize(self.cost, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options).x)

    def covariance(self, x: np.ndarray) -> np.ndarray:
        """Of the strengths: the inverse Fisher information of half the score margin and the draws."""
        win, draw, loss = self.probabilities(x)
        first, second, players = self.first, self.second, self.players
        information = np.zeros((players + 1, players + 1))
        margin = self.total * ((win + loss) - (win - loss) ** 2) / 4
        cross = self.total * -(win - loss) * draw / 2
        for i, j, sign in ((first, first, 1), (second, second, 1), (first, second, -1), (second, first, -1)):
            np.add.at(information, (i, j), sign * margin)
        for places, sign in ((first, 1), (second, -1)):
            np.add.at(information, (places, np.full_like(places, players)), sign * cross)
            np.add.at(information, (np.full_like(places, players), places), sign * cross)
        information[-1, -1] = 1.0 if self.drawless else float(np.sum(self.total * draw * (1 - draw)))
        return np.asarray(np.linalg.pinv(information)[:players, :players])


def fit(names: Sequence[str], results: Mapping[tuple[str, str], Sequence[float]]) -> RatingList:
    """Fit ratings to ``results[(a, b)] = (losses, draws, wins)`` from a's view.

    The mean of all is 0. Raises :class:`SetupError` when the players fall into groups that never met."""
    index = {name: place for place, name in enumerate(names)}
    played = [(index[a], index[b], np.array(counts, float)) for (a, b), counts in results.items() if sum(counts)]
    if len(names) < 2 or not played:
        raise SetupError("ratings need at least one game")
    _check_connected(names, played)
    players = len(names)
    group = _groups(players, played)
    softened = len({group[i] for i, j, _ in played} | {group[j] for i, j, _ in played}) > 1
    virtual = np.array([0, _PRIOR_DRAWS if softened else 0, 0])
    likelihood = _Likelihood(players, [(i, j, counts + virtual) for i, j, counts in played])
    best = likelihood.best()
    project = np.eye(players) - 1 / players
    strengths = project @ best[:players]
    spread = project @ likelihood.covariance(best) @ project.T
    points, games = _totals(players, played)
    decided = (likelihood.losses + likelihood.wins).sum() > 0
    together = np.bincount(group)[group] > np.count_nonzero(games) / 2  # beyond them, the mean is a matter of the prior
    known = decided & (games >= LEAST_GAMES) & together
    errors = norm.ppf(0.975) * np.sqrt(np.maximum(spread.diagonal(), 0)) / _ELO
    ratings = [
        Rating(
            name, float(strengths[i] / _ELO), float(errors[i]) if known[i] else None, float(points[i]), int(games[i])
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
    return RatingList(tuple(sorted(ratings, key=lambda rating: -rating.elo)), softened, superiority)


def _totals(players: int, played: Sequence[tuple[int, int, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """Points and games of each player."""
    points, games = np.zeros(players), np.zeros(players, int)
    for i, j, (lost, drawn, won) in played:
        points[i] += won + drawn / 2
        points[j] += lost + drawn / 2
        games[[i, j]] += int(lost + drawn + won)
    return points, games


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
    rows, columns, _ = zip(*played, strict=True)
    graph = coo_array((np.ones(len(rows)), (rows, columns)), shape=(len(names), len(names)))
    _, labels = connected_components(graph, directed=False)
    seen = sorted({*rows, *columns})
    if len({labels[i] for i in seen}) > 1:
        groups = [[names[i] for i in seen if labels[i] == label] for label in sorted({labels[i] for i in seen})]
        raise SetupError("not connected by games, even through others: " + " | ".join(", ".join(g) for g in groups))


def _groups(players: int, played: Sequence[tuple[int, int, np.ndarray]]) -> np.ndarray:
    """The group of each player; within one, ratings are finite.

    Ford's condition (1957): points must flow, through others if need be, from everyone to everyone."""
    flows = [(i, j) for i, j, (_, drawn, won) in played if won + drawn]
    flows += [(j, i) for i, j, (lost, drawn, _) in played if lost + drawn]
    rows, columns = zip(*flows, strict=True)
    graph = coo_array((np.ones(len(rows)), (rows, columns)), shape=(players, players))
    return np.asarray(connected_components(graph, directed=True, connection="strong")[1])
