"""A king alone: when a rook's pawn does not beat it, what mating material is worth, and how few nodes mate it; and what
a lead is worth with opposite bishops."""

import itertools
import random
from collections.abc import Iterator

import chess
import pytest

from engine import Engine, Limits
from engine.evaluation.choice import choose
from engine.evaluation.endgames import (
    NEARER,
    OPPOSITE_BISHOPS,
    STEP,
    WON,
    is_rook_pawn_draw,
    mop_up_value,
    opposite_bishops_value,
)
from tests.board.oracle import position_from

#: A rook counts besides: without that no pawn would be promoted.
ROOK_WINS = WON + 500


def value(fen: str) -> int:
    return int(mop_up_value(position_from(fen)))


@pytest.mark.parametrize(
    "fen",
    [
        chess.STARTING_FEN,
        "8/8/4k3/8/8/2K5/8/8 w - - 0 1",
        "8/8/4k3/8/8/2KN4/8/8 w - - 0 1",
        "8/8/4k3/8/8/2KB4/8/8 b - - 0 1",
        "8/8/4k3/8/8/2KNN3/8/8 w - - 0 1",
        "8/8/4k3/8/8/2KB1B2/8/8 w - - 0 1",  # both on light squares
        "8/8/4k3/8/8/2KP4/8/8 w - - 0 1",
        "8/8/4k3/4p3/8/2KQ4/8/8 w - - 0 1",  # not alone
    ],
)
def test_no_mop_up_value_outside_bare_king(fen):
    assert value(fen) == 0


@pytest.mark.parametrize("pieces", ["Q", "R", "BN", "QP", "RBN"])
def test_both_sides_are_treated_alike(pieces):
    board = chess.Board("8/8/4k3/8/8/2K5/8/8 w - - 0 1")
    for square, letter in zip((chess.D1, chess.F2, chess.H2), pieces, strict=False):
        board.set_piece_at(square, chess.Piece.from_symbol(letter))
    assert value(board.fen()) == -value(board.mirror().fen()) > WON // 2


def test_mop_up_prefers_edges_and_close_kings():
    # The lone king in the middle with the other one five steps off, then in the corner, then with the other one near.
    assert value("8/8/8/4k3/8/8/8/K6R w - - 0 1") == ROOK_WINS + NEARER * 3
    assert value("k7/8/8/8/8/8/8/K6R w - - 0 1") == ROOK_WINS + STEP * 6
    assert value("k7/8/K7/8/8/8/8/7R w - - 0 1") == ROOK_WINS + STEP * 6 + NEARER * 5


def test_bishop_and_knight_want_the_corner_of_the_bishop():
    light, dark = "8/8/8/8/8/8/4K3/1N3B2 w - - 0 1", "8/8/8/8/8/8/4K3/1NB5 w - - 0 1"

    def with_king(fen: str, square: str) -> int:
        board = chess.Board(fen)
        board.set_piece_at(chess.parse_square(square), chess.Piece.from_symbol("k"))
        return value(board.fen())

    # The same distance from the white king, so that only the corner differs.
    assert with_king(light, "a8") - with_king(light, "h8") == with_king(dark, "h8") - with_king(dark, "a8") > 0


