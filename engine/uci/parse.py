"""UCI lines to records, without side effects. Input that is not understood is named, never guessed at."""

import itertools
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from engine.messages import NUMBERS, PERFT, Limits, OptionError, PositionError, counted, quoted
from engine.options import OPTIONS, Option, Options, Value, find, whole_number
from engine.uci.format import some_of

#: The commands of the protocol.
PROTOCOL = frozenset(
    ("uci", "isready", "ucinewgame", "position", "go", "stop", "ponderhit", "quit", "setoption", "debug", "register")
)

#: Numbat's own commands, for interactive use.
EXTENSIONS = frozenset(("d", "eval", "explain", "why", "bench", "help"))

_NUMBERS = NUMBERS | {"perft": PERFT}  # ``go`` limits with a number
_EXPLAINED_FAULTS = 5  # number of invalid limits that get an explanation; the others are counted

_FLAGS = frozenset(("infinite", "ponder"))
_GO_WORDS = _FLAGS | _NUMBERS.keys() | {"searchmoves"}


@dataclass(frozen=True, slots=True)
class Go:
    """A ``go`` command: the limits of the search, or the depth of a perft, and faults of invalid words."""

    limits: Limits
    perft: int | None = None
    faults: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Placement:
    """A ``position`` command: a FEN (None for the start position) and the moves played from it."""

    fen: str | None
    moves: tuple[str, ...] = ()


def commands_in(arguments: Sequence[str]) -> list[str]:
    """Turn the ``arguments`` of a command line into UCI lines, as Stockfish does: an argument with blanks is one,
    and single words in a row make up one. Empty if the first word is a subcommand or no command.

    >>> commands_in(["position startpos", "d"]), commands_in(["go", "depth", "10"]), commands_in(["bench", "5"])
    (['position startpos', 'd'], ['go depth 10'], [])
    """
    first, *rest = arguments[0].split() or [""]
    if first not in PROTOCOL | EXTENSIONS or (not rest and first in ("uci", "bench", "help")):
        return []
    runs = itertools.groupby(arguments, key=lambda argument: len(argument.split()) > 1)
    return [line for is_whole, words in runs for line in (words if is_whole else [" ".join(words)])]


def split_command(line: str) -> tuple[str, list[str]]:
    """The command in a line (empty if there is none) and the words after it. As the protocol requires, unknown words
    before it are skipped: ``joho debug on`` is ``debug on``. Numbat's own commands count only as the first word, as
    further on they could be part of a sentence."""
    words = line.split()
    if words and words[0] in EXTENSIONS:
        return words[0], words[1:]
    for place, word in enumerate(words):
        if word in PROTOCOL:
            return word, words[place + 1 :]
    return "", words


def text_after(command: str, line: str) -> str:
    """The part of ``line`` after the word ``command``, with its blanks."""
    found = re.search(rf"(?<!\S){command}(?!\S)", line)
    return line[found.end() :] if found else ""


def parse_position(words: Sequence[str]) -> Placement:
    """``startpos`` or ``fen`` with its fields, optionally ``moves``, as a record. Raises :class:`PositionError`."""
    words = list(words)
    moves: tuple[str, ...] = ()
    if "moves" in words:
        place = words.index("moves")
        words, moves = words[:place], tuple(words[place + 1 :])
    match words:
        case ["startpos"]:
            return Placement(None, moves)
        case ["fen", _, *_]:
            return Placement(" ".join(words[1:]), moves)
        case ["startpos", *rest]:
            what = f"{some_of(rest)} after startpos {_are(rest)} not understood"
            raise PositionError(f"position: {what} (moves missing?)")
        case ["fen"]:
            raise PositionError("position: no FEN after 'fen'")
        case []:
            raise PositionError("position: neither 'startpos' nor 'fen' is given")
        case _:
            raise PositionError(f"position: '{words[0]}' is neither 'startpos' nor 'fen'")


def parse_go(words: Sequence[str]) -> Go:
    """The limits after ``go``, in any order and combination. Numbers out of range are clamped (a clock may run out
    while the GUI computes), other invalid words ignored, and both are named. One clock counts for both sides. Raises
    :class:`OptionError` for a perft without a depth in its range."""
    limits: dict[str, Any] = {}
    faults: list[str] = []
    unknown: list[str] = []
    place = 0
    while place < len(words):
        word = words[place]
        place += 1
        if word in _FLAGS:
            limits[word] = True
        elif word == "searchmoves":
            end = place
            while end < len(words) and words[end] not in _GO_WORDS:
                end += 1
            limits[word] = tuple(words[place:end])
            if place == end:
                faults.append("no move after searchmoves")
            place = end
        elif word not in _NUMBERS:
            unknown.append(word)
        elif place == len(words) or words[place] in _GO_WORDS:
            faults.append(f"no number after {word}")
        else:
            text = words[place]
            place += 1
            number, given = _NUMBERS[word], whole_number(text)
            if fault := number.fault(word, text if given is None else given):
                faults.append(fault)
            if given is not None and not (fault and word == "perft"):
                limits[word] = number.nearest(given)
    more = len(faults) - _EXPLAINED_FAULTS
    del faults[_EXPLAINED_FAULTS:]
    if unknown:
        faults.append(f"{some_of(unknown)} {_are(unknown)} not understood")
    if more > 0:
        faults.append(f"{counted(more, 'more limit')} {'is' if more == 1 else 'are'} invalid")
    if "perft" in words and "perft" not in limits:
        raise OptionError(f"go: {'; '.join(faults)}")
    perft = limits.pop("perft", None)
    for clock, other in (("wtime", "btime"), ("btime", "wtime")):
        if clock in limits:  # given only the opponent's clock, the search must still end
            limits.setdefault(other, limits[clock])
    return Go(Limits(**limits), perft, tuple(f"go: {fault}" for fault in faults))


