"""How well a side played, as lichess.org measures it: accuracy and average centipawn loss.

The formulas are those of lila (``AccuracyPercent.scala``, ``AccuracyCP.scala``, ``WinPercent.scala``). A score is worth
``100 / (1 + exp(-0.00368208 * cp))`` percent, with ``cp`` clamped to ±1000; mates count as 1000.
A move that lowers that from ``w`` to ``w'`` is ``103.1668 * exp(-0.043544 * (w - w')) - 3.1669 + 1`` percent accurate.
A side's accuracy is the mean of two means of its moves: the harmonic one, and one weighted by how lively the game was
(the standard deviation of the percentages in a window around the move). Unlike there the game's first position has the
score that the engine gave it, not 15 centipawns."""

import itertools
import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

import chess
from chess.engine import Cp, PovScore

from engine.analysis.record import Judged
from engine.play.grades import Grade, human_expectation, stockfish

#: Centipawns that a mate counts; no score counts more.
CEILING = 1000

#: The least accuracy that goes into a harmonic mean, in percent (lila: ``Maths.harmonicMean``).
_LEAST = 1.0


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a game: its moves, its accuracy in percent, its average loss in centipawns, and how many of its moves
    got which mark."""

    moves: int
    accuracy: float
    loss: float
    counts: dict[Grade, int]


def summary(positions: Sequence[Judged]) -> dict[chess.Color, Side]:
    """Both sides of a game."""
    own: dict[chess.Color, list[Judged]] = {chess.WHITE: [], chess.BLACK: []}
    for judged in positions[1:]:
        own[not judged.board.turn].append(judged)
    accuracy, loss = accuracies(positions), losses(positions)
    return {
        color: Side(
            len(moves),
            accuracy[color],
            loss[color],
            {found: sum(judged.grade is found for judged in moves) for found in Grade if found.word},
        )
        for color, moves in own.items()
    }


def move_accuracy(before: float, after: float) -> float:
    """The accuracy in percent of a move that changed its player's winning percentage.

    >>> move_accuracy(50, 60), round(move_accuracy(50, 40), 1), move_accuracy(100, 0)
    (100.0, 64.6, 0.0)
    """
    if after >= before:
        return 100.0
    raw = 103.1668100711649 * math.exp(-0.04354415386753951 * (before - after)) - 3.166924740191411
    return min(100.0, max(0.0, raw + 1))


def move_accuracies(positions: Sequence[Judged]) -> list[float]:
    """The accuracy in percent of each move, for its player."""
    percents = _percents(positions)
    return [
        move_accuracy(old, new) if judged.board.turn == chess.BLACK else move_accuracy(100 - old, 100 - new)
        for old, new, judged in zip(percents, percents[1:], positions[1:], strict=False)
    ]


def _percents(positions: Sequence[Judged]) -> list[float]:
    """White's winning percentages."""
    return [100 * human_expectation(Cp(centipawns(judged.score))) for judged in positions]


def accuracies(positions: Sequence[Judged]) -> dict[chess.Color, float]:
    """The accuracy of each side, in percent; 100 if it has no moves."""
    moves = list(zip(move_accuracies(positions), _weights(_percents(positions)), positions[1:], strict=False))
    result = {}
    for color in (chess.WHITE, chess.BLACK):
        own = [(value, weight) for value, weight, judged in moves if judged.board.turn != color]
        values, weights = [value for value, _ in own], [weight for _, weight in own]
        if own:
            weighted = sum(value * weight for value, weight in own) / sum(weights)
            result[color] = (weighted + statistics.harmonic_mean([max(_LEAST, value) for value in values])) / 2
        else:
            result[color] = 100.0
    return result


def _weights(percents: Sequence[float]) -> list[float]:
    """How lively the game was at each move: the deviation in a window, from 0.5 to 12."""
    size = min(8, max(2, (len(percents) - 1) // 10))
    windows = [percents[:size]] * (min(size, len(percents)) - 2)
    windows += [percents[at : at + size] for at in range(max(1, len(percents) - size + 1))]
    return [min(12.0, max(0.5, statistics.pstdev(window))) for window in windows]


def losses(positions: Sequence[Judged]) -> dict[chess.Color, float]:
    """The average centipawn loss per move of each side."""
    lost: dict[chess.Color, list[int]] = {chess.WHITE: [], chess.BLACK: []}
    for previous, judged in itertools.pairwise(positions):
        fall = centipawns(previous.score) - centipawns(judged.score)
        color = not judged.board.turn
        lost[color].append(max(0, fall if color else -fall))
    return {color: sum(own) / len(own) if own else 0.0 for color, own in lost.items()}


def centipawns(score: PovScore) -> int:
    """White's advantage in Stockfish's centipawns, mates as :data:`CEILING`.

    >>> from chess.engine import Cp, Mate
    >>> centipawns(PovScore(Mate(0), chess.WHITE)), centipawns(PovScore(Cp(50), chess.WHITE))
    (-1000, 101)
    """
    return max(-CEILING, min(CEILING, stockfish(score.white()).score(mate_score=100 * CEILING)))
