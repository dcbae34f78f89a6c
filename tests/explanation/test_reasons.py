"""Reasons for mistakes: mates and draws, tables, the opposition, material lost and missed, and the scores alone."""

import chess
import pytest
from chess.engine import Cp, Mate

from engine.explanation import reason_of
from engine.explanation.tables import Tables
from tests.explanation.lines import case, short

WON_BY_OPPOSITION = "8/1K6/3k4/8/8/2P5/8/8 w - - 0 1"
ROOKS = "8/8/8/8/3k4/8/r7/4K2R w - - 0 1"
RUY = "r1bqkb1r/pppp1ppp/2n2n2/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 0 4"
QUIET = "2r2rk1/p1Nb1ppp/2qP4/1pp5/8/2P5/PPQ1R1PP/3R2K1 w - - 4 25"
WINS = "Nd5 Kh8 Ne7 Qa6 Nxc8 Rxc8 Re7 Rd8 Qf2 Qxa2"


def reason(*arguments, tables: Tables | None = None, **more) -> str:
    return short(reason_of(case(*arguments, **more), tables))


@pytest.mark.parametrize(
    ("fen", "move", "best", "reply", "had", "has", "claim"),
    [
        # White goes on winning, but a mate is a mate.
        ("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", "h3", "Ra8#", "h6", Mate(1), Cp(500), "misses backRankMate 1"),
        ("6rk/6pp/8/6N1/8/8/7P/6QK w - - 0 1", "h3", "Nf7#", "h6", Mate(1), Cp(-200), "misses smotheredMate 1"),
        ("7k/8/5K2/6Q1/8/8/8/8 w - - 0 1", "Qg6", "Kf7", "", Mate(2), Cp(0), "drawn stalemate"),
        ("4k3/8/3K4/4P3/8/8/8/8 w - - 0 1", "e6", "Ke6 Kd8", "Kd8 e7+ Ke8 Ke6", Cp(900), Cp(0), "opposition win"),
        ("8/8/2k5/8/3K4/2P5/8/8 b - - 0 1", "Kd7", "Kd6 c4", "Kd5 Kc7", Cp(0), Cp(-700), "opposition draw"),
        ("8/8/4k3/8/8/3BK3/4p3/8 w - - 0 1", "Bxe2", "Kxe2 Kd5", "Kd5", Cp(600), Cp(0), "drawn material"),
        # The king did not guard e1, where Black has two rooks.
        (
            *("4r1k1/4rppp/RR6/8/8/8/5PPP/5K2 w - - 0 1", "Kg1", "g3 Kf8", "Re1#"),
            *(Cp(0), Mate(-1), "allows backRankMate 1"),
        ),
        (
            *("6k1/5pp1/8/8/1q6/7P/r4PP1/3Q2K1 b - - 0 1", "Qf4", "Ra8 Qd5"),
            *("Qd8+ Kh7 Qh4+ Kg8 Qd8+ Kh7 Qh4+", Cp(800), Cp(0), "drawn perpetual"),
        ),
        # White should have taken the rook: no bishop drives the king from a8.
        (
            *("8/1k6/5B2/6K1/6R1/P7/6r1/8 w - - 0 71", "Be5", "Rxg2 Kc6 Kf5", "Rxg4+ Kxg4"),
            *(Cp(900), Cp(0), "drawn corner"),
        ),
        # The best move puts the mate off.
        (
            *("6k1/5pp1/8/8/1Q6/N1P3Pq/PP2r2P/5RK1 w - - 0 30", "Qb7", "Qb8+ Kh7 Qg8+", "Qxh2#"),
            *(Mate(-4), Mate(-1), "allows mateIn1 1"),
        ),
    ],
)
def test_mates_and_draws(fen, move, best, reply, had, has, claim):
    assert reason(fen, move, best, reply, had, has) == claim


def test_tables_decide():
    def won(board: chess.Board) -> int:
        return 2 * board.turn

    lost = {chess.WHITE: 0, chess.BLACK: 2}
    scores = Cp(20_000), Cp(0)
    assert reason(WON_BY_OPPOSITION, "Ka8", "Kb6 Kd5 Kc7", "Kc6", *scores, tables=won) == "tables 2 0"
    opposed = reason(WON_BY_OPPOSITION, "Ka6", "Kb6 Kd5", "Kc6", *scores, tables=won)
    assert opposed == "tables 2 0, opposition win"
    rooks = (ROOKS, "Rh8", "Rh4+ Kc3", "Ra1+ Ke2", Cp(0), Cp(-20_000))
    assert reason(*rooks, tables=lambda board: lost[board.turn]) == "tables 0 -2"
    assert reason(ROOKS, "Kf1", "Rh4+ Kc3", "Kc3", Cp(0), Cp(-150), tables=lambda board: 0) == "tables 0 0"


