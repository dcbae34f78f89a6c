"""The hook that checks the subjects of commits."""

import shutil
import subprocess

import pytest


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
