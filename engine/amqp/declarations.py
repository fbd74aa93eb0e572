"""AMQP's checks of declaring, deleting, binding, consuming and publishing (P13, P14, P18)."""

from __future__ import annotations

import base64
import hashlib
from typing import Any, Final

import msgspec

from engine.amqp.arguments import Arguments, amqp_type, check_arguments, check_equivalent, check_field
from engine.amqp.errors import AmqpError, exchange_words, failed, queue_words
from engine.amqp.exchanges import DEFAULT, LOCAL_RANDOM, X_MATCH, Binding, Exchange
from engine.amqp.rules import REFERENCE, ReleaseValidation
from engine.values.labels import bare

RESERVED: Final = "amq."
USER: Final = "guest"
"""The user of all connections."""
MAX_EXPIRATION_MS: Final = 315_360_000_000
COPIES: Final = ("CC", "BCC")
"""Headers that name more routing keys (P16)."""
FAST_REPLIES: Final = "amq.rabbitmq.reply-to"
NO_ARGUMENTS: Final[Arguments] = {}


class DeclaredQueue(msgspec.Struct, frozen=True, kw_only=True):
    """A queue as AMQP has it. `owner`: the only connection that may use it; None for a queue that is not exclusive."""

    name: str
    durable: bool = True
    auto_delete: bool = False
    owner: str | None = None
    arguments: dict[str, Any] = {}

    @property
    def exclusive(self) -> bool:
        return self.owner is not None


def declare_queue(
    existing: DeclaredQueue | None,
    *,
    name: str,
    connection: str,
    durable: bool = True,
    exclusive: bool = False,
    auto_delete: bool = False,
    passive: bool = False,
    arguments: dict[str, Any] | None = None,
    by_server: bool = False,
    validation: ReleaseValidation = REFERENCE,
) -> DeclaredQueue:
    """Return the queue of a declaration: the existing one, if it matches, or a new one. An exclusive queue is never
    durable. A passive declaration only asks whether the queue is there. Only the broker itself (`by_server`) may use
    names that begin with amq. Raises AmqpError 404, 405, 406 or 403; CommandError for arguments that are not modelled.
    """
    if passive:
        return check_access(existing, name, connection)
    wished = arguments or {}
    durable = durable and not exclusive
    owner = connection if exclusive else None
    if bare(name).startswith(RESERVED) and not by_server:
        raise AmqpError("access_refused", f"queue name '{bare(name)}' contains reserved prefix 'amq.*'")
    if existing is not None:
        thing = queue_words(name)
        if existing.owner != owner:
            raise _locked(name)
        check_field(thing, "durable", existing.durable, durable)
        check_field(thing, "auto_delete", existing.auto_delete, auto_delete)
        typed = {"x-queue-type": "classic"} if validation.names_type else {}
        check_equivalent(thing, validation.counting, typed | existing.arguments, typed | wished)
        return existing
    check_arguments(name, wished, validation.arguments)
    return DeclaredQueue(
        name=name, durable=durable, auto_delete=auto_delete, owner=owner, arguments=dict(wished)
    )


def server_named(number: int) -> str:
    """Return the broker's name for the `number`th queue without one: amq.gen- and 22 characters. A broker
    makes them from a guid; here they follow from the number, so that each run is the same (P18).
    """
    digest = hashlib.md5(f"amq.gen {number}".encode(), usedforsecurity=False).digest()
    return f"{RESERVED}gen-{base64.urlsafe_b64encode(digest).decode().rstrip('=')}"


def _locked(name: str) -> AmqpError:
    return AmqpError(
        "resource_locked",
        f"cannot obtain exclusive access to locked {queue_words(name)}. It could be originally declared on "
        "another connection or the exclusive property value does not match that of the original declaration.",
    )


def check_access(existing: DeclaredQueue | None, name: str, connection: str) -> DeclaredQueue:
    """Return the queue, if this connection may use it. Raises AmqpError 404 when there is none, 405 when it
    is another connection's.
    """
    if existing is None:
        raise AmqpError("not_found", f"no {queue_words(name)}")
    if existing.owner not in (None, connection):
        raise _locked(name)
    return existing


