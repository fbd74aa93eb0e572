"""Marks: a member that is documented where it is declared, a text that people read, and a call that nobody follows."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing_extensions import override
else:

    def override(member: object) -> object:
        """Return the member as it is; the type checker looks up what it overrides."""
        return member


def ignore(*_given: object) -> None:
    """Take what nobody follows."""


def gettext_noop(text: str) -> str:
    """Return the text unchanged; the web pages look up its translation."""
    return text


__all__ = ["gettext_noop", "ignore", "override"]
