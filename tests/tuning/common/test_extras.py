"""Tools in an installation that lacks a package: one line with the command that gets it, whatever the tool."""

import os
import sys

import pytest

from tests.conftest import REPOSITORY
from tests.forkserver import Child
from tuning.common import extras, units

TOOLS = {"scipy": ["match", "arena", "texel"], "torch": ["train"]}

WITHOUT = """
import runpy, sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == {package!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Missing())
sys.argv = {words!r}
runpy.run_module("tuning." + sys.argv[0], run_name="__main__", alter_sys=True)
"""


@pytest.mark.parametrize(("package", "tool"), [(package, tool) for package in TOOLS for tool in TOOLS[package]])
def test_a_missing_package_is_one_line(tmp_path, package, tool):
    script = WITHOUT.format(package=package, words=tool.split())
    process = Child(tmp_path, os.environ | {"PYTHONPATH": str(REPOSITORY)}, script)
    out, error = process.communicate(timeout=120)
    said = " ".join((out + error).split())
    assert process.returncode == 2, said
    assert "Traceback" not in said
    extra = "train" if package == "torch" else "tuning"
    assert f'{package} is not installed: python -m pip install -e ".[{extra}]"' in said
    assert len(error.splitlines()) <= 1
    assert list(tmp_path.rglob("*")) in ([], [tmp_path / "results"])


def test_other_errors_keep_their_traceback(capsys):
    try:
        raise ModuleNotFoundError("No module named 'tuning.nonsense'", name="tuning.nonsense")
    except ModuleNotFoundError as error:
        extras.explain(type(error), error, error.__traceback__)
    assert "Traceback" in capsys.readouterr().err


def test_ctrl_c_while_the_tools_load_is_one_line(capsys):
    with pytest.raises(SystemExit, match="130"):
        extras.explain(KeyboardInterrupt, KeyboardInterrupt(), None)
    assert capsys.readouterr().err == "interrupted\n"


def test_a_scheduler_needs_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ModuleNotFoundError) as missing:
        next(units.run(print, [1], "tcp://127.0.0.1:9", None, print))
    assert extras.advice(missing.value.name).endswith('".[cluster]" in the folder of Numbat installs it')
