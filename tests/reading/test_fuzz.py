"""Any bytes at all: the games that python-chess reads or a remark on the difference, no exception."""

# ruff: noqa: E501, RUF001

import io
import logging
import re
from pathlib import Path

import chess
import chess.pgn
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.analysis.files import pgn_text
from engine.messages import PositionError
from engine.reading.games import games_of
from engine.reading.positions import read_position
from engine.reading.text import ReadError, lines_of

#: Valid and invalid parts of PGN and EPD.
PIECES = [
    '[Event "a"]\n', '[White "x"]\n', '[FEN "4k3/8/8/8/8/8/8/4K2R w K - 0 1"]\n', '[FEN "4k3/8/8/8/8/8/8/4K2R w KQ e3 0 1"]\n',
    '[Variant "Chess960"]\n', '[Result "1-0"]\n', "[", "]", '"', "\n", "\n\n", "\r", "\r\n", " ", "\t", "%", ";", "{", "}", "(", ")",
    "<", "$", "$1", "$999999999999", "!", "??", "*", "1-0", "1/2-1/2", "½-½", "1.", "1... ", "2. ", "2", "e4 ", "e5 ", "Nf3 ",
    "Nc6 ", "d4", "exd5", "O-O", "0-0", "o-o", "--", "Z0", "0000", "e8=Q", "e8(Q)", "Cf3", "Sc6", "Кf3", "♘f3", "Bxc9", "nf3", "Ke2",
    "P", "N", "+", "+-", "=", "±", "0-0", "[White “x”]\n", ".", "…", "hello", "{ a comment }", "( 1. d4 d5 ) ", "\x00", "\ufeff", "\xa0", "é", "\u2028",
]  # fmt: skip

