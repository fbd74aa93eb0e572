"""The stories on the engine: steps become commands of a node, transitions become what a client sees."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from engine.ctl.operator import ask, operated
from engine.errors import CommandError
from engine.node.commands.scenario import parse
from engine.storage.ledger import LedgerStorage
from engine.transitions import (
    ChannelClosed,
    ConfirmsSent,
    ConnectionClosed,
    Fetched,
    NacksSent,
    PublishedDelivered,
    Transition,
    Unroutable,
)
from tests.interop.stories.story import Delivery, Step, View, comparable_headers

SETTLE_US = 100_000
KEEP = 100_000
HAND = "hand"
ROLES = {"burst": "publisher", HAND: HAND}


class EnginePlayer:
    """Takes steps on a node of its own."""

    def begin(self) -> None:
        """Start a story from nothing."""
        scenario = {"version": 1, "profile": "real", "topology": {}, "until_us": 1}
        self.node = operated(parse(scenario), LedgerStorage(), KEEP)
        self._seen = self.node.log.number
        self._next_tag = 1
        self._together = False

    def take(self, step: Step) -> View:
        """Take one step and return what a client sees of it."""
        view = View()
        words = {name: value for name, value in step.items() if name != "do"}
        try:
            getattr(self, f"_{step['do']}")(view, **words)
        except CommandError as error:
            view.closed.append(("refused", 0, str(error)))
        self.node.advance(self.node.now_us + SETTLE_US)
        self._look(view)
        return view

    def _submit(self, verb: str, **words: Any) -> None:
        self.node.submit({"do": verb, **words})

    # --- steps -------------------------------------------------------------------------------------------------------

    def _declare_queue(self, _: View, **words: Any) -> None:
        self._submit("declare_queue", **words)

    def _delete_queue(self, _: View, **words: Any) -> None:
        self._submit("delete_queue", **words)

    def _declare_exchange(self, _: View, **words: Any) -> None:
        self._submit("declare_exchange", **words)

    def _bind(self, _: View, **words: Any) -> None:
        self._submit("bind", **words)

    def _publish(self, view: View, sizes: list[int], together: bool = False, **words: Any) -> None:
        self._together = together
        if together:  # one burst that comes in one go; only its first size is seen on the way out
            self._submit("publish", count=len(sizes), size_bytes=sizes[0], mandatory=True, **words)
            return
        for size in sizes:
            self._submit("publish", count=1, size_bytes=size, **words)

    def _consume(self, _: View, elsewhere: bool = False, **words: Any) -> None:
        self._submit("set_consumer", ack="each" if elsewhere else "manual", rate_per_s=1, **words)

    def _cancel(self, _: View, name: str) -> None:
        self._submit("cancel", name=name)

    def _get(self, view: View, queue: str, count: int, ack: bool) -> None:
        waiting = self.node.queues[queue].state.len if queue in self.node.queues else count
        view.empty = waiting < count
        if waiting:
            self._submit("get", queue=queue, count=min(count, waiting), ack=ack)

    def _ack(self, _: View, tag: int, multiple: bool) -> None:
        self._submit("ack_tag", tag=tag, multiple=multiple)

    def _nack(self, _: View, count: int, multiple: bool, requeue: bool) -> None:
        self._submit("nack", count=count, multiple=multiple, requeue=requeue)

    def _reject(self, _: View, count: int, requeue: bool) -> None:
        self._submit("reject", count=count, requeue=requeue)

    def _close_channel(self, _: View) -> None:
        self._submit("close_channel", name=HAND)

    def _counts(self, view: View, queues: list[str]) -> None:
        for name in queues:
            found = self.node.queues.get(name)
            view.counts[name] = (
                None if found is None else (found.state.len, len(self.node.consumers.of(name)))
            )

    def _ctl(self, view: View, line: str) -> None:
        view.said = ask(self.node, line).text
        self._submit("ctl", line=line)

    def _wait(self, _: View, ms: int) -> None:
        self.node.advance(self.node.now_us + 1000 * ms)

    # --- what a client sees ------------------------------------------------------------------------------------------

    def _look(self, view: View) -> None:
        rows = self.node.log.since(self._seen)
        assert rows is not None, "the log is too short for this step"
        self._seen = rows.next
        taken: dict[tuple[str, int], Delivery] = {}
        gone: list[Delivery] = []
        for row in rows.rows:
            if isinstance(row, Fetched | PublishedDelivered):
                for queue, seq, seen in self._messages(row):
                    taken[queue, seq] = seen
                    if row.to is None:
                        gone.append(seen)
            else:
                self._other(view, row)
        self._deliveries(view, taken, gone)

    def _messages(self, row: Fetched | PublishedDelivered) -> Iterator[tuple[str, int, Delivery]]:
        redelivered = int(row.why.get("redelivered") or 0)
        for extent in row.extents:
            said = self.node.kinds.of(extent.template)
            headers = comparable_headers(said.headers)
            for i in range(extent.count):
                redelivered -= 1
                yield (
                    row.queue,
                    extent.start + i,
                    Delivery(
                        0, None, extent.size_bytes, redelivered >= 0, said.exchange, said.routing_key, headers
                    ),
                )

    def _deliveries(self, view: View, taken: dict[tuple[str, int], Delivery], gone: list[Delivery]) -> None:
        channel = self.node.hand.channel
        found = {}
        if any(actor == HAND for actor, *_ in view.closed) or channel.next_tag < self._next_tag:
            self._next_tag = 1
        for held in channel.unacked:
            for i in range(held.count):
                if held.start + i >= self._next_tag:
                    seen = taken[held.queue, held.seq_id + i]
                    found[held.start + i] = (held.consumer, seen)
        free = [tag for tag in range(self._next_tag, channel.next_tag) if tag not in found]
        found |= {tag: (None, seen) for tag, seen in zip(free, gone, strict=False)}
        self._next_tag = channel.next_tag
        for tag, (consumer, seen) in sorted(found.items()):
            view.deliveries.append(
                Delivery(
                    tag,
                    consumer,
                    seen.size_bytes,
                    seen.redelivered,
                    seen.exchange,
                    seen.routing_key,
                    seen.headers,
                )
            )

    def _other(self, view: View, row: Transition) -> None:
        if isinstance(row, ConfirmsSent):
            view.confirmed += row.count
            view.together |= self._together and bool(row.why.get("multiple_to"))
        elif isinstance(row, NacksSent):
            view.nacked += row.count
        elif isinstance(row, Unroutable) and row.returned:
            view.returned.append((row.exchange, row.routing_key, row.count))
        elif isinstance(row, ChannelClosed | ConnectionClosed) and row.code != 200:
            view.closed.append((ROLES.get(row.actor, "elsewhere"), row.code, row.text))
