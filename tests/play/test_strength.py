"""Playing weaker on purpose: the mechanism. What the levels are worth is measured by ``python -m tuning.strength``."""

import random
from collections import Counter
from itertools import pairwise

import chess
import pytest

from engine.api import Engine
from engine.messages import Info, Limits, Result
from engine.options import find
from engine.play.captures import MATE_IN_ONE, visible_gain
from engine.play.strength import (
    BEGINNERS,
    FULL_SKILL,
    LEVELS,
    Level,
    choose,
    level_of_elo,
    level_of_skill,
    without_visible_blunders,
)

HANGING = "rnb1kbnr/pppp1ppp/8/4p1q1/3PP3/8/PPP2PPP/RNBQKBNR w KQkq - 0 3"
"""The bishop on c1 can take the queen on g5."""


@pytest.fixture
def numbat(shared: Engine) -> Engine:
    shared.new_game()
    return shared


def test_each_level_is_stronger_than_the_one_before():
    assert len(LEVELS) > FULL_SKILL == find("Skill Level").maximum
    for weaker, stronger in pairwise(LEVELS):
        assert weaker.nodes < stronger.nodes
        assert weaker.noise >= stronger.noise
        assert weaker.elo < stronger.elo
        assert weaker.alert <= stronger.alert
    for weaker, stronger in pairwise(BEGINNERS):
        assert weaker.noise > stronger.noise
        assert weaker.elo < stronger.elo <= LEVELS[0].elo
    assert BEGINNERS[0].elo == find("UCI_Elo").minimum


def test_skill_levels_end_with_full_strength():
    assert level_of_skill(0) is LEVELS[0]
    assert level_of_skill(FULL_SKILL - 1) is LEVELS[FULL_SKILL - 1]
    assert level_of_skill(FULL_SKILL) is None


def test_an_elo_may_be_wanted_up_to_the_last_level():
    most = find("UCI_Elo").maximum
    assert most == round(LEVELS[-1].elo)
    assert level_of_elo(most) == LEVELS[-1]
    assert all(level_of_elo(elo).alert == 1.0 for elo in range(1200, most))
    beyond = [level_of_elo(elo) for elo in range(round(LEVELS[FULL_SKILL - 1].elo) + 1, most)]
    assert all(LEVELS[FULL_SKILL - 1].nodes < level.nodes <= LEVELS[-1].nodes for level in beyond)


def test_a_beginner_becomes_stronger_up_to_the_first_level():
    found = [level_of_elo(elo) for elo in range(400, round(LEVELS[0].elo) + 1, 10)]
    assert all(level.depth == 1 and level.lines > LEVELS[0].lines for level in found)
    assert [level.noise for level in found] == sorted((level.noise for level in found), reverse=True)
    assert level_of_elo(round(LEVELS[0].elo) + 1).depth is None


def test_a_beginner_leaves_a_piece_hanging_now_and_then(numbat):
    """The pawn attacks the knight, which mostly moves away."""
    numbat.set_option("UCI_LimitStrength", True)
    numbat.set_option("UCI_Elo", 400)
    attacked = chess.Board("rnbqkbnr/pppp1ppp/8/4p3/3N4/8/PPPPPPPP/RNBQKB1R w KQkq - 0 3")
    gains = []
    for _ in range(60):
        move = attacked.parse_uci(think(numbat, attacked.fen(), Limits(movetime=10_000))[0].bestmove)
        gains.append(visible_gain(attacked, move))
    assert 0 < sum(gain <= -300 for gain in gains) < 45


def test_an_alert_player_rejects_visible_losses():
    assert without_visible_blunders([0, -300, -300, -300], [0, -300, 0, -100]) == [0, 2, 3]
    assert without_visible_blunders([0, -50], [0, -300]) == [0, 1]  # the piece hangs for a reason
    assert without_visible_blunders([900, 0, 850], [900, 0, 0]) == [0, 2]  # what can be taken is seen as well
    assert without_visible_blunders([500, 0], [-300, 0]) == [0, 1]  # not to see a sacrifice is human
    assert without_visible_blunders([-900, -1200], [-900, -900]) == [0, 1]  # it is lost whatever is played
    assert without_visible_blunders([35, 20, -200], [-MATE_IN_ONE, 0, -300]) == [
        1
    ]  # a mate in one that the search pruned
    assert without_visible_blunders([-9, -10], [-MATE_IN_ONE, -MATE_IN_ONE]) == [0, 1]


def test_levels_above_1200_prevent_mate_in_one(numbat):
    """A short search likes Qh2: the mate Qf1 looks like a lost queen, but the knight that takes is pinned."""
    fen = "4k3/1p2r3/p3p3/Pq3nP1/3r1Q2/2R5/1PPN4/R2K4 w - - 1 39"
    numbat.set_option("UCI_LimitStrength", True)
    numbat.set_option("UCI_Elo", 1500)
    board = chess.Board(fen)
    for _ in range(10):
        numbat.new_game()
        move = board.parse_uci(think(numbat, fen, Limits(movetime=10_000))[0].bestmove)
        assert visible_gain(board, move) > -MATE_IN_ONE, board.san(move)


