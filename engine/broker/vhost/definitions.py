"""The definitions: queues, exchanges, bindings and policies (D1, P17, P18)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

from msgspec.structs import asdict, astuple

from engine.amqp.declarations import DeclaredQueue
from engine.amqp.exchanges import Binding, Exchange, Exchanges, declared_alternate
from engine.amqp.policies import EffectivePolicy, Policy, effective, policy_of
from engine.amqp.rules import AmqpRules
from engine.broker.commands.scenario import MAX_BINDINGS
from engine.report.transitions.base import Transition
from engine.report.transitions.node import (
    ExchangeDeclared,
    ExchangeDeleted,
    PolicyCleared,
    PolicySet,
    QueueBound,
    QueueUnbound,
    VhostAdded,
    VhostDeleted,
)
from engine.values.errors import CommandError
from engine.values.labels import FIRST_HOST, host_of, in_host

DEFAULT_RULES: Final = AmqpRules()
MAX_EXCHANGES: Final = 16
MAX_POLICIES: Final = 16


class HostDefinitions:
    """The definitions of a node; each change is emitted as a transition. Labels name the virtual host. The
    exchanges that every broker has are never reported.
    """

    def __init__(self, emit: Callable[[Transition], None], rules: AmqpRules = DEFAULT_RULES) -> None:
        self.queues: dict[str, DeclaredQueue] = {}
        self._predeclared = rules.validation.predeclared
        self.exchanges = Exchanges(self._predeclared)
        self.policies: dict[str, Policy] = {}
        self.hosts = [FIRST_HOST]
        """The virtual hosts, oldest first."""
        self._emit = emit
        self._exchanges_stay = rules.exchanges_stay
        self.times_queues = "consumer-timeout" in rules.validation.keys
        """Whether queues may have a timeout of their own (P21)."""
        self._not_for_classic = rules.validation.not_for_classic

    # --- virtual hosts -----------------------------------------------------------------------------------------------
    def add_host(self, vhost: str) -> None:
        self.hosts.append(vhost)
        self.exchanges.add_host(vhost)
        self._emit(VhostAdded("S1", vhost))

    def remove_host(self, vhost: str) -> None:
        """Forget a virtual host with its exchanges and policies, after its queues."""
        self.hosts.remove(vhost)
        self.exchanges.forget_host(vhost)
        self.policies = {name: each for name, each in self.policies.items() if host_of(name) != vhost}
        self._emit(VhostDeleted("S1", vhost))

    # --- queues ------------------------------------------------------------------------------------------------------
    def add_queue(self, queue: DeclaredQueue) -> None:
        """Add a queue; the default exchange routes to it from now on."""
        self.queues[queue.name] = queue
        self.exchanges.add_queue(queue.name)

    def remove_queue(self, name: str, rule: str) -> None:
        """Forget a queue with its bindings; an auto-delete exchange may go with the last one."""
        del self.queues[name]
        with self._reporting(rule):
            self.exchanges.forget_queue(name)

    def effective(self, name: str) -> EffectivePolicy:
        """Return the values that apply to a queue, from arguments and policy (P17)."""
        return effective(self.queues[name].arguments, self.policy(name))

    def consumer_timeout_ms(self, name: str) -> int | None:
        """Return how long deliveries of a queue may wait by its own argument and policy; None for the node's (P21)."""
        if name not in self.queues:
            return None
        policy = self.policy(name)
        by_policy = None if policy is None else policy.definition.get("consumer-timeout")
        given = (self.queues[name].arguments.get("x-consumer-timeout"), by_policy)
        return min((each for each in given if isinstance(each, int)), default=None)

    def policy(self, name: str) -> Policy | None:
        """Return the policy that a queue has (P17)."""
        return policy_of(self.policies.values(), "queues", name, self._not_for_classic)

    def info_items(self, name: str) -> dict[str, Any]:
        """Return what is shown of a queue's definition, without default values."""
        queue, policy = self.queues[name], self.policy(name)
        obeyed = asdict(self.effective(name))
        usual = asdict(EffectivePolicy())
        found = {
            "arguments": queue.arguments,
            "exclusive": queue.exclusive,
            "auto_delete": queue.auto_delete,
            "policy": policy.name if policy is not None else None,
            "effective": {key: value for key, value in obeyed.items() if value != usual[key]},
        }
        return {key: value for key, value in found.items() if value}

    # --- exchanges and bindings --------------------------------------------------------------------------------------
    def add_exchange(self, exchange: Exchange) -> None:
        """Take a new exchange. Raises CommandError when there are too many."""
        here = sum(host_of(each) == host_of(exchange.name) for each in self.exchanges.exchanges)
        if here - len(self._predeclared) >= MAX_EXCHANGES:
            raise CommandError("too_many_exchanges", most=MAX_EXCHANGES)
        self.exchanges.add(exchange)
        self._emit(ExchangeDeclared("P18", exchange.name, _beside_name(exchange)))

    def remove_exchange(self, name: str) -> None:
        """Forget an exchange with its bindings; auto-delete exchanges may go with their last."""
        with self._reporting("P18"):
            self.exchanges.remove(name)

    def bind(self, binding: Binding) -> None:
        """Add a binding, unless it exists. Raises CommandError when there are too many."""
        if binding in self.exchanges.bindings:
            return
        vhost = host_of(binding.queue)
        if sum(host_of(each.queue) == vhost for each in self.exchanges.bindings) >= MAX_BINDINGS:
            raise CommandError("too_many_bindings", most=MAX_BINDINGS)
        self.exchanges.bind(binding)
        self._emit(QueueBound("P18", *astuple(binding)))

    def unbind(self, binding: Binding) -> None:
        """Forget a binding, if it is there; an auto-delete exchange goes with its last."""
        with self._reporting("P18"):
            self.exchanges.unbind(binding)

    @contextmanager
    def _reporting(self, rule: str) -> Iterator[None]:
        """Report the bindings and exchanges that went with a removal."""
        bindings, exchanges = list(self.exchanges.bindings), set(self.exchanges.exchanges)
        yield
        for each in bindings:
            if each not in self.exchanges.bindings:
                self._emit(QueueUnbound(rule, *astuple(each)))
        for name in sorted(exchanges - set(self.exchanges.exchanges)):
            self._emit(ExchangeDeleted(rule, name))

    def route(
        self,
        exchange: str,
        routing_keys: Sequence[str],
        headers: Mapping[str, Any] | None = None,
        turn: int = 0,
    ) -> tuple[str, ...]:
        """Return the queues that a message goes to, alternate exchanges of policies included (D1, P17).
        `turn`: by which an exchange that draws takes its queues in turn (W231).
        """
        return self.exchanges.route(exchange, routing_keys, headers, self._alternate, turn)

    def _alternate(self, exchange: Exchange) -> str | None:
        declared = declared_alternate(exchange)
        if declared is not None:
            return declared
        policy = policy_of(self.policies.values(), "exchanges", exchange.name)
        found = policy.definition.get("alternate-exchange") if policy is not None else None
        return found if isinstance(found, str) else None

    # --- policies ----------------------------------------------------------------------------------------------------
    def set_policy(self, policy: Policy) -> None:
        """Add a policy, or replace the one with its name. Raises CommandError when there are too many."""
        here = sum(host_of(each) == host_of(policy.name) for each in self.policies)
        if policy.name not in self.policies and here >= MAX_POLICIES:
            raise CommandError("too_many_policies", most=MAX_POLICIES)
        self.policies[policy.name] = policy
        self._emit(PolicySet("P17", policy.name, _beside_name(policy)))

    def clear_policy(self, name: str) -> None:
        del self.policies[name]
        self._emit(PolicyCleared("P17", name))

    # --- restarts ----------------------------------------------------------------------------------------------------
    def restart(self, kept_queues: list[str], in_order: bool = False) -> None:
        """Keep only durable exchanges and their bindings to durable queues, as a restart does (D1, W227).
        `kept_queues`: queues that exist after the restart, durable or declared again. `in_order`: whether the
        node first closed all connections and so deleted their exclusive queues; an auto-delete exchange is
        deleted with its last binding to one (D2, P18).
        """
        durable = [name for name in kept_queues if self.queues[name].durable]
        with self._reporting("W227" if self._exchanges_stay else "D1"):
            for queue in self.queues.values():
                if in_order and queue.exclusive:
                    self.exchanges.forget_queue(queue.name)
            self.exchanges = self.exchanges.after_restart(durable, self._exchanges_stay)
        self.queues = {name: self.queues[name] for name in kept_queues}
        for name in kept_queues:
            self.exchanges.add_queue(name)

    def snapshot(self) -> dict[str, Any]:
        """Return the tables as plain values; the fold's counterpart."""
        own = {in_host(vhost, each.name) for vhost in self.hosts for each in self._predeclared}
        return {
            "exchanges": {
                name: _beside_name(each)
                for name, each in sorted(self.exchanges.exchanges.items())
                if name not in own
            },
            "bindings": [asdict(each) for each in self.exchanges.bindings],
            "policies": {name: _beside_name(each) for name, each in sorted(self.policies.items())},
            # Runs from before there were several keep their snapshots.
            **({"vhosts": list(self.hosts)} if len(self.hosts) > 1 else {}),
        }


def _beside_name(thing: Exchange | Policy) -> dict[str, Any]:
    fields = asdict(thing)
    del fields["name"]
    return fields
