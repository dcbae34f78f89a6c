"""The outlook of a quiet position: the best move, who stands better, and each side's lasting advantages, now and all
along the best line."""

from typing import Literal

import chess
from chess.engine import PovScore

from engine.evaluation.classical.features import GROUPS
from engine.explanation.claims import Facts, Feature, FeatureAspect, Gain, Outlook
from engine.explanation.effort import spend
from engine.explanation.line import Line
from engine.explanation.material import balance, count
from engine.explanation.material_won import cancel, exchange_of, pieces
from engine.explanation.verdicts import expectation, level
from engine.play.boards import put_board
from engine.play.wdl import can_win

#: The evaluation's terms by aspect, and groups of their features left out: evaluations disagree on whose king has the
#: better shelter, and an attack on the whole flank says too little.
_TERMS: dict[FeatureAspect, str]
_TERMS = dict(pressure="king", passed="passed", mobility="mobility", structure="pawns")
_OMITTED_GROUPS = ("shelter", "storm", "flank_attack")

#: Expected points: at most this much less makes the second-best move hardly worse, at least this much clearly worse.
HARDLY_WORSE_POINTS, CLEARLY_WORSE_POINTS = 0.01, 0.22

#: Plies of the best line along which an advantage must persist, and the least length of the line.
_MAX_FEATURE_PLIES, _MIN_FEATURE_PLIES = 8, 4

#: Centipawns by which one side must be better off in an aspect at each of these points.
_MIN_MARGIN_CP: dict[FeatureAspect, int] = {"passed": 20, "structure": 15, "mobility": 30, "pressure": 40}

_DECISIVE_PAWNS = 3  # pawns of material that outweigh all other advantages
_AHEAD_PAWNS = 2  # pawns of material from which a side is ahead, whatever the pieces
_MAX_ASPECTS = 2  # the most aspects to mention


def outlook(line: Line, score: PovScore, other: tuple[chess.Move, PovScore] | None = None) -> Outlook:
    """Compare the first move of the best ``line`` with the ``other``, second-best one and its score, and say how the
    game stands and what the advantages of each side are."""
    board = line.boards[0]
    choice: Literal["only", "best", "hardly", "clearly"] = "best"
    if board.legal_moves.count() == 1:
        choice = "only"
    elif other is not None:
        best, next_best = (expectation(each.pov(board.turn), board.fullmove_number) for each in (score, other[1]))
        if best - next_best <= HARDLY_WORSE_POINTS:
            choice = "hardly"
        elif best - next_best >= CLEARLY_WORSE_POINTS:
            choice = "clearly"
    stands = level(expectation(score.white(), board.fullmove_number))
    certain = _is_certain(board, stands)
    return Outlook(line, choice, other and other[0], stands, () if certain else advantages(line), certain)


def _is_certain(board: chess.Board, stands: int) -> bool:
    """Whether the material alone decides a game in which White's level is ``stands``: neither side can force mate, or
    one has the pieces to mate a lone king."""
    pieces = [board.pawns, board.knights, board.bishops, board.rooks, board.queens]
    if stands == 0:
        return not any(can_win(pieces, own) for own in board.occupied_co)
    strong, weak = (board.occupied_co[color] for color in (stands > 0, stands < 0))
    return abs(stands) == level(1) and weak.bit_count() == 1 and can_win([0, *pieces[1:]], strong & ~board.pawns)


def advantages(line: Line) -> tuple[tuple[chess.Color, Facts], ...]:
    """The certain advantages of each side at the beginning of the best ``line``."""
    found: dict[chess.Color, Facts] = {}
    ahead = imbalance(line.boards[0])
    if ahead and all(imbalance(board) == ahead for board in line.after_captures[: _MAX_FEATURE_PLIES + 1]):
        found[ahead[0]] = (ahead[1],)
    for feature in () if decides(line.boards[0]) else (*features(line), *_bishops(line)):
        found[feature.color] = (*found.get(feature.color, ()), feature)
    return tuple(found.items())


def decides(board: chess.Board) -> bool:
    """Whether one side has so much more material that nothing else matters."""
    return abs(balance(board, chess.WHITE)) >= _DECISIVE_PAWNS


