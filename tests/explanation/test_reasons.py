"""Reasons other than a piece lost to the refutation: mates and draws, the tables, the opposition, what was missed."""

import chess
import pytest
from chess.engine import Cp, Mate

from tests.explanation.lines import why

WON_BY_OPPOSITION = "8/1K6/3k4/8/8/2P5/8/8 w - - 0 1"
ROOK_AGAINST_ROOK = "8/8/8/8/3k4/8/r7/4K2R w - - 0 1"


@pytest.mark.parametrize(
    ("fen", "move", "best", "reply", "had", "has", "text"),
    [
        (
            "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1",  # White goes on winning, but a mate is a mate
            *("h3", "Ra8#", "h6", Mate(1), Cp(500)),
            "Misses back-rank mate in one with Ra8#.",
        ),
        (
            "6rk/6pp/8/6N1/8/8/7P/6QK w - - 0 1",
            *("h3", "Nf7#", "h6", Mate(1), Cp(-200)),
            "Misses smothered mate in one with Nf7#.",
        ),
        (
            "7k/8/5K2/6Q1/8/8/8/8 w - - 0 1",
            *("Qg6", "Kf7", "", Mate(2), Cp(0)),
            "It is stalemate, and the win is gone.",
        ),
        (
            "4k3/8/3K4/4P3/8/8/8/8 w - - 0 1",
            *("e6", "Ke6 Kd8 Kf7", "Kd8 e7+ Ke8 Ke6", Cp(900), Cp(0)),
            "Gives up the opposition, and with it the win: Ke6 would have taken it; now Kd8 takes it.",
        ),
        (
            "8/8/2k5/8/3K4/2P5/8/8 b - - 0 1",
            *("Kd7", "Kd6 c4 Kc6", "Kd5 Kc7 Kc5", Cp(0), Cp(-700)),
            "Gives up the opposition, and with it the draw: Kd6 would have taken it; now Kd5 takes it.",
        ),
        (
            "8/8/4k3/8/8/3BK3/4p3/8 w - - 0 1",
            *("Bxe2", "Kxe2 Kd5", "Kd5", Cp(600), Cp(0)),
            "Throws away the win: there is insufficient material to mate.",
        ),
        (
            "4r1k1/4rppp/RR6/8/8/8/5PPP/5K2 w - - 0 1",  # the king did not guard e1, where Black has two rooks
            *("Kg1", "g3 Kf8", "Re1#", Cp(0), Mate(-1)),
            "Allows back-rank mate in one with Re1#.",
        ),
    ],
)
def test_missed_mates_and_draws_are_told(fen, move, best, reply, had, has, text):
    assert why(fen, move, best, reply, had, has) == text


def test_a_perpetual_check_gives_the_win_away():
    fen = "6k1/5pp1/8/8/1q6/7P/r4PP1/3Q2K1 b - - 0 1"
    text = why(fen, "Qf4", "Ra8 Qd5", "Qd8+ Kh7 Qh4+ Kg8 Qd8+ Kh7 Qh4+", Cp(800), Cp(0))
    assert text == "Lets White draw by perpetual check, beginning with Qd8+."


def test_what_the_tables_say():
    won = why(WON_BY_OPPOSITION, "Ka8", "Kb6 Kd5 Kc7", "Kc6", Cp(20_000), Cp(0), lambda board: 2 * board.turn)
    assert won == "According to the tablebases the position was won and is now drawn; Kb6 was right."
    opposed = why(WON_BY_OPPOSITION, "Ka6", "Kb6 Kd5", "Kc6", Cp(20_000), Cp(0), lambda board: 2 * board.turn)
    assert opposed == (
        "Gives up the opposition, and with it the win: Kb6 would have taken it; now Kc6 takes it. The tablebases agree."
    )
    outcome = {chess.WHITE: 0, chess.BLACK: 2}
    lost = why(ROOK_AGAINST_ROOK, "Rh8", "Rh4+ Kc3", "Ra1+ Ke2", Cp(0), Cp(-20_000), lambda board: outcome[board.turn])
    assert lost == "According to the tablebases the position was drawn and is now lost; Rh4+ was right."


