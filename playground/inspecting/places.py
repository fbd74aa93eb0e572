"""Who may have a reading process: a few at a time, one for each visitor; callers take turns."""

from __future__ import annotations

from typing import Final

from playground.inspecting import bounds
from playground.places import Places

WAITING: Final = 32
"""Most that wait."""

places = Places(bounds.AT_ONCE, WAITING)
