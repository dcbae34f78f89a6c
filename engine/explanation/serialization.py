"""Claims, and data classes in general, as JSON: written, and read back from files that may be damaged."""

import types
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import chess

from engine.explanation.claims import Claim
from engine.explanation.english import sentence
from engine.explanation.line import Line

T = TypeVar("T")

_CLASS = "class"  # the key of the name of a record's class


def to_json(value: Any) -> Any:
    """A claim as a dict that :func:`json.dumps` takes; the parts of a claim likewise.

    >>> from engine.explanation.claims import Mating
    >>> line = Line.of(chess.Board("7k/8/6K1/8/8/8/8/R7 w - - 0 1"), [chess.Move.from_uci("a1a8")])
    >>> stored = to_json(Mating("leads", line, 1))
    >>> stored["line"]
    {'fen': '7k/8/6K1/8/8/8/8/R7 w - - 0 1', 'chess960': False, 'moves': ['a1a8'], 'winner': True}
    >>> from_json(stored) == Mating("leads", line, 1)
    True
    """
    if isinstance(value, Line):
        board = value.boards[0]
        return {"fen": board.fen(), "chess960": board.chess960, "moves": to_json(value.moves), "winner": value.winner}
    if isinstance(value, chess.Move):
        return value.uci()
    if isinstance(value, tuple):
        return [to_json(each) for each in value]
    if is_dataclass(value):
        return {_CLASS: type(value).__name__} | {
            each.name: to_json(getattr(value, each.name)) for each in fields(value)
        }
    return value


def from_json(stored: object) -> Claim:
    """The inverse of :func:`to_json`. Raises ValueError for anything else, and for a claim that has no sentence."""
    try:
        claim: Claim = _restored(Claim, stored)
        sentence(claim)
    except (ArithmeticError, AssertionError, AttributeError, LookupError, RuntimeError, TypeError, ValueError) as error:
        raise ValueError(f"not a claim: {error}") from error
    return claim


def restored(kind: type[T], stored: Any) -> T:
    """The object of ``kind`` that :func:`to_json` or ``dataclasses.asdict`` turned into ``stored``, also after JSON.

    Its fields may be data classes, named tuples, tuples, lists, literals, optional or one of several classes. Raises
    TypeError, ValueError, LookupError or AttributeError for other data."""
    return cast("T", _restored(kind, stored))


_hints = cache(get_type_hints)


def _restored(kind: Any, stored: Any) -> Any:
    whole, parts = get_origin(kind), get_args(kind)
    if whole in (Union, types.UnionType):
        named = stored[_CLASS] if isinstance(stored, dict) and _CLASS in stored else type(stored).__name__
        return _restored(next((part for part in parts if getattr(part, "__name__", "") == named), parts[0]), stored)
    if whole is Literal:
        return parts[parts.index(stored)]
    if whole in (tuple, list):
        each = parts[:1] * len(stored) if whole is list or parts[-1] is ... else parts
        values = stored if type(stored) is tuple else _checked(list, stored)
        return whole(_restored(part, value) for part, value in zip(each, values, strict=True))
    if kind is Line:
        return _line(**_checked(dict, stored))
    if kind is chess.Move:
        return chess.Move.from_uci(_checked(str, stored))
    if is_dataclass(kind):
        assert isinstance(kind, type)
        fields_of = dict(_checked(dict, stored))
        if (name := fields_of.pop(_CLASS, kind.__name__)) != kind.__name__:
            raise ValueError(f"a {name} instead of a {kind.__name__}")
        return kind(**{name: _restored(_hints(kind)[name], value) for name, value in fields_of.items()})
    if hasattr(kind, "_fields"):
        return kind(*map(_restored, _hints(kind).values(), stored))
    if kind is float and type(stored) is int:
        return float(stored)
    return _checked(whole or kind, stored) if kind is not Any else stored


def _checked(kind: type, stored: Any) -> Any:
    if type(stored) is not kind:
        raise TypeError(f"a {type(stored).__name__} instead of a {kind.__name__}")
    return stored


def _line(fen: str, chess960: bool, moves: list[str], winner: bool) -> Line:
    board = chess.Board(_checked(str, fen), chess960=_checked(bool, chess960))
    line = Line.of(board, _restored(tuple[chess.Move, ...], moves), _checked(bool, winner))
    if len(line) != len(moves):
        raise ValueError("a line has an illegal move")
    return line