def check_consume(
    existing: DeclaredQueue | None,
    name: str,
    connection: str,
    *,
    exclusive: bool = False,
    consumers: int = 0,
    has_exclusive: bool = False,
    single_active: bool = False,
) -> DeclaredQueue:
    """Return the queue, if this connection may consume from it. `exclusive`: the consumer wants to be the
    only one. `consumers`: how many there are; has_exclusive: one of them wanted to be the only one.
    `single_active`: the queue has x-single-active-consumer, which excludes exclusive consumers. Raises
    AmqpError 404, 405, and 403 when the queue is in exclusive use.
    """
    queue = check_access(existing, name, connection)
    if has_exclusive or (exclusive and (consumers or single_active)):
        raise AmqpError("access_refused", f"{queue_words(name)} in exclusive use")
    return queue


def check_delete_queue(
    existing: DeclaredQueue | None,
    connection: str,
    *,
    ready: int,
    consumers: int,
    if_unused: bool = False,
    if_empty: bool = False,
) -> None:
    """Refuse a deletion as AMQP does; deleting a missing queue is allowed (P19). Raises AmqpError 405, or 406
    when it is not empty, or else in use.
    """
    if existing is None:
        return
    check_access(existing, existing.name, connection)
    if if_empty and ready:
        raise failed(f"{queue_words(existing.name)} not empty")
    if if_unused and consumers:
        raise failed(f"{queue_words(existing.name)} in use")


def _not_default(name: str) -> None:
    if bare(name) == DEFAULT:
        raise AmqpError("access_refused", "operation not permitted on the default exchange")


def declare_exchange(
    existing: Exchange | None,
    wish: Exchange,
    passive: bool = False,
    unknown_type: str = "command_invalid",
    *,
    validation: ReleaseValidation = REFERENCE,
) -> Exchange:
    """Return the exchange of a declaration: the existing one, if it matches, or a new one. Raises AmqpError
    403, 404, 406, or 503, which closes the connection.
    """
    if not passive and wish.type not in validation.exchange_types:
        known = "invalid" if wish.type in validation.other_types else "unknown"
        raise AmqpError(unknown_type, f"{known} exchange type '{wish.type}'")
    _not_default(wish.name)
    thing = exchange_words(wish.name)
    if passive:
        if existing is None:
            raise AmqpError("not_found", f"no {thing}")
        return existing
    if existing is None:
        called = bare(wish.name)
        if called.startswith(RESERVED):
            raise AmqpError("access_refused", f"exchange name '{called}' contains reserved prefix 'amq.*'")
        alternate = wish.arguments.get("alternate-exchange", "")
        if not isinstance(alternate, str):
            raise failed(f"invalid type '{amqp_type(alternate)}' for arg 'alternate-exchange' in {thing}")
        return wish
    for name in ("type", "durable", "auto_delete", "internal"):
        check_field(thing, name, getattr(existing, name), getattr(wish, name))
    check_equivalent(thing, ("alternate-exchange",), existing.arguments, wish.arguments)
    return existing


def check_delete_exchange(existing: Exchange | None, name: str, *, bound: bool, if_unused: bool) -> None:
    """Refuse a deletion as AMQP does; deleting a missing exchange is allowed. `bound`: whether queues are
    bound to it. Raises AmqpError 403 for the broker's own exchanges, 406 when it is in use.
    """
    _not_default(name)
    if bare(name).startswith(RESERVED):
        raise AmqpError("access_refused", f"deletion of system {exchange_words(name)} not allowed")
    if existing is not None and if_unused and bound:
        raise failed(f"{exchange_words(name)} in use")


def check_binding(
    exchange: Exchange | None,
    queue: DeclaredQueue | None,
    binding: Binding,
    connection: str,
    *,
    unbind: bool = False,
    known: bool = True,
) -> None:
    """Refuse to bind or unbind as AMQP does; removing a missing binding is never an error. `known`: whether the binding
    exists. Raises AmqpError 403 for the default exchange, 404, 405, or 406 for an x-match that does not exist.
    """
    _not_default(binding.exchange)
    if unbind and (exchange is None or queue is None or not known):
        return
    if exchange is None:
        raise AmqpError("not_found", f"no {exchange_words(binding.exchange)}")
    if not unbind and queue is not None:
        _check_source(exchange, binding)
    check_access(queue, binding.queue, connection)


