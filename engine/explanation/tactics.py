"""How the winner of a line wins material: the gain, its price, and the theme.

Explanations of mistakes, of missed moves and of good moves all use it."""

from dataclasses import dataclass
from functools import cached_property

import chess
from chess.engine import Score

from engine.explanation.claims import Finding, Gain
from engine.explanation.line import PROOF_PLIES, Line
from engine.explanation.material import balance, winnable
from engine.explanation.material_won import gain_of
from engine.explanation.themes import findings
from engine.play.captures import Captures, value

#: Centipawns that the winner's score must show for each pawn of its material lead, up to that number of pawns: with
#: less the loser has compensation.
_LEAD_CP_PER_PAWN, MAX_COUNTED_PAWNS = 60, 5

#: Plies within which the move that brings about a gain must come, and a pawn may promote after a quiet move.
_MAX_THEME_DELAY_PLIES, _MAX_PROMOTION_DELAY_PLIES = 4, 2

MIN_PAWN_PROOF_PLIES = 3  # plies that a line must show to prove the gain of a pawn

#: Plies that a sentence quotes where no theme is found: in general, if every move of the winner is a check or a
#: capture, and for a small gain.
_MAX_QUOTED_PLIES, _MAX_FORCED_PLIES, _MAX_SMALL_GAIN_PLIES = 5, 9, 3

_MIN_GIVEN_UP_PAWNS = 4  # pawns given up by a capture that is not made without another reason
_MIN_THEME_SHARE = 0.6  # part of a gain that its theme brings at least; the rest may be won on the way
_SACRIFICED_PAWNS = 2  # pawns that a sacrifice gives


@dataclass(frozen=True)
class Win:
    """The material that the winner of ``line`` wins, if the winner's ``score`` at the end confirms it."""

    line: Line
    score: Score

    @cached_property
    def proof(self) -> Line:
        """The beginning of the line that shows the gain. Later losses count, unless the score still shows the lead:
        then the winner only chose the simplest way."""
        whole = self.line.certain_prefix
        soon = self.line.prefix(self.line.turns().start + PROOF_PLIES).certain_prefix
        proof = soon if soon.gain > whole.gain + 1 and self._shown_by_score(soon) else whole
        first = self.line.first_gain
        if first.gain < 1 or self._finding(proof):
            return proof
        return first if (found := self._finding(first)) and found.theme != "line" else proof

    @property
    def pawns(self) -> int:
        """The pawns won; 0 or less if the line does not prove a gain, or returns to one of its positions."""
        gain = self.proof.gain
        needed = 1 if gain > 1 else MIN_PAWN_PROOF_PLIES
        proved = len(self.line) - self.line.turns().start >= needed and not self.line.returns
        return gain if proved else min(gain, 0)

    @property
    def shown(self) -> bool:
        """Whether the score shows the material lead after the gain."""
        return self._shown_by_score(self.proof)

    def _shown_by_score(self, line: Line) -> bool:
        lead = balance(line.boards[0], line.winner) + line.gain
        return self.score.score(mate_score=10_000) >= _LEAD_CP_PER_PAWN * min(lead, MAX_COUNTED_PAWNS)

    @cached_property
    def gain(self) -> Gain | None:
        """The gain, less the losses that remain at the end of the whole line."""
        return gain_of(self.proof, self.line) if self.pawns > 0 and self.line.turns() else None

    @cached_property
    def finding(self) -> Finding | None:
        """The theme by which the gain is won; the moves alone if no theme begins soon, and only the first if they are
        too many to be forced; None if the loser would not play them, or they do not show the gain."""
        return self._finding(self.proof) if self.gain else None

    def _finding(self, line: Line) -> Finding | None:
        gain = gain_of(line, self.line) if line.turns() else None
        return (self._theme(line, gain) or self._moves(line, gain)) if gain else None

    def _theme(self, line: Line, gain: Gain) -> Finding | None:
        start, promotes = line.turns().start, gain.kind == "promotion"
        for finding in findings(line):
            if promotes != (finding.theme == "promotion") or not (promotes or _is_part(line, finding, gain)):
                continue
            delay = finding.ply - start
            begins = _is_forced(line, start, finding.ply, offers=not promotes) or (
                finding.form == "now" and delay <= _MAX_PROMOTION_DELAY_PLIES
            )
            near = begins and delay <= _MAX_THEME_DELAY_PLIES and finding.ply < line.quoted_plies
            least = max(1, min(line.gain - 1, _MIN_THEME_SHARE * line.gain))
            if near and line.gains[finding.payoff_ply + 1] >= least:
                return finding
        return None

    def _moves(self, line: Line, gain: Gain) -> Finding | None:
        start, end = line.turns().start, max(line.quoted_plies, line.turns().start + 1)
        end -= (end - start + 1) % 2
        forced = _is_forced(line, start, end)
        small = line.gain < 2 or {kind for kind, _ in gain.won} == {chess.PAWN}
        most = _MAX_FORCED_PLIES if forced else _MAX_SMALL_GAIN_PLIES if small else _MAX_QUOTED_PLIES
        long = end - start > most
        promotes, shown = gain.kind == "promotion", self._shown_by_score(line)
        if long and (promotes or not shown):
            return None
        if promotes and not any(line.moves[ply].promotion for ply in line.turns()):
            return None
        explains = shown and not promotes and balance(line.boards[0], line.winner) <= 0
        if _is_given_up(line, start, end) and not explains:
            return None
        if small and (long or not _is_forced(line, start, start + 1, offers=False)):
            return None  # the loser often has another answer to a quiet threat to win a pawn
        if small and line.gains[start + 1] <= -_SACRIFICED_PAWNS:
            return None  # and to a sacrifice
        last = start if long else end - 1
        return Finding("line", start, last) if _shows(line, start, end, gain) else None