TEXTS = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)
ENCODED = st.builds(str.encode, TEXTS, st.sampled_from(["utf-8", "utf-8", "utf-8-sig", "utf-16", "utf-32"]))
SPOILT = st.builds(
    lambda data, at, more: data[:at] + more + data[at:], ENCODED, st.integers(0, 200), st.binary(max_size=3)
)
FAMOUS = (Path(__file__).parent.parent / "analysis" / "famous.pgn").read_bytes()


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A piece of real games with a few changes."""
    start = draw(st.integers(0, len(FAMOUS)))
    data = FAMOUS[start : start + 700]
    for _ in range(draw(st.integers(0, 4))):
        at, cut = draw(st.integers(0, 700)), draw(st.integers(0, 30))
        data = data[:at] + draw(st.sampled_from(["", *PIECES])).encode() + data[at + cut :]
    return data


ANYTHING = st.one_of(damaged(), TEXTS.map(str.encode), ENCODED, SPOILT, st.binary(max_size=200))


def read(data: bytes) -> tuple[list[chess.pgn.Game], list[str]]:
    """Games and remarks."""
    remarks: list[str] = []
    lines = lines_of(io.BytesIO(data), lambda line, text: remarks.append(f"{line}: {text}"), "x")
    try:
        return [found.game for found in games_of(lines, remarks.append)], remarks
    except ReadError as error:
        return [], [str(error)]


class Builder(chess.pgn.GameBuilder[chess.pgn.Game]):
    """Knows whether there was a tag or a move, and is silent."""

    found = False

    def visit_header(self, tagname: str, tagvalue: str) -> None:
        self.found = True
        super().visit_header(tagname, tagvalue)

    def visit_move(self, board: chess.Board, move: chess.Move) -> None:
        self.found = True
        super().visit_move(board, move)

    def handle_error(self, error: Exception) -> None:
        self.game.errors.append(error)


def text_of(data: bytes) -> str:
    return "\n".join(line for _, line in lines_of(io.BytesIO(data), lambda line, text: None, "x"))


def read_by_oracle(data: bytes) -> list[chess.pgn.Game]:
    stream = io.StringIO(text_of(data))
    games = []
    while True:
        builder = Builder()
        if chess.pgn.read_game(stream, Visitor=lambda builder=builder: builder) is None:
            return games
        if builder.found:
            games.append(builder.game)


def tree(game: chess.pgn.Game) -> object:
    """All that a game holds; comments without their white space, as lines may be broken in them."""
    nodes: list[object] = [dict(game.headers), *game.comment.split()]
    stack: list[chess.pgn.GameNode] = [game]
    while stack:
        node = stack.pop()
        for child in node.variations:
            comments = child.starting_comment.split(), child.comment.split()
            nodes.append((child.move, sorted(child.nags), *comments, len(child.variations)))
        stack += node.variations
    return nodes


def check(data: bytes) -> None:
    games, remarks = read(data)
    for game in games:
        assert game.board().is_valid()
        board = game.board()
        for move in game.mainline_moves():
            assert not move or move in board.legal_moves
            board.push(move)
    written = "\n\n".join(map(pgn_text, games)).encode()
    assert list(map(tree, read(written)[0])) == list(map(tree, games))
    # python-chess drops comments behind semicolons and signs behind moves, moves comments behind variations, keeps
    # backslashes in tags, sees null moves in numbers, and always castling in 0-0
    if not remarks and not re.search(r";|\)\s*\{|\\|\d0000|0000[\d.\u2026]|[=\u00b1]|\+-|N(?!\S)|0-0", text_of(data)):
        assert list(map(tree, games)) == list(map(tree, read_by_oracle(data)))


@pytest.fixture(autouse=True)
def silence() -> None:
    logging.getLogger("chess.pgn").setLevel(logging.CRITICAL)


CORPUS = [
    b"1. e4 e5 (1... c5 2. Nf3 {a} (2. c3 $1 d5) d6) 2. Nf3 *\n\n[Event \"b\"]\n\n1. d4 $5 {x\ny} d5 1-0",
    b'{ before } 1. e4 { a } { b } e5 ( { c } 1... d5 { d } ) { e } 2. d4 *',
    b"1. e4 (1. d4 d5", b"1. e4 ) e5", b"(1. e4) 1. d4", b"1. e4 (()) e5", b"1. e4 ((1. d4) 1. c4) e5", b"1. e4 $ e5", b"{", b"(", b")",
    b"1. e4 1. e4", b"1.e4e5", b"1.e4 e5 2.--", b"0000", b"1. e4 [e5]", b"1. e4 e5 % not\n% 2. Ke2\n2. d4", b"e4 }", b"e4 \x85 e5",
    b'[Event "a"]\n\n\n\n1. e4', b'[A "b"] x\n1. e4', b'[A "b" ]\n1. e4', b'[Event "a]\n1. e4', b'[A "x\\"y"]\n\n1. e4',
    b'[FEN "x"]\n\n*', b'[FEN ""]\n\n*', b'[Variant ""]\n\n1. e4', b'[Variant "x"]\n\n1. e4', b'[Result "?"]\n\n1. e4 0-1',
    b'[A "1"]\n\n[B "2"]\n\n1. e4', b'[A "1"]\n\n[A "2"]\n\n1. e4', b"1. e4 $" + b"9" * 5000, b"9" * 5000 + b". e4", b"\xff\xfe[", b"\0\0",
    b'[White [Black "x"]]\n\n1. e4', b'[White "a\\"] b"]\n\n1. e4', b'[White "a\\"] [Black "x"]\n\n1. e4', b'[White "a\\\\"]\n\n1. e4',
    b"1. f3 e5 2. g4 Qh4# ( 1-0", b"1. f3 e5 2. g4 Qh4# 3. a3 1-0", b"1. f3 e5 2. g4 Qh4# (2... d6 3. Ke9) 1-0",
]  # fmt: skip


@pytest.mark.parametrize("data", CORPUS)
def test_the_corpus(data):
    check(data)


@given(ANYTHING)
@settings(max_examples=150)
def test_any_bytes(data):
    check(data)


@pytest.mark.slow
@given(ANYTHING)
@settings(max_examples=20_000)
def test_very_many_bytes(data):
    check(data)


POSITIONS = st.lists(
    st.sampled_from(["4k3/8/8/8/8/8/8/4K2R", "w", "b", "K", "KQkq", "HAha", "-", "e3", "0", "1", "99", "bm", "Rh8+;", "x", "é", "\x00"]),
    max_size=8,
).map(" ".join)  # fmt: skip


@given(st.one_of(POSITIONS, st.text(max_size=80)))
@example("4k3/8/8/8/8/8/8/4K2R w K - 0 1")
@example("4k3/8/8/8/8/8/8/4K2R w KQkq - bm Rh8+;")
def test_any_line_is_a_legal_position_or_an_error(line):
    try:
        found = read_position(line)
    except PositionError:
        return
    assert not found.board.status() & ~chess.STATUS_IMPOSSIBLE_CHECK
    assert line.endswith(found.rest)
    if not found.repairs and len(line.split()) > 3:
        assert found.board.epd() == chess.Board(" ".join(line.split()[:4]), chess960=found.board.chess960).epd()
