"""The machine that is modelled: changing to another one while the node runs (P6)."""

from __future__ import annotations

from engine.broker.clients.connections import PublisherConnections
from engine.broker.clients.consumers import Consumers
from engine.broker.memory.calibration import RESIDUAL_PCT
from engine.broker.queues.queues import NodeQueues
from engine.broker.time.processes import NodeProcesses
from engine.broker.vhost.configuration import NodeConfiguration
from engine.broker.vhost.reported_state import ReportedState
from engine.broker.vhost.virtual_hosts import VirtualHosts
from engine.costs.work import each_us
from engine.report.transitions.base import Why


class CostProfile:
    """The work costs of one node."""

    def __init__(
        self, configuration: NodeConfiguration, processes: NodeProcesses, board: ReportedState
    ) -> None:
        self._configuration = configuration
        self._processes = processes
        self._board = board

    def change(
        self, host: VirtualHosts, queues: NodeQueues, connections: PublisherConnections, consumers: Consumers
    ) -> None:
        """Let work cost what the setting demands from now on. What waits in a mailbox is handled first (P6)."""
        processes = self._processes
        processes.use("instant")
        processes.work_off()
        queues.change_machine()
        processes.end_all()
        processes.use(self._configuration.node.work_profile)
        processes.of_stores(host.stores, queues.sweep)
        queues.change_machine()
        connections.change_machine()
        self.report_work()
        for consumer in consumers.all.values():
            consumer.nothing_under_way()
            queues.way_out.serve(consumer)

    def report_work(self) -> None:
        """Report the machine where it differs from what was reported."""
        self._board.report_part("work", "P6", self.info_items())

    def info_items(self) -> Why:
        """Return what is shown of the machine that is modelled, once anybody named one; times of a message of 1 KiB."""
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
