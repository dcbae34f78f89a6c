"""Words are in one file, and its wording is pinned once for each form of a claim."""

import ast
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, get_args, get_type_hints

import chess
import pytest

from engine.explanation import claims, sentence
from engine.explanation.claims import (
    AsGood,
    ByTables,
    Claim,
    Compared,
    Drawn,
    Feature,
    Finding,
    Gain,
    GameOver,
    Material,
    Mating,
    OnlyMove,
    Opposition,
    Outlook,
    Piece,
    Sacrifice,
    TableResult,
    Threat,
)
from engine.explanation.line import Line
from engine.explanation.verdicts import Cost, Kind, Standing
from tests.explanation.lines import line_of
from tests.explanation.test_mistakes import TABLE, found

FOLDER = Path(claims.__file__).parent


def phrases(source: str) -> list[str]:
    """The strings of several words in ``source`` that are no docstrings and no messages of errors."""
    tree = ast.parse(source)
    ignored = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    ignored |= {id(node) for error in ast.walk(tree) if isinstance(error, ast.Raise) for node in ast.walk(error)}
    strings = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return [
        node.value for node in strings if id(node) not in ignored and re.search(r"[A-Za-z] |\b [A-Za-z]", node.value)
    ]


@pytest.mark.parametrize("path", sorted(FOLDER.rglob("*.py")), ids=lambda path: path.name)
def test_only_one_file_has_words(path):
    """Besides the names of the grades."""
    source = path.read_text(encoding="utf-8")
    assert bool(phrases(source)) is (path.name in ("english.py", "grades.py"))
    users = ("__init__.py", "serialization.py")
    assert bool(re.search(r"\benglish import|import english\b", source)) is (
        path.parent == FOLDER and path.name in users
    )


def test_a_theme_without_that_form_is_refused():
    with pytest.raises(ValueError, match="skewer has no form 'check'"):
        Finding("skewer", 1, 3, "check")


# The wording, once for each form


BEST, PLAYED = line_of(chess.STARTING_FEN, "e4 e5"), line_of(chess.STARTING_FEN, "a3 d5", chess.BLACK)
FORK = line_of("r3k3/2p5/8/3N4/8/8/8/4K3 w - - 0 1", "Nxc7+ Kd7 Nxa8")
WON = Gain("list", ((chess.ROOK, 1), (chess.PAWN, 1)))
FORKS = Finding("fork", 0, 2, "fork", (Piece(chess.KING, chess.E8), Piece(chess.ROOK, chess.A8)))
GUARD = Finding("pin", 0, 0, "guard", (Piece(chess.ROOK, chess.E7),))
QUEENS = line_of("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a8=Q+")
PROMOTES = Finding("promotion", 0, 0, "now")
MATE = line_of("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", "Ra8#")
LET_MATE = line_of("r5k1/5ppp/8/8/8/8/R4PPP/6K1 w - - 0 1", "Rb2 Ra1+ Rb1 Rxb1#", chess.BLACK)
DRAW = line_of("8/8/4k3/8/8/3BK3/4p3/8 w - - 0 1", "Bxe2 Kd5")
KINGS = (
    line_of("4k3/8/3K4/4P3/8/8/8/8 w - - 0 1", "Ke6 Kd8"),
    line_of("4k3/8/3K4/4P3/8/8/8/8 w - - 0 1", "e6 Kd8", False),
)
OPPOSED = Opposition(*KINGS, win=True)
SACRIFICE = line_of("r1bq1rk1/pp1n2pp/2pbpn2/3p1pN1/2PP4/3BP3/PP2NPPP/R1BQ1RK1 b - - 7 9", "Bxh2+ Kh1 Ng4")
FEATURES: tuple[claims.FeatureAspect, ...] = ("mobility", "pressure", "structure", "bishops")
BISHOP = Piece(chess.BISHOP, chess.H2)
ROOK = Piece(chess.ROOK, chess.F8)
THREAT = (
    line_of("4k3/8/2n5/8/8/8/4B3/4K3 w - - 0 1", "Bf3 Kd8 Bxc6"),
    line_of("4k3/8/2n5/8/8/5B2/8/4K3 w - - 0 1", "Bxc6+"),
)


def compared(kind: Kind, had: int, has: int, cost: Cost = "", **facts: Any) -> Compared:
    return Compared(BEST, PLAYED, Standing(kind, had, has, cost), **facts)


