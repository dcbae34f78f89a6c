"""One running engine behind python-chess, with a stopwatch at its pipes.

python-chess implements UCI. A match also needs exact time: the clock starts when ``go`` is written and stops
when the bytes with the move arrive, so the runner's own work is not charged to the engine.
"""

import asyncio
import contextlib
import logging
import os
import re
import socket
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import chess
import chess.engine

from tuning.common import revisions
from tuning.common.errors import EngineFailure, SetupError
from tuning.matches.engines import EngineSpec

START_SECONDS = 35.0
"""Time limit for the answer to ``uci`` (as in cutechess)."""

READY_SECONDS = 150.0
"""Time limit for an engine to be ready after its options; engines that compile take long the first time."""

STOP_SECONDS = 5.0
"""Time limit for an engine to answer ``stop`` and a ping after its time is up, and to quit."""

SLACK_SECONDS = 0.25
"""Grace after the end of an engine's time, to distinguish a late move from no move."""

_TROUBLE = re.compile(r"\b(cannot|can't|unable|not(?! used)|no such|invalid|unknown|fail\w*|error)\b", re.IGNORECASE)
"""Words that make a remark about an option a complaint. Stockfish on Windows reports large pages "not used"."""

_SWITCHES = {"true": True, "1": True, "on": True, "yes": True, "false": False, "0": False, "off": False, "no": False}

logging.getLogger("chess.engine").addHandler(logging.NullHandler())
logging.getLogger("chess.engine").propagate = False


