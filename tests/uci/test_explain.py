"""The word ``explain``: what is wrong with a move, or what the best one does, in words."""

import chess
import pytest

from engine import Engine
from engine.messages import CHESS960
from tests.play.queens import QUEENS
from tests.uci.process import UciProcess

SCHOLAR = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR b KQkq - 3 3"
MATE_IN_ONE = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"


@pytest.mark.parametrize("move", ["d7d6", "d6"])
def test_a_move_is_explained_and_the_position_stays(uci: UciProcess, shared: Engine, move):
    lines = uci.ask(f"position fen {SCHOLAR}", f"explain {move}", until=r".*\.$")
    assert lines[-1] == shared.explain(chess.Board(SCHOLAR), chess.Move.from_uci("d7d6"))
    assert uci.fen() == SCHOLAR


@pytest.mark.parametrize("move", ["Ke7", "e8e7"])
def test_the_move_just_played_is_explained(uci: UciProcess, move):
    lines = uci.ask("position startpos moves e2e4 e7e5 d1h5 e8e7", f"explain {move}", until=r".*\.$")
    assert lines[-1].startswith("Before 2...Ke7: ")
    assert "Qxe5#" in lines[-1]


def test_without_a_move_the_best_one_is_explained(uci: UciProcess, shared: Engine):
    lines = uci.ask(f"position fen {MATE_IN_ONE}", "explain", until=r".*\.$")
    assert lines[-1] == shared.explain(chess.Board(MATE_IN_ONE))


@pytest.mark.parametrize(
    ("line", "named"), [("explain e2e5", "e2e5"), ("explain 0000", "0000"), ("explain e4 now", "e4 now")]
)
def test_explain_names_the_fault_of_its_argument(uci: UciProcess, line, named):
    (remark,) = uci.remarks("position startpos", line)
    assert named in remark


def test_explain_knows_the_moves_of_the_game(uci: UciProcess, shared: Engine):
    """The answer g8 occurs for the third time."""
    fen, moves = "6k1/8/8/8/8/8/1Q6/K7 w - - 0 1", ["b2b1", "g8h8", "b1b2", "h8g8", "b2b1", "g8h8"]
    board = chess.Board(fen)
    for move in moves:
        board.push_uci(move)
    after = board.fen()
    told = uci.ask(f"position fen {fen} moves {' '.join(moves)}", "explain b1b2", until=r".*\.$")[-1]
    assert told == shared.explain(board, chess.Move.from_uci("b1b2"))
    assert told != shared.explain(chess.Board(after), chess.Move.from_uci("b1b2"))
    assert uci.fen() == after


def test_castling_is_understood_in_every_form(uci: UciProcess):
    fen = "4k3/8/8/8/8/8/8/1R2K3 w B - 0 1"
    assert uci.remarks(f"position fen {fen}", "go depth 1 searchmoves e1c1") == [CHESS960]
    uci.send(f"position fen {fen} moves e1c1")
    after = uci.fen()
    uci.ask("explain", until=r".*\.$")
    assert uci.fen() == after
    assert after.split()[0] == "4k3/8/8/8/8/8/8/2KR4"


def test_many_queens_do_not_delay_readyok(uci: UciProcess):
    uci.send(f"position fen {QUEENS}", "explain", "isready")
    said = uci.read(r".*\.$")
    assert said[0] == "readyok"
    assert len(said) == 2


def test_readyok_waits_for_a_stopped_explanation(uci: UciProcess):
    uci.send(f"position fen {QUEENS}", "explain", "stop", "isready")
    assert uci.read("readyok") == ["info string explain stopped", "readyok"]
