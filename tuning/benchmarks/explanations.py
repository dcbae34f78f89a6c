"""Measures how often explanations of moves are true, by checking a seeded sample with a longer search.

``python -m tuning.benchmarks.explanations --seed 1 --count 300`` takes positions from public data: half are mistakes
from human games, a quarter mistakes before puzzles, made by taking a move back, and a quarter puzzles, where the best
move is explained. Searches of ``--nodes`` nodes yield the explanation. A search of ``--deep`` nodes then checks its
claims: that the move is bad, that the mate exists and is no longer, that the move wins the material (six tenths of
three pawns or more suffice, since something else may be given up on the way), that the term is worse. Themes are
compared with the puzzles' tags. A verdict such as "Black is winning" must be that of the longer search within
:data:`SLACK`; :mod:`tuning.benchmarks.claims` defines the claim of each kind of sentence.

``--source game`` takes only mistakes from human games, the hardest of the three; ``--source before`` only those before
puzzles with a theme; ``--source position`` the best move in any position of human games. ``--source GAMES.pgn``
annotates those games and counts the marks that have a theme: a reason that is more than the scores. Only the themes are
checked then. ``--judge stockfish`` checks with another engine, so that Numbat does not confirm its own errors.

Failures are printed with their position. For claims that cannot be checked automatically, such as a theme without a
tag, ``--out FILE`` keeps everything for a reader, one position or game a line; a second run continues that file.
"""

import argparse
import gzip
import itertools
import json
import os
import random
import re
import shlex
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import chess
import chess.pgn
from chess.engine import Limit, SimpleEngine

from engine import Engine
from engine.analysis.annotate import Annotator
from engine.analysis.files import read_games
from engine.api.explaining import case_of, over, threat
from engine.api.types import Analysis
from engine.explanation import Case, Claim, merit_of, reason_of, sentence
from engine.explanation.claims import ByTables, Compared, Material, Mating, Opposition, Shift, Threat
from engine.explanation.evaluation_terms import CHECKED_PLIES, losses
from engine.explanation.line import Line
from engine.explanation.mistakes import AT_ONCE_PLIES, MIN_LOST_POINTS
from engine.explanation.verdicts import expectation
from tuning.benchmarks.claims import compares, said_cost

#: The public data, as for the tests.
DATA = Path(os.environ.get("NUMBAT_DATA") or Path(__file__).resolve().parents[3] / "shared" / "data")

#: Minimum plies of a line of the longer search, including its first move.
WHOLE = 8

#: One in this many positions of games is taken; the seed chooses which.
_EACH = 37

#: Expected points by which a verdict may be off, because verdicts change abruptly at their limits.
SLACK = 0.05

#: Centipawns up to which a score confirms a draw.
DRAWN = 50

#: Themes, and the puzzle tags that confirm them.
TAGS = {
    "fork": {"fork"},
    "hanging": {"hangingPiece"},
    "pin": {"pin"},
    "skewer": {"skewer"},
    "discoveredAttack": {"discoveredAttack"},
    "doubleCheck": {"doubleCheck"},
    "trapped": {"trappedPiece"},
    "removedDefender": {"capturingDefender"},
    "overloaded": {"deflection", "overloading"},
    "promotion": {"promotion", "advancedPawn"},
    "backRankMate": {"backRankMate"},
    "smotheredMate": {"smotheredMate"},
    **{f"mateIn{moves}": {f"mateIn{moves}"} for moves in range(1, 6)},
}


@dataclass
class Question:
    """A position with the move to explain, empty for the best move. ``previous`` is ``FEN;MOVE``: the position before
    it and the move that led here, if known."""

    source: str
    fen: str
    move: str = ""
    tags: str = ""
    previous: str = ""

    def board(self) -> chess.Board:
        """The position, with the move that led to it where that is known."""
        if not self.previous:
            return chess.Board(self.fen)
        fen, move = self.previous.split(";")
        board = chess.Board(fen)
        board.push_uci(move)
        return board