def _shows(line: Line, start: int, end: int, gain: Gain) -> bool:
    """Whether the winner's moves from ``start`` up to ``end`` capture what the sentence says is won."""
    if gain.kind in ("promotion", "minor"):
        return True
    taken = [line.captured(ply) for ply in range(start, end, 2)]
    return all(taken.count(kind) >= count for kind, count in gain.won)


def _is_given_up(line: Line, start: int, end: int) -> bool:
    """Whether the gain of ``line`` depends on a capture with which the loser gives up far more than it takes, by a
    piece that was not lost anyway: the loser would not play it."""
    return any(
        line.gains[ply] < line.gain
        and not line.boards[ply].is_check()
        and line.boards[ply].is_capture(line.moves[ply])
        and Captures(line.boards[ply]).exchange(line.moves[ply]) <= -_MIN_GIVEN_UP_PAWNS
        and not winnable(line.boards[ply], line.moves[ply].from_square)
        for ply in range(start + 1, end, 2)
    )


def _is_forced(line: Line, start: int, end: int, offers: bool = True) -> bool:
    """Whether each of the winner's moves from ``start`` up to ``end`` is a check, a capture or, if ``offers`` count, an
    offer that is accepted immediately."""
    return all(
        line.boards[ply].gives_check(line.moves[ply])
        or line.boards[ply].is_capture(line.moves[ply])
        or (offers and ply + 1 < len(line) and _is_answered(line, ply))
        for ply in range(start, end, 2)
    )


def _is_answered(line: Line, ply: int) -> bool:
    """Whether the reply to the move at ``ply`` takes the moved piece, or moves one that it would have lost to it."""
    board, square, reply = line.boards[ply + 1], line.moves[ply].to_square, line.moves[ply + 1]
    return reply.to_square == square or (
        reply.from_square in board.attacks(square) and winnable(board, reply.from_square) > 1
    )


def _is_part(line: Line, finding: Finding, gain: Gain) -> bool:
    """Whether the theme's capture is the larger part of the ``gain``, and the moves up to it capture the main piece
    named: the line may fork a pawn after winning a queen, and a hanging queen may be exchanged later."""
    kind = line.captured(finding.payoff_ply)
    if finding.theme == "hanging":
        return kind is not None and gain.includes(kind)
    taken = [line.captured(ply) for ply in range(line.turns().start, finding.payoff_ply + 1, 2)]
    named = gain.kind in ("exchange", "minor") or gain.won[0][0] in taken
    return kind is None or (named and 2 * value(kind) >= line.gain)
