"""The work unit of data generation: a range of games of one shard, played by one worker.

In a separate module, workers of a scheduler find it by name.
"""

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from typing import Any

from engine import api  # noqa: F401 (the warm-up wants every kernel imported)
from engine.fen import START_FEN
from engine.jit.warmup import warm_up
from engine.messages import OptionError
from engine.processes import Report
from engine.search.threads import run_on_deep_stack
from tuning.common.errors import SetupError
from tuning.selfplay.games import SelfPlay, SelfPlayGame, SelfPlayRules, random_state
from tuning.selfplay.loop import ENDS

SHARD_GAMES = 1_000  # games in a shard
REPORT_SECONDS = 1.0  # seconds between reports of a worker: a kill costs no more
MAX_TRIES = 20  # openings of a book that may fail in a row before the run gives up


@dataclass(frozen=True, slots=True)
class DatagenSettings:
    """The settings that determine the games, as in ``run.json``."""

    seed: int = 1
    rules: SelfPlayRules = field(default_factory=SelfPlayRules)
    options: tuple[tuple[str, str], ...] = ()
    book: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The settings as plain data, the options by name."""
        return {"seed": self.seed, **asdict(self.rules), "options": dict(self.options), "book": self.book}


@dataclass(frozen=True, slots=True)
class DatagenRun:
    """The settings, their start positions, and the first game's bytes as played by the process that started the run."""

    settings: DatagenSettings
    openings: tuple[str, ...] = (START_FEN,)
    first_game: bytes = b""


@dataclass(frozen=True, slots=True)
class Shard:
    """A work unit: the games from ``first`` to ``last`` - 1 of shard ``number``."""

    number: int
    first: int
    last: int
    run: DatagenRun


_RESULTS = ("Black won", "drawn", "White won")


@lru_cache(maxsize=1)
def _player_of(run: DatagenRun) -> SelfPlay:
    """This process's player. Raises :class:`SetupError` if its engine plays the run's first game differently."""
    warm_up(lambda line: None)
    player = SelfPlay(run.settings.rules, dict(run.settings.options))
    if run.first_game and play_one(player, run, 0, 0).data != run.first_game:
        raise SetupError("a worker plays the first game differently: it has another engine or evaluation")
    return player


def play_one(player: SelfPlay, run: DatagenRun, shard: int, number: int) -> SelfPlayGame:
    """Game ``number`` of a shard. Raises :class:`SetupError` if no opening is balanced."""
    state = random_state(run.settings.seed, shard, number)
    for attempt in range(MAX_TRIES):
        game = player.play(state, run.openings[(shard * SHARD_GAMES + number + attempt) % len(run.openings)])
        if game is not None:
            return game
    raise SetupError(f"no balanced opening in {MAX_TRIES} tries: raise --opening-score or change the openings")


def begin(settings: DatagenSettings, openings: tuple[str, ...]) -> DatagenRun:
    """Play the first game of a run. Raises :class:`SetupError` for invalid options or unbalanced openings."""
    run = DatagenRun(settings, openings)
    try:
        return replace(run, first_game=first_game(run))
    except OptionError as error:
        raise SetupError(str(error)) from None


def first_game(run: DatagenRun, shard: int = 0) -> bytes:
    """The first game of a shard, played in this process. Raises the same exceptions as :func:`play_shard`."""
    played: list[bytes] = []
    play_shard(Shard(shard, 0, 1, run), lambda item: played.extend(item["games"]))
    return played[0]


def play_shard(shard: Shard, report: Report) -> None:
    """Play a unit in this process; report its games in order, with counts of results and ends."""

    def work() -> None:
        player = _player_of(shard.run)
        batch, first, since = [], shard.first, time.monotonic()
        for number in range(shard.first, shard.last):
            batch.append(play_one(player, shard.run, shard.number, number))
            if time.monotonic() - since >= REPORT_SECONDS or number == shard.last - 1:
                report(_summary(shard.number, first, batch))
                batch, first, since = [], number + 1, time.monotonic()

    run_on_deep_stack(work)  # the search wants more stack than a worker's thread may have


def _summary(shard: int, first: int, games: Sequence[SelfPlayGame]) -> dict[str, Any]:
    return {
        "shard": shard,
        "first": first,
        "games": [game.data for game in games],
        "plies": [game.plies for game in games],
        "nodes": sum(game.nodes for game in games),
        "rejected": sum(game.rejected for game in games),
        "results": Counter(_RESULTS[game.result] for game in games),
        "ends": Counter(ENDS[game.end] for game in games),
    }
