"""What a results file of ``tuning.match`` or ``tuning.arena`` says of its two sides, from its last summary."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from tuning.common.errors import SetupError
from tuning.common.ledger import read_events, read_header
from tuning.matches.limits import Limits
from tuning.statistics.elo import Estimate, estimate
from tuning.statistics.sprt import Sprt

MATCH, ARENA = "tuning.match", "tuning.arena"


@dataclass(frozen=True, slots=True)
class RunResult:
    """Games between two sides, counted for the first: ``wdl`` losses, draws, wins; ``pairs`` by points 0 to 2.

    ``wanted``: games asked for, ``None`` for no end. ``limit`` is ``8000 nodes``, a clock of nodes
    (``300000+3000 nodes``) or a time control.
    """

    first: str
    second: str
    wdl: tuple[int, int, int]
    pairs: tuple[int, ...]
    limit: str
    book: str | None
    sprt: Sprt | None = None
    wanted: int | None = None
    evaluation: str | None = None
    revisions: tuple[str, ...] = ()
    command: str | None = None
    date: str = ""
    effect: tuple[float, float] | None = None  # of one screened idea: Elo and its error, in all the games

    @property
    def games(self) -> int:
        return sum(self.wdl)

    @property
    def estimate(self) -> Estimate | None:
        return estimate(self.pairs if sum(self.pairs) else self.wdl)

    @property
    def verdict(self) -> str | None:
        """``H0`` or ``H1`` if there was a sequential test and it has ended."""
        return None if self.sprt is None else self.sprt.verdict(self.pairs)

    @property
    def finished(self) -> bool:
        """Whether all that was asked for has been played."""
        return self.verdict is not None or (self.wanted is not None and self.games >= self.wanted)

    @property
    def text(self) -> str:
        """Elo, test and games in one line."""
        losses, draws, wins = self.wdl
        found = self.estimate
        parts = [f"Elo {'?' if found is None else found.text}"]
        if self.sprt is not None:
            verdict = self.verdict
            bounds = f"LLR {self.sprt.llr(self.pairs):+.2f} [{self.sprt.elo0:g}, {self.sprt.elo1:g}]"
            parts.append(bounds + (f" {verdict} accepted" if verdict else ""))
        wanted = "" if self.finished or self.wanted is None else f" of {self.wanted}"
        return ", ".join([*parts, f"{self.games}{wanted} games +{wins} ={draws} -{losses}"])


def result_of(path: Path, screened: str | None = None) -> RunResult:
    """Read a results file; of one that screens many ideas what it says of the ``screened`` one.

    Raises :class:`SetupError` if it has no summary, or not that of two sides, or does not know the idea.
    """
    header = read_header(path)
    summary: Mapping[str, Any] | None = None
    games = header.get("settings", {}).get("games")
    for kind, data in read_events(path):
        if kind == "summary":
            summary = data
        elif kind == "change":
            games = data.get("games", games)
    if header.get("tool") not in (MATCH, ARENA):
        raise SetupError(f"{path} is not a results file of {MATCH} or {ARENA}")
    if summary is None:
        raise SetupError(f"{path} has no summary: the run has not finished; continue it with --resume")
    try:
        found = (_of_match if header["tool"] == MATCH else _of_arena)(path, header, summary, games)
        return _of_idea(path, found, summary.get("effects"), screened)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        if isinstance(error, SetupError):
            raise
        raise SetupError(f"{path} is not a complete results file: {error!r}") from None


def _of_idea(
    path: Path, found: RunResult, effects: Sequence[Mapping[str, Any]] | None, screened: str | None
) -> RunResult:
    """``found``, as it concerns one idea of a screening."""
    if effects is None:
        if screened is not None:
            raise SetupError(f"{path} is a test of two sides: leave out --screened")
        return found
    known = {effect["idea"][0]: effect for effect in effects}
    if screened not in known:
        said = "say which with --screened" if screened is None else f"not {screened}"
        raise SetupError(f"{path} screened {', '.join(known) or 'too few games'}: {said}")
    effect = known[screened]
    named = f"{screened}={effect['idea'][1]}"
    return replace(found, first=named, second=f"without, among {len(known)}", effect=(effect["elo"], effect["error"]))


def _of_match(path: Path, header: Mapping[str, Any], summary: Mapping[str, Any], games: int | None) -> RunResult:
    settings = header["settings"]
    if len(summary["encounters"]) != 1:
        raise SetupError(f"{path} holds {len(summary['encounters'])} encounters; a result needs two sides")
    found = summary["encounters"][0]
    both = settings["engines"]
    limits = [str(Limits(**engine["limits"])) for engine in both]
    chosen = [_evaluation({**engine["shared_options"], **engine["options"]}.items()) for engine in both]
    return RunResult(
        found["first"],
        found["second"],
        (found["losses"], found["draws"], found["wins"]),
        tuple(found["pentanomial"]),
        limits[0] if limits[0] == limits[1] else " / ".join(limits),
        _name(settings["book"]["path"]),
        Sprt(**settings["sprt"]) if settings["sprt"] else None,
        games,
        " / ".join(dict.fromkeys(one for one in chosen if one)) or None,
        tuple(engine["revision"][:7] for engine in both if engine["revision"]) or _here(header),
        header.get("origin", {}).get("command"),
        _date(path, header),
    )


def _of_arena(path: Path, header: Mapping[str, Any], summary: Mapping[str, Any], games: int | None) -> RunResult:
    settings = header["settings"]
    meeting = settings["meeting"]
    chosen = [_evaluation(meeting[side]) or _own_network() for side in ("first", "second")]
    return RunResult(
        summary["first"],
        summary["second"],
        tuple(summary["wdl"]),
        tuple(summary["pentanomial"]),
        _limit(meeting["rules"]),
        _name(settings["book"]["path"]),
        Sprt(**settings["sprt"]) if settings["sprt"] else None,
        games,
        " / ".join(dict.fromkeys(chosen)),
        _here(header),
        header.get("origin", {}).get("command"),
        _date(path, header),
    )


def _limit(rules: Mapping[str, Any]) -> str:
    """Nodes a move, or the clock that ran on nodes."""
    clock = rules.get("clock")
    return f"{clock[0]}+{clock[1]} nodes" if clock else f"{rules['nodes']} nodes"


def _evaluation(options: Sequence[tuple[str, str]] | Any) -> str | None:
    """The evaluation that options choose, if they do."""
    named = dict(options)
    if named.get("EvalFile"):
        return _name(named["EvalFile"])
    return named.get("EvalType")


def _own_network() -> str:
    """The network of this checkout, by the beginning of its digest."""
    from engine.evaluation.choice import OWN_NET

    return f"{OWN_NET.name} {hashlib.blake2b(OWN_NET.read_bytes(), digest_size=4).hexdigest()}"


def _here(header: Mapping[str, Any]) -> tuple[str, ...]:
    revision = header.get("origin", {}).get("revision")
    return (revision,) if revision else ()


def _date(path: Path, header: Mapping[str, Any]) -> str:
    began = header.get("origin", {}).get("began")
    return began[:10] if began else datetime.fromtimestamp(path.stat().st_mtime).date().isoformat()


def _name(path: str | None) -> str | None:
    """The name of a file without the folder, which is another one on every machine."""
    return None if path is None else re.split(r"[/\\]", path)[-1]
