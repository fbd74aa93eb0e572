"""What channels keep of mirrored queues: whom a confirm waits for, and how much may be under way (H46, H84)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from engine.backing_queue.arrivals import Arrival
from engine.broker.commands.settings import NodeSettings
from engine.broker.mirrors.membership import MirrorMembership
from engine.broker.queues.queues import NodeQueues
from engine.values.labels import member


class MirroredChannels:
    """The members of a cluster's queues as channels see them.

    Args:
        settings: returns the nodes' settings.
    """

    def __init__(
        self, roll: MirrorMembership, queues: NodeQueues, settings: Callable[[], NodeSettings]
    ) -> None:
        self._roll = roll
        self._queues = queues
        self._settings = settings
        self.passed: dict[str, int] = {}
        """Messages that channels passed on although credit had stopped them: what their readers had credit for."""

    def of(self, queue: str) -> tuple[str, ...]:
        """Return the members that a publish now waits for."""
        record = self._roll.records.get(queue)
        if record is None:
            return ()
        alive = [node for node in record.mirrors if (queue, node) in self._roll.members]
        if record.alive:
            return tuple(member(queue, node) for node in (record.master, *alive)) if alive else ()
        return tuple(member(queue, node) for node in alive)

    def copy(self, queue: str, arrival: Arrival, expiration_ms: int | None, confirm_at_once: bool) -> None:
        """Send messages to every mirror (H31)."""
        self._roll.copy(queue, arrival, expiration_ms, confirm_at_once)

    def room(self, sender: str, queues: Sequence[str], count: int) -> int:
        """Return how many of `count` messages a channel may send before credit stops it (H84).

        Only members that hang, or are being synchronised, ever let it run out; the reader had its own credit too.
        """
        initial, _ = self._settings().credit_flow_default_credit
        room = count
        stopped = False
        for queue in queues:
            record = self._roll.records.get(queue)
            for node in record.mirrors if record is not None else ():
                each = self._roll.members.get((queue, node))
                if each is not None and each.busy:
                    stopped = True
                    room = min(room, -(-max(0, initial - each.unhandled(sender)) // 2))
            live = self._queues.get(queue)
            if live is not None and live.process.held is not None:
                stopped = True
                room = min(room, max(0, initial - self._held(sender, queue)))
        if not stopped:
            self.passed.pop(sender, None)
            return count
        if room == count:
            return room
        passed = self.passed.get(sender, 0)
        more = min(count - room, initial - passed)
        self.passed[sender] = passed + more
        return room + more

    def _held(self, sender: str, queue: str) -> int:
        """Return how many messages of a channel wait for a master that handles nothing."""
        waiting = self._queues[queue].process.held or ()
        arrivals = (each.args[0] for each in waiting if isinstance(each, partial) and each.args)
        return sum(each.count for each in arrivals if isinstance(each, Arrival) and each.sender == sender)
