"""Games as people write them: in any encoding and language, with blank lines too few or too many, with errors."""

# ruff: noqa: E501, RUF001 (the letters of other alphabets)

import os
import random
import sys
from pathlib import Path

import chess
import chess.pgn
import pytest

from engine.analysis.files import pgn_text
from engine.reading import ReadError, read_games
from engine.reading.moves import ENGLISH, LANGUAGES, letters_of
from tests.reading.test_fuzz import read

START = "[Event"

#: Random games in each language.
GAMES = 12


def moves(text: str | bytes) -> tuple[list[str], list[str]]:
    """The main lines in SAN, and the remarks."""
    games, remarks = read(text if isinstance(text, bytes) else text.encode())
    return [chess.Board.variation_san(game.board(), game.mainline_moves()) for game in games], remarks


@pytest.mark.parametrize(
    ("text", "line", "language"),
    [
        ("1. d4 d5 2. Cf3 Cf6 3. Ff4 *", "1. d4 d5 2. Nf3 Nf6 3. Bf4", "French"),
        ("1. d4 d5 2. Cf3 Cf6 *", "1. d4 d5 2. Nf3 Nf6", "French or Italian or Portuguese or Romanian or Spanish"),
        ("1. e4 e5 2. Sf3 Sc6 3. Lb5 (3. d4 exd4 4. Sxd4) a6 *", "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6", "Danish or German"),
        ("1. e4 e5 2. Кf3 Кc6 3. Сb5 a6 4. О-О *", "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. O-O", "Russian"),
        ("1. ♘f3 ♞f6 2. ♙e4 *", "1. Nf3 Nf6 2. e4", "figurines"),
        ("1. Pe4 Pe5 2. Nf3 *", "1. e4 e5 2. Nf3", "English with P"),
        ("1. d4 d5 2. Pf3 Pf6 3. Lf4 *", "1. d4 d5 2. Nf3 Nf6 3. Bf4", "Dutch"),
    ],
)
def test_a_language_is_read_where_it_is_certain(text, line, language):
    read_moves, remarks = moves(text)
    assert read_moves == [line]
    assert f"the letters of the pieces are read as {language}" in remarks[0]


@pytest.mark.parametrize(
    ("text", "line", "fault"),
    [
        ("1. d4 d5 2. Pf3 Pf6 *", "1. d4 d5", "2. 'Pf3'"),  # a pawn in English, a knight in Dutch
        ("1. e4 e5 2. Nf3 Mf6 3. d4 *", "1. e4 e5 2. Nf3", "2... 'Mf6'"),
        ("1. e4 e5 2. Sf3 Nc6 3. Bb5 *", "1. e4 e5", "2. 'Sf3'"),  # one letter among English ones
        ("1. e4 d5 2. c3 d4 3. Cd4 *", "1. e4 d5 2. c3 d4", "3. 'Cd4'"),  # no capture by the c-pawn
        ("1. b3 c5 2. h3 c4 3. Bxc4 *", "1. b3 c5 2. h3 c4", "3. 'Bxc4'"),
    ],
)
def test_no_language_is_guessed(text, line, fault):
    read_moves, remarks = moves(text)
    assert read_moves == [line]
    assert any(fault in remark for remark in remarks)


@pytest.mark.parametrize("language", LANGUAGES)
def test_games_in_any_language_are_read_or_remarked_upon(language):
    source = random.Random(language)
    letters = str.maketrans(dict(zip("KQRBN", LANGUAGES[language].split(), strict=True)))
    whole = 0
    for _ in range(GAMES):
        board, played, words = chess.Board(), [], []
        for _ in range(source.randint(1, 40)):
            move = source.choice(list(board.legal_moves) or [chess.Move.null()])
            if not move:
                break
            san = board.san(move)
            words.append(san if san.startswith("O-O") else san.translate(letters))
            played.append(move)
            board.push(move)
        if frozenset().union(*map(letters_of, words)) <= ENGLISH:
            continue  # as good as English
        games, remarks = read((" ".join(words) + " *").encode())
        found = list(games[0].mainline_moves()) if games else []
        assert found == played[: len(found)], words
        assert len(found) == len(played) or remarks
        whole += len(found) == len(played)
    assert whole > GAMES // 3


