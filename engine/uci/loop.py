"""The conversation with a GUI, from the first line to ``quit`` or the end of standard input."""

import os
import signal
from collections.abc import Sequence

from engine import __version__
from engine.messages import OptionError, PositionError, ThreadError
from engine.options import OPTIONS, Option, ReadBy
from engine.uci.format import option_line
from engine.uci.input import MAX_LINE_BYTES, at_terminal, lines, open_stdin
from engine.uci.output import Output
from engine.uci.parse import parse_bench, parse_explain, parse_go, parse_setoption, split_command, text_after
from engine.uci.session import Session

REFUSED = 2  # the exit code if the engine cannot start, or a command that was an argument is refused

_TOO_LONG = "ignored a line of more than {} bytes: {}..."

_HELP = """\
Numbat speaks UCI, the protocol of chess GUIs. For example:
  position startpos moves e2e4   set up startpos or fen ..., and play moves
  go movetime 1000               search; also wtime btime winc binc movestogo
                                 depth nodes mate infinite
  stop                           end the search
  setoption name Hash value 64   set an option; uci lists them
  d, eval                        show the board; the parts of the evaluation
  explain, why [e2e4]            say why a move is bad, or what the best does
  go perft 5                     count the leaves of the legal move tree
  bench [file] [depth] [threads] [hash]
                                 measure the speed on a list of positions
  quit"""


def tunable_options() -> tuple[Option, ...]:
    """The search parameters as options, for SPSA tuners."""
    from engine.search.parameters import TUNABLES

    effect = ReadBy("engine.search")
    return tuple(Option(*tunable[:4], help="", effect=effect) for tunable in TUNABLES)


class Conversation:
    """Parses commands and passes them to the session."""

    def __init__(self, output: Output, session: Session, options: tuple[Option, ...] = OPTIONS) -> None:
        self._output = output
        self._session = session
        self._options = options

    def handle(self, line: str) -> bool:
        """Execute one line; False after ``quit``."""
        command, words = split_command(line)
        try:
            return self._handle(command, words, line)
        except (PositionError, OptionError) as error:
            self._refuse(str(error))
            return True

    def _handle(self, command: str, words: list[str], line: str) -> bool:
        session = self._session
        match command:
            case "uci":
                self._print_id()
                session.load_now()
            case "isready":
                session.is_ready()
            case "ucinewgame":
                session.new_game()
            case "position":
                session.set_position(words)
            case "go":
                go = parse_go(words)
                report = self._refuse if session.strict else session.info_string
                for fault in go.faults:
                    report(fault)
                if not (go.faults and session.strict):
                    session.go(go)
            case "stop":
                session.stop()
            case "ponderhit":
                session.ponderhit()
            case "setoption":
                session.set_option(*parse_setoption(text_after("setoption", line), self._options))
            case "debug":
                self._debug(words)
            case "register":
                session.info_string("Numbat is free and needs no registration")
            case "d":
                session.show_board()
            case "eval":
                session.show_evaluation()
            case "explain" | "why":
                session.explain(parse_explain(words))
            case "bench":
                session.bench(parse_bench(words))
            case "help":
                session.say(_HELP)
            case "quit":
                return False
            case _:
                if words:
                    self._refuse(f"unknown command: {' '.join(words)}")
        return True

    def _refuse(self, why: str) -> None:
        self._session.refused = True
        self._session.info_string(why)

    def _print_id(self) -> None:
        identity = f"id name Numbat {__version__}", "id author the Numbat developers"
        self._output.line("\n".join([*identity, *map(option_line, self._options), "uciok"]))

    def _debug(self, words: list[str]) -> None:
        if words not in (["on"], ["off"]):
            raise OptionError(f"debug takes on or off, not '{' '.join(words)}'")
        self._session.debug(words == ["on"])


def run(tune: bool = False, commands: Sequence[str] = ()) -> int:
    """Run the UCI loop until ``quit`` or the end of standard input, or run ``commands`` instead, each to its end.
    Returns the exit code: 2 if one of ``commands`` was refused, 130 for Ctrl-C during the compilation, otherwise 0."""
    output = Output()
    typed = at_terminal() and not commands
    if typed:
        output.line(f"Numbat {__version__}, a chess engine; type 'help' for the commands, 'quit' to leave")
    session = Session(output, strict=bool(commands))
    conversation = Conversation(output, session, OPTIONS + (tunable_options() if tune else ()))
    source = open_stdin()
    try:
        session.open()
    except (ThreadError, MemoryError) as error:
        output.info_string(str(error))
        return REFUSED
    given = commands or lines(source, lambda start: session.info_string(_TOO_LONG.format(MAX_LINE_BYTES, start)))
    try:
        quits = any(not conversation.handle(line) for line in given)
        # at a terminal quit ends everything immediately; a script gets its answers first
        ended = session.finish() if commands and not quits else session.close(immediately=typed)
        code = REFUSED if commands and session.refused else 0
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second Ctrl-C must not interrupt the shutdown
        from engine.commandline import INTERRUPTED, end_compiling

        code = 0
        if session.compiles():
            code = INTERRUPTED
            output.info_string("interrupted")
        end_compiling()  # of the engine, or of its tablebase prober
        ended = session.close(immediately=True)
    if not ended:
        os._exit(code)  # without waiting for a compiler or a search
    return code
