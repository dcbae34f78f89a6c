"""The soak's judge notices what it is there for, and its shrinking finds what matters."""

import sys

import pytest

from engine.evaluation.choice import choose
from engine.evaluation.evaluator import KINDS
from tests.board.oracle import position_from
from tuning.benchmarks.soak.__main__ import main
from tuning.benchmarks.soak.judge import Fault, Meaning, ProtocolJudge
from tuning.benchmarks.soak.script import Author, Files, ScriptStep, read_script, write_script
from tuning.benchmarks.soak.shrink import shrink, tail
from tuning.benchmarks.soak.talk import talk

chess = pytest.importorskip("chess")

SEARCH: Meaning = {"is": "go", "waits for": [], "endless": False}
INFINITE: Meaning = {"is": "go", "waits for": ["stop"], "endless": False}
PONDER: Meaning = {"is": "go", "waits for": ["stop", "ponderhit"], "endless": False}
START: Meaning = {"is": "position", "fen": None, "moves": []}
BAD: Meaning = {"is": "remark", "token": "zz1zz", "early": True}

MOP_UP = "8/8/8/4k3/8/8/8/R3K3 w - - 0 1"

Talk = list[Meaning | str]


def judged(conversation: Talk) -> ProtocolJudge:
    """What a judge makes of a conversation: of meanings, which are said, and answers."""
    judge = ProtocolJudge()
    for item in conversation:
        if isinstance(item, str):
            judge.hear(item)
        else:
            judge.say(item["is"], item)
    return judge


def said(*words: str) -> Talk:
    return [{"is": word} for word in words]


PERFT: Meaning = {"is": "perft", "depth": 1}
CASTLES = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
CASTLING: Meaning = {"is": "position", "fen": CASTLES, "moves": []}
CHESS960: Meaning = {"is": "option", "name": "UCI_Chess960", "value": "true"}
COUNTS = [f"{move.uci()}: 1" for move in chess.Board().legal_moves]
TIME = "1 ms, 20000 nodes per second"
HELP = ["Numbat speaks UCI.", "  go movetime 1000    search", "  quit"]
FEN = f"Fen: {chess.STARTING_FEN}"

FINE: dict[str, Talk] = {
    "a search": [SEARCH, "info depth 1 multipv 1 score cp 3 pv e2e4 e7e5", "bestmove e2e4 ponder e7e5"],
    "after a move": [{**START, "moves": ["e2e4"]}, SEARCH, "bestmove e7e5"],
    "readyok during a search": [SEARCH, *said("isready"), "readyok", "bestmove e2e4"],
    "readyok after it": [INFINITE, *said("stop", "isready"), "bestmove e2e4", "readyok"],
    "ponderhit": [PONDER, *said("ponderhit"), "bestmove e2e4"],
    "one stop for two": [INFINITE, INFINITE, *said("stop"), "bestmove e2e4", "bestmove e2e4"],
    "quit": [INFINITE, *said("quit", "d"), "bestmove e2e4"],
    "perft": [PERFT, *COUNTS, "", "Nodes searched: 20", "", TIME],
    "a perft that is stopped": [PERFT, *said("stop"), "a2a3: 1", "info string go perft stopped"],
    "help during a search": [SEARCH, *said("help"), *HELP, "bestmove e2e4"],
    "an explanation": [*said("explain"), "The best move is e4. It takes the centre."],
    "castling": [CASTLING, SEARCH, "bestmove e1g1"],
    "the board": [*said("d"), "", "  +---+", FEN, "Key: 0123456789ABCDEF", "Checkers: ", "Legal moves: 20"],
    "a bad line": [BAD, "info string unknown command: zz1zz"],
    "uci": [*said("uci"), "id name Numbat", "option name Hash", "uciok"],
}


@pytest.mark.parametrize("name", FINE)
def test_valid_conversations_pass(name):
    judge = judged(FINE[name])
    assert not judge.due
    assert not judge.uci_due
    assert not judge.endless