def test_tables_that_see_no_difference_say_so():
    said = why(ROOK_AGAINST_ROOK, "Kf1", "Rh4+ Kc3", "Kc3", Cp(0), Cp(-150), lambda board: 0)
    assert said == "According to the tablebases the result is the same as after Rh4+."


def test_a_recapture_that_was_left_out():
    fen = "r1bqkb1r/pppp1ppp/2n2n2/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 0 4"
    text = why(fen, "Qe7", "dxc6 Qe2 Qe7 d3", "Bxd7+ Bxd7 d3", Cp(0), Cp(-300), before="Bxc6")
    assert text == "Does not recapture: dxc6 would have won back the knight."


def test_a_recapture_that_wins_back_only_a_pawn_is_told_so():
    fen = "4k3/p4p1p/6p1/7n/6P1/8/P6P/4K3 w - - 0 1"
    text = why(fen, "a6", "gxh5 Ke2 Ke7 Ke3", "hxg6 hxg6 Ke2 Ke7", Cp(100), Cp(-20), before="gxh5")
    assert text == "Misses the chance to win a pawn: gxh5 takes the pawn on h5, and nothing can recapture."


@pytest.mark.parametrize(
    ("fen", "before", "line", "scores"),
    [
        (
            "r1bqkb1r/pppp1ppp/2n2n2/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 0 4",
            *("Bxc6", ("bxc6", "dxc6 Qe2 Qe7 d3", "d3 d6 O-O Be7"), (10, -120)),
        ),
        (
            "1q2r1k1/5ppp/2n5/8/3N4/7P/5PP1/2Q3K1 w - - 0 1",
            *("", ("Qxc6", "Nxc6 Qb7 Nd4 h6", "Qd8 Nf3 h6 Qc4"), (50, -120)),
        ),
        (
            "4k3/7p/8/8/8/8/PB6/n2K4 b - - 0 1",  # the knight is lost in any case
            *("", ("h6", "Kd7 Bxa1 Ke6 Kd2", "Bxa1 Kd7 Kd2"), (-150, -260)),
        ),
    ],
)
def test_material_that_the_better_move_wins_or_loses_too_is_no_reason(fen, before, line, scores):
    assert why(fen, *line, *map(Cp, scores), before=before).startswith("After ")


@pytest.mark.parametrize(
    ("fen", "line", "scores", "text"),
    [
        (
            "3k4/3p4/8/2P1P3/8/8/8/4K3 b - - 0 1",  # en passant
            *(("d5", "Ke7 Ke2", "exd6 Kd7 Ke2 Ke6 Kd3"), (-200, -400)),
            "Loses a pawn: exd6 takes the pawn on d5, and nothing can recapture.",
        ),
        (
            "8/7p/4k3/q2n4/8/1B6/8/3R2K1 b - - 0 1",  # two attackers, two defenders
            *(("h6", "Kd6 Kf1", "Bxd5+ Kf6 Kg2 h5"), (150, -150)),
            "Allows Bxd5+, which wins the knight on d5.",
        ),
        (
            "8/8/PR4K1/8/5k1P/r7/4p3/8 w - - 0 1",
            *(("Re6", "Rb1 Kf3", "Rxa6 Rxa6 e1=Q"), (600, -600)),
            "Lets Black promote at the cost of a rook, and the win is gone: Rxa6 Rxa6 e1=Q.",
        ),
        (
            "4rk2/pP6/8/7B/8/8/6K1/8 b - - 0 1",  # the bishop takes a rook
            *(("a5", "Rb8 Bf3 Ke7 Bd5", "Bxe8 Kxe8 b8=Q+ Ke7 Kf3"), (0, -800)),
            "Lets White promote: Bxe8 Kxe8 b8=Q+.",
        ),
    ],
)
def test_how_material_is_lost_is_told_as_it_is(fen, line, scores, text):
    assert why(fen, *line, *map(Cp, scores)) == text


