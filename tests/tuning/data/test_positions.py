"""Text becomes packed positions as python-chess reads them."""

import gzip
import itertools
import lzma

import chess
import numpy as np
import pytest
from rich.console import Console
from rich.progress import Progress

from engine.board.fen import to_fen
from engine.board.setup import new_position
from tests.tuning.lines import evaluation_line, random_games, training_line
from tuning.common.errors import SetupError
from tuning.data import positions as module
from tuning.data.marlinformat import IN_CHECK, NOISY_MOVE, unpack
from tuning.data.positions import plies, read_positions, read_text

SILENT = Progress(console=Console(quiet=True))

GOOD = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0\t18\t1\t0\t-"
BARS = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 | 18 | 1.0"


def fen_of(packed) -> str:
    position = new_position()
    assert unpack(position, packed)
    return to_fen(position)


def changes_material(board: chess.Board, move: chess.Move) -> bool:
    return board.is_capture(move) or move.promotion is not None


@pytest.mark.parametrize(
    ("form", "chess960"), [(evaluation_line, False), (training_line, False), (training_line, True)]
)
def test_every_form_is_read_back_as_it_was_written(tmp_path, form, chess960):
    games = list(random_games(12, chess960=chess960))
    file = tmp_path / "positions.tsv"
    file.write_text("".join(map(form, games)))
    found = read_text(file, SILENT)
    assert len(found) == len(games)
    assert plies(found.boards).tolist() == [position.ply for position in games]
    assert found.games.tolist() == [position.game for position in games]
    assert found.boards["score"].tolist() == [position.score for position in games]
    assert found.boards["result"].tolist() == [position.half_points for position in games]
    for position, packed, following in itertools.zip_longest(games, found.boards, games[1:]):
        assert fen_of(packed).split()[:5] == position.board.fen().split()[:5]
        assert bool(packed["extra"] & IN_CHECK) == position.board.is_check()
        if form is training_line or (following is not None and following.game == position.game):
            assert bool(packed["extra"] & NOISY_MOVE) == changes_material(position.board, position.move)


def test_forms_with_and_without_depth_are_one(tmp_path):
    (tmp_path / "five.tsv").write_text(GOOD + "\n")
    (tmp_path / "six.tsv").write_text(GOOD.replace("\t0\t-", "\t33\t0\t-"))  # nor needs the last line an end
    five, six = (read_text(tmp_path / name, SILENT).boards for name in ("five.tsv", "six.tsv"))
    assert np.array_equal(five, six)


def test_the_flag_of_a_capture_marks_the_position_noisy(tmp_path):
    (tmp_path / "flags.tsv").write_text(GOOD.replace("\t-", "\txk") + "\r\n" + GOOD.replace("\t-", "\tk") + "\r\n")
    assert read_text(tmp_path / "flags.tsv", SILENT).boards["extra"].tolist() == [NOISY_MOVE, 0]


@pytest.mark.parametrize("name", ["tcec_evals.tsv.gz", "lichess2400_evals.tsv.gz", "nnue_pytorch_small.tsv.xz"])
def test_positions_of_public_files_agree_with_python_chess(tmp_path, data_file, name):
    path = data_file(f"positions/{name}")
    with (lzma.open if name.endswith("xz") else gzip.open)(path, "rt") as stream:
        lines = list(itertools.islice(stream, 800))
    (tmp_path / "some.tsv").write_text("".join(lines))
    found = read_text(tmp_path / "some.tsv", SILENT)
    assert len(found) == len(lines)
    for line, packed in zip(lines, found.boards, strict=True):
        fields = line.rstrip().split("\t")
        board = chess.Board(fields[0] if fields[0].count(" ") == 5 else fields[0] + " 1")
        assert fen_of(packed).split()[:5] == board.fen().split()[:5]
        assert bool(packed["extra"] & IN_CHECK) == board.is_check()
        if fields[1][0].isalpha():
            assert bool(packed["extra"] & NOISY_MOVE) == changes_material(board, chess.Move.from_uci(fields[1]))


