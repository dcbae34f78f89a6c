"""``play``: a game of chess against the engine in the terminal."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from typing import Any, cast

import chess
import chess.pgn
from chess.engine import Limit
from rich.text import Text

from engine import Engine, __version__
from engine.analysis.clock import ChessClock, clock_text
from engine.analysis.diagram import FEW_COLOURS, diagram, painted, shows_chessmen
from engine.analysis.files import AddedGame, AnalysisError
from engine.analysis.judge import ending
from engine.analysis.lines import chances_of, chances_text, ending_text, wrapped
from engine.analysis.openings import opening_of
from engine.api.explaining import EXPLAIN_NODES, read_move_to_explain
from engine.api.types import Analysis, score_text
from engine.commandline import limit_of
from engine.console import Console, read_line
from engine.explanation.english import side as side_name
from engine.explanation.verdicts import expectation
from engine.files import WriteError
from engine.messages import Limits, quoted
from engine.options import Options
from engine.reading import MoveError, read_board, read_move

#: Reads a line from the player; None when the given number of seconds have passed. Raises EOFError at the end of input.
ReadLine = Callable[[str, float | None], str | None]
Write = Callable[[str | Text], object]

FIRST_DRAW = 20  # the engine takes a draw from this move of the game on, if it expects half a point or less
MAX_LOOK_SECONDS = 1.0  # seconds that the engine looks at the position for a hint or a draw offer, at most

HELP = f"""\
Write moves as e4, Nf3, exd5, e8=Q, O-O or 0-0, or as e2e4. Other commands:
  hint     show what the engine would play at full strength; your clock keeps running
  why      explain your last move and the engine's; 'why e4' explains another move ('explain' is the same)
  undo     take back your last move and the reply; the clocks do not change
  moves    show the game so far and the legal moves
  board    show the board again
  fen      show the position as FEN
  draw     offer a draw; the engine accepts from move {FIRST_DRAW} on if it expects half a point or less
  resign   resign the game
  new      begin a new game; 'new white' and 'new black' choose your side
  quit     leave"""

_INDENT_COLUMNS = 11  # the columns before the explanations in :data:`HELP`


@dataclass(frozen=True)
class Conclusion:
    """How a game ended: its ``result`` as in a PGN, the words for it, and the PGN's word for the kind of end."""

    result: str
    words: str
    termination: str = "normal"


