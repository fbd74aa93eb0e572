"""What is there before the first command: queues, exchanges, bindings and policies of a scenario."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Annotated, Any, Final

import msgspec

from engine.amqp.arguments import PRIORITIES, Arguments
from engine.amqp.declarations import DeclaredQueue, check_binding, declare_exchange, declare_queue
from engine.amqp.exchanges import PREDECLARED, Binding, Exchange
from engine.amqp.policies import Policy, checked
from engine.amqp.validation import ReleaseValidation
from engine.backing_queue.message_places import part_name
from engine.broker.commands.base import (
    BrokerName,
    Command,
    ExchangeName,
    Fields,
    PolicyName,
    QueueName,
    RoutingKey,
    check_line_breaks,
    check_names,
)
from engine.broker.commands.topology_commands import (
    AppliesTo,
    Bind,
    DeclareExchange,
    DeclareQueue,
    ExchangeType,
    Pattern,
    Priority,
    SetPolicy,
)
from engine.broker.commands.vhosts import AddVhost, VhostName, placed
from engine.values.errors import CommandError, EngineError, ScenarioError
from engine.values.labels import FIRST_HOST, is_member

MAX_QUEUES: Final = 64
"""Of all virtual hosts together: each is looked at after every event."""
MAX_VHOSTS: Final = 8
"""Virtual hosts of one node: a bound of this program."""
MAX_BINDINGS: Final = 128
MAX_EXCHANGES: Final = 16
MAX_BACKING_QUEUES: Final = 128
"""Of all queues together: one with x-max-priority has a backing queue for each priority."""


def check_label(name: str, arguments: Arguments, others: Collection[DeclaredQueue]) -> None:
    """Refuse a queue whose name the page gives to something else: a member on another node, a priority of a queue.

    Args:
        name, arguments: of the queue that is declared.
        others: the queues that are there.

    Raises:
        CommandError: it is such a name.
    """
    names = {each.name for each in others}
    labels = {
        part_name(each.name, number)
        for each in others
        for number in range(each.arguments.get(PRIORITIES, -1) + 1)
    }
    own = {part_name(name, number) for number in range(arguments.get(PRIORITIES, -1) + 1)}
    if is_member(name) or name in labels or own & names:
        raise CommandError("name_of_page", name=name)


class _Spec(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """One thing that is declared; fields as in its command."""

    def __post_init__(self) -> None:
        """Look at names; raises ValueRefused."""
        check_line_breaks(self.values())
        check_names(self)

    def values(self) -> dict[str, Any]:
        """Return the fields by name."""
        return msgspec.structs.asdict(self)


class QueueSpec(_Spec, frozen=True):
    """A queue, as DeclareQueue has it."""

    name: QueueName
    durable: bool = True
    exclusive: bool = False
    auto_delete: bool = False
    arguments: Fields = {}


class ExchangeSpec(_Spec, frozen=True):
    """An exchange, as DeclareExchange has it."""

    name: BrokerName
    type: ExchangeType = "direct"
    durable: bool = True
    auto_delete: bool = False
    internal: bool = False
    arguments: Fields = {}


class BindingSpec(_Spec, frozen=True):
    """A binding, as Bind has it."""

    exchange: ExchangeName
    queue: QueueName
    routing_key: RoutingKey = ""
    arguments: Fields = {}


class PolicySpec(_Spec, frozen=True):
    """A policy, as SetPolicy has it."""

    name: PolicyName
    pattern: Pattern
    definition: Fields
    priority: Priority = 0
    apply_to: AppliesTo = "queues"


class _Declared(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """What is declared in one virtual host."""

    queues: Annotated[tuple[QueueSpec, ...], msgspec.Meta(max_length=MAX_QUEUES)] = ()
    exchanges: Annotated[tuple[ExchangeSpec, ...], msgspec.Meta(max_length=MAX_EXCHANGES)] = ()
    bindings: Annotated[tuple[BindingSpec, ...], msgspec.Meta(max_length=MAX_BINDINGS)] = ()
    policies: Annotated[tuple[PolicySpec, ...], msgspec.Meta(max_length=16)] = ()

    def commands(self) -> Iterator[Command]:
        """Yield the commands that declare it, in the first virtual host: policies first, queues begin under them."""
        for policy in self.policies:
            yield SetPolicy(**policy.values())
        for queue in self.queues:
            yield DeclareQueue(**queue.values())
        for exchange in self.exchanges:
            yield DeclareExchange(**exchange.values())
        for binding in self.bindings:
            yield Bind(**binding.values())

    def check_declared(self, validation: ReleaseValidation) -> None:
        """Look whether everything can be declared.

        Args:
            validation: of the release.

        Raises ScenarioError that names what cannot.
        """
        for part, names in (
            ("queues", [each.name for each in self.queues]),
            ("exchanges", [each.name for each in self.exchanges]),
            ("policies", [each.name for each in self.policies]),
        ):
            for name in names:
                if names.count(name) > 1:
                    raise ScenarioError("twice", part=part, name=name)
        exchanges = {each.name: each for each in PREDECLARED}
        queues: dict[str, DeclaredQueue] = {}
        try:
            for policy in self.policies:
                checked(Policy(**policy.values()), validation)
            for queue in self.queues:
                # The broker looks at arguments first: a count of priorities that it refuses is counted by nobody.
                wanted = declare_queue(
                    None, connection="hand", passive=False, validation=validation, **queue.values()
                )
                check_label(wanted.name, wanted.arguments, queues.values())
                queues[wanted.name] = wanted
            for exchange in self.exchanges:
                wish = Exchange(**exchange.values())
                existing = exchanges.get(exchange.name)
                exchanges[exchange.name] = declare_exchange(existing, wish, validation=validation)
            for each in self.bindings:
                binding = Binding(**each.values())
                check_binding(exchanges.get(each.exchange), queues.get(each.queue), binding, "hand")
        except EngineError as error:
            raise ScenarioError("topology_refused", words=error) from error


class VhostSpec(_Declared, frozen=True, kw_only=True):
    """Another virtual host, with what is in it."""

    name: VhostName

    def __post_init__(self) -> None:
        """Look at its name; raises ValueRefused."""
        check_line_breaks({"name": self.name})
        check_names(self)


class Topology(_Declared, frozen=True, kw_only=True):
    """Everything that a scenario declares before its first command: in the first virtual host, and in others."""

    vhosts: Annotated[tuple[VhostSpec, ...], msgspec.Meta(max_length=MAX_VHOSTS - 1)] = ()

    def declarations(self) -> Iterator[Command]:
        """Yield the commands that declare all of it."""
        yield from self.commands()
        for each in self.vhosts:
            yield AddVhost(each.name)
            for command in each.commands():
                yield placed(command, each.name)

    def check(self, validation: ReleaseValidation) -> None:
        """Look whether everything can be declared.

        Args:
            validation: of the release.

        Raises ScenarioError that names what cannot.
        """
        self.check_declared(validation)
        names = [FIRST_HOST, *(each.name for each in self.vhosts)]
        for name in names:
            if names.count(name) > 1:
                raise ScenarioError("twice", part="vhosts", name=name)
        for each in self.vhosts:
            each.check_declared(validation)
        if sum(len(each.queues) for each in (self, *self.vhosts)) > MAX_QUEUES:
            raise ScenarioError("too_many_queues", most=MAX_QUEUES)

    def to_json(self) -> dict[str, Any]:
        """Return the plain object; what has its default is left out."""
        plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(self))
        return plain
