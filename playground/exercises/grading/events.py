"""Which events of a run an exercise means: a kind of transition, with some of its fields."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from engine.transitions import all_kinds, fields_of
from engine.values.errors import ValueRefused
from playground.exercises.grading.playback import RunEvent

KINDS = {kind.__name__: kind for kind in all_kinds()}


class EventForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A kind of transition; fields that are given must be equal. `nth` is 1 for the first such event."""

    kind: str
    where: dict[str, Any] = {}
    nth: int = 1

    def __post_init__(self) -> None:
        """Refuse what no transition can be."""
        if self.kind not in KINDS or not set(self.where) <= set(fields_of(KINDS[self.kind])):
            raise ValueRefused("no_event_kind", name=self.kind, fields=", ".join(sorted(self.where)))

    def first_in(self, events: Sequence[RunEvent]) -> RunEvent | None:
        """Return the event that is meant, or None when the run has none."""
        left = self.nth
        for event in events:
            if event.kind != self.kind:
                continue
            if all(getattr(event.transition, name) == value for name, value in self.where.items()):
                left -= 1
                if left == 0:
                    return event
        return None