def _are(words: Sequence[str]) -> str:
    return "is" if len(words) == 1 else "are"


def parse_explain(words: Sequence[str]) -> str | None:
    """The move after ``explain``, None without one. Raises :class:`PositionError` for more than one word."""
    if len(words) > 1:
        raise PositionError(f"explain takes one move, or none, not '{' '.join(words)}'")
    return words[0] if words else None


def parse_setoption(text: str, options: Iterable[Option] = OPTIONS) -> tuple[str, Value]:
    """The option's canonical name and its value in ``name N [value V]``, the ``text`` after the command. Both may
    contain spaces; those in the value are kept, as it may be a path. Raises :class:`OptionError`."""
    found = re.search(r"\svalue(?!\S)", text)
    words = text[: found.start() if found else None].split()
    if not words or words[0] != "name":
        raise OptionError("setoption: 'name' is missing")
    name, value = " ".join(words[1:]), text[found.end() :].strip() if found else ""
    if not name:
        raise OptionError("setoption: no option is named")
    option = find(name, options)
    return option.name, option.parse(value)


def is_file(word: str) -> bool:
    """Whether an argument must be a file: it has a dot or a slash, and a letter.

    >>> is_file("wac.epd"), is_file("12"), is_file("1.5")
    (True, False, False)
    """
    return any(letter in word for letter in "./\\") and any(letter.isalpha() for letter in word)


@dataclass(frozen=True, slots=True)
class Bench:
    """A ``bench`` command: the file of positions, ``default`` for the list of the benchmark or ``current`` for the
    position that is set; the kind of limit and its value (None for the usual depth); options of the engine."""

    file: str = "default"
    kind: str = "depth"
    value: int | None = None
    options: Options = field(default_factory=Options)


_BENCH_LIMITS = ("depth", "nodes", "movetime", "mate", "perft")  # the kinds of limits of a bench


def parse_bench(words: Sequence[str]) -> Bench:
    """``[file] [depth] [threads] [hash]``, or Stockfish's ``hash threads limit file|default|current [kind of limit]``.
    Raises :class:`OptionError`."""
    numbers = list(itertools.takewhile(lambda word: whole_number(word) is not None, words))
    if words and not numbers and not any(map(is_file, words)):  # a file without an extension
        check_file(words[0])
        return replace(parse_bench(words[1:]), file=words[0])
    if len(numbers) == 3 and len(words) > 3:
        return _parse_stockfish_bench(words)
    named = next((at for at in range(len(words), 0, -1) if is_file(words[at - 1])), 0)  # its name may have spaces
    if named > 1 and numbers and not os.path.exists(" ".join(words[:named])):
        raise OptionError(f"bench: the file comes first: {' '.join(words[1:named])} {words[0]}")
    file, words = " ".join(words[:named]) or "default", words[named:]
    if len(words) > 3:
        raise OptionError(f"bench: '{words[3]}' is one argument too many ([file], depth, threads, hash)")
    found = dict(zip(("depth", "threads", "hash"), words, strict=False))
    depth = _number("depth", found.pop("depth")) if found else None
    return Bench(file, value=depth, options=_options(found))


def check_file(name: str) -> None:
    """Raise :class:`OptionError` if the file of a bench does not exist."""
    if not os.path.exists(name):
        raise OptionError(f"bench: there is no file {quoted(name)}")


def _parse_stockfish_bench(words: Sequence[str]) -> Bench:
    size, threads, limit, *names = words
    kind = names.pop() if len(names) > 1 and not is_file(names[-1]) else "depth"
    if kind not in _BENCH_LIMITS:
        raise OptionError(f"bench: '{kind}' is not a kind of limit ({', '.join(_BENCH_LIMITS)})")
    file = " ".join(names)
    if file not in ("default", "current") and not is_file(file):
        raise OptionError(f"bench: '{file}' is neither a file nor default nor current")
    options = _options({"hash": size, "threads": threads})
    return Bench(file, kind, _number(kind, limit), options)


def _options(words: dict[str, str]) -> Options:
    numbers = {name: _number(name, word) for name, word in words.items()}
    for name, number in numbers.items():
        find(name).checked(number)
    return cast(Options, numbers)


def _number(name: str, word: str) -> int:
    number = whole_number(word)
    if number is None or NUMBERS["depth"].fault(name, number):
        raise OptionError(f"bench: {name} must be a positive integer, not {quoted(word)}")
    return number
