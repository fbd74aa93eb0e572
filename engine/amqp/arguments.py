"""The x-arguments of a queue: the values that the broker accepts, and its messages about the others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from engine.amqp.errors import AmqpError, failed, queue_words
from engine.amqp.exchanges import are_equal
from engine.values.errors import CommandError

MAX_PRIORITY: Final = 255

PRIORITIES: Final = "x-max-priority"
"""Argument of a queue that serves higher priorities first."""

VERSION: Final = "x-queue-version"
"""Argument that sets the version of a queue's files, in releases that offer a choice (W2)."""

LOCATOR: Final = "x-queue-master-locator"
LOCATORS: Final = ("client-local", "random", "min-masters")
"""Values that say on which node a new queue's master begins (H15)."""

Arguments = Mapping[str, Any]

Row = tuple[Any, ...]
"""A release's check of a name: the kind of check and its parameters."""


def amqp_type(value: Any) -> str:
    """Return the broker's name for the type of a client's value."""
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int):
        return "signedint" if -(2**31) <= value < 2**31 else "long"
    if isinstance(value, float):
        return "double"
    if isinstance(value, str):
        return "longstr"
    if value is None:
        return "void"
    return "array" if isinstance(value, list) else "table"


PLACE: Final = "~"
"""Stands for the value in a text of a table."""
ANOTHER_TYPE: Final = "another_type"
"""Message about an argument of another type of queue."""
DENIED: Final = "denied"
"""Message about an argument that always ends the connection."""
LOCATION: Final = "location"
"""Message about a wrong value for where a master begins; it ends the connection."""

OF_TYPE: Final = {"text": str, "key": str, "one_of": str, "boolean": bool}
"""Kinds of checks whose values have this type."""

NOT_HERE: Final[tuple[tuple[str, Any, str], ...]] = (
    ("x-queue-type", "quorum", "quorum_queue"),
    ("x-queue-type", "stream", "stream"),
)
"""Arguments and values that Waterline does not support, each with the code of the refusal that explains it."""


def wrong_with(row: Row, value: Any, arguments: Arguments) -> str | None:
    """Return what a row of a table finds wrong with a value, in the broker's words after the argument's name."""
    kind, *rest = row
    if kind in ("natural", "expires", "ttl", "priority", "version"):
        return _wrong_number(kind, value, *rest)
    if kind not in OF_TYPE:
        return None
    if not isinstance(value, OF_TYPE[kind]):
        return f"{{unacceptable_type,{amqp_type(value)}}}"
    if kind == "key" and "x-dead-letter-exchange" not in arguments:
        return "routing_key_but_no_dlx_defined"
    if kind == "one_of" and value not in rest[1:]:
        return str(rest[0]).replace(PLACE, str(value))
    return None


def _wrong_number(kind: str, value: Any, words: str, *bounds: int) -> str | None:
    """Return what is wrong with a whole number of at least 0; `words` picks the wording for what is none."""
    given = amqp_type(value)
    if given not in ("signedint", "long"):
        return f'"expected integer, got {given}"' if words == "expected" else f"{{unacceptable_type,{given}}}"
    if kind == "expires" and value == 0:
        return "{value_zero,0}"
    if value < 0:
        return f"{{value_negative,{value}}}"
    if kind == "version":
        return None if value in bounds else f"\"unsupported queue version '{value}'\""
    most = [MAX_PRIORITY] if kind == "priority" else bounds
    beyond = "max_value_exceeded" if kind == "priority" else "value_too_large"
    return f"{{{beyond},{value}}}" if most and value > most[0] else None


def check_arguments(queue: str, arguments: Arguments, rows: Mapping[str, Row]) -> None:
    """Refuse arguments that the broker refuses in a declaration (P18) or that are not modelled here. `rows`: the
    release's checks, in its order. Raises AmqpError as the broker does; CommandError for what only the broker can do.
    """
    dead_letter = arguments.get("x-dead-letter-exchange", "")
    if not isinstance(dead_letter, str):
        raise failed(
            f"invalid type '{amqp_type(dead_letter)}' for arg 'x-dead-letter-exchange' in {queue_words(queue)}"
        )
    for name, row in rows.items():
        wrong = wrong_with(row, arguments[name], arguments) if name in arguments else None
        if wrong is not None:
            raise failed(f"invalid arg '{name}' for {queue_words(queue)}: {wrong}")
    for name, value, code in NOT_HERE:
        if arguments.get(name) == value:
            raise CommandError(code, name=name, value=value)
    for name in arguments:
        if rows.get(name, ("",))[0] == ANOTHER_TYPE:
            raise failed(f"invalid arg '{name}' for {queue_words(queue)} of queue type rabbit_classic_queue")
    for name, value in arguments.items():
        kind, *rest = rows.get(name, ("",))
        if kind == DENIED or (kind == LOCATION and value not in rest):
            raise AmqpError("internal_error", rest[0] if kind == DENIED else "")


def with_version(arguments: Arguments, version: int | None) -> Arguments:
    """Return the arguments with the version that argument or policy set (W2)."""
    return arguments if version is None else {**arguments, VERSION: version}


def check_equivalent(thing: str, names: Iterable[str], current: Arguments, wished: Arguments) -> None:
    """Refuse a declaration whose arguments differ from those of the existing thing (P18). A missing queue
    type means classic. `thing`: the thing in the broker's words.
    """
    for name in names:
        if name in current and name in wished:
            check_field(thing, name, current[name], wished[name])
        elif (name in current or name in wished) and (
            name != "x-queue-type" or current.get(name, "classic") != wished.get(name, "classic")
        ):
            raise inequivalent(thing, name, _with_type(wished, name), _with_type(current, name))


def _with_type(arguments: Arguments, name: str) -> str:
    if name not in arguments:
        return "none"
    value = arguments[name]
    return f"the value '{erlang(value)}' of type '{amqp_type(value)}'"


def erlang(value: Any) -> str:
    """Return a plain value as the broker prints it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def inequivalent(thing: str, name: str, received: str, current: str) -> AmqpError:
    return failed(f"inequivalent arg '{name}' for {thing}: received {received} but current is {current}")


def check_field(thing: str, name: str, current: Any, wished: Any) -> None:
    """Refuse a declaration whose field (durable, auto_delete, type, ...) differs from the existing thing's (P18)."""
    if not are_equal(current, wished):
        raise inequivalent(thing, name, f"'{erlang(wished)}'", f"'{erlang(current)}'")
