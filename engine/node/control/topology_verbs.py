"""What the commands about queues, exchanges, bindings and policies do (P17-P19).

A declaration that AMQP refuses closes the hand's channel; that is no refusal of the command.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from engine.amqp.declarations import (
    check_binding,
    check_delete_exchange,
    check_delete_queue,
    declare_exchange,
    declare_queue,
)
from engine.amqp.errors import AmqpError
from engine.amqp.exchanges import Binding, Exchange
from engine.amqp.policies import Policy, PolicyRefused, checked
from engine.errors import CommandError
from engine.node.commands import topology_commands as cmd
from engine.node.commands.base import Command
from engine.node.commands.topology import MAX_QUEUES

if TYPE_CHECKING:
    from engine.node.node import Node

HAND = "hand"


def topology_verbs(node: Node) -> dict[type[Command], Callable[[Any], None]]:
    """Return what does each command about the topology."""
    return {
        cmd.DeclareQueue: partial(_by_hand, node, _declare_queue, "P18"),
        cmd.DeleteQueue: partial(_by_hand, node, _delete_queue, "P19"),
        cmd.DeclareExchange: partial(_by_hand, node, _declare_exchange, "P18"),
        cmd.DeleteExchange: partial(_by_hand, node, _delete_exchange, "P18"),
        cmd.Bind: partial(_by_hand, node, _bind, "P18"),
        cmd.Unbind: partial(_by_hand, node, _unbind, "P18"),
        cmd.SetPolicy: partial(_set_policy, node),
        cmd.ClearPolicy: partial(_clear_policy, node),
        cmd.KillQueue: partial(_kill_queue, node),
    }


def _by_hand(node: Node, do: Callable[[Node, Any], None], rule: str, command: Command) -> None:
    """Do a command on the hand's channel, which AMQP's errors close."""
    try:
        do(node, command)
    except AmqpError as error:
        node.closing.fail(HAND, error, rule)


def _declare_queue(node: Node, command: cmd.DeclareQueue) -> None:
    existing = node.definitions.queues.get(command.name)
    wanted = declare_queue(
        existing,
        name=command.name,
        connection=HAND,
        durable=command.durable,
        exclusive=command.exclusive,
        auto_delete=command.auto_delete,
        passive=command.passive,
        arguments=command.arguments,
    )
    if existing is not None:
        node.lifetimes.used(command.name)
        return
    if len(node.queues) >= MAX_QUEUES:
        raise CommandError(f"there are {MAX_QUEUES} queues already; delete one first")
    node.queues.begin(wanted)


def _delete_queue(node: Node, command: cmd.DeleteQueue) -> None:
    live = node.queues.get(command.name)
    check_delete_queue(
        node.definitions.queues.get(command.name),
        HAND,
        ready=live.state.len if live is not None else 0,
        consumers=len(node.consumers.of(command.name)) if live is not None else 0,
        if_unused=command.if_unused,
        if_empty=command.if_empty,
    )
    if live is not None:
        node.delete_queue(command.name, "P19", "deleted")


def _declare_exchange(node: Node, command: cmd.DeclareExchange) -> None:
    existing = node.definitions.exchanges.exchanges.get(command.name)
    wish = Exchange(
        name=command.name,
        type=command.type,
        durable=command.durable,
        auto_delete=command.auto_delete,
        internal=command.internal,
        arguments=command.arguments,
    )
    wanted = declare_exchange(existing, wish, command.passive)
    if existing is None:
        node.definitions.add_exchange(wanted)


def _delete_exchange(node: Node, command: cmd.DeleteExchange) -> None:
    exchanges = node.definitions.exchanges
    existing = exchanges.exchanges.get(command.name)
    bound = exchanges.bound(command.name)
    check_delete_exchange(existing, command.name, bound=bound, if_unused=command.if_unused)
    if existing is not None:
        node.definitions.remove_exchange(command.name)


def _bind(node: Node, command: cmd.Bind) -> None:
    node.definitions.bind(_checked_binding(node, command, unbind=False))


def _unbind(node: Node, command: cmd.Unbind) -> None:
    node.definitions.unbind(_checked_binding(node, command, unbind=True))


def _checked_binding(node: Node, command: cmd.Bind | cmd.Unbind, unbind: bool) -> Binding:
    definitions = node.definitions
    binding = Binding(
        exchange=command.exchange,
        queue=command.queue,
        routing_key=command.routing_key,
        arguments=command.arguments,
    )
    exchange = definitions.exchanges.exchanges.get(command.exchange)
    check_binding(exchange, definitions.queues.get(command.queue), binding, HAND, unbind=unbind)
    return binding


def _set_policy(node: Node, command: cmd.SetPolicy) -> None:
    policy = Policy(
        name=command.name,
        pattern=command.pattern,
        definition=command.definition,
        priority=command.priority,
        apply_to=command.apply_to,
    )
    try:
        node.definitions.set_policy(checked(policy))
    except PolicyRefused as error:
        raise CommandError(str(error)) from error
    _obey(node)


def _clear_policy(node: Node, command: cmd.ClearPolicy) -> None:
    if command.name not in node.definitions.policies:
        known = ", ".join(node.definitions.policies) or "none"
        raise CommandError(f"there is no policy {command.name}; policies: {known}")
    node.definitions.clear_policy(command.name)
    _obey(node)


def _obey(node: Node) -> None:
    """Let every queue apply what the policies are now (P17)."""
    for name in list(node.queues):
        node.queues.obey(name)


def _kill_queue(node: Node, command: cmd.KillQueue) -> None:
    if command.queue not in node.queues:
        raise CommandError(f"there is no queue {command.queue}; queues: {', '.join(node.queues) or 'none'}")
    node.kill_queue(command.queue)
