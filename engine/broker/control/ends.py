"""How a queue ends by command or for AMQP's reasons, with all that hangs on it (P18, P19, D4)."""

from __future__ import annotations

from engine.broker.clients.confirms import ConfirmSender
from engine.broker.clients.consumers import Consumers
from engine.broker.commands.topology_commands import Death
from engine.broker.control.shown_settings import ShownSettings
from engine.broker.mirrors.mirrored_queues import MirroredQueues
from engine.broker.queues.queues import NodeQueues


class QueueEnds:
    """Deletes and kills the queues of one node."""

    def __init__(
        self,
        queues: NodeQueues,
        consumers: Consumers,
        confirms: ConfirmSender,
        settings: ShownSettings,
        cluster: MirroredQueues,
    ) -> None:
        self._queues = queues
        self._consumers = consumers
        self._confirms = confirms
        self._settings = settings
        self._cluster = cluster

    def delete(self, name: str, rule: str, cause: str) -> None:
        """Delete a queue: its consumers are cancelled, its messages and files go, confirms do not wait for it (P19).

        One that is down, as its node is, is forgotten; its files go when the node starts (H72, H77).
        """
        if name not in self._queues:
            self._cluster.forget(name, rule, cause)
            return
        self._consumers.forget_queue(name, rule, cause)
        self._cluster.ending(name)
        self._queues.end(name, rule, cause)
        self._cluster.ended(name)
        self._confirms.queue_deleted(name)
        self._settings.report_settings(rule)

    def kill(self, name: str, how: Death) -> None:
        """Let a queue's process die; its supervisor begins another, which has what the files hold (D4, Q62).

        Args:
            how: channels consume again by themselves where it was killed; an error marks the queue as crashed, and they
                cancel.
        """
        if how == "error":
            self._consumers.cancel_all(name, "D4", "crash")
        else:
            self._consumers.lose_queue(name)
        self._confirms.queue_crashed(name)
        self._queues.crash(name)
        if how == "kill":
            self._consumers.served_anew(name, cancels=True)
