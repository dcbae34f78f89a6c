"""Clocks that run on nodes: shared out as the engine does it, never exceeded, and asked for in plain words."""

import chess
import pytest
from chess.engine import Limit

from engine import Engine
from engine.board.notation import to_uci
from engine.messages import OptionError
from tuning.matches.adjudication import Adjudication
from tuning.matches.openings import Opening, RandomOpenings
from tuning.selfplay.duel import Duel, DuelRules
from tuning.selfplay.sides import parse_clock

MATERIAL = {"EvalType": "Material"}
BOOK = RandomOpenings(8, seed=3)
SHORT = Adjudication(resign_moves=0, draw_moves=0, max_moves=35)


def test_it_plays_the_moves_of_an_engine_whose_time_is_nodes() -> None:
    """The same moves as those of two engines with the option nodestime."""
    opening = BOOK.opening(3)
    second = {"TimeMoves": "17", "TimeEffort": "200"}
    rules = DuelRules(clock=(20_000, 200), hash=1, adjudication=SHORT)
    game = Duel(rules, MATERIAL, {**MATERIAL, **second}).play(opening, 0)
    assert len(game.moves) > 40
    spent = [0, 0]
    with Engine(hash=1) as white, Engine(hash=1) as black:
        for engine in (white, black):
            engine.set_option("EvalType", "Material")
            engine.set_option("nodestime", 1)
            engine.new_game()
        for name, value in second.items():
            black.set_option(name, int(value))
        board = opening.board()
        clock = Limit(white_clock=20, black_clock=20, white_inc=0.2, black_inc=0.2)
        for move in game.moves:
            engine = white if board.turn == chess.WHITE else black
            result = engine.analyse(board, clock)
            assert result.move == board.parse_uci(to_uci(move, False))
            spent[board.turn == chess.BLACK] += result.nodes
            board.push_uci(to_uci(move, False))
    for color in (0, 1):  # an engine tells the nodes of the last iteration that it finished
        assert 0.7 * game.nodes[color] < spent[color] <= game.nodes[color]


@pytest.mark.parametrize("clock", [(40_000, 0), (20_000, 300)])
def test_a_clock_never_runs_out(clock: tuple[int, int]) -> None:
    base, increment = clock
    players = Duel(DuelRules(clock=clock, hash=1, adjudication=SHORT), MATERIAL, MATERIAL)
    for number in range(3):
        game = players.play(BOOK.opening(number), 0)
        for color in (0, 1):
            moves = len(game.moves[color::2])
            assert game.nodes[color] <= base + (increment + 1) * moves


def test_a_side_may_have_its_own_clock() -> None:
    opening = Opening(chess.STARTING_FEN, ("e2e4", "e7e5"))
    rules = DuelRules(clock=(4_000, 40), hash=1, adjudication=SHORT)
    rich = {**MATERIAL, "clock": "40000+400"}
    game = Duel(rules, rich, MATERIAL).play(opening, 0)
    assert game == Duel(rules, MATERIAL, rich).play(opening, 1)
    assert 6 < game.nodes[0] / game.nodes[1] < 15
    with pytest.raises(OptionError, match="one side has a clock and the other has none"):
        Duel(DuelRules(hash=1), rich, MATERIAL)


def test_a_clock_is_asked_for_as_base_and_increment() -> None:
    assert parse_clock("300000+3000") == (300_000, 3_000)
    assert parse_clock("300000") == (300_000, 0)
    for wrong in ("", "fast", "300+", "+300", "0+5", "300+-1", "300+1+1"):
        with pytest.raises(OptionError, match="clock must be"):
            parse_clock(wrong)
