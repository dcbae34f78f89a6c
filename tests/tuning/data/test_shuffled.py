"""Positions in random order on disk: none lost, none twice, no game on both sides, the same order every time."""

import time
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

import numpy as np
import pytest
from rich.console import Console
from rich.progress import Progress

from tests.tuning import games
from tests.tuning.lines import evaluation_line, random_games, training_line
from tuning.common.errors import SetupError
from tuning.data import shuffled as module
from tuning.data.dataset import QuietRules, common_scale, held_out_lots, quiet_positions
from tuning.data.positions import read_text
from tuning.data.shuffled import shuffled

SILENT = Progress(console=Console(quiet=True))
ALL = QuietRules(first_ply=0, decided=100)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("shuffled")
    made = []
    for seed, (name, form) in enumerate((("white.tsv", evaluation_line), ("mover.tsv", training_line))):
        made.append(folder / name)
        made[-1].write_text("".join(map(form, random_games(30, seed=seed))))
    return made


@pytest.fixture
def positions(files, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "CHUNK_POSITIONS", 400)
    return shuffled(files, tmp_path / "cache", ALL, 0.3, SILENT)


def keys(boards):
    """What tells positions apart, sorted; the source's number is left out."""
    bare = boards.copy()
    bare["extra"] = 0
    return sorted(board.tobytes() for board in bare)


def test_every_position_once_in_an_epoch(files, positions):
    assert len(positions.chunks) > 2
    epoch = list(islice(positions.passes(1, 0, 0), len(positions.chunks)))
    learned = np.concatenate([chunk.boards for chunk in epoch])
    assert keys(learned) == keys(positions.learned())
    apart = positions.held_out()
    for number, (file, stats) in enumerate(zip(files, positions.sources, strict=True)):
        quiet = quiet_positions(read_text(file, SILENT), ALL)
        mine, judged = (boards[boards["extra"] == number] for boards in (learned, apart))
        is_apart = (held_out_lots(file.name).random(30) < 0.3)[quiet.games]
        assert (keys(mine), keys(judged)) == (keys(quiet.boards[~is_apart]), keys(quiet.boards[is_apart]))
        assert (stats.games, stats.positions, stats.held_out) == (30, len(quiet), len(judged))
        assert stats.scale == pytest.approx(common_scale(quiet.boards), rel=0.05)


def test_copies_of_games_hold_out_the_same_ones(tmp_path):
    """Also when earlier files have grown."""

    def write(folder, score, count=12):
        folder.mkdir(exist_ok=True)
        for shard, number in enumerate((count, 12)):
            made = [games.random_game(games.STARTS[0], 100 * shard + seed) for seed in range(number)]
            packed = [games.pack_game(board, moves, [score] * len(moves), result) for board, moves, _, result in made]
            (folder / f"games-{shard:05}.vf").write_bytes(b"".join(packed))

    def apart(folder):
        boards = shuffled([folder], tmp_path / "cache", ALL, 0.3, SILENT).held_out()
        boards["score"] = 0
        return set(keys(boards))

    for name, score in (("first", 10), ("deeper", 30)):
        write(tmp_path / name, score)
    before = apart(tmp_path / "first")
    assert before == apart(tmp_path / "deeper") != set()
    write(tmp_path / "first", 10, count=20)
    assert before <= apart(tmp_path / "first")


def test_another_order_in_every_epoch(positions):
    count = len(positions.chunks)
    first = list(islice(positions.passes(1, 0, 0), 2 * count))
    assert [(chunk.epoch, chunk.place) for chunk in first] == [
        (epoch, place) for epoch in (0, 1) for place in range(count)
    ]
    again = list(islice(positions.passes(1, 1, 2), count - 2))
    for chunk, same in zip(first[count + 2 :], again, strict=True):
        assert np.array_equal(chunk.boards, same.boards)
        assert chunk.seed == same.seed
    assert len({chunk.seed for chunk in first}) == 2 * count
    turns = [np.concatenate([chunk.boards for chunk in part]) for part in (first[:count], first[count:])]
    assert not np.array_equal(*turns)
    assert keys(turns[0]) == keys(turns[1])


def test_a_set_is_made_once(files, positions, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "make", None)
    same = shuffled(files, tmp_path / "cache", ALL, 0.3, SILENT)
    assert same.digest == positions.digest
    with pytest.raises(TypeError):
        shuffled(files, tmp_path / "cache", QuietRules(5, 100), 0.3, SILENT)


def test_two_runs_make_a_set_once(files, tmp_path, monkeypatch):
    made, plain = [], module.make

    def slow(*arguments):
        made.append(arguments)
        time.sleep(0.1)
        plain(*arguments)

    monkeypatch.setattr(module, "make", slow)
    with ThreadPoolExecutor(2) as runs:
        first, second = runs.map(lambda _: shuffled(files, tmp_path, ALL, 0.3, SILENT), range(2))
    assert len(made) == 1
    assert keys(first.learned()) == keys(second.learned())


def test_decided_positions_are_left_out(files, tmp_path):
    cache = tmp_path / "cache"
    every, undecided = (shuffled(files, cache, QuietRules(0, decided), 0.3, SILENT) for decided in (100, 1.0))
    boards = undecided.chunk(0)
    assert 0 < len(boards) < len(every.chunk(0))
    assert (np.abs(boards["score"]) <= undecided.scales[boards["extra"]]).all()


def test_invalid_sources_are_refused(files, tmp_path):
    with pytest.raises(SetupError, match="two files have the same name"):
        shuffled([tmp_path / "a" / "x.tsv", tmp_path / "b" / "x.tsv"], tmp_path, ALL, 0.1, SILENT)
    with pytest.raises(SetupError, match="too few games"):
        shuffled(files, tmp_path, ALL, 1e-9, SILENT)
    with pytest.raises(SetupError, match="no quiet position"):
        shuffled(files, tmp_path, QuietRules(1000, 1), 0.1, SILENT)
    with pytest.raises(SetupError, match=r"nowhere\.tsv"):
        shuffled([tmp_path / "nowhere.tsv"], tmp_path, ALL, 0.1, SILENT)
    assert not list(tmp_path.glob("shuffled-*[0-9a-f]"))
