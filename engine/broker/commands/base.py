"""Parts of all commands: bounded values, limits, refusals, virtual hosts, and the fields of a published message."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from copy import copy
from functools import lru_cache
from typing import Annotated, Any, Final, TypeVar

import msgspec
from msgspec.structs import force_setattr

from engine.broker.time.scheduler import TICK_US
from engine.formats.properties import FLAGS
from engine.values.errors import CommandError, Refusal, ValueRefused
from engine.values.labels import BREAK, FIRST_HOST, bare, host_of, in_host

MAX_COUNT: Final = 10_000_000
MAX_SIZE_BYTES: Final = 134_217_728
MAX_RATE: Final = 1_000_000
MAX_PREFETCH: Final = 65_535
TICK_MS: Final = TICK_US // 1000
MAX_TICK_MS: Final = 180
"""Below the 200 ms without a message after which a queue syncs (P2): a coarser tick would make it do so."""
MAX_EXPIRATION_MS: Final = 315_360_000_000
MAX_FIELDS: Final = 16
MAX_SHORT_BYTES: Final = 255

Count = Annotated[int, msgspec.Meta(ge=1, le=MAX_COUNT)]
Size = Annotated[int, msgspec.Meta(ge=0, le=MAX_SIZE_BYTES)]
Rate = Annotated[int, msgspec.Meta(ge=1, le=MAX_RATE)]
Prefetch = Annotated[int, msgspec.Meta(ge=0, le=MAX_PREFETCH)]
Priority = Annotated[int, msgspec.Meta(ge=1 - 2**53, le=2**53 - 1)]
TickMs = Annotated[int, msgspec.Meta(ge=TICK_MS, le=MAX_TICK_MS)]
Name = Annotated[str, msgspec.Meta(pattern=r"^[a-z][a-z0-9_.-]{0,31}\Z")]
"""A name that a scenario gives to a publisher, a channel, or itself."""
ChannelName = Name
"""A manual channel; the part before its first dot names its connection. Its first use opens it."""
BrokerName = Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_SHORT_BYTES)]
"""A name as brokers have them: any text of at most 255 bytes (a short string of AMQP)."""
QueueName = BrokerName
NewQueueName = Annotated[str, msgspec.Meta(max_length=MAX_SHORT_BYTES)]
"""Like BrokerName, but may be empty: then the broker makes a name."""
PolicyName = BrokerName
ConsumerTag = BrokerName
ExchangeName = Annotated[str, msgspec.Meta(max_length=MAX_SHORT_BYTES)]
"""Like BrokerName, but may be empty: the default exchange."""
RoutingKey = Annotated[str, msgspec.Meta(max_length=255)]
FieldName = Annotated[str, msgspec.Meta(max_length=64)]
"""May be empty, as in AMQP."""
Text = Annotated[str, msgspec.Meta(max_length=255)]
Fields = Annotated[dict[FieldName, Any], msgspec.Meta(max_length=MAX_FIELDS)]
"""A table of headers or arguments: true and false, integers, texts, null, and lists and tables of these."""
MAX_DEPTH: Final = 4
MAX_VALUES: Final = 64
MAX_INTEGER_BITS: Final = 53
"""What JavaScript keeps exactly."""
Milliseconds = Annotated[int, msgspec.Meta(ge=0, le=MAX_EXPIRATION_MS)]

HAND: Final = "hand"
"""The channel that a command means when it names none."""
DEFAULT_QUEUE: Final = "orders"
"""The queue that a command means when it names none."""


class Command(msgspec.Struct, frozen=True, tag_field="do", forbid_unknown_fields=True, omit_defaults=False):
    """Anything that a node can be asked to do; `do` names the verb."""

    def __post_init__(self) -> None:
        """Check names, which are bounded in bytes, and tables, whose values may be nested. Raises
        ValueRefused for what AMQP or the bounds do not allow.
        """
        check_names(self)
        for name in TABLES:
            table = getattr(self, name, None)
            if table:
                check_table(name, table)
        expiration = getattr(self, "expiration", None)
        if expiration is not None:
            check_short("expiration", expiration)


NAMES: Final = ("name", "queue", "exchange", "source", "destination", "routing_key", "vhost")


def check_line_breaks(values: Mapping[str, Any]) -> None:
    """Refuse a name with a line break, which the broker removes; a node uses it to separate virtual host and
    name. Raises ValueRefused.
    """
    for field in NAMES:
        text = values.get(field)
        if isinstance(text, str) and ("\n" in text or "\r" in text):
            raise ValueRefused("name_line_break", place=field)


def check_names(holder: object) -> None:
    """Refuse a name that is not a text of at most 255 bytes of UTF-8. Raises ValueRefused."""
    for field in NAMES:
        text = getattr(holder, field, "")
        if "\r" in text:
            raise ValueRefused("name_line_break", place=field)
        if not text.isascii():
            check_short(field, bare(text))


PROPERTIES: Final = {
    name: kind for name, _, kind in FLAGS if name not in ("headers", "delivery_mode", "expiration")
}
"""The AMQP properties without a field of their own in a command, each with its kind on the wire."""
MOST: Final = {"octet": 255, "timestamp": 2**53}
"""The highest number of each numeric kind; the other kinds are texts."""
TABLES: Final = ("headers", "arguments", "definition", "properties")


def check_table(name: str, table: dict[str, Any]) -> None:
    """Refuse a table with values that AMQP lacks, or with too many or too deeply nested values. Raises ValueRefused."""
    if name == "properties":
        check_properties(table)
    left = [(value, 1) for value in table.values()]
    count = 0
    while left:
        value, depth = left.pop()
        count += 1
        if count > MAX_VALUES:
            raise ValueRefused("too_many_values", place=name, most=MAX_VALUES)
        if depth > MAX_DEPTH:
            raise ValueRefused("table_too_deep", place=name, most=MAX_DEPTH)
        if isinstance(value, dict):
            if not all(
                isinstance(each, str) and 1 <= len(each.encode()) <= MAX_SHORT_BYTES for each in value
            ):
                raise ValueRefused("no_field_name", place=name, most=MAX_SHORT_BYTES)
            left += [(each, depth + 1) for each in value.values()]
        elif isinstance(value, list):
            left += [(each, depth + 1) for each in value]
        elif isinstance(value, str):
            if len(value) > MAX_SHORT_BYTES:
                raise ValueRefused("field_text_too_long", place=name, most=MAX_SHORT_BYTES)
        elif isinstance(value, float) or (isinstance(value, int) and abs(value) > 2**MAX_INTEGER_BITS):
            raise ValueRefused("no_field_number", place=name, most=MAX_INTEGER_BITS)
        elif value is not None and not isinstance(value, bool | int):
            raise ValueRefused("no_field_value", place=name, got=type(value).__name__)


def check_properties(properties: Mapping[str, Any]) -> None:
    """Refuse a property that AMQP lacks, or a value of the wrong kind. Raises ValueRefused."""
    for name, value in properties.items():
        kind, place = PROPERTIES.get(name), f"properties.{name}"
        if kind is None:
            known = ", ".join(sorted(PROPERTIES))
            raise ValueRefused("no_property", place="properties", name=name, known=known)
        if kind in MOST:
            if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MOST[kind]:
                raise ValueRefused("not_whole_between", place=place, least=0, most=MOST[kind])
        elif not isinstance(value, str):
            raise ValueRefused("not_text", place=place, got=type(value).__name__)
        else:
            check_short(place, value)


def check_short(place: str, text: str) -> None:
    """Refuse a text that is not a short string of AMQP. Raises ValueRefused."""
    try:
        size_bytes = len(text.encode())
    except UnicodeEncodeError:
        raise ValueRefused("name_no_text", place=place) from None
    if size_bytes > MAX_SHORT_BYTES:
        raise ValueRefused("name_too_long", place=place, most=MAX_SHORT_BYTES)


class MessageFields(msgspec.Struct, frozen=True):
    """A publisher's values for its messages, apart from their bodies.

    Args:
        expiration_ms: how long a message may stay in a queue, None for ever.
        mandatory: a message that no queue gets comes back.
        headers: without BCC, which the broker removes.
        properties: all but headers, delivery_mode and expiration.
        copies: routing keys of the CC and BCC headers.
        rewritten: the broker wrote the properties itself, because it removed BCC or added a dead letter's death; it
            then keeps them decoded, even when read from a file (Q12, P9).
    """

    exchange: str = ""
    routing_key: str = DEFAULT_QUEUE
    mandatory: bool = False
    expiration_ms: int | None = None
    headers: dict[str, Any] = {}
    properties: dict[str, Any] = {}
    copies: tuple[str, ...] = ()
    rewritten: bool = False

    def given(self) -> dict[str, Any]:
        """Return the values that the publisher gave, by field name."""
        given = msgspec.structs.asdict(self)
        del given["rewritten"]
        return given

    @property
    def routing_keys(self) -> tuple[str, ...]:
        """Its own routing key and those of its CC and BCC headers (P16)."""
        return (self.routing_key, *self.copies)


VhostName = Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_SHORT_BYTES)]
FIELD: Final = "vhost"
"""JSON's name for the virtual host; left out for the first one."""
HELD_IN_A_HOST: Final = ("name", "queue", "exchange", "source", "destination", "channel")
HELD_IN_NONE: Final = {"set": ("name",)}
"""Fields of a verb that look like names but are not."""

