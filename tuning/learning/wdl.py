"""The win-draw-loss model: samples, fit, and a table."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import chess
import chess.pgn
import numpy as np
from rich.table import Table
from scipy.optimize import minimize
from scipy.special import expit

from engine.play.wdl import MIN_SPREAD, MODEL, REFERENCE_MOVE, Model
from engine.reading import ReadError, read_games
from engine.search.scores import MATE_BOUND
from tuning.common.errors import SetupError
from tuning.data.viriformat import read_positions

MAX_PAWNS = 4.0  # the largest score in pawns (as shown) used: beyond it nearly all games are won
MOVES = (8, 100)  # first and last move of the game used by the fit; the model is constant outside
DEGREE = 2  # degree of the polynomials in the move number

_PGN_SCORE = re.compile(r"^([+-]?\d+\.\d+)/\d+")  # cutechess gives zero no sign
_RESULTS = {"1-0": 1.0, "1/2-1/2": 0.0, "0-1": -1.0}


@dataclass(frozen=True, slots=True)
class Samples:
    """One row for each move: its score in centipawns of the evaluation, its number in the game, and the result
    (1, 0, -1), score and result from the mover's view."""

    score: np.ndarray
    move: np.ndarray
    result: np.ndarray

    def __len__(self) -> int:
        return len(self.score)


Row = tuple[float, int, float]


def rows_of_pgn(path: Path, player: str | None) -> Iterator[Row]:
    """The moves in PGN with scores in comments: ``+0.35/12`` for the mover, or ``[%eval 0.35]`` for White.

    Scores of the rows are centipawns as shown. ``player``: only its moves. Raises :class:`SetupError`."""
    try:
        for found in read_games(path, print):
            if found.game.errors:
                raise SetupError(f"{path}:{found.line}: game {found.number}: {found.game.errors[0]}")
            white_result = _RESULTS.get(found.game.headers.get("Result", "*"))
            if white_result is None:
                continue
            for node in found.game.mainline():
                white = not node.turn()
                if player is not None and player != found.game.headers.get("White" if white else "Black"):
                    continue
                score = _score_of(node, white)
                if score is not None:
                    yield score, (node.ply() - 1) // 2 + 1, white_result if white else -white_result
    except ReadError as error:
        raise SetupError(str(error)) from None


def _score_of(node: chess.pgn.ChildNode, white: bool) -> float | None:
    if found := _PGN_SCORE.match(node.comment):
        return 100 * float(found[1])
    evaluation = node.eval()
    return None if evaluation is None else evaluation.pov(white).score()


def rows_of_training_games(path: Path) -> np.ndarray:
    """The moves of a file of tuning.datagen, whose scores are those of the evaluation."""
    boards = read_positions([path]).boards
    boards = boards[np.abs(boards["score"]) < MATE_BOUND]
    sign = np.where(boards["side_en_passant"] >> 7, -1.0, 1.0)
    return np.stack((boards["score"] * sign, boards["fullmove"], (boards["result"] - 1.0) * sign), axis=1)


def read(paths: Iterable[Path], player: str | None, pawn: float) -> Samples:
    """All usable samples of ``paths``; ``pawn`` centipawns were shown as 100. Raises :class:`SetupError`."""
    parts = [np.empty((0, 3))]
    for path in paths:
        if not path.is_file():
            raise SetupError(f"{path}: {'a directory, not a file' if path.is_dir() else 'no such file'}")
        if path.suffix == ".vf":
            parts.append(rows_of_training_games(path))
        else:
            rows = list(rows_of_pgn(path, player))
            parts.append(np.array(rows).reshape(-1, 3) * (pawn / 100, 1, 1))
    score, move, result = np.concatenate(parts).T
    kept = (np.abs(score) <= MAX_PAWNS * pawn) & (move >= MOVES[0]) & (move <= MOVES[1])
    if kept.sum() < 100 or not (result[kept] > 0).any() or not (result[kept] == 0).any():
        whose = f"of {player} " if player else ""
        raise SetupError(
            f"{int(kept.sum())} scored moves {whose}between moves {MOVES[0]} and {MOVES[1]} are too few, or all alike"
        )
    return Samples(score[kept], move[kept].astype(int), result[kept])


def fit(samples: Samples) -> tuple[Model, float]:
    """The maximum-likelihood model, and its mean log-loss per move."""
    powers = (samples.move / REFERENCE_MOVE)[:, None] ** np.arange(DEGREE + 1)
    won, lost = samples.result > 0, samples.result < 0

    def loss(x: np.ndarray) -> float:
        a = powers @ x[: DEGREE + 1] * 100
        b = np.maximum(powers @ x[DEGREE + 1 :] * 100, MIN_SPREAD)
        win, defeat = expit((samples.score - a) / b), expit((-samples.score - a) / b)
        chance = np.where(won, win, np.where(lost, defeat, 1 - win - defeat))
        return -float(np.log(np.maximum(chance, 1e-9)).mean())

    start = np.zeros(2 * (DEGREE + 1))
    start[0], start[DEGREE + 1] = MODEL.pawn / 100, 0.6
    done = minimize(loss, start, method="L-BFGS-B", options={"maxiter": 500})
    coefficients = 100 * done.x
    model = Model(
        tuple(round(float(c), 3) for c in coefficients[: DEGREE + 1]),
        tuple(round(float(c), 3) for c in coefficients[DEGREE + 1 :]),
        (max(MOVES[0], int(samples.move.min())), min(MOVES[1], int(samples.move.max()))),
    )
    return model, float(done.fun)


def check(model: Model) -> None:
    """Raise :class:`SetupError` for a model that makes no sense because of too few games."""
    for move in range(model.moves[0], model.moves[1] + 1):
        a, b = model.at(move)
        if a <= 0 or b <= MIN_SPREAD:
            raise SetupError(f"the fit makes no sense at move {move} (a {a:.0f}, b {b:.0f}): more games are needed")


def table(model: Model, samples: Samples) -> Table:
    """A table of predicted and actual frequencies."""
    result = Table("moves", "score shown", "samples", "won", "model", "drawn", "model")
    for first, last in ((8, 20), (20, 32), (32, 50), (50, 100)):
        for low in (-150, -50, 50, 150):
            score = samples.score * 100 / model.pawn
            here = (samples.move >= first) & (samples.move < last) & (score >= low) & (score < low + 100)
            if here.sum() < 50:
                continue
            a, b = np.array([model.at(int(move)) for move in samples.move[here]]).T
            win, defeat = expit((samples.score[here] - a) / b), expit((-samples.score[here] - a) / b)
            won, drawn = samples.result[here] > 0, samples.result[here] == 0
            shares = (won.mean(), win.mean(), drawn.mean(), (1 - win - defeat).mean())
            bands = (f"{first}-{last - 1}", f"{low}..{low + 100}", str(int(here.sum())))
            result.add_row(*bands, *(f"{share:.1%}" for share in shares))
    return result
