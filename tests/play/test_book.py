"""Opening books: played by weight or best move; a bad book is named and play goes on."""

import random
import re
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

import chess
import chess.polyglot
import pytest
from chess.engine import Limit

from engine.api import Engine
from engine.messages import Info, Limits, OptionError
from engine.play.book import Book
from tests.search.conversation import start

DataFile = Callable[[str], Path]

Entry = tuple[str, str, int]
"""The moves played so far, the book move (in SAN; castling in UCI as king takes rook) and its weight."""

ENTRIES: tuple[Entry, ...] = (
    ("", "e2e4", 5),
    ("", "d2d4", 1),
    ("e4", "c7c5", 1),
    ("e4 c5", "g1f3", 1),
    ("d4", "d7d5", 3),
    ("e4 e5 Nf3 Nc6 Bc4 Bc5", "e1h1", 4),
)


def write_book(path: Path, entries: Iterable[tuple[chess.Board, str, int]]) -> Path:
    """Write a Polyglot book with python-chess's layout of an entry."""
    packed = []
    for board, uci, weight in entries:
        move = chess.Move.from_uci(uci)
        raw = move.to_square | move.from_square << 6
        packed.append((chess.polyglot.zobrist_hash(board), -weight, raw))
    path.write_bytes(
        b"".join(chess.polyglot.ENTRY_STRUCT.pack(key, raw, -less, 0) for key, less, raw in sorted(packed))
    )
    return path


def after(moves: str) -> chess.Board:
    board = chess.Board()
    for move in moves.split():
        board.push_san(move)
    return board


@pytest.fixture
def book_file(tmp_path: Path) -> Path:
    return write_book(tmp_path / "made.bin", ((after(moves), uci, weight) for moves, uci, weight in ENTRIES))


@pytest.fixture
def numbat(shared: Engine, book_file: Path) -> Engine:
    shared.configure(bookfile=str(book_file), ownbook=True)
    return shared


def weights(path: Path, board: chess.Board) -> dict[str, int]:
    """What python-chess reads for ``board``."""
    with chess.polyglot.open_reader(path) as reader:
        return {board.san(entry.move): entry.weight for entry in reader.find_all(board)}


def test_a_move_to_the_third_repetition_is_left_out(numbat: Engine, tmp_path: Path) -> None:
    board = chess.Board()
    back = ["g1f3", "g8f6", "f3g1", "f6g8"]
    for uci in back * 2:
        board.push_uci(uci)
    board.pop()
    write_book(tmp_path / "one.bin", [(board, "f6g8", 5)])
    numbat.configure(bookfile=str(tmp_path / "one.bin"), ownbook=True)
    numbat.set_position(None, [*back, *back[:3]])
    assert numbat.go(Limits(depth=1)).bestmove != "f6g8"
    numbat.set_position(None, back[:3])
    assert numbat.go(Limits(depth=1)).bestmove == "f6g8"


def test_book_keys_follow_polyglots_en_passant_rule(shared: Engine, tmp_path: Path) -> None:
    board = chess.Board("4k3/8/8/K1Pp3r/8/8/8/8 w - d6 0 1")
    move = chess.Move.from_uci("a5b6")
    assert not board.has_legal_en_passant()
    write_book(tmp_path / "one.bin", [(board, move.uci(), 1)])
    shared.configure(bookfile=str(tmp_path / "one.bin"), ownbook=True)
    shared.set_position("4k3/3p4/8/K1P4r/8/8/8/8 b - - 0 1", ["d7d5"])
    assert shared.go(Limits(depth=1)).bestmove == "a5b6"


def test_chess960_castling_is_read_as_king_takes_rook(tmp_path):
    board = chess.Board("bnrkr2b/pppppppp/8/8/8/8/PPPPPPPP/BNRKR2B w EC - 0 1", chess960=True)
    castles = chess.Move.from_uci("d1e1")
    assert board.is_castling(castles)
    book = Book()
    book.open(str(write_book(tmp_path / "made.bin", [(board, "d1e1", 2)])))
    assert book.move(board, best=True) == castles


