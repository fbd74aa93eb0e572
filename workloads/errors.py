"""What is refused, as a code with parameters; as a text, an English sentence about what to change."""

from __future__ import annotations

from engine.values.errors import Refusal
from workloads.refusals import ENGLISH


class WorkloadError(Refusal):
    """A workload, a store or an import is not possible as given.

    Its code is a key of `workloads.refusals.ENGLISH`, or the engine's own where the engine refuses a scenario.
    """

    sentences = {**Refusal.sentences, **ENGLISH}


class LineError(WorkloadError):
    """A line of an imported file is not possible; the message begins with its number."""

    def __init__(self, line: int, code: str, /, outer: str = "", **values: object) -> None:
        super().__init__(code, outer or f"line {line}: ", **values)
        self.line = line

    def __reduce__(self) -> tuple[object, ...]:
        return _line_error, (self.line, self.code, self.values)


def _line_error(line: int, code: str, values: dict[str, str | int]) -> LineError:
    return LineError(line, code, "", **values)
