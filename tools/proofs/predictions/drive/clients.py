"""The publishers and consumers of a workload as AMQP clients, each with a connection and a process of its own.

Threads of one Python would wait for each other, and their waiting would be measured as the node's.
"""

from __future__ import annotations

import multiprocessing
import signal
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any, Final

import pika
from pika.adapters import select_connection
from pika.exceptions import AMQPError

from engine.broker.commands.base import TICK_MS
from engine.broker.commands.client_commands import unpack, unpack_expirations
from tools.proofs.predictions.drive.seen import Seen

TICK_S = 0.005
"""How often a client checks what is due."""
PUBLISHER_TICK_S: Final = TICK_MS / 1000
"""How often a publisher does."""
STAMP_BYTES = 8
"""At the head of a body: when it was published, monotonic nanoseconds, which all processes of a machine share."""
BURST_ROUND = 100
"""Messages of a burst between two checks whether the connection is blocked."""
GRACE_S: Final = 3.0
"""Given to a client to close its connection."""
PROCESSES: Final = multiprocessing.get_context("fork")
"""A new interpreter would need half a second to begin, and a workload's times are exact."""


class Stopped(Exception):
    """A client that wrote to a socket which nobody reads was ended; what it saw counts."""


class Client:
    """A process with a connection, which works until it is stopped.

    Args:
        command: `set_publisher`, `set_consumer` or `publish`, as a scenario has it; or `replay`, a log.
    """

    def __init__(self, port: int, command: dict[str, Any]) -> None:
        self._verb = command["do"]
        self._pipe, theirs = PROCESSES.Pipe()
        self._process = PROCESSES.Process(target=_live, args=(port, command, theirs), daemon=True)
        self._process.start()
        theirs.close()

    def change(self, command: dict[str, Any]) -> None:
        """Go on with another rate."""
        with suppress(OSError):
            self._pipe.send(command)

    def stop(self) -> None:
        """Ask the client to close its connection."""
        with suppress(OSError):
            self._pipe.send(None)

    def ended(self) -> tuple[Seen, str | None]:
        """Wait for a client that was asked to stop; return what it saw, and in words why it ended early if it did."""
        if not self._pipe.poll(GRACE_S):
            self._process.terminate()
        try:
            seen, error = self._pipe.recv()
        except EOFError:
            seen, error = Seen(), f"{self._verb}: the process ended"
        self._process.join()
        self._pipe.close()
        return seen, error


def _live(port: int, command: dict[str, Any], pipe: Connection) -> None:
    """Be the client, in its process; send what was seen at the end."""
    # epoll waits for whole milliseconds: a consumer that needs 2.5 ms for a message would need 3.
    select_connection.SELECT_TYPE = "select"
    error = None
    client = _Connected(command, pipe)
    signal.signal(signal.SIGTERM, _stop)
    try:
        client.live(pika.ConnectionParameters("127.0.0.1", port, heartbeat=0))
    except Stopped:
        client.seen.unblocked()
    except (AMQPError, OSError) as failed:
        error = f"{command['do']}: {failed!r}"
    with suppress(OSError):
        pipe.send((client.seen, error))


def _stop(*_: Any) -> None:
    raise Stopped


