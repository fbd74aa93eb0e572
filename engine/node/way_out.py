"""From the queues to consumers and back, where work takes time: writers, and acknowledgements (F8, P6, P12)."""

from __future__ import annotations

from collections import deque
from typing import Final

from engine.node.actors import Consumer
from engine.node.process import ACK, PUBLISH
from engine.node.processes import Processes
from engine.node.queue_process import QueueProcess
from engine.ranges import Range

REPORTS_OF_LIMIT: Final = 4
"""A writer reports after each quarter of what may be unsent: 50 of 200 (F8)."""


class WayOut:
    """The writers and channels of one node's consumers."""

    def __init__(self, processes: Processes) -> None:
        self._processes = processes

    @property
    def open(self) -> bool:
        """Whether messages take this way, which is when work takes time."""
        return self._processes.timed

    def sent(self, queue: Delivering, consumer: Consumer, count: int, size_bytes: int) -> None:
        """Let a consumer's writer bring deliveries to its socket, and report to the queue (F8)."""
        cpu = self._processes.meter.profile.cpu
        each_ns = cpu.channel_deliver.each_ns + cpu.writer_deliver.of(1, size_bytes)
        consumer.unsent += count
        process = queue.process

        def write(part: int) -> None:
            self._processes.meter.add(part * each_ns)
            consumer.written += part
            step = max(1, consumer.unsent_limit // REPORTS_OF_LIMIT)
            reported = consumer.written // step * step
            consumer.written -= reported
            if reported:
                writer.send(lambda: self._report(queue, process, consumer, reported))

        writer = self._processes.of("writer", consumer.name)
        writer.post(PUBLISH, count, write, each_ns)

    def _report(self, queue: Delivering, process: QueueProcess, consumer: Consumer, count: int) -> None:
        mail = process.mail
        if mail is None or queue.process is not process:
            return

        def take() -> None:
            consumer.unsent = max(0, consumer.unsent - count)
            queue.go_on()

        mail.post(mail.consumer_priority, take)

    def acked(self, queue: Delivering, consumer: Consumer, tags: list[Range], multiple: bool) -> None:
        """Send acknowledgements through the consumer's channel to the queue, where they overtake publishes (P6)."""
        cpu = self._processes.meter.profile.cpu
        count = sum(each.count for each in tags)
        messages = 1 if multiple else count
        each_ns = cpu.reader_ack_each.each_ns + cpu.channel_ack_each.each_ns
        consumer.acking += count
        process = queue.process
        waiting = deque(tags)
        channel = self._processes.of("channel", consumer.name)

        def forward(part: int) -> None:
            self._processes.meter.add(part * each_ns)
            channel.send(lambda: post(part))

        def post(part: int) -> None:
            mail = process.mail
            if mail is not None and queue.process is process:
                mail.process.post(ACK, part, take, cpu.bq_ack_ram.each_ns + cpu.queue_deliver_and_ack.each_ns)

        def take(part: int) -> None:
            found = _first(waiting, count if multiple else part)
            consumer.acking -= sum(each.count for each in found)
            queue.ack(found, multiple)

        channel.post(PUBLISH, messages, forward, each_ns)

    def close(self, consumer: Consumer) -> None:
        """End a consumer's connection: acknowledgements that it sent still arrive."""
        channel = self._processes.get(f"channel:{consumer.name}")
        if channel is not None:
            channel.work_off()
        for kind in ("writer", "channel"):
            self._processes.end(f"{kind}:{consumer.name}")


def _first(ranges: deque[Range], count: int) -> list[Range]:
    """Take `count` from the front."""
    taken: list[Range] = []
    while count > 0 and ranges:
        first = ranges.popleft()
        if first.count > count:
            ranges.appendleft(first.part(count, first.count - count))
            first = first.part(0, count)
        taken.append(first)
        count -= first.count
    return taken
