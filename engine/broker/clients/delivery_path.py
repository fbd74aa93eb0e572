"""The way from queues to consumers and back: writers and acknowledgements (F8, P6, P12)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from engine.broker.clients.actors import Consumer
from engine.broker.clients.queue import ClientQueue
from engine.broker.commands.settings import NodeSettings
from engine.broker.time.process import ACK, PUBLISH, WorkProcess
from engine.broker.time.processes import NodeProcesses
from engine.broker.time.scheduler import BURST_SPACING_US
from engine.values.extents import Extent
from engine.values.stretches import Range

REPORTS_OF_LIMIT: Final = 4
"""A writer reports after each quarter of what may be unsent: 50 of 200 (F8)."""


class WayOut:
    """The writers and channels of one node's consumers."""

    def __init__(self, processes: NodeProcesses, settings: Callable[[], NodeSettings]) -> None:
        self._processes = processes
        self._settings = settings

    @property
    def trip_us(self) -> int:
        """Time that a delivery to an idle client and its answer take, without the processes' work; none without it."""
        own, profile = self._settings().client_trip_us, self._processes.meter.profile
        return profile.trip_us if own is None or profile.instant else own

    # --- deliveries --------------------------------------------------------------------------------------------------

    def serve(self, consumer: Consumer) -> None:
        """Start to serve a consumer, with nothing on the way to it or from it."""
        consumer.counts_unsent = self._processes.timed

    def sent(self, queue: ClientQueue, consumer: Consumer, count: int, extent: Extent) -> None:
        """Let a consumer's writer bring `count` deliveries of an extent to its socket, and report to the queue (F8)."""
        if not consumer.counts_unsent:
            return
        cpu = self._processes.meter.profile.cpu
        each_ns = cpu.channel_deliver.each_ns + cpu.writer_deliver.of(1, extent.mean_bytes)
        consumer.unsent += count
        write = partial(self._write, queue, queue.mailbox, consumer, each_ns)
        self._processes.of("writer", consumer.name).post(PUBLISH, count, write, each_ns)

    def _write(
        self, queue: ClientQueue, mailbox: WorkProcess, consumer: Consumer, each_ns: int, count: int
    ) -> None:
        """Write deliveries to the socket; the queue is notified of every fiftieth (F8)."""
        self._processes.meter.add(count * each_ns)
        consumer.written += count
        step = max(1, consumer.unsent_limit // REPORTS_OF_LIMIT)
        reported = consumer.written // step * step
        consumer.written -= reported
        if reported:
            writer = self._processes.of("writer", consumer.name)
            writer.send(partial(self._report, queue, mailbox, consumer, reported))

    def _report(self, queue: ClientQueue, mailbox: WorkProcess, consumer: Consumer, count: int) -> None:
        mailbox.post(queue.consumer_priority, 1, partial(self._reported, queue, consumer, count))

    def _reported(self, queue: ClientQueue, consumer: Consumer, count: int, _: int) -> None:
        """Let the queue continue with a consumer whose messages were written (P12)."""
        full = consumer.credit <= 0
        consumer.unsent = max(0, consumer.unsent - count)
        if full:
            queue.go_on(consumer.channel, BURST_SPACING_US)

    def taken(self, queue: ClientQueue, consumer: Consumer, spacing_us: int) -> None:
        """Notify the queue that a consumer without acknowledgements has room again (P12).

        Args:
            spacing_us: how far apart the consumer takes messages.
        """
        spacing_us = self._processes.spacing_us(BURST_SPACING_US, spacing_us)
        queue.mailbox.post(queue.consumer_priority, 1, partial(_go_on, queue, consumer, spacing_us))

    # --- acknowledgements --------------------------------------------------------------------------------------------

    def acked(
        self, queue: ClientQueue, consumer: Consumer, tags: list[Range], multiple: bool, spacing_us: int
    ) -> None:
        """Send acknowledgements through the consumer's channel to the queue, where they overtake publishes (P6).

        Args:
            tags: what they acknowledge, the oldest first.
            multiple: one message for all of them.
            spacing_us: how far apart the consumer acknowledges.
        """
        if self._processes.timed:
            spacing_us = BURST_SPACING_US
        cpu = self._processes.meter.profile.cpu
        each_ns = cpu.reader_ack_each.each_ns + cpu.channel_ack_each.each_ns
        acks = _Acks(queue, queue.mailbox, consumer, tags, multiple, spacing_us)
        consumer.acking += acks.count
        messages = 1 if multiple else acks.count
        channel = self._processes.of("channel", consumer.name)
        channel.post(PUBLISH, messages, partial(self._forward, channel, acks, each_ns), each_ns)

    def _forward(self, channel: WorkProcess, acks: _Acks, each_ns: int, count: int) -> None:
        """Send acknowledgements on, in the channel."""
        self._processes.meter.add(count * each_ns)
        cpu = self._processes.meter.profile.cpu
        queue_ns = cpu.bq_ack_ram.each_ns + cpu.queue_deliver_and_ack.each_ns
        post = partial(acks.mailbox.post, ACK, count, acks.take, queue_ns)
        acked = acks.count if acks.multiple else count
        acks.consumer.channel.limiter.acked(acked, partial(channel.send, post))

    def close(self, consumer: Consumer) -> None:
        """End a consumer's connection: acknowledgements that it sent still arrive."""
        channel = self._processes.get(f"channel:{consumer.name}")
        if channel is not None:
            channel.work_off()
        for kind in ("writer", "channel"):
            self._processes.end(f"{kind}:{consumer.name}")


class _Acks:
    """Acknowledgements on their way to one queue process.

    Args:
        mailbox: where they go; a process that ended takes nothing more.
        tags: what they acknowledge, the oldest first.
        multiple: one message for all of them.
        spacing_us: distance of the messages that go out in return.
    """

    def __init__(
        self,
        queue: ClientQueue,
        mailbox: WorkProcess,
        consumer: Consumer,
        tags: Sequence[Range],
        multiple: bool,
        spacing_us: int,
    ) -> None:
        self.queue = queue
        self.mailbox = mailbox
        self.consumer = consumer
        self.multiple = multiple
        self.spacing_us = spacing_us
        self._tags = tags
        self.count = sum([each.count for each in tags])
        """Acknowledged messages that the queue has not handled yet."""

    def take(self, messages: int) -> None:
        """Let the queue handle the next acknowledgements."""
        count = self.count if self.multiple else messages
        taken = self._tags if count == self.count else self._first(count)
        self.count -= count
        self.queue.settlements.ack(self.consumer, taken, self.multiple, self.spacing_us)

    def _first(self, count: int) -> list[Range]:
        """Take the next `count` acknowledgements, when more follow."""
        tags, taken = deque(self._tags), []
        while count > 0:
            first = tags.popleft()
            if first.count > count:
                tags.appendleft(first.part(count, first.count - count))
                first = first.part(0, count)
            taken.append(first)
            count -= first.count
        self._tags = tuple(tags)
        return taken


def _go_on(queue: ClientQueue, consumer: Consumer, spacing_us: int, _: int) -> None:
    queue.go_on(consumer.channel, spacing_us)
