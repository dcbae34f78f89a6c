"""What deserves praise, by positions that everybody knows."""

import chess
import pytest
from chess.engine import Cp, Mate

from engine.analysis.praise import is_candidate, is_obvious, is_recapture, praise
from engine.explanation.grades import Grade
from engine.explanation.sacrifices import offered, sacrificed

#: Positions, moves and the pawns that they offer; a sacrifice offers two or more.
OFFERS = [
    ("8/8/4kp2/3p1b2/p2P3P/2B3P1/6P1/6K1 b - - 0 47", "Bh3", 3),  # Topalov - Shirov 1998
    ("r3r1k1/pp3pbp/1qp3p1/2B5/2BP2b1/Q1n2N2/P4PPP/3R1K1R b - - 3 17", "Be6", 6),  # Byrne - Fischer 1956
    ("rn3rk1/pbppq1pp/1p2pb2/4N2Q/3PN3/3B4/PPP2PPP/R3K2R w KQ - 7 11", "Qxh7+", 8),  # Lasker - Thomas 1912
    ("r2qr1k1/p4pbp/bp3np1/3p4/8/BPNnP1P1/P1Q1NPBP/R2R2K1 b - - 6 15", "Nxf2", 2),  # Byrne - Fischer 1963
    ("5rk1/pp4pp/4p3/2R3Q1/3n4/2q4r/P1P2PPP/5RK1 b - - 1 23", "Qg3", 9),  # Levitsky - Marshall 1912
    ("r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4", "Qxf7#", -1),
    ("rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2", "exd5", 0),
    ("4k3/8/8/8/4p3/3P4/8/4K3 w - - 0 1", "dxe4", -1),
]


@pytest.mark.parametrize(("fen", "san", "pawns"), OFFERS, ids=[san for _, san, _ in OFFERS])
def test_a_sacrifice_offers_two_pawns_or_more(fen, san, pawns):
    board = chess.Board(fen)
    move = board.parse_san(san)
    assert offered(board, move) == pawns
    assert bool(sacrificed(board, move)) == (pawns >= 2)
    assert is_candidate(board, move) == (pawns > 0), "no capture or exchange is praised"


def test_a_piece_that_is_lost_anyway_is_no_sacrifice():
    board = chess.Board("8/Bkp5/1p6/8/8/8/8/7K w - - 0 1")
    assert {offered(board, move) for move in board.legal_moves} == {2, 3}
    assert not any(sacrificed(board, move) for move in board.legal_moves)


@pytest.mark.parametrize(
    ("fen", "san"),
    [
        ("rnr3k1/4qpp1/p3b2p/1Bpp4/8/Q3PN2/PP3PPP/2R1K2R w K - 0 16", "O-O"),
        ("2r3k1/r2nqpp1/p3b2p/2pp4/8/Q3PN2/PP2BPPP/2R2RK1 w - - 4 18", "Nd4"),
    ],
)
def test_a_piece_that_only_a_pinned_pawn_can_take_is_no_sacrifice(fen, san):
    """Fischer - Spassky 1972, the sixth game: a capture leaves a rook or the queen."""
    board = chess.Board(fen)
    assert offered(board, board.parse_san(san)) >= 2
    assert not sacrificed(board, board.parse_san(san))


def test_what_a_player_sees_at_once():
    board = chess.Board("4k3/8/8/3q4/4P3/2N5/8/4K3 w - - 0 1")
    assert is_obvious(board, board.parse_san("exd5"))
    assert not is_obvious(board, board.parse_san("Kf2"))
    board.turn = chess.BLACK
    assert is_obvious(board, board.parse_san("Qd8"))  # brought to safety
    check = chess.Board("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1")
    assert is_obvious(check, check.parse_san("Kf1"))


def test_a_capture_on_the_square_of_a_capture_is_a_recapture():
    board = chess.Board()
    for san in ("e4", "d5", "exd5"):
        board.push_san(san)
    assert is_recapture(board, board.parse_san("Qxd5"))
    assert not is_recapture(board, board.parse_san("Nf6"))
    assert not is_recapture(chess.Board(), chess.Move.from_uci("e2e4"))


def test_a_capture_sacrifices_despite_a_threat_of_mate():
    board = chess.Board("1r2k1r1/pbppnp1p/1b3P2/8/Q7/B1PB1q2/P4PPP/3R2K1 w - - 0 21")  # the Evergreen game
    assert sacrificed(board, board.parse_san("Qxd7+"))
    parried = chess.Board("6k1/5ppp/8/8/8/5b2/2q2PPP/1Q1R2K1 w - - 0 1")
    assert not sacrificed(parried, parried.parse_san("gxf3"))
    forced = chess.Board("b2r3r/4Rp1p/p2q1np1/1p1P4/kP6/P1Q2PPB/2P4P/1K6 b - - 2 28")  # Kasparov - Topalov 1999
    assert not sacrificed(forced, forced.parse_san("Qxd5"))  # guards b3, and the knight no longer


def test_praise_goes_to_the_move_that_alone_holds_the_game():
    quiet = chess.Board("8/8/4kp2/3p1b2/p2P3P/2B3P1/6P1/6K1 b - - 0 47")
    bishop, king = quiet.parse_san("Bh3"), quiet.parse_san("Kd6")
    mistake, inaccuracy, fine = Cp(-60), Cp(-40), Cp(-8)
    assert praise(quiet, bishop, Cp(0), mistake) is Grade.BRILLIANT
    assert praise(quiet, bishop, Cp(0), inaccuracy) is Grade.GOOD
    assert praise(quiet, bishop, Cp(0), fine) is Grade.FINE
    assert praise(quiet, bishop, Cp(-200), Cp(-400)) is Grade.FINE  # it stands worse
    assert praise(quiet, bishop, Mate(5), Cp(50)) is Grade.BRILLIANT
    assert praise(quiet, bishop, Mate(5), Cp(400)) is Grade.GOOD
    assert praise(quiet, king, Mate(5), Cp(400)) is Grade.FINE
    assert praise(quiet, bishop, Mate(5), Cp(1500)) is Grade.FINE
    assert praise(quiet, bishop, Mate(5), Mate(9)) is Grade.FINE
    assert praise(quiet, king, Cp(0), mistake) is Grade.GOOD
    assert praise(quiet, king, Cp(0), inaccuracy) is Grade.FINE
    takes = chess.Board("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1")
    assert praise(takes, takes.parse_san("exd5"), Cp(0), mistake) is Grade.ONLY


def test_only_a_whole_piece_is_praised_where_another_move_wins():
    exchange = chess.Board("r3qr1k/pp3pbp/2pn1R2/7Q/3pP3/2NB3P/PPP3P1/R5K1 w - - 2 20")  # Fischer - Benko 1963
    piece = chess.Board("8/p3q1kp/1p2Pnp1/3pQ3/2pP4/1nP3N1/1B4PP/6K1 w - - 5 30")  # Botvinnik - Capablanca 1938
    for board, san, grade in ((exchange, "e5", Grade.FINE), (piece, "Ba3", Grade.GOOD)):
        assert praise(board, board.parse_san(san), Cp(340), Cp(200)) is grade


def test_a_reply_to_check_is_an_only_move_if_there_are_many():
    few, many = chess.Board("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1"), chess.Board("4k3/8/8/8/8/2N5/8/r3K3 w - - 0 1")
    assert (few.legal_moves.count(), many.legal_moves.count()) == (3, 5)
    assert praise(few, few.parse_san("Kf1"), Cp(0), Cp(-500)) is Grade.FINE
    assert praise(many, many.parse_san("Ke2"), Cp(0), Cp(-500)) is Grade.ONLY
