"""Measures how often ``explain`` is right about positions without tactics, with Stockfish 15 as the judge.

``python -m tuning.benchmarks.outlooks --judge stockfish --seed 1 --count 300`` takes positions of human games from the
public data. Where no theme is found, Numbat says how its best move compares with the next best, who is better, and each
side's advantages (:mod:`engine.explanation.assessment`). A search of ``--deep`` nodes by the judge must agree on the
first two within :data:`~tuning.benchmarks.explanations.SLACK`; an advantage must agree with the judge's own terms,
which Stockfish up to 15.1 prints for ``eval``. Material is not checked, as it can be counted.
"""

import argparse
import re
import subprocess
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

import chess
from chess.engine import Limit, SimpleEngine

from engine import Analysis, Engine
from engine.api.explaining import over, threat
from engine.explanation import merit_of
from engine.explanation.assessment import features, outlook
from engine.explanation.english import sentence
from engine.explanation.line import Line
from engine.explanation.verdicts import CLEAR, EDGE, WINNING, expectation
from tuning.benchmarks.explanations import DATA, SLACK, questions

#: The judge's terms for the advantages.
_NAMES = {"Pawns": "structure", "Mobility": "mobility", "King safety": "pressure", "Passed": "passed"}

#: The pieces' shares in the game phase, as in the engine's own evaluations.
_PHASE = {chess.KNIGHT: 1, chess.BISHOP: 1, chess.ROOK: 2, chess.QUEEN: 4}


class Terms:
    """The terms of the judge's classical evaluation."""

    def __init__(self, program: str) -> None:
        self._process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def of(self, board: chess.Board) -> dict[str, float]:
        """In pawns from White's view, at the position's phase; nothing for a check, which it does not evaluate."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        if board.is_check():
            return {}
        self._process.stdin.write(f"position fen {board.fen()}\neval\n")
        self._process.stdin.flush()
        phase = min(
            24, sum(worth * len(board.pieces(kind, color)) for kind, worth in _PHASE.items() for color in chess.COLORS)
        )
        found = {}
        for line in self._process.stdout:
            row = re.match(r"\|\s*(\w[\w ]*?) \|.*\|\s*(-?\d+\.\d+)\s+(-?\d+\.\d+) \|$", line.strip())
            if row and row[1] in _NAMES:
                found[_NAMES[row[1]]] = (float(row[2]) * phase + float(row[3]) * (24 - phase)) / 24
            if line.startswith("Final"):
                break
        return found

    def close(self) -> None:
        """End the judge."""
        self._process.communicate("quit\n")


class ClaimTally:
    """Counts what is said, and what of that is true, by kind."""

    def __init__(self, judge: SimpleEngine, terms: Terms, deep: int) -> None:
        self._judge, self._terms, self._deep = judge, terms, Limit(nodes=deep)
        self.said, self.true = Counter[str](), Counter[str]()

    def _points(self, board: chess.Board, moves: list[chess.Move] | None = None) -> float:
        info = self._judge.analyse(board, self._deep, game=object(), root_moves=moves)
        return expectation(info["score"].white(), board.fullmove_number)

    def check(self, board: chess.Board, lines: list[Analysis]) -> list[str]:
        """What is doubtful of the sentence on ``lines``."""
        line = Line.of(board, lines[0].pv)
        said = outlook(line, lines[0].score, (lines[1].pv[0], lines[1].score) if len(lines) > 1 else None)
        best, played = self._points(board), self._points(board, [line.moves[0]])
        sign = 1 if board.turn else -1
        found = {"standing": _stands(said.level, best)}
        if said.choice != "only":
            found["best"] = sign * (best - played) <= 2 * SLACK
        if said.choice == "hardly":
            found["hardly"] = sign * (played - self._points(board, [lines[1].pv[0]])) <= SLACK
        if said.choice == "clearly":
            others = [move for move in board.legal_moves if move != line.moves[0]]
            found["clearly"] = sign * (played - self._points(board, others)) >= SLACK
        terms = self._terms.of(board)
        for feature in features(line) if terms else []:
            found[feature.aspect] = (terms[feature.aspect] > 0) is feature.color
        self.said.update(found.keys())
        self.true.update(kind for kind, true in found.items() if true)
        return [kind for kind, true in found.items() if not true] + [sentence(said)]


def _stands(said: int, points: float) -> bool:
    """Whether the level that was ``said`` is true of White's ``points``, within the slack; a side that is winning
    is also better."""
    if said == 0:
        return abs(points - 0.5) <= EDGE - 0.5 + SLACK
    return (points if said > 0 else 1 - points) >= (EDGE, CLEAR, WINNING)[abs(said) - 1] - SLACK


def main() -> None:
    """Print what is doubtful, then the counts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=300, help="number of sentences")
    parser.add_argument("--nodes", type=int, default=50_000, help="nodes of each search for a sentence")
    parser.add_argument("--deep", type=int, default=300_000, help="nodes of each search that checks one")
    parser.add_argument("--judge", metavar="PROGRAM", required=True, help="Stockfish, up to 15.1")
    parser.add_argument("--data", type=Path, default=DATA)
    chosen = parser.parse_args()
    positions, sentences, with_facts = 0, 0, 0
    with ExitStack() as stack:
        engine = stack.enter_context(Engine(hash=64))
        judge = stack.enter_context(SimpleEngine.popen_uci(chosen.judge))
        terms = Terms(chosen.judge)
        stack.callback(terms.close)
        counts = ClaimTally(judge, terms, chosen.deep)
        for question in questions(chosen.data, chosen.seed, chosen.count, "position"):
            board = question.board()
            if sentences == chosen.count:
                break
            if over(board):
                continue
            positions += 1
            lines = _lines(engine, board, Limit(nodes=chosen.nodes))
            if not lines:
                continue
            sentences += 1
            *doubts, text = counts.check(board, lines)
            with_facts += text.count(".") > 1 or "although" in text
            mark = f"DOUBT {', '.join(doubts)}" if doubts else "ok"
            print(f"{sentences:3} of {positions} {text}  [{mark}] {board.fen()}", flush=True)
    print(f"\n{positions} positions, {sentences} sentences, {with_facts} with what speaks for a side")
    print(f"{counts.true.total()} of {counts.said.total()} claims borne out")
    print(", ".join(f"{kind} {counts.true[kind]}/{count}" for kind, count in counts.said.most_common()))


def _lines(engine: Engine, board: chess.Board, limit: Limit) -> list[Analysis]:
    """The two best lines; none where a theme says more."""
    engine.new_game()
    lines = engine.analyse(board, limit, multipv=2)
    best = lines[0]
    assert best.move is not None
    merit = merit_of(board, best.pv, best.score)
    merit = merit or merit_of(
        board, best.pv, best.score, threat(board, best.move, lambda each: engine.analyse(each, limit))
    )
    return [] if merit else lines


if __name__ == "__main__":
    main()
