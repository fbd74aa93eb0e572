"""Marks a text that people read, so that its translations can be collected; the engine itself has no languages."""

from __future__ import annotations


def gettext_noop(text: str) -> str:
    """Return the text as it is. The web pages look its translation up."""
    return text
