"""Splits PGN into games, even if blank lines are missing or superfluous."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from engine.messages import quoted
from engine.reading.moves import is_move
from engine.reading.tokens import Kind, Token


@dataclass(slots=True)
class RawGame:
    """The tokens of one game, or warnings on text between games."""

    line: int = 0  # where the game begins
    end: int | None = None  # its last line; None at the end of the file
    tags: dict[str, Token] = field(default_factory=dict)
    moves: list[Token] = field(default_factory=list)  # everything after the tags, and comments before them
    warnings: list[tuple[int, str]] = field(default_factory=list)
    bad_tag: str = ""  # a message about the first line that should be a tag and is not, if any
    lost: list[str] = field(default_factory=list)  # the names of such tags
    begun: bool = False  # whether ``moves`` has more than comments

    @property
    def is_game(self) -> bool:
        return bool(self.tags) or self.begun


def split(tokens: Iterable[Token]) -> Iterator[RawGame]:
    """The games in ``tokens``; text that is not a game yields warnings only. A game ends with its result, before a tag,
    or with a blank line. If the move numbers continue after a result or a blank line, so does the game."""
    splitter = _Splitter()
    for token in tokens:
        if (raw := splitter.add(token)) is not None:
            yield raw
    yield splitter.last()


class _Splitter:
    def __init__(self) -> None:
        self._begin(RawGame())

    def _begin(self, raw: RawGame) -> None:
        self._raw = raw
        self._over = self._text = False
        self._blank = 0  # empty lines before the next token
        self._numbers = [0]  # the last number of a move in the main line and in each open variation
        self._held: list[Token] = []
        """Comments and warnings after a blank line whose game is not known yet."""

    def add(self, token: Token) -> RawGame | None:
        """Take the next token; returns the game that ended before it, if one did."""
        if token.kind is Kind.BLANK:
            self._blank, self._text = self._blank + 1, False
            return None
        ended = None
        pause = self._raw.begun and (self._blank or self._over)
        if token.kind in (Kind.COMMENT, Kind.WARNING, Kind.BAD_TAG):
            if pause and self._blank:
                self._held.append(token)
                return None
        elif token.kind is Kind.TAG:
            if self._is_next(token):
                usual = self._raw.begun and self._blank
                ended = self.end(token)
                if not usual:
                    self._warn(token, f"another game begins here, with the tag {token.text}")
        elif pause:
            if self._goes_on(token):
                why = "its result" if self._over else "a blank line"
                self._warn(token, f"moves continue after {why}")
                for held in self._held:
                    self._put(held)
                self._held, self._over = [], False
            else:
                abrupt = not self._blank
                ended = self.end(token)
                if abrupt:
                    self._warn(token, "another game begins here, after the result")
        if self._blank > 1 and self._raw.tags and not self._raw.begun:
            self._warn(token, f"{self._blank} blank lines after the tags")
        self._blank = 0
        self._put(token)
        return ended

    def last(self) -> RawGame:
        """The game so far, to which the held tokens belong as nothing follows."""
        for token in self._held:
            if token.kind is Kind.COMMENT:
                self._warn(token, "the comment after the last game belongs to it")
            self._put(token)
        self._held = []
        return self.end()

    def end(self, following: Token | None = None) -> RawGame:
        """The game so far; the next one begins with the held tokens and the ``following`` one."""
        raw, held = self._raw, self._held
        if following is not None:
            raw.end = (held[0] if held else following).line - 1
        if not raw.is_game:
            for token in raw.moves:
                raw.warnings.append((token.line, f"{quoted(token.text)} belongs to no game"))
        self._begin(RawGame())
        for token in held:
            self._put(token)
        return raw

    def _is_next(self, tag: Token) -> bool:
        """Whether ``tag`` belongs to the next game."""
        if self._raw.begun:
            return True
        if tag.text in self._raw.tags:
            if self._blank or tag.text == "Event":
                return True
            self._warn(tag, f"the tag {tag.text} appears twice; the second counts")
        return False

    def _goes_on(self, token: Token) -> bool:
        """Whether the game continues with ``token`` after a blank line or a result."""
        if token.kind is Kind.NUMBER:
            number, last = number_of(token), self._numbers[-1]
            return number == last + 1 > 1 or (number == last and (number > 1 or token.text.endswith(("..", "…"))))
        return token.kind not in (Kind.WORD, Kind.RESULT) or (token.kind is Kind.RESULT and not self._over)

    def _put(self, token: Token) -> None:
        """Add ``token`` to the game."""
        raw, kind = self._raw, token.kind
        raw.line = raw.line or token.line
        if kind in (Kind.WARNING, Kind.BAD_TAG):
            self._warn(token, f"{token.text} and is ignored" if kind is Kind.BAD_TAG else token.text)
            if kind is Kind.BAD_TAG and not raw.begun:
                raw.bad_tag = raw.bad_tag or f"line {token.line}: {token.text}"
                raw.lost.append(token.value)
        elif kind is Kind.TAG:
            if raw.moves and not raw.tags:
                self._warn(token, "the comment before the tags is kept as a comment on the game")
            raw.tags[token.text] = token
            self._text = False
        elif kind is Kind.COMMENT:
            raw.moves.append(token)
        elif not raw.begun and not self._begins(token):
            if not self._text:
                self._warn(token, f"the text that begins with {quoted(token.text)} belongs to no game")
            self._text = self._text or not _is_sign(token)
        else:
            raw.begun, self._text = True, False
            raw.moves.append(token)
            match kind:
                case Kind.NUMBER:
                    self._numbers[-1] = number_of(token)
                case Kind.OPEN:
                    self._numbers.append(self._numbers[-1])
                case Kind.CLOSE if len(self._numbers) > 1:
                    self._numbers.pop()
                case Kind.RESULT if len(self._numbers) == 1:
                    self._over = True

    def _begins(self, token: Token) -> bool:
        """Whether the moves of a game can begin with ``token``."""
        if token.kind is Kind.NUMBER:
            if not self._text:
                return bool(self._raw.tags) or number_of(token) == 1
            return number_of(token) == 1 and token.text.endswith((".", "…"))
        if self._text:
            return False
        return is_move(token.text) if token.kind is Kind.WORD else token.kind is Kind.RESULT and bool(self._raw.tags)

    def _warn(self, token: Token, text: str) -> None:
        self._raw.warnings.append((token.line, text))


def _is_sign(token: Token) -> bool:
    """Whether ``token`` may stand before the first move: an annotation, or the periods of a missing number."""
    return token.kind in (Kind.NAG, Kind.GLYPH) or not token.text.strip(".…")


def number_of(token: Token) -> int:
    """The move number in ``token``."""
    return int("".join(filter(str.isdigit, token.text)))
