"""How many entries a segment of a queue's index has."""

from typing import Final

USUAL_ENTRY_COUNT: Final = 16384
"""Entries of a segment where `.config` states no other number (S4), and the most that there can be."""
