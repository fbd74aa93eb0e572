"""What cannot be read, by code: the page has a sentence for each, in the reader's language."""

from __future__ import annotations

from typing import Any

from engine.values.errors import Refusal

Why = dict[str, Any]
"""A reason as an answer has it: `code`, and `values` for the places of the sentence."""


class Unreadable(Exception):
    """Something that was given is not what the page reads, or more than it reads.

    Args:
        code: see `static/js/model/inspect-words.js`.
        values: what stands in the sentence's places.
    """

    def __init__(self, code: str, **values: Any) -> None:
        super().__init__(code)
        self.code = code
        self.values = values

    def to_json(self) -> dict[str, Any]:
        """Return it as an answer."""
        return {"unreadable": self.code, "values": self.values}


class OutOfTime(Exception):
    """The process that reads has worked for as long as it may."""


def why(error: Exception) -> Why:
    """Return the reason that an error gives: a refusal's own, and Python's words for any other."""
    if isinstance(error, Refusal):
        return {"code": error.code, "values": error.values}
    return {"code": "unexpected", "values": {"why": f"{type(error).__name__}: {error}"[:300]}}
