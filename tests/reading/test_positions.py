"""Positions mean the same to the reader, over UCI and to python-chess."""

import re

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.board.fen import set_fen, to_fen
from engine.board.setup import new_position
from engine.reading import read_position


@given(
    st.permutations("rrk.....").map("".join),
    st.permutations("RRK.....").map("".join),
    st.one_of(st.text("KQkqAHah", min_size=1, max_size=4), st.sampled_from(["B", "b", "Bb"])),  # one rook a side
)
@settings(max_examples=300)
def test_castling_rights_are_those_of_python_chess(black, white, rights):
    black, white = (re.sub(r"\.+", lambda gap: str(len(gap[0])), rank) for rank in (black, white))
    fen = f"{black}/8/8/pppppppp/PPPPPPPP/8/8/{white} w {{}} - 0 1"
    try:
        board = chess.Board(fen.format("".join(sorted(set(rights), key=str.islower))), chess960=True)
    except ValueError:  # python-chess takes two rights a side at most
        return
    board.castling_rights = board.clean_castling_rights()
    position = new_position()
    set_fen(position, fen.format(rights), chess960=True)
    assert read_position(fen.format(rights), chess960=True).board.fen() == to_fen(position) == board.fen()


@pytest.mark.parametrize(
    ("line", "fen", "rest", "remarks"),
    [
        ('1r6/8/8/5k2/8/8/8/K7 w - - - bm Kb1; id "1";', "1r6/8/8/5k2/8/8/8/K7 w - - 0 1", 'bm Kb1; id "1";', 1),
        ("4k3/8/8/8/8/8/8/4K2R w K - hmvc 7; fmvn 33;", "4k3/8/8/8/8/8/8/4K2R w K - 7 33", "hmvc 7; fmvn 33;", 0),
        ("4k3/8/8/8/8/8/8/4K2R w K - bm O-O; fmvn 33", "4k3/8/8/8/8/8/8/4K2R w K - 0 33", "bm O-O; fmvn 33", 0),
        ("r4rk1/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "r4rk1/8/8/8/8/8/8/R3K2R w KQ - 0 1", "", 1),
    ],
)  # fmt: skip
def test_what_stands_after_the_fields_of_a_position(line, fen, rest, remarks):
    found = read_position(line)
    assert (found.board.fen(), found.rest, len(found.repairs)) == (fen, rest, remarks)
    assert remarks or chess.Board.from_epd(line)[0] == found.board