class Hands:
    """What a consumer has in its hands: it works on one message after the other, and begins anew when it had none."""

    def __init__(self) -> None:
        self._began_s: float | None = None
        self._rate = self._done = 0

    def finished(self, held: int, rate: int, now_s: float) -> int:
        """Return how many of those that are held are finished since the last call."""
        if not held or rate != self._rate:
            self._began_s, self._rate = None, rate
        if not held or not rate:
            return 0
        if self._began_s is None:
            self._began_s, self._done = now_s, 0
        found = min(held, int((now_s - self._began_s) * rate) - self._done)
        self._done += found
        if found == held:
            self._began_s = None
        return found

    def wait_s(self, most: int, now_s: float) -> float:
        """Return how long to wait before asking again: at most until half of what may be held is finished.

        Who waits longer lets its hands run empty while the next messages could be on their way.

        Args:
            most: messages that it may hold, 0 for any number.
        """
        if self._began_s is None or not most:
            return TICK_S
        return min(TICK_S, max(0.0, self._began_s + (self._done + -(-most // 2)) / self._rate - now_s))


class _Connected:
    """The work of a client.

    Args:
        pipe: brings changes of the command, and None when the client is to stop.
    """

    def __init__(self, command: dict[str, Any], pipe: Connection) -> None:
        self.seen = Seen()
        self._command = command
        self._pipe = pipe
        self._blocked = False
        self._stopping = False

    def live(self, parameters: pika.ConnectionParameters) -> None:
        """Connect, work until stopped, and close the connection."""
        connection = pika.BlockingConnection(parameters)
        connection.add_on_connection_blocked_callback(lambda *_: self._set_blocked(True))
        connection.add_on_connection_unblocked_callback(lambda *_: self._set_blocked(False))
        channel = connection.channel()
        {
            "set_publisher": self._publish,
            "publish": self._burst,
            "replay": self._replay,
            "set_consumer": self._consume,
        }[self._command["do"]](connection, channel)
        if self._blocked:
            # The node reads nothing from this connection, so it would not answer; the connection ends with the process.
            self._set_blocked(False)
            return
        with suppress(AMQPError):
            connection.close()

    def _goes_on(self) -> bool:
        """Take what the pipe brought; return whether there is work to do."""
        while not self._stopping and self._pipe.poll():
            change = self._pipe.recv()
            self._stopping = change is None
            self._command = {**self._command, **(change or {})}
        return not self._stopping

    def _set_blocked(self, blocked: bool) -> None:
        if blocked != self._blocked:
            self._blocked = blocked
            (self.seen.blocked if blocked else self.seen.unblocked)()

    @property
    def _rate(self) -> int:
        """Messages a second that are asked for now."""
        running = self._command.get("running", True)
        return int(self._command.get("rate_per_s") or 0) if running else 0

    def _due(self) -> Callable[[], int]:
        """Return a function that returns how much is due since its last call; a change of the rate begins anew."""
        since, done, rate = time.monotonic(), 0, None

        def due() -> int:
            nonlocal since, done, rate
            now_rate = self._rate
            if now_rate != rate or self._blocked:
                since, done, rate = time.monotonic(), 0, now_rate
            found = int((time.monotonic() - since) * rate) - done
            done += found
            return found

        return due

    # --- publishers --------------------------------------------------------------------------------------------------

    def _publish(self, connection: pika.BlockingConnection, channel: Any) -> None:
        """Hand in what is due at each tick, as a scenario's publishers do; a queue syncs once for all of it."""
        due, send = self._due(), self._sender(channel, self._command)
        next_s = time.monotonic()
        while self._goes_on():
            for _ in range(due()):
                send()
            next_s = max(next_s + PUBLISHER_TICK_S, time.monotonic())
            while (left_s := next_s - time.monotonic()) > 0:
                connection.process_data_events(left_s)

    def _burst(self, connection: pika.BlockingConnection, channel: Any) -> None:
        send, left = self._sender(channel, self._command), self._command.get("count", 1)
        while left and self._goes_on():
            if not self._blocked:
                for _ in range(min(left, BURST_ROUND)):
                    send()
                left -= min(left, BURST_ROUND)
            connection.process_data_events(TICK_S if self._blocked else 0)
        while self._goes_on():
            connection.process_data_events(TICK_S)

    def _replay(self, connection: pika.BlockingConnection, channel: Any) -> None:
        """Publish each burst of a log at its time; what came due while the connection was blocked comes after it."""
        waiting = deque(self._command["bursts"])
        began_s = self._command["began_s"]
        while self._goes_on():
            while waiting and not self._blocked and waiting[0]["at_us"] <= 1e6 * (time.monotonic() - began_s):
                burst = {"queue": self._command["queue"], **waiting.popleft()}
                send = self._sender(channel, burst)
                for size_bytes, expiration_ms in _messages(burst):
                    send(size_bytes, expiration_ms)
                connection.process_data_events(0)
            connection.process_data_events(TICK_S)

    def _sender(self, channel: Any, asked_for: dict[str, Any]) -> Callable[..., None]:
        """Return what publishes one message, of a size and an expiration of its own if given them.

        Confirms are waited for beside it.
        """
        properties = pika.BasicProperties(delivery_mode=2 if asked_for.get("persistent") else 1)
        exchange = asked_for.get("exchange", "")
        key = asked_for.get("routing_key") if exchange else asked_for.get("routing_key") or asked_for["queue"]
        unconfirmed: deque[tuple[int, int]] = deque()
        if asked_for.get("confirm"):
            channel._impl.confirm_delivery(lambda frame: self._confirmed(unconfirmed, frame.method))
        number, padding = 0, b""

        def send(
            size_bytes: int = asked_for["size_bytes"],
            expiration_ms: int | None = asked_for.get("expiration_ms"),
        ) -> None:
            nonlocal number, padding
            properties.expiration = None if expiration_ms is None else str(expiration_ms)
            if len(padding) != size_bytes - STAMP_BYTES:
                padding = b"x" * max(0, size_bytes - STAMP_BYTES)
            number += 1
            now_ns = time.monotonic_ns()
            if asked_for.get("confirm"):
                unconfirmed.append((number, now_ns))
            body = now_ns.to_bytes(STAMP_BYTES) + padding
            channel._impl.basic_publish(exchange, key or "", body, properties)
            self.seen.published(len(body))

        return send

    def _confirmed(self, unconfirmed: deque[tuple[int, int]], method: Any) -> None:
        now_ns = time.monotonic_ns()
        of_tag = [
            each
            for each in unconfirmed
            if each[0] == method.delivery_tag or (method.multiple and each[0] < method.delivery_tag)
        ]
        for each in of_tag:
            unconfirmed.remove(each)
            self.seen.confirmed((now_ns - each[1]) / 1e9)

    # --- consumers ---------------------------------------------------------------------------------------------------

    def _consume(self, connection: pika.BlockingConnection, channel: Any) -> None:
        asked_for = self._command
        held: deque[int] = deque()
        auto = asked_for.get("ack") == "auto"

        def on_message(_: Any, method: Any, __: Any, body: bytes) -> None:
            wait_ns = time.monotonic_ns() - int.from_bytes(body[:STAMP_BYTES])
            self.seen.delivered(wait_ns / 1e9, bool(method.redelivered))
            if not auto:
                held.append(method.delivery_tag)

        channel.basic_qos(prefetch_count=asked_for.get("prefetch", 0))
        channel.basic_consume(asked_for["queue"], on_message, auto_ack=auto)
        hands = Hands()
        while self._goes_on():
            connection.process_data_events(hands.wait_s(asked_for.get("prefetch", 0), time.monotonic()))
            done = [held.popleft() for _ in range(hands.finished(len(held), self._rate, time.monotonic()))]
            if done and asked_for.get("ack") == "multiple":
                channel.basic_ack(done[-1], multiple=True)
            else:
                for tag in done:
                    channel.basic_ack(tag)


def _messages(burst: dict[str, Any]) -> Iterator[tuple[int, int | None]]:
    """Yield the body bytes and the expiration in milliseconds of each message of a burst."""
    count = burst.get("count", 1)
    sizes = unpack(burst["sizes"], count) if "sizes" in burst else [burst["size_bytes"]] * count
    own = burst.get("expirations")
    expirations = unpack_expirations(own, count) if own else [burst.get("expiration_ms")] * count
    return zip(sizes, expirations, strict=True)
