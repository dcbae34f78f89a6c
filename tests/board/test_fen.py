"""FEN in and out, and what is said about a bad one."""

import random

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.board.fen import set_fen, to_fen
from engine.board.setup import copy_position, new_position
from engine.fen import START_FEN
from engine.messages import PositionError
from tests.board.oracle import (
    CHESS960_TRAPS,
    KIWIPETE,
    STANDARD_TRAPS,
    our_moves,
    position_from,
    position_of,
    state_of,
    their_moves,
)


@pytest.mark.parametrize(
    ("given", "understood"),
    [
        # three fields, four, then five
        ("r3k2r/8/8/8/8/8/8/R3K2R b KQkq", "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1"),
        ("4k3/8/8/8/8/8/8/4K3 w - -", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"),
        ("4k3/8/8/8/8/8/8/4K3 b - - 7", "4k3/8/8/8/8/8/8/4K3 b - - 7 1"),
        # blanks of any width, move number 0
        ("  4k3/8/8/8/8/8/8/4K3   w\t- -  3 0 ", "4k3/8/8/8/8/8/8/4K3 w - - 3 1"),
        # rights in any order, given twice, or without king or rook at home
        ("r3k2r/8/8/8/8/8/8/R3K2R w qkQKK - 0 1", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"),
        ("r3k3/8/8/8/8/8/4K3/R6R w KQkq - 0 1", "r3k3/8/8/8/8/8/4K3/R6R w q - 0 1"),
        # these letters mean standard chess, unless the array shows a game of Chess960
        ("r4rk1/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "r4rk1/8/8/8/8/8/8/R3K2R w KQ - 0 1"),
        ("1r2k3/8/8/8/8/8/8/1R2K2R w KQq - 0 1", "1r2k3/8/8/8/8/8/8/1R2K2R w K - 0 1"),
        (
            "bnrbkrqn/pppppppp/8/8/8/8/PPPPPPPP/RKRQNNBB w KQkq - 0 1",
            "bnrbkrqn/pppppppp/8/8/8/8/PPPPPPPP/RKRQNNBB w KQkq - 0 1",
        ),
        # a dash for a counter, as in a test suite
        ("1r6/8/8/5k2/8/8/8/K7 w - - -", "1r6/8/8/5k2/8/8/8/K7 w - - 0 1"),
        # as a FEN stands in an address, after a command, in quotes, in a tag
        ("r3k2r/8/8/8/8/8/8/R3K2R_w_KQkq_-_3_4", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3 4"),
        ("fen r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3 4", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3 4"),
        ('position fen "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3 4"', "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3 4"),
        ("'FEN: r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3 4'", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3 4"),
        ('[FEN "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3 4"]', "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3 4"),
        ("4k3/8/8/8/8/8/8/4K2R w HAha - 0 1", "4k3/8/8/8/8/8/8/4K2R w K - 0 1"),
        # Shredder's letters and X-FEN's: the outermost rook needs no letter, an inner one does
        ("r3k2r/8/8/8/8/8/8/R3K2R b HAha - 0 1", "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1"),
        ("4k3/8/8/8/8/8/8/RR1K1R1R w AH - 0 1", "4k3/8/8/8/8/8/8/RR1K1R1R w KQ - 0 1"),
        ("4k3/8/8/8/8/8/8/RR1K1R1R w BF - 0 1", "4k3/8/8/8/8/8/8/RR1K1R1R w FB - 0 1"),
        # en passant only where a pawn stands ready, and one has just passed
        (
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1",
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
        ),
        ("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1", "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1"),
        ("4k3/8/8/8/3pN3/8/8/4K3 b - e3 0 1", "4k3/8/8/8/3pN3/8/8/4K3 b - - 0 1"),
        ("4k3/8/8/8/3pP3/4N3/8/4K3 b - e3 0 1", "4k3/8/8/8/3pP3/4N3/8/4K3 b - - 0 1"),
        ("4k3/8/8/8/3pP3/8/4N3/4K3 b - e3 0 1", "4k3/8/8/8/3pP3/8/4N3/4K3 b - - 0 1"),
    ],
)
def test_lenient_fens_are_normalized(given: str, understood: str) -> None:
    assert to_fen(position_from(given)) == understood


BAD = (
    ("", "has 0 fields"),
    ("4k3/8/8/8/8/8/8/4K3 w", "has 2 fields"),
    ("4k3/8/8/8/8/8/8/4K3 w - - 0 1 extra", "'extra' after the position"),
    ("8 w - - 0 1", "has 1 rank instead of 8"),
    ("1/8/8/8/8/8/8/8 w - - 0 1", "has 1 square instead of 8"),
    ("8/8/8/8/8/8/8/8/8 w - - 0 1", "has 9 ranks instead of 8"),
    ("4k3/8/8/4x3/8/8/8/4K3 w - - 0 1", "'x' on rank 5"),
    ("4k3/9/8/8/8/8/8/4K3 w - - 0 1", "'9' on rank 7"),
    ("4k3/8/8/8/8/8/8/4K4 w - - 0 1", "rank 1 '4K4' has 9 squares"),
    ("4k3/8//8/8/8/8/4K3 w - - 0 1", "rank 6 '' has 0 squares"),
    ("8/8/8/8/8/8/8/4K3 w - - 0 1", "Black has 0 kings"),
    ("4k3/8/8/8/8/8/8/3KK3 w - - 0 1", "White has 2 kings"),
    ("4k3/8/8/8/8/N7/PPPPPPPP/RNBQKBNR w - - 0 1", "White has 17 pieces, more than 16"),
    ("4k3/8/8/8/8/P7/PPPPPPPP/4K3 w - - 0 1", "White has 9 pawns, more than 8"),
    ("qqqqkqqq/qqq5/8/8/8/8/8/4K3 b - - 0 1", "Black has more promoted pieces than missing pawns"),
    ("4k3/8/8/8/8/8/8/4K2P w - - 0 1", "a pawn stands on h1"),
    ("4k3/8/8/8/8/8/8/4K3 x - - 0 1", "side to move 'x' is neither w nor b"),
    ("4k3/8/8/8/8/8/8/4K3 w X - 0 1", "castling field 'X' has 'X'"),
    ("4k3/8/8/8/8/8/8/4K3 w K- - 0 1", "castling field 'K-' has '-'"),
    ("4k3/8/8/8/8/8/8/4K3 w - e9 0 1", "en passant square 'e9' is not a square"),
    ("4k3/8/8/8/8/8/8/4K3 w - e3 0 1", "en passant square 'e3' is on the wrong rank"),
    ("4k3/8/8/8/8/8/8/4K3 w - - x 1", "'x 1' after the position"),
    ("4k3/8/8/8/8/8/8/4K3 w - - -1 1", "'-1 1' after the position"),
    ("4k3/8/8/8/8/8/8/4K3 w - - 0 1.5", "'1.5' after the position"),
    ("4k3/8/8/8/8/8/8/4K3 w - - 0 100000", "move number 100000 is out of range"),
    ("4k3/8/8/8/8/8/8/4K2r b - - 0 1", "White is in check but it is Black's move"),
    ("8/8/8/3kK3/8/8/8/8 w - - 0 1", "the kings stand side by side on e5 and d5"),
    ("4k3/8/8/8/7b/3n4/8/r3K2r w - - 0 1", "White is in check by more than two pieces"),
)


@pytest.mark.parametrize(("fen", "fault"), BAD)
def test_a_bad_fen_is_refused_by_name(fen: str, fault: str) -> None:
    with pytest.raises(PositionError) as error:
        position_from(fen)
    assert fault in str(error.value)
    assert "\n" not in str(error.value)


@settings(max_examples=400, deadline=None)
@given(st.text(max_size=90))
def test_any_text_is_a_position_or_a_position_error(text: str) -> None:
    try:
        position = position_from(text)
    except PositionError:
        return
    assert to_fen(position)


@settings(max_examples=600, deadline=None)
@given(st.sampled_from((START_FEN, *STANDARD_TRAPS, *CHESS960_TRAPS)), st.integers(0, 2**32), st.booleans())
def test_damaged_fen_is_refused_or_sound(fen: str, seed: int, chess960: bool) -> None:
    """Whatever is let in must be a sound position, with python-chess's moves."""
    generator = random.Random(seed)
    letters = list(fen)
    for _ in range(generator.randint(1, 3)):
        letters[generator.randrange(len(letters))] = generator.choice("KQRBNPkqrbnp12345678/ -wbabcdefgh")
    try:
        position = position_from("".join(letters), chess960)
    except PositionError:
        return
    is_960 = bool(position["chess960"])
    again = to_fen(position, shredder=is_960)
    assert to_fen(position_from(again, chess960), shredder=is_960) == again
    board = chess.Board(again, chess960=is_960)
    assert board.king(chess.WHITE) is not None
    assert our_moves(position) == their_moves(board)


def test_copying_takes_everything_but_unused_history(boards: list[chess.Board]) -> None:
    target = position_from(KIWIPETE)
    for board in boards[::20]:
        source = position_of(board)
        copy_position(target, source)
        assert state_of(target) == state_of(source)


def test_a_record_can_be_set_again() -> None:
    """Nothing of the previous position remains."""
    position = position_from(KIWIPETE)
    for fen in ("4k3/8/8/8/8/8/8/4K3 b - - 3 9", START_FEN, "8/8/8/3pP3/8/8/k7/7K w - d6 0 2"):
        set_fen(position, fen)
        assert state_of(position) == state_of(position_from(fen))
    empty = new_position()
    set_fen(empty, START_FEN)
    assert state_of(empty) == state_of(position_from(START_FEN))


@pytest.mark.parametrize("fen", CHESS960_TRAPS)
def test_rights_that_only_chess960_has_are_written_its_way(fen: str) -> None:
    """Read as standard chess, the king's two squares could also be a plain king move."""
    board = chess.Board(fen, chess960=True)
    assert our_moves(position_from(fen, chess960=True)) == their_moves(board)
    by_files = position_from(board.fen(shredder=True))
    assert by_files["chess960"]
    assert our_moves(by_files) == their_moves(board)
    assert not any(position_from(fen)["chess960"] for fen in (START_FEN, *STANDARD_TRAPS))