@pytest.mark.parametrize(
    "line",
    [
        "",
        "a word",
        GOOD.replace("rnbq", "rnbz"),
        GOOD.replace("8/8/8/8", "8/8/8"),
        GOOD.replace("RNBQKBNR", "RNBQ1BNR"),
        GOOD.replace(" w ", " white "),
        GOOD.replace("KQkq", "xyz"),
        GOOD.replace("KQkq -", "KQkq e9"),
        GOOD.replace(" - 0", " - x"),
        GOOD.replace("\t18\t", "\t1.8\t"),
        GOOD.replace("\t18\t", "\t99999\t"),
        GOOD.replace("\t1\t", "\t0.7\t"),
        GOOD.replace("\t0\t-", ""),
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\te4e5\t1\t2\t0",  # no piece there
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\te2\t1\t2\t0",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\te2e4\t1\t2\t5",
        BARS.replace(" | 1.0", ""),
        BARS.replace(" | 1.0", " | 2.0"),
        BARS.replace("| 18 |", "| 1.8 |"),
        BARS.replace(" 0 1 |", " 0 x |"),
        BARS.replace(" 0 1 |", " |"),
        "|",
    ],
)
def test_broken_lines_are_named(tmp_path, line):
    file = tmp_path / "broken.tsv"
    file.write_text(f"{GOOD}\n{GOOD}\n{line}\n{GOOD}\n")
    with pytest.raises(SetupError, match=r"broken\.tsv:3: ") as caught:
        read_text(file, SILENT)
    assert repr(line.strip()) in str(caught.value)


def test_lines_with_bars_are_read(tmp_path):
    (tmp_path / "bars.txt").write_text(f"{BARS}\n{BARS.replace(' 0 1 |', ' 7 30 |')}\r\n")
    found = read_text(tmp_path / "bars.txt", SILENT)
    assert found.boards["score"].tolist() == [18, 18]
    assert found.boards["result"].tolist() == [2, 2]
    assert found.boards["rule50"].tolist() == [0, 7]
    assert plies(found.boards).tolist() == [0, 58]


def test_binary_files_are_refused(tmp_path):
    (tmp_path / "binary.tsv").write_bytes(bytes(range(256)) * 100)
    with pytest.raises(SetupError, match=r"binary\.tsv:1: "):
        read_positions(tmp_path / "binary.tsv", tmp_path, SILENT)


def test_damaged_files_are_refused_by_name(tmp_path):
    with pytest.raises(SetupError, match="nowhere"):
        read_positions(tmp_path / "nowhere.tsv", tmp_path, SILENT)
    whole = gzip.compress((GOOD + "\n").encode() * 1000)
    (tmp_path / "torn.tsv.gz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(SetupError, match="torn"):
        read_positions(tmp_path / "torn.tsv.gz", tmp_path, SILENT)
    (tmp_path / "empty.tsv").touch()
    with pytest.raises(SetupError, match="none in it"):
        read_positions(tmp_path / "empty.tsv", tmp_path, SILENT)


def test_text_is_parsed_once(tmp_path, monkeypatch):
    file, cache = tmp_path / "positions.tsv", tmp_path / "cache"
    file.write_text(f"{GOOD}\n")
    first = read_positions(file, cache, SILENT)
    parsed = []
    monkeypatch.setattr(module, "read_text", lambda *arguments: parsed.append(arguments) or read_text(*arguments))
    assert np.array_equal(read_positions(file, cache, SILENT).boards, first.boards)
    assert not parsed
    next(cache.iterdir()).write_bytes(b"damaged")
    assert np.array_equal(read_positions(file, cache, SILENT).boards, first.boards)
    assert len(parsed) == 1
    file.write_text(f"{GOOD}\n{GOOD}\n")
    assert len(read_positions(file, cache, SILENT)) == 2
