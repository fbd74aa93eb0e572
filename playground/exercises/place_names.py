"""Where the messages of an exercise's run can lie: the places of the release that it runs on."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import msgspec

from engine.backing_queue.message_places import PLACES, counted, listed, ready, unacked
from engine.releases import PROFILES

USUAL_PROFILE = "classroom"


class PlaceNames(msgspec.Struct, frozen=True):
    """The places of one kind of queue, by their names.

    Args:
        kind: the backing queue of a queue that asks for nothing special.
        stage: lanes and counted places from the tail to the head.
        lanes: those of the stage that have an entry for each message.
        counted: those of which RAM has only a count.
        held: those of messages that wait for their acknowledgement.
    """

    kind: str
    stage: tuple[str, ...]
    lanes: tuple[str, ...]
    counted: tuple[str, ...]
    held: tuple[str, ...]

    @property
    def answers(self) -> tuple[str, ...]:
        """The possible answers to "where is this message?"."""
        return (*self.stage, "unacked", "gone")


@cache
def of_kind(kind: str) -> PlaceNames:
    """Return the places of a backing queue."""
    places = PLACES[kind]
    lanes = tuple(lane for lane in ready(places) if lane in listed(places))
    return PlaceNames(kind, ready(places), lanes, counted(places), unacked(places))


def of_run(scenario: Mapping[str, Any]) -> PlaceNames:
    """Return the places of the queues of a scenario, by its profile."""
    release = PROFILES[scenario.get("profile", USUAL_PROFILE)].release
    return of_kind(next(iter(release.queues)))


def is_known(place: str) -> bool:
    """Return whether messages of any kind of queue can be said to be there."""
    return any(place in of_kind(kind).answers for kind in PLACES)
