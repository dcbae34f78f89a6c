"""What a best move does: the mate it begins, the piece it wins, the threat it makes."""

from __future__ import annotations

from collections.abc import Sequence

import chess
from chess.engine import PovScore, Score

from engine.explanation.exchange import balance
from engine.explanation.gains import gain_text
from engine.explanation.line import Line
from engine.explanation.reasons import Reason, explained, is_queen, mate_theme, once, sure_gain
from engine.explanation.words import side
from engine.explanation.wrong_bishop import after, corner, drawing_exchange, is_drawn, strong

#: Plies of a threat that are told: the capture, the answer and what comes of it.
_THREAT = 3

#: Centipawns that the score must show for each pawn by which a side is ahead after a gain, up to so many pawns: a side
#: that gives something up for them has not won them.
_PAWN_SHOWS, _MOST_PAWNS = 60, 5


def merit(
    board: chess.Board, line: Sequence[chess.Move], score: PovScore, threat: Sequence[chess.Move] = ()
) -> Reason | None:
    """What the first move of ``line`` does on ``board``; None if nothing can be said for sure.

    ``threat`` is what the same side would play next if the other one passed.
    """
    best = Line.of(board, line)
    if not best.moves:
        return None
    if is_drawn(board):
        return _drawn(board, best)
    first, relative = best.san(0), score.pov(board.turn)
    moves = relative.mate()
    if moves is not None and moves > 0:
        theme = mate_theme(best, moves)
        where = {"backRankMate": " on the back rank", "smotheredMate": " by a knight"}.get(theme, "")
        text = f"{first} is mate{where}." if moves == 1 else f"{first} leads to mate in {moves}{where}."
        return Reason(theme, text, best, mate=moves)
    if moves is not None:
        return Reason("mated", f"{side(board.turn)} is mated in {-moves} whatever it plays.", best)
    if _is_won(best, relative) and (what := gain_text(best)) and (told := explained(best)):
        theme, how = told
        verb = "gets" if is_queen(what) else "wins"
        if theme == "hanging" or how in (first, f"{first} makes {what}"):
            text = f"{first} {verb} {what}."
        elif how.startswith(first) and theme not in ("line", "promotion"):
            comma = "," if ", which" in how else ""
            text = f"{how}{comma} and {verb} {once(what, how)[0]}."
        else:
            what, how = once(what, how)
            text = f"{first} {verb} {what}: {how}."
        return Reason(theme, text, best, best.gain)
    if relative.score(mate_score=10_000) < 0 and (exchange := drawing_exchange(board)):
        return _exchanged(board, exchange)
    return _threat(board, best, threat)


def _exchanged(board: chess.Board, exchange: tuple[chess.Move, chess.Move]) -> Reason:
    """What there is to say of a capture that comes to a draw which the search does not know."""
    line = Line.of(board, exchange)
    where = chess.square_name(corner(line.last) or 0)
    why = f"after {line.san(1)} the bishop cannot drive the king from the corner {where}."
    return Reason("draw", f"{line.san(0)} holds the draw: {why}", line)


def _drawn(board: chess.Board, best: Line) -> Reason:
    """What there is to say of a position that is drawn whatever a search thinks, and of the move that keeps it so."""
    why = f"the bishop cannot drive the king from the corner {chess.square_name(corner(board) or 0)}."
    if board.turn == strong(board):
        return Reason("draw", f"It is a draw: {why}")
    kept = [move for move in (best.moves[0], *board.legal_moves) if is_drawn(after(board, move))]
    return Reason("draw", f"{board.san(kept[0])} holds the draw: {why}" if kept else f"It is a draw: {why}")


def _is_won(best: Line, score: Score) -> bool:
    """Whether ``best`` wins something soon enough to be sure of it, and ``score`` is that of a side with so much."""
    gain = sure_gain(best)
    ahead = balance(best.boards[0], best.winner) + gain
    return gain > 0 and score.score(mate_score=10_000) >= _PAWN_SHOWS * min(ahead, _MOST_PAWNS)


def _threat(board: chess.Board, best: Line, threat: Sequence[chess.Move]) -> Reason | None:
    """The threat behind a quiet best move."""
    after = best.boards[1].copy(stack=False)
    if not threat or after.is_check() or best.captured(0) or best.moves[0].promotion:
        return None
    after.push(chess.Move.null())
    line = Line.of(after, threat[:_THREAT])
    if line.last.is_checkmate() and len(line) == 1:
        return Reason("threat", f"{best.san(0)} threatens mate with {line.san(0)}.", line)
    if line.moves[0].promotion:
        return Reason("threat", f"{best.san(0)} threatens to promote with {line.san(0)}.", line)
    what = gain_text(line)
    if what and line.gain >= 2 and line.captured(0):
        return Reason("threat", f"{best.san(0)} threatens {line.san(0)}, which wins {what}.", line, line.gain)
    return None
