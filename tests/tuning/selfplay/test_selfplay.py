"""Games of the engine against itself: legal, ended for the reason they give, and the same ones again."""

import struct
from collections import Counter
from dataclasses import replace

import chess
import pytest

from engine.board.fen import set_fen
from engine.board.notation import list_moves
from engine.board.setup import new_position
from engine.search.deepening import UNLIMITED
from engine.search.scores import MATE_BOUND
from tests.tuning import games
from tuning.selfplay import games as selfplay
from tuning.selfplay.compiled_search import choose_move
from tuning.selfplay.games import SelfPlay, SelfPlayGame, SelfPlayRules, random_state
from tuning.selfplay.loop import ENDS, WINNING_CENTIPAWNS
from tuning.selfplay.sides import Side

RULES = SelfPlayRules(nodes=100, opening_nodes=100, draw_from=30, hash=1)

GAMES = 24


def _replay(data: bytes) -> tuple[list[chess.Board], list[chess.Move], list[int]]:
    """All positions of one game (one more than moves), the moves and the scores."""
    board = games.unpack_board(data[:32])[0]
    assert board.is_valid()
    boards, moves, scores = [board.copy()], [], []
    words = struct.iter_unpack("<Hh", data[32:-4])
    for written, score in words:
        (move,) = (move for move in board.legal_moves if games.pack_move(board, move) == written)
        board.push(move)
        boards.append(board.copy())
        moves.append(move)
        scores.append(score)
    assert data[-4:] == bytes(4)
    return boards, moves, scores


@pytest.fixture(scope="module")
def player() -> SelfPlay:
    return SelfPlay(RULES)


@pytest.fixture(scope="module")
def played(player: SelfPlay) -> list[SelfPlayGame]:
    """Some games, and some that reach rarer ends: they begin in endings and are never adjudicated."""
    some = [player.play(random_state(1, 0, number)) for number in range(GAMES)]
    patient = SelfPlay(
        replace(RULES, opening_plies=0, opening_score=32_000, win_score=31_000, draw_plies=1000, end_pieces=0)
    )
    endings = ("8/8/4k3/8/8/3RK3/8/7r w - - 98 80", "8/5k2/8/8/2R2K2/8/8/8 w - - 0 1", "4k3/8/8/8/8/8/1q6/K7 w - - 0 1")
    for number, fen in enumerate(endings):
        some.append(patient.play(random_state(1, 1, number), fen))
    assert None not in some
    return [game for game in some if game is not None]


def _end_by_rule(board: chess.Board) -> str | None:
    if board.is_checkmate():
        return "checkmate"
    if board.is_stalemate():
        return "stalemate"
    if board.halfmove_clock >= 100:
        return "fifty moves"
    if board.is_insufficient_material():
        return "material"
    return "repetition" if board.is_repetition(3) else None


def test_games_are_legal_and_end_as_recorded(played: list[SelfPlayGame]) -> None:
    seen = set()
    for game in played:
        boards, moves, scores = _replay(game.data)
        result, end = game.data[30], ENDS[game.end]
        assert (result, len(moves)) == (game.result, game.plies)
        seen.add(end)
        assert not any(_end_by_rule(board) for board in boards[:-1])
        winner = 1 if scores[-1] == 0 else 2 * (scores[-1] > 0)
        streak = [score for score in scores[-RULES.win_plies :]]
        drawn = scores[-RULES.draw_plies :]
        match end:
            case "mate found":
                assert abs(scores[-1]) > MATE_BOUND
                assert result == winner
            case "win by adjudication":
                assert min(map(abs, streak)) >= RULES.win_score
                assert len({score > 0 for score in streak}) == 1
                assert result == winner
            case "draw by adjudication":
                assert max(map(abs, drawn)) <= RULES.draw_score
                assert len(scores) >= RULES.draw_from + RULES.draw_plies
                assert result == 1
            case "length":
                assert (len(scores), result) == (RULES.max_plies, 1)
            case "few pieces":
                assert chess.popcount(boards[-2].occupied) <= RULES.end_pieces
                assert result == (winner if abs(scores[-1]) >= WINNING_CENTIPAWNS else 1)
            case _:
                assert _end_by_rule(boards[-1]) == end
                assert result == (1 if end != "checkmate" else 2 * (not boards[-1].turn))
        if end != "mate found":
            assert all(abs(score) <= MATE_BOUND for score in scores)
        if game in played[:GAMES]:
            assert all(chess.popcount(board.occupied) > RULES.end_pieces for board in boards[:-2])
    assert seen >= {"mate found", "win by adjudication", "repetition", "fifty moves", "material", "few pieces"}