@pytest.mark.parametrize(
    ("text", "san"),
    [
        ("O-O", "O-O"), ("0-0", "O-O"), ("o-o", "O-O"), ("0–0", "O-O"), ("e1g1", "O-O"), ("a8Q", "a8=Q"), ("a8=q", "a8=Q"),
        ("a8(N)", "a8=N"), ("a7-a8=Q", "a8=Q"), ("Ra1-b1", "Rb1"), ("rb1", "Rb1"), ("gxh6 e.p.", "gxh6"), ("gxh6e.p.", "gxh6"),
        ("g5:h6", "gxh6"), ("gh6", "gxh6"), ("Rd1++", "Rd1+"), ("Rd1#", "Rd1+"), ("--", "--"), ("Z0", "--"), ("0000", "--"),
    ],
)  # fmt: skip
def test_moves_are_read_in_every_usual_form(text, san):
    (game,), _ = read(f'[FEN "3k4/P7/8/6Pp/8/8/8/R3K2R w KQ h6 0 1"]\n\n1. {text} *'.encode())
    assert game.board().san(game.next().move).rstrip("+") == san.rstrip("+")


@pytest.mark.parametrize(
    ("text", "lines", "remark"),
    [
        (f'{START} "a"]\n\n\n\n1. e4 *', ["1. e4"], "3 blank lines"),
        (f'{START} "a"]\n\n1. e4 *\n{START} "b"]\n\n1. d4 *', ["1. e4", "1. d4"], "4: game 2: another game begins here"),
        (f'{START} "a"]\n\n1. e4\n{START} "b"]\n\n1. d4 *', ["1. e4", "1. d4"], "4: game 2: another game begins here"),
        ("1. e4 e5 1-0 1. d4 d5 0-1", ["1. e4 e5", "1. d4 d5"], "another game begins here, after the result"),
        ("1. e4 e5\n\n2. Nf3 Nc6\n\n1-0\n", ["1. e4 e5 2. Nf3 Nc6"], "3: game 1: moves continue"),
        ("1. e4 {a\n\n[Event \"x\"]\n\n1. d4 {b} *", ["1. e4", "1. d4"], "1: game 1: the comment that begins here does not end"),
        ("1. e4 e5 2. Nf3 (2. Ke3 d5) Nc6 *", ["1. e4 e5 2. Nf3 Nc6"], "2. 'Ke3' is not a legal move; the variation ends"),
        ("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Bxc9 dxc6 *", ["1. e4 e5 2. Nf3 Nc6 3. Bb5 a6"], "4. 'Bxc9' is not a move; the game"),
        ("1. e4 Ke4 (1... e5) 2. d4 *", ["1. e4"], "1... 'Ke4' is not a legal move; the game ends before it"),
        ("% exported\n\nDear all,\n\n1. e4 *\n\n; the end\n\nhave e4 fun\n", ["1. e4"], "3: game 1: the text that begins with 'Dear' belongs to no game"),
        ("1. e4 e5+-/ ch 2. Nf3 *", ["1. e4 e5 2. Nf3"], "'+-/' after 'e5' is ignored"),
        ("1. e4 (1. d4 e5", ["1. e4"], "1 variation not closed"),
        ("1. e4 (1. d4 e5 (1... d5", ["1. e4"], "2 variations not closed"),
        ('[FEN "4k1n1/8/8/8/8/8/8/6K1 b - - 0 24"]\n\n... Nf6 25. Kh1 *', ["24...Nf6 25. Kh1"], "3: game 1: the text that begins with '...'"),
        ('[FEN "4k1n1/8/8/8/8/8/8/4K1N1 w - - 0 23"]\n\n$220 23. Nf3 Ne7 *', ["23. Nf3 Ne7"], "3: game 1: the text that begins with '220'"),
        ('1. e4 e5 *\n\n[Event "x', ["1. e4 e5"], "3: game 1: '[Event \"x' is not a tag"),
        ('[fen "4k3/8/8/8/8/8/8/4K2R w K - 0 1"]\n\n1. O-O *', ["1. O-O"], "is read as the tag FEN"),
        ('[Fen "4k3/8/8/8/8/8/8/6KR w K - 0 1"]\n\n1. Kf2 *', ["1. Kf2"], "castling rights 'K' are read as '-': no king"),
        ('[FEN "4k3/8/8/8/8/8/8/6KR w H - 0 1"]\n\n1. Kf2 *', ["1. Kf2"], "read as Chess960"),
        ('[FEN "4k3/8/8/8/8/8/8/4K2R_w_K_-_0_1"]\n[White "a"]\n[White “b”]\n\n1. O-O *', ["1. O-O"], "'[White “b”]' is read as the tag White"),
        ("[FEN 4k3/8/8/8/8/8/8/4K2R w K - 0 1]\n\n1. O-O *", ["1. O-O"], "is read as the tag FEN"),
        ("[Fen &quot;4k3/8/8/8/8/8/8/4K2R w K - 0 1&quot;]\n\n1. O-O *", ["1. O-O"], "is read as the tag FEN"),
        ('[Event "a"]\n[FEN "4k3/8/8/8/8/8/8/4K2R w K -\n\n1. e4 *\n\n[Event "b"]\n\n1. d4 *', ["1. d4"], "its FEN tag cannot be read; the game is skipped"),
        ('[Result "1 - 0"]\n\n1. e4 *', ["1. e4"], "'1 - 0' is read as 1-0"),
        ('[WHITE "a "b" c"]\n\n1. e4 *', ["1. e4"], "is read as the tag White"),
        ('[White "a "b" c"]\n\n1. e4 *', ["1. e4"], "quotation marks in the tag White"),
        ("1. e4 ; a } b\ne5 *", ["1. e4 e5"], "a brace in the comment"),
        ("1. e4 (1. d4) { a } *", ["1. e4"], "a comment after the last variation"),
        ("1. e4 ($1) e5 *", ["1. e4 e5"], "is applied to the preceding move"),
        ('[Result "1-0"]\n\n1. f3 e5 2. g4 Qh4# 1-0', ["1. f3 e5 2. g4 Qh4#"], "the result 1-0 becomes 0-1: the game ends with mate"),
        ("1. e4 e5 2. Nf3 ($6 2. f4) Nc6 *", ["1. e4 e5 2. Nf3 Nc6"], "1: game 1: the annotation '6' is applied to the next move"),
    ],
)  # fmt: skip
def test_irregular_pgn_is_repaired_and_reported(text, lines, remark):
    read_moves, remarks = moves(text)
    assert read_moves == lines
    assert [said for said in remarks if remark in said], remarks


