"""Games with the scores of another engine: what it says, from White's view, and clear words when it cannot be used."""

import sys
from pathlib import Path

import chess
import numpy as np
import pytest

from engine.board.fen import to_fen
from engine.board.setup import new_position
from engine.search.scores import MATE
from tuning import relabel
from tuning.data.dataset import NO_VERDICT, Quiet, is_quiet
from tuning.data.marlinformat import unpack
from tuning.data.viriformat import files_of, read_positions
from tuning.matches.info import Thought
from tuning.selfplay.outside import score_of

#: Plays its first move, and says seven centipawns for each that it has, or a mate for the side with a queen more.
ENGINE = """
import sys
import chess
games = 0
for line in sys.stdin:
    word, _, rest = line.strip().partition(" ")
    if word == "uci":
        print("id name Counter\\noption name Threads type spin default 8 min 1 max 8\\nuciok", flush=True)
    elif word == "isready":
        print("readyok", flush=True)
    elif word == "setoption":
        assert rest == "name Threads value 1", rest
    elif word == "ucinewgame":
        games += 1
    elif word == "position":
        fen, _, moves = rest.partition(" moves ")
        assert not moves
        board = chess.Board(fen.removeprefix("fen ")) if fen != "startpos" else chess.Board()
    elif word == "go":
        searched, games = games, 0
        assert searched == 1 and rest.startswith("nodes "), (searched, rest)
        moves = list(board.legal_moves)
        print(f"info depth 1 score cp {7 * len(moves)} nodes {rest.split()[1]} pv {moves[0]}")
        print(f"bestmove {moves[0]}", flush=True)
    elif word == "quit":
        break
"""


@pytest.fixture
def counter(tmp_path: Path) -> str:
    script = tmp_path / "counter.py"
    script.write_text(ENGINE)
    return f'cmd="{Path(sys.executable).as_posix()}" "{script.as_posix()}"'


def _run(games: Path, out: Path, *words: str) -> int:
    return relabel.main([str(games), "--out", str(out), "--nodes", "300", "--scheduler", "here", *words])


def test_scores_are_what_the_engine_says_for_white(games: Path, tmp_path: Path, counter: str) -> None:
    assert _run(games, tmp_path / "new", "--share", "0.1", "--engine", counter, "name=Counter") == 0
    position, checked = new_position(), 0
    for old, new in zip(files_of(games), files_of(tmp_path / "new"), strict=True):
        before, after = read_positions([old]).boards, read_positions([new]).boards
        scored = np.abs(after["score"].astype(int)) < NO_VERDICT
        assert not np.any(scored & ~is_quiet(before, Quiet(10, np.inf)))
        for board in after[scored]:
            unpack(position, board)
            shown = chess.Board(to_fen(position))
            expected = 7 * shown.legal_moves.count()
            assert board["score"] == (expected if shown.turn else -expected)
            checked += 1
    assert checked > 5


def test_a_run_is_continued_with_the_same_engine_alone(games, tmp_path, counter, capsys):
    words = ["--share", "0.05", "--positions", "1"]
    assert _run(games, tmp_path / "new", *words, "--engine", counter) == 0
    assert _run(games, tmp_path / "new", *words, "--engine", counter) == 0
    assert _run(games, tmp_path / "new", *words) == 2
    assert "was started with fingerprint" in capsys.readouterr().out.replace("\n", " ")


@pytest.mark.parametrize(
    ("thought", "score"),
    [
        (Thought(cp=-35), -35),
        (Thought(cp=32_000), NO_VERDICT - 1),
        (Thought(cp=-32_000), 1 - NO_VERDICT),
        (Thought(mate=3), MATE - 3),
        (Thought(mate=-3), 3 - MATE),
    ],
)
def test_mates_are_kept_apart_from_centipawns(thought: Thought, score: int) -> None:
    assert score_of(thought) == score
