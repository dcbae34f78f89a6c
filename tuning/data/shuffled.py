"""Quiet positions of any number of games in random order on disk, so that training needs memory only for a chunk.

Each position of each file goes to a random chunk, and each chunk is shuffled whenever it is read, so the positions of a
batch come from all games. Whole games are held out for validation, always the same of a file of this name. A set is a
folder below the cache, named by a digest of its sources, and is made once.
"""

import hashlib
import json
import shutil
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from filelock import FileLock
from rich.progress import Progress
from scipy.special import expit

from tuning.common.errors import SetupError
from tuning.data.dataset import SCALE_POSITIONS, QuietRules, common_scale, held_out_lots, quiet_positions
from tuning.data.marlinformat import PACKED
from tuning.data.positions import VERSION as TEXT_VERSION
from tuning.data.positions import is_games, read_positions
from tuning.data.viriformat import Positions, files_of
from tuning.data.viriformat import read_positions as read_games

CHUNK_POSITIONS = 1 << 22  # positions of a chunk, about: 128 MiB
VERSION = 2  # version of the sets; raise it when the same files give another set
MAX_SOURCES = 256  # files of a set: the number of its file goes into a position's ``extra`` byte

_CONTENTS, _HELD_OUT = "contents.json", "held-out.bin"


@dataclass(frozen=True, slots=True)
class SourceStats:
    """One file, or folder of games: its number of games, quiet positions, and positions held out.

    ``scale`` is the number of its units that multiply the odds of White's success by e (``dataset.common_scale``)."""

    name: str
    games: int
    positions: int
    held_out: int
    scale: float


class Chunk(NamedTuple):
    """A part of the set: its pass and place, the seed for the order, and the positions, PACKED, as in the file."""

    epoch: int
    place: int
    seed: tuple[int, int, int]
    boards: np.ndarray


class Shuffled:
    """A set on disk. ``digest`` identifies its sources; scores beyond ``decided`` (log-odds) are skipped."""

    def __init__(self, folder: Path, decided: float) -> None:
        contents = json.loads((folder / _CONTENTS).read_text())
        self.folder = folder
        self.digest = folder.name
        self.decided = decided
        self.chunks: list[int] = contents["chunks"]
        self.sources = [SourceStats(**entry) for entry in contents["sources"]]
        self.scales = np.array([source.scale for source in self.sources])

    def _read(self, name: str) -> np.ndarray:
        try:
            boards = np.fromfile(self.folder / name, PACKED)
        except OSError as error:
            raise SetupError(f"cannot read {self.folder / name}: {error.strerror}") from None
        in_play = np.abs(boards["score"].astype(np.float32)) <= self.decided * self.scales[boards["extra"]]
        return np.asarray(boards[in_play])

    def chunk(self, number: int) -> np.ndarray:
        """The positions of a chunk that are not decided, PACKED, in the order of the file."""
        return self._read(_chunk_name(number))

    def learned(self) -> np.ndarray:
        return np.concatenate([self.chunk(number) for number in range(len(self.chunks))])

    def held_out(self) -> np.ndarray:
        """The positions for validation, PACKED."""
        return self._read(_HELD_OUT)

    def some(self, count: int) -> np.ndarray:
        """``count`` training positions drawn at random from the first chunk, or all of it if it has fewer."""
        boards = self.chunk(0)
        return np.asarray(boards[np.random.default_rng(0).permutation(len(boards))[:count]])

    def expected(self, boards: np.ndarray, result_weights: np.ndarray) -> np.ndarray:
        """White's expected scores float32, the games' results mixed in by ``result_weights`` [number of pieces]."""
        by_score = expit(boards["score"] / self.scales[boards["extra"]])
        weights = result_weights[np.bitwise_count(boards["occupancy"])]
        mixed = (1 - weights) * by_score + weights * (boards["result"] / 2)
        return np.asarray(mixed.astype(np.float32))

    def passes(self, seed: int, epoch: int, place: int) -> Iterator[Chunk]:
        """Chunks without end, in a new order for every ``epoch``, starting at ``place`` of the first (both from 0).

        The next chunk is read while one is in use."""
        with ThreadPoolExecutor(1, thread_name_prefix="reading") as reader:
            coming: deque[tuple[int, int, int, Future[np.ndarray]]] = deque()
            while True:
                order = np.random.default_rng([seed, epoch]).permutation(len(self.chunks))
                for index in range(place, len(order)):
                    number = int(order[index])
                    coming.append((epoch, index, number, reader.submit(self.chunk, number)))
                    if len(coming) > 1:
                        then, where, number, read = coming.popleft()
                        yield Chunk(then, where, (seed, then, number), read.result())
                epoch, place = epoch + 1, 0


def batches(boards: np.ndarray, size: int) -> Iterator[np.ndarray]:
    """All ``boards`` in equal parts of about ``size``."""
    yield from np.array_split(boards, max(round(len(boards) / size), 1))


