"""Claims survive JSON with their sentences, and nothing else passes for a claim."""

import json
import random
from typing import Any

import chess
import pytest
from chess.engine import Cp, Mate, PovScore

from engine.explanation import Case, Claim, from_json, merit_of, reason_of, sentence, to_json
from engine.explanation.line import Line
from engine.explanation.outlook import outlook
from tests.explanation.lines import moves
from tests.explanation.test_mistakes import TABLE, found


def quiet() -> Claim:
    board = chess.Board("4k3/5ppp/8/2P5/1P6/8/5PPP/4K3 w - - 0 1")
    line = Line.of(board, moves(board, "Ke2 Ke7 Ke3 Ke6"))
    return outlook(line, PovScore(Cp(0), chess.WHITE), (board.parse_san("Kd1"), PovScore(Cp(0), chess.WHITE)))


def castled() -> Claim:
    board = chess.Board("4k3/8/8/8/8/8/8/2K3RR w Gg - 0 1", chess960=True)
    lines = [board.parse_san("O-O")], [board.parse_san("Kd2")]
    case = Case(board, lines[1][0], lines[0], lines[1], PovScore(Cp(90), True), PovScore(Cp(-300), True), True)
    claim = reason_of(case)
    assert claim
    return claim


def tables() -> Claim:
    board = chess.Board("8/1K6/3k4/8/8/2P5/8/8 w - - 0 1")
    lines = moves(board, "Kb6 Kd5"), moves(board, "Ka6 Kc6")
    claim = reason_of(
        Case(board, lines[1][0], *lines, PovScore(Cp(20_000), True), PovScore(Cp(0), True)),
        lambda board: 2 * board.turn,
    )
    assert claim
    return claim


def mate() -> Claim:
    board = chess.Board("7k/8/6K1/8/8/8/8/R7 w - - 0 1")
    claim = merit_of(board, moves(board, "Ra8#"), PovScore(Mate(1), chess.WHITE))
    assert claim
    return claim


CLAIMS = [
    *(claim for board, line, *_ in TABLE[::4] if (claim := found(board, line))),
    *(quiet(), castled(), tables(), mate()),
]


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.theme)
def test_a_claim_survives_json(claim):
    again = from_json(json.loads(json.dumps(to_json(claim))))
    assert again == claim
    assert sentence(again) == sentence(claim)


def places(value: Any, path: tuple = ()) -> list[tuple]:
    """The paths of all parts of ``value``."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, part in items for place in places(part, (*path, key)))]


WRONG = (None, "x", -1, 99, 10**30, True, [], ["e2e4"] * 3, {}, {"class": "Mating"}, 1.5)


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.theme)
def test_a_damaged_claim_is_refused_or_has_a_sentence(claim):
    stored = json.dumps(to_json(claim))
    chance = random.Random(1)
    for path in places(json.loads(stored)):
        damaged: Any = {"": json.loads(stored)}
        part, last = damaged, ""
        for key in path:
            part, last = part[last], key
        part[last] = chance.choice(WRONG)
        try:
            text = sentence(from_json(damaged[""]))
        except ValueError:
            continue
        assert "<" not in text


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"class": "Guess"}, "Guess"),
        ({"verb": "steals"}, "not a claim"),
        ({"verb": ["misses"]}, "not a claim"),
        ({"more": 1}, "more"),
        ({"line": {"fen": "<b>", "chess960": False, "moves": [], "winner": True}}, "not a claim"),
    ],
)
def test_unknown_kinds_are_refused(change, text):
    with pytest.raises(ValueError, match=text):
        from_json({**to_json(mate()), **change})


def test_deep_nesting_is_refused():
    stored = to_json(mate())
    for _ in range(10_000):
        stored = {**stored, "missed": stored}
    with pytest.raises(ValueError, match="not a claim"):
        from_json(stored)
