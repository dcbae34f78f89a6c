"""Which moves get a mark, which one, and why."""

import io
from dataclasses import replace
from functools import partial
from itertools import pairwise

import chess
import chess.pgn
import pytest
from chess.engine import Cp, Limit, Mate, PovScore, Wdl
from chess.pgn import read_game

from engine.analysis.annotate import Annotator
from engine.analysis.files import games_in, read_games
from engine.analysis.notes import annotated
from engine.analysis.record import GameAnalysis, SearchResult
from engine.analysis.report import entry
from engine.api.types import Analysis
from engine.explanation import explain
from engine.explanation.grades import Grade
from tests.analysis.conftest import LONG, ByMaterial


def test_mistakes_are_found_and_the_rest_is_left_alone(numbat, pgn):
    first, second, third = read_games(pgn)
    annotator = Annotator(numbat, Limit(nodes=20_000))
    graded = {judged.san: judged for judged in annotator.annotate(first).judged_moves()}
    assert graded["Nf6"].grade is Grade.BLUNDER
    assert graded["Qxf7#"].grade is Grade.FINE
    assert {san: found.better for san, found in graded.items() if found.grade is Grade.FINE}.keys() >= {"e4", "e5"}
    assert graded["Nf6"].better[0] in list(first.mainline())[4].board().legal_moves
    tried, mate = map(chess.Move.from_uci, ("a7a6", "h5f7"))
    assert (tried, mate) in [line for line, _ in graded["Nf6"].bad_moves]
    assert {judged.san: judged.grade for judged in annotator.annotate(second).judged_moves()}["g4"] is Grade.BLUNDER
    stalemated = annotator.annotate(third).judged_moves()[-1]
    assert (stalemated.san, stalemated.grade) == ("Qf7", Grade.BLUNDER)
    assert stalemated.better


def test_unchanged_chances_are_omitted(numbat):
    (game,) = games_in('[FEN "6k1/8/6K1/8/8/8/8/R7 w - - 0 1"]\n\n1. Ra8# *')
    chances = Wdl(1000, 0, 0)
    moves = Annotator(numbat, Limit(depth=3)).annotate(game).judged_moves()
    for after, told in ((chances, False), (Wdl(500, 500, 0), True)):
        line = (chess.Move.from_uci("a1b1"),)
        moves[1] = replace(moves[1], grade=Grade.INACCURACY, better=line, chances=(chances, after))
        (node,) = annotated(game, "test", moves).mainline()
        assert ("White 100%" in node.comment) is told


def test_the_only_move_costs_nothing():
    game = read_game(io.StringIO('[FEN "7k/8/5K2/8/8/8/8/6R1 b - - 0 1"]\n\n1... Kh7 2. Kf7 Kh8 3. Rh1# *\n'))
    record = GameAnalysis.of(game)
    for at in (3, 2, 1, 0):
        record.set_result(at, SearchResult(1, PovScore(Cp(0), chess.WHITE), ()))
    had, has = record.change(0)
    assert had == has
    assert record.positions[0].score == record.score_after(0)


class Scripted:
    """In place of an engine: ``worth`` of a position's number, whether moves are left out, and the nodes is White's
    score and, if there is one, the best move; a dictionary does not mind the nodes. Each search is one ply deeper than
    the one before. ``asked`` are the nodes."""

    def __init__(self, worth):
        def found(at, others, nodes):
            return worth.get((at, others), worth.get((at, False), (0, "")))

        self.worth, self.searches = worth if callable(worth) else found, 0
        self.asked: dict[tuple[int, bool], list[int]] = {}

    def new_game(self):
        """Nothing is to be forgotten."""

    def analyse(self, board, limit, multipv=None, root_moves=None):
        at, amount = board.ply(), limit.nodes
        self.searches += 1
        if multipv is not None:
            return [self.found(board, 0, move.uci()) for move in root_moves]
        self.asked.setdefault((at, root_moves is not None), []).append(amount)
        return self.found(board, *self.worth(at, root_moves is not None, amount), limit.depth or self.searches)

    @staticmethod
    def found(board, score, move="", depth=0):
        points = Cp(score) if isinstance(score, int) else score
        line = (chess.Move.from_uci(move) if move else next(iter(board.legal_moves)),)
        return Analysis(PovScore(points, chess.WHITE), line, depth=depth)


def annotate_script(pgn, worth, nodes=1000, **options):
    engine = Scripted(worth)
    game = read_game(io.StringIO(pgn))
    return Annotator(engine, Limit(nodes=nodes), **options).annotate(game).judged_moves(), engine.asked