@dataclass(eq=False)
class TerminalGame:
    """Games of a player against the engine, one after another. ``console`` shows chessmen in colours if it can; without
    one the board is drawn in letters. ``limit`` bounds the engine's moves if no ``clock`` does."""

    engine: Engine
    start: chess.Board
    human: chess.Color
    limit: Limit
    ask: ReadLine
    output: Write
    clock: ChessClock | None = None
    console: Console | None = None
    on_change: Callable[[TerminalGame], None] = lambda game: None
    number: int = 0  # of the game, from 1

    def __post_init__(self) -> None:
        self.clocks: list[float] = []  # of the side that moved, after each move
        self._terminal = self.console if self.console and self.console.is_terminal else None
        self._coloured = self.console if self.console and shows_chessmen(self.console) else None
        self._quit = False
        self.begin()

    def begin(self) -> None:
        """Set up a new game."""
        self.number += 1
        self.board = self.start.copy()
        self.clocks.clear()
        self._opening_shown = ""
        self._called: Conclusion | None = None  # a result that the position does not show
        self.engine.new_game()
        if self.clock:
            self.clock.reset()

    @property
    def conclusion(self) -> Conclusion | None:
        """How the game ended; None while it goes on."""
        if self._called:
            return self._called
        outcome = ending(self.board)
        if outcome is None:
            return None
        words = ending_text(self.board)
        return Conclusion(outcome.result(), f"{words[0].upper()}{words[1:]}.")

    def play(self) -> None:
        """Play until the player leaves or the input ends."""
        self.tell(f"You are {side_name(self.human)}. Type a move, or help.")
        self._show()
        self._announce()
        with suppress(EOFError):
            while self._turn():
                pass

    def _turn(self) -> bool:
        """One command of the player or one move of the engine; whether to go on."""
        if self.conclusion:
            word = self.ask("new, undo or quit> ", None)
        elif self.board.turn != self.human:
            self._answer()
            self._announce()
            return True
        else:
            word = self._ask_for_move()
        if self.clock and not self.conclusion and self.clock.flag_fell(self.human):
            self.tell("")
            self._flag(self.human)
            self._announce()
            return True
        over = self.conclusion
        self._run_command((word or "").strip())
        if not over:
            self._announce()
        return not self._quit

    def _announce(self) -> None:
        """Say how the game ended, if it did."""
        if self.clock and self.conclusion:
            self.clock.stop()
        if self.conclusion:
            self.tell(self.conclusion.words)

    def _ask_for_move(self) -> str | None:
        side = side_name(self.human)
        if not self.clock:
            return self.ask(f"{side}> ", None)
        self.clock.start(self.human)
        left = self.clock.remaining(self.human)
        return self.ask(f"{side} {clock_text(left)}> ", left + 0.01)

    def _run_command(self, word: str) -> None:
        """Execute a command of the player."""
        match word.lower().split():
            case []:
                pass
            case ["quit" | "exit"]:
                self._quit = True
            case ["help" | "?"]:
                self.tell(HELP)
            case ["fen"]:
                self.output(self.board.fen())
            case ["board"]:
                self._show()
            case ["moves"]:
                self._tell_moves()
            case ["undo"]:
                self._undo()
            case ["why" | "explain", *rest] if len(rest) < 2:
                self._explain(word.split()[1] if rest else "")
            case ["new"]:
                self._new(self.human)
            case ["new", "white" | "black" as side]:
                self._new(side == "white")
            case _ if self.conclusion:
                self.tell(
                    f"{quoted(word)} is not understood: the game is over. Type new, undo, why, moves, fen or quit."
                )
            case ["hint"]:
                best = self._best()
                assert best.move is not None
                clock = "; your clock kept running" if self.clock else ""
                self.tell(f"try {self.board.san(best.move)} {self._judged(best)}{clock}")
            case ["draw"]:
                self._offer()
            case ["resign"]:
                self._end(not self.human, f"{side_name(self.human)} resigns")
            case _:
                self._move(word)

    # Moves

    def _move(self, word: str) -> None:
        try:
            move = read_move(self.board, word)
        except MoveError as error:
            self.tell(f"{error}; 'moves' lists the legal ones")
            return
        self._push(move)
        if self.conclusion:
            self._show()

    def _push(self, move: chess.Move) -> None:
        self.board.push(move)
        if self.clock:
            self.clocks.append(self.clock.press())
        self.on_change(self)

    def _answer(self) -> None:
        """The engine's move."""
        reports: list[Analysis] = []
        limit, engine_side = self.limit, self.board.turn
        if self.clock:
            self.clock.start(engine_side)
            white, black = self.clock.remaining(chess.WHITE), self.clock.remaining(chess.BLACK)
            step = self.clock.increment
            limit = Limit(white_clock=white, black_clock=black, white_inc=step, black_inc=step)
        with self._coloured.status("thinking") if self._coloured else nullcontext():
            move = self.engine.play(self.board, limit, on_report=reports.append)
        assert move is not None, "it is asked only while the game goes on"
        if self.clock and self.clock.flag_fell(engine_side):
            self._flag(engine_side)
            return
        best = [report for report in reports if report.multipv == 1]
        judged = f" {self._judged(best[-1])}" if best else ""
        told = f"{side_name(engine_side)} plays {self.board.san(move)}{judged}"
        self._push(move)
        self.tell(told)
        self._show()

    def _judged(self, line: Analysis) -> str:
        return f"({score_text(line.score)}: {chances_text(chances_of(self.board, line))}; depth {line.depth})"

    def _best(self) -> Analysis:
        """The best move, as explanations find it: by a fixed number of nodes, whatever was searched before."""
        self.engine.new_game()
        return self.engine.analyse(self.board, Limits(nodes=EXPLAIN_NODES))

    def _look(self) -> Analysis:
        """An analysis of the position at full strength."""
        seconds = min(self.limit.time or MAX_LOOK_SECONDS, MAX_LOOK_SECONDS)
        limit = self.limit if self.limit.time is None and not self.clock else Limit(time=seconds)
        return self.engine.analyse(self.board, limit)

    def _explain(self, text: str) -> None:
        """In words, why the move in ``text`` or, without one, the last move of each side is good or bad."""
        if text:
            try:
                before, move, lead = read_move_to_explain(self.board, text)
            except MoveError as error:
                self.tell(str(error))
            else:
                self.tell(lead + self.engine.explain(before, move))
            return
        moves = self._moves()[-2:]
        if not moves:
            self.tell("no move has been played yet")
        before = self.board.copy()
        for _ in moves:
            before.pop()
        for move in moves:
            self.tell(f"{before.variation_san([move])}: {self.engine.explain(before, move)}")
            before.push(move)

    def _undo(self) -> None:
        if self._called and self._called.termination == "time forfeit":
            self.tell("a loss on time cannot be taken back")
            return
        if self._called:
            self._called = None  # a resignation or a draw, not a move
        else:
            own = range(self.start.turn != self.human, len(self._moves()), 2)
            if not own:
                self.tell("you have no move to take back")
                return
            for _ in range(len(self._moves()) - own[-1]):
                self.board.pop()
            del self.clocks[own[-1] :]
        self.on_change(self)
        self._show()

    def _moves(self) -> list[chess.Move]:
        return self.board.move_stack[len(self.start.move_stack) :]

    def _new(self, human: chess.Color) -> None:
        self.human = human
        self.begin()
        self.tell(f"A new game. You are {side_name(human)}.")
        self._show()

    # Results that the position does not show

    def _end(self, winner: chess.Color | None, words: str, termination: str = "normal") -> None:
        """End the game; without a ``winner`` it is a draw."""
        if winner is None:
            self._called = Conclusion("1/2-1/2", words, termination)
        else:
            self._called = Conclusion("1-0" if winner else "0-1", f"{words}, {side_name(winner)} wins.", termination)
        self.on_change(self)

    def _flag(self, side: chess.Color) -> None:
        """The flag of ``side`` has fallen: the other side wins if it could ever mate."""
        words = f"{side_name(side)}'s flag has fallen"
        if self.board.has_insufficient_material(not side):
            self._end(None, f"{words}, a draw: insufficient mating material.", "time forfeit")
        else:
            self._end(not side, words, "time forfeit")

    def _offer(self) -> None:
        """The player offers a draw."""
        if self.board.fullmove_number < FIRST_DRAW:
            self.tell(f"Draw declined: too early (offers are considered from move {FIRST_DRAW}).")
            return
        if self.clock:
            self.clock.stop()
        line = self._look()
        points = expectation(line.score.pov(not self.human), self.board.fullmove_number)
        if round(points, 2) > 0.5:  # as it is shown
            self.tell(f"Draw declined: {score_text(line.score)}, the engine expects {points:.0%} of the point.")
            return
        self._end(None, "Draw agreed.")

    # Output

    def _show(self) -> None:
        if self._coloured:
            self.tell("")
            self.tell(painted(self.board, self.human, self._coloured.color_system in FEW_COLOURS))
        else:
            self.tell(f"\n{diagram(self.board, self.human)}")
        if (name := self._opening()) not in ("", self._opening_shown):
            self._opening_shown = name
            self.tell(name)
        if self.clock:
            left = {side_name(side): clock_text(self.clock.remaining(side)) for side in (chess.WHITE, chess.BLACK)}
            self.tell(", ".join(f"{name} {time}" for name, time in left.items()))
        if self.board.is_check() and not self.conclusion:
            self.tell("Check.")

    def _opening(self) -> str:
        """The name of the opening; empty if it has none."""
        board = self.board.copy()
        boards = [board.copy(stack=False)]
        for _ in self._moves():
            board.pop()
            boards.insert(0, board.copy(stack=False))
        found = opening_of(boards)
        return f"{found.eco} {found.name}" if found else ""

    def _tell_moves(self) -> None:
        if self._moves():
            self.tell(self.start.variation_san(self._moves()))
        if not self.conclusion:
            self.tell(f"Legal: {' '.join(sorted(self.board.san(move) for move in self.board.legal_moves))}")

    def tell(self, text: str | Text) -> None:
        """Show a text; on a terminal long rows are broken at spaces."""
        width = self._terminal.width if self._terminal else None
        if isinstance(text, str):
            text = "\n".join(
                wrapped(row, width, _INDENT_COLUMNS if row.startswith("  ") else 0) for row in text.split("\n")
            )
        self.output(text)


