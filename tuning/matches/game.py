"""One game between two running engines, from the opening to the result."""

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass, field
from datetime import datetime

import chess
import chess.syzygy

from tuning.matches.adjudication import Adjudication, Referee, won
from tuning.matches.info import InfoLine, last_scored, parse_scored
from tuning.matches.limits import Clock, engine_limit
from tuning.matches.openings import Opening
from tuning.matches.player import Answer, Player
from tuning.matches.pvcheck import PvChecker, position_key
from tuning.matches.records import GameRecord, MoveRecord

PV_CHECKS = ("all", "last", "off")


@dataclass(frozen=True, slots=True)
class Conditions:
    """Conditions of all games of a match. ``stall``: seconds after which a search without a clock counts as hanging."""

    adjudication: Adjudication = field(default_factory=Adjudication)
    pv_check: str = "all"
    stall: float = 120.0


async def play_game(
    players: dict[chess.Color, Player],
    opening: Opening,
    conditions: Conditions,
    pair: int = 0,
    index: int = 0,
    tablebase: chess.syzygy.Tablebase | None = None,
) -> GameRecord:
    """Play one game to its end; the record also covers engines that fail.

    Principal variations are checked after the last move, when no clock runs."""
    board = opening.board()
    started = datetime.now().isoformat(timespec="seconds")
    game = f"{pair}.{index} {started} {id(board)}"
    clocks = {side: Clock(player.spec.limits) for side, player in players.items()}
    referee = Referee(conditions.adjudication, tablebase)
    seen: Counter[Hashable] = Counter(_history_keys(board))
    moves: list[MoveRecord] = []
    output: list[list[str]] = []
    fault = culprit = None
    detail = ""
    while True:
        if ending := _rules_end(board, seen) or referee.verdict(board):
            result, reason = ending
            break
        side = board.turn
        player, clock = players[side], clocks[side]
        limit = engine_limit(clock, clocks[not side], side, game)
        answer = await player.ask(board, limit, clock.allowance(conditions.stall), game)
        output.append(answer.lines)
        fault = answer.fault
        left = clock.limits.movetime if clock.left is None else clock.left
        if fault in (None, "illegal") and not clock.spend(answer.seconds):
            fault, detail = "time", f"took {answer.seconds:.3f} s ({answer.seconds - (left or 0):.3f} s too many)"
        if fault is not None:
            detail = detail or answer.detail
            culprit = player.spec.name
            result, reason = _forfeit(side, fault)
            break
        thought = last_scored(parse_scored(answer.lines[-8:]))  # usually enough
        if thought is None or thought.bound:
            thought = last_scored(parse_scored(answer.lines))
        moves.append(_record(board, answer, thought, clock))
        referee.note(side, thought.value if thought else None)
        assert answer.move is not None  # or there is a fault
        board.push(answer.move)
        seen[position_key(board)] += 1
    record = GameRecord(
        pair, index, players[chess.WHITE].spec.name, players[chess.BLACK].spec.name, opening, result, reason,
        fault, culprit, detail, moves, started=started,
    )  # fmt: skip
    if conditions.pv_check != "off":
        _check_lines(record, output, all_lines=conditions.pv_check == "all")
    return record


def _record(board: chess.Board, answer: Answer, thought: InfoLine | None, clock: Clock) -> MoveRecord:
    assert answer.move is not None
    left = None if clock.left is None else round(clock.left, 3)
    thought = thought or InfoLine()
    score = thought.score_text if thought.scored else None
    return MoveRecord(board.uci(answer.move), score, thought.depth, round(answer.seconds, 4), thought.nodes, left)


def _history_keys(board: chess.Board) -> list[Hashable]:
    """The positions of the opening, for the repetition rule."""
    replay = board.root()
    keys = [position_key(replay)]
    for move in board.move_stack:
        replay.push(move)
        keys.append(position_key(replay))
    return keys


def _rules_end(board: chess.Board, seen: Counter[Hashable]) -> tuple[str, str] | None:
    """The end of the game by the rules; claimable draws are claimed."""
    if not any(board.legal_moves):
        if board.is_check():
            return won(not board.turn, "mates")
        return "1/2-1/2", "Draw by stalemate"
    if board.is_insufficient_material():
        return "1/2-1/2", "Draw by insufficient mating material"
    if board.halfmove_clock >= 100:
        return "1/2-1/2", "Draw by fifty moves rule"
    if board.halfmove_clock >= 4 and seen[position_key(board)] >= 3:
        return "1/2-1/2", "Draw by 3-fold repetition"
    return None


def _forfeit(side: chess.Color, fault: str) -> tuple[str, str]:
    how = {"time": "loses on time", "stall": "stalls", "illegal": "makes an illegal move", "disconnect": "disconnects"}
    return won(not side, "")[0], f"{chess.COLOR_NAMES[side].capitalize()} {how[fault]}"


def _check_lines(record: GameRecord, output: list[list[str]], all_lines: bool) -> None:
    """Replay the game and check the lines of each search."""
    checker = PvChecker()
    board = record.opening.board()
    seen: Counter[Hashable] = Counter(_history_keys(board))
    for number, lines in enumerate(output):
        thoughts = parse_scored(lines)
        checker.check(board, seen, thoughts if all_lines else thoughts[-1:])
        if number < len(record.moves):
            board.push_uci(record.moves[number].move)
            seen[position_key(board)] += 1
    record.pv_lines = (checker.lines[chess.WHITE], checker.lines[chess.BLACK])
    record.pv_faults = (dict(checker.faults[chess.WHITE]), dict(checker.faults[chess.BLACK]))
    record.pv_examples = checker.examples
