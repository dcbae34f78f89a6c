"""A game against a search in the terminal."""

from collections.abc import Callable
from typing import Any

from engine.console import read_line
from engine.lab.games import Demo, LabError
from engine.messages import counted
from engine.reading import MoveError
from engine.textbook import MAX, Solution, player

HELP = "Type a move, or: hint, why, why MOVE, undo, help, quit."


def play(
    demo: Demo,
    *,
    human: int = MAX,
    seconds: float = 2.0,
    ask: Callable[[str], str | None] = read_line,
    tell: Callable[[str], object] = print,
) -> None:
    """Play one game between ``human`` (``MAX`` moves first) and the textbook player, which takes ``seconds`` per
    move. Ends with the game, at ``quit`` or at the end of the input."""
    game, history = demo.game, [demo.game.initial()]

    tell(f"{demo.title}: you are {demo.players[human != MAX]}. {HELP}")
    shown = None
    while not game.is_terminal(state := history[-1]):
        if game.to_move(state) != human:
            action, judgement = _textbook(demo, state, seconds)
            tell(f"{demo.player(state)} plays {demo.write(state, action)} {judgement}")
            history.append(game.result(state, action))
            continue
        if state is not shown:  # show it again after an empty line, but not after a hint or a typing error
            tell(f"\n{demo.show(state)}")
        shown = state
        try:
            word = (ask(f"{demo.player(state)}> ") or "").strip()
        except EOFError:
            return
        match word.lower().split(maxsplit=1):
            case []:
                shown = None
            case ["quit"]:
                return
            case ["help"]:
                tell(f"{HELP} Legal: {' '.join(demo.write(state, action) for action in game.actions(state))}")
            case ["hint"]:
                action, judgement = _textbook(demo, state, seconds)
                tell(f"try {demo.write(state, action)} {judgement}")
            case ["why" | "explain", *_]:
                try:
                    tell(_reason(demo, state, word.split()[1:], seconds))
                except (LabError, MoveError) as error:
                    tell(str(error))
            case ["undo"] if len(history) > 2:
                del history[-2:]
            case ["undo"]:
                tell("you have no move to take back")
            case _:
                try:
                    history.append(game.result(state, demo.read(state, word)))
                except (LabError, MoveError) as error:
                    tell(str(error))
    tell(f"\n{demo.show(state)}\n{demo.result(state)}")


def _textbook(demo: Demo, state: Any, seconds: float) -> tuple[Any, str]:
    outcome = player(demo.game, state, seconds=seconds)
    assert outcome.move is not None, "called only while the game goes on"
    return outcome.move, f"({_value(demo, outcome)}; {counted(outcome.nodes, 'node')})"


def _reason(demo: Demo, state: Any, words: list[str], seconds: float) -> str:
    """The line that the textbook player expects after its best move and, if ``words`` name a move, after that one."""
    best = player(demo.game, state, seconds=seconds)
    sentence = f"best is {' '.join(demo.write_line(best.line, state))} ({_value(demo, best)})"
    if not words:
        return sentence
    action = demo.read(state, " ".join(words))
    reply = player(demo.game, demo.game.result(state, action), seconds=seconds)
    line = " ".join(demo.write_line((action, *reply.line), state))
    return f"{line} ({_value(demo, reply)}); {sentence}"


def _value(demo: Demo, outcome: Solution[Any]) -> str:
    return f"{outcome.value:+g} for {demo.players[0]}, {'proven' if outcome.exact else 'estimated'}"