@pytest.mark.parametrize(
    ("before", "line", "scores", "claim"),
    [
        ("Bxc6", ("Qe7", "dxc6 Qe2 Qe7 d3", "Bxd7+ Bxd7 d3"), (0, -300), "regains recapture N"),
        # Material that the better move wins or loses too is no reason.
        ("Bxc6", ("bxc6", "dxc6 Qe2 Qe7 d3", "d3 d6 O-O Be7"), (10, -120), "now 0 -1 probably"),
    ],
)
def test_recaptures(before, line, scores, claim):
    assert reason(RUY, *line, *map(Cp, scores), before=before) == claim


def test_a_recapture_that_wins_back_a_pawn_wins_a_pawn():
    fen = "4k3/p4p1p/6p1/7n/6P1/8/P6P/4K3 w - - 0 1"
    line = ("a6", "gxh5 Ke2 Ke7 Ke3", "hxg6 hxg6 Ke2 Ke7", Cp(300), Cp(160))
    assert reason(fen, *line, before="gxh5") == "misses hanging/loose P"


@pytest.mark.parametrize(
    ("fen", "line", "scores", "claim"),
    [
        (  # en passant
            "3k4/3p4/8/2P1P3/8/8/8/4K3 b - - 0 1",
            *(("d5", "Ke7 Ke2", "exd6 Kd7 Ke2 Ke6 Kd3"), (-200, -400), "loses hanging/loose P"),
        ),
        (  # two attackers, two defenders
            "8/7p/4k3/q2n4/8/1B6/8/3R2K1 b - - 0 1",
            *(("h6", "Kd6 Kf1", "Bxd5+ Kf6 Kg2 h5"), (150, -150), "loses line N@d5"),
        ),
        (
            "8/8/PR4K1/8/5k1P/r7/4p3/8 w - - 0 1",
            *(("Re6", "Rb1 Kf3", "Rxa6 Rxa6 e1=Q"), (600, -600), "loses promotion/now promotion -R and the win"),
        ),
        (  # the bishop takes a rook
            "4rk2/pP6/8/7B/8/8/6K1/8 b - - 0 1",
            *(("a5", "Rb8 Bf3 Ke7 Bd5", "Bxe8 Kxe8 b8=Q+ Ke7 Kf3"), (0, -800), "loses promotion/now promotion"),
        ),
        (  # missed: nothing is lost
            "r3k3/2p5/8/3N4/8/8/8/4K3 w - - 0 1",
            *(("Ke2", "Nxc7+ Kd7 Nxa8 Kc8", "Kf7 Nxc7 Ra2+"), (300, -200), "misses fork/fork RP"),
        ),
        (  # leaves a pawn, but what counts is the queen that it did not take
            "4k3/8/8/3q4/4P3/8/p7/B3K3 w - - 0 1",
            *(("Ke2", "exd5 Kd7", "Qxe4+ Kd2"), (600, -400), "misses hanging/loose Q"),
        ),
        (  # leaves the knight, and the game turns: the queen that it did not take counts less
            "4k3/8/8/3q4/2N1P3/8/p7/B3K3 w - - 0 1",
            *(("Kf2", "exd5 Kd7 Kd2", "Qxc4 Kg3 Qxe4"), (600, -400), "loses hanging/loose N@c4 and the win"),
        ),
        (  # the line drops a knight, but the score has fallen by less than a pawn: it does not tell all
            "4k3/8/8/8/3r4/8/5N2/4K3 w - - 0 1",
            *(("Nd3", "Ke2 Kd7 Nd3", "Rxd3 Ke2 Rd8"), (-100, -180), "worse -1 -2"),
        ),
        (  # where the line is not forced, another answer may lose less
            "2b5/1pq2rk1/2p3pp/r1n1p3/P1Q1P3/2N2R1P/2P2PP1/1R4K1 w - - 0 27",
            ("Rxf7+", "Nb5 Rxb5 Rxf7+", "Qxf7 Qb4 Qc7 Nd1 Nxa4 Ra1 b5 Ne3 Be6 Qe1 c5"),
            *((-100, -318), "decided -1 -3 surely"),
        ),
        (  # of the two pawns that Black takes only the first is sure
            "r3r1k1/pp1n1pbp/1q3np1/3P4/8/2N1BP2/PPN3PP/R2QK2R w KQ - 1 14",
            ("Kf2", "O-O Rxe3 Na4 Qa6 Nxe3 b5 Nc3 Qb6", "Qxb2 Ne2 Rac8 Rc1 Qxa2 Nb4 Qa3"),
            *((28, -205), "loses hanging/loose P"),
        ),
        (  # a pawn that has some way to go behind a quiet move
            "8/R6R/p5p1/8/1p4kP/2n3P1/r4P2/6K1 w - - 1 36",
            ("Rag7", "Kg2 Nd1 Rh8 a5", "Kh3 f4 b3 Re7 b2 Re1 Ra1 Re7 Rc1 Re5 b1=Q"),
            *((50, -440), "decided 0 -3 surely"),
        ),
        (  # the exchange is won for the pawn on e6
            "4r3/1p4bk/p2rpp1p/P1p5/2P2N2/2P1R2P/1P3PP1/4R1K1 b - - 2 28",
            ("Rd2", "e5 g4 Red8 Nd5", "Nxe6 Rxb2 Ng5+ fxg5 Rxe8 Bxc3 R1e7+ Kg6 Re6+ Kg7 R8e7+"),
            *((-169, -302), "loses discoveredAttack/attack exchange -P"),
        ),
        (  # later moves win more or lose some
            "r2qkb1r/ppp2ppp/2n2n2/3Pp1N1/2B3b1/5P2/PPPP2PP/RNBQK2R b KQkq - 0 6",
            ("Bf5", "Na5 fxg4 Nxc4 d3 Nb6 c4 c6", "dxc6 Nd5 cxb7 Rb8 d4 c6 O-O Be7 Ne4 O-O"),
            *((-30, -324), "loses hanging/cheaper N@c6"),
        ),
        (  # a bishop given for a pawn, and declined
            "r1bq1rk1/pppn1pp1/4p2p/3pP3/3P4/3B1N2/PP3PPP/R1BQ1RK1 b - - 0 12",
            *(("a6", "c5 dxc5 Nxc5", "Bxh6 f6 Bd2 fxe5 dxe5"), (0, -200), "now 0 -2 probably"),
        ),
    ],
)
def test_material(fen, line, scores, claim):
    assert reason(fen, *line, *map(Cp, scores)) == claim


