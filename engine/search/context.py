"""The node and the move that search rules examine, as values that compiled code keeps in registers."""

from typing import NamedTuple

from engine.board.aliases import Depth, Move, Score


class NodeState(NamedTuple):
    """The node under search, as its moves are tried."""

    #: Remaining depth in plies.
    depth: Depth
    #: Corrected static evaluation in centipawns; NONE in check.
    static_eval: Score
    in_check: bool
    #: The static evaluation is better than at this side's previous turn.
    improving: bool
    #: In the principal variation.
    is_pv: bool
    #: In the principal variation, now or when the TT entry was stored.
    tt_pv: bool
    #: A fail-high is expected.
    cut_node: bool
    #: Direct checks are pruned by static exchange evaluation only.
    spares_checks: bool


class Candidate(NamedTuple):
    """The move under consideration, before it is made."""

    move: Move
    #: The move number in search order, from 1.
    number: int
    #: Neither a capture nor a promotion.
    is_quiet: bool
    #: Its quiet or capture history.
    history: int
    #: Gives direct check at a node that spares checks.
    is_check: bool
