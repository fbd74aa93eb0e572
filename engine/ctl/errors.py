"""Errors of lines: refused as rabbitmqctl refuses them, or not supported by Waterline."""

from __future__ import annotations

from typing import Final

from engine.values.errors import EngineError

USAGE: Final = 64
BAD_VALUE: Final = 65
UNREACHABLE: Final = 69
SOFTWARE: Final = 70


class CtlRefused(EngineError):
    """A refused line; the message is what the console prints.

    Args:
        text: all lines that it prints.
        code: the exit code (64 usage, 65 a bad value, 69 the node refused).
    """

    def __init__(self, text: str, code: int = USAGE) -> None:
        super().__init__(text)
        self.text = text
        self.code = code


class NotHere(CtlRefused):
    """A line that the broker would answer and Waterline does not.

    Args:
        what: a sentence that says what is missing.
    """

    def __init__(self, what: str, code: int = USAGE) -> None:
        super().__init__(f"Waterline: {what}\n", code)
