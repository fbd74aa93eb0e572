"""Publisher confirms in the channels: awaited queues, and the frames that go out (K1, K8, K10)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

import msgspec

from engine.amqp.errors import AmqpError
from engine.backing_queue.protocol import Arrival
from engine.broker.clients.actors import Publisher
from engine.broker.time.process import PUBLISH
from engine.broker.time.processes import NodeProcesses
from engine.mirrored_queue.ring import QueueRecord
from engine.report.transitions.base import Transition, Why
from engine.report.transitions.node import Committed, ConfirmsSent, NacksSent
from engine.values.labels import member, queue_of
from engine.values.stretches import Range, RangeSet, Stretches, StretchRecord


class AwaitedConfirm(StretchRecord, frozen=True, gc=False):
    """Messages whose publisher waits for queues to confirm them (K1).

    Args:
        start: number of the first message.
        queues: those that have not confirmed yet (K10); for a mirrored queue its members, as "queue@node" (H46).
        first: publish number of the first message on the publisher's channel.
        confirmed_by: mirrored queues of which a member has already confirmed.
    """

    actor: str
    queues: tuple[str, ...]
    first: int
    confirmed_by: tuple[str, ...] = ()

    def part(self, offset: int, count: int) -> AwaitedConfirm:
        return AwaitedConfirm(
            self.start + offset, count, self.actor, self.queues, self.first + offset, self.confirmed_by
        )

    def continued_by(self, after: AwaitedConfirm) -> bool:
        """Return whether `after` has the same publisher and waits for the same queues."""
        return (
            self.actor == after.actor
            and self.queues == after.queues
            and self.confirmed_by == after.confirmed_by
            and self.first + self.count == after.first
        )


class ConfirmSender:
    """Tracks and sends the confirms of all channels of a node. `publishers`: by name; their connections fill
    it. `processes`: of the node; if work takes time, confirms travel to its channels. `fail`: called with a
    publisher whose channel must be closed.
    """

    def __init__(
        self,
        publishers: dict[str, Publisher],
        records: Mapping[str, QueueRecord],
        processes: NodeProcesses,
        emit: Callable[[Transition], None],
        fail: Callable[[str, AmqpError], None],
    ) -> None:
        self.publishers = publishers
        self._records = records
        self._processes = processes
        self._emit = emit
        self.fail = fail
        self._collected: dict[str, dict[tuple[str, str], list[Range]]] = {}
        self._awaited: Stretches[AwaitedConfirm] = Stretches()
        self._by_hand: dict[str, Publisher] = {}
        """Who publishes on channels by hand."""
        self.observer: Callable[[str, Sequence[Range], bool], None] | None = None
        """Called with publish numbers that are confirmed (true) or rejected; set by tests."""
        self.witness: Callable[[Range], None] | None = None
        """Called with messages that all their queues have confirmed; set by code that counts losses."""

    @property
    def awaited(self) -> Iterable[AwaitedConfirm]:
        return self._awaited

    def _publisher(self, actor: str) -> Publisher | None:
        return self.publishers.get(actor) or self._by_hand.get(actor)

    def expect(self, publisher: Publisher, messages: Range, queues: Sequence[str]) -> None:
        """Let the publisher of a batch wait for these queues; with no queue, confirm at once (K1)."""
        if publisher.name not in self.publishers:
            self._by_hand[publisher.name] = publisher
        first = publisher.next_number
        publisher.next_number += messages.count
        if queues:
            publisher.unconfirmed += messages.count
            self._awaited.insert(
                AwaitedConfirm(messages.start, messages.count, publisher.name, tuple(queues), first)
            )
        else:
            self._witness_confirmed(messages)
            self._confirm(publisher, [Range(first, messages.count)], "K1", {"cause": "immediate"})

    # --- what queues report ------------------------------------------------------------------------------------------
    def confirmed(self, queue: str, messages: Sequence[Range]) -> None:
        """Take the confirms of messages whose disk writes are done (K8), awaited or not."""
        self._settle(queue, messages, "K8", "written")

    def discarded(self, queue: str, arrival: Arrival) -> None:
        """Take the confirms of messages that left without being queued (K2)."""
        if arrival.wants_confirm:
            self._settle(queue, [Range(arrival.msg_no, arrival.count)], "K2", "delivered")

    def taken(self, queue: str, messages: Range) -> None:
        """Take the immediate confirms of a queue that might have rejected messages (K1)."""
        self._settle(queue, [messages], "K1", "immediate")

    def rejected(self, queue: str, messages: Range, cause: str = "overflow") -> None:
        """Nack messages that a queue did not take, whatever other queues report (K10)."""
        self._nack(self._awaited.remove(messages.start, messages.count), cause)

    def queue_deleted(self, queue: str) -> None:
        """Count everything that a deleted queue had yet to confirm as confirmed (K10)."""
        everything = [Range(each.start, each.count) for each in self._awaited]
        self._settle(queue, everything, "K10", "deleted", all_members=True)

    def member_confirmed(self, queue: str, node: str, messages: Sequence[Range]) -> None:
        """Take the confirms of one member of a mirrored queue (H46, H47)."""
        self._settle(queue, messages, "H46", "member", node)

    def member_gone(self, queue: str, node: str) -> None:
        """Stop waiting for a member that ended in order or with its node. If it was the last, messages that
        another member had confirmed are confirmed, and the others are rejected (H46).
        """
        name = member(queue, node)
        rejected: list[AwaitedConfirm] = []
        confirmed: list[Range] = []
        for each in [each for each in self._awaited if name in each.queues]:
            left = tuple(other for other in each.queues if other != name)
            if queue in {queue_of(other) for other in left}:
                self._awaited.remove(each.start, each.count)
                self._awaited.insert(msgspec.structs.replace(each, queues=left))
            elif queue in each.confirmed_by:
                confirmed.append(Range(each.start, each.count))
            else:
                self._awaited.remove(each.start, each.count)
                rejected.append(each)
        self._settle(queue, confirmed, "H46", "member", node)
        self._nack(rejected, "gone")

    def queue_crashed(self, queue: str, node: str | None = None) -> None:
        """Nack what a crashed queue process had not confirmed (K10)."""
        name = queue if node is None else member(queue, node)
        lost = [each for each in self._awaited if name in each.queues]
        for each in lost:
            self._awaited.remove(each.start, each.count)
        self._nack(lost, "crashed")

    def _settle(
        self,
        queue: str,
        messages: Iterable[Range],
        rule: str,
        cause: str,
        node: str | None = None,
        all_members: bool = False,
    ) -> None:
        """Note that a queue confirmed messages; send confirms for those that all their queues confirmed (K10). `node`:
        of the member that confirmed; None for the master. `all_members`: whether to stop waiting for all members.
        """
        if node is None and queue in self._records:
            node = self._records[queue].master
        names = {queue} if node is None else {queue, member(queue, node)}
        ready: dict[str, list[Range]] = {}
        for each in messages:
            for found in self._awaited.remove(each.start, each.count):
                left = tuple(
                    name
                    for name in found.queues
                    if name not in names and not (all_members and queue_of(name) == queue)
                )
                if left:
                    confirmed_by = found.confirmed_by
                    if left != found.queues and queue not in confirmed_by:
                        confirmed_by = (*confirmed_by, queue)
                    self._awaited.insert(
                        msgspec.structs.replace(found, queues=left, confirmed_by=confirmed_by)
                    )
                else:
                    self._witness_confirmed(Range(found.start, found.count))
                    ready.setdefault(found.actor, []).append(Range(found.first, found.count))
        for actor, numbers in ready.items():
            count = sum(each.count for each in numbers)
            self._carry(actor, count, partial(self._collect, actor, numbers, rule, cause))

    def _carry(self, actor: str, count: int, take: Callable[[], None]) -> None:
        """Bring confirms from a queue to a publisher's channel (K10)."""
        channel = self._processes.get(f"channel:{actor}")
        if channel is None:
            take()
            self.flush(actor)
            return
        ns = self._processes.meter.profile.cpu.channel_confirm_extra.of(count)
        post = partial(channel.post, PUBLISH, 1, partial(self._arrived, take, ns), ns)
        sender = self._processes.cores.running
        if sender is None:
            post()
        else:
            sender.send(post)

    def _arrived(self, take: Callable[[], None], ns: int, _: int) -> None:
        self._processes.meter.add(ns)
        take()

    def _witness_confirmed(self, messages: Range) -> None:
        if self.witness is not None:
            self.witness(messages)

    def _collect(self, actor: str, numbers: list[Range], rule: str, cause: str) -> None:
        """Keep confirms in the channel until it sends them (K10)."""
        self._collected.setdefault(actor, {}).setdefault((rule, cause), []).extend(numbers)

    def flush(self, actor: str) -> None:
        """Send the collected confirms, when the channel's mailbox is empty or it did something else (K10)."""
        if actor not in self._collected:
            return
        publisher = self._publisher(actor)
        for (rule, cause), numbers in self._collected.pop(actor).items():
            if publisher is not None:
                publisher.unconfirmed -= sum(each.count for each in numbers)
                why: Why = {"cause": cause, "left": publisher.unconfirmed}
                self._confirm(publisher, numbers, rule, why)

    # --- what publishers receive -------------------------------------------------------------------------------------
    def _confirm(self, publisher: Publisher, numbers: Sequence[Range], rule: str, why: Why) -> None:
        count = sum(each.count for each in numbers)
        if self.observer is not None:
            self.observer(publisher.name, numbers, True)
        if publisher.tx is not None:
            if publisher.tx.confirmed(count):
                commits = publisher.tx.commits
                self._emit(Committed("D13", publisher.name, publisher.tx.size, {"commits": commits}))
            return
        publisher.confirmed += count
        if publisher.uses_later_fields:
            why |= self._frames(publisher, numbers)
        self._emit(ConfirmsSent(rule, publisher.name, count, why))

    def _frames(self, publisher: Publisher, numbers: Sequence[Range]) -> Why:
        """Return the frames of confirms: one up to the first number that still waits, then one each (K10)."""
        confirmed = RangeSet(numbers)
        waiting = [each.first for each in self._awaited if each.actor == publisher.name]
        cut = min(waiting, default=max(each.end for each in numbers))
        below = list(confirmed.inside(0, cut))
        together = sum(each.count for each in below)
        return {
            "multiple_to": below[-1].end - 1 if together > 1 else None,
            "singles": len(confirmed) - together if together > 1 else len(confirmed),
        }

    def _nack(self, lost: Iterable[AwaitedConfirm], cause: str) -> None:
        counts: dict[str, int] = {}
        for each in lost:
            if self.observer is not None:
                self.observer(each.actor, [Range(each.first, each.count)], False)
            counts[each.actor] = counts.get(each.actor, 0) + each.count
        for actor, count in counts.items():
            publisher = self._publisher(actor)
            if publisher is not None:
                publisher.unconfirmed -= count
                if publisher.tx is not None and publisher.tx.at_commit:
                    publisher.tx.refused = True
                    continue
                if publisher.tx is not None:
                    self.fail(actor, AmqpError("precondition_failed", "partial tx completion"))
                    continue
                self._emit(NacksSent("K10", actor, count, {"cause": cause, "left": publisher.unconfirmed}))

    # --- ends --------------------------------------------------------------------------------------------------------
    def forget(self, actor: str) -> None:
        """Forget the confirms of a publisher's closed channel."""
        self._collected.pop(actor, None)
        for each in [each for each in self._awaited if each.actor == actor]:
            self._awaited.remove(each.start, each.count)

    def clear(self) -> None:
        self._collected.clear()
        self._awaited.clear()