def _bishops(line: Line) -> tuple[Feature, ...]:
    """The bishop pair, if only one side has it and keeps it along ``line``."""
    for color in chess.COLORS:
        counts = [
            [count(board, each)[chess.BISHOP] for each in (color, not color)]
            for board in line.after_captures[: _MAX_FEATURE_PLIES + 1]
        ]
        if all(own == 2 > other for own, other in counts):
            return (Feature("bishops", color),)
    return ()


def features(line: Line) -> list[Feature]:
    """At most two aspects in which one side is clearly better off all along ``line``, the clearest first."""
    found = []
    for aspect, values in _along(line).items():
        color = values[0] > 0
        margin = max(min(values), -max(values))
        counts = 0, 0
        if aspect == "passed":
            counts = passed_pawns(line.boards[0], color), passed_pawns(line.boards[0], not color)
        if margin >= _MIN_MARGIN_CP[aspect] and (counts[0] or aspect != "passed"):
            found.append(Feature(aspect, color, margin, counts))
    return sorted(found, key=lambda feature: -feature.margin / _MIN_MARGIN_CP[feature.aspect])[:_MAX_ASPECTS]


def _along(line: Line) -> dict[FeatureAspect, list[int]]:
    """White's advantage in each aspect, in centipawns, after each move of ``line``; empty if the line is short."""
    if len(line) < _MIN_FEATURE_PLIES:
        return {}
    points = [aspects(board) for board in line.after_captures[: _MAX_FEATURE_PLIES + 1]]
    return {
        aspect: [point[chess.WHITE][aspect] - point[chess.BLACK][aspect] for point in points]
        for aspect in _MIN_MARGIN_CP
    }


def aspects(board: chess.Board) -> dict[chess.Color, dict[FeatureAspect, int]]:
    """For each side the values of the aspects, in centipawns at the position's phase, by the classical evaluation; its
    trace is compiled if it is not in the cache. Raises :class:`~engine.messages.PositionError` for a position that the
    engine refuses."""
    from engine.board.setup import new_position
    from engine.evaluation.classical.explain import group_shares

    position = new_position()
    put_board(position, board, board.chess960)
    spend()
    shares = group_shares(position)  # White's and Black's
    groups = {
        name: [group.name for group in GROUPS if group.term == term and group.name not in _OMITTED_GROUPS]
        for name, term in _TERMS.items()
    }
    return {
        color: {name: sum(shares[group][not color] for group in each) for name, each in groups.items()}
        for color in chess.COLORS
    }


def imbalance(board: chess.Board) -> tuple[chess.Color, Gain] | None:
    """The side ahead by two pawns, else that with the more valuable piece, and its gain; None if material is balanced.

    >>> imbalance(chess.Board("4k3/5ppp/8/8/8/2N5/5P2/4K3 w - - 0 1"))
    (True, Gain(kind='list', won=((2, 1),), paid=((1, 2),), square=None))
    """
    lead = balance(board, chess.WHITE)
    white, black = (count(board, color) for color in chess.COLORS)
    cancel(white, black)
    white, black = +white, +black
    color = lead > 0 if abs(lead) >= _AHEAD_PAWNS else max(white, default=0) >= max(black, default=0)
    more, less = (white, black) if color else (black, white)
    return (color, exchange_of(more, less) or Gain("list", pieces(more), pieces(less))) if more else None


def passed_pawns(board: chess.Board, color: chess.Color) -> int:
    """The number of passed pawns of ``color``: no enemy pawn ahead on their file or an adjacent one.

    >>> passed_pawns(chess.Board("4k3/5p2/8/8/8/8/P4P2/4K3 w - - 0 1"), chess.WHITE)
    1
    """
    sign = 1 if color else -1  # of ranks ahead
    pawns, others = (
        [(chess.square_file(square), sign * chess.square_rank(square)) for square in board.pieces(chess.PAWN, each)]
        for each in (color, not color)
    )
    return sum(not any(abs(file - x) <= 1 and rank < y for x, y in others) for file, rank in pawns)
