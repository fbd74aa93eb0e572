"""The verbs of commands about queues, exchanges, bindings and policies (P17-P19). A declaration that AMQP
refuses closes the channel; the command itself is not refused.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from msgspec.structs import replace

from engine.amqp.arguments import PRIORITIES
from engine.amqp.declarations import (
    check_binding,
    check_delete_exchange,
    check_delete_queue,
    check_exchange_binding,
    declare_exchange,
    declare_queue,
    server_named,
)
from engine.amqp.errors import AmqpError
from engine.amqp.exchanges import Binding, Exchange
from engine.amqp.policies import Policy, PolicyRefused, checked
from engine.broker.clients.channel import connection_of
from engine.broker.clients.connections import ChannelClosing
from engine.broker.commands import operator_commands as cmd
from engine.broker.commands.base import Command
from engine.broker.commands.scenario import MAX_BACKING_QUEUES, check_label
from engine.broker.control.node_lifecycle import Handlers
from engine.broker.control.verb_parts import QueueEnds, VerbParts
from engine.broker.mirrors.membership import NodeParts
from engine.broker.mirrors.mirrored_queues import MirroredQueues
from engine.broker.mirrors.nodes import ClusterParts
from engine.values.errors import CommandError
from engine.values.labels import bare, beside

Declared = TypeVar("Declared", Binding, Exchange, Policy)


def _declared(kind: type[Declared], command: Command) -> Declared:
    """Return what a command declares; its fields have the same names, where the command gives them."""
    names = set(kind.__struct_fields__).intersection(command.__struct_fields__)
    return kind(**{name: getattr(command, name) for name in names})


class TopologyVerbs(VerbParts):
    """Verbs that add, change and remove queues, exchanges, bindings and policies."""

    def __init__(
        self,
        below: NodeParts,
        closing: ChannelClosing,
        ends: QueueEnds,
        cluster: MirroredQueues,
        parts: ClusterParts,
    ) -> None:
        super().__init__(below, closing, parts.patience)
        self._ends = ends
        self._cluster = cluster
        self._nodes = parts.nodes
        self._mishaps = parts.mishaps
        self._places = parts.places
        self._most_queues = parts.most_queues
        self._server_named = 0
        """How many queue names the broker has made."""

    def handlers(self) -> Handlers:
        """Return the function for each of these commands."""
        return {
            cmd.DeclareQueue: partial(self._by_hand, self._declare_queue, "P18"),
            cmd.DeleteQueue: partial(self._by_hand, self._delete_queue, "P19"),
            cmd.DeclareExchange: partial(self._by_hand, self._declare_exchange, "P18"),
            cmd.DeleteExchange: partial(self._by_hand, self._delete_exchange, "P18"),
            cmd.Bind: partial(self._by_hand, self._bind, "P18"),
            cmd.Unbind: partial(self._by_hand, self._bind, "P18"),
            cmd.BindExchange: partial(self._by_hand, self._bind_exchange, "P18"),
            cmd.UnbindExchange: partial(self._by_hand, self._bind_exchange, "P18"),
            cmd.SetPolicy: self._set_policy,
            cmd.ClearPolicy: self._clear_policy,
            cmd.KillQueue: self._kill_queue,
        }

    def _by_hand(self, do: Callable[[Any], None], rule: str, command: Any) -> None:
        """Do a command on the channel that it names; AMQP's errors close the channel."""
        with self._consumers.on_channel(command.channel) as hand:
            try:
                do(command)
            except AmqpError as error:
                self._closing.fail(hand.name, error, rule)
            else:
                hand.unanswered += getattr(command, "no_wait", False)

    def _declare_queue(self, command: cmd.DeclareQueue) -> None:
        by_server = not bare(command.name) and not command.passive
        if by_server:
            self._server_named += 1
            command = replace(command, name=beside(command.name, server_named(self._server_named)))
        existing = self._definitions.queues.get(command.name)
        wanted = declare_queue(
            existing,
            name=command.name,
            connection=connection_of(command.channel),
            durable=command.durable,
            exclusive=command.exclusive,
            auto_delete=command.auto_delete,
            passive=command.passive,
            arguments=command.arguments,
            by_server=by_server,
            validation=self._consumers.rules.validation,
        )
        if existing is not None:
            stat = partial(self._declare_queue, command)
            if not self._patience.puts_off(command.name, command.channel, stat):
                self._lifetimes.used(self._queues[command.name])
            return
        check_label(command.name, wanted.arguments, self._definitions.queues.values())
        if len(self._queues) >= self._most_queues:
            raise CommandError("too_many_queues", most=self._most_queues)
        others = sum(max(1, len(each.process.queue.parts)) for each in self._queues.values())
        room = MAX_BACKING_QUEUES - others - 1
        if wanted.arguments.get(PRIORITIES, 0) > max(room, 0):
            raise CommandError("too_many_priorities", room=max(room, 0), most=MAX_BACKING_QUEUES)
        policy = self._definitions.policy(wanted.name)
        node = self._nodes.node_of(connection_of(command.channel))
        there = self._places.node_for(wanted, {} if policy is None else policy.definition, node)
        self._queues.begin(wanted, node=there)
        self._cluster.began(wanted.name, there.name)

    def _delete_queue(self, command: cmd.DeleteQueue) -> None:
        live = self._queues.get(command.name)
        record = self._cluster.records.get(command.name)
        if live is None and record is not None and self._cluster.roll.lives(record):
            # It waits for a promotion as long as a mirror lives (H77).
            delete = partial(self._delete_queue, command)
            self._patience.puts_off(command.name, command.channel, delete, forever=True)
            return
        check_delete_queue(
            self._definitions.queues.get(command.name),
            connection_of(command.channel),
            ready=live.depth if live is not None else 1,  # what is down may be full
            consumers=len(self._consumers.of(command.name)) if live is not None else 0,
            if_unused=command.if_unused,
            if_empty=command.if_empty,
        )
        if live is not None or record is not None:
            self._ends.delete(command.name, "P19", "deleted")

    def _declare_exchange(self, command: cmd.DeclareExchange) -> None:
        existing = self._definitions.exchanges.exchanges.get(command.name)
        wish, rules = _declared(Exchange, command), self._consumers.rules
        wanted = declare_exchange(
            existing, wish, command.passive, rules.unknown_type, validation=rules.validation
        )
        if existing is None:
            self._definitions.add_exchange(wanted)

    def _delete_exchange(self, command: cmd.DeleteExchange) -> None:
        exchanges = self._definitions.exchanges
        existing = exchanges.exchanges.get(command.name)
        bound = exchanges.bound(command.name)
        check_delete_exchange(existing, command.name, bound=bound, if_unused=command.if_unused)
        if existing is not None:
            self._definitions.remove_exchange(command.name)

    def _bind_exchange(self, command: cmd.BindExchange | cmd.UnbindExchange) -> None:
        """Bind an exchange to another, or take a binding away."""
        exchanges, unbind = self._definitions.exchanges.exchanges, isinstance(command, cmd.UnbindExchange)
        binding = Binding(
            exchange=command.source,
            queue=command.destination,
            routing_key=command.routing_key,
            arguments=command.arguments,
            to="exchange",
        )
        source, destination = exchanges.get(command.source), exchanges.get(command.destination)
        check_exchange_binding(source, destination, binding, unbind=unbind)
        (self._definitions.unbind if unbind else self._definitions.bind)(binding)

    def _bind(self, command: cmd.Bind | cmd.Unbind) -> None:
        """Bind a queue to an exchange, or take a binding away."""
        definitions, unbind = self._definitions, isinstance(command, cmd.Unbind)
        binding = _declared(Binding, command)
        exchange = definitions.exchanges.exchanges.get(command.exchange)
        queue, connection = definitions.queues.get(command.queue), connection_of(command.channel)
        known = binding in definitions.exchanges.bindings
        check_binding(exchange, queue, binding, connection, unbind=unbind, known=known)
        (definitions.unbind if unbind else definitions.bind)(binding)

    def _set_policy(self, command: cmd.SetPolicy) -> None:
        try:
            policy = checked(_declared(Policy, command), self._consumers.rules.validation)
            self._definitions.set_policy(policy)
        except PolicyRefused as error:
            raise error.inside("", CommandError) from error
        self._obey()

    def _clear_policy(self, command: cmd.ClearPolicy) -> None:
        if command.name not in self._definitions.policies:
            known = ", ".join(self._definitions.policies) or "none"
            raise CommandError("no_policy", name=command.name, known=known)
        self._definitions.clear_policy(command.name)
        self._obey()

    def _obey(self) -> None:
        """Let every queue apply the current policies (P17)."""
        for name in list(self._queues):
            self._queues.obey(name)
        self._cluster.policies_changed()

    def _kill_queue(self, command: cmd.KillQueue) -> None:
        if command.queue not in self._queues:
            raise CommandError("no_queue", name=command.queue, known=", ".join(self._queues) or "none")
        node, record = command.node, self._cluster.records[command.queue]
        if node is None or node == record.master:
            if not self._mishaps.crash_master(command.queue):
                self._ends.kill(command.queue, command.how)
                self._cluster.update(record)
                self._cluster.settle()
        elif node in record.mirrors:
            self._cluster.crash_mirror(record, node)
            self._cluster.settle()
        else:
            raise CommandError("no_member", name=command.queue, node=node, known=", ".join(record.members))
