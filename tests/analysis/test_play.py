"""``play``: a whole conversation with the terminal, without the terminal."""

import dataclasses
import io
import re
import sys

import chess
import chess.pgn
import pytest
from chess.engine import Limit
from rich.console import Console

from engine import Engine
from engine.analysis import diagram
from engine.analysis.cli import parser
from engine.analysis.clock import ChessClock
from engine.analysis.files import AddedGame, AnalysisError, read_games
from engine.analysis.play import TerminalGame, play_chess, record
from engine.console import read_line
from engine.files import WriteError
from engine.reading import MoveError, read_move

MATE_IN_ONE = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1"


class Time:
    """A time that only passes where a test says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def slow_answers(time: Time, *answers: tuple[float, str]):
    """An ``ask`` that takes its time, until the end of the input; where it would take more than there is, the time runs
    out."""
    left = iter(answers)

    def ask(prompt: str, seconds: float | None) -> str | None:
        try:
            spent, word = next(left)
        except StopIteration:
            raise EOFError from None
        time.now += spent if seconds is None else min(spent, seconds)
        return word if seconds is None or spent <= seconds else None

    return ask


def answering(answers: tuple[str, ...]):
    """An ``ask`` that gives these answers at once."""
    return slow_answers(Time(), *((0.0, answer) for answer in answers))


def played(words: list[str], *answers: str) -> str:
    """The text of a game with these answers, then the end of the input."""
    told: list[str] = []
    if "--clock" not in words:
        words = [*words, "--depth", "4"]
    chosen = parser("play").parse_args(words)
    options = {"Hash": 1, **dict(chosen.option)}
    assert play_chess(chosen, options, answering(answers), lambda text: told.append(str(text))) == 0
    return "\n".join(told)


def boards_in(told: str) -> int:
    """How often the board was shown."""
    return told.count("a b c d e f g h") + told.count("h g f e d c b a")


def test_a_game_with_hint_undo_and_help_is_kept_move_by_move(tmp_path):
    path = tmp_path / "game.pgn"
    told = played(["--pgn", str(path)], "e4", "undo", "hint", "help", "Nf3", "zz", "d2d4", "quit", "c4")
    assert told.count("Black plays ") == 3
    assert "try " in told
    assert re.search(r"plays \S+ \([+-]\d.\d\d: White \d+%, draw \d+%, Black \d+%; depth \d+\)", told)
    assert "'zz' is not a legal move here" in told
    with path.open(encoding="utf-8") as file:
        game = chess.pgn.read_game(file)
    moves = list(game.mainline_moves())
    assert [move.uci() for move in moves[::2]] == ["g1f3", "d2d4"]
    assert len(moves) == 4
    assert game.headers["White"] == "Human"
    assert game.headers["Result"] == "*"


def test_the_board_is_shown_after_moves_alone():
    assert boards_in(played([], "zz", "", "help", "moves", "fen", "hint", "draw", "e5")) == 1
    assert boards_in(played([], "e4", "zz", "undo", "undo", "board")) == 4


def test_commands_that_show_the_game_change_nothing():
    told = played([], "moves", "e4", "moves", "fen")
    assert "Legal: Na3 Nc3 Nf3 Nh3 a3 a4" in told
    assert re.search(r"^1\. e4 \S+$", told, re.MULTILINE)
    assert re.search(r"^\S+ w KQkq - \d 2$", told, re.MULTILINE)
    words = re.findall(r"^  (\w+) ", played([], "help"), re.MULTILINE)
    assert words == ["hint", "why", "undo", "moves", "board", "fen", "draw", "resign", "new", "quit"]


def test_the_last_move_of_each_side_is_explained():
    told = played([], "why", "f3", "why")
    assert "no move has been played yet" in told
    assert re.search(r"^1\. f3: .+\.$", told, re.MULTILINE)
    assert re.search(r"^1\.\.\.\S+: .+\.$", told, re.MULTILINE)
    assert "1. Ra8#: Ra8# is back-rank mate." in played(["--fen", MATE_IN_ONE], "Ra8", "why")


def test_the_opening_is_named_when_it_changes():
    told = played([], "e4", "board", "board")
    assert len(re.findall(r"^[A-E]\d\d \w", told, re.MULTILINE)) == 1


def test_hint_why_and_explain_agree_on_the_best_move():
    """Over UCI ``explain`` asks the same of the engine."""
    told = played([], "hint", "why a3", "explain a3", "a3", "why")
    best = re.search(r"try (\S+) ", told)[1]
    board = chess.Board()
    with Engine(hash=1) as engine:
        assert engine.explain(board).startswith(f"{best} ")
        why = engine.explain(board, board.parse_san("a3"))
    assert best in why or "better" not in why
    assert told.count(why) == 3


def test_at_the_end_a_hint_says_how_to_annotate_the_game(tmp_path):
    path = tmp_path / "my games.pgn"
    assert played(["--pgn", str(path)], "e4").endswith(f"numbat analyse '{path}'")
    assert "--pgn FILE" in played([], "e4").splitlines()[-1]
    assert "--pgn FILE" not in played([])


@pytest.mark.skipif(sys.platform == "win32", reason="links are for the privileged there")
def test_a_file_that_is_there_keeps_its_games(tmp_path):
    path, link = tmp_path / "mine.pgn", tmp_path / "link.pgn"
    before = '[White "J\xfcrgen"]\r\n\r\n1. e4 e5 1/2-1/2\r\n'.encode("latin-1")
    path.write_bytes(before)
    link.symlink_to(path)
    played(["--pgn", str(path)], "quit")
    assert path.read_bytes() == before
    for file, answers in ((path, ["d4", "undo", "c4", "quit"]), (link, ["Nf3"])):
        played(["--pgn", str(file)], *answers)
        assert path.read_bytes().startswith(before.rstrip())
    with path.open(encoding="latin-1") as stream:
        games = list(iter(lambda: chess.pgn.read_game(stream), None))
    assert [game.variations[0].move.uci() for game in games] == ["e2e4", "c2c4", "g1f3"]
    assert link.is_symlink()


def test_new_games_stand_one_behind_the_other_in_the_file(tmp_path):
    path = tmp_path / "mine.pgn"
    told = played(["--pgn", str(path)], "e4", "resign", "new black", "new", "new white", "d4", "c4", "quit")
    assert "White resigns, Black wins." in told
    assert "A new game. You are Black." in told
    with path.open(encoding="utf-8") as stream:
        games = list(iter(lambda: chess.pgn.read_game(stream), None))
    assert [game.headers["Result"] for game in games] == ["0-1", "*", "*", "*"]
    assert [len(list(game.mainline_moves())) for game in games] == [2, 1, 1, 4]
    assert [game.headers["Black"] for game in games][1:3] == ["Human"] * 2


def test_a_game_is_not_added_to_what_is_no_pgn_file(tmp_path):
    notes = tmp_path / "notes.txt"
    notes.write_text("Dear diary\n", encoding="utf-8")
    for path, named in ((notes, "contains no game"), (tmp_path, "a directory"), (tmp_path / "no" / "x.pgn", "no such")):
        with pytest.raises((AnalysisError, WriteError), match=named):
            played(["--pgn", str(path)], "e4", "quit")
    assert list(tmp_path.iterdir()) == [notes]
    assert notes.read_text("utf-8") == "Dear diary\n"
    notes.write_text("1. e4 *\n", encoding="utf-16")  # to which no UTF-8 can be added
    with pytest.raises(AnalysisError, match="not in UTF-8"):
        played(["--pgn", str(notes)], "e4", "quit")


def test_games_that_two_programs_add_to_one_file_are_both_kept(tmp_path):
    path = tmp_path / "games.pgn"
    first, second = AddedGame(path), AddedGame(path)
    games = [chess.pgn.Game(), chess.pgn.Game()]
    for move in ("e2e4", "e7e5", "g1f3"):
        for game, file in zip(games, (first, second), strict=True):
            game.end().add_variation(chess.Move.from_uci(move))
            file.write(game)
    assert [list(map(str, game.mainline_moves())) for game in read_games(path)] == [["e2e4", "e7e5", "g1f3"]] * 2


def test_the_game_goes_on_without_its_file(tmp_path, monkeypatch, capsys):
    def refuse(draft: object, target: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("engine.files.os.replace", refuse)
    told = played(["--pgn", str(tmp_path / "x.pgn")], "e4", "d4", "quit")
    assert told.count("Black plays ") == 2
    assert "No space left on device" in capsys.readouterr().err


def test_closed_standard_input_is_its_end(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(EOFError):
        read_line("> ")


# Ends


@pytest.mark.parametrize("lines", [1, 3])
def test_the_engine_begins_against_black_and_mates(lines):
    told = played(["--black", "--fen", "7k/8/5KQ1/8/8/8/8/8 w - - 0 1", "--option", f"MultiPV={lines}"])
    assert "White plays Qg7# (#0" in told or "White plays Qg7# (#1" in told
    assert told.splitlines()[-2] == "Checkmate, White wins."


def test_the_person_can_mate_and_the_game_ends():
    told = played(["--fen", MATE_IN_ONE], "Ra8#", "Kd2", "quit", "e4")
    assert "Checkmate, White wins." in told
    assert "'Kd2' is not understood: the game is over. Type new, undo, why, moves, fen or quit." in told
    assert "plays" not in told


def test_a_game_that_is_over_at_its_start_is_said_to_be():
    assert played(["--fen", "R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1"]).endswith("Checkmate, White wins.")


def test_resigning_can_be_taken_back():
    told = played([], "resign", "undo", "e4")
    assert "White resigns, Black wins." in told
    assert told.count("Black plays") == 1


def seated(numbat: Engine, fen: str, ask, **more) -> tuple[TerminalGame, list[str]]:
    """A game at which White has played until the input ended, and what was told there."""
    told: list[str] = []
    limit = Limit() if "clock" in more else Limit(depth=4)
    game = TerminalGame(numbat, chess.Board(fen), chess.WHITE, limit, ask, lambda text: told.append(str(text)), **more)
    game.play()
    return game, told


def test_draws_end_the_game(numbat):
    board = chess.Board("7k/8/8/8/8/8/8/KR6 w - - 0 1")
    game = TerminalGame(numbat, board, chess.WHITE, Limit(depth=1), answering(()), lambda text: None)
    for text in ("b1b2", "h8h7", "b2b1", "h7h8", "b1b2", "h8h7", "b2b1", "h7h8"):
        assert game.conclusion is None  # that somebody could repeat is no draw yet
        game.board.push_uci(text)
    assert game.conclusion.words == "Threefold repetition, a draw."
    assert record(game, "Numbat").headers["Result"] == "1/2-1/2"


def test_the_fifty_move_rule_ends_the_game_on_time():
    fen = "4k3/7p/8/8/8/8/P7/R3K3 w - - 99 80"
    assert "Fifty moves" not in played(["--fen", fen], "a3", "quit")
    assert played(["--fen", fen], "Rb1").splitlines()[-2] == "Fifty moves, a draw."


@pytest.mark.parametrize(
    ("fen", "answer"),
    [
        (chess.STARTING_FEN, "Draw declined: too early (offers are considered from move 20)."),
        ("4k3/8/8/8/8/8/7r/4K3 w - - 0 30", "Draw declined: -"),  # Black is a rook up
        ("4k3/8/8/8/8/8/7R/4K3 w - - 0 30", "Draw agreed."),
    ],
)
def test_a_draw_offer_is_accepted_late_unless_better(numbat, fen, answer):
    game, told = seated(numbat, fen, answering(("draw",)))
    assert answer in "\n".join(told)
    assert (game.conclusion is not None) == ("agreed" in answer)


def test_half_a_point_as_it_is_shown_is_enough_for_a_draw(numbat, monkeypatch):
    monkeypatch.setattr("engine.analysis.play.expectation", lambda *arguments: 0.502)
    _, told = seated(numbat, "4k3/8/8/8/8/8/7R/4K3 w - - 0 30", answering(("draw",)))
    assert "Draw agreed." in "\n".join(told)


# The clock


@pytest.fixture
def shallow(monkeypatch):
    """An engine that gets the limits it gets, and looks three plies deep within them."""
    for name in ("play", "analyse"):
        plain = getattr(Engine, name)

        def look(self, board, limit, *arguments, plain=plain, **more):
            return plain(self, board, dataclasses.replace(limit, depth=3), *arguments, **more)

        monkeypatch.setattr(Engine, name, look)


@pytest.mark.usefixtures("shallow")
def test_both_play_with_a_clock(numbat):
    time = Time()
    ask = slow_answers(time, (10.0, "zz"), (5.0, "e4"), (7.0, "d4"))
    game, told = seated(numbat, chess.STARTING_FEN, ask, clock=ChessClock(60, 2, time))
    assert game.clocks == [47.0, 62.0, 42.0, 64.0]  # the engine takes no time: it does not pass meanwhile
    assert "White 0:47, Black 1:02" in told
    pgn = record(game, "Numbat")
    assert pgn.headers["TimeControl"] == "60+2"
    assert [node.clock() for node in pgn.mainline()] == game.clocks


@pytest.mark.parametrize(
    ("fen", "words", "result"),
    [
        (chess.STARTING_FEN, "White's flag has fallen, Black wins.", "0-1"),
        ("4k3/8/8/8/8/8/7P/4K3 w - - 0 1", "White's flag has fallen, a draw: insufficient mating material.", "1/2-1/2"),
    ],
)
@pytest.mark.parametrize("word", ["", "h3"])
@pytest.mark.usefixtures("shallow")
def test_a_flag_falls_whatever_is_typed_too_late(numbat, fen, words, result, word):
    time = Time()
    ask = slow_answers(time, (20.0, "h4"), (45.0, word), (0.0, "undo"))
    if not word:  # a terminal that cannot be waited for with a limit answers after the time
        plain, ask = ask, lambda prompt, seconds: plain(prompt, None)
    game, told = seated(numbat, fen, ask, clock=ChessClock(60, 0, time))
    assert words in told
    assert told[-1] == "a loss on time cannot be taken back"
    assert game.board.ply() == chess.Board(fen).ply() + 2
    pgn = record(game, "Numbat")
    assert (pgn.headers["Result"], pgn.headers["Termination"]) == (result, "time forfeit")


@pytest.mark.usefixtures("shallow")
def test_the_engine_s_flag_falls_too(numbat, monkeypatch):
    time = Time()
    plain = Engine.play

    def slow(self, *arguments, **more):
        time.now += 61
        return plain(self, *arguments, **more)

    monkeypatch.setattr(Engine, "play", slow)
    ask = slow_answers(time, (1.0, "e4"))
    game, told = seated(numbat, chess.STARTING_FEN, ask, clock=ChessClock(60, 0, time))
    assert told[-1] == "Black's flag has fallen, White wins."
    assert game.board.ply() == 1


@pytest.mark.usefixtures("shallow")
def test_a_draw_offer_stops_the_clock_and_a_hint_does_not(numbat):
    time = Time()
    ask = slow_answers(time, (4.0, "draw"), (5.0, "hint"), (1.0, "Kd1"))
    game, told = seated(numbat, "4k3/8/8/8/8/8/7r/4K3 w - - 0 30", ask, clock=ChessClock(60, 0, time))
    assert game.clocks[0] == 50.0
    assert any(re.search("try .*; your clock kept running$", str(text)) for text in told)


# Strength


def test_a_level_may_be_chosen(tmp_path):
    path = tmp_path / "game.pgn"
    for words, name in ((["--elo", "1400"], "UCI_Elo 1400"), (["--level", "3"], "Skill Level 3")):
        told = played([*words, "--pgn", str(path)], "e4")
        assert "Black plays" in told
        assert f'{name}"]' in path.read_text("utf-8")


# Moves as people write them


def test_moves_are_read_as_people_write_them():
    board = chess.Board("4k3/P7/8/8/8/8/8/R3K2R w KQ - 0 1")
    for text, move in (
        ("E1G1", "e1g1"), ("a7a8Q", "a7a8q"), ("A7-A8=Q", "a7a8q"), (" Rb1 ", "a1b1"), ("a1-b1", "a1b1"),
        ("Rh8+!", "h1h8"),
    ):  # fmt: skip
        assert read_move(board, text) == chess.Move.from_uci(move), text
    for move in board.legal_moves:
        assert read_move(board, board.san(move)) == read_move(board, move.uci()) == move
    for text, named in (
        ("e5", "not a legal move"),
        ("--", "not a legal"),
        ("0000", "not a legal"),
        ("", "not a legal"),
        ("a8", r"'a8' lacks the piece to promote to: write a8=Q\+"),
        ("a7-a8", "lacks the piece to promote to"),
    ):
        with pytest.raises(MoveError, match=named):
            read_move(board, text)
    two_rooks = chess.Board("4k3/8/8/8/8/4K3/8/R6R w - - 0 1")
    for text in ("Rd1", "rd1"):
        with pytest.raises(MoveError, match="ambiguous"):
            read_move(two_rooks, text)


def test_a_pawn_and_a_bishop_are_told_apart_by_their_case():
    board = chess.Board("4k3/8/8/8/2p5/1P3B2/4B3/4K3 w - - 0 1")
    assert read_move(board, "bxc4").uci() == "b3c4"
    assert read_move(board, "Bxc4").uci() == "e2c4"
    with pytest.raises(MoveError, match="'BXC4' is ambiguous"):
        read_move(board, "BXC4")


def test_chess960_is_played_and_kept_as_such(tmp_path):
    path = tmp_path / "game.pgn"
    told = played(["--fen", "4k3/8/8/8/8/8/8/RK6 w A - 0 1", "--pgn", str(path)], "O-O-O", "quit")
    assert "Black plays" in told
    assert '[Variant "Chess960"]' in path.read_text("utf-8")


# The board


def test_last_move_and_check_are_marked_from_either_side():
    board = chess.Board()
    for move in ("e4", "f5", "Qh5+"):
        board.push_san(move)
    rows = diagram.diagram(board, chess.WHITE).splitlines()
    assert rows[0] == "8  r n b q{k}b n r"
    assert rows[3] == "5  . . . . . p .[Q]"
    assert rows[7] == "1  R N B[.]K B N R"
    assert diagram.diagram(board, chess.BLACK).splitlines()[4::5] == ["5 [Q]. p . . . . .", "   h g f e d c b a"]
    board.push_san("g6")
    board.push_san("Qh4")
    assert diagram.diagram(board, chess.WHITE).splitlines()[4] == "4  . . . . P . .[Q]"
    board = chess.Board()
    board.push_san("e3")
    board.push_san("d5")
    board.push_san("e4")
    assert diagram.diagram(board, chess.WHITE).splitlines()[4:6] == ["4  . . . .[P]. . .", "3  . . . .[.]. . ."]
    board = chess.Board("4k3/8/8/8/8/8/8/4K2R w K - 0 1")
    board.push_san("Rg1")
    assert diagram.diagram(board, chess.WHITE).splitlines()[7] == "1  . . . . K .[R|.]"


def terminal(encoding: str = "utf-8", **more) -> Console:
    file = io.TextIOWrapper(io.BytesIO(), encoding)
    return Console(file=file, force_terminal=True, _environ={"TERM": "xterm-256color"}, **more)


def test_chessmen_need_a_terminal_with_colours_and_their_letters():
    assert diagram.shows_chessmen(terminal(color_system="256"))
    assert diagram.shows_chessmen(terminal(color_system="standard"))
    assert not diagram.shows_chessmen(terminal("cp437", color_system="256"))
    assert not diagram.shows_chessmen(terminal(color_system=None))
    assert not diagram.shows_chessmen(terminal(color_system="256", legacy_windows=True))
    assert not diagram.shows_chessmen(terminal(color_system="256", no_color=True))
    file = io.TextIOWrapper(io.BytesIO(), "utf-8")
    assert not diagram.shows_chessmen(Console(file=file, _environ={}))  # a pipe
    for name, value in (("NO_COLOR", "1"), ("TERM", "dumb")):
        environment = {"TERM": "xterm-256color", name: value}
        assert not diagram.shows_chessmen(Console(file=file, force_terminal=True, _environ=environment))


@pytest.mark.parametrize("few", [False, True])
def test_the_painted_board_has_all_pieces_in_their_colours(few):
    board = chess.Board("r3k3/8/8/8/8/8/8/4R1K1 b q - 0 1")
    text = diagram.painted(board, chess.BLACK, few)
    rows = text.plain.splitlines()
    assert rows[0] == "1     ♚     ♜             "
    assert rows[7] == "8           ♚           ♜ "
    assert rows[8].split() == list("hgfedcba")
    kings = [span.style for span in text.spans if "♚" in text.plain[span.start : span.end]]
    plain = {span.style.bgcolor.name for span in text.spans}
    assert kings[0].color != kings[1].color  # White's and Black's
    assert kings[1].bgcolor.name in ("red", "#c0392b")  # in check
    assert len(plain) == 3


def test_long_texts_but_no_fen_are_broken_on_a_terminal(numbat):
    told: list[str] = []
    TerminalGame(numbat, chess.Board(), chess.WHITE, Limit(depth=2), answering(("fen", "moves")),
          lambda text: told.append(str(text)), console=terminal(width=40)).play()  # fmt: skip
    assert told[-2] == chess.STARTING_FEN  # to be copied
    legal = told[-1].splitlines()
    assert len(legal) > 1
    assert max(map(len, legal)) <= 40
    assert len(" ".join(legal).split()) == 21  # "Legal:" and twenty moves


def test_a_terminal_gets_chessmen_and_a_pipe_plain_letters(numbat):
    def shown(console: Console) -> str:
        TerminalGame(numbat, chess.Board(), chess.WHITE, Limit(depth=2), answering(("e4",)),
              lambda text: console.print(text, markup=False), console=console).play()  # fmt: skip
        console.file.flush()
        return console.file.buffer.getvalue().decode()

    fancy = shown(terminal(color_system="256"))
    assert "♜" in fancy
    assert "\x1b[" in fancy
    plain = shown(Console(file=io.TextIOWrapper(io.BytesIO(), "utf-8"), highlight=False, soft_wrap=True, _environ={}))
    assert "♜" not in plain
    assert "\x1b" not in plain
    assert "8  r n b q k b n r" in plain
