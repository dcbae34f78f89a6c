"""Reads PGN into python-chess games.

python-chess's own parser picks known letters out of any word, loses tags and games if a blank line is missing or
superfluous, and takes quadratic time on some files. Here a game ends before the first move that cannot be read."""

import os
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import NamedTuple

import chess
import chess.pgn

from engine.messages import CHESS960, PositionError, quoted
from engine.reading.moves import ENGLISH, MoveError, Spelling, is_move, letters_of, read_move, respelled, spellings
from engine.reading.positions import read_position
from engine.reading.split import Raw, number_of, split
from engine.reading.text import Line, read_lines
from engine.reading.tokens import Kind, Token, tokens

Report = Callable[[str], None]

#: Remarks reported for one game; the others are counted.
_REMARKS = 10

#: Words between moves that are not moves, and characters that may follow a move.
_ASIDES = frozenset(("N", "D", "e.p.", "ep", "mate", "ch"))
_BEHIND = "+#=-/,±∓⩲⩱∞†‡"
_CHECKS = frozenset(("", "+", "#", "++", "†", "‡"))

_RESULTS = frozenset(("1-0", "0-1", "1/2-1/2", "*"))

_NULL = frozenset(("--", "Z0", "0000", "@@@@"))


class Read(NamedTuple):
    """A game, its number in the file, and the line where it begins. ``game.errors`` has the unreadable move that ended
    the main line, if any; ``bad_tag`` is a message about the first tag that cannot be read, if any."""

    number: int
    line: int
    game: chess.pgn.Game
    bad_tag: str = ""


class Exporter(chess.pgn.StringExporter):
    """python-chess's exporter, with the escapes of the standard in the values of tags."""

    def visit_header(self, tagname: str, tagvalue: str) -> None:
        super().visit_header(tagname, tagvalue.replace("\\", r"\\").replace('"', r"\""))


def read_games(
    path: str | os.PathLike[str], report: Report, advance: Callable[[int], None] | None = None
) -> Iterator[Read]:
    """The games of a PGN file, one by one; ``advance`` is called with the bytes read so far. Anything skipped, repaired
    or not understood is reported with file, line and game. Raises :class:`~engine.reading.text.ReadError` for anything
    but a text file."""
    place = os.fspath(path)
    lines = read_lines(path, lambda line, text: report(f"{place}:{line}: {text}"), advance)
    return games_of(lines, report, place)


def games_of(lines: Iterable[Line], report: Report, place: str = "PGN") -> Iterator[Read]:
    """The games in ``lines``; reports name ``place`` as their source."""
    number = 0
    for raw in split(tokens(lines)):
        game = _Builder(raw).game() if raw.is_game else None
        number += raw.is_game
        of_game = f"game {number}: " if raw.is_game else ""
        for line, text in raw.remarks[:_REMARKS]:
            report(f"{place}:{line}: {of_game}{text}")
        if len(raw.remarks) > _REMARKS:
            report(f"{place}:{raw.remarks[_REMARKS][0]}: {of_game}{len(raw.remarks) - _REMARKS} more remarks")
        if game is not None:
            yield Read(number, raw.line, game, raw.bad_tag)


