"""Positions mean the same to the reader as over UCI."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.board.fen import set_fen, to_fen
from engine.board.setup import new_position
from engine.messages import PositionError
from engine.reading import read_position


@given(
    st.permutations("rrk.....").map("".join),
    st.permutations("RRK.....").map("".join),
    st.one_of(st.text("KQkqAHah", min_size=1, max_size=4), st.sampled_from(["B", "b", "Bb"])),  # one rook a side
)
@settings(max_examples=300)
def test_castling_rights_are_those_of_the_engine(black, white, rights):
    black, white = (re.sub(r"\.+", lambda gap: str(len(gap[0])), rank) for rank in (black, white))
    fen = f"{black}/8/8/pppppppp/PPPPPPPP/8/8/{white} w {rights} - 0 1"
    position = new_position()
    set_fen(position, fen)
    try:
        found = read_position(fen)
    except PositionError:  # python-chess takes two rights a side at most
        assert sum(map(str.isupper, set(rights))) > 2 or sum(map(str.islower, set(rights))) > 2
        return
    assert found.board.chess960 == bool(position["chess960"])
    assert found.board.fen() == to_fen(position)
