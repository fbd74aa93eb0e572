"""All commands that a node takes, as typed values with bounds."""

from __future__ import annotations

import re
import typing
from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Any, Final, Literal

import msgspec

from engine.amqp.declarations import COPIES
from engine.broker.commands.base import (
    DEFAULT_QUEUE,
    FIELD,
    HAND,
    MAX_COUNT,
    TICK_MS,
    AddVhost,
    ChannelName,
    Command,
    ConsumerTag,
    DeleteVhost,
    ExchangeName,
    Fields,
    FreeLimit,
    MessageFields,
    Milliseconds,
    Name,
    Prefetch,
    QueueName,
    Rate,
    RoutingKey,
    Size,
    TickMs,
    check_line_breaks,
    placed,
    refused,
    taken_out,
    unplaced,
    vhost_of,
)
from engine.broker.commands.client_commands import (
    Ack,
    AckTag,
    Cancel,
    CloseChannel,
    ConfirmSelect,
    Consume,
    Get,
    Hang,
    Nack,
    NackTag,
    Properties,
    Publish,
    Purge,
    Qos,
    Recover,
    Reject,
    Remove,
    Requeue,
    TxCommit,
    TxRollback,
    TxSelect,
)
from engine.broker.commands.operator_commands import (
    AskQueues,
    Bind,
    BindExchange,
    CancelSync,
    ClearPolicy,
    Connect,
    Ctl,
    DeclareExchange,
    DeclareQueue,
    DeleteExchange,
    DeleteQueue,
    Freeze,
    KillNode,
    KillQueue,
    Move,
    Priority,
    Restart,
    Set,
    SetPolicy,
    StartApp,
    StartNode,
    StopApp,
    StopNode,
    Synchronise,
    Thaw,
    Unbind,
    UnbindExchange,
)
from engine.broker.commands.settings import DiskBytes, RamBytes, Ratio, Strategy, Watermark
from engine.costs import ProfileName
from engine.values.errors import CommandError, ValueRefused
from engine.values.labels import FIRST_HOST

MAX_TX: Final = 10_000
NackMode = Literal["requeue", "discard"]
AckMode = Literal["each", "multiple", "auto", "manual"]


class SetPublisher(Command, frozen=True, tag="set_publisher"):
    """Start, change or pause a publisher with a steady rate. `hears_blocked`: the client announced that it
    understands connection.blocked (A5). `tx`: it commits a transaction after this many messages, 0 for none
    (D12-D15). `properties`: as in a burst; `priority` is for queues with x-max-priority (P20).
    """

    name: Name
    rate_per_s: Rate
    size_bytes: Size
    persistent: bool = False
    confirm: bool = False
    running: bool = True
    hears_blocked: bool = False
    tx: Annotated[int, msgspec.Meta(ge=0, le=MAX_TX)] = 0
    routing_key: RoutingKey = DEFAULT_QUEUE
    exchange: ExchangeName = ""
    mandatory: bool = False
    expiration_ms: Milliseconds | None = None
    headers: Fields = {}
    properties: Properties = {}


class SetConsumer(Command, frozen=True, tag="set_consumer"):
    """Start, change or pause a consumer.

    Args:
        rate_per_s: how many messages it finishes in a second.
        prefetch: how many it may hold unacknowledged, 0 for any number (P13); no-ack consumers ignore it.
        ack: `each` one by one, `multiple` with one acknowledgement for all that are finished, `auto` without any,
            `manual` by the ack command.
        queue: where it consumes from.
        priority: consumers of a higher one get messages first (P12).
        exclusive: nobody else may consume from the queue.
        channel_prefetch: how many its channel may hold (basic.qos with global), 0 for any number (P13).
        channel: the channel of a `manual` consumer; others have their own.
        cancel_on_failover: whether it is cancelled when a mirror takes over its queue (H67).
        nack: it rejects what it finishes (basic.nack, one by one or multiple as `ack` says): the messages are requeued
            or dead-lettered (P11).
        tick_ms: it acknowledges at most once in this many milliseconds. With bursts that are a second wide, a coarse
            tick makes a run cheaper. It changes neither what is stored nor how often a queue syncs; if work takes time,
            deliveries come later, by less than a tick.
    """

    name: ConsumerTag
    rate_per_s: Rate = 1
    prefetch: Prefetch = 1
    ack: AckMode = "each"
    running: bool = True
    queue: QueueName = DEFAULT_QUEUE
    priority: Priority = 0
    exclusive: bool = False
    channel_prefetch: Prefetch = 0
    channel: ChannelName = HAND
    cancel_on_failover: bool = False
    nack: NackMode | None = None
    tick_ms: TickMs = TICK_MS


AnyCommand = (
    Publish
    | SetPublisher
    | SetConsumer
    | Remove
    | Ack
    | Requeue
    | Get
    | Purge
    | Set
    | Restart
    | Cancel
    | CloseChannel
    | Nack
    | Reject
    | AckTag
    | NackTag
    | Recover
    | Consume
    | ConfirmSelect
    | TxSelect
    | TxCommit
    | TxRollback
    | Qos
    | DeclareQueue
    | DeleteQueue
    | DeclareExchange
    | DeleteExchange
    | Bind
    | Unbind
    | BindExchange
    | UnbindExchange
    | SetPolicy
    | ClearPolicy
    | KillQueue
    | Hang
    | StopApp
    | StartApp
    | AskQueues
    | Ctl
    | Connect
    | KillNode
    | StopNode
    | StartNode
    | Synchronise
    | CancelSync
    | Move
    | Freeze
    | Thaw
    | AddVhost
    | DeleteVhost
)