def shuffled(files: Sequence[Path], cache: Path, quiet: QuietRules, held_out: float, progress: Progress) -> Shuffled:
    """The set of ``files``, made unless it is in ``cache``. Raises :class:`SetupError` for invalid or too few games."""
    if len({file.name for file in files}) < len(files):
        raise SetupError("two files have the same name: held-out games are chosen by name, so names must differ")
    if len(files) > MAX_SOURCES:
        raise SetupError(f"{len(files)} files of positions: {MAX_SOURCES} at most")
    folder = cache / f"shuffled-{_digest(files, quiet.first_ply, held_out)}"
    if (folder / _CONTENTS).exists():
        return Shuffled(folder, quiet.decided)
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with FileLock(folder.with_suffix(".lock")):  # another run may be making the same set
            if not (folder / _CONTENTS).exists():
                draft = folder.with_suffix(".part")
                with suppress(FileNotFoundError):
                    shutil.rmtree(draft)
                draft.mkdir()
                make(draft, files, cache, quiet, held_out, progress)
                draft.rename(folder)
    except OSError as error:
        raise SetupError(f"cannot keep positions in {folder}: {error.strerror}") from None
    return Shuffled(folder, quiet.decided)


def _chunk_name(number: int) -> str:
    return f"chunk-{number:04}.bin"


def _digest(files: Sequence[Path], first_ply: int, held_out: float) -> str:
    """A digest of the sources of a set. Raises :class:`SetupError` for a missing file."""
    sources: list[object] = [VERSION, TEXT_VERSION, CHUNK_POSITIONS, first_ply, held_out]
    for file in files:
        try:
            parts = files_of(file)
            sources.append([file.name, [(part.name, part.stat().st_size, part.stat().st_mtime_ns) for part in parts]])
        except OSError as error:
            raise SetupError(f"positions {file}: {error.strerror}") from None
    return hashlib.sha256(json.dumps(sources).encode()).hexdigest()[:16]


def _portions(file: Path, cache: Path, progress: Progress) -> Iterator[tuple[str, Positions]]:
    """All positions of a file, or folder of games, by complete games, with the name of their file."""
    if not is_games(file):
        yield file.name, read_positions(file, cache, progress)
        return
    parts = files_of(file)
    bar = progress.add_task(f"shuffling {file.name}", total=len(parts))
    for part in parts:
        positions = read_games([part])
        if len(positions):
            yield part.name, positions
        progress.advance(bar)
    progress.remove_task(bar)


def _chunk_count(files: Sequence[Path]) -> int:
    """The number of chunks for ``files``, estimated from their sizes."""
    positions = 0.0
    for file in files:
        size = sum(part.stat().st_size for part in files_of(file))
        positions += size * 0.17 if is_games(file) else size / 16  # quiet ones; packed text has 16 bytes a line or so
    return max(round(positions / CHUNK_POSITIONS), 1)


def make(
    folder: Path, files: Sequence[Path], cache: Path, quiet: QuietRules, held_out: float, progress: Progress
) -> None:
    """Write the positions of ``files`` that :func:`shuffled` keeps into ``folder``, and their description."""
    random = np.random.default_rng(VERSION)
    lengths = np.zeros(_chunk_count(files), np.int64)
    counts = []
    with ExitStack() as opened:
        chunks = [opened.enter_context((folder / _chunk_name(n)).open("wb")) for n in range(len(lengths))]
        judged = opened.enter_context((folder / _HELD_OUT).open("wb"))
        for number, file in enumerate(files):
            games = positions = kept_apart = 0
            for name, portion in _portions(file, cache, progress):
                apart = held_out_lots(name).random(int(portion.games[-1]) + 1) < held_out
                games += len(apart)
                chosen = quiet_positions(portion, quiet)
                boards = chosen.boards
                boards["extra"] = number
                is_apart = apart[chosen.games]
                judged.write(boards[is_apart].tobytes())
                boards = boards[~is_apart]
                target = random.integers(len(chunks), size=len(boards))
                order = np.argsort(target, kind="stable")
                sizes = np.bincount(target, minlength=len(chunks))
                for chunk, part in zip(chunks, np.split(boards[order], np.cumsum(sizes)[:-1]), strict=True):
                    chunk.write(part.tobytes())
                lengths += sizes
                positions += len(is_apart)
                kept_apart += int(is_apart.sum())
            if not positions:
                raise SetupError(f"positions {file}: no quiet position in it")
            counts.append((file.name, games, positions, kept_apart))
    if not lengths.sum() or not sum(apart for *_, apart in counts):
        raise SetupError("too few games to hold some out: give more positions")
    sources = [asdict(SourceStats(*count, _scale(folder, number, len(lengths)))) for number, count in enumerate(counts)]
    (folder / _CONTENTS).write_text(json.dumps({"chunks": lengths.tolist(), "sources": sources}, indent=1))


def _scale(folder: Path, number: int, chunks: int) -> float:
    """The scale of a source, from up to SCALE_POSITIONS of its positions."""
    found = [np.empty(0, PACKED)]
    for name in [*map(_chunk_name, range(chunks)), _HELD_OUT]:
        boards = np.fromfile(folder / name, PACKED)
        found.append(boards[boards["extra"] == number])
        if sum(map(len, found)) >= SCALE_POSITIONS:
            break
    return common_scale(np.concatenate(found))
