"""What captures win, against a plain search over python-chess; and that no position takes more than its nodes."""

import random

import chess
import pytest

from engine.board.exchange import MATED, QUIESCENCE_PLIES, WORST
from engine.play.captures import QUIESCENCE_NODES, VALUES, Captures, immediate_gain, value
from tests.board.oracle import random_game, starts
from tests.play.queens import QUEENS, with_queens


@pytest.fixture(scope="module")
def boards() -> list[chess.Board]:
    """Positions of random games from every trap, standard and Chess960."""
    games = (random_game(start, seed, 40) for seed, start in enumerate(starts(6)))
    return [board.copy(stack=False) for game in games for ply, board in enumerate(game) if ply % 7 == 0]


def exchange(board: chess.Board, move: chess.Move) -> int:
    """What ``move`` wins, the cheapest piece answering; of several the one farther up the board."""
    if board.is_castling(move):
        return 0
    after = board.copy(stack=False)
    after.push(move)
    return immediate_gain(board, move) - won_on(after, move.to_square)


def won_on(board: chess.Board, square: chess.Square) -> int:
    """What the side to move wins on ``square``."""
    moves = list(board.generate_legal_captures(to_mask=chess.BB_SQUARES[square]))
    if not moves:
        return 0
    cost = {move: (value(board.piece_type_at(move.from_square)), -(move.promotion or 0)) for move in moves}
    return max(0, exchange(board, min(moves, key=lambda move: (cost[move], -move.from_square))))


def balance(board: chess.Board) -> int:
    """The pawns that the side to move is ahead."""
    return sum(
        worth * (len(board.pieces(kind, board.turn)) - len(board.pieces(kind, not board.turn)))
        for kind, worth in VALUES.items()
    )


def rest(board: chess.Board, alpha: int = WORST, beta: int = -WORST, plies: int = QUIESCENCE_PLIES) -> int:
    """The balance of the side to move if both make the captures that pay, the greatest victims first, unless a capture
    alone is too little."""
    best = standing = balance(board)
    check, moves = board.is_check(), list(board.legal_moves)
    if check and not moves:
        return MATED
    if not plies or (not check and standing >= beta):
        return standing
    if check:
        best = WORST
    else:
        moves = [move for move in moves if board.is_capture(move) or move.promotion == chess.QUEEN]
    moves.sort(key=lambda move: (value(board.piece_type_at(move.from_square)) - 10 * immediate_gain(board, move),
                                 -move.from_square, -move.to_square))  # fmt: skip
    for move in moves:
        alpha = max(alpha, best)
        if alpha >= beta:
            break
        if not check and standing + immediate_gain(board, move) <= alpha:
            continue
        board.push(move)
        best = max(best, -rest(board, -beta, -alpha, plies - 1))
        board.pop()
    return best


def test_exchange_values_equal_those_of_played_exchanges(boards: list[chess.Board]) -> None:
    seen = set()
    for board in boards:
        captures = Captures(board)
        for move in board.legal_moves:
            found = captures.exchange(move)
            assert found == exchange(board, move), (board.fen(), move)
            seen.add(found)
        for square in chess.SQUARES:
            assert captures.won_on(square) == won_on(board, square), (board.fen(), square)
    assert len(seen) > 15


def test_quiescence_line_reaches_the_balance_of_plain_search(boards: list[chess.Board]) -> None:
    lengths = set()
    for board in boards:
        if sum(map(board.is_capture, board.legal_moves)) > 12:
            continue  # the plain search takes too long
        moves, _ = Captures(board).quiescence()
        end = board.copy(stack=False)
        for move in moves:
            assert end.is_legal(move)
            assert end.is_check() or end.is_capture(move) or move.promotion
            end.push(move)
        final = MATED if end.is_checkmate() else balance(end)
        assert (final if end.turn == board.turn else -final) == rest(board), (board.fen(), moves)
        lengths.add(len(moves))
    assert len(lengths) > 4


@pytest.mark.parametrize("queens", range(3, 10))
def test_no_position_takes_more_than_its_nodes(queens: int) -> None:
    chance = random.Random(queens)
    most = 0
    for board in [chess.Board(QUEENS), *(with_queens(queens, chance) for _ in range(20))]:
        moves, nodes = Captures(board).quiescence()
        most = max(most, nodes)
        for move in moves:
            board.push(board.parse_uci(move.uci()))
    assert most <= QUIESCENCE_NODES + 50_000
    assert most > QUIESCENCE_NODES or queens < 9  # a search to the full depth would take longer
