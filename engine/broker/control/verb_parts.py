"""Parts that several verbs use: settings, clients, and the ends of queues (P18, P19, D4)."""

from __future__ import annotations

from engine.broker.clients.connections import ChannelClosing
from engine.broker.commands.operator_commands import Death
from engine.broker.memory.model import RESIDUAL_PCT
from engine.broker.mirrors.membership import NodeParts, PendingCalls
from engine.broker.mirrors.mirrored_queues import MirroredQueues
from engine.broker.queues.queues import NodeQueues
from engine.broker.time.processes import NodeProcesses
from engine.broker.vhost.configuration import QUEUE, NodeConfiguration
from engine.broker.vhost.reported_state import ReportedState
from engine.costs import each_us
from engine.report.transitions.base import Why


class ShownSettings:
    """The settings of one node as they are shown."""

    def __init__(self, configuration: NodeConfiguration, queues: NodeQueues, board: ReportedState) -> None:
        self._configuration = configuration
        self._queues = queues
        self._board = board

    def info_items(self) -> Why:
        """Return the shown settings: those of the run, and those that commands changed."""
        wish = self._queues.wishes.get(QUEUE)
        mode, target = (wish.mode, wish.target) if wish is not None else ("default", None)
        return self._configuration.info_items(mode, target)

    def report_settings(self, rule: str = "set") -> None:
        """Report the settings that changed since the last report."""
        self._board.report_part("settings", rule, self.info_items())


class VerbParts:
    """The parts of a node that verbs work on."""

    def __init__(self, below: NodeParts, closing: ChannelClosing, patience: PendingCalls) -> None:
        self._definitions = below.definitions
        self._queues = below.queues
        self._lifetimes = below.lifetimes
        self._connections = below.connections
        self._consumers = below.consumers
        self._closing = closing
        self._patience = patience


class QueueEnds:
    """Deletes and kills the queues of one node."""

    def __init__(self, below: NodeParts, settings: ShownSettings, cluster: MirroredQueues) -> None:
        self._queues = below.queues
        self._consumers = below.consumers
        self._confirms = below.connections.confirms
        self._settings = settings
        self._cluster = cluster

    def delete(self, name: str, rule: str, cause: str) -> None:
        """Delete a queue: cancel its consumers, delete its messages and files, stop waiting for its confirms
        (P19). A queue whose node is down is forgotten; its files are deleted when the node starts (H72, H77).
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
        """Let a queue's process die; its supervisor starts another on the files (D4, Q62). `how`: after a
        kill, channels consume again by themselves; an error marks the queue as crashed, and they cancel.
        """
        if how == "error":
            self._consumers.cancel_all(name, "D4", "crash")
        else:
            self._consumers.lose_queue(name)
        self._confirms.queue_crashed(name)
        self._queues.crash(name)
        if how == "kill":
            self._consumers.served_anew(name, cancels=True)


class CostProfile:
    """The time that work takes on one node."""

    def __init__(
        self, configuration: NodeConfiguration, processes: NodeProcesses, board: ReportedState
    ) -> None:
        self._configuration = configuration
        self._processes = processes
        self._board = board

    def change(self, below: NodeParts) -> None:
        """Apply the setting's work profile from now on. Messages in mailboxes are handled first (P6)."""
        processes, queues = self._processes, below.queues
        processes.use("instant")
        processes.work_off()
        queues.change_machine()
        processes.end_all()
        processes.use(self._configuration.node.work_profile)
        processes.of_stores(below.first.host.stores, queues.sweep)
        queues.change_machine()
        below.connections.change_machine()
        self.report_work()
        for consumer in below.consumers.all.values():
            consumer.nothing_under_way()
            queues.way_out.serve(consumer)

    def report_work(self) -> None:
        """Report the machine if it changed since the last report."""
        self._board.report_part("work", "P6", self.info_items())

    def info_items(self) -> Why:
        """Return what is shown of the modelled machine, if somebody chose one; times are for a message of 1 KiB."""
        if not self._configuration.names_work:
            return {}
        profile = self._processes.meter.profile
        return {
            "profile": profile.name,
            "assumed": profile.assumed,
            "why": profile.why,
            "cores": profile.milli_cores / 1000,
            **each_us(profile),
            **{f"memory_{name}_residual_pct": value for name, value in RESIDUAL_PCT.items()},
        }