def from_games(
    data: Path, chance: random.Random, count: int, source: str = "game", offset: int = 0
) -> Iterator[Question]:
    """Moves of human games that lost at least 10 points of 100 by the evaluations in the file; for another ``source``,
    any positions of these games at the ``offset`` in the file."""
    found: list[Question] = []
    before: list[tuple[str, int]] = []
    start = chance.randrange(800_000)
    with gzip.open(data / "positions" / "lichess2400_evals.tsv.gz", "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            if number < start or (number // 20_000 + start) % 3:
                continue
            fen, score, _, ply, _ = line.split("\t")
            now = f"{fen} {int(ply) // 2 + 1}", int(score)
            if len(before) > 1:
                chosen = _falls(before[-1], now) if source == "game" else number % _EACH == offset
                boards = [chess.Board(each) for each, _ in (*before, now)] if chosen else []
                if chosen and (move := _between(*boards[1:])) and (first := _between(*boards[:2])):
                    previous = f"{boards[0].fen()};{first.uci()}"
                    question = Question(source, boards[1].fen(), move.uci(), previous=previous)
                    found.append(replace(question, move="") if source == "position" else question)
            before = [*before[-1:], now]
            if len(found) >= 4 * count:
                break
    chance.shuffle(found)
    yield from found[:count]


def _falls(before: tuple[str, int], now: tuple[str, int]) -> bool:
    """Whether a move lost at least 10 points of 100, by the scores of the positions around it."""
    white = " w " in before[0]
    had, has = (points(score if white else -score) for _, score in (before, now))
    return had - has >= 0.1


def points(centipawns: int) -> float:
    """The expected points of a score in the data, which is cut at 30,000."""
    from chess.engine import Cp

    return expectation(Cp(centipawns), 32)


def _between(before: chess.Board, after: chess.Board) -> chess.Move | None:
    """The move that leads from one board to the next."""
    if before.turn == after.turn:
        return None
    for move in before.legal_moves:
        if after.piece_type_at(move.to_square) and not after.piece_type_at(move.from_square):
            before.push(move)
            same = before.board_fen() == after.board_fen()
            before.pop()
            if same:
                return move
    return None


def puzzles(data: Path) -> list[Question]:
    """All puzzles of the file, with their tags."""
    found = []
    for line in (data / "suites" / "lichess_puzzles_5k.epd").read_text(encoding="utf-8").splitlines():
        fen = " ".join(line.split()[:4])
        tags = re.search(r'c2 "([^"]*)"', line)
        found.append(Question("puzzle", f"{fen} 0 30", tags=tags[1] if tags else ""))
    return found


def taken_back(question: Question, chance: random.Random) -> Question | None:
    """The position before the puzzle, by a move of a piece (no pawn, no capture) that can have led to it."""
    board = question.board()
    loser = not board.turn
    steps = []
    for square in chess.SquareSet(board.occupied_co[loser] & ~board.pawns):
        for origin in board.attacks(square) & ~chess.SquareSet(board.occupied):
            before = board.copy(stack=False)
            before.ep_square = None
            before.set_piece_at(origin, before.remove_piece_at(square))
            before.turn = loser
            move = chess.Move(origin, square)
            if before.is_valid() and before.is_legal(move) and not before.is_check():
                steps.append(Question("before puzzle", before.fen(), move.uci(), question.tags))
    return chance.choice(steps) if steps else None


def questions(data: Path, seed: int, count: int, source: str = "all") -> list[Question]:
    """The sample: half game mistakes, a quarter each mistakes before puzzles and puzzles; or one of these alone."""
    chance = random.Random(seed)
    if source in ("game", "position"):
        return list(from_games(data, chance, 5 * count, source, seed % _EACH))
    pool = [question for question in puzzles(data) if source == "all" or _tagged(question.tags)]
    chance.shuffle(pool)
    if source == "before":
        return list(itertools.islice(filter(None, (taken_back(question, chance) for question in pool)), count))
    quarter = count // 4
    before = [step for question in pool[quarter:] if (step := taken_back(question, chance))][: 3 * quarter]
    chosen = [*from_games(data, chance, 2 * count), *before, *pool[:quarter]]
    chance.shuffle(chosen)
    return chosen


def _tagged(tags: str) -> bool:
    """Whether a theme of ours has one of a puzzle's ``tags``."""
    return not set(tags.split()).isdisjoint(set[str]().union(*TAGS.values()))


@dataclass
class Found:
    """A sentence, and what the longer search says of it: an empty ``doubt`` where it stands."""

    sample: Question  # its name in the file of results
    theme: str
    text: str
    doubt: str
    agrees: bool | None
    line: str
    deep: str


class Checker:
    """Makes sentences with one engine and checks them with it, or with the ``judge``."""

    def __init__(self, engine: Engine, nodes: int, deep: int, judge: SimpleEngine | None = None) -> None:
        self._engine, self._judge = engine, judge
        self._nodes, self._deep = Limit(nodes=nodes), Limit(nodes=deep)

    def look(self, board: chess.Board, deep: bool = False, root_moves: list[chess.Move] | None = None) -> Analysis:
        """A search with a clear table, of all moves or only some."""
        if ended := over(board):
            return ended
        if deep and self._judge:
            info = self._judge.analyse(board, self._deep, game=object(), root_moves=root_moves)
            return Analysis(info["score"], pv=tuple(info["pv"]))
        self._engine.new_game()
        return self._engine.analyse(board, self._deep if deep else self._nodes, root_moves=root_moves)

    def annotated(self, game: chess.pgn.Game) -> list[Found]:
        """The sentences at the bad marks of ``game``, the mark being the source; only themes are checked."""
        noted: dict[int, Case] = {}

        def note(case: Case) -> None:
            noted[case.board.ply()] = case

        record, found = Annotator(self._engine, self._nodes, explain=note).annotate(game), []
        for before, after in itertools.pairwise(record.judged()):
            if after.grade.bad and after.move:
                case = noted[before.board.ply()]
                question = Question(after.grade.glyph, case.board.fen(), after.move.uci())
                found += [said] if (said := self._mistake(question, case, only_themes=True)) else []
        return found

    def check(self, question: Question) -> Found | None:
        """The sentence for ``question`` and what is to be thought of it; None where nothing is said."""
        board = question.board()
        if question.move:
            return self._mistake(question, case_of(board, chess.Move.from_uci(question.move), self.look))
        best = self.look(board)
        assert best.move is not None
        claim = merit_of(board, best.pv, best.score)
        claim = claim or merit_of(board, best.pv, best.score, threat(board, best.move, self.look))
        return _found(question, claim, *self._doubt_merit(board, claim, best.move)) if claim else None

    def _mistake(self, question: Question, case: Case, only_themes: bool = False) -> Found | None:
        """The sentence for the move of ``case``, checked unless it names no theme and only themes are to be."""
        claim = reason_of(case)
        if claim is None:
            return None
        if not only_themes:
            return _found(question, claim, *self._doubt_mistake(case.board, case.move, claim, case.other_line[0]))
        line, doubt = claim.line, ""
        if kind_of(claim.theme) == "theme" and line.turns():  # there are none after stalemate
            doubt = self._doubt_line(case.board, claim, Analysis(case.other_score), line.turns().start)
        return _found(question, claim, doubt, "")

    def _doubt_mistake(self, board: chess.Board, move: chess.Move, claim: Claim, better: chess.Move) -> tuple[str, str]:
        best, played = self.look(board, True, [better]), self.look(board, True, [move])
        had, has = (expectation(line.score.pov(board.turn), board.fullmove_number) for line in (best, played))
        deep = f"{best.score.relative} {board.variation_san(best.pv[:9])} | "
        deep += f"{played.score.relative} {board.variation_san(played.pv[:9])}"
        standing = claim.standing if isinstance(claim, Compared) else None
        if standing and standing.kind not in ("decided", "lost") and (said := said_cost(standing)):
            drop = _centipawns(best) - _centipawns(played)
            if not said[0] <= drop <= said[1]:
                return f"the move costs {drop} centipawns", deep
        elif (standing is None or standing.kind not in ("either", "worse")) and had - has < MIN_LOST_POINTS / 2:
            return f"the move costs only {had - has:.2f} points", deep
        line = claim.line
        if standing and len(line) > 1:
            answered = self.look(line.boards[2], True)
            has = expectation(answered.score.pov(board.turn), board.fullmove_number)
            deep += f" | {answered.score.relative} after {line.san(1)}"
        if standing and not compares(standing.kind, standing.had, standing.has, had, has, SLACK):
            return f"{had:.2f} and {has:.2f} expected points", deep
        if isinstance(claim, Compared) and claim.shift:
            return self._doubt_terms(board, claim.shift, best, played), deep
        if standing or isinstance(claim, (ByTables, Opposition)):
            return "", deep
        if line.winner == board.turn:
            return self._doubt_line(board, claim, best, 0), deep
        return self._doubt_line(board, claim, played, 1), deep

    def _doubt_terms(self, board: chess.Board, shift: Shift, best: Analysis, played: Analysis) -> str:
        """Whether the lines of the longer search lose no material either, and what is named gets worse in them too."""
        lines = [self._extended(board, list(found.pv), board.turn) for found in (played, best)]
        fallen = min(lines[0].gains[1 : AT_ONCE_PLIES + 1])
        if fallen < 0:
            return f"{-fallen} is lost at once"
        length = min(CHECKED_PLIES, *(len(line) for line in lines))
        worse = losses(lines[0].settled[length], lines[1].settled[length], board.turn)
        loss = worse.get((shift.aspect, shift.own), 0)
        return "" if loss > 0 else f"what is named gets better by {-loss}"

    def _doubt_merit(self, board: chess.Board, claim: Claim, move: chess.Move) -> tuple[str, str]:
        best, other = self.look(board, True, [move]), self.look(board, True)
        had, has = (expectation(line.score.relative, board.fullmove_number) for line in (other, best))
        deep = f"{best.score.relative} {board.variation_san(best.pv[:9])}"
        if had - has > 0.1:
            return f"{board.san(move)} is not the best move", deep
        if isinstance(claim, Threat) or (isinstance(claim, Mating) and claim.verb == "mated"):
            return "", deep
        return self._doubt_line(board, claim, best, 0), deep

    def _doubt_line(self, board: chess.Board, claim: Claim, found: Analysis, start: int) -> str:
        """Whether the move at ``start`` of the claim's line leads to what is claimed, by a search of it alone."""
        line = claim.line
        if line.moves[start] not in found.pv[start : start + 1]:
            found = self.look(line.boards[start], True, [line.moves[start]])
            shown = self._extended(board, [*line.moves[:start], *found.pv], line.winner)
        else:
            shown = self._extended(board, list(found.pv), line.winner)
        score = found.score.pov(line.winner)
        if isinstance(claim, Mating):
            mate = score.mate()
            return "" if mate is not None and 0 < mate <= claim.moves else f"no mate in {claim.moves}: {score}"
        if score.mate() is not None and (score.mate() or 0) > 0:
            return ""
        if not isinstance(claim, Material):
            return "" if abs(score.score(mate_score=10_000)) <= DRAWN else f"no draw: {score}"
        least = round(0.6 * line.gain) if line.gain >= 3 else line.gain
        doubt = f"wins {shown.gain} instead of {line.gain}: {board.variation_san(shown.moves)}"
        return "" if shown.gain >= least else doubt

    def _extended(self, board: chess.Board, moves: list[chess.Move], winner: chess.Color) -> Line:
        """The line of ``moves``, with more searches until it is long enough to show what comes of it."""
        line = Line.of(board, moves, winner)
        while len(line) < WHOLE and not line.last.is_game_over():
            line = Line.of(board, [*line.moves, *self.look(line.last, deep=self._judge is not None).pv], winner)
        return line


def _found(question: Question, claim: Claim, doubt: str, deep: str) -> Found:
    tags = set(question.tags.split())
    agrees = bool(tags & TAGS[claim.theme]) if claim.theme in TAGS and tags else None
    shown = claim.line.boards[0].variation_san(claim.line.moves) if claim.line.moves else ""
    return Found(question, claim.theme, sentence(claim), doubt, agrees, shown, deep)


def _centipawns(found: Analysis) -> int:
    """The score for the side to move."""
    return found.score.relative.score(mate_score=10_000)


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=300, help="number of sentences")
    parser.add_argument("--nodes", type=int, default=50_000, help="nodes of each search for a sentence")
    parser.add_argument("--deep", type=int, default=500_000, help="nodes of each search that checks one")
    parser.add_argument(
        "--source", default="all", metavar="all|game|before|position|GAMES.pgn", help="source of the positions"
    )
    parser.add_argument("--judge", metavar="PROGRAM", help="UCI engine for the checks (default: Numbat)")
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--out", type=Path, help="file for the results, continued if it exists")
    return parser.parse_args()


