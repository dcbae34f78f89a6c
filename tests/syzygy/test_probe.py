"""The compiled prober against python-chess: every table, both sides to move, en passant, and files in disorder."""

import random
import shutil
from collections.abc import Iterator
from itertools import chain, product
from pathlib import Path

import chess
import chess.syzygy
import numpy as np
import pytest

from engine.board.fen import set_fen
from engine.board.setup import new_position
from engine.syzygy.files import Prober
from engine.syzygy.probe import UNKNOWN, probe_wdl
from tests.play.endings import materials, random_board

#: The squares to which symmetry brings a king where there are no pawns, and where there are.
_TRIANGLE = [square for square in range(64) if chess.square_rank(square) <= chess.square_file(square) <= 3]
_HALF = [square for square in range(64) if chess.square_file(square) <= 3]


class Probe:
    """A prober that takes python-chess's boards."""

    def __init__(self, files: list[Path]) -> None:
        self.prober = Prober([str(file) for file in files])
        self._position = new_position()

    def distance(self, board: chess.Board) -> int | None:
        """The distance to zeroing; None if the table is missing or damaged."""
        set_fen(self._position, board.fen(), False)
        table = self.prober.distance_table(self._position)
        return None if table is None else self.prober.distance(table, self._position)

    def __call__(self, board: chess.Board) -> int:
        set_fen(self._position, board.fen(en_passant="fen"), False)
        before = self._position.copy()
        outcome = int(probe_wdl(np.uint64(self.prober.address), self._position))
        for name in ("pieces", "colors", "board", "key", "checkers", "side", "en_passant", "rule50", "ply"):
            assert np.array_equal(self._position[name], before[name]), (board.fen(), name)
        return outcome


@pytest.fixture(scope="module")
def probe(tables_folder: Path) -> Probe:
    return Probe(sorted(tables_folder.glob("*.rtb?")))


def boards_of(tables_folder: Path, count: int, seed: int) -> Iterator[chess.Board]:
    """Random positions of every table in turn."""
    source, names = random.Random(seed), materials(tables_folder)
    for number in range(count):
        yield random_board(names[number % len(names)], source)


def en_passant_boards(count: int, seed: int) -> Iterator[chess.Board]:
    """Random positions of KPvKP in which one pawn may pseudolegally take the other en passant."""
    source = random.Random(seed)
    while count:
        board = chess.Board.empty()
        file = source.randrange(8)
        beside = [other for other in (file - 1, file + 1) if 0 <= other < 8]
        board.set_piece_at(chess.square(file, 3), chess.Piece(chess.PAWN, chess.WHITE))
        board.set_piece_at(chess.square(source.choice(beside), 3), chess.Piece(chess.PAWN, chess.BLACK))
        board.ep_square, board.turn = chess.square(file, 2), chess.BLACK
        for square, color in zip(source.sample(range(64), 2), chess.COLORS, strict=True):
            if board.piece_at(square) is None:
                board.set_piece_at(square, chess.Piece(chess.KING, color))
        if board.is_valid() and any(board.legal_moves):
            count -= 1
            yield board if source.random() < 0.5 else board.mirror()


def disagreements(probe: Probe, oracle: chess.syzygy.Tablebase, boards: Iterator[chess.Board]) -> list[str]:
    """Where the two differ, or where a checkmate is called something else than unknown."""
    wrong = []
    for board in boards:
        expected = UNKNOWN if board.is_checkmate() else oracle.probe_wdl(board)
        if probe(board) != expected:
            wrong.append(board.fen())
    return wrong


def test_random_positions_of_all_tables(tables_folder, oracle, probe):
    assert probe.prober.largest == 4
    assert disagreements(probe, oracle, boards_of(tables_folder, 1400, seed=1)) == []


@pytest.mark.parametrize("count", [140, pytest.param(50_000, marks=pytest.mark.slow)])
def test_distances_agree_with_python_chess(tables_folder, oracle, probe, count):
    for board in boards_of(tables_folder, count, seed=6):
        assert probe.distance(board) == oracle.probe_dtz(board), board.fen()


def test_positions_with_en_passant_agree_with_python_chess(oracle, probe):
    boards = list(en_passant_boards(400, seed=2))
    assert sum(any(board.generate_legal_ep()) for board in boards) > 80
    assert disagreements(probe, oracle, iter(boards)) == []


@pytest.mark.slow
def test_many_positions_of_all_tables(tables_folder, oracle, probe):
    boards = chain(boards_of(tables_folder, 105_000, seed=3), en_passant_boards(5000, seed=4))
    assert disagreements(probe, oracle, boards) == []