def test_what_the_best_move_would_have_won_is_told():
    fen = "r3k3/2p5/8/3N4/8/8/8/4K3 w - - 0 1"
    text = why(fen, "Ke2", "Nxc7+ Kd7 Nxa8 Kc8", "Kf7 Nxc7 Ra2+", Cp(300), Cp(-200))
    assert text == "Misses the chance to win a rook and a pawn: Nxc7+ forks the king and the rook on a8."


def test_the_greater_of_two_faults_is_told():
    """Leaves a pawn, but what counts is the queen that it did not take."""
    fen = "4k3/8/8/3q4/4P3/8/p7/B3K3 w - - 0 1"
    assert why(fen, "Ke2", "exd5 Kd7", "Qxe4+ Kd2", Cp(600), Cp(-400)) == (
        "Misses the chance to win the queen: exd5 takes it, and nothing can recapture."
    )


def test_the_best_move_has_no_reason():
    assert why(chess.STARTING_FEN, "e4", "e4 e5", "e5 Nf3", Cp(30), Cp(-170)) is None


def test_a_loss_that_the_score_does_not_bear_out_is_not_told():
    """The line drops a knight, but the score has fallen by less than a pawn: the line does not tell all."""
    fen = "4k3/8/8/8/3r4/8/5N2/4K3 w - - 0 1"
    said = why(fen, "Nd3", "Ke2 Kd7 Nd3", "Rxd3 Ke2 Rd8", Cp(-100), Cp(-180))
    assert said == "After Rxd3 Black is clearly better; Ke2 would also have left Black better."
    assert why(fen, "Nd3", "Ke2 Kd7 Nd3", "Rxd3 Ke2 Rd8", Cp(-100), Cp(-900)) == (
        "Loses the knight on d3: Rxd3 takes it, and nothing can recapture."
    )


def test_a_gain_behind_quiet_moves_is_not_told_but_what_became_of_the_game():
    """Where the line is not forced, another answer may lose less: only the verdict is sure."""
    fen = "2b5/1pq2rk1/2p3pp/r1n1p3/P1Q1P3/2N2R1P/2P2PP1/1R4K1 w - - 0 27"
    better, reply = "Nb5 Rxb5 Rxf7+", "Qxf7 Qb4 Qc7 Nd1 Nxa4 Ra1 b5 Ne3 Be6 Qe1 c5"
    assert why(fen, "Rxf7+", better, reply, Cp(-100), Cp(-318)) == ("After Qxf7 Black is winning; Nb5 was better.")


def test_a_small_gain_behind_quiet_moves_must_show_at_once():
    """Of the two pawns that Black takes only the first is sure."""
    fen = "r3r1k1/pp1n1pbp/1q3np1/3P4/8/2N1BP2/PPN3PP/R2QK2R w KQ - 1 14"
    said = why(fen, "Kf2", "O-O Rxe3 Na4 Qa6 Nxe3 b5 Nc3 Qb6", "Qxb2 Ne2 Rac8 Rc1 Qxa2 Nb4 Qa3", Cp(28), Cp(-205))
    assert said == "Loses a pawn: Qxb2 takes the pawn on b2, and nothing can recapture."


def test_a_queen_that_need_not_be_given_up_is_not_said_to_be_won():
    """The line takes the knight with the queen, which nothing attacks; a longer search moves the king."""
    fen = "r4rk1/ppp2ppp/3p3q/4n3/4P2n/1BN4P/PPP1QP2/2R2R1K b - - 16 24"
    best = "Nhf3 Qxf3 Nxf3 Kg2 Qf4 Rfd1 c6 Ra1 Nh4+ Kf1 Qf3"
    said = why(fen, "Nef3", best, "Qe3 Qf6 Nd5 Qe6 Nf4 Qe5", Cp(700), Cp(200)) or ""
    assert "the queen" not in said


def test_a_pawn_that_has_some_way_to_go_behind_a_quiet_move_is_not_said_to_get_through():
    fen = "8/R6R/p5p1/8/1p4kP/2n3P1/r4P2/6K1 w - - 1 36"
    reply = "Kh3 f4 b3 Re7 b2 Re1 Ra1 Re7 Rc1 Re5 b1=Q"
    assert why(fen, "Rag7", "Kg2 Nd1 Rh8 a5", reply, Cp(50), Cp(-440)) == (
        "After Kh3 Black is winning; Kg2 was better."
    )


