"""SetupError and EngineFailure: wrong input, and broken engines."""


class SetupError(ValueError):
    """An invalid command line, file or setting; the message names it and the fault."""


def at_least(least: float, **values: float | None) -> None:
    """Raise :class:`SetupError` for a value below ``least`` (or not a number); its name, with hyphens, is a flag's."""
    for name, value in values.items():
        if value is not None and not value >= least:
            raise SetupError(f"--{name.replace('_', '-')} must be {least:g} or more, not {value:g}")


class EngineFailure(RuntimeError):
    """An engine that is missing, does not start, dies or hangs; the message starts with its name."""

    def __init__(self, engine: str, problem: str) -> None:
        super().__init__(engine, problem)
        self.engine = engine
        self.problem = problem

    def __str__(self) -> str:
        return f"{self.engine}: {self.problem}"
