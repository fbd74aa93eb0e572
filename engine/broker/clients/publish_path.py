"""The way from a publisher's socket through reader and channel to the queues, and of confirms back (F1-F4, A3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, Protocol

import msgspec

from engine.backing_queue.protocol import Arrival, DatedArrival
from engine.broker.clients.actors import CLOSED, Publisher
from engine.broker.clients.queue import ClientQueue
from engine.broker.commands.client_commands import Publish
from engine.broker.time.process import PUBLISH, WorkProcess
from engine.broker.time.processes import NodeProcesses
from engine.broker.time.scheduler import SECOND_US, TimerScheduler
from engine.costs import publish_ns

PIECE_US: Final = 10_000
"""Microseconds; what a connection carries in this time arrives together."""


class BurstCarrier:
    """Carries bursts at a rate, piece by piece; while nobody reads the socket nothing moves, as with TCP. `is_read`:
    returns whether the node reads a publisher's socket now; call `go_on` when it reads again. `has_room`: returns
    whether the socket has room for more. `arrive`: takes a piece that the connection carried.
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
        """Append a burst to what is already written. `bytes_per_s`: what the connection carries in a second."""
        publisher.unsent.append(burst)
        publisher.carries_bytes_per_s = bytes_per_s
        self.go_on(publisher)

    def go_on(self, publisher: Publisher) -> None:
        if publisher.unsent and publisher.timer is None:
            publisher.carried_bytes = 0
            self._wait(publisher)

    def _wait(self, publisher: Publisher) -> None:
        publisher.timer = self._scheduler.after(PIECE_US, partial(self._carry, publisher))

    def _carry(self, publisher: Publisher) -> None:
        """Deliver what was carried since the last piece; keep a partial message for the next one."""
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


SOCKET_BYTES: Final = 256 * 1024
"""A steady publisher stops writing while this many bytes wait unread in its socket (a model of TCP)."""
FRAMES_BYTES: Final = 60
"""Bytes of the frames around a body in the socket."""


class PublishChannels(Protocol):
    """The steps that readers and channels take with messages."""

    @property
    def alarm(self) -> bool:
        """Whether any alarm is set (A1)."""

    def seen(self, publisher: Publisher) -> None:
        """Note that something was published under an alarm (A3)."""

    def send(self, publisher: Publisher, batch: Publish, spacing_us: int) -> None:
        """Route a batch and let it into its queues."""

    def flush(self, actor: str) -> None:
        """Send the confirms that a channel collected (K10)."""


