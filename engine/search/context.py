"""The node and the move that search rules examine, as values that compiled code keeps in registers."""

from typing import NamedTuple

from engine.board.aliases import Depth, Move, Score


class NodeState(NamedTuple):
    """The node under search, as its moves are tried."""

    depth: Depth  # remaining depth in plies
    static_eval: Score  # corrected static evaluation in centipawns; NONE in check
    in_check: bool
    improving: bool  # the static evaluation is better than at this side's previous turn
    is_pv: bool  # in the principal variation
    tt_pv: bool  # in the principal variation, now or when the TT entry was stored
    cut_node: bool  # a fail-high is expected
    spares_checks: bool  # direct checks are pruned by static exchange evaluation only


class Candidate(NamedTuple):
    """The move under consideration, before it is made."""

    move: Move
    number: int  # the move number in search order, from 1
    is_quiet: bool  # neither a capture nor a promotion
    history: int  # its quiet or capture history
    is_check: bool  # gives direct check at a node that spares checks
