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
        self.complaints: list[str] = []
        self.prober = Prober([str(file) for file in files], self.complaints.append)
        self._position = new_position()

    def __call__(self, board: chess.Board) -> int:
        set_fen(self._position, board.fen(en_passant="fen"), False)
        before = self._position.copy()
        outcome = int(probe_wdl(np.uint64(self.prober.address), self._position))
        for name in ("pieces", "colors", "board", "key", "checkers", "side", "en_passant", "rule50", "ply"):
            assert np.array_equal(self._position[name], before[name]), (board.fen(), name)
        return outcome


@pytest.fixture(scope="module")
def probe(tables_folder: Path) -> Probe:
    return Probe(sorted(tables_folder.glob("*.rtbw")))


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
    assert len(probe.complaints) == 1
    assert "KQvKR" in probe.complaints[0]
    assert probe.prober.largest == 3


def test_damage_does_no_harm(tables_folder, tmp_path):
    """Wherever a file is damaged: what comes out may be wrong, but nothing beyond the table is read."""
    source = random.Random(5)
    for name in ("KRvKN", "KPvKP", "KQPvK"):
        whole = (tables_folder / f"{name}.rtbw").read_bytes()
        for attempt in range(40):
            spoilt = bytearray(whole)
            region = 300 if attempt % 2 else len(whole)
            for _ in range(source.choice((1, 30))):
                spoilt[source.randrange(4, region)] = source.randrange(256)
            file = tmp_path / str(attempt) / f"{name}.rtbw"
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(spoilt)
            probe = Probe([file])
            for _ in range(20):
                assert -2 <= probe(random_board(name, source)) <= 253


def test_tables_are_found_again_after_others_are_opened(tables_folder, tmp_path):
    shutil.copy(tables_folder / "KQvK.rtbw", tmp_path)
    first = Probe([tmp_path / "KQvK.rtbw"])
    Probe(sorted(tables_folder.glob("*.rtbw")))
    assert first(chess.Board("8/8/8/3k4/8/8/1Q6/K7 w - - 0 1")) == 2