C = TypeVar("C", bound=Command)


@lru_cache
def _fields(kind: type[Command]) -> tuple[str, ...]:
    no_names = HELD_IN_NONE.get(str(kind.__struct_config__.tag), ())
    return tuple(name for name in HELD_IN_A_HOST if name in kind.__struct_fields__ and name not in no_names)


def placed(command: C, vhost: str) -> C:
    """Return a command with its names placed in a virtual host."""
    found = copy(command)
    for name in _fields(type(command)):
        if getattr(command, name) is not None:
            force_setattr(found, name, in_host(vhost, getattr(command, name)))
    return found


def unplaced(command: C) -> C:
    """Return a command with its names as they are inside their virtual host."""
    if vhost_of(command) == FIRST_HOST:
        return command
    found = copy(command)
    for name in _fields(type(command)):
        if getattr(command, name) is not None:
            force_setattr(found, name, bare(getattr(command, name)))
    return found


def vhost_of(command: Command) -> str:
    """Return the virtual host in which a command's names are."""
    for name in _fields(type(command)):
        value = getattr(command, name)
        if value is not None and BREAK in value:
            return host_of(value)
    return FIRST_HOST


def in_a_host(kind: type[Command]) -> bool:
    """Return whether commands of a kind concern one virtual host and may name it."""
    return FIELD not in kind.__struct_fields__ and bool(_fields(kind))


