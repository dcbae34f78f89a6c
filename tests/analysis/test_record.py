"""The record of a game: its boards, its scores, and its form in a file."""

import json
import tracemalloc
from itertools import cycle, islice

import chess
import chess.pgn
import pytest
from chess.engine import Cp, Limit, Mate, PovScore

from engine.analysis.annotate import Annotator
from engine.analysis.files import games_in, read_games
from engine.analysis.judge import ending
from engine.analysis.notes import annotated
from engine.analysis.record import GameAnalysis, SearchResult, positions
from engine.analysis.report import entry
from engine.explanation import explain
from tests.analysis.conftest import ByMaterial


def test_boards_reach_back_as_far_as_a_repetition_can():
    (game,) = games_in("1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 5. e4 e5 6. Nf3 Nc6 7. Nxe5 Nb8 *")
    record = GameAnalysis.of(game)
    for at, node in enumerate(positions(game)):
        board = record.board(at)
        assert board == node.board()
        assert len(board.move_stack) <= board.halfmove_clock + 1
        assert board.is_repetition(3) == node.board().is_repetition(3)


@pytest.mark.parametrize(("result", "score"), [("*", PovScore(Cp(0), chess.WHITE)), ("1-0", None)])
def test_a_claimable_draw_ends_the_game_unless_somebody_won(result, score):
    (game,) = games_in(f"1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 {result}")
    assert GameAnalysis.of(game).positions[-1].score == score


def test_moves_and_alternatives_share_the_fifty_move_rule():
    """Both 91...Kc5 and 91...Ke6 complete the hundredth ply, after which White could still take the pawn."""
    for move in ("Kc5", "Ke6"):
        (game,) = games_in(f'[FEN "8/8/3k4/8/8/3K4/7p/6Q1 w - - 98 91"]\n\n91. Qg2 {move} 92. Qxh2 *')
        record = GameAnalysis.of(game)
        for at, cp in enumerate((0, 0, 900, 900)):
            record.set_result(at, SearchResult(1, PovScore(Cp(cp), chess.WHITE), ()))
        assert record.score_after(1) == PovScore(Cp(0), chess.WHITE)
        assert record.change(1) == (Cp(0), Cp(0))


def test_a_mate_is_written_without_the_depth_to_which_its_search_ran():
    (game,) = games_in("1. f3 e5 2. g4 *")
    record = GameAnalysis.of(game)
    for at in range(3):
        record.set_result(at, SearchResult(7, PovScore(Cp(10), chess.WHITE), ()))
    record.set_result(3, SearchResult(239, PovScore(Mate(1), chess.BLACK), ()))
    comments = [node.comment for node in annotated(game, "Numbat", record.judged_moves()).mainline()]
    assert comments == ["[%eval 0.10,7] [%numbat]", "[%eval 0.10,7] [%numbat]", "[%eval #-1] [%numbat]"]


def test_draws_are_those_of_python_chess():
    (game,) = games_in(
        "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 5. Nf3 e5 6. Ng1 Nf6 7. Nf3 Ng8 8. Ng1 Nf6 9. Nf3 *"
    )
    drawn = [found.drawn for found in GameAnalysis.of(game).positions]
    assert drawn == [ending(node.board()) is not None for node in positions(game)]
    assert any(drawn)


def test_results_outlast_a_file(pgn):
    for game in read_games(pgn):
        found = Annotator(ByMaterial(), Limit(depth=6), explain=explain).annotate(game)
        again = GameAnalysis.of(game)
        again.load(json.loads(json.dumps(found.to_json())))
        assert again.judged_moves() == found.judged_moves()
        with pytest.raises(ValueError, match="zip"):
            GameAnalysis.of(game).load(found.to_json() | {"positions": []})


def shuffled(plies: int) -> chess.pgn.Game:
    """A game of that many plies without a capture or a pawn move."""
    game = chess.pgn.Game()
    game.add_line(chess.Move.from_uci(move) for move in islice(cycle(["g1f3", "g8f6", "f3g1", "f6g8"]), plies))
    return game


def test_memory_grows_with_the_plies_only():
    def peak(plies: int) -> int:
        game = shuffled(plies)
        tracemalloc.start()
        record = GameAnalysis.of(game)
        for found in record.positions:
            found.score = found.score or PovScore(Cp(0), chess.WHITE)
        moves = record.judged_moves()
        entry(annotated(game, "test", moves), moves)
        result = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return result

    assert peak(100) < 3 * peak(50)