def ignore_failures_of_engines(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """A loop's exception handler that ignores failures of engines, which are in their answers."""
    if not isinstance(context.get("protocol"), _TimedUci):
        loop.default_exception_handler(context)


class _TimedUci(chess.engine.UciProtocol):
    """UCI that times ``go`` and the answer, and keeps the raw lines between them."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self.complaints: deque[str] = deque(maxlen=6)
        self.sent = self.arrived = self.answered = 0.0

    def send_line(self, line: str) -> None:
        if line == "go" or line.startswith("go "):
            self.lines = []
            self.answered = 0.0
            self.sent = perf_counter()
        pipe: Any = self.transport and self.transport.get_pipe_transport(0)
        if not pipe.is_closing():
            super().send_line(line)

    def pipe_data_received(self, fd: int, data: bytes | str) -> None:
        self.arrived = perf_counter()
        with contextlib.suppress(asyncio.InvalidStateError):  # an answer to what was cancelled meanwhile
            super().pipe_data_received(fd, data)

    def line_received(self, line: str) -> None:
        if line.startswith("bestmove"):
            if not self.answered:
                self.answered = self.arrived
        elif not self.answered:
            self.lines.append(line)

    def error_line_received(self, line: str) -> None:
        self.complaints.append(line)


@dataclass(slots=True)
class Answer:
    """The answer to one request. ``fault`` is ``None``, or why the game is lost: ``time`` (the engine responds),
    ``stall`` (it had to be killed), ``disconnect``, ``illegal``; ``detail`` says more."""

    move: chess.Move | None = None
    seconds: float = 0.0
    fault: str | None = None
    detail: str = ""
    lines: list[str] = field(default_factory=list)


class Player:
    """A running engine. Open one with :func:`open_player`; close a broken one and open another."""

    def __init__(self, spec: EngineSpec, protocol: Any) -> None:
        self.spec = spec
        self.protocol = protocol

    @property
    def alive(self) -> bool:
        return not self.protocol.returncode.done()

    @property
    def identity(self) -> str:
        """The engine's own name."""
        return str(self.protocol.id.get("name", self.spec.name))

    async def adopt(self, spec: EngineSpec) -> bool:
        """Become ``spec``, which may differ in name, limits and option values; False if that fails."""
        if spec.identity not in (None, self.identity):
            return False
        if spec.options != self.spec.options:
            try:
                async with asyncio.timeout(READY_SECONDS):
                    await _configure(spec, self.protocol)
            except (TimeoutError, chess.engine.EngineError):
                return False
        self.spec = spec
        return True

    async def ask(self, board: chess.Board, limit: chess.engine.Limit, allowance: float, game: str) -> Answer:
        """Ask for a move in ``board`` within ``allowance`` seconds of the engine's time. Its failures are in the
        answer; raises :class:`EngineFailure` for an unsupported request, such as Chess960."""
        protocol = self.protocol
        protocol.answered = protocol.sent = 0.0
        request = asyncio.ensure_future(protocol.play(board, limit, game=game))
        try:
            await self._watch(request, allowance)
            result = request.result()
        except asyncio.CancelledError:
            request.cancel()
            raise
        except TimeoutError:
            return await self._stop_late(request)
        except chess.engine.EngineTerminatedError:
            return Answer(fault="disconnect", detail=self._exit_report(), seconds=self._spent())
        except chess.engine.EngineError as error:
            if not protocol.sent:
                raise EngineFailure(self.spec.name, str(error)) from None
            return Answer(fault="illegal", detail=str(error), seconds=self._spent(), lines=protocol.lines)
        answer = Answer(result.move, self._spent(), lines=protocol.lines)
        if not result.move:
            said = "a null move" if result.move is not None else "no move"
            answer.move, answer.fault, answer.detail = None, "illegal", f"{said} in {board.fen()}"
        return answer

    async def _watch(self, request: asyncio.Future[Any], allowance: float) -> None:
        """Wait for the request until the engine's time, counted from ``go``, is up."""
        began = perf_counter()
        while not request.done():
            now = perf_counter()
            if self.protocol.sent:
                wait = self.protocol.sent + allowance + SLACK_SECONDS - now
            else:  # The engine is still getting ready for a new game.
                wait = min(began + READY_SECONDS - now, allowance + SLACK_SECONDS)
                wait = max(wait, 0.01) if now < began + READY_SECONDS else 0.0
            if wait <= 0:
                raise TimeoutError
            await asyncio.wait({request}, timeout=wait)

    async def _stop_late(self, request: asyncio.Future[Any]) -> Answer:
        """Stop an engine that is out of time, and see whether it is late or hangs."""
        seconds = self._spent()
        request.cancel()
        with contextlib.suppress(asyncio.CancelledError, chess.engine.EngineError):
            await request
        try:
            async with asyncio.timeout(STOP_SECONDS):
                await self.protocol.ping()
        except (TimeoutError, chess.engine.EngineError):
            await self.kill()
            return Answer(fault="stall", detail=f"no move after {seconds:.1f} s and no answer to stop", seconds=seconds)
        return Answer(fault="time", detail=f"no move after {seconds:.3f} s", seconds=self._spent())

    def _spent(self) -> float:
        start, end = self.protocol.sent, self.protocol.answered
        return max(0.0, (end or perf_counter()) - start) if start else 0.0

    def _exit_report(self) -> str:
        code = self.protocol.returncode.result() if self.protocol.returncode.done() else None
        words = " | ".join(self.protocol.complaints)
        return f"exit code {code}" + (f": {words}" if words else "")

    async def close(self) -> None:
        """Quit the engine, or kill it if it does not."""
        try:
            async with asyncio.timeout(STOP_SECONDS):
                await self.protocol.quit()
        except (TimeoutError, chess.engine.EngineError, OSError, RuntimeError):
            pass
        await self.kill()

    async def kill(self) -> None:
        """Kill the process, if it still runs, and close its pipes."""
        with contextlib.suppress(ProcessLookupError):
            self.protocol.transport.kill()
        try:
            async with asyncio.timeout(STOP_SECONDS):
                await asyncio.shield(self.protocol.returncode)
        except TimeoutError:
            pass
        finally:
            self.protocol.transport.close()
        await asyncio.sleep(0)


async def open_player(spec: EngineSpec) -> Player:
    """Start an engine, set its options and wait until it is ready. Raises :class:`EngineFailure` that names the engine
    and the failure, and :class:`SetupError` if its name is not the identity of the ``spec``."""
    environment: Mapping[str, str] = spec.environment
    directory = spec.directory
    if spec.revision is not None:
        home = await asyncio.to_thread(revisions.prepare, spec.revision)
        command = [*home.command, *spec.command]
        environment = {**home.environment, **environment}
        directory = str(home.tree)
    else:
        command = spec.resolved_command()
    try:
        # In its own process group, Ctrl-C ends the match, not the engine in the middle of a game.
        variables = {**os.environ, **environment}
        _, protocol = await _TimedUci.popen(command, setpgrp=True, cwd=directory, env=variables)
    except OSError as error:
        raise EngineFailure(spec.name, f"cannot start {command[0]}: {error.strerror or error}") from None
    player = Player(spec, protocol)
    stage, timeout = "answer `uci`", START_SECONDS
    try:
        async with asyncio.timeout(START_SECONDS):
            await protocol.initialize()
        stage, timeout = "get ready", READY_SECONDS
        async with asyncio.timeout(READY_SECONDS):
            await _configure(spec, protocol)
        if spec.identity not in (None, player.identity):
            raise SetupError(
                f"{spec.name} is {player.identity!r} on {socket.gethostname()}, and {spec.identity!r} elsewhere: "
                "install the same one everywhere"
            )
    except BaseException as error:
        await player.kill()
        match error:
            case TimeoutError():
                raise EngineFailure(spec.name, f"did not {stage} within {timeout:g} s") from None
            case chess.engine.EngineTerminatedError():
                raise EngineFailure(spec.name, f"died at start, {player._exit_report()}") from None
            case chess.engine.EngineError() | ValueError() if not isinstance(error, SetupError):
                raise EngineFailure(spec.name, str(error)) from None
        raise
    return player


async def _configure(spec: EngineSpec, protocol: Any) -> None:
    """Set the options and wait until the engine is ready.

    UCI has no answer to ``setoption``: an engine that cannot use a value may print a complaint, and keeps the previous
    value. That would be a different match, so a complaint raises ``chess.engine.EngineError``."""
    protocol.lines, protocol.answered = [], 0.0
    sent = _options(spec, protocol)
    await protocol.configure(sent)
    await protocol.ping()
    if complaint := complaint_about(sent, protocol.lines):
        raise chess.engine.EngineError(complaint)


def complaint_about(options: Mapping[str, Any], lines: Sequence[str]) -> str | None:
    """An engine's complaint about one of its ``options``, found by name or a value of four characters or more."""
    for line in lines:
        _, found, remark = line.partition("info string ")
        if not found or not _TROUBLE.search(remark):
            continue
        for name, value in options.items():
            text = str(value)
            if re.search(rf"\b{re.escape(name)}\b", remark, re.IGNORECASE) or (len(text) > 3 and text in remark):
                return remark
    return None


def _options(spec: EngineSpec, protocol: Any) -> dict[str, Any]:
    """The options to send, spelled and parsed as the engine's: its own and the shared ones that it has. Raises
    ``chess.engine.EngineError`` for an invalid value."""
    known = {option.name.lower(): option for option in protocol.options.values()}
    words = {
        name: value
        for name, value in spec.shared_options.items()
        if name.lower() in known and not known[name.lower()].is_managed()
    }
    sent: dict[str, Any] = {}
    for name, value in {**words, **spec.options}.items():
        option = known.get(name.lower())
        if option is None:
            sent[name] = value  # python-chess refuses it
        elif option.type != "check":
            sent[option.name] = option.parse(value)
        elif value.lower() in _SWITCHES:
            sent[option.name] = _SWITCHES[value.lower()]
        else:
            raise chess.engine.EngineError(f"option {option.name} is true or false, not {value!r}")
    return sent
