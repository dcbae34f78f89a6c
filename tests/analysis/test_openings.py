"""The table of openings."""

import chess

from engine.analysis.openings import book_moves, opening_of, table


def boards(*sans: str) -> list[chess.Board]:
    """The positions of a game."""
    board = chess.Board()
    result = [board.copy()]
    for san in sans:
        board.push_san(san)
        result.append(board.copy())
    return result


def test_openings_have_their_names():
    najdorf = boards("e4", "c5", "Nf3", "d6", "d4", "cxd4", "Nxd4", "Nf6", "Nc3", "a6", "Kd2")
    found = opening_of(najdorf)
    assert (found.eco, found.name) == ("B90", "Sicilian Defense: Najdorf Variation")
    assert book_moves(najdorf) == [False, *[True] * 10, False]
    assert opening_of(boards()) is None


def test_transpositions_count():
    direct = boards("d4", "Nf6", "c4", "e6", "Nc3", "Bb4")
    other = boards("c4", "Nf6", "d4", "e6", "Nc3", "Bb4")
    assert opening_of(direct) == opening_of(other)
    assert opening_of(direct).name == "Nimzo-Indian Defense"
    assert all(book_moves(other)[1:])


def test_traps_are_named_and_are_no_theory():
    mated = boards("f3", "e5", "g4", "Qh4#")
    assert "Fool's Mate" in opening_of(mated).name
    assert book_moves(mated)[3:] == [False, False]


def test_the_whole_table_is_read():
    assert len(table().names) > 3700
    assert len(table().theory) > 7000
    assert chess.Board().epd() in table().theory
