"""The work unit of the arena: a batch of pairs of games, played in one worker process.

In a separate module, workers of a scheduler find it by name.
"""

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, TypeVar

from engine import api  # noqa: F401 (the warm-up wants every kernel imported)
from engine.fen import START_FEN
from engine.jit.warmup import warm_up
from engine.messages import OptionError
from engine.processes import Report
from engine.search.threads import run_on_deep_stack
from tuning.common.errors import SetupError
from tuning.matches.adjudication import Adjudication
from tuning.matches.openings import Opening
from tuning.selfplay.duel import Duel, DuelGame, DuelRules
from tuning.selfplay.pgn import pgn_of
from tuning.selfplay.shards import REPORT_SECONDS
from tuning.selfplay.sides import CLOCK

#: The rules of the short game whose moves identify an engine.
_TRIAL = DuelRules(nodes=500, hash=1, adjudication=Adjudication(resign_moves=0, draw_moves=0, max_moves=40))

Options = tuple[tuple[str, str], ...]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Matchup:
    """Two sides and their rules. ``fingerprint`` identifies how they play (see :func:`with_fingerprint`)."""

    first: Options = ()
    second: Options = ()
    rules: DuelRules = field(default_factory=DuelRules)
    fingerprint: str = ""


@dataclass(frozen=True, slots=True)
class DuelPair:
    """Pair ``number`` of the plan, two games from ``opening``. ``values`` are search parameters of the two sides for
    this pair alone, in addition to those of the meeting."""

    number: int
    opening: Opening
    values: tuple[dict[str, int], dict[str, int]] = field(default_factory=lambda: ({}, {}))


@dataclass(frozen=True, slots=True)
class PairBatch:
    """A work unit. With ``names`` the games themselves are reported too, as PGN."""

    meeting: Matchup
    pairs: tuple[DuelPair, ...]
    names: tuple[str, str] | None = None


@lru_cache(maxsize=1)
def _duel_of(meeting: Matchup) -> Duel:
    """This process's players. Raises :class:`SetupError` if their fingerprint differs, as another engine's does."""
    warm_up(lambda line: None)
    if meeting.fingerprint and _fingerprint(meeting) != meeting.fingerprint:
        raise SetupError("a worker plays differently: it has another engine, network or evaluation")
    return Duel(meeting.rules, dict(meeting.first), dict(meeting.second))


def _fingerprint(meeting: Matchup) -> str:
    """A digest of two short games between the sides."""
    first, second = dict(meeting.first), dict(meeting.second)
    if (CLOCK in first) != (CLOCK in second):  # the trial has no clock for the other one
        first.pop(CLOCK, None)
        second.pop(CLOCK, None)
    duel = Duel(_TRIAL, first, second)
    games = duel.play_pair(Opening(START_FEN))
    return hashlib.blake2b(repr([(game.moves, game.scores) for game in games]).encode(), digest_size=8).hexdigest()


def play_batch(batch: PairBatch, report: Report) -> None:
    """Play a unit in this process; report its pairs, as plain data, once a second or so."""

    def work() -> None:
        duel = _duel_of(batch.meeting)
        done: list[dict[str, Any]] = []
        since = time.monotonic()
        for pair in batch.pairs:
            for side, values in enumerate(pair.values):
                duel.set_parameters(side, values)
            games = duel.play_pair(pair.opening)
            done.append(_described(pair, games, batch))
            if time.monotonic() - since >= REPORT_SECONDS or pair is batch.pairs[-1]:
                report(done)
                done, since = [], time.monotonic()

    _in_a_deep_thread(work)


def _described(pair: DuelPair, games: tuple[DuelGame, DuelGame], batch: PairBatch) -> dict[str, Any]:
    """A pair for the results file; ``points`` are the first side's half points in each game, ``nodes`` and ``seconds``
    those of the first and of the second side. ``games`` are not for that file."""
    first, second = games
    data: dict[str, Any] = {
        "number": pair.number,
        "opening": pair.opening.source or pair.opening.fen,
        "points": [first.result, 2 - second.result],
        "reasons": [game.reason for game in games],
        "plies": [len(game.moves) for game in games],
        "nodes": [first.nodes[0] + second.nodes[1], first.nodes[1] + second.nodes[0]],
        "seconds": [round(first.seconds[side] + second.seconds[1 - side], 4) for side in range(2)],
    }
    if batch.names is not None:
        data["games"] = [
            pgn_of(game, pair.number, white, batch.names, pair.opening) for white, game in enumerate(games)
        ]
    return data


def _in_a_deep_thread(work: Callable[[], T]) -> T:
    """Run ``work`` in a thread with the stack that a search needs; return or raise as it does."""
    try:
        return run_on_deep_stack(work)
    except OptionError as error:
        raise SetupError(str(error)) from None


def with_fingerprint(meeting: Matchup, log: Callable[[str], None] = lambda line: None) -> Matchup:
    """The meeting with its fingerprint. Raises :class:`SetupError` for invalid options.

    Compiles the engine if necessary, and reports that to ``log``, before all workers do the same."""
    warm_up(log)
    # Nodes and clocks that do not go together are refused here rather than by every worker.
    _in_a_deep_thread(lambda: Duel(replace(meeting.rules, hash=1), dict(meeting.first), dict(meeting.second)))
    return replace(meeting, fingerprint=_in_a_deep_thread(lambda: _fingerprint(meeting)))
