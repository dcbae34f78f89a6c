"""The search's signature: a change of play changes it, and belongs in the commit message as ``Bench: N``."""

from engine import Engine

#: Nodes of ``python uci_main.py bench``. Update it with every change that is meant to alter the search.
BENCH = 2957882


def test_the_node_count_is_the_pinned_one() -> None:
    with Engine() as engine:
        assert engine.bench()[0] == BENCH
