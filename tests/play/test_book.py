"""Opening books: played by weight or best move, made from games, and never a reason to stop playing."""

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import chess
import chess.pgn
import chess.polyglot
import pytest
from chess.engine import Limit

from engine.api import Engine
from engine.messages import Info, Limits, OptionError, Result
from engine.play.book import Book
from tuning.book import main

DataFile = Callable[[str], Path]

#: Moves of short games, with results.
GAMES = (
    ("1-0", "e4 e5 Nf3 Nc6 Bc4 Bc5 O-O Nf6"),
    ("1-0", "e4 e5 Nf3 Nc6 Bc4 Bc5 O-O d6"),
    ("1/2-1/2", "e4 c5 Nf3"),
    ("0-1", "d4 d5 c4"),
    ("1/2-1/2", "d4 d5 c4"),
    ("0-1", "g4 e5"),
    ("*", "a3 a6"),
)


def pgn(games=GAMES, header: str = "") -> str:
    return "\n\n".join(f'[Result "{result}"]\n{header}\n{moves} {result}' for result, moves in games) + "\n"


@pytest.fixture
def book_file(tmp_path: Path) -> Path:
    (tmp_path / "games.pgn").write_text(pgn())
    assert main([str(tmp_path / "games.pgn"), "--out", str(tmp_path / "made.bin"), "--min-games", "1"]) == 0
    return tmp_path / "made.bin"


@pytest.fixture
def numbat(shared: Engine, book_file: Path) -> Iterator[Engine]:
    shared.set_option("BookFile", str(book_file))
    shared.set_option("OwnBook", True)
    yield shared
    for name, value in (("BookFile", ""), ("OwnBook", False), ("Best Book Move", False), ("Book Depth", 255)):
        shared.set_option(name, value)


def weights(path: Path, board: chess.Board) -> dict[str, int]:
    """What python-chess reads for ``board``."""
    with chess.polyglot.open_reader(path) as reader:
        return {board.san(entry.move): entry.weight for entry in reader.find_all(board)}


def test_book_keys_follow_polyglots_en_passant_rule(shared: Engine, tmp_path: Path) -> None:
    board = chess.Board("4k3/8/8/K1Pp3r/8/8/8/8 w - d6 0 1")
    move = chess.Move.from_uci("a5b6")
    assert not board.has_legal_en_passant()
    entry = chess.polyglot.zobrist_hash(board), move.from_square << 6 | move.to_square, 1, 0
    (tmp_path / "one.bin").write_bytes(chess.polyglot.ENTRY_STRUCT.pack(*entry))
    shared.configure(bookfile=str(tmp_path / "one.bin"), ownbook=True)
    shared.set_position("4k3/3p4/8/K1P4r/8/8/8/8 b - - 0 1", ["d7d5"])
    results: list[Result] = []
    shared.start(Limits(depth=1), None, results.append)
    shared.wait()
    shared.configure(bookfile="", ownbook=False)
    assert results[0].bestmove == "a5b6"


# Making books


def test_a_made_book_weighs_moves_by_what_they_scored(book_file):
    board = chess.Board()
    assert weights(book_file, board) == {"e4": 5, "d4": 1}  # g4 scored nothing, a3 has no result
    board.push_san("e4")
    assert weights(book_file, board) == {"c5": 1}  # e5 lost both games
    for move in ("e5", "Nf3", "Nc6", "Bc4", "Bc5"):
        board.push_san(move)
    assert weights(book_file, board) == {"O-O": 4}


def test_plies_and_games_bound_a_book(tmp_path):
    source, target = tmp_path / "games.pgn", tmp_path / "small.bin"
    source.write_text(pgn())
    assert main([str(source), "--out", str(target), "--min-games", "2", "--plies", "1"]) == 0
    with chess.polyglot.open_reader(target) as reader:
        assert [(entry.move.uci(), entry.weight) for entry in reader] == [("e2e4", 5), ("d2d4", 1)]