# fmt: off
WORDING: list[tuple[Claim, str]] = [
    (compared("decided", 0, -3, "surely"), "After 1...d5 Black is winning; 1.e4 was better."),
    (compared("decided", 3, -3), "After 1...d5 Black is winning; after 1.e4 White would be winning."),
    (compared("lost", 3, 0), "After 1...d5 White's advantage is gone; after 1.e4 White would be winning."),
    (compared("half", 1, 0), "After 1...d5 much of White's advantage is gone; 1.e4 would have kept it."),
    (compared("less", 2, 1, "pawns"), "After 1...d5 White still stands better; 1.e4 was better by two or three pawns."),
    (compared("more", -2, -2, "several"),
     "After 1...d5 Black is still clearly better; 1.e4 was better by several pawns."),
    (compared("grown", -1, -2, "far"),
     "After 1...d5 Black's advantage has grown, and Black is clearly better; 1.e4 was far better."),
    (compared("anyway", -3, -3, "surely"), "Black was winning anyway; 1.e4 was better."),
    (compared("now", 0, -1, "probably"), "After 1...d5 Black stands better; 1.e4 was probably better."),
    (compared("open", 0, 0, "half"), "After 1...d5 Black has gained the worth of half a pawn; 1.e4 was better."),
    (compared("open", 1, 0, "pawn"), "After 1...d5 Black has gained the worth of a pawn; 1.e4 was better."),
    (compared("now", 1, -2, "probably", missed=Material("misses", FORK, WON, FORKS)),
     "After 1...d5 Black is clearly better; 1.e4 would have won a rook and a pawn."),
    (compared("either", 1, 1), "After 1...d5 White still stands better; 1.e4 would not have changed that."),
    (compared("worse", -1, -2), "After 1...d5 Black is clearly better; 1.e4 would also have left Black better."),
    (compared("little", 0, 0, "slightly"), "Black can now play 1...d5; 1.e4 was slightly better."),
    (Material("wins", FORK, WON, FORKS), "Nxc7+ forks the king and the rook on a8 and wins a rook and a pawn."),
    (Material("misses", FORK, WON, FORKS),
     "Misses the chance to win a rook and a pawn: 1.Nxc7+ forks the king and the rook on a8."),
    (Material("regains", FORK, Gain("piece", ((4, 1),)), FORKS),
     "Does not recapture: 1.Nxc7+ would have won back the rook."),
    (Material("loses", FORK, WON, FORKS, stake=True),
     "Loses a rook and a pawn, and with it the win: 1.Nxc7+ forks the king and the rook on a8."),
    (Material("loses", FORK, Gain("minor", ((3, 1),)), Finding("line", 0, 0), stake=True),
     "Allows 1.Nxc7+, which wins a piece, and the win is gone."),
    (Material("misses", FORK, WON, GUARD),
     "Misses the chance to win a rook and a pawn: 1.Nxc7+, and the rook on e7 is pinned to the king and "
     "cannot recapture."),
    (Material("wins", FORK, Gain("exchange", ((4, 1),), ((1, 1),)), Finding("line", 0, 0)),
     "Nxc7+ wins the exchange for a pawn."),
    (Material("misses", FORK, WON, Finding("hanging", 0, 0, "cheaper", (Piece(1, chess.C7),), Piece(2, chess.C7))),
     "Misses the chance to win a rook and a pawn: 1.Nxc7+ takes the pawn on c7 with a knight."),
    (Material("misses", FORK, WON, Finding("removedDefender", 0, 2, "square", squares=(chess.A8,))),
     "Misses the chance to win a rook and a pawn: 1.Nxc7+ takes the piece that guards a8."),
    (Material("misses", FORK, WON, Finding("doubleCheck", 0, 2)),
     "Misses the chance to win a rook and a pawn: 1.Nxc7+ gives double check."),
    (Material("wins", QUEENS, Gain("promotion", ()), PROMOTES), "a8=Q+ promotes."),
    (Material("misses", QUEENS, Gain("promotion", ()), PROMOTES), "Misses the chance to promote with 1.a8=Q+."),
    (Material("loses", QUEENS, Gain("promotion", (), ((4, 1),)), PROMOTES),
     "Lets White promote at the cost of a rook with 1.a8=Q+."),
    (Mating("leads", MATE, 1, "backRankMate"), "Ra8# is back-rank mate."),
    (Mating("leads", MATE, 3), "Ra8# leads to mate in 3."),
    (Mating("misses", MATE, 2, "smotheredMate"), "Misses smothered mate in 2, beginning with 1.Ra8#."),
    (Mating("mated", MATE, 2), "White gets mated in 2 whatever it plays."),
    (Mating("allows", LET_MATE, 2), "Allows mate in 2, beginning with 1...Ra1+."),
    (Mating("allows", LET_MATE, 1, guard=chess.ROOK, missed=Mating("misses", MATE, 1)),
     "Misses mate in one with 1.Ra8#, and allows mate in one with 1...Ra1+: the rook was needed to guard a1."),
    (Drawn("stalemate", DRAW, 1), "Throws away the win: it is stalemate."),
    (Drawn("repetition", DRAW, 2), "Throws away the win: after 1...Kd5 the position is repeated."),
    (Drawn("material", DRAW, 2), "Throws away the win: after 1...Kd5 there is insufficient material to mate."),
    (Drawn("perpetual", DRAW, 2), "Lets White draw by perpetual check, beginning with 1...Kd5."),
    (Drawn("corner", DRAW, 1), "Throws away the win: the king cannot be driven from the corner."),
    (Drawn("perpetual", KINGS[0], 1, missed=True), "Misses the draw by perpetual check: 1.Ke6."),
    (Drawn("held", DRAW, 2), "Bxe2 holds the draw: after 1...Kd5 the king cannot be driven from the corner."),
    (Drawn("held", QUEENS, 0), "It is a draw: the king cannot be driven from the corner."),
    (OPPOSED, "Gives up the opposition, and with it the win: 1.Ke6 would have taken it; now 1...Kd8 takes it."),
    (ByTables(*KINGS, 2, 0, OPPOSED),
     "Gives up the opposition, and with it the win: 1.Ke6 would have taken it; now 1...Kd8 takes it. "
     "The tablebases agree."),
    (ByTables(*KINGS, 2, -1),
     "According to the tablebases the position was won and is now lost, were it not for the 50-move rule; "
     "1.Ke6 was right."),
    (ByTables(*KINGS, 2, 2), "According to the tablebases the result is the same as after 1.Ke6."),
    (TableResult(KINGS[0], 2, KINGS[0].moves[:1]), "White is winning according to the tablebases; only Ke6 wins."),
    (TableResult(BEST, 0, tuple(BEST.boards[0].legal_moves)[:4]),
     "It is a draw according to the tablebases; Nh3 and 3 other moves keep it."),
    (TableResult(BEST, 2, every=True), "White is winning according to the tablebases, after any move."),
    (TableResult(BEST, -1), "The tablebases give White a loss that the 50-move rule turns into a draw."),
    (Threat(*THREAT, Gain("piece", ((2, 1),), (), chess.C6)), "Bf3 threatens 1.Bxc6+, which wins the knight on c6."),
    (Threat(*THREAT, mate=True), "Bf3 threatens mate with 1.Bxc6+."),
    (Threat(THREAT[0], QUEENS), "Bf3 threatens to promote with 1.a8=Q+."),
    (Outlook(BEST, "only", None, 0, ()), "e4 is the only move; the game is about even."),
    (Outlook(BEST, "best", None, -3, ()), "e4 is the best move; Black is winning."),
    (Outlook(BEST, "best", None, 3, (), True), "e4 is the best move; White is winning, and mate is forced."),
    (Outlook(BEST, "best", None, 0, (), True),
     "e4 is the best move; it is a draw, because neither side can force mate."),
    (Outlook(BEST, "hardly", PLAYED.moves[0], 1, ((True, (WON, Feature("passed", True, 0, (1, 0)))),)),
     "e4 is the best move, but 1.a3 is almost as good; White stands better. White is a rook and a pawn up "
     "and has a passed pawn."),
    (Outlook(BEST, "clearly", None, 2, ((False, tuple(Feature(each, False) for each in FEATURES)),)),
     "e4 is clearly the best move; White is clearly better, although Black has the more active pieces, "
     "pressure on White's king, the better pawn structure and the bishop pair."),
    (Sacrifice(SACRIFICE, ROOK, True, "mate", moves=4), "Offers the exchange for mate in 4."),
    (Sacrifice(SACRIFICE.cut(1), BISHOP, False, "attack"), "Sacrifices the bishop for the attack on the king."),
    (Sacrifice(SACRIFICE, ROOK, False, "attack", target=chess.H2), "Offers the rook on f8 for the attack on h2."),
    (Sacrifice(SACRIFICE, ROOK, False, "draw"), "Offers the rook on f8 for a draw."),
    (Sacrifice(SACRIFICE, ROOK, False, "standing", level=2), "Offers the rook on f8 and is clearly better."),
    (Sacrifice(SACRIFICE, ROOK, False, "standing"), "Offers the rook on f8 and keeps the balance."),
    (Sacrifice(SACRIFICE, ROOK, False, "material", gains=Gain("list", ((3, 1), (2, 1)), ((4, 1),))),
     "Offers the rook on f8 for a bishop and a knight."),
    (Sacrifice(SACRIFICE, ROOK, False, "material", gains=Gain("piece", ((5, 1),), ((3, 1),))),
     "Offers the rook on f8 to win the queen for a bishop."),
    (Sacrifice(SACRIFICE, ROOK, False, "material", gains=Gain("promotion", ())), "Offers the rook on f8 to promote."),
    (OnlyMove(MATE, "wins", True), "Ra8# is the only winning move, a quiet move."),
    (OnlyMove(MATE, "parries", False, Mating("allows", LET_MATE, 2)),
     "Ra8# is the only move that parries the mate; 1.Rb2 allows mate in 2, beginning with 1...Ra1+."),
    (OnlyMove(MATE, "wins", False, Drawn("stalemate", DRAW, 1)),
     "Ra8# is the only winning move; 1.Bxe2 throws away the win: it is stalemate."),
    (OnlyMove(MATE, "keeps", True), "Ra8# is the only move that keeps White's advantage."),
    (OnlyMove(MATE, "holds", True), "Ra8# is the only move that does not lose."),
    (OnlyMove(MATE, "balances", True), "Ra8# is the only move that keeps the balance."),
    (OnlyMove(MATE, "good", True), "Ra8# is the only good move."),
    (AsGood(BEST, PLAYED), "a3 is about as good as the best move, 1.e4."),
    (GameOver(BEST, True), "The game is over: checkmate."),
    (GameOver(BEST, False), "The game is over: a draw."),
]
# fmt: on


