"""Endgame tablebases at the root and inside the search: never a result given away, and no file that stops play."""

import os
import random
import shutil
from dataclasses import replace
from functools import partial
from pathlib import Path

import chess
import chess.syzygy
import pytest
from chess.engine import Cp, Limit

from engine.api import Engine
from engine.messages import Info, Limits
from engine.play.reporter import SHOWN_TABLE_WIN
from engine.play.tablebase import BLESSED_LOSS, CURSED_WIN, DRAW, LOSS, WIN, Tablebase
from tests.play.endings import (
    BoardProbe,
    check_step,
    distance,
    materials,
    probe_of,
    random_board,
    won_board,
    won_boards,
)
from tests.run_python import REPOSITORY, run_python

#: A win by the rule of 75 moves, not by that of 50: White mates, but needs too long for the clock.
NEARLY_DRAWN = "7k/8/8/8/8/8/1R6/K7 w - - {clock} 80"


@pytest.fixture(scope="module")
def tables(tables_folder: Path) -> Tablebase:
    result = Tablebase()
    result.open(str(tables_folder))
    return result


@pytest.fixture
def numbat(shared: Engine, tables_folder: Path) -> Engine:
    shared.new_game()
    shared.set_option("SyzygyPath", str(tables_folder))
    return shared


def test_outcome_and_progress_agree_with_the_tables(tables_folder, oracle, tables):
    source = random.Random(1)
    outcomes = set()
    for material in materials(tables_folder):
        for _ in range(4):
            board = random_board(material, source)
            probe = probe_of(tables, board)
            assert probe.outcome == oracle.probe_wdl(board), board.fen()
            assert len(probe.ranked) == board.legal_moves.count()
            assert set(probe.progress) <= set(probe.keeping) <= set(board.legal_moves)
            for move in board.legal_moves:
                board.push(move)
                after = -oracle.probe_wdl(board)
                board.pop()
                assert (move in probe.keeping) == (after == probe.outcome), (board.fen(), move)
            outcomes.add(probe.outcome)
            if probe.outcome == WIN:
                plies = oracle.probe_dtz(board)
                for move in probe.progress:
                    left = -distance(oracle, board, move)
                    assert board.is_zeroing(move) or 0 <= left <= plies  # distances are rounded
    assert outcomes >= {WIN, DRAW, LOSS}


def win_against_best_defence(numbat: Engine, oracle: chess.syzygy.Tablebase, board: chess.Board, nodes: int) -> None:
    """Play ``board``, won for the side to move, to mate; the other side holds out as long as the tables can."""
    winner = board.turn
    while not board.is_game_over() and board.halfmove_clock < 100 and not board.is_repetition(3):
        if board.turn == winner:
            move = numbat.play(board, Limit(nodes=nodes))
            assert move is not None
        else:
            move = max(board.legal_moves, key=lambda move: distance(oracle, board, move))
        board.push(move)
    assert board.is_checkmate(), board.fen()
    assert board.turn != winner


@pytest.mark.parametrize(("step", "count", "least"), [(4, 1, 5), pytest.param(1, 20, 500, marks=pytest.mark.slow)])
def test_won_positions_are_won(numbat, tables_folder, oracle, step, count, least):
    boards = list(won_boards(oracle, materials(tables_folder)[::step], count, random.Random(2)))
    for board in boards:
        win_against_best_defence(numbat, oracle, board, nodes=64)
    assert len(boards) >= least


def proven(probe: BoardProbe, oracle: chess.syzygy.Tablebase, names: list[str], count: int, seed: int) -> int:
    """How many won positions were put to the step of the proof that every won position is won."""
    source = random.Random(seed)
    boards = list(won_boards(oracle, names, count, source))
    for board in boards:
        check_step(probe, oracle, board, source)
    return len(boards)


@pytest.mark.parametrize(("count", "least"), [(1, 25), pytest.param(60, 1500, marks=pytest.mark.slow)])
def test_no_advised_move_lets_a_win_slip(tables_folder, oracle, tables, count, least):
    assert proven(partial(probe_of, tables), oracle, materials(tables_folder), count, seed=7) >= least


