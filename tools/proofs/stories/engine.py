"""The stories on the engine: steps become commands of a node, transitions become what clients see."""

from __future__ import annotations

import random
from collections import deque
from typing import Any

from engine.broker.clients.channel import DeliveredMessages
from engine.broker.commands.scenario import parse
from engine.ctl.console import ask_node, operated
from engine.releases import REFERENCE, RELEASES
from engine.report.transitions.base import Transition
from engine.report.transitions.node import (
    ChannelClosed,
    ConfirmsSent,
    ConnectionClosed,
    ConsumerCancelled,
    GotEmpty,
    NacksSent,
    Unroutable,
)
from engine.storage.ledger import LedgerStorage
from engine.values.errors import CommandError
from tools.proofs.stories.story import (
    HAND,
    PUBLISHER,
    Delivery,
    Step,
    View,
    comparable_headers,
    connection_of,
)

SETTLE_US = 100_000
KEEP = 100_000
FAST = 1_000_000
"""Messages a second that a consumer without acknowledgements takes: at once."""
OK_CODE = 200


class EnginePlayer:
    """Takes steps on a node of its own.

    Args:
        release: of the broker.
        mixing: draws how the messages of two channels mix that waited for the end of an alarm in one connection; each
            channel's own order stays. None: as they were published.
    """

    def __init__(self, release: str = REFERENCE.name, mixing: random.Random | None = None) -> None:
        self._mixing = mixing
        self._alarmed = False
        self._unread: dict[bool, deque[dict[str, Any]]] = {False: deque(), True: deque()}
        """Messages that wait in the connection, by whether their channel has confirms."""
        self._profile = next(each.profiles["real"] for each in RELEASES.values() if each.name == release)

    def begin(self) -> None:
        """Start a story from nothing."""
        scenario = {"version": 1, "profile": self._profile, "topology": {}, "until_us": 1}
        self.node = operated(parse(scenario), LedgerStorage(), KEEP)
        self.node.consumers.observe(self._deliver)
        self._seen = self.node.log.number
        self._view = View()
        self._together = False

    def take(self, step: Step) -> View:
        """Take one step and return what clients see of it."""
        self._view = View()
        words = {name: value for name, value in step.items() if name != "do"}
        ready_before = self._ready(words)
        try:
            getattr(self, f"_{step['do']}")(**words)
        except CommandError as error:
            self._view.closed.append(("refused", 0, str(error)))
        self.node.advance(self.node.now_us + SETTLE_US)
        self._observe()
        for name, queue in self.node.queues.items():
            self._view.queues[name] = (queue.depth, len(self.node.consumers.of(name)))
        if not self._view.closed and not words.get("no_wait"):
            self._answer(step["do"], words, ready_before)
        return self._view

    def _ready(self, words: Step) -> int:
        queue = self.node.queues.get(words.get("name") or words.get("queue") or "")
        return 0 if queue is None else queue.depth

    def _answer(self, verb: str, words: Step, ready_before: int) -> None:
        """Return what the broker's answer has: the counts of the state."""
        if verb == "declare_queue":
            self._view.answer = list(self._view.queues.get(words["name"], (0, 0)))
        elif verb in {"delete_queue", "purge"}:
            self._view.answer = [ready_before]

    def _submit(self, verb: str, on: str | None = None, **words: Any) -> None:
        channel = {} if on is None or (on == HAND and verb != "publish") else {"channel": on}
        self.node.submit({"do": verb, **channel, **words})

    def __getattr__(self, verb: str) -> Any:
        """Return what submits a step as the command of its name."""
        if verb.startswith("__"):
            raise AttributeError(verb)
        return lambda **words: self._submit(verb.removeprefix("_"), **words)

    # --- steps that are not commands of the same name ----------------------------------------------------------------

    def _publish(
        self, sizes: list[int], together: bool = False, pad_ms: int = 0, on: str | None = None, **words: Any
    ) -> None:
        self._together = together
        if together:  # one burst that comes in one go; only its first size is seen on the way out
            self._submit("publish", count=len(sizes), size_bytes=sizes[0], **words)
            return
        if self._mixing is not None and self._alarmed and on is None:
            self._unread[words["confirm"]].extend({"size_bytes": size, **words} for size in sizes)
            return
        for size in sizes:
            self._submit("publish", on=on, count=1, size_bytes=size, **words)
            self._observe()
            if self._view.closed:  # what is behind it in the socket is not read any more
                break
        if pad_ms:
            self._wait(pad_ms)

    def _consume(self, mode: str = "manual", on: str | None = None, **words: Any) -> None:
        if mode == "manual":
            # Its client says basic.qos first, which lifts the channel's limit even where the consume is refused.
            self._submit("qos", on=on, prefetch=words.get("prefetch", 0))
            self._submit("consume", on=on, **words)
        else:
            self._submit("set_consumer", ack="auto", rate_per_s=FAST, **words)

    def _get(self, queue: str, count: int = 1, ack: bool = True, on: str | None = None) -> None:
        self._submit("get", on=on, queue=queue, count=count, ack=ack)

    def _ack(
        self, tag: int | None = None, count: int = 0, multiple: bool = False, on: str | None = None
    ) -> None:
        if tag is not None:
            self._submit("ack_tag", on=on, tag=tag, multiple=multiple)
        elif count := min(count, self._held(on)):
            self._submit("ack", on=on, count=count, multiple=multiple)

    def _nack(self, tag: int | None = None, count: int = 0, on: str | None = None, **words: Any) -> None:
        if tag is not None:
            self._submit("nack_tag", on=on, tag=tag, **words)
        elif count := min(count, self._held(on)):
            self._submit("nack", on=on, count=count, **words)

    def _reject(self, tag: int | None = None, count: int = 0, on: str | None = None, **words: Any) -> None:
        if tag is not None:
            self._submit("nack_tag", on=on, tag=tag, reject=True, **words)
        elif count := min(count, self._held(on)):
            self._submit("reject", on=on, count=count, **words)

    def _held(self, on: str | None) -> int:
        channel = self.node.consumers.by_hand.get(on or HAND)
        return 0 if channel is None else len(channel.channel)

    def _qos(self, prefetch: int, channel: bool = False, on: str | None = None) -> None:
        self._submit("qos", on=on, prefetch=prefetch, channel_wide=channel)

    def _set_policy(self, **words: Any) -> None:
        try:
            self._submit("set_policy", **words)
        except CommandError:
            self._view.printed = "refused"

    def _clear_policy(self, name: str) -> None:
        try:
            self._submit("clear_policy", name=name)
        except CommandError:
            self._view.printed = "refused"

    def _cancel(self, name: str, on: str | None = None) -> None:
        if name in self.node.consumers.all:
            self._submit("cancel", name=name)

    def _close_channel(self, name: str = HAND) -> None:
        if name in self.node.consumers.by_hand or name in self.node.consumers.all:
            self._submit("close_channel", name=name)

    def _close_connection(self, name: str = HAND) -> None:
        if name == HAND or name in {connection_of(each) for each in self.node.consumers.by_hand}:
            self._submit("remove", name=name)

    def _ctl(self, line: str) -> None:
        self._view.printed = ask_node(self.node, line).text
        self._submit("ctl", line=line)

    def _alarm(self, on: bool) -> None:
        self._alarmed = on
        if not on and self._mixing is not None:
            while self._unread[False] or self._unread[True]:
                left = [len(self._unread[False]), len(self._unread[True])]
                (channel,) = self._mixing.choices((False, True), left)
                self._submit("publish", count=1, **self._unread[channel].popleft())
        self._submit("ctl", line=f"set_vm_memory_high_watermark {0 if on else 0.4}")

    def _kill_queue(self, queue: str, how: str = "kill") -> None:
        if queue in self.node.queues:
            self._submit("kill_queue", queue=queue, how=how)

    def _restart(self, kind: str) -> None:
        self._submit("restart", kind=kind)
        self._seen = self.node.log.number
        self._view = View()

    def _wait(self, ms: int) -> None:
        self.node.advance(self.node.now_us + 1000 * ms)

    # --- what clients see --------------------------------------------------------------------------------------------

    def _deliver(self, seen: DeliveredMessages) -> None:
        kind = self.node.kinds.of(seen.extent.template)
        properties = dict(kind.properties)
        if kind.expiration_ms is not None:
            properties["expiration"] = str(kind.expiration_ms)
        if seen.extent.raw_persistent:
            properties["delivery_mode"] = 2
        for i in range(seen.count):
            self._view.deliveries.append(
                Delivery(
                    seen.tag + i,
                    seen.consumer,
                    seen.extent.size_bytes,
                    seen.offset + i * seen.step < seen.redelivered,
                    kind.exchange,
                    kind.routing_key,
                    comparable_headers(kind.headers),
                    seen.channel,
                    properties,
                )
            )

    def _observe(self) -> None:
        rows = self.node.log.since(self._seen)
        assert rows is not None, "the log is too short for this step"
        self._seen = rows.next
        for row in rows.rows:
            self._other(row)

    def _other(self, row: Transition) -> None:
        view = self._view
        if isinstance(row, ConfirmsSent):
            view.confirmed += row.count
            view.together |= self._together and bool(row.why.get("multiple_to"))
        elif isinstance(row, GotEmpty):
            view.empty = True
        elif isinstance(row, NacksSent):
            view.nacked += row.count
        elif isinstance(row, Unroutable) and row.returned:
            view.returned.append((row.exchange, row.routing_key, row.count))
        elif isinstance(row, ChannelClosed | ConnectionClosed) and row.code != OK_CODE:
            name = PUBLISHER if row.actor == "burst" else row.actor
            view.closed.append(
                (connection_of(name) if isinstance(row, ConnectionClosed) else name, row.code, row.text)
            )
        elif isinstance(row, ConsumerCancelled) and row.why.get("cause") not in {"cancelled", "restart"}:
            view.cancelled.append(row.actor)
