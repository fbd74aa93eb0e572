"""What cannot be read, by code: the page has a sentence for each, in the reader's language."""

from __future__ import annotations

from typing import Any


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
