"""A game against a search in the terminal."""

from collections.abc import Callable
from typing import Any

from engine.console import read_line
from engine.lab.games import Exhibit, LabError
from engine.messages import counted
from engine.reading import MoveError
from engine.textbook import MAX, player

HELP = "Type a move, or: hint, undo, help, quit."


def play(
    exhibit: Exhibit,
    *,
    human: int = MAX,
    seconds: float = 2.0,
    ask: Callable[[str], str | None] = read_line,
    tell: Callable[[str], object] = print,
) -> None:
    """Play one game between ``human`` (``MAX`` moves first) and the textbook player, which takes ``seconds`` per
    move. Ends with the game, at ``quit`` or at the end of the input."""
    game, history = exhibit.game, [exhibit.game.initial()]

    tell(f"{exhibit.title}: you are {exhibit.players[human != MAX]}. {HELP}")
    shown = None
    while not game.is_terminal(state := history[-1]):
        if game.to_move(state) != human:
            action, judgement = _textbook(exhibit, state, seconds)
            tell(f"{exhibit.player(state)} plays {exhibit.write(state, action)} {judgement}")
            history.append(game.result(state, action))
            continue
        if state is not shown:  # show it again after an empty line, but not after a hint or a typing error
            tell(f"\n{exhibit.show(state)}")
        shown = state
        try:
            word = (ask(f"{exhibit.player(state)}> ") or "").strip()
        except EOFError:
            return
        match word.lower():
            case "":
                shown = None
            case "quit":
                return
            case "help":
                tell(f"{HELP} Legal: {' '.join(exhibit.write(state, action) for action in game.actions(state))}")
            case "hint":
                action, judgement = _textbook(exhibit, state, seconds)
                tell(f"try {exhibit.write(state, action)} {judgement}")
            case "undo" if len(history) > 2:
                del history[-2:]
            case "undo":
                tell("you have no move to take back")
            case _:
                try:
                    history.append(game.result(state, exhibit.read(state, word)))
                except (LabError, MoveError) as error:
                    tell(str(error))
    tell(f"\n{exhibit.show(state)}\n{exhibit.result(state)}")


def _textbook(exhibit: Exhibit, state: Any, seconds: float) -> tuple[Any, str]:
    outcome = player(exhibit.game, state, seconds=seconds)
    assert outcome.move is not None, "called only while the game goes on"
    how = "proven" if outcome.exact else "estimated"
    return outcome.move, f"({outcome.value:+g} for {exhibit.players[0]}, {how}; {counted(outcome.nodes, 'node')})"
