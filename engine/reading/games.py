"""Reads PGN into python-chess games.

python-chess's own parser picks known letters out of any word, loses tags and games if a blank line is missing or
superfluous, and takes quadratic time on some files. Here a game ends before the first move that cannot be read."""

import math
import os
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import NamedTuple

import chess
import chess.pgn

from engine.fen import START_FEN
from engine.messages import CHESS960, PositionError, counted, quoted
from engine.reading.moves import ENGLISH, MoveError, Spelling, is_move, letters_of, read_move, respelled, spellings
from engine.reading.positions import read_position
from engine.reading.signs import CHECKS, SUFFIXES, nag_of, nag_of_suffix
from engine.reading.split import RawGame, number_of, split
from engine.reading.text import Line, read_lines
from engine.reading.tokens import Kind, Token, plain_result, tokens

Report = Callable[[str], None]

_MAX_WARNINGS = 10  # warnings reported one by one for a game; the others are counted
_NON_MOVES = frozenset(("e.p.", "ep", "mate", "ch"))  # words between moves that are neither moves nor annotations

_RESULTS = frozenset(("1-0", "0-1", "1/2-1/2", "0-0", "*"))

_DOUBLE_FORFEIT = "0-0"  # a loss for both sides, which looks like castling

_NULL = frozenset(("--", "Z0", "0000", "@@@@"))


class Read(NamedTuple):
    """A game, its number in the file, and the line where it begins. ``game.errors`` has the unreadable move that ended
    the main line, if any; ``bad_tag`` is a message about the first tag that cannot be read, if any."""

    number: int
    line: int
    game: chess.pgn.Game
    bad_tag: str = ""


class UnreadGame(chess.pgn.Game):
    """A game whose position cannot be read: its tags without those of the position, and its text in the file."""

    source: str


class Exporter(chess.pgn.StringExporter):
    """python-chess's exporter, with the escapes of the standard in the values of tags."""

    def visit_header(self, tagname: str, tagvalue: str) -> None:
        super().visit_header(tagname, tagvalue.replace("\\", r"\\").replace('"', r"\""))


def read_games(
    path: str | os.PathLike[str], report: Report, advance: Callable[[int], None] | None = None, unread: bool = False
) -> Iterator[Read]:
    """The games of a PGN file, one by one; ``advance`` is called with the bytes read so far. Anything skipped, repaired
    or not understood is reported with file, line and game; with ``unread`` a skipped game is an :class:`UnreadGame`.
    Raises :class:`~engine.reading.text.ReadError` for anything but a text file."""
    place = os.fspath(path)
    lines = read_lines(path, lambda line, text: report(f"{place}:{line}: {text}"), advance)
    return games_of(lines, report, place, unread)


def games_of(lines: Iterable[Line], report: Report, place: str = "PGN", unread: bool = False) -> Iterator[Read]:
    """The games in ``lines``, as :func:`read_games`; reports name ``place`` as their source."""
    number = 0
    latest: list[Line] = []  # the lines since the end of the last game, with ``unread``

    def remembered() -> Iterator[Line]:
        for line in lines:
            latest.append(line)
            yield line

    for raw in split(tokens(remembered() if unread else lines)):
        game = _Builder(raw).game() if raw.is_game else None
        if game is None and raw.is_game and unread:
            game = _unread(raw, latest)
        latest[:] = [line for line in latest if raw.end is not None and line[0] > raw.end]
        number += raw.is_game
        of_game = f"game {number}: " if raw.is_game else ""
        for line, text in raw.warnings[:_MAX_WARNINGS]:
            report(f"{place}:{line}: {of_game}{text}")
        if further := raw.warnings[_MAX_WARNINGS:]:
            report(f"{place}:{further[0][0]}: {of_game}{counted(len(further), 'more warning')}")
        if game is not None:
            yield Read(number, raw.line, game, raw.bad_tag)


def _unread(raw: RawGame, lines: Iterable[Line]) -> UnreadGame:
    game = UnreadGame()
    kept = (tag for tag in raw.tags.values() if tag.text not in ("FEN", "SetUp", "Variant"))
    game.headers.update({tag.text: tag.value for tag in kept})
    end = raw.end or math.inf
    game.source = "\n".join(text for number, text in lines if raw.line <= number <= end).strip()
    return game


