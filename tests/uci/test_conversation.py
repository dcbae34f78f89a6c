"""Conversations with the real process: handshake, positions, options, commands for people."""

import re

import chess
import chess.polyglot
import pytest

from engine.messages import CHESS960
from engine.options import OPTIONS
from tests.run_python import run_python
from tests.uci.process import MAIN, UciProcess


def test_uci_is_answered_by_name_author_and_options(uci):
    lines = uci.ask("uci", until="uciok")
    assert re.fullmatch(r"id name Numbat \d+\.\d+\.\d+\S*", lines[0])
    assert lines[1].startswith("id author ")
    assert [line for line in lines[2:-1] if not line.startswith("option name ")] == []
    assert len(lines[2:-1]) == len(OPTIONS)


def test_tuning_offers_the_numbers_of_the_search():
    from engine.search.parameters import TUNABLES

    with UciProcess("--tune") as process:
        lines = process.ask("uci", until="uciok")
        first = TUNABLES[0]
        expected = f"option name {first.name} type spin default {first.default} min {first.minimum} max "
        assert [line for line in lines if line.startswith(expected)]
        assert process.remarks(f"setoption name {first.name} value {first.minimum}") == []
        (remark,) = process.remarks(f"setoption name {first.name} value {first.maximum + 1}")
        assert first.name in remark
        process.ask("go depth 4", until="bestmove")
        process.quit()


def test_numbers_of_the_search_are_not_offered_otherwise(uci):
    from engine.search.parameters import TUNABLES

    (remark,) = uci.remarks(f"setoption name {TUNABLES[0].name} value {TUNABLES[0].default}")
    assert remark == f"no option is called '{TUNABLES[0].name}'"


def test_uci_is_answered_again_at_any_time(uci):
    uci.send("go infinite")
    assert uci.ask("uci", until="uciok")[-1] == "uciok"
    uci.send("stop")
    uci.read("bestmove")


def test_a_position_by_fen_and_moves_is_set(uci):
    board = chess.Board("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 3 9")
    uci.send(f"position fen {board.fen()} moves e1c1")
    board.push_uci("e1c1")
    assert uci.fen() == board.fen()


def test_d_shows_the_position(uci):
    board = chess.Board("rnbqk1nr/pppp1ppp/8/4p3/1b1PP3/8/PPP2PPP/RNBQKBNR w KQkq - 1 3")
    uci.send(f"position fen {board.fen()}", "d")
    lines = uci.synchronise()
    assert "8 | r | n | b | q | k |   | n | r |" in lines
    assert "2 | P | P | P |   |   | P | P | P |" in lines
    assert list("abcdefgh") in [line.split() for line in lines]
    assert f"Fen: {board.fen()}" in lines
    assert f"Key: {chess.polyglot.zobrist_hash(board):016X}" in lines
    assert "Checkers: b4" in lines
    assert f"Legal moves: {board.legal_moves.count()}" in lines


def test_chess960_changes_how_castling_is_written(uci):
    fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
    uci.send(f"position fen {fen}")
    assert "e1g1: 1" in uci.ask("go perft 1", until="Nodes searched")
    uci.send("setoption name UCI_Chess960 value true", f"position fen {fen}")
    assert "e1h1: 1" in uci.ask("go perft 1", until="Nodes searched")


def test_a_position_read_as_chess960_is_remarked_upon_once(uci):
    position = "position fen 4k3/8/8/8/8/8/8/R3K1R1 w Q - 0 1"
    shifted = "position fen 4k3/8/8/8/8/8/8/R4KR1 w A - 0 1"
    assert uci.remarks(position) == []
    assert uci.remarks(shifted) == [CHESS960]
    assert uci.remarks(f"{shifted} moves f1f2") == []
    uci.send("setoption name UCI_Chess960 value true", "position startpos")
    assert uci.remarks(shifted) == []


def test_debug_is_switched_on_and_off(uci):
    uci.send("debug on", "position startpos moves e2e4")
    assert [line for line in uci.synchronise() if "rnbqkbnr/pppppppp/8/8/4P3" in line]
    uci.send("debug off", "position startpos moves e2e4")
    assert uci.synchronise() == []


