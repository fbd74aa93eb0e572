"""The x-arguments of a queue: which values the broker takes, and its message about the others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from engine.amqp.errors import AmqpError, queue_words
from engine.values.errors import CommandError

MAX_EXPIRY_MS: Final = 315_360_000_000
"""Ten years: the longest TTL and expiry."""
MAX_PRIORITY: Final = 255

PRIORITIES: Final = "x-max-priority"
"""Makes a queue that serves higher priorities first."""

VERSION: Final = "x-queue-version"
"""Which files a queue has, in releases that leave the choice (W2)."""

LOCATOR: Final = "x-queue-master-locator"
LOCATORS: Final = ("client-local", "random", "min-masters")
"""On which node a new queue's master begins; the broker passes over an argument with another value (H15)."""

Arguments = Mapping[str, Any]

Check = Callable[[Any, Arguments], str | None]
"""Returns what is wrong with a value, in the broker's words, or None."""


def amqp_type(value: Any) -> str:
    """Return the broker's name of the type with which a client sends a value."""
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


def _integer(value: Any, _: Arguments) -> str | None:
    if amqp_type(value) not in ("signedint", "long"):
        return f'"expected integer, got {amqp_type(value)}"'
    return None


def _not_negative(value: Any, arguments: Arguments) -> str | None:
    return _integer(value, arguments) or (f"{{value_negative,{value}}}" if value < 0 else None)


def _ttl(value: Any, arguments: Arguments) -> str | None:
    wrong = _not_negative(value, arguments)
    return wrong or (f"{{value_too_large,{value}}}" if value > MAX_EXPIRY_MS else None)


def _expires(value: Any, arguments: Arguments) -> str | None:
    return "{value_zero,0}" if amqp_type(value) == "signedint" and value == 0 else _ttl(value, arguments)


def _priority(value: Any, arguments: Arguments) -> str | None:
    wrong = _not_negative(value, arguments)
    return wrong or (f"{{max_value_exceeded,{value}}}" if value > MAX_PRIORITY else None)


def _boolean(value: Any, _: Arguments) -> str | None:
    return None if isinstance(value, bool) else f"{{unacceptable_type,{amqp_type(value)}}}"


def _text(value: Any, _: Arguments) -> str | None:
    return None if isinstance(value, str) else f"{{unacceptable_type,{amqp_type(value)}}}"


def _dead_letter_key(value: Any, arguments: Arguments) -> str | None:
    wrong = _text(value, arguments)
    if wrong is None and "x-dead-letter-exchange" not in arguments:
        return "routing_key_but_no_dlx_defined"
    return wrong


def _one_of(possible: tuple[str, ...], otherwise: str) -> Check:
    def check(value: Any, arguments: Arguments) -> str | None:
        wrong = _text(value, arguments)
        return wrong or (None if value in possible else otherwise.format(value))

    return check


def _version(value: Any, arguments: Arguments) -> str | None:
    wrong = _not_negative(value, arguments)
    return wrong or (None if value in (1, 2) else f"\"unsupported queue version '{value}'\"")


QUEUE_MODES: Final = ("default", "lazy")
OVERFLOWS: Final = ("drop-head", "reject-publish", "reject-publish-dlx")

CHECKS: Final[dict[str, Check]] = {
    "x-queue-type": _one_of(("classic", "quorum", "stream"), "\"unsupported queue type '{}'\""),
    "x-expires": _expires,
    "x-message-ttl": _ttl,
    "x-dead-letter-exchange": _text,
    "x-dead-letter-routing-key": _dead_letter_key,
    "x-max-length": _not_negative,
    "x-max-length-bytes": _not_negative,
    PRIORITIES: _priority,
    "x-overflow": _one_of(OVERFLOWS, "invalid_overflow"),
    "x-queue-mode": _one_of(QUEUE_MODES, "\"unsupported queue mode '{}'\""),
    VERSION: _version,
    "x-single-active-consumer": _boolean,
}
"""The arguments that a classic queue takes, in the order in which the broker looks at them."""