@pytest.mark.parametrize(
    ("fen", "moves"),
    [
        (HANGING, {"Bxg5": 900, "dxe5": 0, "Qg4": -900, "Na3": 0}),
        ("4k3/8/8/8/8/2p5/3P4/4K3 w - - 0 1", {"dxc3": 100, "d3": 0, "Kd1": 0, "Kf1": -100}),
        ("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", {"Ra8": MATE_IN_ONE, "Ra7": 0}),
        ("4r1k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", {"Rd7": -MATE_IN_ONE, "h3": 0, "Rd8": -500}),
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", {"a8=Q": 800, "Kd2": 0}),
        ("4k3/8/8/8/8/8/p7/4K3 w - - 0 1", {"Kf2": -800, "Kd2": -800}),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2", {"exd6": 100}),
        ("4k3/2p5/3p4/4r3/8/5N2/8/4K3 w - - 0 1", {"Nxe5": 200}),
    ],
)
def test_visible_gains(fen, moves):
    board = chess.Board(fen)
    for san, worth in moves.items():
        assert visible_gain(board, board.parse_san(san)) == worth, san
    assert board.fen() == chess.Board(fen).fen()


@pytest.mark.parametrize("elo", [1200, 1500])
def test_levels_above_1200_see_a_hanging_queen(numbat, elo):
    numbat.set_option("UCI_LimitStrength", True)
    numbat.set_option("UCI_Elo", elo)
    attacked = chess.Board("r1bqk2r/pppp1ppp/2n2n2/2b5/3QP3/5N2/PPP2PPP/RNB1KB1R w KQkq - 0 6")
    for _ in range(20):
        numbat.new_game()
        assert think(numbat, HANGING, Limits(movetime=10_000))[0].bestmove == "c1g5"
        move = attacked.parse_uci(think(numbat, attacked.fen(), Limits(movetime=10_000))[0].bestmove)
        assert visible_gain(attacked, move) > -500, attacked.san(move)


def test_an_elo_lies_between_the_levels_around_it():
    levels = (Level(100, 50, 1000), Level(400, 10, 1200), Level(1600, 0, 1400))
    assert level_of_elo(800, levels) is levels[0]
    assert level_of_elo(1100, levels) == Level(200, 30, 1100)
    assert level_of_elo(1400, levels) == levels[2]
    assert level_of_elo(1401, levels) is None


def test_the_less_a_level_misjudges_the_fewer_lines_it_looks_at():
    assert Level(100, 0, 1000).lines == 1  # without misjudgement only the best line can be played
    assert [Level(100, noise, 1000).lines for noise in (1, 11, 12, 30, 48, 240)] == [2, 2, 3, 4, 6, 6]


def test_choices_follow_the_scores():
    source = random.Random(1)
    counts = Counter(choose([50, 40, -400], 30, source) for _ in range(2000))
    assert counts[0] > counts[1] > 500  # near equals are near equal
    assert counts[2] < 5
    assert {choose([50, 49], 0, source) for _ in range(20)} == {0}
    # The odds are exponential in the difference: e ** (30 / 30) for 30 centipawns.
    counts = Counter(choose([30, 0], 30, source) for _ in range(20_000))
    assert counts[0] / counts[1] == pytest.approx(2.718, rel=0.1)


def think(numbat: Engine, fen: str, limits: Limits) -> tuple[Result, list[Info]]:
    infos: list[Info] = []
    numbat.set_position(fen)
    return numbat.go(limits, infos.append), infos


@pytest.mark.parametrize("skill", [0, 10, 19])
def test_a_level_keeps_to_its_nodes(numbat, skill):
    numbat.set_option("Skill Level", skill)
    result, infos = think(numbat, chess.STARTING_FEN, Limits(wtime=600_000, btime=600_000))
    assert infos[-1].nodes <= LEVELS[skill].nodes
    assert [info for info in infos if info.pv][-1].pv[0] == result.bestmove  # on a busy machine others come between


def test_weak_play_varies_and_strong_play_does_not(numbat):
    def moves(skill: int) -> set[str]:
        numbat.set_option("Skill Level", skill)
        found = set()
        for _ in range(12):
            numbat.new_game()
            found.add(think(numbat, chess.STARTING_FEN, Limits(depth=4))[0].bestmove)
        return found

    assert len(moves(0)) > 2
    assert len(moves(20)) == 1


def test_weak_errors_are_plausible(numbat):
    """Even the weakest level takes a queen that hangs, nearly always."""
    numbat.set_option("Skill Level", 0)
    taken = sum(think(numbat, HANGING, Limits(movetime=1000))[0].bestmove == "c1g5" for _ in range(40))
    assert taken >= 30


def test_the_limit_counts_only_where_it_is_wanted(numbat):
    few = level_of_elo(1000).nodes
    numbat.set_option("UCI_Elo", 1000)
    more = Limits(nodes=4 * few)  # what is reported is the last iteration that was finished
    assert think(numbat, chess.STARTING_FEN, more)[1][-1].nodes > few
    numbat.set_option("UCI_LimitStrength", True)
    assert think(numbat, chess.STARTING_FEN, more)[1][-1].nodes <= few
    assert numbat.search(chess.Board(), more).nodes > few  # analysis is at full strength
    numbat.set_option("UCI_AnalyseMode", True)
    assert think(numbat, chess.STARTING_FEN, more)[1][-1].nodes > few
