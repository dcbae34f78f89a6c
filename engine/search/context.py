"""What the search rules ask of a node and of a move, as values that compiled code keeps in registers."""

from typing import NamedTuple

from engine.board.aliases import Depth, Move, Score


class Node(NamedTuple):
    """The node under search, as its moves are tried."""

    #: Plies still to search.
    depth: Depth
    #: The corrected static evaluation in centipawns, NONE in check.
    static_eval: Score
    in_check: bool
    #: The side to move stands better than at its previous turn.
    improving: bool
    #: On the principal variation.
    is_pv: bool
    #: On the principal variation, or the table entry says that it was.
    tt_pv: bool
    #: A fail-high is expected.
    cut_node: bool
    #: Moves that give check are not pruned.
    spares_checks: bool


class Candidate(NamedTuple):
    """The move under consideration, before it is made."""

    move: Move
    #: From 1 on, in the order of the search.
    number: int
    #: Neither a capture nor a promotion.
    is_quiet: bool
    #: Its quiet or capture history.
    history: int
    #: It gives check, and is not pruned for that.
    is_check: bool
