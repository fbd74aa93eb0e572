"""What the operator's commands do: settings, lines of rabbitmqctl, stops and starts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import msgspec

from engine.broker.commands import cluster_commands as cluster_cmd
from engine.broker.commands import commands as cmd
from engine.broker.commands import operator_commands as operator_cmd
from engine.broker.commands.base import Command
from engine.broker.control.monitors import MemoryMonitors
from engine.broker.control.node_lifecycle import NodeLifecycle
from engine.broker.control.report import ChangeReport, LiveValues
from engine.broker.control.shown_settings import ShownSettings
from engine.broker.control.verbs import Handlers
from engine.broker.mirrors.mirrored_queues import MirroredQueues
from engine.broker.queues.node import BrokerNode
from engine.broker.queues.queue_process import MILLISECOND_US, QueueProcess
from engine.broker.queues.queues import NodeQueues
from engine.broker.time.scheduler import TimerScheduler
from engine.broker.vhost.configuration import NodeConfiguration
from engine.values.errors import CommandError

Console = Callable[[str, Mapping[str, Any], LiveValues], dict[str, Any]]
"""Returns the command that a line of rabbitmqctl stands for, from the node's snapshot and what it leaves out.

Raises CommandError when rabbitmqctl would refuse the line.
"""


def no_console(line: str, state: Mapping[str, Any], live: LiveValues) -> dict[str, Any]:
    """Fail: whoever made this node gave it no console, and yet a command `ctl`.

    Raises RuntimeError.
    """
    raise RuntimeError(
        f"a node without a console cannot do {line}; engine.ctl.operator makes one that has it"
    )


class OperatorVerbs:
    """The operator at work.

    Args:
        change_machine: lets work cost what the settings give now.
        console: understands lines of rabbitmqctl.
        do: does another command.
    """

    def __init__(
        self,
        *,
        configuration: NodeConfiguration,
        settings: ShownSettings,
        queues: NodeQueues,
        monitors: MemoryMonitors,
        life: NodeLifecycle,
        report: ChangeReport,
        change_machine: Callable[[], None],
        console: Console,
        do: Callable[[Command], None],
        cluster: MirroredQueues,
        clock: TimerScheduler,
    ) -> None:
        self._clock = clock
        self._configuration = configuration
        self._settings = settings
        self._queues = queues
        self._monitors = monitors
        self._life = life
        self._report = report
        self._change_machine = change_machine
        self._console = console
        self._do = do
        self._cluster = cluster

    def handlers(self) -> Handlers:
        """Return what does each of these commands."""
        return {
            operator_cmd.Set: self._set,
            operator_cmd.AskQueues: self._ask_queues,
            operator_cmd.Ctl: self._ctl,
            operator_cmd.StopApp: self._stop_app,
            operator_cmd.StartApp: self._start_app,
            operator_cmd.Restart: self._restart,
        }

    def _process(self, name: str) -> QueueProcess:
        """Return the process of a queue that is there."""
        queue = self._queues.get(name)
        if queue is None:
            known = ", ".join(self._queues) or "none"
            raise CommandError("no_queue", name=name, known=known)
        return queue.process

    def _set(self, command: operator_cmd.Set) -> None:
        value: Any = command.value
        if command.name == "work_profile" and self._clustered:
            raise CommandError("cluster_instant")
        if command.name == "queue_mode":
            process = self._process(command.queue)
            self._queues.wishes[command.queue].mode = value
            self._settings.report_settings()
            process.set_mode(value)
            process.handled()
        elif command.name == "target_ram_count" and command.node is not None:
            member = (
                self._cluster.process(command.queue, command.node) if command.queue in self._queues else None
            )
            if member is None:
                known = ", ".join(self._queues) or "none"
                raise CommandError("no_member", name=command.queue, node=command.node, known=known)
            member.pin_target(value)
        elif command.name == "target_ram_count":
            process = self._process(command.queue)
            self._queues.wishes[command.queue].target = value
            self._settings.report_settings()
            process.pin_target(value)
        else:
            self._configuration.change(command.name, cmd.value_of(command))
            self._settings.report_settings()
            if command.name == "work_profile":
                self._change_machine()
            elif command.name == "disk_free_limit":
                self._monitors.disk.check_space()
                self._monitors.others.watch_disks()
            elif command.name != "disk_free_bytes_other":
                self._monitors.measure_memory()

    def _ctl(self, command: operator_cmd.Ctl) -> None:
        self._do(cmd.parse(self._console(command.line, self._report.snapshot(), self._report.live())))

    def _stop_app(self, _: operator_cmd.StopApp) -> None:
        if self._clustered:
            if self._first.up:
                self._do(cluster_cmd.StopNode(cluster_cmd.FIRST_NODE))
        elif self._life.runs:
            self._life.stop_app()

    def _ask_queues(self, command: operator_cmd.AskQueues) -> None:
        """Ask every queue process now, and again after a while if there is more to ask."""
        for live in list(self._queues.values()):
            live.process.answer_info()
        if command.count > 1:
            again = msgspec.structs.replace(command, count=command.count - 1)
            self._clock.after(command.every_ms * MILLISECOND_US, partial(self._ask_queues, again))

    def _start_app(self, _: operator_cmd.StartApp) -> None:
        if self._clustered:
            if not self._first.up:
                self._do(cluster_cmd.StartNode(cluster_cmd.FIRST_NODE))
        elif not self._first.up:
            self._do(cluster_cmd.StartNode(cluster_cmd.FIRST_NODE))
        elif not self._life.runs:
            self._life.start_app()

    def _restart(self, command: operator_cmd.Restart) -> None:
        if not self._clustered:
            self._life.restart(command.kind)
            return
        stop = cluster_cmd.StopNode if command.kind == "clean" else cluster_cmd.KillNode
        self._do(stop(cluster_cmd.FIRST_NODE))
        self._do(cluster_cmd.StartNode(cluster_cmd.FIRST_NODE))

    @property
    def _clustered(self) -> bool:
        """Whether the first node, which these commands mean, is one of several."""
        return len(self._cluster.nodes) > 1

    @property
    def _first(self) -> BrokerNode:
        return next(iter(self._cluster.nodes.values()))
