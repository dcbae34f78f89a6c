"""Positions scored by another UCI engine, with other errors than this one.

Scores of the engine's own searches favour the network that made them. The distance to Stockfish's scores of strong
games ranked seven of eight networks in the same order as matches did.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

import chess
import chess.engine
import numpy as np

from engine.board.fen import to_fen
from engine.board.setup import new_position
from engine.search.scores import MATE
from tuning.common.errors import EngineFailure, SetupError
from tuning.data.dataset import NO_VERDICT
from tuning.data.marlinformat import unpack
from tuning.matches.engines import EngineSpec, parse_words
from tuning.matches.info import Thought, last_scored
from tuning.matches.limits import Limits
from tuning.matches.player import Player
from tuning.matches.tournament import single_threaded
from tuning.matches.units import bench

#: Seconds after which an engine counts as hanging.
STALL_SECONDS = 300.0


class Outsider:
    """Another engine, given by ``words`` (see :func:`tuning.matches.engines.parse_words`), with ``nodes`` per position
    and one thread. Every position is a new game, so a score does not depend on earlier positions.

    Raises :class:`SetupError` for invalid words.
    """

    def __init__(self, words: Sequence[str], nodes: int) -> None:
        spec = parse_words(words)
        if spec.protocol != "uci":
            raise SetupError(f"engine {spec.name}: only the UCI protocol gives scores that can be learned from")
        if spec.limits != Limits():
            raise SetupError(f"engine {spec.name}: --nodes is the limit, no other can be set")
        self._spec: EngineSpec = single_threaded(EngineSpec.from_json({**spec.to_json(), "limits": {"nodes": nodes}}))
        self._numbers = count(1)

    def label(self, boards: np.ndarray, chosen: np.ndarray) -> int:
        """Set the scores of the ``chosen`` among ``boards``, PACKED, White's view; return the nodes searched.

        Raises :class:`EngineFailure` if the engine fails.
        """
        return bench().run(self._label(boards, np.flatnonzero(chosen)))

    async def _label(self, boards: np.ndarray, places: np.ndarray) -> int:
        position, visited = new_position(), 0
        async with bench().player(self._spec) as player:
            for place in places.tolist():
                if unpack(position, boards[place]) == 0:
                    continue
                board = chess.Board(to_fen(position), chess960=bool(position["chess960"]))
                if not any(board.legal_moves):
                    continue
                thought = await self._think(player, board)
                visited += thought.nodes
                score = score_of(thought)
                boards["score"][place] = score if board.turn == chess.WHITE else -score
        return visited

    async def _think(self, player: Player, board: chess.Board) -> Thought:
        limit = chess.engine.Limit(nodes=self._spec.limits.nodes)
        answer = await player.ask(board, limit, STALL_SECONDS, f"position {next(self._numbers)}")
        thought = last_scored(player.thoughts(answer.lines))
        if answer.fault is not None or thought is None:
            raise EngineFailure(self._spec.name, f"{board.fen()}: {answer.detail or 'no score'}")
        return thought


def score_of(thought: Thought) -> int:
    """The score as this engine stores it, for the side to move; centipawns stay below mates."""
    if thought.mate is not None:
        return MATE - abs(thought.mate) if thought.mate > 0 else abs(thought.mate) - MATE
    return max(min(thought.cp or 0, NO_VERDICT - 1), 1 - NO_VERDICT)