def taken_out(command: dict[str, Any], kind: type[Command]) -> tuple[dict[str, Any], str]:
    """Return a command's JSON object without its virtual host, and the virtual host. Raises CommandError: it
    is not a name, or the command is in no virtual host.
    """
    if FIELD in kind.__struct_fields__:
        return command, FIRST_HOST
    rest = {name: value for name, value in command.items() if name != FIELD}
    vhost, place = command[FIELD], f"{command['do']}: {FIELD}"
    if not _fields(kind):
        raise CommandError("unknown", place=place)
    if not isinstance(vhost, str) or not vhost or BREAK in vhost or len(vhost) > MAX_SHORT_BYTES:
        raise CommandError("no_vhost_name", place=place, most=MAX_SHORT_BYTES)
    return rest, vhost


_FOUND: Final = re.compile(r"(?P<what>.*?)(?: - at `(?P<place>[^`]*)`)?", re.DOTALL)

# The validator has no codes of its own: this is the one place that reads its sentences.
_FORMS: Final[tuple[tuple[re.Pattern[str], str], ...]] = tuple(
    (re.compile(pattern), code)
    for pattern, code in (
        (r"Expected `(?:int|float)` >= (?P<least>\S+)", "too_small"),
        (r"Expected `(?:int|float)` <= (?P<most>\S+)", "too_high"),
        (r"Expected `(?:int|float)` > (?P<least>\S+)", "not_above"),
        (r"Expected `str` of length >= (?P<least>\S+)", "too_short"),
        (r"Expected `str` of length <= (?P<most>\S+)", "too_long"),
        (r"Expected `array` of length <= (?P<most>\S+)", "too_many_elements"),
        (r"Expected `array` of length (?P<wanted>\d+), got (?P<got>\d+)", "wrong_length"),
        (r"Expected `str` matching regex .*", "no_name"),
        (r"Expected `int(?: \| null)?`, got `(?P<got>.+)`", "not_whole"),
        (r"Expected `float(?: \| (?:null|object))*`, got `(?P<got>.+)`", "not_a_number"),
        (r"Expected `bool`, got `(?P<got>.+)`", "not_a_flag"),
        (r"Expected `str(?: \| null)?`, got `(?P<got>.+)`", "not_text"),
        (r"Expected `object`, got `(?P<got>.+)`", "not_an_object"),
        (r"Expected `array`, got `(?P<got>.+)`", "not_a_list"),
        (r"Object missing required field `(?P<name>\w+)`", "missing"),
        (r"Object contains unknown field `(?P<name>.*)`", "unknown"),
        (r"Invalid enum value (?P<name>.*)", "no_such_value"),
        (r"Invalid value (?P<name>.*)", "no_such_value"),
        (r"Integer value out of range", "too_large"),
    )
)

