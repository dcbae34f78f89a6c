"""Words are in one file, and its tables have a phrase for every fact of a claim."""

import ast
import re
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

import engine.explanation
from engine.explanation import english
from engine.explanation.claims import (
    FORMS,
    Claim,
    Compared,
    DrawKind,
    FeatureAspect,
    Finding,
    Form,
    MatePattern,
    Material,
    Outlook,
    ShiftAspect,
    Theme,
)
from engine.explanation.standing import Cost, Kind

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
    users = ("__init__.py", "serialization.py")
    assert bool(re.search(r"\benglish import|import english\b", source)) is (
        path.parent == FOLDER and path.name in users
    )


def verbs(claim: type, field: str = "verb") -> set[str]:
    """The values that a field of ``claim`` can have."""
    return set(get_args(get_type_hints(claim)[field]))


def test_the_tables_of_phrases_are_total():
    assert set(FORMS) == set(get_args(Theme))
    assert {form for forms in FORMS.values() for form in forms} == set(get_args(Form))
    pairs = {(theme, form) for theme, forms in FORMS.items() for form in forms}
    assert set(english._FOUND) == pairs >= set(english._AFTER)
    assert set(english._KINDS) == {*get_args(Kind), "gained", "slightly"}
    assert set(english._COST) == set(get_args(Cost))
    assert set(english._MATES) == set(get_args(MatePattern))
    assert set(english._DRAWS) == set(get_args(DrawKind))
    assert set(english._FEATURES) == set(get_args(FeatureAspect))
    assert set(english._SHIFTS) == {(aspect, own) for aspect in get_args(ShiftAspect) for own in (True, False)}
    assert set(english._CHOICE) == verbs(Outlook, "choice")
    assert set(english._MATERIAL) == verbs(Material) == set(english._PROMOTION) | {"regains"}
    assert {*english._SENTENCES, Compared} == set(get_args(Claim))


def test_a_theme_without_that_form_is_refused():
    with pytest.raises(ValueError, match="skewer has no form 'check'"):
        Finding("skewer", 1, 3, "check")


def test_a_change_of_passed_pawns_does_not_say_that_there_are_any():
    assert not any("pawns" in text for (aspect, _), text in english._SHIFTS.items() if aspect == "passed")