@pytest.mark.parametrize(("claim", "text"), WORDING, ids=[text for _, text in WORDING])
def test_the_wording(claim, text):
    assert sentence(claim) == text


PINNED = [(found(board, ops["pv"]), ops["c1"]) for board, ops in TABLE if "c1" in ops]


@pytest.mark.parametrize(("claim", "text"), PINNED, ids=[text for _, text in PINNED])
def test_the_wording_of_themes(claim, text):
    assert sentence(claim) == text


Word = tuple[type, str, str]


def words(record: Any) -> Iterator[Word]:
    """The words in the fields of ``record`` and of the records in it, each with its type and field."""
    if isinstance(record, tuple):
        for part in record:
            yield from words(part)
    elif is_dataclass(record) and not isinstance(record, Line | Finding):
        for field in fields(record):
            value = getattr(record, field.name)
            yield from [(type(record), field.name, value)] if isinstance(value, str) else words(value)


def possible_words() -> Iterator[Word]:
    """Those that the records of claims can have."""
    for record in filter(is_dataclass, [*vars(claims).values(), Standing]):
        for name, hint in get_type_hints(record).items():
            yield from ((record, name, word) for word in get_args(hint) if isinstance(word, str))


def test_every_form_has_its_wording_pinned():
    pinned = tuple(claim for claim, _ in (*WORDING, *PINNED))
    found = {(claim.finding.theme, claim.finding.form) for claim in pinned if isinstance(claim, Material)}
    assert found == {(theme, form) for theme, forms in claims.FORMS.items() for form in forms}
    assert {*words(pinned)} == {*possible_words()}
    assert {type(claim) for claim in pinned} == {*get_args(claims.Claim)}


