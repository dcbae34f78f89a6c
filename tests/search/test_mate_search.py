"""``go mate``: proofs of mates and of their absence, held to a plain search with python-chess."""

import random

import chess
import pytest

from engine.messages import Limits
from engine.search.mates import proves_mate
from engine.search.scores import MATE
from engine.search.worker import RootLine
from tests.search.conversation import start, wait_until

TWO_ROOKS = "7k/8/R7/1R6/8/8/8/K7 w - - 0 1"


def mates(board: chess.Board, plies: int) -> bool:
    """Whether the attacker, who moves if ``plies`` is odd, mates within so many plies."""
    if plies == 0:
        return board.is_checkmate()
    moves = list(board.legal_moves)
    if not moves:
        return plies % 2 == 0 and board.is_checkmate()
    attacking = plies % 2 == 1
    for move in moves:
        board.push(move)
        found = mates(board, plies - 1)
        board.pop()
        if found == attacking:  # one mate is enough for the attacker, one escape for the defender
            return attacking
    return not attacking


def shortest(board: chess.Board, most: int) -> int | None:
    """Moves to the shortest mate, negative if it is against the side to move; None up to ``most``."""
    for number in range(1, most + 1):
        if mates(board, 2 * number - 1):
            return number
        if mates(board, 2 * number):
            return -number
    return None


def checked(board: chess.Board, line: tuple[str, ...]) -> None:
    """The line is legal and ends in checkmate."""
    for move in line:
        board.push_uci(move)
    assert board.is_checkmate()


def test_proofs_agree_with_a_plain_search(engine):
    choose = random.Random(4)
    found = {True: 0, False: 0, None: 0}
    for _ in range(50):
        board = chess.Board(None)
        pieces = [chess.KING, chess.QUEEN, choose.choice([chess.PAWN, chess.ROOK])]
        squares = choose.sample(range(8, 32), len(pieces) + 2)
        squares[0], squares[-2] = choose.choice([chess.A6, chess.B6, chess.C7]), chess.A8  # where mates are likely
        for kind, square in zip(pieces, squares, strict=False):
            board.set_piece_at(square, chess.Piece(kind, chess.WHITE))
        board.set_piece_at(squares[-2], chess.Piece(chess.KING, chess.BLACK))
        board.set_piece_at(squares[-1], chess.Piece(chess.BISHOP, chess.BLACK))
        board.turn = choose.random() < 0.5
        if not board.is_valid() or board.is_game_over():
            continue
        expected = shortest(board, 2)
        result = engine.search(board, Limits(mate=2))
        told = result.score.mate if result.score.mate is not None and abs(result.score.mate) <= 2 else None
        assert told == expected, board.fen()
        found[None if expected is None else expected > 0] += 1
        if expected is not None:
            assert len(result.pv) == 2 * abs(expected) - (expected > 0)
            checked(board, result.pv)
    assert min(found.values()) >= 2, found


REPEATED = ["b5b7", "h8g8", "b7b5", "g8h8"] * 2


def test_third_repetition_is_not_part_of_a_mate(engine):
    board = chess.Board(TWO_ROOKS)
    for move in REPEATED:
        board.push_uci(move)
    assert engine.search(board, Limits(mate=2, nodes=20_000, searchmoves=("b5b7",))).score.mate is None
    result = engine.search(board, Limits(mate=2, nodes=20_000))
    assert result.score.mate == 2
    checked(board, result.pv)


LOST = "2rq4/3rk3/3bn1Bp/2Np1NP1/8/1p6/1K6/Bn6 b - - 0 1"


@pytest.mark.parametrize("threads", [1, 2])
def test_a_mate_against_the_side_to_move_ends_the_search(engine, threads):
    engine.set_option("Threads", threads)
    result = engine.search(chess.Board(LOST), Limits(mate=9, nodes=5_000_000))
    assert -9 <= result.score.mate < 0
    assert result.nodes < 2_000_000


@pytest.mark.parametrize("waiting", [{"infinite": True}, {"ponder": True}])
def test_mate_found_while_waiting_is_reported(engine, waiting):
    running = start(engine, Limits(mate=2, **waiting), chess.Board(TWO_ROOKS))
    wait_until(lambda: any(info.score.mate == 2 for info in running.infos))
    assert running.goes_on
    engine.stop()
    assert running.result().info.score.mate == 2


def test_the_other_lines_stay_beside_a_mate(engine):
    infos = []
    engine.search(chess.Board(TWO_ROOKS), Limits(mate=2), infos.append, 3)
    last = {info.multipv: info for info in infos}
    assert len({info.pv[0] for info in last.values()}) == 3
    assert last[1].score.mate == 2


def test_long_mate_is_found_by_the_plain_search(engine):
    """The proof of so long a mate would never end."""
    engine.new_game()
    board = chess.Board("K7/8/8/6p1/4N1Q1/7r/7k/5n2 w - - 0 1")
    result = engine.search(board, Limits(mate=14, nodes=5_000_000))
    assert 0 < result.score.mate <= 14


def test_a_bound_proves_a_mate_for_its_side_only():
    limits, mate = Limits(mate=3), MATE - 5
    for score, bound in ((mate, ""), (mate, "lowerbound"), (-mate, ""), (-mate, "upperbound"), (-MATE + 6, "")):
        assert proves_mate(RootLine(score=score, bound=bound), limits)
        assert not proves_mate(RootLine(score=score, bound=bound), Limits(depth=3))
    for score, bound in ((mate, "upperbound"), (-mate, "lowerbound"), (MATE - 7, ""), (7 - MATE, ""), (500, "")):
        assert not proves_mate(RootLine(score=score, bound=bound), limits)


def test_the_proof_is_the_last_line_of_several_threads(engine):
    """Others may have a longer mate, which a side that is mated would like better."""
    board = chess.Board("8/3p4/2pP4/2k1P3/7p/3RN3/2PP3K/1R6 b - - 0 1")
    engine.configure(threads=3)
    for _ in range(20):
        engine.new_game()
        infos = []
        engine.search(board, Limits(mate=3), infos.append)
        assert infos[-1].score.mate == -3


def test_mate_search_costs_little_more_than_a_plain_one(engine, data_file):
    found = []
    for line in data_file("suites/mates_500.epd").read_text().splitlines()[::40]:
        epd, number = line.rstrip(";").split(" bm #")
        board, wanted = chess.Board(f"{epd} 0 1"), abs(int(number))
        infos = []
        engine.new_game()
        engine.search(board, Limits(nodes=100_000), infos.append)
        mates = [i for i in infos if i.score and i.score.mate and abs(i.score.mate) <= wanted and not i.score.bound]
        if mates:
            engine.new_game()
            result = engine.search(board, Limits(mate=wanted, nodes=200_000))
            assert abs(result.score.mate) <= wanted
            found.append(result.nodes / mates[0].nodes)
    assert len(found) >= 3
    assert max(found) < 1.4


SCHOLAR = "r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 0 3"


@pytest.mark.parametrize(
    "limits", [Limits(mate=20, movetime=500), Limits(mate=20, wtime=9000, btime=9000), Limits(mate=20, depth=5)]
)
def test_other_limits_end_it_with_a_move_that_was_searched(engine, limits):
    """The proof of a mate in twenty would outlast them all; Black must not walk into the mate in one."""
    result = engine.search(chess.Board(SCHOLAR), limits)
    board = chess.Board(SCHOLAR)
    board.push_uci(result.pv[0])
    assert not mates(board, 1)
    assert result.depth >= (limits.depth or 2)
