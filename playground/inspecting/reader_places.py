"""Who may have a reading process: a few at a time, one for each visitor; callers take turns."""

from __future__ import annotations

from typing import Final

from playground.inspecting import bounds
from playground.limits.work_places import WorkPlaces

WAITING: Final = 32
"""Most that wait."""

places = WorkPlaces(bounds.AT_ONCE, WAITING)
