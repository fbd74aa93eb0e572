"""What rabbitmqctl prints when it refuses a line."""

from __future__ import annotations

from engine.values.errors import EngineError


class CtlRefused(EngineError):
    """A line was not done; the message is what rabbitmqctl prints.

    Args:
        text: all lines that it prints.
        code: its exit code (64 usage, 65 a bad value, 69 the node refused).
    """

    def __init__(self, text: str, code: int = 64) -> None:
        super().__init__(text)
        self.text = text
        self.code = code


class NotHere(CtlRefused):
    """A line that the broker would do and Waterline does not; said as Waterline's remark, never as the broker's error.

    Args:
        what: a sentence about what is not here.
    """

    def __init__(self, what: str) -> None:
        super().__init__(f"Waterline: {what}\n")
