"""What a client wrote and its connection has not carried yet: a burst takes as long as its bytes need (A3, F4)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

import msgspec

from engine.broker.clients.actors import Publisher
from engine.broker.commands.publish import Publish
from engine.broker.time.scheduler import TimerScheduler

PIECE_US: Final = 10_000
"""What a connection carries in so long arrives together."""
SECOND_US: Final = 1_000_000


class BurstCarrier:
    """Carries bursts at a rate, piece by piece; while nobody reads the socket nothing moves, as TCP has it.

    Args:
        is_read: returns whether the node reads a publisher's socket now; whoever lets it read again calls `go_on`.
        has_room: returns whether the socket has room for more.
        arrive: takes a piece that the connection carried.
    """

    def __init__(
        self,
        scheduler: TimerScheduler,
        is_read: Callable[[Publisher], bool],
        has_room: Callable[[Publisher], bool],
        arrive: Callable[[Publisher, Publish], None],
    ) -> None:
        self._scheduler = scheduler
        self._is_read = is_read
        self._has_room = has_room
        self._arrive = arrive

    def write(self, publisher: Publisher, burst: Publish, bytes_per_s: int) -> None:
        """Let a burst follow what is written already.

        Args:
            bytes_per_s: what the connection carries in a second.
        """
        publisher.unsent.append(burst)
        publisher.carries_bytes_per_s = bytes_per_s
        self.go_on(publisher)

    def go_on(self, publisher: Publisher) -> None:
        """Carry what is left, from now on."""
        if publisher.unsent and publisher.timer is None:
            publisher.carried_bytes = 0
            self._wait(publisher)

    def _wait(self, publisher: Publisher) -> None:
        publisher.timer = self._scheduler.after(PIECE_US, partial(self._carry, publisher))

    def _carry(self, publisher: Publisher) -> None:
        """Let arrive what was carried since the last piece; a part of a message is kept for the next one."""
        publisher.timer = None
        if not self._is_read(publisher):
            return
        if not self._has_room(publisher):
            self._wait(publisher)
            return
        room = publisher.carried_bytes + publisher.carries_bytes_per_s * PIECE_US // SECOND_US
        while publisher.unsent:
            burst = publisher.unsent[0]
            each = max(1, burst.size_bytes)
            count = min(burst.count, room // each)
            if not count:
                break
            room -= count * each
            publisher.unsent.popleft()
            if count < burst.count:
                publisher.unsent.appendleft(msgspec.structs.replace(burst, count=burst.count - count))
            self._arrive(publisher, msgspec.structs.replace(burst, count=count))
        publisher.carried_bytes = room
        if publisher.unsent and publisher.timer is None:
            self._wait(publisher)