RESERVED_NAMES: Final = frozenset({"burst", "hand"})
"""Names of actors that every node has: the publisher of bursts, and the channel of the get and ack commands."""

SET_VALUES: Final[dict[str, Any]] = {
    "ram_bytes": RamBytes,
    "vm_memory_high_watermark": Watermark,
    "vm_memory_high_watermark_paging_ratio": Ratio,
    "vm_memory_calculation_strategy": Strategy,
    "target_ram_count": Annotated[int, msgspec.Meta(ge=0, le=MAX_COUNT)] | None,
    "queue_mode": Literal["default", "lazy"],
    "disk_free_bytes_other": DiskBytes,
    "disk_free_limit": DiskBytes | FreeLimit,
    "work_profile": ProfileName,
}
"""The values that each setting may have."""

KINDS: Final[dict[str, type[AnyCommand]]] = {
    str(msgspec.inspect.type_info(kind).tag): kind  # type: ignore[attr-defined]
    for kind in typing.get_args(AnyCommand)
}
"""The class of each verb's command. Decoding one class is ten times faster than decoding the union."""
VERBS: Final = tuple(KINDS)

FIRST_FIELDS: Final = frozenset(
    "count size_bytes persistent confirm name rate_per_s running prefetch ack multiple value kind".split()
)
"""Fields that are always written; others are left out if they have their default."""


def parse(command: object) -> AnyCommand:
    """Return a command from its JSON object. Raises CommandError when it is malformed or out of bounds."""
    if not isinstance(command, dict):
        raise CommandError("no_command")
    verb = command.get("do")
    if verb not in VERBS:
        raise CommandError("no_verb", verbs=", ".join(VERBS))
    given, vhost = taken_out(command, KINDS[verb]) if FIELD in command else (command, FIRST_HOST)
    try:
        check_line_breaks(given)
        parsed: AnyCommand = msgspec.convert(given, KINDS[verb])
        if isinstance(parsed, Publish) and (parsed.sizes or parsed.expirations):
            parsed.check_columns()
    except ValueRefused as error:
        raise error.inside(f"{verb}: ", CommandError) from error
    except msgspec.ValidationError as error:
        raise refused(CommandError, error, f"{verb}: ") from error
    if isinstance(parsed, Set):
        _check_value(parsed)
    taken = RESERVED_NAMES - {"hand"} if isinstance(parsed, Remove) else RESERVED_NAMES
    if (
        isinstance(parsed, SetPublisher | SetConsumer | Consume | Cancel | Hang | Remove)
        and parsed.name in taken
    ):
        raise CommandError("name_reserved", f"{verb}: ", name=parsed.name)
    return parsed if vhost == FIRST_HOST else placed(parsed, vhost)


def _check_value(command: Set) -> None:
    possible: Any = SET_VALUES[command.name]
    try:
        msgspec.convert(command.value, possible)
    except msgspec.ValidationError as error:
        raise refused(CommandError, error, f"set {command.name}: value") from error


def value_of(command: Set) -> Any:
    """Return the value of a `set` command as the setting's own type."""
    return msgspec.convert(command.value, SET_VALUES[command.name])


def to_json(command: AnyCommand) -> dict[str, Any]:
    """Return a command as the canonical JSON object that `parse` reads."""
    plain: dict[str, Any] = msgspec.to_builtins(unplaced(command))
    for name, default in _later_fields(type(command)).items():
        if plain[name] == default:
            del plain[name]
    vhost = vhost_of(command)
    return plain if vhost == FIRST_HOST else {**plain, FIELD: vhost}


def copies_of(headers: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the routing keys in the CC and BCC headers; a header that is not a list gives none (P16)."""
    lists = [headers[name] for name in COPIES if isinstance(headers.get(name), list)]
    return tuple(key for keys in lists for key in keys if isinstance(key, str))


NUMBER: Final = re.compile(r"[+-]?[0-9]+")


def message_of(command: Publish | SetPublisher) -> MessageFields:
    """Return the values that a command gives for its messages, apart from their bodies."""
    headers = command.headers
    copies = copies_of(headers) if headers else ()
    expiration_ms = command.expiration_ms
    if isinstance(command, Publish) and command.expiration is not None:
        # One that is no time is refused before; a sign is part of a number.
        expiration_ms = int(command.expiration) if NUMBER.fullmatch(command.expiration) else None
    return MessageFields(
        command.exchange,
        command.routing_key,
        command.mandatory,
        expiration_ms,
        {name: value for name, value in headers.items() if name != "BCC"} if "BCC" in headers else headers,
        command.properties,
        copies,
        rewritten="BCC" in headers,
    )


def uses_later_fields(command: AnyCommand) -> bool:
    for name, default in _later_fields(type(command)).items():  # noqa: SIM110 - asked at each publish
        if getattr(command, name) != default:
            return True
    return False


@lru_cache
def _later_fields(kind: type[AnyCommand]) -> dict[str, Any]:
    found = {}
    for each in msgspec.structs.fields(kind):
        default = {} if each.default_factory is dict else each.default
        if each.name not in FIRST_FIELDS and default is not msgspec.NODEFAULT:
            found[each.name] = default
    return found
