"""Marks a text that people read, so that its translations can be collected; the engine itself has no languages."""

from __future__ import annotations


def gettext_noop(text: str) -> str:
    """Return the text unchanged; the web pages look up its translation."""
    return text
