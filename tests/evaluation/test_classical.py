"""The classical evaluation: blind to colours, its trace true, its terms what python-chess sees."""

import json
import random

import chess
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.board.notation import find_move
from engine.board.setup import play_move
from engine.evaluation import material
from engine.evaluation.classical import features, weights
from engine.evaluation.classical.explain import classical_table, explain, shares, trace_of
from engine.evaluation.classical.pawns import PAWN_TABLE
from engine.evaluation.classical.scaling import SCALE_UNIT
from engine.evaluation.classical.value import classical_value, traced_value
from engine.jit import new_record
from tests.board.oracle import position_from


def clear(pawn_table):
    """Forget all structures, as after a change of weights."""
    for name in pawn_table["entry"].dtype.names:
        pawn_table["entry"][name] = 0


WARM = new_record(PAWN_TABLE)
ACCUMULATOR = new_record(material.ACCUMULATOR)


def value(table, position):
    material.refresh_accumulator(ACCUMULATOR, position)
    return int(classical_value(table, ACCUMULATOR, position))


def evaluated(fen, table=None):
    return value(WARM if table is None else table, position_from(fen))


def random_board(seed, plies=None):
    """A random game's position, captures preferred now and then so that endings occur."""
    choose = random.Random(seed)
    board = chess.Board()
    for _ in range(choose.randrange(200) if plies is None else plies):
        moves = list(board.legal_moves)
        if not moves or board.is_insufficient_material():
            break
        captures = [move for move in moves if board.is_capture(move)]
        board.push(choose.choice(captures if captures and choose.random() < 0.3 else moves))
    return board


def counts(board, name):
    """The trace of a group: [color] in its shape."""
    trace, _ = trace_of(position_from(board.fen()))
    group = next(group for group in features.GROUPS if group.name == name)
    part = trace["count"][:, group.start : group.start + group.size]
    return part.reshape(2, *group.shape)


# The sum -------------------------------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(st.integers(0, 10**9))
def test_the_mirrored_position_has_the_same_value(seed):
    board = random_board(seed)
    assert evaluated(board.fen()) == evaluated(board.mirror().fen())


@settings(max_examples=60)
@given(st.integers(0, 10**9))
def test_traced_counts_times_weights_are_the_value(seed):
    board = random_board(seed)
    trace, traced = trace_of(position_from(board.fen()))
    values, scale = weights.read_weights()
    middlegame, endgame = values @ (trace["count"][0] - trace["count"][1]).astype(np.int64)
    if not board.turn:
        middlegame, endgame = -middlegame, -endgame
    strong = int(board.turn != (endgame > 0))  # White is 0
    factor = int(scale[trace["scale_class"][strong]])
    phase = min(int(trace["accumulator"]["phase"]), 24)
    expected = (middlegame * phase * SCALE_UNIT + endgame * factor * (24 - phase)) // (24 * SCALE_UNIT)
    assert traced == expected
    assert traced == evaluated(board.fen())


def test_hashed_pawn_terms_equal_new_ones_along_random_games():
    warm, cold = new_record(PAWN_TABLE), new_record(PAWN_TABLE)
    choose = random.Random(11)
    for _ in range(12):
        board, position = chess.Board(), position_from(chess.STARTING_FEN)
        for _ in range(150):
            moves = list(board.legal_moves)
            if not moves:
                break
            move = choose.choice(moves)
            play_move(position, find_move(position, move.uci()))
            board.push(move)
            clear(cold)
            values = [value(table, position) for table in (warm, cold)]
            assert values[0] == values[1], board.fen()


def test_after_a_change_of_weights_a_cleared_hash_is_right():
    board = chess.Board("4k3/pp3ppp/8/3P4/8/8/PP3PPP/4K3 w - - 0 1")
    values, scale = weights.read_weights()
    table = new_record(PAWN_TABLE)
    before = evaluated(board.fen(), table)
    try:
        changed = values.copy()
        changed[:, features.PASSED : features.PASSED + 8] += 50
        weights.set_weights(changed, scale)
        clear(table)
        assert evaluated(board.fen(), table) - before == pytest.approx(50 * scale[6] / SCALE_UNIT, abs=2)
    finally:
        weights.set_weights(values, scale)


