"""What a sweep refuses, in words that tell the fix."""

from __future__ import annotations


class SweepError(Exception):
    """The sweep cannot go on as described; the message says what to change."""