def test_great_weights_are_scaled_to_what_an_entry_holds():
    from tuning.data.polyglot import GREATEST_WEIGHT, Tally

    tally = Tally(1)
    tally.counts = {7: {1: [100_000, 200_000], 2: [50_000, 100_000], 3: [3, 1]}}
    assert tally.entries(1) == [(7, 1, GREATEST_WEIGHT), (7, 2, GREATEST_WEIGHT // 2), (7, 3, 1)]


def test_chess960_games_castle_in_the_book_as_on_the_board(tmp_path):
    board = chess.Board("bnrkr2b/pppppppp/8/8/8/8/PPPPPPPP/BNRKR2B w EC - 0 1", chess960=True)
    castles = chess.Move.from_uci("d1e1")
    assert board.is_castling(castles)
    game = chess.pgn.Game()
    game.setup(board)
    game.headers["Result"] = "1-0"
    game.add_variation(castles)
    (tmp_path / "games.pgn").write_text(str(game))
    main([str(tmp_path / "games.pgn"), "--out", str(tmp_path / "made.bin"), "--min-games", "1"])
    assert weights(tmp_path / "made.bin", board) == {"O-O": 2}
    book = Book()
    book.open(str(tmp_path / "made.bin"))
    assert book.move(board, best=True) == castles


def test_bad_games_are_named_and_the_rest_counts(tmp_path, capsys):
    source = tmp_path / "games.pgn"
    source.write_text(pgn() + "\n" + pgn([("1-0", "c4 Ke7 Nf3")]))
    assert main([str(source), "--out", str(tmp_path / "made.bin"), "--min-games", "1"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "game 7: no result" in said
    assert "game 8: 1... 'Ke7' is not a legal move" in said
    assert weights(tmp_path / "made.bin", chess.Board())["c4"] == 2


@pytest.mark.parametrize("extra", [("--plies", "0"), ("--min-games", "0")])
def test_bad_numbers_are_refused(tmp_path, capsys, extra):
    (tmp_path / "games.pgn").write_text(pgn())
    assert main([str(tmp_path / "games.pgn"), "--out", str(tmp_path / "made.bin"), *extra]) == 2
    assert extra[0] in capsys.readouterr().out
    assert not (tmp_path / "made.bin").exists()


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (bytes(range(256)) * 50, "not a text file"),
        (b"", "there is no game with a result"),
        (b"1. e4 e5 *\n", "there is no game with a result"),
        (b"1. e4 e5 1-0\n", "no scoring move was played in 2 of 1 games (--min-games)"),
    ],
)
def test_junk_makes_no_book(tmp_path, capsys, data, complaint):
    """It used to write an empty file and to end with 0."""
    (tmp_path / "games.pgn").write_bytes(data)
    assert main([str(tmp_path / "games.pgn"), "--out", str(tmp_path / "book.bin")]) == 2
    assert complaint in " ".join(capsys.readouterr().out.split())
    assert not (tmp_path / "book.bin").exists()


def test_a_book_does_not_replace_its_games(tmp_path, capsys):
    (tmp_path / "games.pgn").write_text("1. e4 e5 1-0\n")
    words = [str(tmp_path / "games.pgn"), "--min-games", "1"]
    assert main([*words, "--out", str(tmp_path / "games.pgn")]) == 2
    assert (tmp_path / "games.pgn").read_text() == "1. e4 e5 1-0\n"
    assert main([*words, "--out", str(tmp_path)]) == 2
    assert main([str(tmp_path / "no.pgn"), "--out", str(tmp_path / "made.bin")]) == 2
    assert "no.pgn" in capsys.readouterr().out.replace("\n", "")


# Playing from books


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
    results: list[Result] = []
    numbat.set_position(None)
    numbat.start(Limits(wtime=600_000, btime=600_000), infos.append, results.append)
    assert numbat.wait(20)  # without the book it would think for longer
    assert results[0].bestmove == "e2e4"
    assert results[0].ponder
    assert infos[-1].pv[0] == "e2e4"
    assert infos[-1].score is not None


def test_the_book_castles_in_either_notation(numbat):
    line = ["e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "f8c5"]
    for chess960, written in ((False, "e1g1"), (True, "e1h1")):
        numbat.set_option("UCI_Chess960", chess960)
        moves = []
        numbat.set_position(None, line)
        numbat.start(Limits(depth=1), None, lambda result, moves=moves: moves.append(result.bestmove))
        numbat.wait()
        assert moves == [written]
    numbat.set_option("UCI_Chess960", False)


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
    numbat.start(Limits(depth=12), infos.append, lambda result: None)
    assert numbat.wait(60)
    assert max(info.depth for info in infos) == 12  # a book move would have ended at a lower one


def test_analysis_and_searchmoves_leave_the_book_alone(numbat):
    numbat.set_option("Best Book Move", True)
    assert numbat.search(chess.Board(), Limits(depth=10)).depth == 10
    assert numbat.play(chess.Board(), Limits(depth=10, searchmoves=("a2a3",))) == chess.Move.from_uci("a2a3")


def test_a_pondered_book_move_waits(numbat):
    moves: list[str] = []
    numbat.set_option("Best Book Move", True)
    numbat.set_position(None)
    numbat.start(Limits(wtime=1000, btime=1000, ponder=True), None, lambda result: moves.append(result.bestmove))
    assert not numbat.wait(0.3)
    numbat.ponderhit()
    assert numbat.wait(20)
    assert moves == ["e2e4"]


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