OTHER_TYPES: Final = (
    "x-max-in-memory-length",
    "x-max-in-memory-bytes",
    "x-delivery-limit",
    "x-quorum-initial-group-size",
    "x-dead-letter-strategy",
    "x-max-age",
    "x-stream-max-segment-size-bytes",
    "x-initial-cluster-size",
    "x-queue-leader-locator",
)
"""Arguments that quorum queues or streams take."""

NOT_HERE: Final[tuple[tuple[str, Any, str], ...]] = (
    ("x-queue-type", "quorum", "quorum_queue"),
    ("x-queue-type", "stream", "stream"),
)
"""What the broker could do and Waterline does not: argument and value, and the code of the refusal that explains it."""


def check_arguments(queue: str, arguments: Arguments) -> None:
    """Refuse what the broker refuses in a declaration (P18), and report what is not modelled here.

    Raises AmqpError as the broker does; CommandError for a thing that only the broker can do.
    """
    dead_letter = arguments.get("x-dead-letter-exchange", "")
    if not isinstance(dead_letter, str):
        raise AmqpError(
            "precondition_failed",
            f"invalid type '{amqp_type(dead_letter)}' for arg 'x-dead-letter-exchange' in {queue_words(queue)}",
        )
    for name, check in CHECKS.items():
        wrong = check(arguments[name], arguments) if name in arguments else None
        if wrong is not None:
            raise AmqpError("precondition_failed", f"invalid arg '{name}' for {queue_words(queue)}: {wrong}")
    for name, value, code in NOT_HERE:
        if arguments.get(name) == value:
            raise CommandError(code, name=name, value=value)
    for name in arguments:
        if name in OTHER_TYPES:
            raise AmqpError(
                "precondition_failed",
                f"invalid arg '{name}' for {queue_words(queue)} of queue type rabbit_classic_queue",
            )


def with_version(arguments: Arguments, version: int | None) -> Arguments:
    """Return the arguments with the version that holds by argument or policy (W2)."""
    return arguments if version is None else {**arguments, VERSION: version}


def check_equivalent(thing: str, names: Iterable[str], current: Arguments, wished: Arguments) -> None:
    """Refuse a declaration whose arguments are not those of the thing that exists (P18).

    A missing queue type is a classic one.

    Args:
        thing: the thing in the broker's words.
        names: the arguments that count.
    """
    for name in names:
        if name == "x-queue-type" and current.get(name, "classic") == wished.get(name, "classic"):
            continue
        both = name in current and name in wished
        if (both and _same(current[name], wished[name])) or not (name in current or name in wished):
            continue
        show = _bare if both else _with_type
        raise inequivalent(thing, name, show(wished, name), show(current, name))


def _same(one: Any, other: Any) -> bool:
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def _bare(arguments: Arguments, name: str) -> str:
    return f"'{erlang(arguments[name])}'"


def _with_type(arguments: Arguments, name: str) -> str:
    if name not in arguments:
        return "none"
    value = arguments[name]
    return f"the value '{erlang(value)}' of type '{amqp_type(value)}'"


def erlang(value: Any) -> str:
    """Return a plain value as the broker prints it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def inequivalent(thing: str, name: str, received: str, current: str) -> AmqpError:
    """Return the error of a declaration that differs from what exists."""
    return AmqpError(
        "precondition_failed",
        f"inequivalent arg '{name}' for {thing}: received {received} but current is {current}",
    )


def check_field(thing: str, name: str, current: bool | str, wished: bool | str) -> None:
    """Refuse a declaration whose field (durable, auto_delete, type, ...) is not the existing thing's (P18)."""
    if current != wished:
        raise inequivalent(thing, name, f"'{erlang(wished)}'", f"'{erlang(current)}'")
