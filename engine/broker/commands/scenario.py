"""Scenario v1: everything that decides a run. The same scenario gives the same digest everywhere (promise 1)."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Annotated, Any, Final

import msgspec

from engine.amqp.arguments import PRIORITIES, Arguments
from engine.amqp.declarations import DeclaredQueue, check_binding, declare_exchange, declare_queue
from engine.amqp.errors import AmqpError
from engine.amqp.exchanges import Binding, Exchange
from engine.amqp.policies import Policy, checked
from engine.amqp.rules import ReleaseValidation
from engine.backing_queue.message_places import part_name
from engine.broker.commands import commands
from engine.broker.commands.base import (
    BrokerName,
    Command,
    ExchangeName,
    Fields,
    PolicyName,
    Priority,
    QueueName,
    RoutingKey,
    VhostName,
    check_line_breaks,
    check_names,
    placed,
    refused,
)
from engine.broker.commands.operator_commands import (
    AddVhost,
    AppliesTo,
    Bind,
    DeclareExchange,
    DeclareQueue,
    ExchangeType,
    Pattern,
    SetPolicy,
)
from engine.broker.commands.settings import NodeSettings, release_of, resolve
from engine.values.errors import CommandError, Refusal, ScenarioError
from engine.values.labels import FIRST_HOST, is_member
from engine.values.settings import StorageSettings

MAX_QUEUES: Final = 64
"""Most queues of all virtual hosts together, since each is checked after every event."""
MAX_VHOSTS: Final = 8
"""Virtual hosts of one node: a bound of this program."""
MAX_BINDINGS: Final = 128
MAX_EXCHANGES: Final = 16
MAX_BACKING_QUEUES: Final = 128
"""Most backing queues of all queues together; a queue with x-max-priority has one for each priority."""


def check_label(name: str, arguments: Arguments, others: Collection[DeclaredQueue]) -> None:
    """Refuse a queue whose name the page uses for something else: a member on another node, or a priority.
    Raises CommandError: it is such a name.
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
        """Check names; raises ValueRefused."""
        check_line_breaks(self.values())
        check_names(self)

    def values(self) -> dict[str, Any]:
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
    queues: Annotated[tuple[QueueSpec, ...], msgspec.Meta(max_length=MAX_QUEUES)] = ()
    exchanges: Annotated[tuple[ExchangeSpec, ...], msgspec.Meta(max_length=MAX_EXCHANGES)] = ()
    bindings: Annotated[tuple[BindingSpec, ...], msgspec.Meta(max_length=MAX_BINDINGS)] = ()
    policies: Annotated[tuple[PolicySpec, ...], msgspec.Meta(max_length=16)] = ()

    def commands(self) -> Iterator[Command]:
        """Yield the commands that declare it in the first virtual host: policies first, as they apply to new queues."""
        for policy in self.policies:
            yield SetPolicy(**policy.values())
        for queue in self.queues:
            yield DeclareQueue(**queue.values())
        for exchange in self.exchanges:
            yield DeclareExchange(**exchange.values())
        for binding in self.bindings:
            yield Bind(**binding.values())

    def check_declared(self, validation: ReleaseValidation) -> None:
        """Check that everything can be declared. Raises ScenarioError that names what cannot."""
        for part, names in (
            ("queues", [each.name for each in self.queues]),
            ("exchanges", [each.name for each in self.exchanges]),
            ("policies", [each.name for each in self.policies]),
        ):
            for name in names:
                if names.count(name) > 1:
                    raise ScenarioError("twice", part=part, name=name)
        exchanges = {each.name: each for each in validation.predeclared}
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
        except Refusal as error:
            raise error.inside("topology: ", ScenarioError) from error
        except AmqpError as error:  # the broker's own words, which nobody translates
            raise ScenarioError("topology_refused", words=error) from error


class VhostSpec(_Declared, frozen=True, kw_only=True):
    """Another virtual host and its contents."""

    name: VhostName

    def __post_init__(self) -> None:
        """Look at its name; raises ValueRefused."""
        check_line_breaks({"name": self.name})
        check_names(self)


class Topology(_Declared, frozen=True, kw_only=True):
    """Everything that a scenario declares before its first command: in the first virtual host, and in others."""

    vhosts: Annotated[tuple[VhostSpec, ...], msgspec.Meta(max_length=MAX_VHOSTS - 1)] = ()

    def declarations(self) -> Iterator[Command]:
        yield from self.commands()
        for each in self.vhosts:
            yield AddVhost(each.name)
            for command in each.commands():
                yield placed(command, each.name)

    def check(self, validation: ReleaseValidation) -> None:
        """Check that everything can be declared. Raises ScenarioError that names what cannot."""
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
        """Return the plain object, without fields that have their default."""
        plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(self))
        return plain


