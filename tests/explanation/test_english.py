"""Words are in one file, and what is found does not depend on them."""

import ast
import re
from pathlib import Path

import chess
import pytest
from chess.engine import Cp

import engine.explanation
from engine.explanation import english, sentence
from engine.explanation.facts import Case, Compared
from engine.explanation.line import Line
from engine.explanation.standing import compare, decided
from tests.explanation.lines import moves

FOLDER = Path(engine.explanation.__file__).parent


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
    source = path.read_text(encoding="utf-8")
    assert bool(phrases(source)) is (path.name == "english.py")
    assert bool(re.search(r"\benglish import|import english\b", source)) is (path == FOLDER / "__init__.py")


def test_every_theme_and_every_standing_has_its_phrase():
    calls = [
        node
        for path in (FOLDER / "themes").glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Finding"
    ]
    named = [ast.literal_eval(call.args[0]) for call in calls]
    assert {*named, "line"} == {theme for theme, _ in english._FOUND}
    points = [step / 40 for step in range(41)]
    pairs = [(before, after) for before in points for after in points if after <= before]
    found = {compare(*pair, drop) for pair in pairs for drop in (50, 150, 250, 400, 900)}
    found |= {standing for pair in pairs if (standing := decided(*pair))}
    board = chess.Board()
    lines = Line.of(board, moves(board, "e4 e5")), Line.of(board, moves(board, "a3 d5"), winner=chess.BLACK)
    case = Case(board, lines[1].moves[0], *lines, Cp(0), Cp(0))
    said = {sentence(Compared(case, standing)) for standing in found}
    assert {standing.kind for standing in found} | {"gained", "slightly"} == english._KINDS.keys()
    assert {standing.cost for standing in found} == {"", *english._COST}
    assert not any("{" in text or "  " in text for text in said)


def test_a_change_of_passed_pawns_does_not_say_that_there_are_any():
    assert not any("pawns" in text for (aspect, _), text in english._SHIFTS.items() if aspect == "passed")
