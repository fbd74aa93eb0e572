"""Dead letters: messages that died in a queue are published again to its dead-letter exchange (P8, P9, P11)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from msgspec.structs import replace

from engine.amqp.arguments import AmqpRules
from engine.amqp.deaths import died, without_cycles
from engine.amqp.policies import EffectivePolicy
from engine.backing_queue.arrivals import Arrival
from engine.broker.commands.base import MessageFields
from engine.broker.queues.deliveries import QueueDeliveries
from engine.broker.queues.evictions import Dead, Reason
from engine.broker.time.process import PUBLISH
from engine.broker.time.scheduler import TimerScheduler
from engine.broker.vhost.definitions import HostDefinitions
from engine.broker.vhost.message_kinds import MessageKinds
from engine.report.transitions.amqp import DeadLettered
from engine.report.transitions.base import Transition
from engine.values.extents import Extent
from engine.values.labels import bare, beside
from engine.values.sizes import Sizes
from engine.values.sizes import at as one_of

SECOND_US = 1_000_000


class DeadLetters:
    """Dead messages on their way: they are in their new queues when the event that killed them has ended.

    Args:
        kinds: numbers of messages, and of what they carry.
        rules: of the release.
    """

    def __init__(
        self,
        definitions: HostDefinitions,
        kinds: MessageKinds,
        clock: TimerScheduler,
        emit: Callable[[Transition], None],
        rules: AmqpRules,
    ) -> None:
        self._definitions = definitions
        self._kinds = kinds
        self._clock = clock
        self._emit = emit
        self.waiting: deque[tuple[Arrival, tuple[str, ...]]] = deque()
        self._rules = rules

    def bury(self, queue: str, reason: Reason, dead: Sequence[Dead], limits: EffectivePolicy) -> None:
        """Give dead messages their new headers and route them; cycles are broken."""
        if limits.dead_letter_exchange is None:
            return
        exchange = beside(queue, limits.dead_letter_exchange)
        if exchange not in self._definitions.exchanges.exchanges:
            return
        apart = self._rules.deaths_apart
        for extent, times in dead:
            before = self._kinds.of(extent.template)
            key = limits.dead_letter_routing_key
            headers = died(
                before.headers,
                reason=reason,
                queue=bare(queue),
                exchange=before.exchange,
                routing_key=before.routing_key,
                time_s=self._clock.now_us // SECOND_US,
                expiration_ms=None if extent.read_back and not apart else before.expiration_ms,
                new_routing_key=key,
                copies=before.copies if apart else None,
                died_before=before.rewritten,
            )
            again = MessageFields(
                exchange,
                before.routing_key if key is None else key,
                headers=headers,
                properties=before.properties,
                copies=before.copies if key is None else (),
                rewritten=True,
            )
            routed = self._definitions.route(exchange, again.routing_keys, headers)
            names, cycling = without_cycles(reason, headers, [bare(each) for each in routed])
            to = tuple(beside(queue, each) for each in names)
            why: dict[str, int | float | str | bool | None] = {"cycling": len(cycling)}
            rule = "P11" if reason == "rejected" else "P9" if reason == "expired" else "P8"
            self._emit(DeadLettered(rule, queue, reason, extent.count, exchange, again.routing_key, to, why))
            if to:
                arrival = Arrival(
                    extent.count,
                    self._kinds.take_numbers(extent.count),
                    extent.size_bytes,
                    extent.raw_persistent,
                    template=self._kinds.number(again, extent.raw_persistent),
                    deliveries=times,
                )
                singly = isinstance(arrival.size_bytes, Sizes)
                for each in self._singly(arrival, extent) if singly else (arrival,):
                    self._kinds.remember(each)
                    self.waiting.append((each, to))

    @staticmethod
    def _singly(arrival: Arrival, dead: Extent) -> Iterator[Arrival]:
        """Yield messages with new numbers one by one, each with the body bytes that it had under its old one."""
        for at in range(dead.count):
            size_bytes = one_of(dead.size_bytes, dead.msg_no + at)
            yield replace(arrival, count=1, msg_no=arrival.msg_no + at, size_bytes=size_bytes)

    def deliver(self, queues: Mapping[str, QueueDeliveries]) -> None:
        """Let dead letters arrive, and those that this kills in turn."""
        while self.waiting:
            arrival, to = self.waiting.popleft()
            for name in to:
                if name in queues:
                    queue = queues[name]
                    queue.process.send(PUBLISH, partial(queue.arrive, arrival, 0))

    def forget(self) -> None:
        """The node stopped: what was on its way is lost."""
        self.waiting.clear()
