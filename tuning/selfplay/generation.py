"""Runs of training games: the directory of shards, the display, and the run.

The directory holds ``run.json`` with the settings, and shards of games, ``games-00000.vf`` and so on, in viriformat
(:mod:`tuning.data.viriformat`). Game n of shard s depends on the settings and the engine only, so a run may be
interrupted or killed and continued by the same command with any number of processes: the result is the same.
"""

import argparse
import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from engine.console import Console
from engine.messages import counted
from tuning.common.display import Display
from tuning.common.errors import SetupError
from tuning.common.files import write_whole
from tuning.common.units import CONTINUE, StopRun, Workplace, run_units
from tuning.data.viriformat import SUFFIX, count_file, files_of, read_positions
from tuning.selfplay.shards import REPORT_SECONDS, SHARD_GAMES, DatagenRun, Shard, first_game, play_shard

NOTES, _STEM = "run.json", "games-"  # the file with the settings of a run, and how the names of its shards begin


def path_of(directory: Path, number: int) -> Path:
    """The file of shard ``number``."""
    return directory / f"{_STEM}{number:05}{SUFFIX}"


def shard_of(path: Path) -> int:
    """The inverse of :func:`path_of`. Raises :class:`SetupError` if the file is not a shard."""
    number = path.stem.removeprefix(_STEM)
    if not number.isdecimal() or path_of(path.parent, int(number)) != path:
        raise SetupError(f"{path} is not a file of this tool: a run needs a separate directory")
    return int(number)


class RunFolder:
    """The directory of a run, which is :func:`locked`: appends complete games to shards in order, and counts them.

    Raises :class:`SetupError`, and changes nothing, if the directory holds a run with other settings, of another
    engine, a damaged game, or other files. Cuts off an incomplete last game of this run, if it was killed."""

    def __init__(self, directory: Path, run: DatagenRun) -> None:
        self.directory = directory
        self.games: Counter[int] = Counter()  # by shard
        self.positions = 0
        sizes: dict[Path, int] = {}
        for path in files_of(self.directory):
            self.games[shard_of(path)], positions, sizes[path] = count_file(path)
            self.positions += positions
            try:
                read_positions([path])
            except SetupError as error:
                advice = "cut the file at that byte; the same command plays the rest again"
                raise SetupError(f"{error}; {advice}") from None
        describe(self.directory, run.settings.to_json(), new=not self.positions)
        number = min(+self.games, default=0)  # 0, unless the run was killed before a game of that shard was ready
        first = first_game(run, number) if number else run.first_game
        if self.games[number] and not path_of(self.directory, number).read_bytes().startswith(first):
            raise SetupError(
                f"{self.directory} was started with another engine or evaluation: its first game is played "
                "differently now; choose another directory"
            )
        for path, size in sizes.items():
            os.truncate(path, size)

    def add(self, shard: int, first: int, games: Sequence[bytes], plies: Sequence[int]) -> int:
        """Append the new ones among games ``first``, ``first`` + 1, ... of a shard; return their number of positions.

        (The unit of a dead worker runs again, and its games arrive twice.)"""
        known = self.games[shard] - first
        if known < 0 or known >= len(games):
            return 0
        with path_of(self.directory, shard).open("ab") as stream:
            stream.write(b"".join(games[known:]))
        self.games[shard] += len(games) - known
        self.positions += sum(plies[known:])
        return sum(plies[known:])


@contextmanager
def locked(directory: Path) -> Iterator[None]:
    """The directory, made if necessary, for this process alone. Raises :class:`SetupError`."""
    lock = FileLock(directory / "run.lock", timeout=0)
    try:
        directory.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except Timeout:
        raise SetupError(f"{directory} is in use by another process") from None
    except OSError as error:
        raise SetupError(f"cannot use {directory}: {error.strerror}") from None
    try:
        yield
    finally:
        lock.release()


