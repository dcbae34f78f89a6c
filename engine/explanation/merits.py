"""What a best move does: the mate it begins, the material it wins, the threat it makes."""

from collections.abc import Sequence

import chess
from chess.engine import PovScore, Score

from engine.explanation.claims import Claim, Drawn, Material, Mating, Threat
from engine.explanation.gains import gain_of
from engine.explanation.line import Line
from engine.explanation.reasons import explained, mating, shows, sure_gain, taken_before
from engine.explanation.themes import draw
from engine.play.captures import value

#: Plies of a threat to mention: the capture, the reply and the result.
_THREAT = 3


def merit(
    board: chess.Board, line: Sequence[chess.Move], score: PovScore, threat: Sequence[chess.Move] = ()
) -> Claim | None:
    """What the first move of ``line`` does on ``board``; None if nothing is certain. ``threat`` is how the same side
    would continue if the other one passed."""
    best = Line.of(board, line)
    if not best.moves:
        return None
    relative = score.pov(board.turn)
    moves = relative.mate()
    if moves is not None and moves > 0:
        return mating("leads", best, moves)
    if moves is not None:
        return Mating("mated", best, -moves)
    if found := wins(best, relative):
        return found
    ended = draw.ending(best)
    if relative.score() == 0 and ended is not None and ended[0] == "corner":
        return Drawn("held", best, ended[1])
    return _threat(board, best, threat)


def wins(best: Line, score: Score) -> Material | None:
    """What the first move of ``best``, whose winner has this ``score``, wins by force."""
    won, lost = best.certain_prefix, value(taken_before(best.boards[0], best.moves[0]))
    sure = sure_gain(best) > lost and shows(score, won)  # a recapture must win more than was lost
    if sure and (gain := gain_of(won)) and (finding := explained(won, gain)):
        return Material("wins", won, gain, finding)
    return None


def _threat(board: chess.Board, best: Line, threat: Sequence[chess.Move]) -> Claim | None:
    """The threat behind a quiet best move."""
    after = best.boards[1].copy(stack=False)
    if not threat or after.is_check() or best.captured(0) or best.moves[0].promotion:
        return None
    after.push(chess.Move.null())
    line = Line.of(after, threat[:_THREAT])
    if not line.moves:  # it is not legal
        return None
    if line.last.is_checkmate() and len(line) == 1:
        return Threat(best, line, mate=True)
    if line.moves[0].promotion:
        return Threat(best, line)
    if line.gain >= 2 and line.captured(0) and (gain := gain_of(line)):
        return Threat(best, line, gain)
    return None
