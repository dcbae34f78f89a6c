"""Declares the fields of records once, as class annotations, for people, type checkers and numpy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Generic,
    TypeAlias,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
    overload,
)

import numpy as np

_Item = TypeVar("_Item")
_Inner = TypeVar("_Inner")

#: Number types by numpy's names; ``int`` is i8 and ``float`` is f8.
u1: TypeAlias = Annotated[int, "u1"]
u2: TypeAlias = Annotated[int, "u2"]
u4: TypeAlias = Annotated[int, "u4"]
u8: TypeAlias = Annotated[int, "u8"]
i2: TypeAlias = Annotated[int, "i2"]
i4: TypeAlias = Annotated[int, "i4"]


class Array(Generic[_Item]):
    """An array in a record, for annotations: ``Annotated[Array[Array[u8]], (2, 64)]``."""

    if TYPE_CHECKING:

        @overload
        def __getitem__(self, index: int) -> _Item: ...
        @overload
        def __getitem__(self: Array[Array[_Inner]], index: tuple[int, int]) -> _Inner: ...
        @overload
        def __getitem__(self, index: Any) -> Any: ...
        def __getitem__(self, index: Any) -> Any: ...
        def __setitem__(self, index: Any, value: Any) -> None: ...
        def __len__(self) -> int: ...
        def __iter__(self) -> Iterator[_Item]: ...
        def __getattr__(self, name: str) -> Any: ...


class Record:
    """Base of classes that declare the fields of a record; :func:`structure` makes the dtype. Compiled functions
    annotate their arguments with these classes, for type checkers."""

    if TYPE_CHECKING:
        __array_interface__: dict[str, Any]

        def __getitem__(self, field: str) -> Any: ...
        def __setitem__(self, field: str, value: Any) -> None: ...
        def view(self, dtype: Any) -> Any: ...


def structure(record: type) -> np.dtype[Any]:
    """The aligned structured dtype of the fields annotated in ``record``. Raises ValueError for an attribute of numpy
    records, such as ``data``: interpreted code could not read the field."""
    hints = get_type_hints(record, include_extras=True)
    for name in hints:
        if hasattr(np.record, name):
            raise ValueError(f"a record cannot have a field called '{name}'")
    return np.dtype([(name, *_field(hint)) for name, hint in hints.items()], align=True)


def _field(hint: Any) -> tuple[Any, tuple[int, ...]]:
    """The dtype and shape of an annotated field."""
    if get_origin(hint) is Annotated:
        of, detail = get_args(hint)
        return (detail, ()) if isinstance(detail, str) else (_field(of)[0], detail)
    if get_origin(hint) is Array:
        return _field(*get_args(hint))
    return {int: "i8", float: "f8"}.get(hint) or structure(hint), ()
