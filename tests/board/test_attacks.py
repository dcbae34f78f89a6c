"""Attack tables against python-chess, and the two ways of looking up sliders against each other."""

import json
from pathlib import Path

import chess
import numpy as np
import pytest

from engine.board import attacks, tables
from engine.board.tables import BISHOP_STEPS, ROOK_STEPS, TABLES, blocker_sets, relevant_squares, slider_attacks
from tests.board.oracle import position_of

U64 = np.uint64
SLIDERS = (("rook", ROOK_STEPS), ("bishop", BISHOP_STEPS))


@pytest.mark.parametrize(("name", "steps"), SLIDERS)
def test_magics_serve_every_set_of_blockers_on_every_square(name: str, steps: tuple) -> None:
    """No index leaves the table, and sets that share one share their attacks, whatever this machine uses."""
    magics = json.loads(Path(tables.__file__).with_name("magics.json").read_text())[name]
    assert len(magics) == 64
    for square in range(64):
        mask = relevant_squares(square, steps)
        blockers = blocker_sets(mask)
        expected = slider_attacks(square, steps, blockers)
        index = blockers * U64(int(magics[square], 16)) >> U64(64 - mask.bit_count())
        assert int(index.max()) < len(blockers)
        table = np.zeros(len(blockers), np.uint64)
        table[index] = expected
        assert (table[index] == expected).all(), square


@pytest.mark.parametrize(("name", "steps"), SLIDERS)
def test_the_shared_table_holds_every_set_once(name: str, steps: tuple) -> None:
    """Through the lookup of this machine, PEXT or magic, on every set of blockers of some squares."""
    lookup = attacks.rook_attacks if name == "rook" else attacks.bishop_attacks
    for square in (0, 27, 49, 63):
        blockers = blocker_sets(relevant_squares(square, steps))
        found = [lookup(square, blocker) for blocker in blockers]
        assert found == slider_attacks(square, steps, blockers).tolist()


def test_attackers_of_every_square_match_python_chess(boards: list[chess.Board]) -> None:
    for board in boards[::30]:
        position, occupied = position_of(board), U64(board.occupied)
        for square in chess.SQUARES:
            masks = [board.attackers_mask(color, square) for color in (chess.WHITE, chess.BLACK)]
            where = (board.fen(), chess.square_name(square))
            assert int(attacks.attackers_to(position, square, occupied)) == masks[0] | masks[1], where
            assert [attacks.is_attacked(position, square, color, occupied) for color in (0, 1)] == [
                mask != 0 for mask in masks
            ], where


def test_pawn_sets_do_not_wrap_around() -> None:
    for square in chess.SQUARES:
        bit = U64(1 << square)
        for color in (0, 1):
            assert int(attacks.all_pawn_attacks(bit, color)) == int(TABLES["pawn"][color, square])
        assert int(attacks.east(bit)) == (0 if square & 7 == 7 else 1 << square + 1)
        assert int(attacks.west(bit)) == (0 if square & 7 == 0 else 1 << square - 1)