#: 1. e4 a5 2. Ba6 Nxa6: out of theory from the second move on, and the bishop is given for nothing.
GIVEN = "1. e4 a5 2. Ba6 Nxa6 *"


def test_a_move_that_proves_better_than_the_best_costs_nothing():
    scores = {(0, False): (20, "e2e4"), (2, False): (-500, "a2a3"), (3, False): (150, "b7a6"), (4, False): (140, "")}
    found, _ = annotate_script(GIVEN, {**scores, (2, True): (140, "a2a3")})
    assert found[3].grade is Grade.FINE
    assert found[2].score == PovScore(Cp(140), chess.WHITE)  # not -500: the move led to more


@pytest.mark.parametrize(
    ("rounds", "grade"),
    [
        ((-300, -300, -300), Grade.BLUNDER),
        ((30, 30, 30), Grade.MISTAKE),
        ((45, 45, 45), Grade.INACCURACY),
        ((60, 60, 60), Grade.FINE),  # less than an inaccuracy
        ((-300, 90, 90, 90), Grade.FINE),  # only the first search saw it
        ((30, 30, -300, -300, -300), Grade.BLUNDER),
        ((30, -300, 30, -300, 30), Grade.MISTAKE),  # the fainter of the last two
        ((60, 30, 60, 30, 60), Grade.FINE),
        ((30, 90, 30, 90, 30), Grade.UNCLEAR),  # it shows the fall of a mistake
        ((60, -300, -300, -300), Grade.BLUNDER),  # first it seems to cost little
    ],
)
def test_a_verdict_must_stand_while_the_limit_is_doubled(rounds, grade):
    """White has 100 with 2. Nf3, and after 2. a3 in each round of comparisons what ``rounds`` say; the first is the
    first search."""
    seen = list(rounds)

    def worth(at, others, nodes):
        if at == 2:
            return 100, "g1f3"
        return (seen.pop(0) if len(seen) > 1 and at == 3 else seen[0], "b8c6") if at > 2 else (100, "")

    (*_, judged), asked = annotate_script("1. e4 a5 2. a3 *", worth)
    assert judged.grade is grade
    assert judged.score == PovScore(Cp(rounds[-1]), chess.WHITE)
    amounts = asked.get((2, True), [])
    assert all(after == 2 * before for before, after in pairwise(amounts))
    assert 2 * sum(amounts) <= 10_000


def test_a_better_move_that_proves_bad_is_replaced():
    """2. Nf3 seems to be better, and a longer search finds that only 2. Nc3 is."""

    def worth(at, others, nodes):
        if at == 2:
            return (90, "b1c3") if others and nodes > 250 else (100, "g1f3")
        return (20, "") if at < 2 else (-300, "b8c6")

    found, _ = annotate_script("1. e4 a5 2. a3 Nc6 *", worth)
    assert (found[3].grade, found[3].better[0]) == (Grade.BLUNDER, chess.Move.from_uci("b1c3"))
    assert len(found[3].better) == len(found[3].reply) == 2, "a line of one move gets the answer to it"
    assert found[2].score == PovScore(Cp(90), chess.WHITE)


@pytest.mark.parametrize(("had", "has"), [(-450, -1300), (1300, 700), (-1200, -1300), (-333, -672)])
def test_a_decided_game_has_no_inaccuracies(had, has):
    found, _ = annotate_script(
        "1. e4 a5 2. a3 *", {(2, False): (had, "g1f3"), (2, True): (had, "g1f3"), (3, False): (has, "b8c6")}
    )
    assert found[3].grade is Grade.FINE


@pytest.mark.parametrize(("before", "after"), [(-1200, Mate(-2)), (Mate(+3), 1200)], ids=["allowed", "lost"])
def test_a_mate_in_a_decided_game_is_a_mistake_as_on_lichess(before, after):
    scores = {(2, False): (before, "a2a3"), (3, False): (after, "b8a6"), (4, False): (after, "")}
    found, _ = annotate_script(GIVEN, {**scores, (2, True): (before, "a2a3")})
    assert found[3].grade is Grade.MISTAKE


def test_a_repeated_move_that_draws_has_a_mark_of_its_own():
    scores = {(at, False): (score, "d7d5") for at, score in enumerate((0, 0, 0, -600, -200, -200, -200, -600))}
    found, _ = annotate_script(
        "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 *",
        {**scores, (3, True): (-600, "d7d5"), (7, True): (-600, "d7d5")},
    )
    assert (found[4].grade, found[8].grade) == (Grade.MISTAKE, Grade.BLUNDER)


