"""Splits PGN into tokens; every character belongs to one."""

import re
from collections.abc import Iterable, Iterator
from enum import Enum, auto
from html import unescape
from typing import NamedTuple

from chess.pgn import TAG_REGEX

from engine.messages import quoted
from engine.reading.text import Line


class Kind(Enum):
    """The kind of a token."""

    BLANK = auto()  # an empty line
    TAG = auto()  # ``text`` is the name and ``value`` the value, without the backslashes of the standard
    BAD_TAG = auto()
    """A line with a bracket that is not a tag; ``text`` is a message, ``value`` the name that the tag may have."""
    COMMENT = auto()  # in braces or after a semicolon; white space is collapsed, which keeps searches in it linear
    OPEN = auto()
    CLOSE = auto()
    NAG = auto()
    """``text`` is the number."""
    GLYPH = auto()
    RESULT = auto()
    NUMBER = auto()
    """A move number; ``text`` includes its periods."""
    WORD = auto()  # a move, or any other word
    WARNING = auto()  # a message about invalid PGN, which was skipped or read nevertheless


class Token(NamedTuple):
    """A piece of a PGN file and the line where it begins."""

    kind: Kind
    text: str
    line: int
    value: str = ""


#: A tag; its value ends at the first quotation mark without a backslash or, if no bracket follows that, at the first
#: with a bracket.
_TAG = re.compile(r'\s*\[\s*([A-Za-z0-9][A-Za-z0-9_+#=:-]*)\s*"((?:[^"\\]|\\.)*|.*?)"\s*\]')

#: Tags that are read or written here, in the spelling of the standard; files have them in any case.
_NAMES = {
    name.lower(): name
    for name in (
        "Event", "Site", "Date", "Round", "White", "Black", "Result", "FEN", "SetUp", "Variant", "ECO", "Opening",
        "Variation", "WhiteElo", "BlackElo", "WhiteTitle", "BlackTitle", "TimeControl", "Termination", "Annotator",
        "UTCDate", "UTCTime", "PlyCount",
    )
}  # fmt: skip

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_+#=:-]*")  # the name of a tag, at its beginning

#: Quotation marks that programs write around the value of a tag in place of ``"``.
_QUOTES = re.compile("(?:[\"“”„«»‘’'`\N{DOUBLE PRIME}]|&quot;|&#0*34;)+")  # noqa: RUF001

_TOKEN = re.compile(
    r"""\s*(?:
    (?P<brace>\{)
    |(?P<semicolon>;.*)
    |(?P<GLYPH>[!?]{1,2}|\([!?]{1,2}\))
    |(?P<OPEN>\()
    |(?P<CLOSE>\))
    |\$(?P<NAG>[0-9]{1,9})(?![0-9])
    |(?P<RESULT>\*|(?:1[-\u2013]0|0[-\u2013]1|1/2[-\u2013]1/2|½[-\u2013]½|1/2)(?![\w/\u2013-]))
    |(?P<NUMBER>(?!0000(?:[^0-9.…]|$))[0-9]{1,9}(?:(?:\s*[.…])+|(?![^\s(){};$])))
    |(?P<WORD>(?:[a-h][x:-]?)?[a-h][18]=?\([^\W\d_]\)[+#]*|[.…]+|[^\s(){};$*!?]+|.)
    |$)""",
    re.VERBOSE,
)

_ESCAPED = re.compile(r'\\(["\\])')  # a character that the standard has escaped in the value of a tag

_RESULTS = {"½-½": "1/2-1/2", "1/2": "1/2-1/2"}


def plain_result(text: str) -> str:
    """A result in the spelling of the standard."""
    text = text.replace("\N{EN DASH}", "-").replace(" ", "")
    return _RESULTS.get(text, text)


def tokens(lines: Iterable[Line]) -> Iterator[Token]:
    """The tokens of a PGN file; a line that begins with ``%`` has none."""
    source = iter(lines)
    following = next(source, None)
    while following is not None:
        number, line = following
        following = None
        at, strict = 0, TAG_REGEX.match(line)
        while tag := _TAG.match(line, at):
            name = _NAMES.get(tag[1].lower(), tag[1])
            yield Token(Kind.TAG, name, number, _ESCAPED.sub(r"\1", tag[2]))
            if at or strict is None or strict[2] != tag[2] or name != tag[1]:
                yield Token(Kind.WARNING, f"{quoted(tag[0].strip())} is read as the tag {name}", number)
            elif '"' in _ESCAPED.sub("", tag[2]):
                yield Token(Kind.WARNING, f"quotation marks in the tag {name} lack their backslashes", number)
            at = tag.end()
        if not line.strip():
            yield Token(Kind.BLANK, line, number)
        elif not at and line.lstrip().startswith("["):
            yield from _unusual_tag(line.strip(), number)
            at = len(line)
        elif line.startswith("%"):
            at = len(line)
        while at < len(line) and following is None:
            found = _TOKEN.match(line, at)
            assert found is not None
            at, kind = found.end(), found.lastgroup
            if kind == "brace":
                start, texts = number, []
                while (end := line.find("}", at)) < 0:
                    texts.append(line[at:])
                    following = next(source, None)
                    if following is None or (len(texts) > 1 and not texts[-1].strip() and _TAG.match(following[1])):
                        yield Token(Kind.WARNING, "the comment that begins here does not end", start)
                        break
                    (number, line), at, following = following, 0, None
                else:
                    texts.append(line[at:end])
                    at = end + 1
                yield from _comment(" ".join(texts), start)
                if end < 0:
                    at = len(line)
            elif kind == "semicolon":
                yield from _comment(found[kind][1:].replace("}", ")"), number)  # it will be written in braces
                if "}" in found[kind]:
                    yield Token(Kind.WARNING, "a brace in the comment is read as a parenthesis", number)
            elif kind == "RESULT":
                text = plain_result(found[kind])
                if text != found[kind]:
                    yield Token(Kind.WARNING, f"{quoted(found[kind])} is read as {text}", number)
                yield Token(Kind.RESULT, text, number)
            elif kind is not None:
                yield Token(Kind[kind], found[kind], number)
        if following is None:
            following = next(source, None)


def _unusual_tag(text: str, line: int) -> Iterator[Token]:
    """The tag in ``text`` with unusual quotation marks or, if its name is known, with some or all left out."""
    inside = text.removeprefix("[").removesuffix("]").strip()
    found = _NAME.match(inside)
    name = found[0] if found else ""
    value = inside[len(name) :].strip()
    before, behind = _QUOTES.match(value), re.search(f"{_QUOTES.pattern}$", value)
    known = _NAMES.get(name.lower(), "")
    if not text.endswith("]") or not value or not (known or (name and before and behind)):
        yield Token(Kind.BAD_TAG, f"{quoted(text)} is not a tag", line, known or name)
        return
    value = value[before.end() if before else 0 : behind.start() if behind else None].strip()
    yield Token(Kind.TAG, known or name, line, unescape(value))
    yield Token(Kind.WARNING, f"{quoted(text)} is read as the tag {known or name}", line)


def _comment(text: str, line: int) -> Iterator[Token]:
    text = " ".join(text.split())
    if "{" in text:
        yield Token(Kind.WARNING, "a comment with an opening brace in it", line)
    if _ENDLESS.search(text):
        yield Token(Kind.WARNING, "a command whose number is too large becomes plain text", line)
        text = _ENDLESS.sub(r"[\1", text)
    yield Token(Kind.COMMENT, text, line)


_ENDLESS = re.compile(r"\[%((?:eval|clk|emt)\s[^\][]*[0-9]{10})")  # a clock or evaluation too large for an int or float