@pytest.mark.slow
@pytest.mark.parametrize("letter", "QRBNP")
def test_every_position_with_three_men(oracle, probe, letter):
    def boards() -> Iterator[chess.Board]:
        piece = chess.Piece.from_symbol(letter)
        kings = _HALF if letter == "P" else _TRIANGLE
        for king, other, square, turn in product(kings, range(64), range(64), chess.COLORS):
            if len({king, other, square}) == 3:
                board = chess.Board.empty()
                board.set_piece_at(king, chess.Piece(chess.KING, chess.WHITE))
                board.set_piece_at(other, chess.Piece(chess.KING, chess.BLACK))
                board.set_piece_at(square, piece)
                board.turn = turn
                if board.is_valid():
                    yield board

    assert disagreements(probe, oracle, boards()) == []


def test_missing_tables_are_unknown(tables_folder):
    probe = Probe([tables_folder / "KRvKR.rtbw", tables_folder / "KQvK.rtbw"])
    assert probe(chess.Board("8/8/8/3k4/8/8/1Q6/K7 w - - 0 1")) == 2
    assert probe(chess.Board("8/8/8/3k4/8/8/1R6/K7 w - - 0 1")) == UNKNOWN
    assert probe(chess.Board("8/2r5/8/3k4/8/8/1R6/K7 w - - 0 1")) == 0
    capture = "8/8/8/3k4/8/8/1r6/K7 w - - 0 1"  # leads to two kings, but the table of the position itself is missing
    assert probe(chess.Board(capture)) == UNKNOWN
    assert Probe([])(chess.Board("8/8/8/3k4/8/8/8/K7 w - - 0 1")) == 0  # two kings need no table


@pytest.mark.parametrize("damage", [b"", b"\x71\xe8\x23\x5d" + bytes(12), "half"], ids=["empty", "head", "half"])
def test_an_unreadable_file_is_skipped(tables_folder, tmp_path, damage):
    whole = (tables_folder / "KQvKR.rtbw").read_bytes()
    (tmp_path / "KQvKR.rtbw").write_bytes(whole[: len(whole) // 128 * 64 + 16] if damage == "half" else damage)
    probe = Probe([tmp_path / "KQvKR.rtbw", tables_folder / "KQvK.rtbw"])
    assert len(probe.prober.faults) == 1
    assert "KQvKR" in probe.prober.faults[0]
    assert probe.prober.largest == 3


def damaged(folder: Path, file: Path, changes: dict[int, int]) -> Probe:
    """The table in ``file`` with other bytes."""
    data = bytearray(file.read_bytes())
    for place, value in changes.items():
        data[place] = value
    (folder / file.name).write_bytes(data)
    needed = {path.name: path for path in (*file.parent.glob("K?vK.rtbw"), file.with_suffix(".rtbw"))}
    return Probe(list((needed | {file.name: folder / file.name}).values()))


def check_damaged(folder: Path, file: Path, places: list[int], source: random.Random) -> None:
    """Each probe of ``file`` with random bytes in ``places`` ends, and reads only the table; it may be wrong."""
    probe = damaged(folder, file, {place: source.randrange(256) for place in places})
    for _ in range(3):
        board = random_board(file.stem, source)
        assert -2 <= probe(board) <= 253
        probe.distance(board)


@pytest.mark.parametrize("kind", ["rtbw", "rtbz"])
def test_damage_does_no_harm(tables_folder, tmp_path, kind):
    source = random.Random(5)
    for name in ("KRvKN", "KPvKP", "KQPvK", "KRvKP"):
        file = tables_folder / f"{name}.{kind}"
        for count in (1, 1, 1, 30):
            places = [source.randrange(4, file.stat().st_size) for _ in range(count)]
            check_damaged(tmp_path, file, places, source)
        for _ in range(15):
            check_damaged(tmp_path, file, [source.randrange(4, 150)], source)


@pytest.mark.slow
def test_no_byte_of_a_header_does_harm(tables_folder, tmp_path):
    source = random.Random(6)
    for file in sorted(tables_folder.glob("*.rtb?")):
        for place in range(4, min(file.stat().st_size, 300)):
            check_damaged(tmp_path, file, [place], source)


@pytest.mark.parametrize(
    ("name", "place", "value"),
    [
        ("KRvKP.rtbw", 4, 0x99),
        ("KRvKP.rtbw", 4, 0x42),
        ("KRvKR.rtbw", 4, 1),
        ("KRvK.rtbz", 4, 2),
        ("KRvK.rtbw", 8, 0x45),
    ],
)
def test_a_table_with_other_parts_or_pieces_is_refused_by_name(tables_folder, tmp_path, name, place, value):
    probe = damaged(tmp_path, tables_folder / name, {place: value})
    probe.distance(chess.Board("8/8/8/8/8/4k3/8/4K2R w - - 0 1"))
    assert [fault for fault in probe.prober.faults if name in fault and "damaged" in fault]


def test_tables_are_found_again_after_others_are_opened(tables_folder, tmp_path):
    shutil.copy(tables_folder / "KQvK.rtbw", tmp_path)
    first = Probe([tmp_path / "KQvK.rtbw"])
    Probe(sorted(tables_folder.glob("*.rtbw")))
    assert first(chess.Board("8/8/8/3k4/8/8/1Q6/K7 w - - 0 1")) == 2
