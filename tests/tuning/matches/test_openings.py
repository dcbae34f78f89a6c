"""Opening books: every format, every defect with its file and line, the same order for the same seed."""

import chess
import pytest

from tuning.common.errors import SetupError
from tuning.matches.openings import RandomOpenings, load_openings

EPD = """\
rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2
rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -
this is not a position
rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3
8/8/8/8/8/8/8/k7 w - - 0 1
rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - id "Sicilian";
"""

PGN = """\
[Event "good"]

1. e4 e5 2. Nf3 *

[Event "bad"]

1. e4 e5 2. Ke4 *

[Event "set up"]
[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"]
[SetUp "1"]

1. e4 Kd7 *
"""


def test_epd_lines_with_and_without_counters(tmp_path):
    (tmp_path / "book.epd").write_text(EPD)
    complaints: list[str] = []
    suite = load_openings(tmp_path / "book.epd", order="sequential", log=complaints.append)
    boards = [suite.opening(number).board() for number in range(3)]
    assert boards[0].fullmove_number == 2
    assert boards[1].fullmove_number == 1
    assert boards[2].piece_at(chess.C5) == chess.Piece.from_symbol("p")
    assert suite.opening(3) == suite.opening(0)
    assert [complaint.split(":")[1] for complaint in complaints] == ["3", "4", "5"]
    assert "book.epd:3: 'this is not a position' is not a position" in complaints[0]
    assert "over before it begins" in complaints[1]
    assert "White has 0 kings instead of 1" in complaints[2]


def test_pgn_lines_and_their_defects(tmp_path):
    (tmp_path / "book.pgn").write_text(PGN)
    complaints: list[str] = []
    suite = load_openings(tmp_path / "book.pgn", order="sequential", plies=2, log=complaints.append)
    assert suite.opening(0).moves == ("e2e4", "e7e5")
    assert suite.opening(1).moves == ("e2e4", "e8d7")
    assert suite.opening(1).fen.startswith("4k3/")
    assert suite.opening(2) == suite.opening(0)
    assert len(complaints) == 2
    assert "book.pgn:7: game 2: 2. 'Ke4' is not a legal move" in complaints[0]
    assert complaints[1].startswith("book.pgn:5: game 2 is no opening: 2. 'Ke4'")


def test_text_after_a_position_must_be_an_operation(tmp_path):
    (tmp_path / "book.epd").write_text('4k3/8/8/8/8/8/8/R3K3 w Q - 0 1 c0 "x"; ?\n')
    complaints: list[str] = []
    assert load_openings(tmp_path / "book.epd", log=complaints.append).opening(0)
    assert complaints == ["book.epd:1: '?' is not an operation of EPD and is ignored"]


@pytest.mark.parametrize("flag", [False, True])
def test_chess960_shows_in_the_castling_rights(tmp_path, flag):
    position = chess.Board.from_chess960_pos(1)
    (tmp_path / "book.epd").write_text(f"{position.fen()}\n{position.fen(shredder=True)}\n")
    complaints: list[str] = []
    suite = load_openings(tmp_path / "book.epd", order="sequential", chess960=flag, log=complaints.append)
    for number in range(2):
        assert suite.opening(number).chess960
        assert suite.opening(number).board() == position
    assert complaints == []


def test_order_depends_on_the_seed_alone(tmp_path):
    (tmp_path / "book.epd").write_text("\n".join(chess.Board.from_chess960_pos(n).fen() for n in range(200)))

    def order(seed: int) -> list[str]:
        suite = load_openings(tmp_path / "book.epd", seed=seed, chess960=True)
        return [suite.opening(number).source for number in range(200)]

    assert order(1) == order(1)
    assert order(1) != order(2)
    assert sorted(order(1)) == sorted(order(2))


def test_books_that_cannot_be_used(tmp_path):
    with pytest.raises(SetupError, match=r"none\.epd: No such file"):
        load_openings(tmp_path / "none.epd")
    (tmp_path / "binary.epd").write_bytes(bytes(range(256)) * 5000)
    with pytest.raises(SetupError, match="not a text file"):
        load_openings(tmp_path / "binary.epd")
    (tmp_path / "empty.epd").write_text("\n")
    with pytest.raises(SetupError, match="no positions in it"):
        load_openings(tmp_path / "empty.epd")
    (tmp_path / "broken.epd").write_text("x\n")
    with pytest.raises(SetupError, match="no usable opening"):
        load_openings(tmp_path / "broken.epd", log=lambda message: None).opening(0)
    (tmp_path / "prose.pgn").write_text('[FEN "x"]\n\n1. e4 *\n\n' * 30)
    with pytest.raises(SetupError, match="no usable opening in it; the first fault: "):
        load_openings(tmp_path / "prose.pgn", log=lambda message: None)
    for tag, fault in (("", "neither moves nor a FEN tag"), (f'[FEN "{chess.STARTING_FEN}', "is not a tag")):
        (tmp_path / "positions.pgn").write_text(f'[Event "a"]\n[Site "b"]\n{tag}\n\n*\n')
        with pytest.raises(SetupError, match=fault):
            load_openings(tmp_path / "positions.pgn", log=lambda message: None)


@pytest.mark.parametrize("chess960", [False, True])
def test_random_openings_are_repeatable_and_playable(chess960):
    openings = RandomOpenings(6, 5, chess960)
    boards = [openings.opening(number).board() for number in range(50)]
    assert all(len(board.move_stack) == 6 and not board.is_game_over() for board in boards)
    assert len({board.fen() for board in boards}) > 45
    assert {board.chess960 for board in boards} == {chess960}
    assert (len({board.root().fen() for board in boards}) > 1) == chess960
    assert openings.opening(7) == RandomOpenings(6, 5, chess960).opening(7)


@pytest.mark.parametrize(
    "name", ["uho_4060_30k.epd", "noob_3moves_20k.epd", "popularpos_20k.epd", "chess960_openings.epd"]
)
def test_public_books_open_without_complaint(data_file, name):
    complaints: list[str] = []
    suite = load_openings(data_file(f"books/{name}"), chess960="960" in name, log=complaints.append)
    for number in range(100):
        assert not suite.opening(number).board().is_game_over()
    assert complaints == []
