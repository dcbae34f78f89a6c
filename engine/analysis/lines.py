"""Lines as readable text: score, chances and the moves in standard algebraic notation."""

import re
import textwrap

import chess
from chess.engine import Wdl

from engine.analysis.judge import chances_on, ending
from engine.api.types import Analysis, score_text
from engine.explanation.english import side


def percents(white: Wdl) -> tuple[int, int, int]:
    """White's wins, draws and Black's wins in whole percents that add up to 100.

    >>> percents(Wdl(335, 450, 215))
    (34, 44, 22)
    """
    wins = int(white.wins / 10 + 0.5)
    losses = min(int(white.losses / 10 + 0.5), 100 - wins)  # 99.5 and 0.5 are 100 and 0
    return wins, 100 - wins - losses, losses


def chances_text(white: Wdl) -> str:
    """The probabilities of a White win, a draw and a Black win.

    >>> chances_text(Wdl(250, 620, 130))
    'White 25%, draw 62%, Black 13%'
    """
    return "White {}%, draw {}%, Black {}%".format(*percents(white))


def chances_of(board: chess.Board, line: Analysis) -> Wdl:
    """White's chances in an analysis of ``board``: as the engine gave them, else as its score means."""
    if line.wdl is not None:
        return line.wdl.white()
    return chances_on(board, line.score)


def line_text(board: chess.Board, line: Analysis) -> str:
    """One line of an analysis of ``board`` on one line of text."""
    bound = {"lowerbound": " or better", "upperbound": " or worse"}.get(line.bound, "")
    moves = board.variation_san(line.pv) if line.pv else ending_text(board)
    white, draw, black = percents(chances_of(board, line))
    chances = f"White {white:3}%  draw {draw:3}%  Black {black:3}%"
    return f"{score_text(line.score):>7}{bound}  {chances}  depth {line.depth:<3} {moves}"


def wrapped(text: str, width: int | None, indent: int = 0) -> str:
    """``text`` in rows of at most ``width`` characters (None: in one row), the later ones indented. A move stays with
    its number.

    >>> print(wrapped("  +0.10  depth 3  3. Nf3 Nf6 4. d3", 26, 9))
      +0.10  depth 3  3. Nf3
             Nf6 4. d3
    """
    if width is None or len(text) <= width:
        return text
    rows = textwrap.wrap(
        re.sub(r"(?<=\d\.) (?=\S)", "\xa0", text),
        max(width, indent + 10),
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(rows).replace("\xa0", " ")


def ending_text(board: chess.Board) -> str:
    """How the game on ``board`` ended, in words.

    >>> ending_text(chess.Board("R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1"))
    'checkmate, White wins'
    """
    outcome = ending(board)
    if outcome is None:
        return "the game goes on"
    how = outcome.termination.name.lower().replace("_", " ")
    if outcome.winner is None:
        return f"{how}, a draw"
    return f"{how}, {side(outcome.winner)} wins"
