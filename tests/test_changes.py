"""The changes that CONTRIBUTING.md describes, made in a copy of the tree as it says.

The copy runs as plain Python: nothing has to be compiled.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest


class Copy:
    """A copy of the sources, to be changed."""

    def __init__(self, repository: Path, folder: Path) -> None:
        self.folder = folder
        skipped = shutil.ignore_patterns("__pycache__", "results", "pictures", "*.jsonl")
        for name in ("engine", "tuning"):
            shutil.copytree(repository / name, folder / name, ignore=skipped)
        shutil.copy(repository / "uci_main.py", folder)

    def edit(self, file: str, old: str, new: str) -> None:
        """Replace ``old``, which ``file`` has once."""
        path = self.folder / file
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{file}: {old!r}"
        path.write_text(text.replace(old, new), encoding="utf-8")

    def run(self, *arguments: str, say: str = "") -> str:
        """The output of ``python ARGUMENTS`` that reads ``say``."""
        done = subprocess.run(
            [sys.executable, *arguments], cwd=self.folder, input=say, capture_output=True, text=True, timeout=300,
            env=os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": ""},
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


@pytest.fixture
def copy(repository: Path, tmp_path: Path) -> Copy:
    return Copy(repository, tmp_path)


def test_a_search_rule_is_one_place_and_its_parameter(copy: Copy) -> None:
    """Razoring: a node whose static evaluation is hopeless is left to the quiescence search."""
    copy.edit(
        "engine/search/params.py",
        '    Param("NullMoveDepth", ',
        '    Param("RazoringMargin", 0, 0, 1000, 50),\n    Param("NullMoveDepth", ',
    )
    copy.edit(
        "engine/search/alphabeta.py",
        "        # Step 11. Null move pruning",
        "        # Razoring: captures alone will not raise alpha.\n"
        "        if params.RazoringMargin != 0 and best_eval + params.RazoringMargin * depth <= alpha:\n"
        "            return qsearch(worker, alpha, beta, ply)\n\n"
        "        # Step 11. Null move pruning",
    )
    nodes = []
    for margin in (0, 100):
        said = f"setoption name RazoringMargin value {margin}\nposition startpos moves e2e4 e7e5\ngo depth 5\n"
        lines = copy.run("uci_main.py", "--tune", say=f"uci\n{said}").splitlines()
        assert "option name RazoringMargin type spin default 0 min 0 max 1000" in lines
        nodes.append(next(line.split(" nodes ")[1].split()[0] for line in reversed(lines) if " nodes " in line))
    assert nodes[0] != nodes[1]


def test_a_term_of_classical_is_a_group_and_its_count(copy: Copy) -> None:
    """Until the fit that learns its weights it counts nothing, and the fit can start."""
    table = "from engine import Engine\nwith Engine(eval_type='Classical', hash=1) as engine:\n    "
    before = copy.run("-c", table + "print(engine.explain_evaluation())")
    file = "engine/evaluation/classical/space.py"
    copy.edit(
        "engine/evaluation/classical/features.py",
        "TEMPO = _group(",
        'CONTROL = _group("control", "control", (1,), "squares attacked")\nTEMPO = _group(',
    )
    copy.edit(file, "features import SPACE", "features import CONTROL, SPACE")
    copy.edit(
        file,
        "    return term(trace, us, SPACE, ",
        "    attacked = I64(popcount(view.attacks[us, ANY]))\n"
        "    return term(trace, us, CONTROL, attacked) + term(trace, us, SPACE, ",
    )
    after = copy.run("-c", table + "print(engine.explain_evaluation())").splitlines()
    (added,) = [line for line in after if line not in before.splitlines()]
    assert added.split("|")[0].strip() == "control"
    assert set(added.split("|", 1)[1].split()) == {"0.00", "|"}
    counted = (
        "from engine.board.fen import set_fen, START_FEN\nfrom engine.board.setup import new_position\n"
        "from engine.evaluation.classical.explain import trace_of\n"
        "from engine.evaluation.classical.features import CONTROL\n"
        "position = new_position()\nset_fen(position, START_FEN)\nprint(trace_of(position)[0]['count'][:, CONTROL])"
    )
    assert copy.run("-c", counted).strip() == "[22 22]"
    assert "usage: python -m tuning.texel" in copy.run("-m", "tuning.texel", "--help")