@pytest.mark.parametrize("advice", ["first", "latest"])
def test_the_proof_notices_advice_that_lets_wins_slip(oracle, tables, advice):
    def careless(board):
        probe = probe_of(tables, board)
        moves = list(board.legal_moves) if advice == "first" else list(probe.keeping)
        worst = moves[0] if advice == "first" else max(moves, key=lambda move: -distance(oracle, board, move))
        return replace(probe, progress=(worst,))

    with pytest.raises(AssertionError, match=r"[Kk]"):
        proven(careless, oracle, ["KRvKN", "KBNvK"], count=20, seed=9)


@pytest.mark.parametrize("material", ["KBNvK", pytest.param("KQvKR", marks=pytest.mark.slow), "KBBvK"])
def test_a_win_just_within_the_fifty_moves_is_won(numbat, oracle, material):
    source = random.Random(4)
    boards = [won_board(oracle, material, source) for _ in range(10)]
    board = max((board for board in boards if board is not None), key=oracle.probe_dtz)
    board.halfmove_clock = 99 - oracle.probe_dtz(board)
    win_against_best_defence(numbat, oracle, board, nodes=64)


def test_the_clock_makes_a_win_cursed_and_a_loss_blessed(tables):
    board = chess.Board(NEARLY_DRAWN.format(clock=0))
    assert probe_of(tables, board).outcome == WIN
    late = chess.Board(NEARLY_DRAWN.format(clock=90))
    probe = probe_of(tables, late)
    assert probe.outcome == CURSED_WIN
    assert probe_of(tables, late, fifty=False).outcome == WIN
    late.push(probe.progress[0])
    assert probe_of(tables, late).outcome == BLESSED_LOSS
    assert probe_of(tables, late, fifty=False).outcome == LOSS


def test_third_repetition_is_not_advised(tables):
    board = chess.Board(NEARLY_DRAWN.format(clock=0))
    (first, *_) = probe_of(tables, board).progress
    for _ in range(2):
        board.push(first)
        board.push_san("Kh7")
        board.push(chess.Move(first.to_square, first.from_square))
        board.push_san("Kh8")
    probe = probe_of(tables, board)
    assert probe.outcome == WIN
    assert first not in probe.keeping


def test_fifty_move_rule_is_an_option(numbat):
    board = chess.Board(NEARLY_DRAWN.format(clock=90))
    assert numbat.search(board, Limits(depth=2)).score.cp == CURSED_WIN
    numbat.set_option("Syzygy50MoveRule", False)
    score = numbat.search(board, Limits(depth=2)).score
    assert score.mate or score.cp == SHOWN_TABLE_WIN


def test_a_table_win_is_reported_as_one_and_probes_are_counted(numbat, oracle):
    board = won_board(oracle, "KBNvK", random.Random(5))
    infos: list[Info] = []
    last = numbat.search(board, Limits(depth=3), infos.append)
    assert last.score.mate or last.score.cp == SHOWN_TABLE_WIN
    assert last.tbhits == board.legal_moves.count()
    drawn = chess.Board("8/8/8/8/3k4/8/3P4/3K4 b - - 0 1")
    assert oracle.probe_wdl(drawn) == DRAW
    assert numbat.search(drawn, Limits(depth=3)).score.cp == 0


def test_each_depth_is_reported_once_and_bounds_not_at_all(numbat):
    for fen in ("8/5k2/8/8/2P5/8/3K4/8 w - - 0 1", "8/8/8/3k4/8/8/1R6/K7 w - - 0 1"):
        infos: list[Info] = []
        numbat.search(chess.Board(fen), Limits(depth=16), infos.append)
        assert not any(info.score.bound for info in infos)
        depths = [info.depth for info in infos if not info.final]
        assert depths == sorted(set(depths))


def test_a_queen_is_preferred_to_a_knight_that_wins_as_well(numbat):
    """Among moves of equal result the value of the search decides."""
    numbat.set_position("8/1P6/2B5/8/4K3/8/6k1/8 w - - 0 1")
    assert {numbat.go(Limits(depth=depth)).bestmove for depth in (1, 3, 6)} == {"b7b8q"}


def test_moves_asked_for_are_searched_even_if_they_lose(numbat):
    board = chess.Board("8/8/8/8/8/2k5/8/KQ6 w - - 0 1")
    numbat.set_board(board)
    assert numbat.go(Limits(depth=3, searchmoves=("b1c2",))).bestmove == "b1c2"  # gives the queen away


