"""The option Explain: sentences from the searches that are made anyway."""

import chess
import pytest

from engine.messages import Info, Score
from engine.uci.commentary import Commentary


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def commentary(said) -> Commentary:
    return Commentary(said.append)


def info(depth: int, pv: str, cp: int, time: int = 5000, **more) -> Info:
    return Info(depth=depth, score=Score(cp=cp), pv=tuple(pv.split()), time=time, **more)


def test_the_best_move_of_an_analysis_is_explained_when_it_is_stable(commentary, said):
    board = chess.Board("4k3/8/8/3q4/8/2N5/8/4K3 w - - 0 1")
    commentary.begin(board, analyses=True)
    commentary.follow(info(1, "e1e2", 300))
    commentary.follow(info(2, "c3d5 e8d7", 500))
    commentary.follow(info(2, "e1e2", 100, multipv=2))
    assert said == []
    commentary.follow(info(3, "c3d5 e8d7", 500))
    commentary.follow(info(4, "c3d5 e8d7", 500))
    (sentence,) = said
    assert "Nxd5" in sentence
    commentary.follow(info(5, "e1e2 d5c4", 500))
    commentary.follow(info(6, "e1e2 d5c4", 500))
    assert len(said) == 2


def play(commentary: Commentary, reply: str, now: Info) -> None:
    """White has played Nf3 and expected 2...Nf6; Black replies, and the search finds ``now``."""
    board = chess.Board()
    for move in ("e2e4", "e7e5"):
        board.push_uci(move)
    commentary.begin(board, analyses=False)
    commentary.follow(info(12, "g1f3 g8f6 f3e5", 30))
    commentary.end("g1f3")
    for move in ("g1f3", reply):
        board.push_uci(move)
    commentary.begin(board, analyses=False)
    commentary.follow(now)
    commentary.end(now.pv[0])


def test_a_mistake_of_the_opponent_is_explained(commentary, said):
    play(commentary, "d8g5", info(12, "f3g5 h7h6 g5f3", 900))
    (sentence,) = said
    assert sentence.startswith("2...Qg5?? ")
    assert "queen" in sentence


@pytest.mark.parametrize(
    ("reply", "now"),
    [
        ("g8f6", info(12, "f3e5 d7d6", 900)),  # it was expected
        ("b8c6", info(12, "f1b5 a7a6", 35)),  # it was good
        ("b8c6", info(12, "f1b5 a7a6", 65)),  # it costs 6%, too little for ?! in an annotated game
        ("d8g5", info(12, "f3g5 h7h6 g5f3", 900, time=100)),  # there was no time
    ],
)
def test_other_moves_are_passed_over(commentary, said, reply, now):
    play(commentary, reply, now)
    assert said == []


def test_another_game_is_no_reply(commentary, said):
    play(commentary, "b8c6", info(12, "f1b5 a7a6", 35))
    board = chess.Board("8/8/8/8/8/3k4/3q4/3K4 w - - 0 1")
    commentary.begin(board, analyses=False)
    commentary.end("0000")
    assert said == []


def test_the_option_is_off_until_it_is_set(uci):
    uci.send("setoption name UCI_AnalyseMode value true", "position fen 4k3/8/8/3q4/8/2N5/8/4K3 w - - 0 1")
    silent = uci.ask("go depth 8", until="bestmove")
    uci.send("setoption name Explain value true", "ucinewgame")
    explained = uci.ask("go depth 8", until="bestmove")
    told = [line for line in explained if line.startswith("info string")]
    assert not any(line.startswith("info string") and "Nxd5" in line for line in silent)
    assert any("Nxd5" in line for line in told)
    assert len(explained) - len(told) == len([line for line in silent if not line.startswith("info string")])
