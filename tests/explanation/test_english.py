"""Words are in one file, and its wording is given once for each form of a claim."""

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
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


def test_a_theme_without_that_form_is_refused():
    with pytest.raises(ValueError, match="skewer has no form 'check'"):
        Finding("skewer", 1, 3, "check")


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


CLAIMS: list[Claim] = [
    compared("decided", 0, -3, "surely"),
    compared("decided", 3, -3),
    compared("lost", 3, 0),
    compared("half", 1, 0),
    compared("less", 2, 1, "pawns"),
    compared("more", -2, -2, "several"),
    compared("grown", -1, -2, "far"),
    compared("anyway", -3, -3, "surely"),
    compared("now", 0, -1, "probably"),
    compared("open", 0, 0, "half"),
    compared("open", 1, 0, "pawn"),
    compared("now", 1, -2, "probably", missed=Material("misses", FORK, WON, FORKS)),
    compared("either", 1, 1),
    compared("worse", -1, -2),
    compared("little", 0, 0, "slightly"),
    Material("wins", FORK, WON, FORKS),
    Material("misses", FORK, WON, FORKS),
    Material("regains", FORK, Gain("piece", ((4, 1),)), FORKS),
    Material("loses", FORK, WON, FORKS, stake=True),
    Material("loses", FORK, Gain("minor", ((3, 1),)), Finding("line", 0, 0), stake=True),
    Material("misses", FORK, WON, GUARD),
    Material("wins", FORK, Gain("exchange", ((4, 1),), ((1, 1),)), Finding("line", 0, 0)),
    Material("misses", FORK, WON, Finding("hanging", 0, 0, "cheaper", (Piece(1, chess.C7),), Piece(2, chess.C7))),
    Material("misses", FORK, WON, Finding("removedDefender", 0, 2, "square", squares=(chess.A8,))),
    Material("misses", FORK, WON, Finding("doubleCheck", 0, 2)),
    Material("wins", QUEENS, Gain("promotion", ()), PROMOTES),
    Material("misses", QUEENS, Gain("promotion", ()), PROMOTES),
    Material("loses", QUEENS, Gain("promotion", (), ((4, 1),)), PROMOTES),
    Mating("leads", MATE, 1, "backRankMate"),
    Mating("leads", MATE, 3),
    Mating("misses", MATE, 2, "smotheredMate"),
    Mating("mated", MATE, 2),
    Mating("allows", LET_MATE, 2),
    Mating("allows", LET_MATE, 1, guard=chess.ROOK, missed=Mating("misses", MATE, 1)),
    Drawn("stalemate", DRAW, 1),
    Drawn("repetition", DRAW, 2),
    Drawn("material", DRAW, 2),
    Drawn("perpetual", DRAW, 2),
    Drawn("corner", DRAW, 1),
    Drawn("perpetual", KINGS[0], 1, missed=True),
    Drawn("held", DRAW, 2),
    Drawn("held", QUEENS, 0),
    OPPOSED,
    ByTables(*KINGS, 2, 0, OPPOSED),
    ByTables(*KINGS, 2, -1),
    ByTables(*KINGS, 2, 2),
    TableResult(KINGS[0], 2, KINGS[0].moves[:1]),
    TableResult(BEST, 0, tuple(BEST.boards[0].legal_moves)[:4]),
    TableResult(BEST, 2, every=True),
    TableResult(BEST, -1),
    Threat(*THREAT, Gain("piece", ((2, 1),), (), chess.C6)),
    Threat(*THREAT, mate=True),
    Threat(THREAT[0], QUEENS),
    Outlook(BEST, "only", None, 0, ()),
    Outlook(BEST, "best", None, -3, ()),
    Outlook(BEST, "best", None, 3, (), True),
    Outlook(BEST, "best", None, 0, (), True),
    Outlook(BEST, "hardly", PLAYED.moves[0], 1, ((True, (WON, Feature("passed", True, 0, (1, 0)))),)),
    Outlook(BEST, "clearly", None, 2, ((False, tuple(Feature(each, False) for each in FEATURES)),)),
    Sacrifice(SACRIFICE, ROOK, True, "mate", moves=4),
    Sacrifice(SACRIFICE.prefix(1), BISHOP, False, "attack"),
    Sacrifice(SACRIFICE, ROOK, False, "attack", target=chess.H2),
    Sacrifice(SACRIFICE, ROOK, False, "draw"),
    Sacrifice(SACRIFICE, ROOK, False, "standing", level=2),
    Sacrifice(SACRIFICE, ROOK, False, "standing"),
    Sacrifice(SACRIFICE, ROOK, False, "material", gains=Gain("list", ((3, 1), (2, 1)), ((4, 1),))),
    Sacrifice(SACRIFICE, ROOK, False, "material", gains=Gain("piece", ((5, 1),), ((3, 1),))),
    Sacrifice(SACRIFICE, ROOK, False, "material", gains=Gain("promotion", ())),
    OnlyMove(MATE, "wins", True),
    OnlyMove(MATE, "parries", False, Mating("allows", LET_MATE, 2)),
    OnlyMove(MATE, "wins", False, Drawn("stalemate", DRAW, 1)),
    OnlyMove(MATE, "keeps", True),
    OnlyMove(MATE, "holds", True),
    OnlyMove(MATE, "balances", True),
    OnlyMove(MATE, "good", True),
    AsGood(BEST, PLAYED),
    GameOver(BEST, True),
    GameOver(BEST, False),
]


@pytest.fixture(scope="module")
def with_themes() -> list[Claim]:
    return [found(board, ops["pv"]) for board, ops in TABLE]


def test_every_claim_has_a_sentence_of_its_own(with_themes):
    """Whole sentences with all that is to be filled in, and none says what another one says."""
    texts = [sentence(claim) for claim in CLAIMS]
    assert len(set(texts)) == len(texts)
    for text in (*texts, *map(sentence, with_themes)):
        assert re.fullmatch(r"[A-Za-z]\S* [^{}<>]*[^\s.,:;{}<>]\.", text), text
        assert not re.search(r"  | [.,:;]|\bNone\b|\ba [aeio]", text), text


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        (
            Material("loses", FORK, WON, FORKS, stake=True),
            "Loses a rook and a pawn, and with it the win: 1.Nxc7+ forks the king and the rook on a8.",
        ),
        (
            Threat(*THREAT, Gain("piece", ((2, 1),), (), chess.C6)),
            "Bf3 threatens 1.Bxc6+, which wins the knight on c6.",
        ),
        (
            OnlyMove(MATE, "parries", False, Mating("allows", LET_MATE, 2)),
            "Ra8# is the only move that parries the mate; 1.Rb2 allows mate in 2, beginning with 1...Ra1+.",
        ),
        (
            Sacrifice(SACRIFICE, ROOK, True, "material", gains=Gain("list", ((5, 1), (2, 1)), ((4, 1),))),
            "Offers the rook on f8 for a queen and a knight.",  # not the exchange: the rook is counted
        ),
    ],
)
def test_examples_of_the_wording(claim, text):
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


def test_every_form_of_a_claim_is_among_them(with_themes):
    given = (*CLAIMS, *with_themes)
    found = {(claim.finding.theme, claim.finding.form) for claim in given if isinstance(claim, Material)}
    assert found == {(theme, form) for theme, forms in claims.FORMS.items() for form in forms}
    assert {*words(given)} == {*possible_words()}
    assert {type(claim) for claim in given} == {*get_args(claims.Claim)}


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
    claim = Compared(BEST, PLAYED.prefix(1), Standing("now", 0, -3, "surely"))
    assert sentence(claim) == "Now Black is winning; 1.e4 was better."
