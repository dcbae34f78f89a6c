"""Finished runs of ``tuning.match`` and ``tuning.arena`` as lines of the record, from the summary in their files."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tuning.common.errors import SetupError
from tuning.common.results import read_events, read_header
from tuning.experiments.trials import Trial, without_folders
from tuning.matches.limits import TimeControl
from tuning.statistics.elo import estimate
from tuning.statistics.sprt import Sprt

MATCH, ARENA = "tuning.match", "tuning.arena"


def trial_of(
    path: Path, idea: str, outcome: str, *, note: str | None = None, evaluation: str | None = None,
    screened: str | None = None,
) -> tuple[Trial, bool]:  # fmt: skip
    """The record of a results file, and whether all requested games were played.

    ``screened`` is the idea of a screening, for which the effect is recorded. Raises :class:`SetupError` for a file
    without a summary of two sides, or without that idea."""
    header = read_header(path)
    settings = header["settings"]
    if header.get("tool") not in (MATCH, ARENA):
        raise SetupError(f"{path} is not a results file of {MATCH} or {ARENA}")
    summaries = [data for kind, data in read_events(path) if kind == "summary"]
    if not summaries:
        raise SetupError(f"{path} has no summary: the run has not finished; continue it with --resume")
    try:
        sides = (_of_match if header["tool"] == MATCH else _of_arena)(path, settings, summaries[-1])
        effect = _effect(path, summaries[-1].get("effects"), screened)
        known = {**sides, **_figures(settings, sides), **_origin(settings, sides, header["origin"]), **effect}
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        if isinstance(error, SetupError):
            raise
        raise SetupError(f"{path} is not a complete results file: {error!r}") from None
    known |= {"evaluation": evaluation or known["evaluation"], "note": note}
    trial = Trial(idea=idea, outcome=outcome, **known)
    wanted = settings.get("games")
    return trial, trial.verdict is not None or (wanted is not None and trial.games >= wanted)


def _figures(settings: Mapping[str, Any], sides: Mapping[str, Any]) -> dict[str, Any]:
    """The games of two sides, their Elo, and the state of the sequential test."""
    pairs, wdl = tuple(sides["pentanomial"]), tuple(sides["wdl"])
    found = estimate(pairs if sum(pairs) else wdl)
    figures: dict[str, Any] = {
        "games": sum(wdl), "wdl": wdl, "pentanomial": pairs,
        "elo": _finite(found.elo if found else None), "error": _finite(found.elo_error if found else None),
    }  # fmt: skip
    if settings["sprt"]:
        test = Sprt(**settings["sprt"])
        figures |= {"bounds": (test.elo0, test.elo1), "model": test.model}
        figures |= {"llr": round(test.llr(pairs), 2), "verdict": test.verdict(pairs)}
    return figures


def _origin(settings: Mapping[str, Any], sides: Mapping[str, Any], origin: Mapping[str, Any]) -> dict[str, Any]:
    """When and by which command the run began, and with what."""
    return {
        "date": origin["began"][:10], "book": _name(settings["book"]["path"]),
        "revisions": sides.get("revisions") or tuple(filter(None, [origin.get("revision")])),
        "command": without_folders(origin["command"]) if origin.get("command") else None,
    }  # fmt: skip


def _of_match(path: Path, settings: Mapping[str, Any], summary: Mapping[str, Any]) -> dict[str, Any]:
    if len(summary["encounters"]) != 1:
        raise SetupError(f"{path} holds {len(summary['encounters'])} encounters; a result needs two sides")
    found, both = summary["encounters"][0], settings["engines"]
    limits = dict.fromkeys(str(TimeControl(**engine["limits"])) for engine in both)
    chosen = [_evaluation({**engine["shared_options"], **engine["options"]}.items()) for engine in both]
    return {
        "first": found["first"], "second": found["second"], "limit": " / ".join(limits),
        "wdl": (found["losses"], found["draws"], found["wins"]), "pentanomial": found["pentanomial"],
        "evaluation": " / ".join(dict.fromkeys(one for one in chosen if one)) or None,
        "revisions": tuple(engine["revision"][:7] for engine in both if engine["revision"]),
    }  # fmt: skip


def _of_arena(path: Path, settings: Mapping[str, Any], summary: Mapping[str, Any]) -> dict[str, Any]:
    meeting = settings["meeting"]
    chosen = [_evaluation(meeting[side]) or summary["network"] for side in ("first", "second")]
    limits = dict.fromkeys(_limit(dict(meeting[side]), meeting["rules"]) for side in ("first", "second"))
    return {
        "first": summary["first"], "second": summary["second"], "limit": " / ".join(limits),
        "wdl": summary["wdl"], "pentanomial": summary["pentanomial"], "evaluation": " / ".join(dict.fromkeys(chosen)),
    }  # fmt: skip


def _limit(own: Mapping[str, str], rules: Mapping[str, Any]) -> str:
    """The limit of a side of the arena: its own if it has one."""
    clock = own["clock"].partition("+")[::2] if "clock" in own else rules.get("clock")
    return f"{clock[0]}+{clock[1] or 0} nodes" if clock else f"{int(own.get('nodes', rules['nodes']))} nodes"


def _effect(path: Path, effects: Sequence[Mapping[str, Any]] | None, screened: str | None) -> dict[str, Any]:
    """The effect of one idea of a screening, in place of the figures of both sides."""
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
    elo, error = _finite(effect["elo"]), _finite(effect["error"])
    return {"first": first, "second": second, "elo": elo, "error": error, "wdl": None, "pentanomial": None}


def _finite(value: float | None) -> float | None:
    return round(value, 1) if value is not None and abs(value) < 1e6 else None


def _evaluation(options: Sequence[tuple[str, str]] | Any) -> str | None:
    """The evaluation that options choose, if they do."""
    named = dict(options)
    return _name(named["EvalFile"]) if named.get("EvalFile") else named.get("EvalType")


def _name(path: str | None) -> str | None:
    """The name of a file without its folder, which differs between machines."""
    return None if path is None else re.split(r"[/\\]", path)[-1]