def test_a_queen_that_need_not_be_given_up_is_not_won():
    """The line takes the knight with the queen, which nothing attacks; a longer search moves the king."""
    fen = "r4rk1/ppp2ppp/3p3q/4n3/4P2n/1BN4P/PPP1QP2/2R2R1K b - - 16 24"
    best = "Nhf3 Qxf3 Nxf3 Kg2 Qf4 Rfd1 c6 Ra1 Nh4+ Kf1 Qf3"
    assert "Q" not in reason(fen, "Nef3", best, "Qe3 Qf6 Nd5 Qe6 Nf4 Qe5", Cp(700), Cp(200))


def test_a_pawn_explains_a_mark_that_costs_no_more():
    lost = ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "Kf2", "exd5 Kd7 Kd2 Kd6", "dxe4 Ke3 Kf7 Kd2 Ke6")
    assert reason(*lost, Cp(150), Cp(-300)) == "loses hanging/loose P"
    assert reason(*lost, Cp(50), Cp(-100), marked=True) == "loses hanging/loose P"
    assert reason(*lost, Cp(150), Cp(-300), marked=True) == "decided 2 -3"


def test_a_missed_gain_must_show_in_the_score():
    line = ("Kh1", WINS, "Rfd8 Nd5 Qb7 Kg1")
    assert reason(QUIET, *line, Cp(328), Cp(30), marked=True) == "misses line exchange"
    assert reason(QUIET, *line, Cp(20), Cp(-100), marked=True) == "now 0 -1 probably"


LINES = ("a3", "e4 e5 Nf3 Nc6", "e5 e4 Nf6")


