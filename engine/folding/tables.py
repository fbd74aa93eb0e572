"""What transitions change: the common tables, and those that a kind of queue registers for transitions of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, Protocol

from engine.backing_queue.message_places import VARIABLE_QUEUE
from engine.report.transitions.base import Transition
from engine.values.ranges import Range


class FoldTable(NamedTuple):
    """What a kind of transition changes, by the name in `About.fold`.

    Args:
        owner: the class that has a method for each of these kinds, named after the kind.
        find: returns what of a state is meant, given the state and the transition.
    """

    owner: type
    find: Callable[[Any, Any], Any]


class OwnPart(Protocol):
    """What one kind of queue shows of each queue, besides what all queues have."""

    def begin(self) -> None:
        """The queue begins; what its recovery has found stays."""

    def to_json(self) -> dict[str, Any]:
        """Return the plain shape of a snapshot."""

    @staticmethod
    def live(own: Mapping[str, Any]) -> Iterator[tuple[int, int]]:
        """Yield the stretches of seq_ids that are there by this part, each as its first and one past its last.

        Args:
            own: the part as a snapshot has it.
        """


class NothingMore:
    """The part of a queue that shows nothing of its own."""

    def begin(self) -> None:
        """Do nothing."""

    def to_json(self) -> dict[str, Any]:
        """Return nothing."""
        return {}

    @staticmethod
    def live(own: Mapping[str, Any]) -> Iterator[tuple[int, int]]:
        """Yield nothing."""
        yield from ()


TABLES: dict[str, FoldTable] = {}
"""Every table that a kind may name."""

_OWN_PARTS: dict[str, type[OwnPart]] = {}


def register(
    tables: Mapping[str, FoldTable], backing_queue: str | None = None, own: type[OwnPart] = NothingMore
) -> None:
    """Add tables, and the own part of the queues of one implementation."""
    TABLES.update(tables)
    if backing_queue is not None:
        _OWN_PARTS[backing_queue] = own


Found = Callable[[Any], Iterable[Range]]

_FOUND: dict[type[Transition], Found] = {}


def found_by(kind: type[Transition]) -> Callable[[Found], Found]:
    """Let the decorated function say which seq_ids a queue's start found, of a transition that reports its start."""

    def register_it(found: Found) -> Found:
        _FOUND[kind] = found
        return found

    return register_it


def found_at_start(transition: Transition) -> Iterable[Range] | None:
    """Return which seq_ids a queue's start found; None for a transition that does not report it."""
    found = _FOUND.get(type(transition))
    return None if found is None else found(transition)


def own_part(info: Mapping[str, Any]) -> type[OwnPart]:
    """Return the class of a queue's own part, given what is shown of it: a snapshot of it, or its facts."""
    assert _OWN_PARTS, "engine.generations registers every kind of queue"
    return _OWN_PARTS.get(info.get("backing_queue", VARIABLE_QUEUE), NothingMore)