def main() -> None:
    """Print the sentences in doubt, then the counts."""
    chosen = parse()
    kept = chosen.out.read_text().splitlines() if chosen.out and chosen.out.exists() else []
    said = [entry for line in kept for entry in json.loads(line)]
    with ExitStack() as stack:
        engine = stack.enter_context(Engine(hash=64))
        judge = stack.enter_context(SimpleEngine.popen_uci(shlex.split(chosen.judge))) if chosen.judge else None
        if judge:
            judge.configure({"Hash": 64})
        checker = Checker(engine, chosen.nodes, chosen.deep, judge)
        asked = len(kept)
        for look in looks(checker, chosen)[asked:]:
            if len(said) >= chosen.count and not chosen.source.endswith(".pgn"):
                break
            found, asked = [asdict(each) for each in look()], asked + 1
            for entry in found:
                mark = f"DOUBT {entry['doubt']}" if entry["doubt"] else "ok"
                print(f"{asked} {entry['theme']}: {entry['text']}  [{mark}]", flush=True)
            said += found
            if chosen.out:
                with chosen.out.open("a") as stream:
                    stream.write(json.dumps(found) + "\n")
    report(said, asked)


def looks(checker: Checker, chosen: argparse.Namespace) -> list[Callable[[], list[Found]]]:
    """What is to be done for each game, or each position of a sample."""
    if chosen.source.endswith(".pgn"):
        return [partial(checker.annotated, game) for game in read_games(Path(chosen.source))]
    cases = questions(chosen.data, chosen.seed, chosen.count, chosen.source)
    return [partial(lambda case: [found] if (found := checker.check(case)) else [], case) for case in cases]


