"""The code passes its own linter, formatter and type checker."""

import shutil
import subprocess
import sys

import pytest

from tests.test_readme import blocks, examples


@pytest.mark.parametrize("command", [["ruff", "check", "."], ["ruff", "format", "--check", "."]], ids=" ".join)
def test_linter_and_formatter_find_nothing(command, repository):
    result = subprocess.run([sys.executable, "-m", *command], cwd=repository, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr


def test_the_type_checker_finds_misspelt_fields_of_records_and_nothing_else(repository, tmp_path):
    """In the engine, the workbench and the examples of the pages, in one run."""
    for module, right, wrong in (
        ("board/position.py", "position.pinned_straight", "position.pined_straight"),
        ("search/correction.py", "worker.pawn_correction", "worker.pawn_corection"),
        ("search/pruning.py", "params.WonPly", "params.WonPli"),
        ("evaluation/evaluator.py", "evaluator.kind", "evaluator.sort"),
    ):
        kernels = (repository / "engine" / module).read_text(encoding="utf-8")
        assert right in kernels
        (tmp_path / f"misspelt_{module.replace('/', '_')}").write_text(kernels.replace(right, wrong), encoding="utf-8")
    for number, (page, place) in enumerate(examples()):
        example = blocks((repository / page).read_text(encoding="utf-8"), "python")[place]
        (tmp_path / f"example_{number}.py").write_text(example, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "engine", "tuning", "uci_main.py", *tmp_path.iterdir()]
    result = subprocess.run(command, cwd=repository, capture_output=True, text=True, timeout=600, check=False)
    faults = [line for line in result.stdout.splitlines() if ": error: " in line]
    assert [line for line in faults if "misspelt_" not in line] == [], result.stdout + result.stderr
    for field in ("pined_straight", "pawn_corection", "WonPli", "sort"):
        assert [line for line in faults if f'has no attribute "{field}"' in line], result.stdout + result.stderr


@pytest.mark.skipif(shutil.which("sh") is None, reason="no sh on PATH")
@pytest.mark.parametrize(
    ("subject", "fault"),
    [
        ("search: prune less in check", ""),
        ("api: address the queue by its end", ""),
        ("search: pruned less in check", "imperative"),
        ("report: one game is no games", "imperative"),
        ("prune less in check", "area"),
        (f"search: prune {'less ' * 20}", "72 characters"),
    ],
)
def test_the_hook_refuses_subjects_that_are_no_imperatives(subject, fault, repository, tmp_path):
    message = tmp_path / "message"
    message.write_text(f"{subject}\n\nWhy.\n", encoding="utf-8")
    done = subprocess.run(
        ["sh", repository / ".ci" / "commit-msg", message], capture_output=True, text=True, check=False
    )
    assert (done.returncode, fault in done.stderr) == (bool(fault), True)