def test_start_position_is_worth_a_tempo():
    values, _ = weights.read_weights()
    assert evaluated(chess.STARTING_FEN) == values[0, features.TEMPO]


# Terms, by a slow naive reference ------------------------------------------------------------------------------------


def neighbours(file):
    return [other for other in (file - 1, file + 1) if 0 <= other <= 7]


def rank_of(square, color):
    """From the owner's side, 0 to 7."""
    return chess.square_rank(square) if color else 7 - chess.square_rank(square)


def pawn_reference(board, color):
    """The properties of the pawns of ``color``, from their definitions."""
    own, enemy = board.pieces(chess.PAWN, color), board.pieces(chess.PAWN, not color)
    found = {name: np.zeros(8, int) for name in ("isolated", "doubled", "backward", "phalanx", "supported", "passed")}
    for square in own:
        file, rank = chess.square_file(square), rank_of(square, color)
        ahead = {s for s in chess.SQUARES if rank_of(s, color) > rank}
        on_file = [s for s in enemy if s in ahead and chess.square_file(s) == file]
        free = int(not on_file)
        beside = [s for s in own if chess.square_file(s) in neighbours(file)]
        own_ahead = [s for s in own if s in ahead and chess.square_file(s) == file]
        found["doubled"][0] += bool(own_ahead)
        if board.attackers(color, square) & own:
            found["supported"][rank] += 1
        if any(rank_of(s, color) == rank for s in beside):
            found["phalanx"][rank] += 1
        stop = square + (8 if color else -8)
        if not beside:
            found["isolated"][free] += 1
        elif all(rank_of(s, color) > rank for s in beside) and board.attackers(not color, stop) & enemy:
            found["backward"][free] += 1
        guards = [s for s in enemy if s in ahead and abs(chess.square_file(s) - file) <= 1]
        if not guards and not own_ahead:
            found["passed"][rank] += 1
    return found


@pytest.mark.parametrize("seed", range(60))
def test_pawn_structure_agrees_with_the_definitions(seed):
    board = random_board(seed)
    for color in chess.COLORS:
        for name, expected in pawn_reference(board, color).items():
            found = counts(board, name)[0 if color else 1]
            assert found.tolist() == expected[: len(found)].tolist(), f"{name} {board.fen()}"


def mobility_reference(board, color):
    """Squares the pieces go to: not held by own king or stuck pawns nor attacked by enemy pawns."""
    table = np.zeros((4, 28), int)
    king, occupied = board.king(color), chess.SquareSet(board.occupied)
    stuck = [s for s in board.pieces(chess.PAWN, color) if s + (8 if color else -8) in occupied]
    enemy_pawns = board.pieces(chess.PAWN, not color)
    barred = {king, *stuck, *(s for s in chess.SQUARES if board.attackers(not color, s) & enemy_pawns)}
    transparent = {
        chess.KNIGHT: chess.SquareSet(),
        chess.BISHOP: board.pieces(chess.QUEEN, color),
        chess.ROOK: board.pieces(chess.QUEEN, color) | board.pieces(chess.ROOK, color),
        chess.QUEEN: chess.SquareSet(),
    }
    for kind, unseen in transparent.items():
        for square in board.pieces(kind, color):
            seen = chess.Board(None)
            for other, piece in board.piece_map().items():
                if other not in unseen or other == square:
                    seen.set_piece_at(other, piece)
            table[kind - chess.KNIGHT, len(set(seen.attacks(square)) - barred)] += 1
    return table


@pytest.mark.parametrize("seed", range(30))
def test_mobility_agrees_with_python_chess(seed):
    board = random_board(seed)
    for color in chess.COLORS:
        assert np.array_equal(counts(board, "mobility")[0 if color else 1], mobility_reference(board, color))


