"""Words are in one file, and what is found does not depend on them."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import engine.explanation
from engine.explanation import english, sentence
from tests.explanation.test_mistakes import TABLE, found

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


def test_phrases_are_seen():
    assert phrases('"""A docstring."""\nwhy = f"{san} wins {what}"\n') == [" wins "]


@pytest.mark.parametrize("path", sorted(FOLDER.rglob("*.py")), ids=lambda path: path.name)
def test_only_one_file_has_words(path):
    assert bool(phrases(path.read_text(encoding="utf-8"))) is (path.name == "english.py")


def test_other_words_find_the_same(monkeypatch):
    """Every phrase of the tables and every name of a piece, a side or a gain is put in brackets."""
    rows = [row for row in TABLE if row[4]]
    before = [found(fen, line) for _, fen, line, *_ in rows]

    def reworded(words):
        return tuple(map(reworded, words)) if isinstance(words, tuple) else words and f"[{words}]"

    for name, value in vars(english).copy().items():
        if isinstance(value, dict) and name in ("_FOUND", "_MATERIAL", "_PROMOTION", "_COST", "_STANDS", "_WHERE"):
            monkeypatch.setattr(english, name, {key: reworded(words) for key, words in value.items()})
        if name in ("side", "the", "gained"):
            monkeypatch.setattr(english, name, lambda *said, _named=value, **more: reworded(_named(*said, **more)))
    assert [found(fen, line) for _, fen, line, *_ in rows] == before
    assert all(sentence(reason) != row[4] for reason, row in zip(before, rows, strict=True) if reason and reason.gain)