class _Builder:
    """Builds a game from its tokens."""

    def __init__(self, raw: Raw) -> None:
        self._raw = raw
        self._game = chess.pgn.Game()
        self._node: chess.pgn.GameNode = self._game
        self._comments: dict[chess.pgn.GameNode, list[str]] = {}
        self._before: list[str] = []
        """Comments before the first move of a variation, or between a variation and the next move."""
        self._has_variation: chess.pgn.GameNode | None = None
        """The last move if the previous token but for comments closed a variation on it."""
        self._signs: dict[int, Token] = {}
        """Annotations before the first move of a variation or of the game."""
        self._replaced: list[chess.pgn.ChildNode] = []
        """The moves to which the open variations are alternatives."""
        self._take: Callable[[Token], None] = self._read
        self._depth = 0
        """Open parentheses while tokens are skipped."""

    def game(self) -> chess.pgn.Game | None:
        """The game; None if it is empty or its position cannot be read."""
        for name, tag in self._raw.tags.items():
            self._game.headers[name] = tag.value
            if name == "Result" and tag.value not in _RESULTS:  # it would be written after the moves
                self._game.headers[name] = "*"
                self._remark(tag.line, f"{quoted(tag.value)} is not a result")
        board = self._start()
        if board is None:
            return None
        self._board = board
        self._spelling = self._language()
        first = next((token for token in self._raw.moves if token.kind is not Kind.COMMENT), None)
        if first is not None and first.kind is Kind.NUMBER and number_of(first) != board.fullmove_number:
            self._remark(first.line, f"the first move has number {number_of(first)}, not {board.fullmove_number}")
        for token in self._raw.moves:
            self._take(token)
        if self._replaced:
            self._remark(self._raw.moves[-1].line, f"{len(self._replaced)} open parentheses are not closed")
        self._put_before(self._replaced[-1] if self._replaced and self._begins() else self._node)
        self._check_result()
        for node, texts in self._comments.items():
            node.comment = " ".join(filter(None, texts))
        if self._raw.tags or self._game.variations:
            return self._game
        self._remark(self._raw.line, "not a game: neither tags nor moves")
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
            self._remark(variant.line, f"the variant {quoted(variant.value)} is not supported; the game is skipped")
            return None
        try:
            found = read_position(headers.get("FEN", chess.STARTING_FEN), headers.is_chess960())
            if found.rest:
                raise PositionError(f"{quoted(found.rest)} after the position")
        except PositionError as error:
            self._remark(line, f"{error}; the game is skipped")
            return None
        for repair in found.repairs:
            self._remark(line, repair)
        if found.board.chess960 and not headers.is_chess960():
            self._remark(line, CHESS960)
        if found.repairs:
            headers["FEN"] = found.board.fen()
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
        self._remark(self._raw.line, f"the letters of the pieces are read as {' or '.join(fitting)}")
        return agreed

    def _remark(self, line: int, text: str) -> None:
        self._raw.remarks.append((line, text))

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
            case Kind.GLYPH:
                self._sign(token, _GLYPHS[text.strip("()")])
            case Kind.OPEN:
                self._open(token)
            case Kind.CLOSE:
                self._close(token)
            case Kind.RESULT:
                self._result(token)
            case Kind.WORD:
                self._word(token)

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
            self._remark(token.line, "a variation before the first move is ignored")
            self._depth, self._take = 1, self._skip
            return
        self._put_before(self._node)
        self._has_variation = None
        self._replaced.append(self._node)
        self._board.pop()
        self._node = self._node.parent

    def _close(self, token: Token) -> None:
        if not self._replaced:
            self._remark(token.line, "a closing parenthesis without an opening one")
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
            self._remark(sign.line, f"the annotation {quoted(sign.text)} is read as if it followed the move before")
        self._signs = {}
        if self._before:
            if node is self._has_variation:
                self._remark(self._raw.moves[-1].line, "a comment after the last variation moves in front of it")
            self._comments.setdefault(node, []).extend(self._before)
            self._before = []

    def _result(self, token: Token) -> None:
        headers = self._game.headers
        if self._replaced:
            self._remark(token.line, f"the result {token.text} in a variation is ignored")
        elif headers.get("Result", "*") == "*":
            headers["Result"] = token.text
        elif token.text not in ("*", headers["Result"]):
            self._remark(token.line, f"the result {token.text} is ignored: the tag says {quoted(headers['Result'])}")

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
            self._remark(self._raw.line, f"the result {said} becomes {outcome}: the game ends with {kind}")

    def _word(self, token: Token) -> None:
        core = _core(token.text)
        signs = token.text[len(core) :]
        if not _may_move(token):
            self._remark(token.line, f"{quoted(token.text)} is ignored")
            return
        try:
            move, otherwise = _move(self._board, core, self._spelling)
        except MoveError as error:
            self._fault(token, str(error))
            return
        if otherwise:
            self._remark(token.line, f"{quoted(core)} is read as {otherwise}")
        if signs not in _CHECKS:
            self._remark(token.line, f"{quoted(signs)} after {quoted(core)} is ignored")
        for sign in self._signs.values():
            self._remark(sign.line, f"the annotation {quoted(sign.text)} is read as if it followed the next move")
        before = " ".join(filter(None, self._before))
        self._node = self._node.add_variation(move, starting_comment=before, nags=self._signs)
        self._before, self._signs, self._has_variation = [], {}, None
        self._board.push(move)

    def _fault(self, token: Token, why: str) -> None:
        """End the line before an unreadable move."""
        number = f"{self._board.fullmove_number}{'.' if self._board.turn else '...'}"
        line = "variation" if self._replaced else "game"
        text = f"{number} {quoted(token.text)} {why}; the {line} ends before it"
        if self._replaced:
            self._remark(token.line, text)
            self._depth, self._take = 1, partial(self._skip, close=self._close)
        else:
            self._raw.remarks.insert(0, (token.line, text))  # first, so that it is always reported
            self._game.errors.append(MoveError(text))
            self._depth, self._take = 0, self._skip_all


_GLYPHS = {"!": 1, "?": 2, "!!": 3, "??": 4, "!?": 5, "?!": 6}


def _core(word: str) -> str:
    """``word`` without the signs after a move."""
    return word if word in _NULL else word.rstrip(_BEHIND)


def _may_move(token: Token) -> bool:
    """Whether a word may be a move, and not one of the usual asides and symbols."""
    if token.kind is not Kind.WORD or token.text in _ASIDES:
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
