"""What the runner itself costs: below 2 ms a move, with two engines that need no time."""

import time
from dataclasses import replace

import chess
import pytest

from tests.tuning.conftest import long_line
from tuning.matches import units
from tuning.matches.adjudication import Adjudication
from tuning.matches.game import Conditions
from tuning.matches.openings import Opening
from tuning.matches.units import Pair


@pytest.mark.slow
def test_a_move_costs_less_than_two_milliseconds(trivial):
    """The best of a few games: the whole wall time, engines and checks of their lines included."""
    line = long_line(150)
    engines = (trivial("a", line), trivial("b", [*line, "a1a1"]))
    conditions = Conditions(Adjudication(resign_moves=0, draw_moves=0, max_moves=75))
    costs = []
    for number in range(4):
        began = time.perf_counter()
        pair = Pair(number, engines, Opening(chess.STARTING_FEN), conditions, games=1)
        (record,) = units.play_pair(pair, lambda item: None)
        assert len(record.moves) == 150
        assert record.fault is None
        costs.append((time.perf_counter() - began) / len(record.moves))
    assert min(costs) < 0.002, f"{1000 * min(costs):.2f} ms a move"


def test_an_engine_takes_new_option_values_without_a_new_start(trivial):
    async def hash_sizes() -> list[tuple[int, str]]:
        seen = []
        for size in ("4", "8"):
            spec = replace(trivial("a", ["e2e4"]), name=f"with {size}", options={"Hash": size})
            async with units.engines().player(spec) as player:
                seen.append((player.protocol.transport.get_pid(), str(player.protocol.config["Hash"])))
                assert player.spec.name == f"with {size}"
        return seen

    (first_pid, first), (second_pid, second) = units.engines().run(hash_sizes())
    assert first_pid == second_pid
    assert (first, second) == ("4", "8")
