"""Reads lines of text in any encoding and with any line ends."""

import io
import os
import re
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from typing import BinaryIO

from engine.files import open_regular

Line = tuple[int, str]  # a line's number, from 1, and its text without the line end
Warn = Callable[[int, str], None]  # reports a warning about a line

#: Encodings by the beginning of a file: a byte order mark, that of UTF-32 before that of UTF-16, with which it begins;
#: without a mark, UTF-16 is recognized by the NUL next to each ASCII letter.
_ENCODINGS = {
    rb"\xff\xfe\0\0|\0\0\xfe\xff": "utf-32",
    rb"\xef\xbb\xbf": "utf-8-sig",
    rb"\xff\xfe|\xfe\xff": "utf-16",
    rb"(?:[^\0]\0){2}": "utf-16-le",
    rb"(?:\0[^\0]){2}": "utf-16-be",
    rb"": "utf-8",
}

_CONTROLS = dict.fromkeys(set(range(32)) - set(b"\t\n\r\f\x1a\x1b"))
_PROBE_BYTES = 1 << 16


class ReadError(ValueError):
    """A file that cannot be read at all; the message names it."""


def read_lines(
    path: str | os.PathLike[str], warn: Warn, advance: Callable[[int], None] | None = None
) -> Iterator[Line]:
    """The lines of a text file; ``advance`` is called with the bytes read so far. Raises :class:`ReadError` for a
    missing file, a pipe, a device or a binary file."""
    try:
        stream = open_regular(path)
    except OSError as error:
        raise ReadError(f"cannot read {os.fspath(path)}: {error.strerror}") from None
    with stream, closing(lines_of(stream, warn, os.fspath(path))) as lines:
        try:
            for line in lines:
                yield line
                if advance is not None:
                    advance(stream.tell())
        except OSError as error:
            raise ReadError(f"cannot read {os.fspath(path)}: {error.strerror}") from None


def lines_of(stream: BinaryIO, warn: Warn, name: str) -> Generator[Line, None, None]:
    """The lines of an open file, which is then closed. Raises :class:`ReadError`, whose message calls it ``name``."""
    beginning = stream.read(_PROBE_BYTES)
    stream.seek(0)
    encoding = next(name for start, name in _ENCODINGS.items() if re.match(start, beginning))
    if is_binary(beginning.decode(encoding, "replace")):
        raise ReadError(f"{name} is not a text file")
    unicode = encoding.startswith("utf-8")
    faulty: list[int] = []
    with io.TextIOWrapper(stream, encoding, "surrogateescape" if unicode else "replace") as text:
        for number, line in enumerate(text, 1):
            if not line.isascii() and _FAULT[unicode].search(line):
                faulty.append(number)
                if unicode:
                    line = line.encode(errors="surrogateescape").decode("latin-1")
            yield number, line.removesuffix("\n").lstrip("\ufeff")
    if faulty:
        more = f", like {len(faulty) - 1} more" if faulty[1:] else ""
        warn(faulty[0], f"not UTF-8, read as Latin-1{more}" if unicode else f"undecodable characters{more}")


#: The result of decoding invalid UTF-16 or UTF-32, and invalid UTF-8.
_FAULT = re.compile("\ufffd"), re.compile("[\udc80-\udcff]")


def is_binary(text: str) -> bool:
    """Whether the decoded beginning of a file is binary, judging by its control characters."""
    return "\0" in text or 50 * (len(text) - len(text.translate(_CONTROLS))) > len(text)