class WayIn:
    """The readers and channels of publishers."""

    def __init__(self, processes: NodeProcesses, channels: PublishChannels) -> None:
        self._processes = processes
        self._channels = channels

    @property
    def takes_time(self) -> bool:
        return self._processes.timed

    # --- the socket and the reader -----------------------------------------------------------------------------------
    def accept(self, publisher: Publisher, batch: Publish, spacing_us: int) -> None:
        """Put messages into the socket until the reader takes them; if work takes no time, it takes them now.
        `spacing_us`: how far apart the client sends them.
        """
        if not self._processes.timed and not publisher.waiting and not self._channels.alarm:
            self._channels.send(publisher, batch, spacing_us)
            if publisher.channel_state != CLOSED:
                self._channels.flush(publisher.name)
            return
        for each in batch.singles() if self._processes.timed else (batch,):
            publisher.waiting.append(each)
            each_ns = self._processes.meter.profile.cpu.reader_publish.of(1, each.size_bytes)
            reader = self._reader(publisher)
            reader.post(PUBLISH, each.count, partial(self._read, publisher, reader, spacing_us), each_ns)

    def has_room(self, publisher: Publisher) -> bool:
        """Return whether a publisher can write more into its socket."""
        unread = sum(batch.count * (batch.size_bytes + FRAMES_BYTES) for batch in publisher.waiting)
        return unread < SOCKET_BYTES

    def _reader(self, publisher: Publisher) -> WorkProcess:
        reader = self._processes.of("reader", publisher.name, may_read=partial(self._may_read, publisher))
        publisher.reader = reader
        return reader

    def _may_read(self, publisher: Publisher, reader: WorkProcess) -> int:
        """Return how many messages a reader takes now: none while it is blocked or an alarm is set (A3, F3)."""
        if self._channels.alarm:
            self._channels.seen(publisher)
            return 0
        return reader.may_send(_channel(publisher.name))

    def _read(self, publisher: Publisher, reader: WorkProcess, spacing_us: int, count: int) -> None:
        """Take messages from the socket and send them to the channel."""
        batch = publisher.waiting.popleft()
        if batch.count > count:
            publisher.waiting.appendleft(batch.part(count, batch.count - count))
            batch = batch.part(0, count)
        cpu = self._processes.meter.profile.cpu
        self._processes.meter.add(cpu.reader_publish.of(count, batch.size_bytes))
        channel = self._channel(publisher)
        reader.pay(channel.id, count)
        each_ns = cpu.channel_publish.each_ns
        route = partial(self._route, publisher, channel, batch, spacing_us, each_ns)
        reader.send(partial(channel.post, PUBLISH, count, route, each_ns))

    # --- the channel -------------------------------------------------------------------------------------------------
    def _channel(self, publisher: Publisher) -> WorkProcess:
        return self._processes.of("channel", publisher.name, after_each=partial(self._rest, publisher.name))

    def _route(
        self,
        publisher: Publisher,
        channel: WorkProcess,
        batch: Publish,
        spacing_us: int,
        each_ns: int,
        count: int,
    ) -> None:
        """Route messages in the channel; the reader gets credit for them."""
        self._processes.meter.add(count * each_ns)
        if batch.count > count:
            batch = batch.part(0, count)
        self._channels.send(publisher, batch, spacing_us)
        if publisher.channel_state == CLOSED or channel.ended:
            return  # what it published closed the channel
        channel.earned(f"reader:{publisher.name}", count)
        # It handled something other than a queue's message, so what it collected goes out (K10).
        self._channels.flush(publisher.name)

    def deliver(
        self,
        publisher: Publisher,
        queue: ClientQueue,
        arrivals: Sequence[DatedArrival],
        spacing_us: int,
        confirm: bool,
    ) -> None:
        """Send messages from a publisher's channel to a queue process, which gives the channel credit for
        them. `arrivals`: the messages with their expirations in milliseconds. `spacing_us`: how far apart the
        client sent them. `confirm`: whether to send a confirm that does not wait for the disk (K1).
        """
        if not self._processes.timed:
            queue.arrive(arrivals, spacing_us, confirm)
            return
        for arrival, expiration_ms in arrivals:
            self._travel(publisher, queue, arrival, spacing_us, confirm, expiration_ms)

    def _travel(
        self,
        publisher: Publisher,
        queue: ClientQueue,
        arrival: Arrival,
        spacing_us: int,
        confirm: bool,
        expiration_ms: int | None,
    ) -> None:
        """Send messages that share one expiration, when travelling takes time."""
        process, channel = queue.mailbox, self._channel(publisher)
        profile = self._processes.meter.profile
        each_ns = 0 if profile.instant else publish_ns(profile, queue.entry(arrival)) // arrival.count
        parcel = _Parcel(
            arrival, self._processes.spacing_us(each_ns // 1000, spacing_us), confirm, expiration_ms
        )
        arrive = partial(self._arrive, queue, process, parcel, channel.id)
        channel.pay(process.id, arrival.count)
        channel.send(partial(process.post, PUBLISH, arrival.count, arrive, each_ns))

    def _arrive(
        self, queue: ClientQueue, process: WorkProcess, parcel: _Parcel, sender: str, count: int
    ) -> None:
        """Let the queue process handle messages; the channel gets credit for them."""
        queue.arrive(((parcel.take(count), parcel.expiration_ms),), parcel.spacing_us, parcel.confirm)
        if not process.ended:
            process.earned(sender, count)

    def _rest(self, name: str, channel: WorkProcess) -> None:
        """Send the confirms that a channel collected once its mailbox is empty (K10)."""
        if not channel.ended and not channel.mailbox:
            self._channels.flush(name)

    @property
    def under_way(self) -> int:
        """Messages that were read and are in no queue yet."""
        return self._processes.mailboxes("channel", "queue")

    # --- blocked and gone --------------------------------------------------------------------------------------------
    def wake(self, publisher: Publisher) -> None:
        """Let the reader go on: the alarm is over."""
        reader = self._processes.get(f"reader:{publisher.name}")
        if reader is not None:
            reader.wake()

    def close(self, publisher: Publisher) -> None:
        """End a connection: messages that were read are still routed, those in the socket are lost."""
        reader, channel = (self._processes.get(f"{kind}:{publisher.name}") for kind in ("reader", "channel"))
        if reader is not None:
            reader.clear()
        if channel is not None:
            channel.work_off()
        for kind in ("reader", "channel"):
            self._processes.end(f"{kind}:{publisher.name}")

    def drop(self, publisher: Publisher) -> None:
        """End the processes of a closed channel, and lose their messages."""
        for kind in ("reader", "channel"):
            self._processes.end(f"{kind}:{publisher.name}")


class _Parcel(msgspec.Struct):
    """Messages that are taken in parts, from the front."""

    rest: Arrival
    spacing_us: int
    confirm: bool
    expiration_ms: int | None

    def take(self, count: int) -> Arrival:
        taken = self.rest if count == self.rest.count else self.rest.part(0, count)
        self.rest = self.rest.part(count, self.rest.count - count)
        return taken


def _channel(name: str) -> str:
    return f"channel:{name}"