def describe(directory: Path, described: Mapping[str, Any], new: bool) -> None:
    """Write how a folder's games are made, or if not ``new`` compare it with its notes. Raises :class:`SetupError`."""
    notes = directory / NOTES
    if new:
        write_whole(notes, (json.dumps(described, indent=2) + "\n").encode())
        return
    try:
        previous = json.loads(notes.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise SetupError(f"{notes.parent} contains games but no {notes.name} that says how they were made") from None
    except ValueError:
        raise SetupError(f"{notes} is not JSON") from None
    if not isinstance(previous, dict):
        raise SetupError(f"{notes} does not describe a run")
    for name in [*described, *previous]:
        if described.get(name) != previous.get(name):
            was, now = json.dumps(previous.get(name)), json.dumps(described.get(name))
            raise SetupError(
                f"{notes.parent} was started with {name} {was}, not {now}: use the same settings or another directory"
            )


def shards(folder: RunFolder, run: DatagenRun, games: int | None) -> Iterator[Shard]:
    """The units still to be played, for ``games`` in all (None: no limit)."""
    number = 0
    while games is None or number * SHARD_GAMES < games:
        last = SHARD_GAMES if games is None else min(SHARD_GAMES, games - number * SHARD_GAMES)
        if folder.games[number] < last:
            yield Shard(number, folder.games[number], last, run)
        number += 1


class DatagenDisplay(Display):
    """Positions, games and their ends."""

    def __init__(self, console: Console, folder: RunFolder, positions: int | None, games: int | None) -> None:
        self._folder = folder
        self._by_games = positions is None and games is not None
        super().__init__(console, "self-play", games if self._by_games else positions, numbers=False)
        self.positions = self.games = self.nodes = self.rejected = 0
        self.results: Counter[str] = Counter()
        self.ends: Counter[str] = Counter()

    def add(self, item: Mapping[str, Any], positions: int) -> None:
        """Count a report of which ``positions`` were new."""
        if not self.positions:
            self.begin(REPORT_SECONDS)
        self.positions += positions
        self.games += len(item["games"])
        self.nodes += item["nodes"]
        self.rejected += item["rejected"]
        self.results.update(item["results"])
        self.ends.update(item["ends"])
        self.show(sum(self._folder.games.values()) if self._by_games else self._folder.positions, self.text())

    def text(self) -> str:
        """Positions and games so far, and the speed."""
        positions = counted(self._folder.positions, "position", form=",")
        games = counted(sum(self._folder.games.values()), "game", form=",")
        return f"{positions}, {games}, {self.positions / self.seconds:,.0f} positions/s"

    def report(self) -> str:
        games, positions = max(self.games, 1), max(self.positions, 1)
        results, ends = (
            ", ".join(f"{name} {count / games:.1%}" for name, count in counts.most_common())
            for counts in (self.results, self.ends)
        )
        played, rejected = counted(self.games, "game", form=","), counted(self.rejected, "opening", form=",")
        return (
            f"{self.text()}\nthis session: {played} of {self.positions / games:.0f} plies; {results}; "
            f"{self.nodes / positions:,.0f} nodes a position; {rejected} rejected\nends: {ends}"
        )


def generate(folder: RunFolder, plan: DatagenRun, arguments: argparse.Namespace, console: Console) -> int:
    """Play until the folder has the positions or games of ``arguments`` (None: no limit); the exit code."""
    positions, games = arguments.positions, arguments.games
    if positions is not None and folder.positions >= positions:
        return 0
    display = DatagenDisplay(console, folder, positions, games)

    def take(item: Mapping[str, Any]) -> None:
        added = folder.add(item["shard"], item["first"], item["games"], item["plies"])
        display.add(item, added)
        if positions is not None and folder.positions >= positions:
            raise StopRun

    try:
        return run_units(
            play_shard,
            shards(folder, plan, games),
            Workplace(arguments.scheduler, arguments.jobs, console, display.bar, CONTINUE),
            on_report=take,
        )
    finally:
        if display.games:
            console.print(display.report())