def test_register_and_help_answer(uci):
    assert len(uci.remarks("register later")) == 1
    assert uci.ask("help", until="  quit")


def test_a_new_game_may_begin_in_the_middle_of_a_search(uci):
    uci.send("go infinite", "ucinewgame", "position startpos moves d2d4")
    uci.read("bestmove")
    uci.synchronise()
    assert uci.fen().startswith("rnbqkbnr/pppppppp/8/8/3P4")


def test_lines_of_several_threads_stay_whole(uci):
    """A search that prints, and questions that are answered from two other threads."""
    questions = 200
    uci.send("go infinite")
    for _ in range(questions):
        uci.send("isready", "nonsense")
    uci.send("stop")
    lines = uci.read("bestmove")
    while lines.count("readyok") < questions:
        lines += uci.read("readyok")
    lines += uci.synchronise()
    grammar = re.compile(
        r"readyok|info string unknown command: nonsense"
        r"|info depth \d+ currmove [a-h][1-8][a-h][1-8][nbrq]? currmovenumber \d+"
        r"|info depth \d+( seldepth \d+ multipv 1 score (cp|mate) -?\d+( lowerbound| upperbound)?)?"
        r" nodes \d+ nps \d+ hashfull \d+ tbhits \d+ time \d+( pv( [a-h][1-8][a-h][1-8][nbrq]?)+)?"
        r"|bestmove [a-h][1-8][a-h][1-8]( ponder [a-h][1-8][a-h][1-8])?"
    )
    assert [line for line in lines if not grammar.fullmatch(line)] == []
    assert lines.count("info string unknown command: nonsense") == questions


def test_nothing_heavy_is_imported_before_the_engine():
    program = "import sys, uci_main, engine.uci.loop; print(*sys.modules)"
    output = run_python("-c", program, cwd=MAIN.parent).stdout
    assert "uci_main" in output
    assert not {"numba", "numpy", "llvmlite", "chess", "argparse", "asyncio"} & set(output.split())


@pytest.mark.parametrize("line", ["", "   ", "\t", "\ufeffisready"])
def test_empty_lines_are_ignored(uci, line):
    assert [said for said in uci.remarks(line) if said] == []
    uci.synchronise()


def test_nodes_as_time_make_a_timed_search_repeatable(uci):
    def search() -> tuple[str, str]:
        uci.send("ucinewgame", "position startpos moves e2e4 e7e5")
        lines = uci.ask("go wtime 1000 btime 1000 winc 10 binc 10", until="bestmove")
        nodes = re.findall(r"score .* nodes (\d+)", "\n".join(lines))[-1]
        return nodes, lines[-1]

    uci.send("setoption name nodestime value 100")
    first = search()
    assert search() == first
    assert 1000 < int(first[0]) < 40_000  # of 100,000 in all
    uci.send("ucinewgame", "position startpos", "go ponder wtime 1000 btime 1000")
    uci.read("info depth 10 ")
    uci.ask("ponderhit", until="bestmove [a-h]")  # the nodes of pondering do not count


def test_wdl_is_shown_on_demand(uci):
    assert not [line for line in uci.ask("go depth 5", until="bestmove") if " wdl " in line]
    uci.send("setoption name UCI_ShowWDL value true")
    lines = [line for line in uci.ask("go depth 5", until="bestmove") if " score " in line]
    for line in lines:
        win, draw, loss = map(int, re.search(r" wdl (\d+) (\d+) (\d+) ", line).groups())
        assert win + draw + loss == 1000
    assert lines


def test_weak_play_is_legal_and_reports_the_line_played(uci):
    uci.send("setoption name UCI_LimitStrength value true", "setoption name UCI_Elo value 1000")
    board = chess.Board()
    for _ in range(30):
        uci.send("position startpos moves " + " ".join(move.uci() for move in board.move_stack))
        lines = uci.ask("go wtime 60000 btime 60000", until="bestmove")
        move = lines[-1].split()[1]
        shown = [line for line in lines if " pv " in line]
        assert not [line for line in shown if " multipv 1 " not in line]
        assert shown[-1].split(" pv ")[1].split()[0] == move
        board.push_uci(move)
        if board.is_game_over():
            break
