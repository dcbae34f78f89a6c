"""Flags of commands that play games between engines, and the settings made from them."""

import argparse
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from tuning.common import revisions
from tuning.common.errors import SetupError
from tuning.common.files import digest
from tuning.common.flags import add_check_flag, add_cluster_flags, whole
from tuning.matches.adjudication import Adjudication, parse_rule
from tuning.matches.engines import EngineSpec
from tuning.matches.limits import TimeControl, parse_tc
from tuning.matches.openings import BookSettings
from tuning.statistics.sprt import MODELS, Sprt

Group = argparse._ArgumentGroup

RESIGN_KEYS = {"movecount": "resign_moves", "score": "resign_score", "twosided": "resign_both"}
DRAW_KEYS = {"movenumber": "draw_from", "movecount": "draw_moves", "score": "draw_score"}


def add_limit_flags(parser: argparse.ArgumentParser) -> None:
    """The flags for thinking time, the same for every tool."""
    group = parser.add_argument_group("time and other limits (an engine's own words take precedence)")
    group.add_argument("--tc", metavar="TC", help="clock: [moves/][minutes:]seconds[+increment], such as 8+0.08")
    group.add_argument("--movetime", type=float, metavar="MS", help="fixed time per move, in milliseconds")
    group.add_argument("--nodes", type=int, metavar="N", help="nodes per move")
    group.add_argument("--depth", type=int, metavar="PLIES", help="depth per move")
    margin = "milliseconds that a move may exceed its time (default: 0, but 100 with a fixed time)"
    group.add_argument("--timemargin", type=float, metavar="MS", help=margin)


def limits_from(arguments: argparse.Namespace) -> TimeControl:
    """Read the flags of :func:`add_limit_flags`."""
    base, increment, moves = parse_tc(arguments.tc) if arguments.tc else (None, 0.0, 0)
    movetime, margin = (None if value is None else value / 1000 for value in (arguments.movetime, arguments.timemargin))
    return TimeControl(
        base, increment, moves, movetime=movetime, nodes=arguments.nodes, depth=arguments.depth, margin=margin
    )


def add_sprt_flags(group: Group) -> None:
    """The flags of the sequential test."""
    group.add_argument("--sprt", nargs=2, type=float, metavar=("ELO0", "ELO1"), help="stop when H0 or H1 is accepted")
    group.add_argument("--alpha", type=float, default=0.05, help="probability of accepting H1 wrongly (default 0.05)")
    group.add_argument("--beta", type=float, default=0.05, help="probability of accepting H0 wrongly (default 0.05)")
    group.add_argument("--model", choices=MODELS, default="logistic", help="kind of Elo of the --sprt bounds")


def sprt_from(arguments: argparse.Namespace) -> Sprt | None:
    """Read the flags of :func:`add_sprt_flags`. Raises :class:`SetupError` for invalid bounds."""
    if not arguments.sprt:
        return None
    elo0, elo1 = arguments.sprt
    return Sprt(elo0, elo1, arguments.alpha, arguments.beta, arguments.model)


def add_opening_flags(parser: argparse.ArgumentParser) -> None:
    """The flags for openings."""
    group = parser.add_argument_group("openings, each played twice with colours reversed")
    group.add_argument("--openings", metavar="FILE", help="EPD, FEN or PGN book (default: random plies)")
    group.add_argument("--order", choices=("random", "sequential"), default="random", help="order of the openings")
    group.add_argument("--seed", type=int, default=1, help="seed of the random order or openings (default 1)")
    group.add_argument(
        "--plies", type=whole(), help="cut PGN openings to N plies; without a book: number of random plies (default 8)"
    )
    group.add_argument("--chess960", action="store_true", help="Chess960; without a book, from random start positions")


def book_from(arguments: argparse.Namespace) -> BookSettings:
    """Read the flags of :func:`add_opening_flags`. Raises :class:`SetupError` for invalid ones."""
    path = arguments.openings
    if path is not None and Path(path).is_dir():
        raise SetupError(f"--openings {path}: a directory, not a file")
    if path is not None and not Path(path).is_file():
        raise SetupError(f"--openings {path}: No such file")
    return BookSettings(
        path and str(Path(path).resolve()),
        arguments.order,
        arguments.seed,
        arguments.plies,
        arguments.chess960,
        path and digest(Path(path)),
    )