_WORDS: Final = {"str": "text", "bool": "true or false", "float": "a number with a point", "array": "a list"}

R = TypeVar("R", bound=Refusal)


def refused(kind: type[R], error: msgspec.ValidationError, before: str = "") -> R:
    """Return a refusal that says what is wrong and where, such as `settings.ram_bytes must be at least 1`.
    `error`: what the validator found. `before`: prefix of the place.
    """
    found = _FOUND.fullmatch(str(error))
    assert found is not None
    place = (before + (found["place"] or "$").removeprefix("$").removeprefix(".")).strip()
    if isinstance(error.__cause__, Refusal):  # the value's own class has refused it already
        return error.__cause__.inside(_joined(place, ""), kind)
    what = re.sub(r"got `(\w+)`", lambda got: f"got `{_WORDS.get(got[1], got[1])}`", found["what"])
    for pattern, code in _FORMS:
        match = pattern.fullmatch(what)
        if match:
            values = match.groupdict()
            if "name" in values:
                place = _joined(place, values.pop("name"))
            return kind(code, place=place, **values)
    return kind("invalid", words=_joined(place, what))


def _joined(place: str, what: str) -> str:
    if not place:
        return what
    return f"{place} {what}" if place.endswith(":") else f"{place}: {what}"


DEFAULT_FRACTION: Final = 0.4
_BYTES: Final = re.compile(r"(\d{1,15})(?:([kKmMgG])(iB|B)?)?")
_POWERS: Final = {"": 0, "k": 1, "m": 2, "g": 3}


class AbsoluteLimit(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A watermark in bytes."""

    absolute: Annotated[int, msgspec.Meta(ge=0, le=2**50)]


class FreeLimit(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The least free disk space: in bytes, or as a fraction of the machine's RAM (M10)."""

    absolute: Annotated[int, msgspec.Meta(ge=0, le=2**50)] | None = None
    mem_relative: Annotated[float, msgspec.Meta(ge=0, le=1024)] | None = None

    def __post_init__(self) -> None:
        """Refuse a limit with both values, or with neither."""
        if (self.absolute is None) == (self.mem_relative is None):
            raise ValueRefused("one_of_two", first="absolute", second="mem_relative")

    def in_bytes(self, ram_bytes: int) -> int:
        """Return the limit in bytes for a machine with this much RAM (M10)."""
        if self.mem_relative is not None:
            return math.floor(self.mem_relative * ram_bytes + 0.5)
        return self.absolute or 0


def limit_bytes(watermark: float | AbsoluteLimit, ram_bytes: int) -> int:
    """Return the memory limit in bytes (M8). `watermark`: a fraction of the RAM, at most 1, and 0.4 if it is
    not a number; or bytes, at most all RAM.
    """
    if isinstance(watermark, AbsoluteLimit):
        return min(watermark.absolute, ram_bytes)
    if math.isnan(watermark) or watermark < 0:
        watermark = DEFAULT_FRACTION
    return math.trunc(min(watermark, 1.0) * ram_bytes)


def free_limit_bytes(limit: int | FreeLimit, ram_bytes: int) -> int:
    """Return the limit of free space in bytes (M10). `limit`: bytes, or a fraction of the RAM."""
    return limit if isinstance(limit, int) else limit.in_bytes(ram_bytes)


def bytes_of(text: str) -> int:
    """Return the bytes that a text such as "512MiB" or "1GB" means (M8, M10). Raises CommandError for anything else."""
    found = _BYTES.fullmatch(text)
    if found is None:
        raise CommandError("no_amount", text=text)
    base = 1000 if found[3] == "B" else 1024
    factor: int = base ** _POWERS[(found[2] or "").lower()]
    return int(found[1]) * factor
