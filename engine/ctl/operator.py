"""A node with a console: lines of rabbitmqctl read and change it."""

from __future__ import annotations

from engine.broker.cluster import Cluster
from engine.broker.commands.scenario import ParsedScenario
from engine.ctl import console
from engine.ctl.console import Answer
from engine.storage.port import Storage


def operated(scenario: ParsedScenario, storage: Storage, keep: int = 2048) -> Cluster:
    """Return a node whose command `ctl` carries out lines of rabbitmqctl; arguments as for Cluster."""
    return Cluster(scenario, storage, keep, console.command_of)


def ask(node: Cluster, line: str) -> Answer:
    """Return what a line of rabbitmqctl prints, and change nothing; the command `ctl` makes changes."""
    return console.ask(line, node.snapshot(), node.now_us, node.live())
