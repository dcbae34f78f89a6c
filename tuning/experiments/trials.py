"""The record of tests: one line of JSON each in ``tuning/tests.jsonl``, whether it is a proof, and the table."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from rich.table import Table
from rich.text import Text

from tuning.common.errors import SetupError
from tuning.common.files import write_whole
from tuning.statistics.elo import estimate
from tuning.statistics.sprt import MODELS

FILE = Path(__file__).resolve().parents[1] / "tests.jsonl"

OUTCOMES = ("kept", "dropped", "open")

PROVING_GAMES = 5000
PROVING_NODES = 8000
PROVING_BOUNDS = ((0.0, 5.0), (-5.0, 0.0))

_NODES = re.compile(r"(?<![\d+])(\d+) nodes")  # a move, not those of a clock


@dataclass(frozen=True, slots=True)
class Trial:
    """One line of the record; unknown fields are ``None``. Raises ``ValueError`` for contradictions."""

    date: str
    idea: str  # what was tried, as a change from ``second`` to ``first``
    outcome: str  # kept, dropped or open
    games: int
    elo: float | None  # of ``first``, as all figures
    error: float | None  # of ``elo``, 95%
    wdl: tuple[int, int, int] | None = None  # losses, draws, wins
    pentanomial: tuple[int, ...] | None = None  # pairs by points 0, 1/2, 1, 3/2, 2
    bounds: tuple[float, float] | None = None  # of the SPRT, in Elo
    model: str | None = None  # of the SPRT
    llr: float | None = None  # log-likelihood ratio
    verdict: str | None = None
    limit: str | None = None  # nodes a move, or the clock
    book: str | None = None
    evaluation: str | None = None
    first: str | None = None
    second: str | None = None
    revisions: tuple[str, ...] = ()
    command: str | None = None
    note: str | None = None
    constants: Mapping[str, float] | None = None  # the search's parameters and constants that a kept idea changes

    def __post_init__(self) -> None:
        if not self.idea.strip():
            raise ValueError("the idea is missing")
        if self.outcome not in OUTCOMES:
            raise ValueError(f"the outcome is one of {', '.join(OUTCOMES)}, not {self.outcome!r}")
        if self.games < 1 or (self.wdl is not None and (len(self.wdl) != 3 or sum(self.wdl) != self.games)):
            raise ValueError(f"{self.games} games are not those of {self.wdl}")
        if self.pentanomial is not None and (len(self.pentanomial) != 5 or 2 * sum(self.pentanomial) > self.games):
            raise ValueError(f"{self.games} games do not make the pairs {self.pentanomial}")
        if self.model is not None and self.model not in MODELS:
            raise ValueError(f"the model is one of {', '.join(MODELS)}, not {self.model!r}")

    @property
    def proof(self) -> bool:
        """Whether the test meets the rule in ``tuning/README.md``, one way or the other."""
        if self.limit is None or "depth" in self.limit:
            return False
        if any(int(nodes) < PROVING_NODES for nodes in _NODES.findall(self.limit)):
            return False
        ended = self.verdict is not None and self.model == "normalized" and self.bounds in PROVING_BOUNDS
        return ended or self.games >= PROVING_GAMES

    def line(self) -> str:
        """The test as a line of the file, without unknown fields."""
        known = {key: value for key, value in asdict(self).items() if value is not None and value != ()}
        return json.dumps(known, ensure_ascii=False)


def parse(data: Any) -> Trial:
    """A test from a line's data. Raises ``ValueError`` that names the fault."""
    if not isinstance(data, dict):
        raise ValueError("it is not a JSON object")
    unknown = sorted(data.keys() - {field.name for field in fields(Trial)})
    if unknown:
        raise ValueError(f"unknown field {', '.join(unknown)}")
    lists = {name: tuple(data[name]) for name in ("wdl", "pentanomial", "bounds", "revisions") if data.get(name)}
    try:
        return Trial(**{"elo": None, "error": None, **data, **lists})
    except TypeError as error:
        raise ValueError(str(error).removeprefix("Trial.__init__() ")) from None


def read(path: Path = FILE) -> list[Trial]:
    """All tests of the file, none if it does not exist. Raises :class:`SetupError` that names file and line."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        raise SetupError(f"cannot read {path}: {getattr(error, 'strerror', None) or 'not a text file'}") from None
    tests = []
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                tests.append(parse(json.loads(line)))
            except ValueError as error:
                raise SetupError(f"{path}:{number} is not a test: {error}") from None
    return tests


def without_folders(command: str) -> str:
    """The command with full paths reduced to file names, because other machines have other folders."""
    return re.sub(r"(?<![\w.-])(?:~|\.{1,2})?/(?:[^\s'\"=,:]+/)*([^\s'\"=,:/]+)", r"\1", command)


def add(path: Path, results: Path, test: Trial) -> None:
    """Add a line. Raises :class:`SetupError` if the run was added before."""
    known = read(path)
    for one in known:
        if (one.date, one.pentanomial, one.first, one.second) == (
            test.date, test.pentanomial, test.first, test.second,
        ):  # fmt: skip
            raise SetupError(f"{results} is already in the record: {one.idea!r}")
    before = path.read_bytes() if path.exists() else b""
    if before and not before.endswith(b"\n"):
        before += b"\n"
    write_whole(path, before + test.line().encode() + b"\n")


def table_of(tests: Sequence[Trial]) -> Table:
    """A table of tests."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading, justify in (("Date", "left"), ("Idea", "left"), ("Games", "right"), ("Elo (95%)", "right"),
                             ("LLR", "right"), ("Pairs 0 to 2", "right"), ("At", "left"), ("Evaluation", "left"),
                             ("Proof", "left"), ("Outcome", "left")):  # fmt: skip
        whole = heading not in ("Idea", "Evaluation")
        table.add_column(heading, justify=justify, no_wrap=whole, overflow="fold")  # type: ignore[arg-type]
    for test in tests:
        llr = ""
        if test.bounds is not None and test.llr is not None:
            kind = "n" if test.model == "normalized" else ""
            llr = f"{test.llr:+.2f} {kind}[{test.bounds[0]:g}, {test.bounds[1]:g}]"
        style = {"kept": "green", "dropped": "red"}.get(test.outcome, "")
        table.add_row(
            test.date, Text(test.idea), f"{test.games:,}", _elo(test), llr,
            " ".join(map(str, test.pentanomial or ())), test.limit or "?", Text(test.evaluation or "?"),
            "yes" if test.proof else "no", Text(test.outcome, style),
        )  # fmt: skip
    return table


def _elo(test: Trial) -> str:
    if test.elo is not None and test.error is not None:
        return f"{test.elo:+.1f} ±{test.error:.1f}"
    if test.pentanomial is not None:
        found = estimate(test.pentanomial)
        return "?" if found is None else found.text
    return "?" if test.elo is None else f"{test.elo:+.1f}"
