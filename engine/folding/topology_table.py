"""Exchanges, bindings and policies, by their transitions."""

from __future__ import annotations

from typing import Any

from engine.report.transitions.amqp import (
    ExchangeDeclared,
    ExchangeDeleted,
    PolicyCleared,
    PolicySet,
    QueueBound,
    QueueUnbound,
)
from engine.values.labels import FIRST_HOST, host_of


class TopologyTable:
    """Exchanges, bindings and policies between publishers and queues."""

    __slots__ = ("vhosts", "exchanges", "bindings", "policies")

    def __init__(self) -> None:
        self.vhosts: list[str] = []
        """All of them where there are several, else none."""
        self.exchanges: dict[str, dict[str, Any]] = {}
        self.bindings: list[dict[str, Any]] = []
        self.policies: dict[str, dict[str, Any]] = {}

    def add_host(self, vhost: str) -> None:
        """A virtual host is there."""
        self.vhosts = [*(self.vhosts or [FIRST_HOST]), vhost]

    def forget_host(self, vhost: str) -> None:
        """A virtual host is gone, with what was declared in it."""
        left = [each for each in self.vhosts if each != vhost]
        self.vhosts = left if len(left) > 1 else []
        self.exchanges = {name: each for name, each in self.exchanges.items() if host_of(name) != vhost}
        self.bindings = [each for each in self.bindings if host_of(each["queue"]) != vhost]
        self.policies = {name: each for name, each in self.policies.items() if host_of(name) != vhost}

    def exchange_declared(self, t: ExchangeDeclared) -> None:
        """An exchange is there."""
        self.exchanges[t.exchange] = t.values

    def exchange_deleted(self, t: ExchangeDeleted) -> None:
        """An exchange is gone."""
        self.exchanges.pop(t.exchange, None)

    def queue_bound(self, t: QueueBound) -> None:
        """A binding is there, after the others."""
        self.bindings.append(_binding(t))

    def queue_unbound(self, t: QueueUnbound) -> None:
        """A binding is gone."""
        self.bindings.remove(_binding(t))

    def policy_set(self, t: PolicySet) -> None:
        """A policy is there."""
        self.policies[t.policy] = t.values

    def policy_cleared(self, t: PolicyCleared) -> None:
        """A policy is gone."""
        self.policies.pop(t.policy, None)

    def to_json(self) -> dict[str, Any]:
        """Return the plain shape of a snapshot."""
        return {
            **({"vhosts": list(self.vhosts)} if self.vhosts else {}),
            "exchanges": dict(sorted(self.exchanges.items())),
            "bindings": list(self.bindings),
            "policies": dict(sorted(self.policies.items())),
        }


def _binding(t: QueueBound | QueueUnbound) -> dict[str, Any]:
    return {
        "exchange": t.exchange,
        "queue": t.queue,
        "routing_key": t.routing_key,
        "arguments": t.arguments,
        "to": t.to,
    }
