"""Claims survive JSON with their sentences, and nothing else passes for a claim."""

import json
import random
from typing import Any

import chess
import pytest

from engine.explanation import from_json, sentence, to_json
from engine.explanation.claims import AsGood, Mating
from engine.explanation.line import Line
from tests.explanation import test_english

CASTLED = Line.of(board := chess.Board("4k3/8/8/8/8/8/8/2K3RR w Gg - 0 1", chess960=True), [board.parse_san("O-O")])
CLAIMS = [*test_english.CLAIMS, AsGood(CASTLED, CASTLED)]
LEADS = Mating("leads", Line.of(chess.Board("7k/8/6K1/8/8/8/8/R7 w - - 0 1"), [chess.Move.from_uci("a1a8")]), 1)


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
        from_json({**to_json(LEADS), **change})


def test_deep_nesting_is_refused():
    stored = to_json(LEADS)
    for _ in range(10_000):
        stored = {**stored, "missed": stored}
    with pytest.raises(ValueError, match="not a claim"):
        from_json(stored)
