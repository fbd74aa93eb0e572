"""Telling the settings whenever a command or a start changed one."""

from __future__ import annotations

from engine.broker.queues.queues import NodeQueues
from engine.broker.vhost.configuration import QUEUE, NodeConfiguration
from engine.broker.vhost.reported_state import ReportedState
from engine.report.transitions.base import Why


class ShownSettings:
    """The settings of one node as they are shown."""

    def __init__(self, configuration: NodeConfiguration, queues: NodeQueues, board: ReportedState) -> None:
        self._configuration = configuration
        self._queues = queues
        self._board = board

    def info_items(self) -> Why:
        """Return what is shown of the settings: those of the run, and those that commands changed."""
        wish = self._queues.wishes.get(QUEUE)
        mode, target = (wish.mode, wish.target) if wish is not None else ("default", None)
        return self._configuration.info_items(mode, target)

    def report_settings(self, rule: str = "set") -> None:
        """Report the settings that differ from what was reported."""
        self._board.report_part("settings", rule, self.info_items())
