"""The classical evaluation's terms in human concepts, such as pressure on the king and mobility."""

import chess

from engine.evaluation.classical.features import GROUPS
from engine.explanation.claims import FeatureAspect
from engine.explanation.effort import spend
from engine.play.boards import put_board


def _groups_of(term: str) -> tuple[str, ...]:
    """The groups of features that the evaluation's table sums up as ``term``."""
    return tuple(group.name for group in GROUPS if group.term == term)


#: Groups of features by aspect. Of king safety only those of the attacker: evaluations disagree on whose shelter is
#: better, and an attack on the whole flank says too little.
_GROUPS: dict[FeatureAspect, tuple[str, ...]] = {
    "pressure": tuple(name for name in _groups_of("king") if name not in ("shelter", "storm", "flank_attack")),
    "passed": _groups_of("passed"),
    "mobility": _groups_of("mobility"),
    "structure": _groups_of("pawns"),
}


def aspects(board: chess.Board) -> dict[chess.Color, dict[FeatureAspect, int]]:
    """For each side the values of the aspects, in centipawns at the position's phase, by the classical evaluation.
    Compiles the classical evaluation's trace if it is not in the cache. Raises
    :class:`~engine.messages.PositionError` for a position that the engine refuses."""
    from engine.board.setup import new_position
    from engine.evaluation.classical.explain import group_shares

    position = new_position()
    put_board(position, board, board.chess960)
    spend()
    shares = group_shares(position)  # White's and Black's
    return {
        color: {name: sum(shares[group][not color] for group in groups) for name, groups in _GROUPS.items()}
        for color in chess.COLORS
    }
