"""Logistic regression of expected scores: the loss, and the scale by which a score becomes log-odds."""

import numpy as np
from scipy.optimize import minimize_scalar


def logistic_loss(log_odds: np.ndarray, target: np.ndarray) -> float:
    """Mean cross-entropy in nats between expected scores ``target`` and the prediction."""
    log_odds = log_odds.astype(np.float64)
    return float(np.mean(np.logaddexp(0, log_odds) - target * log_odds))


def fit_scale(scores: np.ndarray, target: np.ndarray) -> float:
    """The scale in centipawns for which ``scores / scale`` are the best log-odds of ``target``."""

    def loss(log_scale: float) -> float:
        return logistic_loss(scores / np.exp(log_scale), target)

    return float(np.exp(minimize_scalar(loss, bounds=(np.log(20), np.log(5000)), method="bounded").x))


def log_odds(probability: np.ndarray) -> np.ndarray:
    """The inverse of the logistic function, within the precision of float32 targets."""
    inside = np.clip(probability.astype(np.float64), 1e-7, 1 - 1e-7)
    return np.log(inside) - np.log1p(-inside)