def test_comments_and_annotations_keep_their_moves():
    (game,), remarks = read(b"1. $1 e4 e5 2. Nf3 ($6 2. f4) Nc6 *\n\n{ a close game")
    first, second, third, last = game.mainline()
    assert [node.nags for node in (game, first, second, third, second.variations[1])] == [set(), {1}, set(), set(), {6}]
    assert last.comment == "a close game"
    assert [text for text in remarks if "3: game 1: the comment after the last game belongs to it" in text]


def test_comments_behind_a_variation_stay_there():
    (game,), remarks = read(rb"""[White "A \"B\" \\C"]

1. e4 ( 1. d4 ) { a } e5 2. Nf3(!) Nc6 *""")
    first, second, third, _ = game.mainline()
    assert (first.comment, second.starting_comment, third.nags, remarks) == ("", "a", {1}, [])
    assert game.headers["White"] == 'A "B" \\C'
    assert rb'[White "A \"B\" \\C"]'.decode() in pgn_text(game)
    assert "1. e4 ( 1. d4 ) { a } 1... e5" in pgn_text(game)


def test_signs_after_moves_are_glyphs():
    (game,), remarks = read(
        "1. e4± e5 ∓ 2. Nf3□ = Nc6 +- 3. Bb5+= a6 ⨀ 4. Bxc6!⩲ dxc6 N 5. O-O ⨀ Qd6 6. Re1 (=) *".encode()
    )
    assert [node.nags for node in game.mainline()] == [
        {16}, {17}, {7, 10}, {18}, {14}, {23}, {1, 14}, {146}, {22}, set(), {10},
    ]  # fmt: skip
    assert [remark for remark in remarks if "is ignored" in remark] == []


