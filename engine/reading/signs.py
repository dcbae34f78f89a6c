"""Signs that people and programs write after moves, as numeric annotation glyphs (NAGs) of the PGN standard."""

# ruff: noqa: RUF001 (signs of chess)

import chess

#: The glyph of each sign, in the spellings of Informator, ChessBase and chess.com.
_NAGS = {
    "!": 1, "?": 2, "!!": 3, "‼": 3, "??": 4, "⁇": 4, "!?": 5, "⁉": 5, "?!": 6, "⁈": 6, "□": 7, "▢": 7,
    "=": 10, "==": 11, "∞": 13, "~": 13, "⩲": 14, "+=": 14, "+/=": 14, "⩱": 15, "=+": 15, "=/+": 15,
    "±": 16, "+/-": 16, "+/−": 16, "∓": 17, "-/+": 17, "−/+": 17, "+-": 18, "+−": 18, "+--": 18, "-+": 19, "−+": 19,
    "--+": 19, "=∞": 44, "=/∞": 44, "∆": 140, "Δ": 140, "⌓": 142, "N": 146, "D": 220,
}  # fmt: skip

#: The same for signs that apply to the side that moved: White's glyph; Black's is the next.
_OWN_NAGS = {"⨀": 22, "⊙": 22, "○": 26, "⟳": 32, "↑": 36, "→": 40, "⇆": 132, "⊕": 138}

#: Characters that may follow a move.
SUFFIXES = "".join(
    sorted({letter for sign in (*_NAGS, *_OWN_NAGS) for letter in sign if not letter.isalpha()} | set("#,†‡"))
)

CHECKS = frozenset(("", "+", "#", "++", "†", "‡"))  # signs that only repeat that a move gives check or mate


def nag_of(sign: str, mover: chess.Color) -> int | None:
    """The glyph of ``sign``, in parentheses or not, after a move of ``mover``; None if it has none.

    >>> nag_of("±", chess.WHITE), nag_of("(!)", chess.WHITE), nag_of("⨀", chess.BLACK), nag_of("x", chess.WHITE)
    (16, 1, 23, None)
    """
    sign = sign.strip("()")
    if sign in _OWN_NAGS:
        return _OWN_NAGS[sign] + (mover == chess.BLACK)
    return _NAGS.get(sign)


def nag_of_suffix(signs: str, mover: chess.Color) -> int | None:
    """The glyph in the ``signs`` right behind a move, which may also say that it gives check."""
    found = nag_of(signs, mover)
    return nag_of(signs.lstrip("+#†‡"), mover) if found is None else found
