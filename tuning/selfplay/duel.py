"""Games between two sides that differ in evaluation or search parameters, each played by one call of compiled code.

Each side has its own worker (network, parameters and histories) and transposition table; all are cleared between games.
A game depends on its opening, the rules and the two sides only.
"""

import argparse
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.board.fen import set_fen
from engine.board.notation import play_moves
from engine.board.setup import new_position
from engine.jit import TICKS_PER_SECOND, new_record
from engine.messages import OptionError
from engine.play import wdl
from engine.search.scores import MAX_PLY
from tuning.common.errors import SetupError
from tuning.matches.adjudication import Adjudication
from tuning.matches.flags import adjudication_from
from tuning.matches.openings import Opening
from tuning.selfplay.loop import ENDS, GAME, MAX_GAME_PLIES, play_game
from tuning.selfplay.sides import Side, clock_of, nodes_of, parameters_of, parse_clock


@dataclass(frozen=True, slots=True)
class DuelRules:
    """How games are played: nodes for a move, megabytes of each side's table, and when games are decided early.

    Without ``hard`` a search is aborted at ``nodes`` nodes, as by ``go nodes``. With it, the iteration that exceeds
    ``nodes`` is finished, up to ``hard`` nodes. With ``clock`` (nodes for the game and increment per move) the engine's
    time management distributes the nodes."""

    nodes: int = 8_000
    hard: int | None = None
    hash: int = 16
    clock: tuple[int, int] | None = None
    adjudication: Adjudication = field(default_factory=Adjudication)


def rules_from(arguments: argparse.Namespace) -> DuelRules:
    """The rules on the command line. Raises :class:`SetupError` or :class:`OptionError` for invalid ones."""
    if arguments.clock is not None and arguments.hard is not None:
        raise SetupError("--hard has no effect with --clock")
    clock = None if arguments.clock is None else parse_clock(arguments.clock)
    return DuelRules(arguments.nodes, arguments.hard, arguments.hash, clock, adjudication_from(arguments))


@dataclass(frozen=True, slots=True)
class DuelGame:
    """One game: half points of White, why it ended, moves as the engine encodes them with the mover's scores, and nodes
    of White and Black. Only the ``seconds`` of both differ between runs."""

    result: int
    reason: str
    moves: tuple[int, ...]
    scores: tuple[int, ...]
    nodes: tuple[int, int]
    seconds: tuple[float, float] = field(default=(0.0, 0.0), compare=False)


def min_internal_score(centipawns: int) -> int:
    """The smallest score of the search that is shown as ``centipawns`` or more, the unit of adjudication."""
    score = max(int(centipawns * wdl.MODEL.pawn / 100) - 2, 0)
    while wdl.MODEL.normalize(score) < centipawns:
        score += 1
    return score


class Duel:
    """Two sides that play games in the calling thread. The clock is only read to measure the speed of each side.

    ``first`` and ``second`` are EvalType, EvalFile, nodes and search parameters by name; rules and engine have the
    defaults. Raises :class:`engine.messages.OptionError` for an unknown option or an invalid value."""

    def __init__(self, rules: DuelRules, first: Mapping[str, str], second: Mapping[str, str]) -> None:
        self._options = first, second
        self._sides = Side(first, rules.hash), Side(second, rules.hash)
        self._nodes = [nodes_of(side, rules.nodes) for side in (first, second)]
        self._hard = [rules.hard or nodes for nodes in self._nodes]
        if any(hard < nodes for hard, nodes in zip(self._hard, self._nodes, strict=True)):
            raise OptionError(f"nodes {max(self._nodes)} are more than the {rules.hard} that no search may exceed")
        self._clocks = [clock_of(side, rules.clock) for side in (first, second)]
        if (self._clocks[0] is None) != (self._clocks[1] is None):
            raise OptionError("one side has a clock and the other has none")
        self._position = new_position()
        self.game: Any = new_record(GAME)
        wanted = rules.adjudication
        values = {
            "depth": MAX_PLY - 1,
            "win_moves": (wanted.resign_moves, wanted.resign_moves),
            "win_score": min_internal_score(wanted.resign_score),
            "win_both": wanted.resign_both,
            "draw_plies": 2 * wanted.draw_moves,
            "draw_score": min_internal_score(wanted.draw_score + 1) - 1,
            "draw_from": wanted.draw_from,
            "max_plies": MAX_GAME_PLIES,
            "max_moves": wanted.max_moves,
        }
        for name, value in values.items():
            self.game["rules"][name] = value

    def set_parameters(self, side: int, values: Mapping[str, int]) -> None:
        """Set search parameters of ``side`` (0 or 1), in addition to its own, from the next game on. Raises
        :class:`engine.messages.OptionError` for an unknown one or a value out of its range."""
        parameters = parameters_of(self._options[side])
        for name, value in values.items():
            parameters.set(name, value)
        self._sides[side].worker.set_parameters(parameters)

    def play(self, opening: Opening, white: int) -> DuelGame:
        """Play one game with side ``white`` (0 or 1) as White.

        Call it by :func:`engine.search.threads.run_on_deep_stack`. Raises
        :class:`engine.messages.PositionError` for an opening that is not legal."""
        set_fen(self._position, opening.fen, opening.chess960)
        play_moves(self._position, opening.moves)
        for side in self._sides:
            side.prepare(self._position)
        game = self.game
        game["rules"]["nodes"] = self._nodes[white], self._nodes[1 - white]
        clocks = [self._clocks[number] or (0, 0) for number in (white, 1 - white)]
        game["rules"]["clock"] = clocks[0][0], clocks[1][0]
        game["rules"]["increment"] = clocks[0][1], clocks[1][1]
        game["rules"]["hard"] = self._hard[white], self._hard[1 - white]
        play_game(self._sides[white].worker.record, self._sides[1 - white].worker.record, game)
        count = int(game["count"])
        return DuelGame(
            int(game["result"]),
            ENDS[int(game["end"])],
            tuple(game["moves"][:count].tolist()),
            tuple(game["scores"][:count].tolist()),
            (int(game["nodes"][0]), int(game["nodes"][1])),
            (float(game["ticks"][0]) / TICKS_PER_SECOND, float(game["ticks"][1]) / TICKS_PER_SECOND),
        )

    def play_pair(self, opening: Opening) -> tuple[DuelGame, DuelGame]:
        """Two games from ``opening``: in the first one the first side has White."""
        return self.play(opening, 0), self.play(opening, 1)
