"""All commands that a node takes, as typed values with bounds."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Any, Final, Literal

import msgspec

from engine.amqp.declarations import COPIES
from engine.broker.commands.base import (
    FIELD,
    MAX_COUNT,
    Command,
    FreeLimit,
    MessageFields,
    check_line_breaks,
    placed,
    refused,
    taken_out,
    unplaced,
    vhost_of,
)
from engine.broker.commands.client_commands import (
    Cancel,
    Consume,
    Hang,
    Publish,
    Remove,
    SetConsumer,
    SetPublisher,
)
from engine.broker.commands.operator_commands import Set
from engine.broker.commands.settings import DiskBytes, RamBytes, Ratio, Strategy, Watermark
from engine.costs import ProfileName
from engine.values.errors import CommandError, ValueRefused
from engine.values.labels import FIRST_HOST

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

KINDS: Final = {str(kind.__struct_config__.tag): kind for kind in Command.__subclasses__()}
"""The class of each verb's command. Decoding one class is ten times faster than decoding a union."""
VERBS: Final = tuple(KINDS)

FIRST_FIELDS: Final = frozenset(
    "count size_bytes persistent confirm name rate_per_s running prefetch ack multiple value kind".split()
)
"""Fields that are always written; others are left out if they have their default."""


def parse(command: object) -> Command:
    """Return a command from its JSON object. Raises CommandError when it is malformed or out of bounds."""
    if not isinstance(command, dict):
        raise CommandError("no_command")
    verb = command.get("do")
    if verb not in VERBS:
        raise CommandError("no_verb", verbs=", ".join(VERBS))
    given, vhost = taken_out(command, KINDS[verb]) if FIELD in command else (command, FIRST_HOST)
    try:
        check_line_breaks(given)
        parsed: Command = msgspec.convert(given, KINDS[verb])
        if isinstance(parsed, Publish) and (parsed.sizes or parsed.expirations):
            parsed.check_columns()
    except ValueRefused as error:
        raise error.inside(f"{verb}: ", CommandError) from error
    except msgspec.ValidationError as error:
        raise refused(CommandError, error, f"{verb}: ") from error
    if isinstance(parsed, Set):
        try:
            value_of(parsed)
        except msgspec.ValidationError as error:
            raise refused(CommandError, error, f"set {parsed.name}: value") from error
    taken = RESERVED_NAMES - {"hand"} if isinstance(parsed, Remove) else RESERVED_NAMES
    if (
        isinstance(parsed, SetPublisher | SetConsumer | Consume | Cancel | Hang | Remove)
        and parsed.name in taken
    ):
        raise CommandError("name_reserved", f"{verb}: ", name=parsed.name)
    return parsed if vhost == FIRST_HOST else placed(parsed, vhost)


def value_of(command: Set) -> Any:
    """Return the value of a `set` command as the setting's own type."""
    return msgspec.convert(command.value, SET_VALUES[command.name])


def to_json(command: Command) -> dict[str, Any]:
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


def uses_later_fields(command: Command) -> bool:
    for name, default in _later_fields(type(command)).items():  # noqa: SIM110 - asked at each publish
        if getattr(command, name) != default:
            return True
    return False


@lru_cache
def _later_fields(kind: type[Command]) -> dict[str, Any]:
    found = {}
    for each in msgspec.structs.fields(kind):
        default = {} if each.default_factory is dict else each.default
        if each.name not in FIRST_FIELDS and default is not msgspec.NODEFAULT:
            found[each.name] = default
    return found