@pytest.mark.parametrize("pieces", ["Q", "QR", "BN", "QPPPP", "QRBBNNPPPP"])
def test_mop_up_exceeds_network_values_before_it(pieces):
    """Or the last pawn would not be taken."""
    network, source = choose("NNUE", ""), random.Random(pieces)
    board = chess.Board(None)
    for _ in range(200):
        board.clear()
        for square, letter in zip(source.sample(chess.SQUARES, len(pieces) + 3), "pkK" + pieces, strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        after = board.copy()
        for square in board.pieces(chess.PAWN, chess.BLACK):
            after.remove_piece_at(square)
        if board.is_valid() and after.is_valid():
            assert value(after.fen()) > network.value(position_from(board.fen()))


@pytest.mark.parametrize(
    ("start", "nodes"),
    [
        ("7k/8/8/8/8/8/2Q5/K7 w - - 0 1", 1_000),
        ("8/8/8/4k3/8/8/8/KR6 w - - 0 1", 5_000),
        ("8/8/8/4k3/8/8/8/KBB5 w - - 0 1", 5_000),
        ("8/8/8/4k3/8/8/8/KBN5 w - - 0 1", 20_000),
    ],
)
def test_few_nodes_mate(start, nodes):
    board = chess.Board(start)
    with Engine(hash=4) as numbat:
        while not board.is_game_over() and not board.is_repetition(3):
            board.push(chess.Move.from_uci(str(numbat.search(board, Limits(nodes=nodes)).pv[0])))
    assert board.is_checkmate()
    assert board.halfmove_clock < 100


def is_drawn(board: chess.Board) -> bool:
    return bool(is_rook_pawn_draw(position_from(board.fen())))


TRANSFORMS = [
    lambda board: board,
    chess.Board.mirror,
    lambda board: board.transform(chess.flip_horizontal),
    lambda board: board.mirror().transform(chess.flip_horizontal),
]


@pytest.mark.parametrize(
    ("fen", "drawn"),
    [
        ("k7/8/1K6/P7/8/8/3B4/8 w - - 0 72", True),
        ("8/1k6/8/P2K4/8/8/3B4/8 w - - 0 72", True),
        ("8/1k6/8/P2K4/8/8/3B4/8 b - - 0 72", True),
        ("8/8/1k6/P2K4/8/8/3B4/8 b - - 0 72", False),  # not there yet: that is for the search to see
        ("k7/8/1K6/P7/8/8/8/5B2 w - - 0 72", False),  # a bishop of the right colour
        ("k7/8/1K6/P7/P7/8/3B4/4B3 w - - 0 72", True),
        ("k7/8/1K6/P7/P7/8/3B4/5B2 w - - 0 72", False),  # one of each
        ("k7/8/1K6/P7/1P6/8/3B4/8 w - - 0 72", False),  # a pawn that queens elsewhere
        ("k7/7p/1K6/P7/8/8/3B4/8 w - - 0 72", False),  # a pawn that has to move when its king cannot
        ("7k/8/6K1/P7/8/8/3B4/8 w - - 0 72", False),  # the other corner
        ("k7/8/1K6/P7/8/8/3N4/8 w - - 0 72", False),
        ("k7/8/1K6/P7/P7/8/8/8 w - - 0 72", True),  # no bishop at all
        (chess.STARTING_FEN, False),
    ],
)
@pytest.mark.parametrize("transform", TRANSFORMS)
def test_the_corner_of_a_rook_pawn(fen, drawn, transform):
    """For White and for Black, on the left and on the right, which change places with the colours of the squares."""
    assert is_drawn(transform(chess.Board(fen))) is drawn


def cornered(king: int, strong: int, pawns: list[int], bishops: list[int], turn: chess.Color) -> chess.Board:
    """A board with pawns of White."""
    board = chess.Board.empty()
    for squares, kind in ((pawns, chess.PAWN), (bishops, chess.BISHOP), ([strong], chess.KING)):
        for square in squares:
            board.set_piece_at(square, chess.Piece(kind, chess.WHITE))
    board.set_piece_at(king, chess.Piece(chess.KING, chess.BLACK))
    board.turn = turn
    return board


def boards_at_random(count: int, pawns: tuple[int, ...], bishops: tuple[int, ...]) -> Iterator[chess.Board]:
    """Legal boards with pawns on the a-file, and as many bishops that do not control a8."""
    source = random.Random(count)
    while count:
        board = cornered(
            source.choice((chess.A8, chess.A7, chess.B7, chess.B8, source.randrange(64))),
            source.randrange(64),
            source.sample(range(chess.A2, chess.A8, 8), source.choice(pawns)),
            source.sample(list(chess.SquareSet(chess.BB_DARK_SQUARES)), source.choice(bishops)),
            source.random() < 0.5,
        )
        if board.is_valid() and any(board.legal_moves):
            count -= 1
            yield board


def test_rule_draws_are_draws_in_the_tables(oracle):
    drawn = 0
    for board in boards_at_random(3_000, (1,), (0, 1)):
        if is_drawn(board):
            drawn += 1
            assert oracle.probe_wdl(board) == 0, board.fen()
    assert drawn > 1_000


@pytest.mark.slow
def test_all_that_is_drawn_by_the_rule_is_drawn_by_the_tables(oracle):
    drawn = 0
    near = [square for square in range(64) if chess.square_distance(square, chess.A8) <= 2]
    bishops = [[], *([square] for square in chess.SquareSet(chess.BB_DARK_SQUARES))]
    for pawn, bishop, strong, king, turn in itertools.product(
        range(chess.A2, chess.A8, 8), bishops, range(64), near, chess.COLORS
    ):
        if len({pawn, *bishop, strong, king}) < 3 + len(bishop) or chess.square_distance(strong, king) < 2:
            continue
        board = cornered(king, strong, [pawn], bishop, turn)
        if not board.was_into_check() and is_drawn(board):
            drawn += 1
            assert oracle.probe_wdl(board) == 0, board.fen()
    assert drawn > 50_000


def test_any_number_of_pawns_and_bishops_keeps_the_draw():
    """The tables end with four pieces, so this is the proof: no move of the stronger side leads out of the rule, or a
    piece that has queened is lost at once; and the lone king, unless stalemated, has a move that stays."""
    drawn = 0
    for board in boards_at_random(500, (1, 2, 3), (0, 1, 2, 3)):
        if not is_drawn(board):
            continue
        drawn += 1
        if board.turn == chess.BLACK:
            assert stays(board), board.fen()
            continue
        for move in board.legal_moves:
            board.push(move)
            assert board.is_stalemate() or stays(board), board.fen()
            board.pop()
    assert drawn > 200


def stays(board: chess.Board) -> bool:
    """Whether the lone king, to move, has a move that keeps to the rule."""
    after = []
    for move in board.legal_moves:
        after.append(board.copy(stack=False))
        after[-1].push(move)
    return any(is_drawn(each) or each.is_insufficient_material() for each in after)


@pytest.mark.parametrize("kind", ["Material", "Classical", "NNUE"])
def test_every_evaluation_and_its_search_know_the_draw(kind):
    drawn, heading = chess.Board("1k6/8/1K6/P7/8/8/3B4/8 w - - 0 72"), chess.Board("8/3k4/5B2/8/6K1/P7/8/8 b - - 0 72")
    assert choose(kind, "").value(position_from(drawn.fen())) == 0
    with Engine(hash=1, EvalType=kind) as numbat:
        for board in (drawn, heading):
            assert numbat.search(board, Limits(nodes=2_000)).score.cp == 0


#: A pawn ahead without a passed one, with one, with doubled, connected and almost connected passed pawns.
DRAWISH = [
    "4k3/2b2pp1/8/8/8/6P1/2B2P1P/4K3 w - - 0 1",
    "4k3/2b2pp1/8/P7/8/6P1/2B2P2/4K3 w - - 0 1",
    "8/P7/P3k3/2B2p1p/5P2/4K2P/8/7b b - - 8 1",
    "4k3/2b5/8/PP6/8/8/2B5/4K3 w - - 0 1",
    "4k3/2b5/8/P1P5/8/8/2B5/4K3 w - - 0 1",
]

#: Passed pawns with two files between them, three connected ones, a pawn that holds none of them; and other pieces.
OTHERS = [
    "4k3/2b5/8/P2P4/8/8/2B5/4K3 w - - 0 1",
    "4k3/2b5/8/PPP5/8/8/2B5/4K3 w - - 0 1",
    "4k3/2b4p/8/P2P4/8/8/2B5/4K3 w - - 0 1",
    "4k3/3b4/8/PP6/8/8/2B5/4K3 w - - 0 1",
    "4k3/2b5/8/PP6/8/8/2BB4/4K3 w - - 0 1",
    "4k3/2b1n3/8/PP6/8/8/2B1N3/4K3 w - - 0 1",
    "4k3/8/8/PP6/8/8/2B5/4K3 w - - 0 1",
]


@pytest.mark.parametrize(
    ("fen", "divisor"), [*((fen, OPPOSITE_BISHOPS) for fen in DRAWISH), *((fen, 1) for fen in OTHERS)]
)
@pytest.mark.parametrize("transform", TRANSFORMS)
def test_opposite_bishops_divide_a_lead(fen, divisor, transform):
    """For either side to move; White is ahead before the board is turned."""
    ahead = 800 if chess.Board(fen).turn == chess.WHITE else -800
    for sign in (1, -1):
        board = transform(chess.Board(fen))
        if sign < 0:
            board.turn = not board.turn
        assert opposite_bishops_value(position_from(board.fen()), sign * ahead) == sign * ahead // divisor


def test_a_lead_counts_by_the_pawns_of_the_side_ahead():
    """White has both winning passed pawns, so a lead of Black is the smaller one."""
    position = position_from("4k3/2b5/8/P2P4/8/8/2B5/4K3 w - - 0 1")
    assert opposite_bishops_value(position, 800) == 800
    assert opposite_bishops_value(position, -800) == -800 // OPPOSITE_BISHOPS


def test_the_search_sees_opposite_bishops():
    with Engine(hash=4) as numbat:
        board = chess.Board(DRAWISH[2])
        assert -150 < numbat.search(board, Limits(nodes=60_000)).score.cp < 0
        assert numbat.evaluate([DRAWISH[2]])[0] == choose("NNUE", "").value(position_from(DRAWISH[2]))
