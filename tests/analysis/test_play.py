"""``play``: a whole conversation with the terminal, without the terminal."""

from __future__ import annotations

import re
import sys

import chess
import chess.pgn
import pytest

from engine.analysis.cli import parser
from engine.analysis.files import AnalysisError
from engine.analysis.play import ChessTable, WholeChess, diagram, play_chess, record
from engine.lab.games import LabError


def played(words: list[str], *answers: str) -> str:
    """The text of a game with these answers, then the end of the input."""
    told: list[str] = []
    left = iter(answers)

    def ask(prompt: str) -> str:
        try:
            return next(left)
        except StopIteration:
            raise EOFError from None

    chosen = parser("play").parse_args([*words, "--depth", "4"])
    assert play_chess(chosen, {"Hash": 1}, ask, told.append) == 0
    return "\n".join(told)


def test_a_game_with_hint_undo_and_help_is_kept_move_by_move(tmp_path):
    path = tmp_path / "game.pgn"
    told = played(["--pgn", str(path)], "e4", "undo", "hint", "help", "Nf3", "zz", "d2d4", "quit", "c4")
    assert told.count("Black plays ") == 3
    assert "try " in told
    assert "Legal: " in told
    assert re.search(r"plays \S+ \([+-]\d.\d\d: White \d+%, draw \d+%, Black \d+%; depth \d+\)", told)
    assert "'zz' is no legal move here" in told
    with path.open(encoding="utf-8") as file:
        game = chess.pgn.read_game(file)
    assert game is not None
    moves = list(game.mainline_moves())
    assert [move.uci() for move in moves[::2]] == ["g1f3", "d2d4"]
    assert len(moves) == 4
    assert game.headers["White"] == "A person"


@pytest.mark.skipif(sys.platform == "win32", reason="links are for the privileged there")
def test_a_file_that_is_there_keeps_its_games(tmp_path):
    path, link = tmp_path / "mine.pgn", tmp_path / "link.pgn"
    former = '[White "J\xfcrgen"]\r\n\r\n1. e4 e5 1/2-1/2\r\n'.encode("latin-1")
    path.write_bytes(former)
    link.symlink_to(path)
    played(["--pgn", str(path)], "quit")
    assert path.read_bytes() == former
    for file, answers in ((path, ["d4", "undo", "c4", "quit"]), (link, ["Nf3"])):
        played(["--pgn", str(file)], *answers)
        assert path.read_bytes().startswith(former.rstrip())
    with path.open(encoding="latin-1") as stream:
        games = list(iter(lambda: chess.pgn.read_game(stream), None))
    assert [game.variations[0].move.uci() for game in games] == ["e2e4", "c2c4", "g1f3"]
    assert link.is_symlink()


def test_a_game_is_not_added_to_what_is_no_pgn_file(tmp_path):
    notes = tmp_path / "notes.txt"
    notes.write_text("Dear diary\n", encoding="utf-8")
    for path, named in ((notes, "holds no game"), (tmp_path, "a directory"), (tmp_path / "no" / "x.pgn", "no such")):
        with pytest.raises(AnalysisError, match=named):
            played(["--pgn", str(path)], "e4", "quit")
    assert list(tmp_path.iterdir()) == [notes]
    assert notes.read_text("utf-8") == "Dear diary\n"


def test_the_engine_begins_against_black_and_mates():
    told = played(["--black", "--fen", "7k/8/5KQ1/8/8/8/8/8 w - - 0 1"])
    assert "White plays Qg7# (#0" in told or "White plays Qg7# (#1" in told
    assert told.endswith("Checkmate, White wins.")


def test_the_person_can_mate_and_the_game_ends():
    told = played(["--fen", "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1"], "Ra8#")
    assert told.endswith("Checkmate, White wins.")
    assert "plays" not in told


def test_draws_end_the_game():
    game = WholeChess(chess.Board("7k/8/8/8/8/8/8/KR6 w - - 0 1"))
    board = game.initial()
    for text in ("b1b2", "h8h7", "b2b1", "h7h8", "b1b2", "h8h7", "b2b1", "h7h8"):
        assert not game.is_terminal(board)  # that somebody could repeat is no draw yet
        board = game.result(board, chess.Move.from_uci(text))
    assert game.is_terminal(board)
    assert ChessTable("chess", game, 1).result(board) == "Threefold repetition, a draw."
    assert record(board, chess.WHITE).headers["Result"] == "1/2-1/2"


def test_fifty_moves_end_the_game_when_they_are_played_and_not_before():
    fen = "4k3/7p/8/8/8/8/P7/R3K3 w - - 99 80"
    assert "Fifty moves" not in played(["--fen", fen], "a3", "quit")
    assert played(["--fen", fen], "Rb1").endswith("Fifty moves, a draw.")


def test_moves_are_read_as_people_write_them():
    board = chess.Board("4k3/P7/8/8/8/8/8/R3K2R w KQ - 0 1")
    table = ChessTable("chess", WholeChess(board), 1)
    for text, move in (("O-O", "e1g1"), ("0-0", "e1g1"), ("e1g1", "e1g1"), ("a8=N", "a7a8n"), (" Rb1 ", "a1b1")):
        assert table.read(board, text) == chess.Move.from_uci(move)
        assert table.read(board, table.write(board, chess.Move.from_uci(move))) == chess.Move.from_uci(move)
    for text, named in (("e5", "no legal move"), ("--", "no legal move"), ("0000", "no legal move")):
        with pytest.raises(LabError, match=named):
            table.read(board, text)
    with pytest.raises(LabError, match="several moves"):
        table.read(chess.Board("4k3/8/8/8/8/4K3/8/R6R w - - 0 1"), "Rd1")


def test_chess960_is_played_and_kept_as_such(tmp_path):
    path = tmp_path / "game.pgn"
    told = played(["--fen", "4k3/8/8/8/8/8/8/RK6 w A - 0 1", "--pgn", str(path)], "O-O-O", "quit")
    assert "Black plays" in told
    assert '[Variant "Chess960"]' in path.read_text("utf-8")


@pytest.mark.parametrize(
    ("command", "said"),
    [("play", r"each\s+move\s+\(default:\s+1\)"), ("analyse", r"\(default:\s+5,\s+in\s+games\s+0\.5\)")],
)
def test_the_help_names_the_time_that_is_taken(command, said):
    assert re.search(said, parser(command).format_help())


def test_the_board_is_seen_from_one_s_own_side():
    board = chess.Board()
    assert diagram(board, chess.WHITE).splitlines()[0] == "8  r n b q k b n r"
    assert diagram(board, chess.BLACK).splitlines()[0] == "1  R N B K Q B N R"
