"""Claims as JSON: written, and read back from files that may be damaged or come from somebody else."""

import types
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import chess

from engine.explanation.claims import Claim
from engine.explanation.english import sentence
from engine.explanation.line import Line

#: The key of the name of a record's class.
_CLASS = "class"


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
    """The claim that :func:`to_json` made ``stored`` of. Raises ValueError for anything else, and for a claim that
    cannot be put into a sentence."""
    try:
        claim: Claim = _read(Claim, stored)
        sentence(claim)
    except (
        ArithmeticError,
        AssertionError,
        AttributeError,
        LookupError,
        RecursionError,
        TypeError,
        ValueError,
    ) as error:
        raise ValueError(f"not a claim: {error}") from error
    return claim


_hints = cache(get_type_hints)


def _read(hint: Any, stored: Any) -> Any:
    """``stored`` as a value of the type ``hint``. Raises one of the errors that :func:`from_json` translates."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        if stored is None and types.NoneType in parts:
            return None
        named = {getattr(part, "__name__", ""): part for part in parts if part is not types.NoneType}
        return _read(named[stored[_CLASS]] if isinstance(stored, dict) and _CLASS in stored else parts[0], stored)
    if origin is Literal:
        return parts[parts.index(stored)]
    if origin is tuple:
        each = parts[:1] * len(stored) if parts[-1] is ... else parts
        return tuple(_read(part, value) for part, value in zip(each, _checked(list, stored), strict=True))
    if hint is Line:
        return _line(**_checked(dict, stored))
    if hint is chess.Move:
        return chess.Move.from_uci(_checked(str, stored))
    if is_dataclass(hint):
        assert isinstance(hint, type)
        values = dict(_checked(dict, stored))
        if values.pop(_CLASS) != hint.__name__:
            raise ValueError(f"it is not a {hint.__name__}")
        return hint(**{name: _read(_hints(hint)[name], value) for name, value in values.items()})
    return _checked(hint, stored)


def _checked(kind: type, stored: Any) -> Any:
    if type(stored) is not kind:
        raise TypeError(f"a {type(stored).__name__} instead of a {kind.__name__}")
    return stored


def _line(fen: str, chess960: bool, moves: list[str], winner: bool) -> Line:
    board = chess.Board(_checked(str, fen), chess960=_checked(bool, chess960))
    line = Line.of(board, _read(tuple[chess.Move, ...], moves), _checked(bool, winner))
    if len(line) != len(moves):
        raise ValueError("a line has an illegal move")
    return line