def report(said: list[dict[str, Any]], asked: int) -> None:
    """The counts: of all, by theme and by source; of marks, how many have a theme."""
    for glyph in ("??", "?", "?!"):
        if marks := [entry for entry in said if entry["sample"]["source"] == glyph]:
            themes = [entry for entry in marks if kind_of(entry["theme"]) == "theme"]
            true = sum(not entry["doubt"] for entry in themes)
            print(f"{glyph}: {len(themes)} of {len(marks)} have a theme, {true} of {len(themes)} are borne out")
    sound = [entry for entry in said if not entry["doubt"]]
    tagged = [entry for entry in said if entry["agrees"] is not None]
    agree = sum(entry["agrees"] for entry in tagged)
    share = 100 * len(sound) / max(1, len(said))
    print(f"\n{asked} looks, {len(said)} sentences, {len(sound)} borne out ({share:.1f}%)")
    print(f"themes that the puzzle's tags name too: {agree} of {len(tagged)}")
    if before := [entry for entry in said if entry["sample"]["source"] == "before puzzle"]:
        named = sum(bool(entry["agrees"]) for entry in before)
        print(f"mistakes before puzzles whose theme is named: {named} of {len(before)}")
    for name, key in (
        ("kind", lambda entry: kind_of(entry["theme"])),
        ("theme", lambda entry: entry["theme"]),
        ("source", lambda entry: entry["sample"]["source"]),
    ):
        names, good = Counter(map(key, said)), Counter(map(key, sound))
        print(f"{name}: " + ", ".join(f"{each} {good[each]}/{count}" for each, count in names.most_common()))


def kind_of(theme: str) -> str:
    """What a sentence rests on: a tactical theme, the result, a term of the evaluation, or the two scores alone."""
    kinds = {"verdict": "result", "positional": "term", "comparison": "scores"}
    return kinds.get(theme, "theme")


if __name__ == "__main__":
    main()