CASTLES = "1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5"


@pytest.mark.parametrize(
    ("text", "line", "result"),
    [
        ('[Result "0-0"]\n\n1. e4 e5 0-0', "1. e4 e5", "0-0"),
        ('[Result "0-0"]\n\n0-0', "", "0-0"),
        ("1. e4 e5 0-0", "1. e4 e5", "0-0"),
        (f'[Result "0-0"]\n\n{CASTLES} 0-0', CASTLES, "0-0"),  # White may castle, but the tag says what it is
        (f'[Result "0-0"]\n\n{CASTLES} 4. 0-0 0-0 5. d3 0–0', f"{CASTLES} 4. O-O O-O 5. d3", "0-0"),
        (f"{CASTLES} 4. 0-0", f"{CASTLES} 4. O-O", "*"),
        ("1. e4 e5 2. 0-0 Nf6 *", "1. e4 e5", "*"),  # an illegal move
    ],
)  # fmt: skip
def test_a_double_forfeit_is_a_result_and_castling_a_move(text, line, result):
    (game,), _ = read(text.encode())
    assert chess.Board.variation_san(game.board(), game.mainline_moves()) == line
    assert game.headers["Result"] == result
    assert read(pgn_text(game).encode())[0][0].headers["Result"] == result


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_encodings_and_line_ends(encoding, end):
    text = '[White "Müller"]\n[Black "Ñ"]\n\n1. e4 { é } e5 *\n\n[White "B"]\n\n1. d4 *\n'.replace("\n", end)
    (first, second), remarks = read(text.encode(encoding))
    assert (first.headers["White"], second.headers["White"]) == ("Müller", "B")
    assert first.next().comment == "é"
    assert bool(remarks) == (encoding == "latin-1")
    if remarks:
        assert "1: not UTF-8, read as Latin-1, like 2 more" in remarks[-1]


def test_castling_rights_without_a_rook_are_dropped_and_named():
    (game,), remarks = read(b'[FEN "4k3/8/8/8/8/8/8/R3K3 w KQ - 0 1"]\n\n1. O-O-O *\n')
    assert "1: game 1: castling rights 'KQ' are read as 'Q': no king or rook in place" in remarks[0]
    assert game.headers["FEN"] == "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1"
    assert game.board().is_valid()


def test_all_remarks_name_file_line_and_game(tmp_path):
    path = tmp_path / "games.pgn"
    path.write_text("1. e4 *\n\n1. e4 e5 2. Ke3 *\n")
    remarks: list[str] = []
    games = list(read_games(path, remarks.append))
    assert [(found.number, found.line) for found in games] == [(1, 1), (2, 3)]
    assert remarks == [f"{path}:3: game 2: 2. 'Ke3' is not a legal move; the game ends before it"]
    assert [len(found.game.errors) for found in games] == [0, 1]


@pytest.mark.skipif(sys.platform == "win32", reason="pipes and devices have other names there")
@pytest.mark.parametrize(
    ("make", "named"),
    [(lambda path: os.mkfifo(path), "a pipe"), (lambda path: path.write_bytes(bytes(99)), "not a text file")],
)
def test_non_file_fails_immediately(tmp_path: Path, make, named):
    path = tmp_path / "x.pgn"
    make(path)
    with pytest.raises(ReadError, match=rf"x\.pgn.*{named}"):
        list(read_games(path, print))


def test_sound_games_are_read_as_by_python_chess_without_a_word(repository):
    remarks: list[str] = []
    path = repository / "tests" / "analysis" / "famous.pgn"
    games = [found.game for found in read_games(path, remarks.append)]
    with path.open(encoding="utf-8") as stream:
        assert list(map(str, games)) == [str(game) for game in iter(lambda: chess.pgn.read_game(stream), None)]
    assert remarks == []
