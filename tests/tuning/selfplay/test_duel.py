"""Games of two sides in compiled code: the engine's own moves, fair, and decided as a match decides them."""

from collections.abc import Iterator, Sequence
from typing import Any

import chess
import pytest
from chess.engine import Limit
from hypothesis import given
from hypothesis import strategies as st

from engine import Engine
from engine.board.notation import to_uci
from engine.jit import new_record
from engine.messages import OptionError
from engine.play import wdl
from tuning.matches.adjudication import Adjudication
from tuning.matches.openings import Opening, RandomOpenings
from tuning.selfplay import loop
from tuning.selfplay.duel import Duel, DuelGame, DuelRules

NODES = 300
NEVER = Adjudication(resign_moves=0, draw_moves=0)
RULES = DuelRules(nodes=NODES, hash=1)
BOOK = RandomOpenings(8, seed=3)
MATERIAL = {"EvalType": "Material"}
BLUNT = {**MATERIAL, "FutilityDepth": "0", "ReductionBase": "140"}


@pytest.fixture(scope="module")
def equal() -> Duel:
    return Duel(RULES, MATERIAL, MATERIAL)


def _boards(game: DuelGame, opening: Opening) -> Iterator[chess.Board]:
    """The positions of a game, the last one included; raises if a move is not legal."""
    board = opening.board()
    yield board
    for move in game.moves:
        board.push(board.parse_uci(to_uci(move, opening.chess960)))
        yield board


def test_a_game_depends_on_nothing_before_it(equal: Duel) -> None:
    """So equal sides play the same game with either colour."""
    games = [equal.play_pair(BOOK.opening(number)) for number in (0, 1, 0)]
    assert games[0] == games[2] != games[1]
    assert all(first == second for first, second in games)
    assert Duel(RULES, MATERIAL, MATERIAL).play_pair(BOOK.opening(1)) == games[1]


def test_sides_keep_their_parameters_to_themselves(equal: Duel) -> None:
    opening = BOOK.opening(6)
    plain = equal.play(opening, 0)
    both = Duel(RULES, BLUNT, BLUNT).play(opening, 0)
    mixed, swapped = Duel(RULES, BLUNT, MATERIAL), Duel(RULES, MATERIAL, BLUNT)
    for white in (0, 1):
        assert mixed.play(opening, white) == swapped.play(opening, 1 - white)
    assert len({game.moves for game in (plain, both, mixed.play(opening, 0), mixed.play(opening, 1))}) == 4
    # White's first move has nothing of Black's parameters.
    for white, alike in ((0, both), (1, plain)):
        game = mixed.play(opening, white)
        assert (game.moves[0], game.scores[0]) == (alike.moves[0], alike.scores[0])


def test_parameters_are_set_between_games(equal: Duel) -> None:
    opening = BOOK.opening(6)
    mixed = Duel(RULES, BLUNT, MATERIAL)
    try:
        equal.set_parameters(0, {"FutilityDepth": 0, "ReductionBase": 140})
        assert equal.play_pair(opening) == mixed.play_pair(opening)
        equal.set_parameters(0, {"TimeMoves": 18})  # what was set before is forgotten; it has no clock
        assert equal.play(opening, 0) == Duel(RULES, MATERIAL, MATERIAL).play(opening, 0)
        with pytest.raises(OptionError, match="FutilityDepth must be an integer"):
            equal.set_parameters(0, {"FutilityDepth": 100})
    finally:
        equal.set_parameters(0, {})


@pytest.mark.parametrize(
    ("first", "second"), [(MATERIAL, BLUNT), ({"EvalType": "Classical"}, {"AspirationWindow": "30"})], ids=str
)
def test_it_plays_the_moves_of_the_engine(first: dict[str, str], second: dict[str, str]) -> None:
    """A game in the arena is the game of two engines with the same limit, move by move."""
    opening = BOOK.opening(6)
    rules = DuelRules(nodes=700, hash=1, adjudication=Adjudication(resign_moves=0, draw_moves=0, max_moves=40))
    game = Duel(rules, first, second).play(opening, 0)
    assert len(game.moves) > 40
    with Engine(hash=1) as white, Engine(hash=1) as black:
        for engine, options in ((white, first), (black, second)):
            for name, value in options.items():
                engine.set_option(name, value if name == "EvalType" else int(value))
            engine.new_game()
        board = opening.board()
        for move in game.moves:
            engine = white if board.turn == chess.WHITE else black
            assert engine.play(board, Limit(nodes=700)) == board.parse_uci(to_uci(move, False))
            board.push_uci(to_uci(move, False))
    assert game.nodes == (700 * len(game.moves[::2]), 700 * len(game.moves[1::2]))


ENDINGS = (
    "8/8/4k3/8/8/3RK3/8/7r w - - 94 80",
    "4k3/8/8/8/8/8/1q6/3K4 w - - 0 1",
    "8/5k2/8/8/2R2K2/8/8/8 w - - 0 1",
    "8/8/4k3/8/8/3BK3/7p/8 w - - 0 1",
    "8/p1k5/Pp1p1p2/1PpPpPp1/2P1P1Pp/7P/2K5/8 w - - 60 80",  # closed for good
    "8/8/8/3k4/8/3K4/3R4/8 w - - 99 90",
    "8/5pk1/6p1/7p/7P/6P1/1r3PK1/R7 w - - 0 1",
    chess.STARTING_FEN,
    "7k/R7/8/8/8/8/8/KQ6 w - - 0 1",  # mate in one
)


