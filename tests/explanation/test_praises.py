"""Why a move is praised: famous moves, with lines of the engine."""

import pytest
from chess import BISHOP, D8, E7, F2, H2, KNIGHT, PAWN, QUEEN, ROOK
from chess.engine import Cp, Mate

from engine.explanation import praise_of
from engine.explanation.claims import Gain, Material, Mating, OnlyMove, Piece, Sacrifice
from tests.explanation.lines import case

EVERGREEN = "1r2k1r1/pbppnp1p/1b3P2/8/Q7/B1PB1q2/P4PPP/3R2K1 w - - 0 21"
HOFFMANN = "r1bqk2r/pppp1Npp/8/2bnP3/8/6K1/PB4PP/RN1Q3R b kq - 0 12"
IMMORTAL_DRAW = "r1bq1rk1/pp1n2pp/2pbpn2/3p1pN1/2PP4/3BP3/PP2NPPP/R1BQ1RK1 b - - 7 9"
FISCHER = "r2qr1k1/p4pbp/bp3np1/3p4/8/BPNnP1P1/P1Q1NPBP/R2R2K1 b - - 3 15"
STEINITZ = "r1r1k3/pp1qn2p/5pp1/3p2N1/6Q1/8/PP3PPP/2R1R1K1 w - - 2 22"


@pytest.mark.parametrize(
    ("fen", "move", "other", "reply", "had", "has", "piece", "aim", "facts"),
    [
        (
            *(EVERGREEN, "Qxd7+", "Qc6 Qxf2+ Kh1 Qxg2+ Qxg2 Bxg2#", "Kxd7 Bf5+ Ke8 Bd7+ Kf8 Bxe7#"),
            *(Mate(-3), Mate(3), Piece(QUEEN, 51), "mate", {"moves": 4}),
        ),
        (
            *(HOFFMANN, "O-O", "Ne3 Qf3 Qe7 Nxh8 Qg5+ Kf2", "Nxd8 Bf2+ Kh3 d6+ e6 Nf4+ Kg4 Nxe6"),
            *(Cp(153), Cp(194), Piece(QUEEN, D8), "attack", {"target": None}),
        ),
        (
            *(IMMORTAL_DRAW, "Bxh2+", "Qe7 c5 Bc7 Qc2", "Kh1 Ng4 Nh3 Bc7 f3 Nh6 Bd2"),
            *(Cp(-3), Cp(53), Piece(BISHOP, H2), "attack", {"target": H2}),
        ),
        (
            *(FISCHER, "Nxf2", "Ne5 Nf4 Rc8 Bb2 Re7 Qd2", "Kxf2 Ng4+ Kg1 Nxe3 Qd2 Nxd1 Rxd1 Rc8 Kf2"),
            *(Cp(-83), Cp(84), Piece(KNIGHT, F2), "material", {"gains": ((ROOK, 1), (PAWN, 1))}),
        ),
        (
            *(STEINITZ, "Rxe7+", "Nxh7 Qxg4 Nxf6+ Kf7 Nxg4", "Qxe7 Rxc8+ Rxc8 Qxc8+ Qd8 Qxd8+ Kxd8 Nxh7"),
            *(Cp(67), Cp(369), Piece(ROOK, E7), "material", {"exchange": True, "gains": ((KNIGHT, 1), (PAWN, 1))}),
        ),
    ],
)
def test_a_sacrifice_has_an_aim(fen, move, other, reply, had, has, piece, aim, facts):
    found = praise_of(case(fen, move, other, reply, had, has))
    assert isinstance(found, Sacrifice)
    assert (found.piece, found.aim) == (piece, aim)
    told = {"moves": found.moves, "target": found.target, "exchange": found.exchange}
    told["gains"] = found.gains and found.gains.won
    assert {name: told[name] for name in facts} == facts


@pytest.mark.parametrize(
    ("had", "has", "aim"),
    [
        (Cp(0), Cp(700), "wins"),
        (Cp(0), Cp(100), "keeps"),
        (Cp(-900), Cp(0), "holds"),
        (Cp(-150), Cp(0), "balances"),
        (Cp(-900), Cp(-600), None),
    ],
)
def test_an_only_move_has_an_aim(had, has, aim):
    fen = "4k3/pp4pp/8/8/8/8/PP4PP/4K3 w - - 0 1"
    found = praise_of(case(fen, "Kd2", "a3 Kd7 h3 Kd6", "Kd7 Kd3 Kd6", had, has))
    assert (isinstance(found, OnlyMove) and (found.aim, found.quiet)) == (aim is not None and (aim, True))


def test_an_only_move_names_the_cost_of_the_next_best():
    fen = "4r1k1/4rppp/RR6/8/8/8/5PPP/5K2 w - - 0 1"
    found = praise_of(case(fen, "g3", "Kg1 Re1#", "Kf8 Kg2", Mate(-1), Cp(0)))
    assert isinstance(found, OnlyMove)
    assert found.aim == "parries"
    assert isinstance(found.other, Mating)
    assert (found.other.verb, found.other.moves) == ("allows", 1)


def test_what_only_the_move_wins_is_named():
    fork = ("r3k3/2p5/8/3N4/8/8/8/4K3 w - - 0 1", "Nxc7+", "Ke2 Kd7", "Kd7 Nxa8 Kc8")
    found = praise_of(case(*fork, Cp(-200), Cp(300)))
    assert isinstance(found, Material)
    assert (found.verb, found.theme, found.gain) == ("wins", "fork", Gain("list", ((ROOK, 1), (PAWN, 1))))


def test_a_move_into_a_mate_is_not_praised():
    assert praise_of(case("4r1k1/4rppp/RR6/8/8/8/5PPP/5K2 w - - 0 1", "Kg1", "g3", "Re1#", Cp(0), Mate(-1))) is None


def test_a_piece_that_every_move_loses_is_no_sacrifice():
    forked = case("6k1/8/8/8/p7/1n6/3Q4/K7 w - - 0 1", "Ka2", "Kb1 Nxd2+", "Nxd2 Ka3", Cp(-600), Cp(-400))
    assert not isinstance(praise_of(forked), Sacrifice)
