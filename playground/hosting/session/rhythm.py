"""How often a session sends frames: each frame and each turn of the engine costs processor time."""

from __future__ import annotations

from typing import Final

TICK_S: Final = 0.045
"""Between two frames where somebody does something: at most twenty a second, with the worker's grid of turns."""
STEADY_TICK_S: Final = 0.24
"""Between two frames while time passes and nobody does anything: marks are on their way for longer than that."""
BUSY_TICK_S: Final = 0.28
"""The same while somebody gives one command after the other: the next frame often comes with the next command."""
SELDOM_TICK_S: Final = 0.49
"""Between two turns where nothing is to be seen: all pages are in the background, or nothing happens."""
EARLY_S: Final = 0.13
"""So much earlier a turn in which time only passes may come, with those of other sessions: after a while all of them
come together, as this is more than half of the time between two."""
QUIET_S: Final = 1.0
"""Nothing happens where nothing has happened for so long."""
BEAT_S: Final = 5.0
"""An empty frame this often while time passes and nothing happens: the page's clock may go on."""
LATE_BY: Final = 1.6
"""A tick that comes later than so many times its distance slows time down."""
CHECK_S: Final = 0.5
"""Between two counts of what the session takes."""
NOTE_S: Final = 1.0
"""Between two notes of how far the run has come."""
NOTICE_S: Final = 2.0
"""Between two notices of how far a long replay is."""
TURN_S: Final = 0.04
"""Real time that the engine may work before the page is shown what it did."""
COMES_UP_S: Final = 0.005
"""Real time that the engine may work before a message that comes while time passes is looked at."""
SLICE_S: Final = 0.02
"""Real time that a long replay goes on before others may have their turn."""


def tick_s(plays: bool, seen: bool, quiet_s: float, idle_s: float) -> float:
    """Return the seconds between two ticks.

    Args:
        plays: whether time passes.
        seen: whether a page of the session is in the foreground.
        quiet_s: for how long nothing has happened.
        idle_s: for how long nobody has done anything.
    """
    if not seen or (plays and quiet_s > QUIET_S):
        return SELDOM_TICK_S
    if not plays:
        return TICK_S
    return STEADY_TICK_S if idle_s > QUIET_S else BUSY_TICK_S