def check_exchange_binding(
    source: Exchange | None, destination: Exchange | None, binding: Binding, *, unbind: bool = False
) -> None:
    """Refuse to bind or unbind two exchanges as AMQP does. Raises AmqpError 403 for the default exchange,
    404, or 406 for an x-match that does not exist.
    """
    _not_default(binding.queue)
    _not_default(binding.exchange)
    if unbind and (source is None or destination is None):
        return
    for name, exchange in ((binding.exchange, source), (binding.queue, destination)):
        if exchange is None:
            raise AmqpError("not_found", f"no {exchange_words(name)}")
    if not unbind and source is not None:
        _check_source(source, binding)


def _check_source(exchange: Exchange, binding: Binding) -> None:
    """Refuse what an exchange does not take: an x-match that does not exist, and what it cannot draw from."""
    match = binding.arguments.get("x-match", "all")
    if exchange.type == "headers" and not isinstance(match, str):
        raise failed(f"Invalid x-match field type {amqp_type(match)} (value {match}); expected longstr")
    if exchange.type == "headers" and match not in X_MATCH:
        raise failed(
            f'Invalid x-match field value <<"{match}">>; expected all, any, all-with-x, or any-with-x'
        )
    if exchange.type == LOCAL_RANDOM and binding.routing_key:
        raise failed(f"Non empty binding '{binding.routing_key}' key not permitted")
    if exchange.type == LOCAL_RANDOM and binding.to != "queue":
        raise failed("Destination not found")


def check_publish(
    exchange: Exchange | None,
    name: str,
    *,
    size_bytes: int = 0,
    max_message_bytes: int = 0,
    expiration: str | None = None,
    user_id: str | None = None,
    reply_to: Any = None,
    headers: Arguments = NO_ARGUMENTS,
) -> None:
    """Refuse a publish as AMQP does.

    Args:
        user_id: the property, which may only name the user of the connection.
        reply_to: the property, which may not ask for fast replies, since no consumer here takes them.

    Raises AmqpError 406 for a body that is too large, an expiration that is not a time, or a CC or BCC that is not a
    list; 404 when there is no such exchange; 403 when it is internal.
    """
    if max_message_bytes and size_bytes > max_message_bytes:
        raise failed(f"message size {size_bytes} is larger than configured max size {max_message_bytes}")
    if exchange is None:
        raise AmqpError("not_found", f"no {exchange_words(name)}")
    if exchange.internal:
        raise AmqpError("access_refused", f"cannot publish to internal {exchange_words(name)}")
    if reply_to == FAST_REPLIES:
        raise failed("fast reply consumer does not exist")
    if user_id not in (None, USER):
        raise failed(f"user_id property set to '{user_id}' but authenticated user was '{USER}'")
    wrong = None if expiration is None else _wrong_expiration(expiration)
    if wrong is not None:
        raise failed(f"invalid expiration '{expiration}': {wrong}")
    for key in COPIES:
        if key in headers and not isinstance(headers[key], list):
            words = f'{{unacceptable_type_in_header,"{key}",{amqp_type(headers[key])}}}'
            raise failed(f"invalid message: {words}")


def _wrong_expiration(text: str) -> str | None:
    sign, digits = (text[0], text[1:]) if text[:1] in ("-", "+") else ("", text)
    count = next((i for i, c in enumerate(digits) if c not in "0123456789"), len(digits))
    if not count:
        return "no_integer"
    if digits[count:]:
        return f'{{leftover_string,"{digits[count:]}"}}'
    value = int(digits) * (-1 if sign == "-" else 1)
    if value < 0:
        return f"{{value_negative,{value}}}"
    return f"{{value_too_large,{value}}}" if value > MAX_EXPIRATION_MS else None


def unknown_tag(tag: int) -> AmqpError:
    """Return the error of an ack, nack or reject whose delivery tag is not outstanding (P14)."""
    return failed(f"unknown delivery tag {tag}")
