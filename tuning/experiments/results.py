"""Finished runs of ``tuning.match`` and ``tuning.arena`` as lines of the record, from the summary in their files."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tuning.common.errors import SetupError
from tuning.common.ledger import read_events, read_header
from tuning.experiments.trials import Trial, without_folders
from tuning.matches.limits import Limits
from tuning.statistics.elo import estimate
from tuning.statistics.sprt import Sprt

MATCH, ARENA = "tuning.match", "tuning.arena"


def trial_of(
    path: Path, idea: str, outcome: str, *, note: str | None = None, evaluation: str | None = None,
    screened: str | None = None,
) -> tuple[Trial, bool]:  # fmt: skip
    """The record of a results file, and whether all games asked for were played.

    ``screened`` is the idea of a screening, for which the effect is recorded. Raises :class:`SetupError` for a file
    without a summary of two sides, or without that idea.
    """
    header = read_header(path)
    summary: Mapping[str, Any] | None = None
    wanted = header.get("settings", {}).get("games")
    for kind, data in read_events(path):
        if kind == "summary":
            summary = data
        elif kind == "change":
            wanted = data.get("games", wanted)
    if header.get("tool") not in (MATCH, ARENA):
        raise SetupError(f"{path} is not a results file of {MATCH} or {ARENA}")
    if summary is None:
        raise SetupError(f"{path} has no summary: the run has not finished; continue it with --resume")
    try:
        sides = (_of_match if header["tool"] == MATCH else _of_arena)(path, header["settings"], summary)
        sides |= _effect(path, sides, summary.get("effects"), screened)
        test = Sprt(**header["settings"]["sprt"]) if header["settings"]["sprt"] else None
        book = header["settings"]["book"]["path"]
        pairs, wdl = tuple(sides["pentanomial"]), tuple(sides["wdl"])
        origin = header["origin"]
        date = origin["began"][:10]
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        if isinstance(error, SetupError):
            raise
        raise SetupError(f"{path} is not a complete results file: {error!r}") from None
    found = estimate(pairs if sum(pairs) else wdl)
    elo, margin = sides.pop("effect", None) or ((found.elo, found.elo_error) if found else (None, None))
    sides |= {"wdl": None if screened else wdl, "pentanomial": None if screened else pairs}
    verdict = test.verdict(pairs) if test else None
    played, revisions = sides.pop("evaluation"), sides.pop("revisions", ())
    trial = Trial(
        date=date,
        idea=idea,
        outcome=outcome,
        games=sum(wdl),
        elo=_finite(elo),
        error=_finite(margin),
        bounds=(test.elo0, test.elo1) if test else None,
        model=test.model if test else None,
        llr=round(test.llr(pairs), 2) if test else None,
        verdict=verdict,
        book=_name(book),
        evaluation=evaluation or played,
        revisions=revisions or tuple(filter(None, [origin.get("revision")])),
        command=without_folders(origin["command"]) if origin.get("command") else None,
        note=note,
        **sides,
    )
    return trial, verdict is not None or (wanted is not None and trial.games >= wanted)


def _of_match(path: Path, settings: Mapping[str, Any], summary: Mapping[str, Any]) -> dict[str, Any]:
    if len(summary["encounters"]) != 1:
        raise SetupError(f"{path} holds {len(summary['encounters'])} encounters; a result needs two sides")
    found, both = summary["encounters"][0], settings["engines"]
    limits = dict.fromkeys(str(Limits(**engine["limits"])) for engine in both)
    chosen = [_evaluation({**engine["shared_options"], **engine["options"]}.items()) for engine in both]
    return {
        "first": found["first"], "second": found["second"], "limit": " / ".join(limits),
        "wdl": (found["losses"], found["draws"], found["wins"]), "pentanomial": found["pentanomial"],
        "evaluation": " / ".join(dict.fromkeys(one for one in chosen if one)) or None,
        "revisions": tuple(engine["revision"][:7] for engine in both if engine["revision"]),
    }  # fmt: skip


def _of_arena(path: Path, settings: Mapping[str, Any], summary: Mapping[str, Any]) -> dict[str, Any]:
    meeting = settings["meeting"]
    from tuning.selfplay.sides import own_network  # imported late: it loads the engine

    network = summary.get("network") or own_network()  # older files do not say
    chosen = [_evaluation(meeting[side]) or network for side in ("first", "second")]
    limits = dict.fromkeys(_limit(dict(meeting[side]), meeting["rules"]) for side in ("first", "second"))
    return {
        "first": summary["first"], "second": summary["second"], "limit": " / ".join(limits),
        "wdl": summary["wdl"], "pentanomial": summary["pentanomial"], "evaluation": " / ".join(dict.fromkeys(chosen)),
    }  # fmt: skip


def _limit(own: Mapping[str, str], rules: Mapping[str, Any]) -> str:
    """The limit of a side of the arena: its own if it has one."""
    clock = own["clock"].partition("+")[::2] if "clock" in own else rules.get("clock")
    return f"{clock[0]}+{clock[1] or 0} nodes" if clock else f"{int(own.get('nodes', rules['nodes']))} nodes"


def _effect(
    path: Path, sides: Mapping[str, Any], effects: Sequence[Mapping[str, Any]] | None, screened: str | None
) -> dict[str, Any]:
    """The replacement for the ``sides`` of a screening: the effect of one idea."""
    if effects is None:
        if screened is not None:
            raise SetupError(f"{path} is a test of two sides: leave out --screened")
        return {}
    known = {effect["idea"][0]: effect for effect in effects}
    if screened not in known:
        fault = "say which with --screened" if screened is None else f"not {screened}"
        raise SetupError(f"{path} screened {', '.join(known) or 'too few games'}: {fault}")
    effect = known[screened]
    first, second = f"{screened}={effect['idea'][1]}", f"without, among {len(known)}"
    return {"first": first, "second": second, "effect": (effect["elo"], effect["error"])}


def _finite(value: float | None) -> float | None:
    return round(value, 1) if value is not None and abs(value) < 1e6 else None


def _evaluation(options: Sequence[tuple[str, str]] | Any) -> str | None:
    """The evaluation that options choose, if they do."""
    named = dict(options)
    return _name(named["EvalFile"]) if named.get("EvalFile") else named.get("EvalType")


def _name(path: str | None) -> str | None:
    """The name of a file without its folder, which differs between machines."""
    return None if path is None else re.split(r"[/\\]", path)[-1]