@pytest.mark.parametrize("seed", range(30))
def test_open_files_and_hanging_pieces_match_python_chess(seed):
    board = random_board(seed)
    for color in chess.COLORS:
        files = np.zeros(2, int)
        for square in board.pieces(chess.ROOK, color):
            pawns = [s for s in board.pieces(chess.PAWN, color) | board.pieces(chess.PAWN, not color)
                     if chess.square_file(s) == chess.square_file(square)]  # fmt: skip
            if not any(board.color_at(s) == color for s in pawns):
                files[int(not pawns)] += 1
        assert counts(board, "rook_file")[0 if color else 1].tolist() == files.tolist()
        threatened = np.zeros(6, int)
        for square, piece in board.piece_map().items():
            by_pawn = board.attackers(color, square) & board.pieces(chess.PAWN, color)
            if piece.color != color and piece.piece_type != chess.PAWN and by_pawn:
                threatened[piece.piece_type - 1] += 1
        assert counts(board, "pawn_threat")[0 if color else 1].tolist() == threatened.tolist()


@pytest.mark.parametrize(
    ("fen", "name", "white", "black"),
    [
        ("4k3/8/8/8/3N4/2P5/8/4K3 w - - 0 1", "outpost", [1, 0], [0, 0]),
        ("4k3/4p3/8/8/3N4/2P5/8/4K3 w - - 0 1", "outpost", [0, 0], [0, 0]),
        ("4k3/3p4/8/8/3N4/2P5/8/4K3 w - - 0 1", "outpost", [1, 0], [0, 0]),
        ("2b1kb2/8/8/8/8/8/8/2B1K3 w - - 0 1", "bishop_pair", [0], [1]),
        ("4k3/8/8/8/8/8/6B1/4K3 w - - 0 1", "long_diagonal", [1], [0]),
        ("4k3/8/8/4p3/8/8/6B1/4K3 w - - 0 1", "long_diagonal", [1], [0]),
        ("4k3/8/8/3p4/8/8/6B1/4K3 w - - 0 1", "long_diagonal", [1], [0]),
        ("4k3/8/8/8/4p3/8/6B1/4K3 w - - 0 1", "long_diagonal", [0], [0]),
        ("4k3/8/8/8/P7/8/8/R3K3 w - - 0 1", "rook_behind", [1, 0], [0, 0]),
        ("4k3/8/8/8/P7/8/8/r3K3 w - - 0 1", "rook_behind", [0, 1], [0, 0]),
        ("8/8/8/P6k/8/8/8/K7 w - - 0 1", "unstoppable", [1], [0]),
        ("8/8/8/P4k2/8/8/8/K7 w - - 0 1", "unstoppable", [1], [0]),
        ("8/8/8/P3k3/8/8/8/K7 b - - 0 1", "unstoppable", [0], [0]),
        ("8/8/8/P3k3/8/8/8/K7 w - - 0 1", "unstoppable", [1], [0]),
        ("8/8/8/P2k4/8/8/8/K7 w - - 0 1", "unstoppable", [0], [0]),
        ("5n1k/8/8/P7/8/8/8/K7 w - - 0 1", "unstoppable", [0], [0]),
        ("4k3/8/4p3/3P4/8/8/8/4K3 w - - 0 1", "tempo", [1], [0]),
        ("4k3/8/4p3/3r4/8/8/8/3QK3 b - - 0 1", "hanging", [0], [0]),
        ("4k3/8/8/3r4/8/8/8/3QK3 b - - 0 1", "hanging", [1], [0]),
    ],
)
def test_terms_are_seen_where_they_are(fen, name, white, black):
    found = counts(chess.Board(fen), name)
    assert [found[0].tolist(), found[1].tolist()] == [white, black]
    mirrored = counts(chess.Board(fen).mirror(), name)
    assert [mirrored[1].tolist(), mirrored[0].tolist()] == [white, black]


def test_shelter_and_storm_look_at_the_nearest_pawns():
    board = chess.Board("4k3/8/8/6p1/8/7P/5P2/6K1 w - - 0 1")
    shelter, storm = counts(board, "shelter")[0], counts(board, "storm")[0]
    found = {(int(edge), int(rank)) for edge, rank in np.argwhere(shelter)}
    assert found == {(2, 1), (1, 0), (0, 2)}  # f2, nothing on the g-file, h3
    assert np.argwhere(storm).tolist() == [[0, 0], [0, 4]]
    assert storm.sum() == 3


