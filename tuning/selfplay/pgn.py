"""Games of the arena as PGN."""

import chess
import chess.pgn

from engine.board.notation import to_uci
from engine.play import wdl
from engine.printing import escaped
from engine.reading.games import Exporter
from engine.search.scores import to_message
from tuning.matches.openings import Opening
from tuning.selfplay.duel import DuelGame

_RESULTS = ("0-1", "1/2-1/2", "1-0")


def pgn_of(game: DuelGame, pair: int, white: int, names: tuple[str, str], opening: Opening) -> str:
    """The game in which side ``white`` has White; the mover's score (``+0.35/0``) follows each move."""
    players = names if white == 0 else names[::-1]
    made = chess.pgn.Game.without_tag_roster()
    tags = {"Event": "arena", "Site": "?", "Date": "????.??.??", "Round": f"{pair + 1}.{white + 1}",
            "White": players[0], "Black": players[1], "Result": _RESULTS[game.result]}  # fmt: skip
    made.headers.update({name: escaped(value, keep="") for name, value in tags.items()})
    if opening.fen != chess.STARTING_FEN or opening.chess960:
        made.setup(chess.Board(opening.fen, chess960=opening.chess960))
    made.headers["PlyCount"] = str(len(opening.moves) + len(game.moves))
    node: chess.pgn.GameNode = made
    for uci in opening.moves:
        node = node.add_variation(node.board().parse_uci(uci))
    board = node.board()
    for code, score in zip(game.moves, game.scores, strict=True):
        move = board.parse_uci(to_uci(code, opening.chess960))
        board.push(move)
        node = node.add_variation(move, comment=f"{_score_text(score)}/0")
    node.comment = ", ".join(part for part in (node.comment, game.reason) if part)
    exporter = Exporter(columns=100, headers=True, comments=True, variations=False)
    return str(made.accept(exporter)) + "\n\n"


def _score_text(score: int) -> str:
    """``+0.35`` pawns, or ``+M3``."""
    if (mate := to_message(score).mate) is not None:
        return f"{'+' if mate > 0 else '-'}M{abs(mate)}"
    return f"{wdl.MODEL.normalize(score) / 100:+.2f}"
