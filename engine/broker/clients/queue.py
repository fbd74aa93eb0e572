"""A queue as its clients see it: what channels send to a queue process and may ask it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from engine.backing_queue.protocol import Arrival, DatedArrival, TakenMessages
from engine.broker.clients.actors import Consumer
from engine.broker.clients.channel import Channel, UnackedDelivery
from engine.broker.time.process import WorkProcess
from engine.values.extents import Extent
from engine.values.stretches import Range

GetAnswers = Callable[[list[TakenMessages], bool], None]
"""Takes what basic.get fetched, and whether the queue was empty before all were."""


class MessageSettler(Protocol):
    """Receives acks, nacks and requeues from channels."""

    def ack(self, consumer: Consumer | None, tags: Sequence[Range], multiple: bool, spacing_us: int) -> None:
        """Acknowledge messages that came through the mailbox; the consumer gets others, this far apart (P11)."""

    def send_ack(self, consumer: Consumer | None, tags: Sequence[Range], multiple: bool) -> None:
        """Acknowledge messages by hand, ahead of queued publishes (P6)."""

    def reject(self, consumer: Consumer | None, tags: Sequence[Range], multiple: bool, failed: bool) -> None:
        """Reject messages for good, after queued publishes (P6, P11)."""

    def requeue(self, consumer: Consumer | None, tags: Sequence[Range], multiple: bool, failed: bool) -> None:
        """Return messages to the queue, after queued publishes (P6)."""

    def put_back(self, tags: Sequence[Range]) -> None:
        """Take back the messages of a channel that a stopping node closed (D2)."""


class ClientQueue(Protocol):
    """One live queue."""

    name: str
    life: int
    """Counts its processes."""
    used: bool
    """Whether it ever had a consumer (P18)."""

    @property
    def settlements(self) -> MessageSettler:
        """Takes what channels send back."""

    @property
    def durable(self) -> bool:
        """Whether it survives a restart (D1)."""

    @property
    def withholds(self) -> bool:
        """Whether confirms wait for its process, because it may refuse messages or end with the next one (P8, P8.3)."""

    @property
    def holds(self) -> bool:
        """Whether messages to it wait, because it hangs or its mirrors are being filled (H56)."""

    @property
    def mailbox(self) -> WorkProcess:
        """The process that takes its messages."""

    @property
    def consumer_priority(self) -> int:
        """Mailbox priority of a new consumer and of reports about sent messages (P6)."""

    @property
    def consumers(self) -> Sequence[Consumer]:
        """Those that consume from this queue."""

    def entry(self, arrival: Arrival) -> Extent:
        """Return the entry that an arriving message would have in this queue."""

    # --- what publishers' channels send ------------------------------------------------------------------------------
    def arrive(
        self, arrivals: Sequence[DatedArrival], spacing_us: int, confirm_at_once: bool = False
    ) -> None:
        """Let messages arrive one after the other (P8)."""

    # --- what consumers' channels send -------------------------------------------------------------------------------
    def add(self, consumer: Consumer) -> None:
        """Let a consumer take its turn last among those of its priority (P12)."""

    def knows(self, channel: Channel, settling: Iterable[UnackedDelivery]) -> bool:
        """Return whether its process knows a channel: it consumes here, or holds what this process delivered (P14)."""

    def wake(self, consumer: Consumer) -> None:
        """Give a new or changed consumer its messages, and let it work."""

    def remove(self, consumer: Consumer, serve: bool = False) -> None:
        """Stop delivering to a consumer; what it holds stays unchanged."""

    def go_on(self, channel: Channel, spacing_us: int) -> None:
        """Deliver waiting messages, because consumers of a channel may have room again (P12)."""

    def limit(self, channel: Channel) -> None:
        """Apply a channel's new limit for all its consumers (P13)."""

    def unlimit(self, channel: Channel) -> None:
        """Remove a channel's limit (P13)."""

    def get(self, count: int, ack: bool, then: GetAnswers) -> None:
        """basic.get `count` times; `then` takes the messages (P10)."""


class QueueMembers(Protocol):
    """What channels send to the members of mirrored queues, and how much of it may be in transit."""

    passed: dict[str, int]
    """Messages that channels passed on although they had no credit."""

    def of(self, queue: str) -> tuple[str, ...]:
        """Return the members whose confirms a publish waits for, as "queue@node"; none for a queue without mirrors."""

    def copy(self, queue: str, arrival: Arrival, expiration_ms: int | None, confirm_at_once: bool) -> None:
        """Send messages to every mirror (H31)."""

    def room(self, sender: str, queues: Sequence[str], count: int) -> int:
        """Return how many of `count` messages a channel may send before credit stops it (H84)."""
