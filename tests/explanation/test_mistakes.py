"""Reasons for mistakes with known refutations: positions and lines of the lichess puzzle tagger's own tests.

They are facts from the tests of github.com/ornicar/lichess-puzzler (its code is AGPL-3 and not used here; its names of
the positions are kept). The sentences are this engine's, and each was compared with its board by eye.
"""

from pathlib import Path

import chess
import pytest
from chess.engine import Cp, Mate, PovScore

from engine.explanation import Case, Claim, reason_of, sentence
from engine.explanation.claims import Compared

LINES = Path(__file__).with_name("mistakes.epd").read_text().splitlines()
# Position, the mistake and its refutation, theme and sentence; the last two are None where only the verdict is sure.
TABLE = [
    (board, ops["pv"], ops.get("c0"), ops.get("c1")) for board, ops in (chess.Board.from_epd(line) for line in LINES)
]


def found(board: chess.Board, moves: list[chess.Move]) -> Claim | None:
    """The reason why the first of ``moves`` is a mistake where any other quiet move was even."""
    better = next(move for move in board.legal_moves if move != moves[0] and not board.is_capture(move))
    end = board.copy()
    for move in moves:
        end.push(move)
    score = Mate(len(moves) // 2) if end.is_checkmate() else Cp(600)
    even, lost = PovScore(Cp(0), board.turn), PovScore(score, not board.turn)
    return reason_of(Case(board, moves[0], [better], moves[1:], even, lost))


@pytest.mark.parametrize(("board", "moves", "theme", "text"), TABLE)
def test_reason_names_the_refutation(board, moves, theme, text):
    """Where no theme is sure there is only the verdict on the game, which the scores here make a lost one."""
    reason = found(board, moves)
    assert reason
    if theme is None:
        assert reason.theme == "verdict"
        assert isinstance(reason, Compared)
        assert (reason.standing.had, reason.standing.has) == (0, -3)
    else:
        assert (reason.theme, sentence(reason)) == (theme, text)