def test_games_are_legal_and_end_by_the_rules_of_chess() -> None:
    players = Duel(DuelRules(nodes=100, hash=1, adjudication=NEVER), MATERIAL, MATERIAL)
    reasons = set()
    for fen in ENDINGS:
        opening = Opening(fen)
        game = players.play(opening, 0)
        reasons.add(game.reason)
        for number, board in enumerate(_boards(game, opening)):
            result = "1/2-1/2" if board.halfmove_clock >= 100 or board.is_repetition(3) else board.result()
            assert (result != "*") == (number == len(game.moves))
        assert result == ("0-1", "1/2-1/2", "1-0")[game.result]
    assert reasons >= {"checkmate", "fifty moves", "repetition"}


def test_the_number_of_moves_may_be_limited() -> None:
    opening = Opening(chess.STARTING_FEN, ("e2e4", "e7e5"))
    rules = DuelRules(nodes=50, hash=1, adjudication=Adjudication(resign_moves=0, draw_moves=0, max_moves=10))
    game = Duel(rules, MATERIAL, MATERIAL).play(opening, 0)
    assert (game.result, game.reason, len(game.moves)) == (1, "length", 18)  # eleven moves are not begun


def test_a_side_may_have_its_own_nodes() -> None:
    opening = BOOK.opening(6)
    slow = {**MATERIAL, "nodes": "400"}
    rules = DuelRules(nodes=2000, hash=1)
    mixed, swapped = Duel(rules, slow, MATERIAL), Duel(rules, MATERIAL, slow)
    for white in (0, 1):
        game = mixed.play(opening, white)
        assert game == swapped.play(opening, 1 - white)
        searches = [(len(game.moves) + 1) // 2, len(game.moves) // 2]
        for color, most in ((white, 400), (1 - white, 2000)):
            assert 0.5 * most < game.nodes[color] / searches[color] <= 1.1 * most
    with pytest.raises(OptionError, match="nodes 4000 are more than the 3500"):
        Duel(DuelRules(nodes=300, hard=3500, hash=1), MATERIAL, {**MATERIAL, "nodes": "4000"})


def test_chess960_games_are_legal() -> None:
    opening = Opening("nbbrkrqn/pppppppp/8/8/8/8/PPPPPPPP/NBBRKRQN w FDfd - 0 1", chess960=True)
    game = Duel(RULES, MATERIAL, MATERIAL).play(opening, 0)
    assert len(list(_boards(game, opening))) > 10


SCORES = st.lists(
    st.one_of(
        st.integers(-40, 40),
        st.integers(-1200, 1200),
        st.sampled_from((-600, -599, 599, 600, 20, 21, -20, -21, 30_990)),
    ),
    max_size=60,
)


RULES_OF_ENDS = st.builds(
    Adjudication,
    resign_moves=st.sampled_from((0, 1, 3)),
    resign_both=st.booleans(),
    draw_moves=st.sampled_from((0, 1, 8)),
)


def adjudicated(rules: Adjudication, scores: Sequence[int], board: chess.Board) -> str | None:
    """The result by the rules of the testing sites, from the movers' scores so far (centipawns) up to ``board``."""
    count, latest = rules.resign_moves, scores[::-1]
    last_mover, to_move = latest[::2], latest[1::2]
    for loser, winner, turn in ((last_mover, to_move, board.turn), (to_move, last_mover, not board.turn)):
        lost = 0 < count <= len(loser) and max(loser[:count]) <= -rules.resign_score
        won = count <= len(winner) and min(winner[:count], default=0) >= rules.resign_score
        if lost and (won or not rules.resign_both):
            return "1-0" if turn == chess.WHITE else "0-1"
    quiet = latest[: 2 * rules.draw_moves]
    if rules.draw_moves and board.fullmove_number > rules.draw_from and len(quiet) == 2 * rules.draw_moves:
        return "1/2-1/2" if max(map(abs, quiet)) <= rules.draw_score else None
    return None


@given(RULES_OF_ENDS, SCORES, st.booleans(), st.integers(25, 40))
def test_it_adjudicates_as_a_match_does(rules: Adjudication, scores: list[int], black_begins: bool, move: int) -> None:
    players = Duel(DuelRules(nodes=1, hash=1, adjudication=rules), MATERIAL, MATERIAL)
    game: Any = new_record(loop.GAME)
    game["rules"] = players.game["rules"]
    shown: list[int] = []
    board = chess.Board()
    board.turn, board.fullmove_number = not black_begins, move
    results = {0: "0-1", 1: "1/2-1/2", 2: "1-0", -1: None}
    for score in scores:
        shown.append(wdl.MODEL.normalize(score))
        side = 0 if board.turn == chess.WHITE else 1
        game["count"] += 1
        loop.note_score(game, side, score)
        board.push(chess.Move.null())
        found = results[int(loop.adjudicated(game, 1 - side, board.fullmove_number))]
        assert found == adjudicated(rules, shown, board)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"Nonsense": "1"}, "unknown parameter 'Nonsense'"),
        ({"FutilityDepth": "x"}, "FutilityDepth must be an integer, not 'x'"),
        ({"FutilityDepth": "100"}, "FutilityDepth must be an integer"),
        ({"EvalType": "Magic"}, "EvalType must be one of Material, Classical, NNUE, not 'Magic'"),
        ({"EvalType": "Material", "EvalFile": "x.nnue"}, "EvalFile x.nnue has no effect with EvalType Material"),
        ({"EvalFile": "no/such.nnue"}, "no/such.nnue"),
        ({"nodes": "0"}, "nodes must be an integer above 0, not '0'"),
        ({"nodes": "many"}, "nodes must be an integer above 0, not 'many'"),
    ],
)
def test_sides_that_cannot_play(options: dict[str, str], message: str) -> None:
    for sides in (({}, options), (options, {})):
        with pytest.raises(OptionError) as error:
            Duel(RULES, *sides)
        assert message in str(error.value)