@pytest.mark.parametrize(
    ("claim", "brief"),
    [
        (compared("now", 0, -2, "probably"), "After 1...d5 Black is clearly better."),
        (compared("little", 0, 0, "slightly"), "Black can now play 1...d5."),
        (
            compared("less", 3, 2, "pawns"),
            "After 1...d5 White is still clearly better; 1.e4 was better by two or three pawns.",
        ),
    ],
)
def test_the_better_move_is_omitted_unless_its_cost_is_told(claim, brief):
    assert sentence(claim, skip_better=True) == brief


@pytest.mark.parametrize("verb", ["loses", "misses"])
@pytest.mark.parametrize("finding", [FORKS, Finding("line", 0, 2)])
def test_moves_other_than_the_marked_one_are_numbered(verb, finding):
    """Also in a quoted line, whose second move needs no number."""
    text = sentence(Material(verb, FORK, Gain("minor", ((3, 1),)), finding))
    assert re.search(r" 1\.Nxc7\+ ", text)
    assert not re.search(r"(?<![.\d])Nxc7", text)


def test_a_reply_that_is_missing_has_no_name():
    claim = Compared(BEST, PLAYED.cut(1), Standing("now", 0, -3, "surely"))
    assert sentence(claim) == "Now Black is winning; 1.e4 was better."