@pytest.mark.parametrize(
    ("after", "other", "grade"), [(75, 20, Grade.FINE), (200, 20, Grade.BLUNDER), (150, 900, Grade.FINE)]
)
def test_a_book_move_gets_no_praise_and_no_inaccuracy(after, other, grade):
    """The Englund Gambit, 1. d4 e5, is a bad opening and a known one."""
    scores = {(at, False): (score, "a2a3") for at, score in enumerate((20, 20, after, after, after, after, 600))}
    scores |= {(5, True): (after, "d8e7"), (1, True): (other, "d7d5"), (1, False): (min(after, other), "d7d5")}
    found, _ = annotate_script("1. d4 e5 2. dxe5 Nc6 3. Nf3 a5 *", scores)
    assert [judged.book for judged in found] == [False, True, True, True, True, True, False]
    assert found[2].grade is grade
    assert {judged.grade for judged in found[3:6]} == {Grade.FINE}
    assert found[6].grade is not Grade.FINE


def test_an_exchange_gets_no_praise_though_it_is_compared():
    """3. axb5 seems to cost something at first, and proves to be the only good move."""

    def worth(at, others, nodes):
        return ((-600 if others else 60), "b2b3") if at == 4 else (0, "")

    found, _ = annotate_script("1. a4 b5 2. Na3 a6 3. axb5 axb5 *", worth)
    assert found[5].grade is Grade.FINE


@pytest.mark.parametrize(("first", "second"), [(Cp(300), Grade.FINE), (Cp(0), Grade.GOOD)], ids=["won", "even"])
def test_only_the_first_move_of_an_attack_is_praised(first, second):
    """2. Nf3 and 3. Bc4 are the only moves that keep what White has; after the first it hunts, if that is much."""

    def worth(at, others, nodes):
        return (-600, "a2a3") if others and at in (2, 4) else (first, {2: "g1f3", 4: "f1c4"}.get(at, ""))

    found, _ = annotate_script("1. e4 a5 2. Nf3 a4 3. Bc4 a3 *", worth)
    assert (found[3].grade, found[5].grade) == (Grade.GOOD, second)


def test_chess960_is_annotated(numbat):
    board = chess.Board.from_chess960_pos(1)
    game = chess.pgn.Game()
    game.setup(board)
    node = game.add_variation(next(iter(board.legal_moves)))
    (game,) = games_in(str(game))
    found = Annotator(numbat, Limit(depth=3)).annotate(game).judged_moves()
    assert found[-1].move == node.move
    assert found[-1].board.chess960


@pytest.mark.parametrize(
    ("fen", "san", "theme"),
    [
        ("6q1/p6p/6p1/4k3/1P2N3/2B2P2/4K1P1/8 b - - 3 43", "Kd5", "fork"),
        ("r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 3 3", "Nf6", "mateIn1"),
        ("7k/8/6K1/8/8/8/5Q2/8 w - - 0 1", "Qf7", "stalemate"),
        ("4k3/8/8/3q4/4P3/8/PPP5/4K3 w - - 0 1", "Kf2", "hanging"),
        ("4r1k1/4rppp/RR6/8/8/8/5PPP/5K2 w - - 0 1", "Kg1", "backRankMate"),
    ],
)
def test_one_move_has_one_reason(numbat, fen, san, theme):
    """In an annotated game, on its page and by ``explain``."""
    (game,) = games_in(f'[FEN "{fen}"]\n\n{"1." if " w " in fen else "1..."} {san} *')
    limit = Limit(nodes=50_000)
    moves = (
        Annotator(numbat, limit, explain=partial(explain, tables=numbat.table_outcome)).annotate(game).judged_moves()
    )
    noted = annotated(game, "test", moves)
    (node,) = noted.mainline()
    reason = numbat.explain(game.board(), node.move, limit)
    assert moves[-1].theme == theme
    assert reason in node.comment
    assert entry(noted, moves)["plies"][1]["why"] == reason


def test_every_mark_has_its_sentence():
    (game,) = games_in(LONG)
    marked = Annotator(ByMaterial(), Limit(depth=2), explain=explain).annotate(game).judged_moves()
    bad = [judged.reason for judged in marked if judged.grade.bad]
    assert len(bad) > 2
    assert all(reason.endswith(".") for reason in bad)
