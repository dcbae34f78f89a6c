"""Moves as people write them, and piece letters in other languages."""

# ruff: noqa: RUF001 (letters of other alphabets)

import re
from collections.abc import Iterable

import chess

from engine.messages import PositionError, quoted

#: The letters of king, queen, rook, bishop and knight: those of the PGN standard, and of Greek and Cyrillic alphabets.
LANGUAGES = {
    "Czech": "K D V S J", "Danish": "K D T L S", "Dutch": "K D T L P", "Estonian": "K L V O R", "Finnish": "K D T L R",
    "French": "R D T F C", "German": "K D T L S", "Hungarian": "K V B F H", "Icelandic": "K D H B R",
    "Italian": "R D T A C", "Norwegian": "K D T L S", "Polish": "K H W G S", "Portuguese": "R D T B C",
    "Romanian": "R D T N C", "Spanish": "R D T A C", "Swedish": "K D T L S",
    "Bulgarian": "Ц Д Т О К", "Greek": "Ρ Β Π Α Ι", "Russian": "Кр Ф Л С К", "Serbian": "К Д Т Л С",
    "Ukrainian": "Кр Ф Т С К",
}  # fmt: skip

ENGLISH = frozenset("KQRBN")  # the letters of pieces in English
Spelling = dict[str, str]  # a language's letters in English: ``{"C": "N"}``

_PLAIN = {letter: letter for letter in ENGLISH}
_SPELLINGS: dict[str, Spelling] = {
    **{name: dict(zip(letters.split(), "KQRBN", strict=True)) for name, letters in LANGUAGES.items()},
    "figurines": dict(zip("♔♕♖♗♘♙♚♛♜♝♞♟", [*"KQRBN", ""] * 2, strict=True)) | _PLAIN,
    "English with P for pawns": {"P": ""} | _PLAIN,
}

_JOINTS = str.maketrans("", "", "-=")  # the signs between the squares, and before the piece, of a move in long notation

#: A piece, squares and a promotion. The piece is any capital or a figurine; the Russian king has a second letter.
_MOVE = re.compile(
    r"(?:([^\W\d_a-z]р?|[♔-♟])[\ufe0e\ufe0f]?)?([a-h]?[1-8]?[-x:]?[a-h][1-8])"
    r"(?:=?\(?([^\W\d_]|[♔-♟])[\ufe0e\ufe0f]?\)?)?(?:e\.?p\.?)?"
)


class MoveError(PositionError):
    """Text that is not a move; the message gives the reason."""


def read_move(board: chess.Board, text: str) -> chess.Move:
    """The legal move that ``text`` means: e4, Nf3, O-O, 0-0 or e2e4, also in the wrong case if unambiguous.

    Raises :class:`MoveError`, which says what is wrong.

    >>> board = chess.Board()
    >>> read_move(board, "Nf3"), read_move(board, "nf3"), read_move(board, "g1-f3")
    (Move.from_uci('g1f3'), Move.from_uci('g1f3'), Move.from_uci('g1f3'))
    """
    text = text.strip()
    ambiguous = False
    capital = text[:1].upper() + text[1:] if text[:1] in tuple("nrqk") else text
    attempts = (
        (board.parse_san, text.replace(":", "x")),
        (board.parse_uci, text.lower().translate(_JOINTS)),
        (board.parse_san, capital),
    )
    for parse, words in attempts:
        try:
            move = parse(words)
        except chess.AmbiguousMoveError:
            ambiguous = True
        except ValueError:
            continue
        else:
            if move in board.legal_moves:  # "--" is a move to python-chess
                return move
    found = [] if ambiguous else [move for move in board.legal_moves if _key(board.san(move)) == _key(text)]
    if len(found) == 1:
        return found[0]
    if ambiguous or found:
        raise MoveError(f"{quoted(text)} is ambiguous: add the square it comes from")
    for move in board.legal_moves:
        san = board.san(move)
        if move.promotion == chess.QUEEN and _key(text) in (_key(san)[:-1], move.uci()[:-1]):
            raise MoveError(f"{quoted(text)} lacks the piece to promote to: write {san}")
    raise MoveError(f"{quoted(text)} is not a legal move here; write moves as e4, Nf3, O-O or e2e4")


def _key(san: str) -> str:
    """A move in SAN without the characters that people omit or vary."""
    key = san.lower().replace("e.p.", "").translate(_OTHERWISE)
    return key.removesuffix("ep")


_OTHERWISE = str.maketrans({"0": "o", "о": "o"} | dict.fromkeys("x:=+#-–—!?()/", ""))  # the second is Cyrillic


def letters_of(text: str) -> frozenset[str]:
    """The piece letters in a move, in any language; none if it is not a move."""
    found = _MOVE.fullmatch(text)
    return frozenset(filter(None, (found[1], (found[3] or "").upper()))) if found else frozenset()


def is_move(text: str) -> bool:
    """Whether ``text`` has the form of a move, in any language."""
    return bool(_MOVE.fullmatch(text)) or _key(text) in ("oo", "ooo")


def respelled(text: str, spelling: Spelling) -> str:
    """A move with English letters; unchanged if ``spelling`` lacks one of its letters."""
    found = _MOVE.fullmatch(text) if spelling else None
    if found is None or not letters_of(text) <= spelling.keys():
        return text
    piece, squares, promotion = found.groups("")
    return spelling.get(piece, "") + squares + (f"={spelling[promotion.upper()]}" if promotion else "")


def spellings(letters: Iterable[str]) -> dict[str, Spelling]:
    """The ways to read ``letters``, by the languages that have all of them. English is not included."""
    found: dict[str, Spelling] = {}
    for name, spelling in _SPELLINGS.items():
        if all(letter in spelling for letter in letters):
            used = {letter: spelling[letter] for letter in sorted(letters)}
            same = next((names for names, other in found.items() if other == used), None)
            if same is not None:
                name = f"{same} or {name}"
                del found[same]
            found[name] = used
    return found
