"""The changes that CONTRIBUTING.md describes, made in a copy of the tree as it says.

The copy runs as plain Python: nothing has to be compiled.
"""

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
        "engine/search/parameters.py",
        "    NullMoveDepth: int = ",
        "    RazoringMargin: int = _tunable(0, 0, 1000, 50)\n    NullMoveDepth: int = ",
    )
    copy.edit(
        "engine/search/alphabeta.py",
        "        # Step 11. Null move pruning",
        "        # Razoring: captures alone will not raise alpha.\n"
        "        if params.RazoringMargin != 0 and best_eval + params.RazoringMargin * depth <= alpha:\n"
        "            return quiescence_search(worker, alpha, beta, ply)\n\n"
        "        # Step 11. Null move pruning",
    )
    offered = copy.run("uci_main.py", "--tune", say="uci\n").splitlines()
    assert "option name RazoringMargin type spin default 0 min 0 max 1000" in offered
    program = (
        "import chess\nfrom engine import Engine, Limits\nboard = chess.Board()\nboard.push_san('e4')\n"
        "with Engine(hash=1, eval_type='Material') as engine:\n    for margin in (0, 1):\n        engine.new_game()\n"
        "        engine.set_option('RazoringMargin', margin)\n"
        "        print(engine.search(board, Limits(depth=3)).nodes)"
    )
    off, on = copy.run("-c", program).split()
    assert off != on


def test_an_option_is_one_row(copy: Copy) -> None:
    """Its keyword, type, name, default, help and effect: an option that evaluates by material."""
    copy.edit(
        "engine/options.py",
        "    ponder: Annotated[",
        '    plain: Annotated[bool, Option("Plain", False, help="Counts material.",\n'
        '        effect=lambda selector, on: selector.evaluate_by("Material" if on else "NNUE"))]\n'
        "    ponder: Annotated[",
    )
    said = copy.run("uci_main.py", say="uci\nsetoption name plain value true\neval\n")
    assert "option name Plain type check default false" in said
    assert "knight |" in said
    program = "from engine import Engine\nwith Engine(plain=True, hash=1) as engine:\n    print(engine, engine.{}())"
    said = copy.run("-c", program.format("explain_evaluation"))
    assert "plain=True" in said
    assert "knight |" in said


def test_recipe_for_a_figure_in_reports(copy: Copy) -> None:
    """The number of root moves, in ``info`` and in what ``analyse`` prints."""
    copy.edit("engine/messages.py", "    tbhits: int = 0", "    rootmoves: int = 0\n    tbhits: int = 0")
    copy.edit(
        "engine/play/reporter.py", '"final": final,\n', '"final": final,\n            "rootmoves": self._root_moves,\n'
    )
    copy.edit(
        "engine/play/reporter.py",
        "        self._last = Info()\n",
        "        self._last = Info()\n        self._root_moves = len(choice.moves)\n",
    )
    copy.edit(
        "engine/uci/format.py",
        '    words.append(f"time {info.time}")\n',
        '    words.append(f"time {info.time}")\n    words.append(f"rootmoves {info.rootmoves}")\n',
    )
    copy.edit(
        "engine/analysis/lines.py", "depth {line.depth:<3} {moves}", "depth {line.depth:<3} of {line.rootmoves} {moves}"
    )
    fen = "4k3/8/8/8/8/8/8/4K2R w K - 0 1"
    program = (
        f"from uci_main import main\nmain(['position fen {fen}', 'go depth 2'])\n"
        "import chess\nfrom chess.engine import Limit\nfrom engine import Engine\n"
        f"from engine.analysis.lines import line_text\nboard = chess.Board({fen!r})\n"
        "with Engine(hash=1, eval_type='Material') as engine:\n"
        "    print(line_text(board, engine.analyse(board, Limit(depth=2))))"
    )
    *reports, line = copy.run("-c", program).splitlines()
    assert [report for report in reports if " score " in report and " rootmoves 15 pv " in report]
    assert " depth 2   of 15 " in line


def test_a_term_of_classical_is_a_group_and_its_count(copy: Copy) -> None:
    """Until the fit that learns its weights it counts nothing, and the fit can start."""
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
    program = (
        "from engine import Engine\nwith Engine(eval_type='Classical', hash=1) as engine:\n"
        "    print(engine.explain_evaluation())\n"
        "from engine.board.fen import set_fen\nfrom engine.board.setup import new_position\n"
        "from engine.fen import START_FEN\n"
        "from engine.evaluation.classical.explain import trace_of\n"
        "from engine.evaluation.classical.features import CONTROL\n"
        "position = new_position()\nset_fen(position, START_FEN)\nprint(trace_of(position)[0]['count'][:, CONTROL])"
    )
    said = copy.run("-c", program).splitlines()
    (added,) = [line for line in said if line.split("|")[0].strip() == "control"]
    assert set(added.split("|", 1)[1].split()) == {"0.00", "|"}
    assert said[-1] == "[22 22]"
    assert "usage: python -m tuning.texel" in copy.run("-m", "tuning.texel", "--help")


