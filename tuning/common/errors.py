"""SetupError and EngineFailure: wrong input, and broken engines."""


class SetupError(ValueError):
    """An invalid command line, file or setting; the message names it and the fault."""


class EngineFailure(RuntimeError):
    """An engine that is missing, does not start, dies or hangs; the message starts with its name."""

    def __init__(self, engine: str, problem: str) -> None:
        super().__init__(engine, problem)
        self.engine = engine
        self.problem = problem

    def __str__(self) -> str:
        return f"{self.engine}: {self.problem}"