FAULTS: dict[str, tuple[str, Talk]] = {
    "an illegal move": ("illegal move", [SEARCH, "bestmove e2e5"]),
    "an illegal line": ("illegal PV", [SEARCH, "info depth 1 pv e2e4 e2e4"]),
    "an illegal reply": ("illegal ponder move", [SEARCH, "bestmove e2e4 ponder e2e4"]),
    "no move where there are some": ("no move", [SEARCH, "bestmove 0000"]),
    "two moves": ("search out of order", [SEARCH, "bestmove e2e4", "bestmove e2e4"]),
    "a report after the move": ("search out of order", [SEARCH, "bestmove e2e4", "info depth 1 score cp 0"]),
    "a move not asked for": ("another move than asked for", [{**SEARCH, "moves": ["a2a3"]}, "bestmove e2e4"]),
    "a move not reported": ("another move than reported", [SEARCH, "info depth 1 pv d2d4", "bestmove e2e4"]),
    "too many lines": ("too many lines", [SEARCH, "info depth 1 multipv 2 pv e2e4"]),
    "broken numbers": ("broken report", [SEARCH, "info depth 1 nodes -3 pv e2e4"]),
    "before stop": ("answer before stop", [INFINITE, "bestmove e2e4"]),
    "before ponderhit": ("answer before stop", [PONDER, "bestmove e2e4"]),
    "readyok for nothing": ("readyok out of order", ["readyok"]),
    "readyok before a stopped search": ("readyok out of order", [INFINITE, *said("stop", "isready"), "readyok"]),
    "a remark too soon": ("remark out of order", [*said("d"), BAD, "info string zz1zz"]),
    "a remark about a file too soon": ("remark out of order", [SEARCH, {**BAD, "early": False}, "info string zz1zz"]),
    "chatter": ("unexpected line", ["hello"]),
    "after quit": ("readyok out of order", [*said("quit", "isready"), "readyok"]),
    "castling": ("castling written in the wrong way", [CASTLING, SEARCH, "bestmove e1h1"]),
    "the wrong board": ("another position", [CASTLING, *said("d"), FEN]),
    "an impossible board": (
        "a position that cannot be",
        [{"is": "unknown position"}, *said("d"), "Fen: 8/8/8/8/8/8/8/8 w - - 0 1"],
    ),
    "the wrong number of moves": ("wrong number of legal moves", [*said("d"), FEN, "Legal moves: 21"]),
    "a wrong perft": ("wrong count", [PERFT, *COUNTS[1:], "Nodes searched: 19", TIME]),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults_are_detected(name):
    kind, conversation = FAULTS[name]
    with pytest.raises(Fault) as caught:
        judged(conversation)
    assert caught.value.kind == kind


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fen", [chess.STARTING_FEN, MOP_UP])
def test_every_table_of_an_evaluation_is_an_answer(kind, fen):
    table = choose(kind, "").table(position_from(fen)).splitlines()
    assert not judged([*said("eval"), *table]).due
    with pytest.raises(Fault, match="unexpected line"):
        judged([*said("eval"), *table[:-1], "info: Traceback | 1"])


def test_a_script_is_made_from_its_seed_and_kept_in_a_file(tmp_path):
    first, again, other = (list(Author(seed, Files()).steps(500)) for seed in (1, 1, 2))
    assert first == again
    assert first != other
    assert 500 <= sum(len(step.lines) for step in first) < 600
    write_script(tmp_path / "script.jsonl", first)
    kept = read_script(tmp_path / "script.jsonl")
    assert [step.to_json() for step in kept] == [step.to_json() for step in first]


def test_shrinking_finds_what_is_needed():
    tried = []

    def fails(items):
        tried.append(len(items))
        return {17, 80} <= set(items)

    assert shrink(range(100), fails, lambda: False) == [17, 80]
    assert len(tried) < 150
    assert tail(range(1000), lambda items: 990 in items and 970 in items) == list(range(968, 1000))
    assert tail(range(100), lambda items: 0 in items) == list(range(100))
    assert shrink(range(100), fails, lambda: True) == list(range(100))


#: An engine that plays the same move everywhere.
STUBBORN = """
import sys, time
for line in sys.stdin:
    word = line.split()[0]
    if word == "isready": print("readyok", flush=True)
    if word == "go": print("bestmove e2e4", flush=True)
    if word == "die": sys.exit(3)
    if word == "shout": print("loud", file=sys.stderr, flush=True)
    if word == "hang": time.sleep(60)
    if word == "quit": break
"""


@pytest.mark.parametrize(
    ("line", "meaning", "kind"),
    [
        ("position startpos moves e2e4", {**START, "moves": ["e2e4"]}, "illegal move"),
        ("die", {"is": "nothing"}, "the process ended"),
        ("shout", {"is": "nothing"}, "standard error"),
        ("hang", {"is": "nothing"}, "silence"),
        ("position startpos", START, None),
    ],
)
def test_broken_engines_are_detected(line, meaning, kind):
    steps = [ScriptStep([(line, meaning), ("go depth 1", SEARCH)]), ScriptStep(settle=True)]
    patience = 1.0 if kind == "silence" else 60.0
    outcome = talk(steps, patience=patience, command=(sys.executable, "-u", "-c", STUBBORN))
    assert (outcome.fault.kind if outcome.fault else None) == kind


@pytest.mark.slow
def test_a_short_soak_is_clean(tmp_path):
    assert main(["--seed", "3", "--lines", "2000", "--out", str(tmp_path / "failed.jsonl")]) == 0
