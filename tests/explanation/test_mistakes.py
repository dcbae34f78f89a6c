"""Mistakes with known refutations: positions and lines of the lichess puzzle tagger's own tests.

They are facts from the tests of github.com/ornicar/lichess-puzzler (its code is AGPL-3 and not used here; its names of
the positions are kept). ``c0`` is the claim in short.
"""

from pathlib import Path

import chess
import pytest
from chess.engine import Cp, Mate, PovScore

from engine.explanation import Case, Claim, reason_of
from tests.explanation.lines import short

LINES = Path(__file__).with_name("mistakes.epd").read_text().splitlines()
TABLE = [chess.Board.from_epd(line) for line in LINES]


def found(board: chess.Board, moves: list[chess.Move]) -> Claim:
    """The reason why the first of ``moves`` is a mistake where any other quiet move was even."""
    better = next(move for move in board.legal_moves if move != moves[0] and not board.is_capture(move))
    end = board.copy()
    for move in moves:
        end.push(move)
    score = Mate(len(moves) // 2) if end.is_checkmate() else Cp(600)
    even, lost = PovScore(Cp(0), board.turn), PovScore(score, not board.turn)
    claim = reason_of(Case(board, moves[0], [better], moves[1:], even, lost))
    assert claim
    return claim


@pytest.mark.parametrize(("board", "ops"), TABLE, ids=[ops["id"] for _, ops in TABLE])
def test_the_refutation_is_named(board, ops):
    assert short(found(board, ops["pv"])) == ops["c0"]