@pytest.mark.parametrize(
    ("had", "has", "claim"),
    [
        (80, -140, "turned 1 -2"),
        (190, 90, "less 2 1 probably"),
        (110, 10, "half 1 0"),
        (60, -40, "open 1 0 probably"),
        (80, -80, "gone 1 -1"),
        (-70, -170, "grown -1 -2 probably"),
        (-50, -150, "now 0 -2 probably"),
        (-150, -270, "grown -2 -3 probably"),
        # A search that finds a loss of less than a pawn may be wrong about who is better for it.
        (70, 0, "little 1 0 slightly"),
        (150, 80, "either 2 1"),
        (-80, -115, "either -1 -1"),
        (-80, -150, "worse -1 -2"),
    ],
)
def test_how_the_game_stands_and_stood(had, has, claim):
    assert reason(chess.STARTING_FEN, *LINES, Cp(had), Cp(has)) == claim


@pytest.mark.parametrize(
    ("had", "has", "claim"),
    [(-270, -350, "anyway -3 -3 probably"), (-270, -600, "anyway -3 -3 surely"), (900, 600, "less 3 3 probably")],
)
def test_a_mark_in_a_decided_game_does_not_decide_it(had, has, claim):
    assert reason(chess.STARTING_FEN, *LINES, Cp(had), Cp(has)) == "None"
    assert reason(chess.STARTING_FEN, *LINES, Cp(had), Cp(has), marked=True) == claim


@pytest.mark.parametrize("scores", [(Cp(900), Cp(600)), (Cp(-500), Cp(-700)), (Cp(30), Cp(25)), (Cp(10), Cp(10))])
@pytest.mark.parametrize("reply", [LINES[2], ""])
def test_a_marked_move_always_has_a_reason(scores, reply):
    line = (chess.STARTING_FEN, "a3", "e4 e5", reply, *scores)
    assert reason(*line) == "None"
    found = reason(*line, marked=True)
    assert not {"None", "slightly", "either"} & set(found.split())


@pytest.mark.parametrize(
    ("distance", "had", "marked", "told"),
    [
        (10, 0, False, True),
        (11, 0, False, False),
        (5, -250, True, True),
        (10, -900, True, True),
        (11, -900, True, False),
    ],
)
def test_a_distant_mate_is_a_lost_game(distance, had, marked, told):
    found = reason(chess.STARTING_FEN, *LINES, Cp(had), Mate(-distance), marked=marked)
    assert found.startswith("allows mateIn") is told


def test_a_mate_that_no_line_shows_has_a_reason():
    assert reason(chess.STARTING_FEN, "a3", "e4 e5", "", Cp(0), Mate(-4)) == "now 0 -3 surely"


def test_positional_reason_never_explains_a_mark():
    fen = "r2q1rk1/pbp2ppp/1pn2n2/3p4/3P4/2N2N1P/PPP2PP1/R1BQ1RK1 w - - 0 15"
    line = (fen, "g4", "Bf4 Qd7 Rb1 Rfe8 Rc1 Rad8", "Qd7 Bf4 Rfe8 Rb1 Rad8", Cp(0), Cp(-140))
    assert reason(*line) == "now 0 -2 probably king own"
    assert reason(*line, marked=True) == "now 0 -2 probably"


def test_a_small_loss_names_a_lasting_advantage():
    """Black takes back with a bishop pair to come; in the best line each side has one bishop less or none more."""
    fen = "r1bq1rk1/pp4bp/n4np1/2pp4/8/2N1PN1P/PP2BPP1/R1BQ1RK1 w - - 0 12"
    best, reply, scores = "b3 Bd7 Bb2 Qe7 Rc1 Rad8", "bxa6 b3 Bb7 Ba3 Qe7", (Cp(30), Cp(-50))
    assert reason(fen, "Bxa6", best, reply, *scores) == "little 0 0 slightly bishops"
    assert reason(fen, "Bxa6", "b3 Bd7 Bb2", "bxa6", *scores) == "little 0 0 slightly"
    assert reason(fen, "Bxa6", best, reply, *scores, marked=True) == "open 0 0 probably"
    # Two pieces up, White has more than bishops to think of.
    assert "bishops" not in reason(fen.replace("r1bq1", "3q1"), "Bxa6", "b3 Qe7 Bb2", "bxa6", *scores)


def test_the_best_move_has_no_reason():
    assert reason(chess.STARTING_FEN, "e4", "e4 e5", "e5 Nf3", Cp(30), Cp(-170)) == "None"