class _Builder:
    """Builds a game from its tokens."""

    def __init__(self, raw: RawGame) -> None:
        self._raw = raw
        self._game = chess.pgn.Game()
        self._node: chess.pgn.GameNode = self._game
        self._comments: dict[chess.pgn.GameNode, list[str]] = {}
        self._before: list[str] = []
        """Comments before the first move of a variation, or between a variation and the next move."""
        self._has_variation: chess.pgn.GameNode | None = None
        """The last move if the previous token but for comments closed a variation on it."""
        self._signs: dict[int, Token] = {}  # annotations before the first move of a variation or of the game
        self._replaced: list[chess.pgn.ChildNode] = []  # the moves to which the open variations are alternatives
        self._take: Callable[[Token], None] = self._read
        self._depth = 0  # open parentheses while tokens are skipped

    def game(self) -> chess.pgn.Game | None:
        """The game; None if it is empty or its position cannot be read."""
        for name, tag in self._raw.tags.items():
            self._game.headers[name] = tag.value
            if name == "Result" and tag.value not in _RESULTS:  # it would be written after the moves
                result = plain_result(tag.value)
                read_as = f"read as {result}" if result in _RESULTS else "not a result"
                self._game.headers[name] = result if result in _RESULTS else "*"
                self._warn(tag.line, f"{quoted(tag.value)} is {read_as}")
        board = self._start()
        if board is None:
            return None
        self._board = board
        self._spelling = self._language()
        first = next((token for token in self._raw.moves if token.kind is not Kind.COMMENT), None)
        if first is not None and first.kind is Kind.NUMBER and number_of(first) != board.fullmove_number:
            self._warn(first.line, f"the first move has number {number_of(first)}, not {board.fullmove_number}")
        self._last = next((token for token in reversed(self._raw.moves) if token.kind is not Kind.COMMENT), None)
        for token in self._raw.moves:
            self._take(token)
        if self._replaced:
            self._warn(self._raw.moves[-1].line, f"{counted(len(self._replaced), 'variation')} not closed")
        self._put_before(self._replaced[-1] if self._replaced and self._begins() else self._node)
        self._check_result()
        for node, texts in self._comments.items():
            node.comment = " ".join(filter(None, texts))
        if self._raw.tags or self._game.variations:
            return self._game
        self._warn(self._raw.line, "not a game: neither tags nor moves")
        return None

    def _start(self) -> chess.Board | None:
        headers = self._game.headers
        tags = self._raw.tags
        line = tags["FEN"].line if "FEN" in tags else self._raw.line
        try:
            standard = headers.variant() is chess.Board
        except ValueError:
            standard = False
        if not standard:
            variant = tags["Variant"]
            self._warn(variant.line, f"the variant {quoted(variant.value)} is not supported; the game is skipped")
            return None
        try:
            if "FEN" in self._raw.lost:
                raise PositionError("its FEN tag cannot be read")
            found = read_position(headers.get("FEN", START_FEN), headers.is_chess960())
            if found.rest:
                raise PositionError(f"{quoted(found.rest)} after the position")
        except PositionError as error:
            self._warn(line, f"{error}; the game is skipped")
            return None
        for repair in found.repairs:
            self._warn(line, repair)
        if found.board.chess960 and not headers.is_chess960():
            self._warn(line, CHESS960)
            headers["Variant"] = "Chess960"
        try:
            as_written = headers.board()
        except ValueError:
            as_written = None
        if found.repairs or as_written is None or as_written.fen() != found.board.fen():
            headers["FEN"] = found.board.fen(shredder=found.board.chess960)
        return found.board

    def _language(self) -> Spelling:
        """The meaning of the piece letters, as far as it is certain; empty for English."""
        words = [token for token in self._raw.moves if token.kind is Kind.WORD]
        letters = set().union(*(letters_of(_core(token.text)) for token in words))
        if letters <= ENGLISH:
            return {}
        main = [_core(token.text) for token in _main_line(self._raw.moves)]
        options = spellings(letters)
        legal = {name: moves for name, letters in options.items() if (moves := _played(self._board, main, letters))}
        fitting = {name: options[name] for name in legal} or options
        first = next(iter(fitting.values()), {})
        if len(fitting) != 1 and len(set(map(tuple, legal.values()))) != 1:
            return {}
        agreed = {letter: piece for letter, piece in first.items() if all(s[letter] == piece for s in fitting.values())}
        self._warn(self._raw.line, f"the letters of the pieces are read as {' or '.join(fitting)}")
        return agreed

    def _warn(self, line: int, text: str) -> None:
        self._raw.warnings.append((line, text))

    def _skip(self, token: Token, close: Callable[[Token], None] | None = None) -> None:
        """Skip a variation; with ``close``, skip the rest of one and then close it."""
        self._depth += (token.kind is Kind.OPEN) - (token.kind is Kind.CLOSE)
        if not self._depth:
            self._take = self._read
            if close is not None:
                close(token)

    def _skip_all(self, token: Token) -> None:
        """Skip the rest of the game, except for its result."""
        self._depth = max(0, self._depth + (token.kind is Kind.OPEN) - (token.kind is Kind.CLOSE))
        if token.kind is Kind.RESULT and not self._depth:
            self._result(token)

    def _read(self, token: Token) -> None:
        text = token.text
        match token.kind:
            case Kind.COMMENT:
                if (self._replaced and self._begins()) or self._node is self._has_variation:
                    self._before.append(text)
                else:
                    self._comments.setdefault(self._node, []).append(text)
            case Kind.NAG:
                self._sign(token, int(text))
            case Kind.OPEN:
                self._open(token)
            case Kind.CLOSE:
                self._close(token)
            case Kind.RESULT:
                self._result(token)
            case Kind.GLYPH | Kind.WORD:
                nag = nag_of(text, self._board.turn == self._begins())
                if nag is not None:
                    self._sign(token, nag)
                elif self._is_double_forfeit(token):
                    self._result(token._replace(text=_DOUBLE_FORFEIT))
                else:
                    self._word(token)

    def _is_double_forfeit(self, token: Token) -> bool:
        """Whether ``token`` is the result and not castling: it is illegal, or the tag says so and nothing follows."""
        if token.text.replace("\N{EN DASH}", "-") != _DOUBLE_FORFEIT or self._replaced:
            return False
        castles = any(map(self._board.is_kingside_castling, self._board.generate_castling_moves()))
        last, said = token is self._last, self._game.headers.get("Result") == _DOUBLE_FORFEIT
        return (last or said) if not castles else (last and said)

    def _begins(self) -> bool:
        """Whether the game, or the open variation, has no move yet."""
        return self._node is (self._replaced[-1].parent if self._replaced else self._game)

    def _sign(self, token: Token, nag: int) -> None:
        if self._begins():
            self._signs[nag] = token
        else:
            self._node.nags.add(nag)

    def _open(self, token: Token) -> None:
        if not isinstance(self._node, chess.pgn.ChildNode):
            self._warn(token.line, "a variation before the first move is ignored")
            self._depth, self._take = 1, self._skip
            return
        self._put_before(self._node)
        self._has_variation = None
        self._replaced.append(self._node)
        self._board.pop()
        self._node = self._node.parent

    def _close(self, token: Token) -> None:
        if not self._replaced:
            self._warn(token.line, "a closing parenthesis without an opening one")
            return
        move = self._replaced[-1]
        self._put_before(move if self._begins() else self._node)
        self._replaced.pop()
        while self._node is not move.parent:
            assert self._node.parent is not None
            self._node = self._node.parent
            self._board.pop()
        self._board.push(move.move)
        self._node = self._has_variation = move

    def _put_before(self, node: chess.pgn.GameNode) -> None:
        """Attach to ``node`` comments and annotations that no move follows."""
        node.nags.update(self._signs)
        for sign in self._signs.values():
            self._warn(sign.line, f"the annotation {quoted(sign.text)} is applied to the preceding move")
        self._signs = {}
        if self._before:
            if node is self._has_variation:
                self._warn(self._raw.moves[-1].line, "a comment after the last variation moves in front of it")
            self._comments.setdefault(node, []).extend(self._before)
            self._before = []

    def _result(self, token: Token) -> None:
        headers = self._game.headers
        if self._replaced:
            self._warn(token.line, f"the result {token.text} in a variation is ignored")
        elif headers.get("Result", "*") == "*":
            headers["Result"] = token.text
        elif token.text not in ("*", headers["Result"]):
            self._warn(token.line, f"the result {token.text} is ignored: the tag says {quoted(headers['Result'])}")

    def _check_result(self) -> None:
        """Correct a result that contradicts a mate or stalemate on the board."""
        board, headers = self._game.end().board() if self._replaced else self._board, self._game.headers
        if any(board.generate_legal_moves()):
            return
        said, outcome = headers.get("Result", "*"), "1/2-1/2"
        if board.is_check():
            outcome = "0-1" if board.turn else "1-0"
        headers["Result"] = outcome
        if said not in ("*", outcome):
            kind = "mate" if board.is_check() else "stalemate"
            self._warn(self._raw.line, f"the result {said} becomes {outcome}: the game ends with {kind}")

    def _word(self, token: Token) -> None:
        core = _core(token.text)
        signs = token.text[len(core) :]
        if not _may_move(token):
            self._warn(token.line, f"{quoted(token.text)} is ignored")
            return
        try:
            move, otherwise = _move(self._board, core, self._spelling)
        except MoveError as error:
            self._fault(token, str(error))
            return
        if otherwise:
            self._warn(token.line, f"{quoted(core)} is read as {otherwise}")
        nag = nag_of_suffix(signs, self._board.turn)
        if nag is None and signs not in CHECKS:
            self._warn(token.line, f"{quoted(signs)} after {quoted(core)} is ignored")
        for sign in self._signs.values():
            self._warn(sign.line, f"the annotation {quoted(sign.text)} is applied to the next move")
        before = " ".join(filter(None, self._before))
        nags = {*self._signs, nag} if nag is not None else self._signs
        self._node = self._node.add_variation(move, starting_comment=before, nags=nags)
        self._before, self._signs, self._has_variation = [], {}, None
        self._board.push(move)

    def _fault(self, token: Token, why: str) -> None:
        """End the line before an unreadable move."""
        number = f"{self._board.fullmove_number}{'.' if self._board.turn else '...'}"
        line = "variation" if self._replaced else "game"
        text = f"{number} {quoted(token.text)} {why}; the {line} ends before it"
        if self._replaced:
            self._warn(token.line, text)
            self._depth, self._take = 1, partial(self._skip, close=self._close)
        else:
            self._raw.warnings.insert(0, (token.line, text))  # first, so that it is always reported
            self._game.errors.append(MoveError(text))
            self._depth, self._take = 0, self._skip_all