def test_analysis_considers_all_winning_moves(numbat, tables):
    board = chess.Board("8/8/8/4k3/8/8/1P6/KQ6 w - - 0 1")
    probe = probe_of(tables, board)
    assert len(probe.progress) < len(probe.keeping)
    lines = numbat.analyse(board, Limit(depth=1), multipv=256)
    assert {line.move for line in lines if len(line.pv) > 1 or line.score.relative.is_mate()} <= set(probe.keeping)
    assert {line.move for line in lines[: len(probe.keeping)]} == set(probe.keeping)


@pytest.mark.parametrize("fen", ["8/5k2/8/8/2P5/8/3K4/8 w - - 0 1", "8/8/8/8/8/2k5/1R6/K7 b - - 0 1"])
@pytest.mark.parametrize("limit", [Limit(depth=1), Limit(depth=6)])
def test_multipv_shows_all_moves_with_their_tablebase_result(numbat, oracle, fen, limit):
    board = chess.Board(fen)
    count = board.legal_moves.count()
    lines = numbat.analyse(board, limit, multipv=count)
    assert [line.multipv for line in lines] == list(range(1, count + 1))
    assert {line.move for line in lines} == set(board.legal_moves)
    results = []
    for line in lines:
        board.push(line.move)
        results.append(-oracle.probe_wdl(board))
        board.pop()
        if not line.score.relative.is_mate():
            assert line.score.relative == Cp({2: SHOWN_TABLE_WIN, -2: -SHOWN_TABLE_WIN}.get(results[-1], results[-1]))
    assert results == sorted(results, reverse=True)
    assert len(numbat.analyse(board, limit, multipv=count - 2)) == count - 2


def test_the_root_is_probed_however_short_the_clock_is(numbat, tables):
    board = chess.Board("8/8/8/4k3/8/8/8/KBN5 w - - 10 60")
    numbat.set_board(board)
    result = numbat.go(Limits(wtime=1, btime=1))
    assert result.info.tbhits == board.legal_moves.count()
    assert chess.Move.from_uci(result.bestmove) in probe_of(tables, board).progress


def test_castling_rights_are_beyond_the_tables(tables):
    assert probe_of(tables, chess.Board("4k3/8/8/8/8/8/8/4K2R w K - 0 1")) is None
    assert probe_of(tables, chess.Board("4k3/8/8/8/8/8/8/4K2R w - - 0 1")) is not None


# Inside the search


#: Five pieces: White wins by force into a won ending with four, which no shallow search without tables knows.
FIVE_MEN = "8/8/8/3k4/3r4/3R4/3PK3/8 w - - 0 1"


def test_search_sees_tables_behind_captures(numbat):
    for threads, depth in ((1, 10), (3, 14)):
        numbat.configure(threads=threads)
        numbat.new_game()
        last = numbat.search(chess.Board(FIVE_MEN), Limits(depth=depth))
        assert last.score.cp == SHOWN_TABLE_WIN
        assert last.tbhits > 0
    numbat.set_option("SyzygyPath", "")
    numbat.new_game()
    last = numbat.search(chess.Board(FIVE_MEN), Limits(depth=10))
    assert last.score.cp < 1000
    assert last.tbhits == 0


@pytest.mark.parametrize(("name", "value"), [("SyzygyProbeLimit", 3), ("SyzygyProbeDepth", 9)])
def test_probe_limit_and_depth_restrict_probing(numbat, name, value):
    board = chess.Board("8/8/8/8/3k4/8/3P4/3K1B2 b - - 0 1")
    assert numbat.search(board, Limits(depth=3)).tbhits > 0
    numbat.set_option(name, value)
    numbat.new_game()
    assert numbat.search(board, Limits(depth=3)).tbhits == 0


def test_search_seeks_the_mate_of_a_table_win(numbat):
    board = chess.Board("8/8/8/8/8/2k5/8/KQ6 w - - 0 1")
    last = numbat.search(board, Limits(depth=20))
    assert last.score.mate
    assert last.tbhits == board.legal_moves.count()


def test_five_men_are_won_by_way_of_the_tables(numbat):
    """Before the first capture the root has no table, so it is the search that leads to one; then the root takes over,
    with what the search has left in the transposition table."""
    board = chess.Board(FIVE_MEN)
    while not board.is_game_over(claim_draw=True):
        board.push(numbat.play(board, Limit(nodes=10_000)))
    assert board.outcome().winner == chess.WHITE, board.fen()