def add_arena_flags(parser: argparse.ArgumentParser) -> None:
    """The flags of games in compiled code, of their openings and ends, and of where and whether they are played."""
    group = parser.add_argument_group("thinking")
    add = group.add_argument
    add("--nodes", type=whole(1, 10**9), default=8_000, metavar="N", help="nodes per move (default 8000)")
    hard = "makes --nodes a soft limit: the iteration that exceeds it is finished, up to N nodes"
    add("--hard", type=whole(1, 10**12), metavar="N", help=hard)
    clock = (
        "a clock that runs on nodes, for the game and for each move, such as 300000+3000; the engine's time "
        "management shares them out (replaces --nodes)"
    )
    add("--clock", metavar="N+N", help=clock)
    add("--hash", type=whole(1, 65_536), default=16, metavar="MB", help="table of each side in MB (default 16)")
    add_opening_flags(parser)
    add_end_flags(parser)
    add_cluster_flags(parser)
    add_check_flag(parser)


def add_end_flags(parser: argparse.ArgumentParser) -> Group:
    """The flags for adjudication; returns their group."""
    group = parser.add_argument_group("ends of games")
    usual = Adjudication()
    resign = (
        f"'off', or movecount= score= (centipawns) twosided=0|1; default movecount={usual.resign_moves} "
        f"score={usual.resign_score} twosided=1: both sides must agree"
    )
    group.add_argument("--resign", nargs="+", metavar="WORD", default=[], help=resign)
    draw = (
        f"'off', or movenumber= movecount= score=; default movenumber={usual.draw_from} "
        f"movecount={usual.draw_moves} score={usual.draw_score}"
    )
    group.add_argument("--draw", nargs="+", metavar="WORD", default=[], help=draw)
    group.add_argument("--maxmoves", type=int, default=0, metavar="N", help="adjudicate a draw after N moves")
    return group


def adjudication_from(arguments: argparse.Namespace, tablebases: str | None = None) -> Adjudication:
    """Read the flags of :func:`add_end_flags`. Raises :class:`SetupError` for invalid ones."""
    rules: dict[str, Any] = parse_rule(arguments.resign, RESIGN_KEYS, "--resign")
    rules |= parse_rule(arguments.draw, DRAW_KEYS, "--draw")
    if "resign_both" in rules:
        rules["resign_both"] = bool(rules["resign_both"])
    return Adjudication(tablebases=tablebases, max_moves=arguments.maxmoves, **rules)


def add_play_flags(parser: argparse.ArgumentParser) -> None:
    """The flags for openings and adjudication of games between engine processes, and for the program that plays."""
    add_opening_flags(parser)
    group = add_end_flags(parser)
    group.add_argument("--tb", metavar="DIR", help="folder of Syzygy tables for adjudication")
    group = parser.add_argument_group("where games are played")
    group.add_argument("--jobs", type=whole(1), metavar="N", help="games at a time (default: one per core)")
    group.add_argument("--fastchess", metavar="FILE", help="the program fastchess (default: from the path)")


def play_settings(arguments: argparse.Namespace) -> tuple[Adjudication, BookSettings]:
    """Read the flags of :func:`add_play_flags`. Raises :class:`SetupError` for invalid ones."""
    if arguments.tb is not None and not any(Path(arguments.tb).glob("*.rtbw")):
        raise SetupError(f"--tb {arguments.tb}: no Syzygy tables (*.rtbw) in that folder")
    rules = adjudication_from(arguments, arguments.tb and str(Path(arguments.tb).resolve()))
    return rules, book_from(arguments)


def with_commit(spec: EngineSpec) -> EngineSpec:
    """The engine with its revision pinned to a commit, so that a resumed match uses the same one.

    It will run in a worktree, so options that name a file or a folder get its absolute path."""
    if spec.revision is None:
        return spec
    commit = revisions.resolve(spec.revision)
    own, shared = (
        {name: os.path.abspath(value) if os.path.exists(value) else value for name, value in options.items()}
        for options in (spec.options, spec.shared_options)
    )
    name = f"{spec.name}@{commit[:7]}"
    return replace(spec, revision=commit, name=name, options=own, shared_options=shared)