def test_recipe_for_a_theme_of_explanations(copy: Copy) -> None:
    """A pawn taken in passing, which the theme of hanging pieces would name otherwise."""
    folder = "engine/explanation"
    (copy.folder / folder / "themes" / "en_passant.py").write_text(
        '"""En passant: a pawn is taken in passing."""\n\n'
        "import chess\n\nfrom engine.explanation.claims import Finding, Piece\n\n\n"
        "def find(line, ply):\n"
        "    if line.boards[ply].is_en_passant(line.moves[ply]):\n"
        "        pawn = Piece(chess.PAWN, line.moves[ply].to_square ^ 8)\n"
        "        return Finding('enPassant', ply, ply, targets=(pawn,))\n    return None\n",
        encoding="utf-8",
    )
    copy.edit(f"{folder}/themes/__init__.py", "    discovered,\n", "    discovered,\n    en_passant,\n")
    copy.edit(f"{folder}/themes/__init__.py", "(promotion, hanging", "(promotion, en_passant, hanging")
    copy.edit(
        f"{folder}/claims.py", '    "doubleCheck": ("",),\n', '    "doubleCheck": ("",),\n    "enPassant": ("",),\n'
    )
    phrase = '    ("enPassant", ""): "{san} takes {targets} in passing",\n'
    copy.edit(f"{folder}/english.py", '    ("fork", "fork"):', f'{phrase}    ("fork", "fork"):')
    program = (
        "from engine.explanation import explain, sentence\n"
        "from tests.explanation.lines import case_of\n"
        "line = ('3k4/3p4/8/2P1P3/8/8/8/4K3 b - - 0 1', 'd5', 'Ke7 Ke2', 'exd6 Kd7 Ke2 Ke6 Kd3')\n"
        "print(sentence(explain(case_of(*line, '-200 -400'))))"
    )
    shutil.copytree(Path(__file__).parent / "explanation", copy.folder / "tests" / "explanation")
    assert copy.run("-c", program) == "Loses a pawn: 2.exd6 takes the pawn on d5 in passing.\n"


def test_recipe_for_a_uci_command(copy: Copy) -> None:
    """The FEN of the position, in order with the other commands."""
    copy.edit("engine/uci/parse.py", 'frozenset(("d", "eval",', 'frozenset(("d", "fen", "eval",')
    copy.edit(
        "engine/uci/loop.py",
        '            case "eval":\n',
        '            case "fen":\n                session.show_fen()\n            case "eval":\n',
    )
    copy.edit("engine/uci/loop.py", '  quit"""', '  fen                            show the position\n  quit"""')
    copy.edit(
        "engine/uci/session.py",
        "    def show_evaluation(self)",
        "    def show_fen(self) -> None:\n"
        '        self._ask(Command("fen", lambda signals: self._output.line(self._loaded.fen())))\n\n'
        "    def show_evaluation(self)",
    )
    fen = "4k3/8/8/8/8/8/8/4K2R w K - 0 1"
    said = copy.run("uci_main.py", say=f"position fen {fen}\nfen\nposition startpos\nhelp\n").splitlines()
    assert fen in said
    assert "  fen                            show the position" in said


def test_recipe_for_a_subcommand(copy: Copy) -> None:
    """The FEN of a position as Numbat reads it."""
    copy.edit(
        "uci_main.py",
        '    command("version",',
        '    fen = command("fen", "print a FEN as Numbat reads it")\n'
        '    fen.add_argument("words", nargs="+")\n'
        '    command("version",',
    )
    copy.edit(
        "uci_main.py",
        '            case "version":\n',
        '            case "fen":\n                from engine.reading import read_position\n\n'
        '                print(read_position(" ".join(parsed.words), False).board.fen())\n'
        '            case "version":\n',
    )
    assert copy.run("uci_main.py", "fen", "4k3/8/8/8/8/8/8/4K2R w K -") == "4k3/8/8/8/8/8/8/4K2R w K - 0 1\n"
    assert "print a FEN as Numbat reads it" in copy.run("uci_main.py", "help")
    assert "fen" in copy.run("uci_main.py", "completion", "bash")
