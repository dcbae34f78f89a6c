"""The searches that an explanation needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

import chess
from chess.engine import Cp, Mate, MateGiven, PovScore

from engine.api.types import Analysis
from engine.explanation.assessment import outlook
from engine.explanation.claims import AsGood, Case, Claim, GameOver, OnlyMove, Tables
from engine.explanation.good_moves import merit_of, praise_of, result_by
from engine.explanation.grades import Grade, grade_of
from engine.explanation.line import Line
from engine.explanation.mistakes import reason_of
from engine.explanation.verdicts import UNSURE_CP

EXPLAIN_NODES = 200_000  # nodes of each search for an explanation without a limit
Analyse = Callable[..., Analysis]  # searches a board, or only some of its moves


def claim_of(board: chess.Board, move: chess.Move | None, analyse: Analyse, tables: Tables | None = None) -> Claim:
    """Why ``move`` on ``board``, or the best one, is good or bad; up to four searches. The first finds the best move,
    so that all questions about a position have the same answer."""
    if over(board):
        return GameOver(Line.of(board, []), board.is_checkmate())
    bare = move is None
    if board.legal_moves.count() == 1:
        return claim_of_best(board, analyse(board), None, analyse, tables)
    first = analyse(board)
    move = move or first.pv[0]
    case = case_of(board, move, analyse, None if first.move == move else first)
    if not bare and case.drop > 0:
        return reason_of(case, tables) or AsGood(case.best_line, case.played_line)
    best = Analysis(mate_moved(case.score, board.turn, 1), pv=case.played_line.moves)
    return claim_of_best(board, best, Analysis(case.other_score, pv=tuple(case.other_line)), analyse, tables)


def read_move_to_explain(board: chess.Board, text: str) -> tuple[chess.Board, chess.Move, str]:
    """The move that ``text`` names, its board, and a lead for its explanation: a legal move or, with the lead "Before
    2...f6: ", the last one played. Raises :class:`~engine.reading.MoveError` for another move."""
    from engine.reading import MoveError, read_move

    try:
        return board, read_move(board, text), ""
    except MoveError:
        before = board.copy()
        if board.move_stack:
            last = before.pop()
            with suppress(MoveError):
                if read_move(before, text) == last:
                    return before, last, f"Before {before.variation_san([last]).replace('. ', '.')}: "
        raise


def case_of(board: chess.Board, move: chess.Move, analyse: Analyse, other: Analysis | None = None) -> Case:
    """The case of ``move``, by a search of the other moves, unless its result ``other`` is known, and one of the
    position after it. Another move must be legal. The move is marked as in annotated games, and if it surely costs
    something."""
    after = board.copy()
    after.push(move)
    other = other or analyse(board, root_moves=[each for each in board.legal_moves if each != move])
    reply = over(after) or analyse(after)
    case = Case(board, move, other.pv, reply.pv, other.score, reply.score)
    return replace(case, marked=grade_of(case.had, case.has).bad or case.drop > UNSURE_CP)


def claim_of_best(
    board: chess.Board, best: Analysis, other: Analysis | None, analyse: Analyse, tables: Tables | None = None
) -> Claim:
    """What the best move on ``board`` does, its tablebase result, or who stands better.

    ``best`` is its line, and ``other`` the next best one, if there is one. One search, for a threat."""
    assert best.move is not None
    found = None
    if other is not None:
        score = mate_moved(best.score, board.turn, -1)
        case = Case(board, best.move, other.pv, best.pv, other.score, score)
        only = grade_of(case.has, case.had) in (Grade.MISTAKE, Grade.BLUNDER)
        found = praise_of(case, tables)
        found = None if isinstance(found, OnlyMove) and not only else found
    found = found or merit_of(board, best.pv, best.score) or (result_by(tables, board, best.move) if tables else None)
    found = found or merit_of(board, best.pv, best.score, threat(board, best.move, analyse))
    second = (other.pv[0], other.score) if other else None
    return found or outlook(Line.of(board, best.pv), best.score, second)


def mate_moved(score: PovScore, mover: chess.Color, by: int) -> PovScore:
    """The score with the mover's mate ``by`` moves later: a move made makes it one move nearer.

    >>> [mate_moved(PovScore(Mate(moves), chess.BLACK), chess.WHITE, 1) for moves in (-2, 2)]
    [PovScore(Mate(+3), WHITE), PovScore(Mate(+2), BLACK)]
    """
    own = score.pov(mover)
    moves = own.mate()
    if moves is None or (moves <= 0 and own is not MateGiven):
        return score
    return PovScore(Mate(moves + by) if moves + by else MateGiven, mover)


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