def _core(word: str) -> str:
    """``word`` without the signs after a move."""
    return word if word in _NULL else word.rstrip(SUFFIXES)


def _may_move(token: Token) -> bool:
    """Whether a word may be a move, and not one of the usual asides and symbols."""
    if token.kind is not Kind.WORD or token.text in _NON_MOVES:
        return False
    return token.text in _NULL or any(map(str.isalnum, token.text))


def _main_line(moves: Iterable[Token]) -> Iterator[Token]:
    depth = 0
    for token in moves:
        depth += (token.kind is Kind.OPEN) - (token.kind is Kind.CLOSE and depth > 0)
        if not depth and _may_move(token):
            yield token


def _played(board: chess.Board, words: Iterable[str], spelling: Spelling) -> list[chess.Move]:
    """The moves that ``words`` mean with ``spelling``; empty unless all are legal."""
    board, moves = board.copy(stack=False), []
    try:
        for word in words:
            moves.append(_move(board, word, spelling)[0])
            board.push(moves[-1])
    except MoveError:
        return []
    return moves


def _move(board: chess.Board, core: str, spelling: Spelling) -> tuple[chess.Move, str]:
    """The move that ``core`` means, and its SAN if it was written unusually, else nothing. Raises MoveError."""
    text = respelled(core, spelling)
    try:
        return board.parse_san(text), ""
    except chess.AmbiguousMoveError:
        raise MoveError("is ambiguous") from None
    except ValueError:
        pass
    if not letters_of(text) <= ENGLISH:
        raise MoveError("is not a move with English letters, and the language is uncertain")
    try:
        move = read_move(board, text)
    except MoveError:
        raise MoveError("is not a legal move" if is_move(text) else "is not a move") from None
    san = board.san(move)
    if text[0] in "KQRBNb" and san[0] != text[0]:  # bishop or b-pawn: not interchangeable
        raise MoveError("is not a legal move")
    return move, san
