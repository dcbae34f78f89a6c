"""Records to UCI lines."""

from collections.abc import Sequence

from engine.messages import Info, Result, Score, nodes_per_second
from engine.options import EMPTY, Option
from engine.printing import escaped

_MAX_STRING_CHARACTERS = 300  # maximum characters of an info string, which may quote input of any length
_QUOTED_WORDS = 3  # maximum number of words quoted from a list


def info_string_line(text: str) -> str:
    """``text`` as an ``info string``: on one line, escaped."""
    start = text[: 4 * _MAX_STRING_CHARACTERS]  # collapsing blanks shortens it
    shown = escaped(" ".join(start.split()), keep="")
    if len(shown) > _MAX_STRING_CHARACTERS or len(text) > len(start):
        shown = shown[:_MAX_STRING_CHARACTERS] + " ..."
    return f"info string {shown}"


def some_of(words: Sequence[str]) -> str:
    """The first few of ``words`` in quotes, and how many more there are."""
    quoted = [f"'{word}'" for word in words[:_QUOTED_WORDS]]
    if len(words) > _QUOTED_WORDS:
        quoted.append(f"{len(words) - _QUOTED_WORDS} more")
    return " and ".join([", ".join(quoted[:-1]), quoted[-1]] if len(quoted) > 1 else quoted)


def option_line(option: Option) -> str:
    """The line that offers ``option`` to the GUI."""
    words = [f"option name {option.name} type {option.kind}"]
    if option.kind == "check":
        words.append(f"default {'true' if option.default else 'false'}")
    elif option.kind != "button":
        words.append(f"default {EMPTY if option.default == '' else option.default}")
    if option.kind == "spin":
        words.append(f"min {option.minimum} max {option.maximum}")
    words += [f"var {choice}" for choice in option.choices]
    return " ".join(words)


def score_words(score: Score) -> str:
    """``score cp 31``, ``score mate -2`` or ``score cp 31 lowerbound``."""
    value = f"cp {score.cp}" if score.mate is None else f"mate {score.mate}"
    return f"score {value} {score.bound}".rstrip()


def info_line(info: Info, wdl: bool = False) -> str:
    """The ``info`` line for a report, its fields in the order that all GUIs expect; ``wdl`` includes the chances."""
    if info.currmove:
        return f"info depth {info.depth} currmove {info.currmove} currmovenumber {info.currmovenumber}"
    if info.depth == 0 and info.score is not None and not info.pv:  # checkmate or stalemate
        return f"info depth 0 {score_words(info.score)}"
    words = [f"info depth {info.depth}"]
    if info.score is not None:  # None: a progress report within an iteration
        words.append(f"seldepth {info.seldepth} multipv {info.multipv} {score_words(info.score)}")
        if wdl and info.wdl is not None:
            words.append("wdl {} {} {}".format(*info.wdl))
    words.append(f"nodes {info.nodes} nps {info.nps} hashfull {info.hashfull} tbhits {info.tbhits}")
    words.append(f"time {info.time}")
    if info.pv:
        words.append("pv " + " ".join(info.pv))
    return " ".join(words)


def result_line(result: Result) -> str:
    """``bestmove e2e4 ponder e7e5``; without ``ponder`` if no reply is expected."""
    return f"bestmove {result.bestmove}" + (f" ponder {result.ponder}" if result.ponder else "")


def bench_line(nodes: int, milliseconds: float) -> str:
    """The last line of a bench, in the form that OpenBench reads."""
    return f"{nodes} nodes {nodes_per_second(nodes, milliseconds)} nps"


def diagram(placement: str) -> str:
    """A text board from the first field of a FEN, White at the bottom."""
    rule = "  +" + "---+" * 8
    rows = [rule]
    for rank, row in zip("87654321", placement.split("/"), strict=True):
        cells = "".join(" " * int(cell) if cell.isdigit() else cell for cell in row)
        rows += [f"{rank} | " + " | ".join(cells) + " |", rule]
    rows.append("    " + "   ".join("abcdefgh"))
    return "\n".join(rows)
