"""How often a session tells of itself: what every turn and every frame costs is paid so many times a second."""

from __future__ import annotations

from typing import Final

TICK_S: Final = 0.045
"""Between two frames where somebody does something: at most twenty a second, with the worker's grid of turns."""
STEADY_TICK_S: Final = 0.24
"""Between two frames while time passes and nobody does anything: marks are on their way for longer than that."""
UNSEEN_TICK_S: Final = 0.49
"""Between two turns of a session whose pages are all in the background."""
BEAT_S: Final = 0.5
"""An empty frame this often while time passes and nothing happens."""
LATE_BY: Final = 1.6
"""A tick that comes later than so many times its distance slows time down."""


def tick_s(plays: bool, seen: bool) -> float:
    """Return the seconds between two ticks.

    Args:
        plays: whether time passes.
        seen: whether anybody looks.
    """
    if not seen:
        return UNSEEN_TICK_S
    return STEADY_TICK_S if plays else TICK_S
