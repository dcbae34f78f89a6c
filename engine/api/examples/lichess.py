"""A lichess-bot engine that explains the opponent's mistakes in the chat, once the game is over.

Copy this file to ``homemade.py`` in the folder of lichess-bot. In ``config.yml`` set ``protocol: "homemade"`` and
``name: "Numbat"``, and rename ``uci_options`` to ``homemade_options``.
"""

import textwrap
from typing import Any

from lib.engine_wrapper import UCIEngine

NUMBAT = "numbat"  # or its full path
MAX_EXPLANATIONS = 5  # a game
MAX_CHAT_CHARACTERS = 140  # a message, on lichess.org


class Numbat(UCIEngine):  # type: ignore[misc]  # lichess-bot is no dependency
    """Numbat with the option ``Explain``."""

    def __init__(self, commands: Any, options: Any, *arguments: Any, **more: Any) -> None:
        super().__init__([NUMBAT], {**options, "Explain": True}, *arguments, **more)

    def play_move(self, board: Any, game: Any, li: Any, *arguments: Any, **more: Any) -> None:
        """Play, and keep the connection to lichess.org for the chat."""
        self.li = li
        super().play_move(board, game, li, *arguments, **more)

    def send_game_result(self, game: Any, board: Any) -> None:
        """End the game with the first explanations in the chat."""
        super().send_game_result(game, board)
        strings = [info.get("string", "") for info in self.move_commentary]
        mistakes = [text for text in strings if "?" in text.partition(" ")[0]]  # such as "3.Na3?? Loses ..."
        for sentence in mistakes[:MAX_EXPLANATIONS]:
            for part in textwrap.wrap(sentence, MAX_CHAT_CHARACTERS):
                self.li.chat(game.id, "player", part)
