"""The settings of one run: those of its scenario, with the changes that commands have made since."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any, Final

import msgspec

from engine.broker.commands import settings
from engine.broker.commands.scenario import ParsedScenario
from engine.broker.commands.settings import DISK_NAMES, RUNTIME, NodeSettings
from engine.broker.time.credit import CreditSpec
from engine.formats.message import MessageCodec, MessageTemplate
from engine.releases import REFERENCE
from engine.report.transitions.base import Why

PREFIX_BYTES: Final = 8
QUEUE: Final = "orders"
"""The queue of a scenario that names none."""


class NodeConfiguration:
    """Settings of the queues, which stay, and of the node, which commands may change."""

    def __init__(self, scenario: ParsedScenario) -> None:
        self.profile = scenario.profile
        self._seed = scenario.seed
        self.queue, self.node = scenario.resolved()
        self.release = settings.release_of(scenario.profile, scenario.settings)
        self._configured = self.node
        self._name(frozenset(scenario.settings))

    def codec(self) -> MessageCodec:
        """Return what encodes the messages of the run; their ids follow from its seed."""
        prefix = blake2b(self._seed.to_bytes(8, "big"), digest_size=PREFIX_BYTES).digest()
        return self.release.storage.codec(self.queue, prefix, (MessageTemplate(routing_keys=(QUEUE,)),))

    def current(self) -> NodeSettings:
        """Return the node's settings as commands left them."""
        return self.node

    def credit(self) -> CreditSpec:
        """Return the credit that processes give each other."""
        return CreditSpec(*self.node.credit_flow_default_credit)

    def change(self, name: str, value: Any) -> None:
        """Take a value from a command."""
        self.node = msgspec.structs.replace(self.node, **{name: value})
        self._name(self.named | {name})

    def _name(self, named: frozenset[str]) -> None:
        self.named = named
        """Settings that the scenario or a command named."""
        self.names_disk = not DISK_NAMES.isdisjoint(named)
        """Whether anyone named a setting of the disk; runs from before there was one keep their digest."""
        self.names_work = "work_profile" in named
        """Whether anyone named the machine whose times work costs."""

    def forget_runtime(self) -> None:
        """Go back to the configuration: what `rabbitmqctl` set is kept in RAM alone (M8)."""
        configured = {name: getattr(self._configured, name) for name in RUNTIME}
        self.node = msgspec.structs.replace(self.node, **configured)

    def info_items(self, mode: str, target: int | None) -> Why:
        """Return all settings under their names; the pair of credits as two.

        Args:
            mode, target: what commands asked of the queue called orders.
        """
        # Runs from before there was another release keep their digest.
        rules = {} if self.release is REFERENCE else {"release": self.release.series}
        return {
            "profile": self.profile,
            **self.queue.shown(),
            **rules,
            **settings.info_items(self.node, self.named),
            "target_ram_count": target,
            "queue_mode": mode,
        }
