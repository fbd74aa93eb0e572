"""What the commands do that a person gives by hand on a channel of their own: get, ack, reject, purge."""

from __future__ import annotations

from engine.amqp.declarations import check_access
from engine.amqp.errors import AmqpError
from engine.errors import CommandError
from engine.node.broker.definitions import Definitions
from engine.node.clients.closing import Closing
from engine.node.clients.consumers import Consumers
from engine.node.commands import commands as cmd
from engine.node.control.verbs import Handlers
from engine.node.queues.deliveries import Deliveries
from engine.node.queues.lifetimes import Lifetimes
from engine.node.queues.queues import Queues


class HandVerbs:
    """The hand's channel at work."""

    def __init__(
        self,
        definitions: Definitions,
        queues: Queues,
        lifetimes: Lifetimes,
        consumers: Consumers,
        closing: Closing,
    ) -> None:
        self._definitions = definitions
        self._queues = queues
        self._lifetimes = lifetimes
        self._consumers = consumers
        self._closing = closing

    def handlers(self) -> Handlers:
        """Return what does each of these commands."""
        return {
            cmd.Ack: self._ack,
            cmd.Requeue: self._requeue,
            cmd.Nack: self._nack,
            cmd.Reject: self._reject,
            cmd.AckTag: self._ack_tag,
            cmd.Get: self._get,
            cmd.Purge: self._purge,
        }

    def _queue(self, name: str, rule: str) -> Deliveries | None:
        """Return a queue that the hand may use; without one its channel is closed, and there is None."""
        try:
            check_access(self._definitions.queues.get(name), name, "hand")
        except AmqpError as error:
            self._closing.fail("hand", error, rule)
            return None
        return self._queues[name]

    def _check_held(self, count: int) -> None:
        held = len(self._consumers.hand.channel)
        if count > held:
            raise CommandError(
                f"{held} messages are held by hand, not {count}; "
                "first use get with ack, or a consumer with manual acks"
            )

    def _ack(self, command: cmd.Ack) -> None:
        self._check_held(command.count)
        self._consumers.ack_held(command.count, command.multiple)

    def _requeue(self, command: cmd.Requeue) -> None:
        self._check_held(command.count)
        self._consumers.requeue_held(command.count)

    def _nack(self, command: cmd.Nack) -> None:
        self._check_held(command.count)
        self._consumers.nack_held(command.count, command.multiple, command.requeue)

    def _reject(self, command: cmd.Reject) -> None:
        self._check_held(command.count)
        self._consumers.nack_held(command.count, False, command.requeue)

    def _ack_tag(self, command: cmd.AckTag) -> None:
        try:
            self._consumers.ack_tag(command.tag, command.multiple)
        except AmqpError as error:
            self._closing.fail("hand", error, "P14")

    def _get(self, command: cmd.Get) -> None:
        queue = self._queue(command.queue, "P18")
        if queue is None:
            return
        if not queue.state.len:
            raise CommandError("the queue is empty; publish something first")
        self._consumers.get(command.queue, command.count, command.ack)
        self._lifetimes.used(command.queue)

    def _purge(self, command: cmd.Purge) -> None:
        queue = self._queue(command.queue, "P19")
        if queue is not None:
            queue.purge()
