"""The examples in docstrings run, and those in the pages that are written as docstrings are."""

import doctest
import importlib

import pytest

from tests.conftest import REPOSITORY

FILES = [
    path.relative_to(REPOSITORY)
    for folder in ("engine", "tuning")
    for pattern in ("*.py", "*.md")
    for path in sorted((REPOSITORY / folder).rglob(pattern))
    if ">>> " in path.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.as_posix())
def test_examples_run(path):
    if path.suffix == ".md":
        result = doctest.testfile(str(REPOSITORY / path), module_relative=False)
    else:
        module = ".".join(path.with_suffix("").parts).removesuffix(".__init__")
        result = doctest.testmod(importlib.import_module(module))
    assert result.attempted > 0
    assert result.failed == 0
