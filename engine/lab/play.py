"""A game against a search in the terminal."""

from __future__ import annotations

from collections.abc import Callable

from engine.lab.games import Exhibit, LabError
from engine.textbook import MAX, Outcome, iterative_deepening

HELP = "Type a move, or: hint, undo, help, quit."


def play(
    exhibit: Exhibit,
    *,
    human: int = MAX,
    seconds: float = 2.0,
    ask: Callable[[str], str] = input,
    tell: Callable[[str], object] = print,
) -> None:
    """Play one game, the human being ``human`` (``MAX`` begins); the search thinks ``seconds`` a move. Ends with
    the game, at ``quit`` or at the end of the input."""
    game, history = exhibit.game, [exhibit.game.initial()]

    def think() -> Outcome:
        return iterative_deepening(game, history[-1], seconds=seconds)

    tell(f"{exhibit.title}: you are {exhibit.players[human != MAX]}. {HELP}")
    while not game.is_terminal(state := history[-1]):
        if game.to_move(state) != human:
            outcome = think()
            tell(f"{exhibit.player(state)} plays {exhibit.spell(outcome.move)} {_judged(outcome)}")
            history.append(game.result(state, outcome.move))
            continue
        tell(f"\n{exhibit.show(state)}")
        try:
            word = ask(f"{exhibit.player(state)}> ").strip()
        except EOFError:
            return
        match word.lower():
            case "":
                continue
            case "quit":
                return
            case "help":
                tell(f"{HELP} Legal: {' '.join(exhibit.spell(action) for action in game.actions(state))}")
            case "hint":
                outcome = think()
                tell(f"try {exhibit.spell(outcome.move)} {_judged(outcome)}")
            case "undo" if len(history) > 2:
                del history[-2:]
            case "undo":
                tell("there is no move of yours to take back")
            case _:
                try:
                    history.append(game.result(state, exhibit.read(state, word)))
                except LabError as error:
                    tell(str(error))
    tell(f"\n{exhibit.show(state)}\n{_result(exhibit, state)}")


def _judged(outcome: Outcome) -> str:
    how = "proven" if outcome.exact else "estimated"
    return f"({outcome.value:+g} for the first player, {how}; {outcome.nodes:,} nodes)"


def _result(exhibit: Exhibit, state: object) -> str:
    value = exhibit.game.utility(state)
    if value == 0:
        return "A draw."
    return f"{exhibit.players[0 if value > 0 else 1]} wins."