@pytest.mark.parametrize(
    ("fen", "expected"),
    [
        ("4k3/8/8/4b3/8/8/PPB5/4K3 w - - 0 1", (9 * 2 + 2, 9 * 3 + 0)),
        ("4k3/7r/8/4b3/8/8/PPB4R/4K3 w - - 0 1", (9 * 1 + 2, 9 * 3 + 0)),
        ("4k3/7p/8/3b4/8/8/PPB5/4K3 w - - 0 1", (2, 1)),
        ("4k3/7p/8/8/8/8/2B5/4K3 w - - 0 1", (9 * 3, 1)),
        ("4k3/7p/8/8/8/8/2R5/4K3 w - - 0 1", (0, 1)),
    ],
)
def test_endings_are_classed(fen, expected):
    trace, _ = trace_of(position_from(fen))
    assert tuple(trace["scale_class"]) == expected


# The table and the file ----------------------------------------------------------------------------------------------


def test_the_table_sums_up_to_the_value():
    fen = "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 b - - 0 9"
    trace, value = trace_of(position_from(fen))
    middlegame, endgame = (share[0] - share[1] for share in sum(shares(trace).values()).T)
    explained = explain(position_from(fen))
    assert [name for name, _, _ in explained] == list(features.TERMS)
    assert sum(white - black for _, white, black in explained) == pytest.approx(-value, abs=len(explained))
    assert min(middlegame, endgame) - 1 <= -value <= max(middlegame, endgame) + 1
    text = classical_table(position_from(fen))
    for term in features.TERMS:
        assert f"{term} |" in text
    assert f"{-value / 100:.2f} pawns from White's view" in text


@pytest.fixture
def table():
    return json.loads(weights.WEIGHTS_FILE.read_text())


def test_the_weights_file_names_its_source(table):
    recipe = table["recipe"]
    assert recipe["command"].startswith("python -m tuning.texel")
    assert all(source["positions"] > 1000 and source["games"] > 100 for source in recipe["sources"])
    assert {"seed", "loss"} <= set(recipe)


def test_a_packed_weight_holds_both_stages():
    values = np.array([[-300, 0, 17, 20_000], [250, -1, -17, -20_000]])
    assert np.array_equal(weights.unpack(weights.pack(values)), values)
    total = weights.pack(values).sum()
    assert weights.unpack(np.array([total]))[:, 0].tolist() == values.sum(axis=1).tolist()


@pytest.mark.parametrize(
    ("spoil", "complaint"),
    [
        (lambda table: table["features"]["tempo"].pop("endgame"), "'endgame' is missing"),
        (lambda table: table.pop("scale"), "'scale' is missing"),
        (lambda table: table["features"]["isolated"].update(endgame=[1, 2, 3]), "isolated endgame has the shape (3,)"),
        (lambda table: table["features"]["tempo"].update(middlegame=[1.5]), "tempo middlegame holds something other"),
        (lambda table: table["features"].update(tempi={}), "no feature is called 'tempi'"),
        (lambda table: table["piece_square"]["rook"]["endgame"][0].pop(), "piece_square rook endgame has rows"),
    ],
)
def test_a_wrong_file_is_refused_by_name_and_the_weights_stay(spoil, complaint, table, tmp_path):
    before = weights.WEIGHTS["value"].copy()
    spoil(table)
    file = tmp_path / "wrong.json"
    file.write_text(json.dumps(table))
    with pytest.raises(weights.WeightsError) as caught:
        weights.load_weights(file)
    assert str(file) in str(caught.value)
    assert complaint in str(caught.value)
    assert np.array_equal(weights.WEIGHTS["value"], before)


@pytest.mark.parametrize("text", [None, "not JSON"])
def test_a_file_that_cannot_be_read_is_refused_by_name(text, tmp_path):
    file = tmp_path / "weights.json"
    if text is not None:
        file.write_text(text)
    with pytest.raises(weights.WeightsError, match=r"weights\.json: "):
        weights.load_weights(file)


def test_a_trace_leaves_the_pawn_hash_right():
    table = new_record(PAWN_TABLE)
    board = random_board(3, 40)
    fresh = evaluated(board.fen(), table)
    traced_value(table, position_from(board.fen()), new_record(weights.TRACE))
    assert evaluated(board.fen(), table) == fresh
