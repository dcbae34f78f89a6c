"""The searches that an explanation needs, and its text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import chess
from chess.engine import Cp, Mate, PovScore

from engine.api.types import Analysis, analysis_of, check_moves, limits_on
from engine.explanation.claims import Case
from engine.explanation.english import sentence
from engine.explanation.line import Line
from engine.explanation.merits import merit
from engine.explanation.outlook import outlook
from engine.explanation.reasons import reason_of
from engine.explanation.standing import LITTLE
from engine.explanation.tables import Tables, result_by
from engine.messages import Info, Limits

if TYPE_CHECKING:
    from chess.engine import Limit

#: Nodes of each search for an explanation without a limit.
EXPLAIN_NODES = 200_000

#: Searches a board, as :meth:`engine.api.Engine.analyse` with its limit.
Analyse = Callable[[chess.Board], Analysis]


def explanation(
    search: Callable[..., Info],
    tables: Tables,
    board: chess.Board,
    move: chess.Move | None,
    limit: Limit | Limits | None,
) -> str:
    """See :meth:`engine.Engine.explain`, which holds the turn."""
    check_moves([move] if move is not None else [])
    if move is not None and not board.is_legal(move):
        raise ValueError(f"the move {move} is not legal here")

    def look(position: chess.Board) -> Analysis:
        limits = limits_on(position, Limits(nodes=EXPLAIN_NODES) if limit is None else limit, None)
        return analysis_of(search(position, limits, None, 1), position)

    if move is None:
        return what_for(board, look, tables=tables)
    return why_bad(board, move, look, tables)


def why_bad(board: chess.Board, move: chess.Move, analyse: Analyse, tables: Tables | None = None) -> str:
    """Say why ``move`` on ``board`` is bad, or that it is not; two searches."""
    best = analyse(board)
    if best.move is None or best.move == move:
        return what_for(board, analyse, best, tables=tables)
    after = board.copy()
    after.push(move)
    reply = over(after) or analyse(after)
    case = Case(board, move, best.pv, reply.pv, best.score, reply.score)
    reason = reason_of(case, tables) or (reason_of(replace(case, marked=True), tables) if case.drop > LITTLE else None)
    if reason is None:
        return f"{board.san(move)} is about as good as the best move, {board.san(best.move)}."
    return sentence(reason)


def what_for(
    board: chess.Board,
    analyse: Analyse,
    best: Analysis | None = None,
    other: Analysis | None = None,
    tables: Tables | None = None,
) -> str:
    """Say what the best move on ``board`` does, its tablebase result, or who stands better.

    ``best`` is its line, searched for unless given, and ``other`` the next best one, if known.
    """
    if ended := over(board):
        return "The game is over: checkmate." if ended.score.is_mate() else "The game is over: a draw."
    best = best or analyse(board)
    assert best.move is not None
    found = merit(board, best.pv, best.score)
    if not found and tables and (known := result_by(tables, board, best.move)):
        return sentence(known)
    found = found or merit(board, best.pv, best.score, threat(board, best.move, analyse))
    if found:
        return sentence(found)
    second = (other.move, other.score) if other and other.move else None
    return sentence(outlook(Line.of(board, best.pv), best.score, second))


def threat(board: chess.Board, move: chess.Move, analyse: Analyse) -> Sequence[chess.Move]:
    """The line that would follow ``move`` if the opponent passed; empty if it cannot."""
    after = board.copy(stack=False)
    after.push(move)
    if after.is_check() or after.is_game_over():
        return ()
    after.push(chess.Move.null())
    after.clear_stack()
    return () if after.is_game_over() or not after.is_valid() else analyse(after).pv


def over(board: chess.Board) -> Analysis | None:
    """The result of a game that is over, as an analysis; None while it goes on."""
    outcome = board.outcome()
    if outcome is None:
        return None
    return Analysis(PovScore(Cp(0) if outcome.winner is None else Mate(0), board.turn))