def test_what_hangs_is_what_is_lost_and_not_what_is_paid_for_it():
    """White wins the exchange for a pawn; it was told that the pawn on e6 hangs."""
    fen = "4r3/1p4bk/p2rpp1p/P1p5/2P2N2/2P1R2P/1P3PP1/4R1K1 b - - 2 28"
    reply = "Nxe6 Rxb2 Ng5+ fxg5 Rxe8 Bxc3 R1e7+ Kg6 Re6+ Kg7 R8e7+"
    said = why(fen, "Rd2", "e5 g4 Red8 Nd5", reply, Cp(-169), Cp(-302))
    assert said == "Loses the exchange for a pawn: after Nxe6 Rxb2, Ng5+ uncovers the rook's attack on the rook on e8."


def test_a_single_pawn_explains_a_mark_that_costs_no_more():
    lost = ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "Kf2", "exd5 Kd7 Kd2 Kd6", "dxe4 Ke3 Kf7 Kd2 Ke6")
    assert why(*lost, Cp(150), Cp(-300)).startswith("Loses a pawn: dxe4")
    assert why(*lost, Cp(50), Cp(-100), marked=True).startswith("Loses a pawn: dxe4")
    said = why(*lost, Cp(150), Cp(-300), marked=True)
    assert said == "After dxe4 Black is winning; after exd5 White would be clearly better."


def test_what_is_won_at_once_is_told_though_later_moves_win_more_or_lose_some():
    fen = "r2qkb1r/ppp2ppp/2n2n2/3Pp1N1/2B3b1/5P2/PPPP2PP/RNBQK2R b KQkq - 0 6"
    best, reply = "Na5 fxg4 Nxc4 d3 Nb6 c4 c6", "dxc6 Nd5 cxb7 Rb8 d4 c6 O-O Be7 Ne4 O-O"
    said = "Loses the knight on c6: dxc6 takes it with a pawn."
    assert why(fen, "Bf5", best, reply, Cp(-30), Cp(-324), marked=True) == said


QUIET = "2r2rk1/p1Nb1ppp/2qP4/1pp5/8/2P5/PPQ1R1PP/3R2K1 w - - 4 25"
WINS = "Nd5 Kh8 Ne7 Qa6 Nxc8 Rxc8 Re7 Rd8 Qf2 Qxa2"


def test_a_gain_too_long_to_quote_is_told_with_its_first_move():
    said = why(QUIET, "Kh1", WINS, "Rfd8 Nd5 Qb7 Kg1", Cp(328), Cp(30), marked=True)
    assert said == "Misses Nd5, which wins the exchange."
    before = QUIET.replace("2qP4", "3P4").replace("1pp5", "1ppq4").replace("w - - 4 25", "b - - 3 24")
    better = "Qxa2 Qe4 b4 Rde1 bxc3 bxc3 Qb3"
    assert why(before, "Qc6", better, WINS, Cp(-30), Cp(-328), marked=True) == "Allows Nd5, which wins the exchange."


def test_material_that_the_score_does_not_show_is_not_said_to_be_missed():
    said = why(QUIET, "Kh1", WINS, "Rfd8 Nd5 Qb7 Kg1", Cp(20), Cp(-100), marked=True)
    assert said == "After Rfd8 Black stands better; Nd5 was probably better."


@pytest.mark.parametrize(("distance", "had", "told"), [(5, -250, True), (10, -900, True), (11, -900, False)])
def test_a_mate_that_changes_nothing_is_told_of_a_mark_if_it_is_near(distance, had, told):
    said = why(chess.STARTING_FEN, "a3", "e4 e5 Nf3 Nc6", "e5 e4 Nf6", Cp(had), Mate(-distance), marked=True)
    assert said.startswith("Allows mate in") is told
    assert said.startswith("Black was winning anyway") is not told
