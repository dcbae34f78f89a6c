"""A king alone against mating material: what it is worth, and that few nodes suffice to mate it."""

import random

import chess
import pytest

from engine import Engine, Limits
from engine.evaluation.choice import choose
from engine.evaluation.mop_up import NEARER, STEP, WON, mop_up_value
from tests.evaluation.test_material import position_from

#: A rook counts besides: without that no pawn would be promoted.
ROOK_WINS = WON + 500


def value(fen: str) -> int:
    return int(mop_up_value(position_from(fen)))


@pytest.mark.parametrize(
    "fen",
    [
        chess.STARTING_FEN,
        "8/8/4k3/8/8/2K5/8/8 w - - 0 1",
        "8/8/4k3/8/8/2KN4/8/8 w - - 0 1",
        "8/8/4k3/8/8/2KB4/8/8 b - - 0 1",
        "8/8/4k3/8/8/2KNN3/8/8 w - - 0 1",
        "8/8/4k3/8/8/2KB1B2/8/8 w - - 0 1",  # both on light squares
        "8/8/4k3/8/8/2KP4/8/8 w - - 0 1",
        "8/8/4k3/4p3/8/2KQ4/8/8 w - - 0 1",  # not alone
    ],
)
def test_no_business_of_its_own(fen):
    assert value(fen) == 0


@pytest.mark.parametrize("pieces", ["Q", "R", "BN", "QP", "RBN"])
def test_both_sides_are_treated_alike(pieces):
    board = chess.Board("8/8/4k3/8/8/2K5/8/8 w - - 0 1")
    for square, letter in zip((chess.D1, chess.F2, chess.H2), pieces, strict=False):
        board.set_piece_at(square, chess.Piece.from_symbol(letter))
    assert value(board.fen()) == -value(board.mirror().fen()) >= WON


def test_the_edge_and_the_near_king():
    # The lone king in the middle with the other one five steps off, then in the corner, then with the other one near.
    assert value("8/8/8/4k3/8/8/8/K6R w - - 0 1") == ROOK_WINS + NEARER * 3
    assert value("k7/8/8/8/8/8/8/K6R w - - 0 1") == ROOK_WINS + STEP * 6
    assert value("k7/8/K7/8/8/8/8/7R w - - 0 1") == ROOK_WINS + STEP * 6 + NEARER * 5


def test_bishop_and_knight_want_the_corner_of_the_bishop():
    light, dark = "8/8/8/8/8/8/4K3/1N3B2 w - - 0 1", "8/8/8/8/8/8/4K3/1NB5 w - - 0 1"

    def with_king(fen: str, square: str) -> int:
        board = chess.Board(fen)
        board.set_piece_at(chess.parse_square(square), chess.Piece.from_symbol("k"))
        return value(board.fen())

    # The same distance from the white king, so that only the corner differs.
    assert with_king(light, "a8") - with_king(light, "h8") == with_king(dark, "h8") - with_king(dark, "a8") > 0


@pytest.mark.parametrize("pieces", ["Q", "QR", "BN", "QPPPP", "QRBBNNPPPP"])
def test_it_is_worth_more_than_the_network_says_of_what_leads_here(pieces):
    """Or the last pawn would not be taken."""
    network, source = choose("NNUE", ""), random.Random(pieces)
    board = chess.Board(None)
    for _ in range(200):
        board.clear()
        for square, letter in zip(source.sample(chess.SQUARES, len(pieces) + 3), "pkK" + pieces, strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        after = board.copy()
        for square in board.pieces(chess.PAWN, chess.BLACK):
            after.remove_piece_at(square)
        if board.is_valid() and after.is_valid():
            assert value(after.fen()) > network.value(position_from(board.fen()))


@pytest.mark.parametrize(
    ("start", "nodes"),
    [
        ("7k/8/8/8/8/8/2Q5/K7 w - - 0 1", 1_000),
        ("8/8/8/4k3/8/8/8/KR6 w - - 0 1", 5_000),
        ("8/8/8/4k3/8/8/8/KBB5 w - - 0 1", 5_000),
        ("8/8/8/4k3/8/8/8/KBN5 w - - 0 1", 20_000),
    ],
)
def test_few_nodes_mate(start, nodes):
    board = chess.Board(start)
    with Engine(hash=4) as numbat:
        while not board.is_game_over() and not board.is_repetition(3):
            board.push(chess.Move.from_uci(str(numbat.search(board, Limits(nodes=nodes)).pv[0])))
    assert board.is_checkmate()
    assert board.halfmove_clock < 100
