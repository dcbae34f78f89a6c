"""The README and the pages beside the code say what is so: commands, options, examples, links."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import uci_main
from engine.options import OPTIONS
from engine.uci.parse import EXTENSIONS, PROTOCOL
from tests.conftest import REPOSITORY
from tests.run_python import run_python
from uci_main import main


@pytest.fixture(scope="module")
def readme(repository: Path) -> str:
    return (repository / "README.md").read_text(encoding="utf-8")


#: Pages with Python that a reader may copy.
EXAMPLES = ("README.md", "engine/api/README.md")

#: Every page with links, modules or files in it.
PAGES = (
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "engine/README.md",
    "engine/analysis/README.md",
    "engine/api/README.md",
    "engine/jit/README.md",
    "engine/textbook/README.md",
    "engine/uci/GUIS.md",
    "engine/uci/README.md",
    "tuning/README.md",
    "tuning/RESULTS.md",
    "tuning/TRAINING.md",
    *(f"tuning/results/{name}.md" for name in ("analysis", "engine", "levels", "networks", "search", "strength")),
)


def blocks(readme: str, language: str) -> list[str]:
    """The fenced blocks in ``language``."""
    return re.findall(rf"^```{language}\n(.*?)^```", readme, re.MULTILINE | re.DOTALL)


def test_the_console_script_is_the_command_line(repository):
    project = tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["scripts"] == {"numbat": f"{main.__module__}:{main.__name__}"}


def test_readme_option_table_matches_options(repository):
    page = (repository / "engine" / "uci" / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([^|]+) \| ([^|]*) ?\| ([^|]+) \| ([^|]+) \|$", page, re.MULTILINE)
    documented = [tuple(cell.strip() for cell in row) for row in rows if row[0] != "Option"]
    expected = []
    for option in OPTIONS:
        default = "" if option.default is None else str(option.default)
        span = {
            "spin": f"{option.minimum} to {option.maximum}",
            "check": "true, false",
            "button": "button",
            "combo": ", ".join(option.choices),
            "string": "text",
        }[option.kind]
        default = default.lower() if option.kind == "check" else default
        expected.append((option.name, default, span, option.help))
    assert documented == expected


def examples() -> list[tuple[str, int]]:
    """Each Python block by its page and its number."""
    texts = {page: (REPOSITORY / page).read_text(encoding="utf-8") for page in EXAMPLES}
    found = [(page, number) for page, text in texts.items() for number in range(len(blocks(text, "python")))]
    assert len(found) == 4
    return found


@pytest.mark.parametrize(("page", "number"), examples())
def test_python_examples_run(page, number, repository, tmp_path):
    """As written; if ``numbat`` is not installed, a script in its place runs the checkout."""
    environment = dict(os.environ)
    if shutil.which("numbat") is None:
        if sys.platform == "win32":
            pytest.skip("numbat is not installed")
        script = tmp_path / "numbat"
        script.write_text(f"#!/bin/sh\nexec '{sys.executable}' '{repository / 'uci_main.py'}' \"$@\"\n")
        script.chmod(0o755)
        environment["PATH"] = f"{tmp_path}{os.pathsep}{environment['PATH']}"
    program = blocks((repository / page).read_text(encoding="utf-8"), "python")[number]
    result = run_python("-c", program, cwd=repository, env=environment)
    assert result.returncode == 0, result.stderr
    assert re.search(r"\b(?:[a-h][1-8]|[NBRQK][a-hx1-8]+)", result.stdout)


@pytest.mark.parametrize("page", ["README.md", "engine/analysis/README.md"])
def test_sessions_are_real(page, repository):
    (session,) = re.findall(r"^```\n(position .*?)^```", (repository / page).read_text(encoding="utf-8"), re.M | re.S)
    typed = [line for line in session.splitlines(keepends=True) if line.split()[0] in PROTOCOL | EXTENSIONS]
    lines = run_python(uci_main.__file__, input="".join(typed)).stdout.splitlines()
    answers = [line for line in lines if " queued until " not in line]  # on a busy machine
    assert answers == [line for line in session.splitlines() if f"{line}\n" not in typed]


def test_a_debugger_stops_inside_the_search(repository, tmp_path):
    page = (repository / "engine" / "jit" / "README.md").read_text(encoding="utf-8")
    (tmp_path / "step.py").write_text(blocks(page, "python")[0])
    (breakpoint_,) = re.findall(r"`b (engine\S+:\d+)`", page)
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(repository)}
    commands = f"b {breakpoint_}\nc\np int(is_pv)\nq\n"
    done = run_python("-m", "pdb", tmp_path / "step.py", cwd=repository, env=environment, input=commands)
    assert "(Pdb) 1\n" in done.stdout, done.stdout


def test_the_layout_names_what_there_is(repository):
    page = (repository / "engine" / "README.md").read_text(encoding="utf-8")
    (layout,) = re.findall(r"^```\n(uci_main.*?)^```", page, re.MULTILINE | re.DOTALL)
    parents, named = {0: repository}, set()
    for line in layout.splitlines():
        indent = len(line) - len(line.lstrip())
        path = parents[indent] / line.split()[0]
        assert path.exists(), line
        parents[indent + 2] = path
        named.add(path)
    entries = (repository / "engine").iterdir()
    parts = {path for path in entries if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert {path for path in parts if path.name != "__init__.py"} <= named


@pytest.mark.parametrize("page", [page for page in PAGES if page != "CHANGELOG.md"])  # it names what there was
def test_files_and_modules_that_are_mentioned_exist(page, repository):
    text = (repository / page).read_text(encoding="utf-8")
    for name in re.findall(r"`((?:engine|tuning|tests)/[\w./]+)`", text):
        assert (repository / name).exists(), name
    for module in re.findall(r"python -m ((?:tuning|tests)[\w.]*)", text):
        place = repository / module.replace(".", "/")
        assert place.with_suffix(".py").exists() or (place / "__main__.py").exists(), module


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page, repository):
    path = repository / page
    for target in re.findall(r"\]\(([^)\s]+)\)", path.read_text(encoding="utf-8")):
        if not target.startswith("http"):
            file, _, section = target.partition("#")
            linked = path.parent / file if file else path
            assert linked.exists(), target
            titles = re.findall(r"^#+ (.*)$", linked.read_text(encoding="utf-8"), re.MULTILINE) if section else []
            assert not section or section in [re.sub(r"[^\w-]", "", t.lower().replace(" ", "-")) for t in titles], (
                target
            )


def test_every_page_is_looked_at(repository):
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=repository, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("not a git checkout")
    assert set(listed.stdout.split()) == set(PAGES)


def test_the_commands_of_the_table_are_those_of_the_command_line(readme, capsys):
    table = "".join(re.findall(r"^\| `numbat.*", readme, re.MULTILINE))
    named = set(re.findall(r"`numbat ([a-z]+)", table))
    with pytest.raises(SystemExit):
        main(["help"])
    offered = re.findall(r"^    (\w+)\b", capsys.readouterr().out, re.MULTILINE)
    assert named == set(offered)
