"""The judge of conversations notices what it is there for."""

from typing import Any

import chess
import pytest

from tests.uci.judge import Fault, Judge

Said = tuple[str, dict[str, Any]]


def due(kind: str, **particulars: Any) -> Said:
    """A command, to which an answer of this kind is due."""
    return kind, particulars


SEARCH = due("go")
INFINITE = due("go", waits_for=("stop",), endless=True)
PONDER = due("go", waits_for=("stop", "ponderhit"), endless=True)
BAD = due("remark", token="zz1zz", early=True)
LATE = due("remark", token="zz1zz")
READY = due("isready", early=True)
PERFT = due("perft", depth=1)
STOP = due("stop")
COUNTS = [f"{move.uci()}: 1" for move in chess.Board().legal_moves]
TIME = "1 ms, 20000 nodes per second"
FEN = f"Fen: {chess.STARTING_FEN}"
CASTLES = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"


def judged(conversation: list[Said | str], fen: str | None = chess.STARTING_FEN) -> Judge:
    """What a judge makes of commands and answers; without a ``fen`` it has to learn the position."""
    judge = Judge()
    judge.set_position(chess.Board(fen, chess960=True) if fen else None)
    for item in conversation:
        if isinstance(item, str):
            judge.hear(item)
        elif item[0] in ("stop", "ponderhit"):
            judge.release(item[0])
        elif item[0] == "uci":
            judge.uci_due += 1
        else:
            judge.expect(item[0], item[0], **item[1])
    return judge


FAULTS: dict[str, tuple[str, list[Said | str]]] = {
    "an illegal move": ("illegal move", [SEARCH, "bestmove e2e5"]),
    "an illegal line": ("illegal PV", [SEARCH, "info depth 1 pv e2e4 e2e4"]),
    "an illegal reply": ("illegal move", [SEARCH, "bestmove e2e4 ponder e2e4"]),
    "no move where there are some": ("no move", [SEARCH, "bestmove 0000"]),
    "two moves": ("go out of order", [SEARCH, "bestmove e2e4", "bestmove e2e4"]),
    "a report after the move": ("go out of order", [SEARCH, "bestmove e2e4", "info depth 1 score cp 0"]),
    "a move not reported": ("another move than reported", [SEARCH, "info depth 1 pv d2d4", "bestmove e2e4"]),
    "too many lines": ("too many lines", [SEARCH, "info depth 1 multipv 2 pv e2e4"]),
    "broken numbers": ("broken report", [SEARCH, "info depth 1 nodes -3 pv e2e4"]),
    "before stop": ("answer before stop", [INFINITE, "bestmove e2e4"]),
    "before ponderhit": ("answer before stop", [PONDER, "bestmove e2e4"]),
    "readyok for nothing": ("isready out of order", ["readyok"]),
    "readyok before a stopped search": ("isready out of order", [INFINITE, STOP, READY, "readyok"]),
    "a remark too soon": ("remark out of order", [due("d"), BAD, "info string zz1zz"]),
    "a remark about a file too soon": (
        "remark out of order",
        [SEARCH, due("remark", token="zz1zz"), "info string zz1zz"],
    ),
    "chatter": ("unexpected line", ["hello"]),
    "the wrong number of moves": ("wrong number of legal moves", [due("d"), FEN, "Legal moves: 21"]),
    "a wrong perft": ("wrong count", [PERFT, *COUNTS[1:], "Nodes searched: 19", TIME]),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults_are_detected(name):
    kind, conversation = FAULTS[name]
    with pytest.raises(Fault, match=f"^{kind}"):
        judged(conversation)


def test_castling_and_boards_are_those_of_the_position():
    assert not judged([SEARCH, "bestmove e1g1"], CASTLES).due
    with pytest.raises(Fault, match="castling written in the wrong way"):
        judged([SEARCH, "bestmove e1h1"], CASTLES)
    with pytest.raises(Fault, match="another position"):
        judged([due("d"), FEN], CASTLES)
    with pytest.raises(Fault, match="a position that cannot be"):
        judged([due("d"), "Fen: 8/8/8/8/8/8/8/8 w - - 0 1"], None)