def test_moves_come_as_often_as_they_weigh(book_file):
    book = Book()
    book.open(str(book_file))
    source = random.Random(1)
    counts = Counter(book.move(chess.Board(), False, source).uci() for _ in range(600))
    assert set(counts) == {"e2e4", "d2d4"}
    assert 450 < counts["e2e4"] < 550  # five of six
    assert {book.move(chess.Board(), True, source).uci() for _ in range(50)} == {"e2e4"}


def test_the_engine_plays_from_its_book_and_shows_a_score(numbat):
    numbat.set_option("Best Book Move", True)
    infos: list[Info] = []
    numbat.set_position(None)
    result = numbat.go(Limits(wtime=600_000, btime=600_000), infos.append)
    assert max(info.time for info in infos) < 15_000  # milliseconds; without the book it would think for longer
    assert result.bestmove == "e2e4"
    assert result.ponder
    assert infos[-1].pv[0] == "e2e4"
    assert infos[-1].score is not None


def test_the_book_castles_in_either_notation(numbat):
    line = ["e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "f8c5"]
    for chess960, written in ((False, "e1g1"), (True, "e1h1")):
        numbat.set_option("UCI_Chess960", chess960)
        numbat.set_position(None, line)
        assert numbat.go(Limits(depth=1)).bestmove == written


def test_book_depth_ends_the_book(numbat):
    board = chess.Board()
    for move in ("e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "f8c5"):
        board.push_uci(move)
    castles = chess.Move.from_uci("e1g1")
    numbat.set_option("Book Depth", 4)
    assert numbat.play(board, Limit(depth=1)) == castles
    numbat.set_option("Book Depth", 3)
    infos: list[Info] = []
    numbat.set_board(board)
    numbat.go(Limits(depth=12), infos.append)
    assert max(info.depth for info in infos) == 12  # a book move would have ended at a lower one


def test_analysis_and_searchmoves_leave_the_book_alone(numbat):
    numbat.set_option("Best Book Move", True)
    assert numbat.search(chess.Board(), Limits(depth=10)).depth == 10
    assert numbat.play(chess.Board(), Limits(depth=10, searchmoves=("a2a3",))) == chess.Move.from_uci("a2a3")


def test_a_pondered_book_move_waits(numbat):
    numbat.set_option("Best Book Move", True)
    running = start(numbat, Limits(wtime=1000, btime=1000, ponder=True), chess.Board())
    assert running.goes_on
    numbat.ponderhit()
    assert running.result().bestmove == "e2e4"


def test_every_move_of_a_real_book_is_legal_and_its_own(data_file: DataFile):
    path = data_file("books/performance.bin")
    book = Book()
    book.open(str(path))
    source = random.Random(2)
    longest = 0
    for _ in range(30):
        board = chess.Board()
        while (move := book.move(board, False, source)) is not None:
            assert board.san(move) in weights(path, board)
            board.push(move)
        longest = max(longest, board.ply())
    assert longest > 8


@pytest.mark.parametrize("damage", ["empty", "text", "unsorted"])
def test_a_bad_book_is_named_and_play_goes_on(numbat, book_file, damage):
    path = book_file.with_name(f"{damage}.bin")
    entries = book_file.read_bytes()
    path.write_bytes({"empty": b"", "text": b"no book", "unsorted": entries[16:] + entries[:16]}[damage])
    for _ in range(2):
        with pytest.raises(OptionError, match=re.escape(str(path))):
            numbat.set_option("BookFile", str(path))
        assert numbat.options["BookFile"] == str(book_file)  # the previous book stays
        known = weights(book_file, chess.Board())
        assert chess.Board().san(numbat.play(chess.Board(), Limit(depth=2))) in known
    assert numbat.play(chess.Board(), Limit(depth=2)) is not None