def play_chess(
    chosen: argparse.Namespace,
    options: dict[str, Any],
    ask: ReadLine = read_line,
    tell: Write | None = None,
    console: Console | None = None,
) -> int:
    """Play as the command line ``chosen`` says; with a file for it, each game is there after every move."""
    board = read_board(" ".join(chosen.fen or ()), chosen.chess960, _warn)
    if tell is None:
        console = Console(soft_wrap=True)
        tell = console.print
    name = f"Numbat {__version__}"
    if chosen.elo is not None:
        options = {**options, "UCI_LimitStrength": True, "UCI_Elo": chosen.elo}
        name += f", UCI_Elo {chosen.elo}"
    if chosen.level is not None:
        options = {**options, "Skill Level": chosen.level}
        name += f", Skill Level {chosen.level}"
    files = {1: AddedGame(chosen.pgn)} if chosen.pgn else {}  # by the number of the game

    def keep(played: TerminalGame) -> None:
        if files:
            try:
                file = files.get(played.number) or files.setdefault(played.number, AddedGame(chosen.pgn))
                file.write(record(played, name))
            except (AnalysisError, WriteError) as error:  # the next move tries again
                _warn(f"{error}; the game goes on, and 'moves' shows it")

    with Engine(report=lambda text: print(text, file=sys.stderr), **cast(Options, options)) as engine:
        limit, _ = limit_of(chosen, 1.0)
        clock = ChessClock(*chosen.clock) if chosen.clock else None
        human = chess.BLACK if chosen.black else chess.WHITE
        played = TerminalGame(engine, board, human, limit, ask, tell, clock=clock, console=console, on_change=keep)
        played.play()
    if not played.board.move_stack:
        return 0
    if chosen.pgn:
        tell(f"To see your mistakes explained: numbat analyse {shlex.quote(str(chosen.pgn))}")
    else:
        played.tell("To see your mistakes explained, play with --pgn FILE and run: numbat analyse FILE")
    return 0


def _warn(text: str) -> None:
    print(f"numbat: {text}", file=sys.stderr)


def record(played: TerminalGame, name: str) -> chess.pgn.Game:
    """The game so far as PGN, the engine being called ``name``."""
    from datetime import date

    game = chess.pgn.Game.from_board(played.board)
    game.headers["Event"] = "A game in the terminal"
    game.headers["Date"] = date.today().strftime("%Y.%m.%d")
    names = {played.human: "Human", not played.human: name}
    game.headers["White"], game.headers["Black"] = names[chess.WHITE], names[chess.BLACK]
    conclusion = played.conclusion
    game.headers["Result"] = conclusion.result if conclusion else "*"
    if conclusion:
        game.headers["Termination"] = conclusion.termination
    if played.clock:
        game.headers["TimeControl"] = f"{played.clock.base:g}+{played.clock.increment:g}"
        for node, left in zip(game.mainline(), played.clocks, strict=True):
            node.set_clock(left)
    return game