VERSION: Final = 1
MAX_COMMANDS: Final = 10_000
MAX_UNTIL_US: Final = 24 * 3600 * 1_000_000
MAX_JSON_BYTES: Final = 2_000_000


class TimedCommand(msgspec.Struct, frozen=True):
    """A command and when it is given, in virtual microseconds."""

    at_us: int
    command: Command


class _Raw(msgspec.Struct, forbid_unknown_fields=True):
    version: int
    profile: str
    title: Annotated[str, msgspec.Meta(max_length=200)] = ""
    settings: dict[str, Any] = {}
    topology: Topology | None = None
    seed: Annotated[int, msgspec.Meta(ge=0, le=2**53 - 1)] = 1
    commands: Annotated[list[dict[str, Any]], msgspec.Meta(max_length=MAX_COMMANDS)] = []
    until_us: Annotated[int, msgspec.Meta(ge=0, le=MAX_UNTIL_US)] = 60_000_000
    digest: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{32}\Z")] | None = None
    burst_us: Annotated[int, msgspec.Meta(ge=0, le=MAX_UNTIL_US)] = 0


class RefusedCommand(msgspec.Struct, frozen=True):
    """A command of the scenario that failed when its time came."""

    at_us: int
    command: Command
    message: str


class ParsedScenario(msgspec.Struct, frozen=True, kw_only=True):
    """One run: profile, settings, seed and timed commands.

    Args:
        profile: a word of `engine.releases.PROFILES`.
        settings: values that differ from the profile's, by the names of NodeSettings and of the storage's settings.
        topology: declared before the first command; None for one queue called orders.
        commands: ascending by time; equal times keep their order.
        until_us: where the run ends.
        digest: of the transitions up to `until_us`, when known.
        burst_us: width of the bursts in which an import gathered a log's messages; 0 for messages at their own times.
    """

    title: str = ""
    profile: str = "classroom"
    settings: dict[str, Any] = {}
    topology: Topology | None = None
    seed: int = 1
    commands: tuple[TimedCommand, ...] = ()
    until_us: int = 60_000_000
    digest: str | None = None
    burst_us: int = 0

    def resolved(self) -> tuple[StorageSettings, NodeSettings]:
        return resolve(self.profile, self.settings)

    def to_json(self) -> dict[str, Any]:
        """Return the canonical JSON object."""
        return {
            "version": VERSION,
            "title": self.title,
            "profile": self.profile,
            "settings": dict(sorted(self.settings.items())),
            **({} if self.topology is None else {"topology": self.topology.to_json()}),
            "seed": self.seed,
            "commands": [{"at_us": each.at_us, **commands.to_json(each.command)} for each in self.commands],
            "until_us": self.until_us,
            "digest": self.digest,
            **({"burst_us": self.burst_us} if self.burst_us else {}),
        }

    def encode(self) -> bytes:
        return msgspec.json.encode(self.to_json())


def parse(data: bytes | str | dict[str, Any]) -> ParsedScenario:
    """Return a scenario from its JSON text or object. Raises ScenarioError that names the place for anything
    unknown, malformed or out of bounds.
    """
    if isinstance(data, bytes | str):
        if len(data) > MAX_JSON_BYTES:
            raise ScenarioError("scenario_too_large", most=MAX_JSON_BYTES, count=len(data))
        try:
            data = msgspec.json.decode(data)
        except msgspec.DecodeError as error:
            raise ScenarioError("no_json", why=error) from error
    if not isinstance(data, dict):
        raise ScenarioError("no_object")
    if data.get("version") != VERSION:
        raise ScenarioError("other_version", version=VERSION)
    try:
        raw = msgspec.convert(data, _Raw)
    except msgspec.ValidationError as error:
        raise refused(ScenarioError, error) from error
    resolve(raw.profile, raw.settings)
    if raw.topology is not None:
        raw.topology.check(release_of(raw.profile, raw.settings).amqp.validation)
    timed = tuple(_timed(number, each) for number, each in enumerate(raw.commands))
    for number, each in enumerate(timed):
        if each.at_us > raw.until_us:
            raise ScenarioError("after_the_end", place=f"commands[{number}].at_us", most=raw.until_us)
        if number and each.at_us < timed[number - 1].at_us:
            raise ScenarioError("out_of_order", number=number)
    given = msgspec.structs.asdict(raw) | {"commands": timed}
    del given["version"]
    return ParsedScenario(**given)


def _timed(number: int, command: dict[str, Any]) -> TimedCommand:
    rest = dict(command)
    at_us = rest.pop("at_us", None)
    if isinstance(at_us, bool) or not isinstance(at_us, int) or at_us < 0:
        raise ScenarioError("no_time", place=f"commands[{number}].at_us")
    try:
        return TimedCommand(at_us, commands.parse(rest))
    except CommandError as error:
        raise error.inside(f"commands[{number}]: ", ScenarioError) from error