def test_openings_are_random_and_balanced(played: list[SelfPlayGame]) -> None:
    starts = [games.unpack_board(game.data[:32])[0] for game in played[:GAMES]]
    assert {board.ply() for board in starts} == {8, 9}
    assert len({board.fen() for board in starts}) == GAMES
    assert sum(game.rejected for game in played[:GAMES]) > 0


def test_half_of_the_openings_draw_the_kind_of_piece_first() -> None:
    """The king has 1 move here, two pawns have 2 and the queen has 20; kinds weigh 15, 35 and 15."""
    player = SelfPlay(replace(RULES, opening_plies=1, opening_score=32_000, end_pieces=32))
    count, moved = 500, Counter[str]()
    for number in range(count):
        game = player.play(random_state(2, 0, number), "4k3/8/8/8/8/p7/P6P/K2Q4 w - - 0 1")
        start = games.unpack_board(game.data[:32])[0]
        moved[
            "king" if start.piece_at(chess.A1) is None else "queen" if start.piece_at(chess.D1) is None else "pawn"
        ] += 1
    for kind, evenly, by_kind in (("king", 1 / 23, 15 / 65), ("pawn", 2 / 23, 35 / 65), ("queen", 20 / 23, 15 / 65)):
        assert moved[kind] / count == pytest.approx((evenly + by_kind) / 2, abs=0.06)


def test_the_same_state_gives_the_same_game(player: SelfPlay, played: list[SelfPlayGame]) -> None:
    for number in (7, 3):
        assert player.play(random_state(1, 0, number)) == played[number]
    assert SelfPlay(RULES).play(random_state(1, 0, 5)) == played[5]
    states = {random_state(seed, shard, number) for seed in range(5) for shard in range(12) for number in range(12)}
    assert len(states) == 5 * 12 * 12


def test_without_a_balanced_opening_there_is_no_game() -> None:
    lost = SelfPlay(replace(RULES, opening_plies=1))
    assert lost.play(1, "4k3/8/8/8/8/8/8/QQQ1K3 w - - 0 1") is None
    over = SelfPlay(replace(RULES, opening_plies=0, opening_score=32_000))
    for fen in (
        "7k/5Q2/8/8/8/8/8/K7 b - - 0 1",
        "8/8/4k3/8/8/3NK3/8/8 w - - 0 1",
        "8/8/4k3/8/8/3RK3/8/7r w - - 100 80",
    ):
        assert over.play(1 << 63, fen) is None


def test_some_games_are_won_by_checkmate_alone(played: list[SelfPlayGame]) -> None:
    """Up to where the others are given for won they are the same games."""
    every, some = (SelfPlay(replace(RULES, play_out=share)) for share in (100, 50))
    mated = shorter = 0
    for number, short in enumerate(played[:20]):
        state = random_state(1, 0, number)
        whole = every.play(state)
        assert ENDS[whole.end] not in ("mate found", "win by adjudication", "few pieces")
        given = ENDS[short.end] in ("mate found", "win by adjudication", "few pieces")
        assert whole.data[32 : 28 + 4 * short.plies] == short.data[32 : 28 + 4 * short.plies]
        assert whole.plies >= short.plies if given else whole == short
        mated += ENDS[whole.end] == "checkmate" and given
        shorter += some.play(state) == short
    assert mated > 5
    assert 0 < shorter < 20


def test_a_game_of_the_greatest_length_is_drawn() -> None:
    game = SelfPlay(replace(RULES, max_plies=10)).play(random_state(1, 0, 0))
    assert (game.plies, game.result, ENDS[game.end]) == (10, 1, "length")


def test_the_hard_limit_is_kept() -> None:
    position, side = new_position(), Side({"EvalType": "Material"}, 1)
    set_fen(position, games.STARTS[1])
    worker, deepen_once = side.worker, 0
    for hard in (1, 10, 3_000):
        side.prepare(position)
        move, score = choose_move(worker.record, UNLIMITED, hard, selfplay.MAX_DEPTH, 0)
        assert move in list_moves(position)
        assert abs(score) < 500
        if hard < 100:  # the first iteration is finished whatever the limit is
            deepen_once = deepen_once or worker.nodes
            assert worker.nodes == deepen_once > hard
        else:
            assert worker.nodes == hard


def test_an_option_changes_the_games(played: list[SelfPlayGame]) -> None:
    game = SelfPlay(RULES, {"AspirationWindow": "5", "FutilityBase": "20"}).play(random_state(1, 0, 0))
    assert game.nodes != played[0].nodes
    assert SelfPlay(RULES).play(random_state(1, 0, 0)) == played[0]  # and only those of the side that has it
