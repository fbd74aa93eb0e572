"""What cannot be read, by code: the page has a sentence for each, in the reader's language."""

from __future__ import annotations

from typing import Any, Final

from engine.values.errors import Refusal

FAR_SEGMENTS: Final = 4_096
"""Positions further apart than so many segments are damage: a start would look for each segment between."""

Why = dict[str, Any]
"""A reason as an answer has it: `code`, and `values` for the places of the sentence."""


class UnreadableInput(Exception):
    """Something that was given is not what the page reads, or more than it reads.

    Args:
        code: see `static/js/model/inspect-words.js`.
        values: what is in the sentence's places.
    """

    def __init__(self, code: str, **values: Any) -> None:
        super().__init__(code)
        self.code = code
        self.values = values

    def to_json(self) -> dict[str, Any]:
        return {"unreadable": self.code, "values": self.values}


class FarApart(Refusal):
    """A start would look for more segments that are not there than it may: work follows files, not their numbers."""

    sentences = {"far_apart": "positions are more than %(most)s segments apart"}

    def __init__(self) -> None:
        super().__init__("far_apart", most=FAR_SEGMENTS)


class OutOfTime(Exception):
    """The process that reads has worked for as long as it may."""


def why(error: Exception) -> Why:
    """Return the reason that an error gives: a refusal's own, and Python's words for any other."""
    if isinstance(error, Refusal):
        return {"code": error.code, "values": error.values}
    return {"code": "unexpected", "values": {"why": f"{type(error).__name__}: {error}"[:300]}}