def test_a_mate_by_a_capture_is_a_mate(numbat):
    """Though it leads into the tables, where it is a loss like any other."""
    board = chess.Board("k7/1n5Q/1K6/8/8/8/7P/8 w - - 0 1")
    last = numbat.search(board, Limits(depth=6))
    assert (last.score.mate, last.pv[0]) == (1, "h7b7")


def test_the_prober_is_prepared_for_a_directory_only(tables_folder):
    """By the warm-up, which reports that it compiles and shares the work with other starts."""
    code = (
        "from engine import Engine\nfrom engine.jit import decorators, warmup\n"
        "layers = lambda *ignored, **others: print('syzygy' in {kernel.layer for kernel in decorators.KERNELS})\n"
        "with Engine(hash=1) as engine:\n    engine.bench(2)\n    layers()\n    warmup.warm_up = layers\n"
        f"    engine.configure(syzygy_path={str(tables_folder)!r})"
    )
    assert run_python("-c", code, cwd=REPOSITORY).stdout == "False\nTrue\n"


# Files that are not there, or not in order


def opened(path: str) -> tuple[Tablebase, list[str]]:
    """The tables of a path, and what was remarked on opening it."""
    remarks: list[str] = []
    tables = Tablebase(remarks.append)
    tables.open(path)
    return tables, remarks


def copied(tables_folder: Path, target: Path, *names: str) -> Path:
    for name in names:
        shutil.copy(tables_folder / name, target)
    return target


def test_tables_in_several_directories_are_found(tables_folder, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    copied(tables_folder, tmp_path, "KQvK.rtbw", "KQvK.rtbz")
    copied(tables_folder, other, "KQvK.rtbw", "KRvK.rtbw", "KRvK.rtbz", "KPvKP.rtbw")
    tables, remarks = opened(f"{tmp_path}{os.pathsep}{other}")
    assert len(remarks) == 1
    assert "found 3 WDL and 2 DTZ Syzygy tables with up to 4 pieces" in remarks[0]
    assert probe_of(tables, chess.Board("8/8/8/8/8/2k5/8/KQ6 w - - 0 1")).outcome == WIN
    assert probe_of(tables, chess.Board("8/8/8/8/8/2k5/8/KR6 w - - 0 1")).outcome == WIN
    assert probe_of(tables, chess.Board("8/8/8/8/8/2k5/8/KB6 w - - 0 1")) is None
    for _ in range(2):
        assert probe_of(tables, chess.Board("8/8/4p3/3P4/8/2k5/8/K7 w - - 0 1")) is None
    assert ["KPvKP" in remark for remark in remarks] == [False, True]


@pytest.mark.parametrize(
    "damage", [b"", b"no table at all", b"\x71\xe8\x23\x5d" + bytes(12)], ids=["empty", "text", "head"]
)
def test_a_damaged_file_is_named_and_left_out(tables_folder, tmp_path, damage):
    copied(tables_folder, tmp_path, "KQvK.rtbw", "KQvK.rtbz", "KRvK.rtbw", "KRvK.rtbz")
    (tmp_path / "KQvK.rtbw").write_bytes(damage)
    tables, remarks = opened(str(tmp_path))
    assert probe_of(tables, chess.Board("8/8/8/8/8/2k5/8/KQ6 w - - 0 1")) is None
    assert probe_of(tables, chess.Board("8/8/8/8/8/2k5/8/KR6 w - - 0 1")).outcome == WIN
    assert [remark for remark in remarks if "KQ" in remark]


def test_without_distances_the_result_is_still_kept(tables_folder, tmp_path, oracle):
    copied(tables_folder, tmp_path, "KQvK.rtbw", "KPvK.rtbw", "KRvK.rtbw", "KBvK.rtbw", "KNvK.rtbw")
    tables, remarks = opened(str(tmp_path))
    source = random.Random(6)
    for _ in range(30):
        board = random_board("KPvK", source)
        probe = probe_of(tables, board)
        assert probe.outcome == oracle.probe_wdl(board)
        assert probe.progress == probe.keeping
    assert [remark for remark in remarks if "no DTZ table for K" in remark] == remarks[1:]
    assert sorted(remark.split(":")[0].split()[-1] for remark in remarks[1:]) == ["KPvK", "KvKP"]  # once each
    late = chess.Board(NEARLY_DRAWN.format(clock=99))
    assert probe_of(tables, late).outcome == DRAW
    assert probe_of(tables, late, fifty=False).outcome == WIN
