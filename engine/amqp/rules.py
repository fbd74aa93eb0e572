"""What differs between the releases in AMQP's own matters: rules, and tables that real nodes' answers wrote."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

import msgspec

from engine.amqp import tables
from engine.amqp.arguments import Row
from engine.amqp.exchanges import PREDECLARED, Exchange


class ReleaseValidation(msgspec.Struct, frozen=True, kw_only=True):
    """The tables of one release.

    Args:
        arguments: of queues, in the order in which the broker checks them; it accepts all others.
        counting: arguments that must be equal when a queue is declared again.
        names_type: whether a queue without a type gets `classic` as an argument.
        keys: of policies, in the broker's order; it refuses all others.
        mirrors_first: whether the keys of mirrors are checked first (H6).
        not_for_classic: keys with which a policy does not apply to classic queues at all (P17).
        apply_to_words: the refusal of anything else, with ~ for it.
        other_types: words that the broker knows but that are no type; their refusal differs.
        pcre2: whether its Erlang uses PCRE2, which words errors differently.
        predeclared: exchanges that its first virtual host has from the start.
    """

    arguments: Mapping[str, Row]
    counting: tuple[str, ...]
    names_type: bool
    keys: Mapping[str, Row]
    mirrors_first: bool
    not_for_classic: frozenset[str]
    apply_to: tuple[str, ...]
    apply_to_words: str
    exchange_types: tuple[str, ...]
    other_types: tuple[str, ...]
    pcre2: bool
    predeclared: tuple[Exchange, ...] = PREDECLARED


VALIDATIONS: Final = {
    name: ReleaseValidation(
        arguments=tables.ARGUMENTS[name],
        counting=tuple(tables.COUNTING[name]),
        keys=tables.KEYS[name],
        not_for_classic=frozenset(tables.NOT_FOR_CLASSIC[name]),
        **others,
    )
    for name, others in tables.OTHERS.items()
}
"""By the name of the release."""


REFERENCE: Final = VALIDATIONS[tables.REFERENCE]


class AmqpRules(msgspec.Struct, frozen=True, kw_only=True):
    """The defaults are 3.10.8's.

    Args:
        limits_channels: basic.qos with global limits all consumers of a channel together (P13); else it is the prefetch
            of each consumer that comes after it (W220).
        consumes_again: after a queue's process was killed, channels consume again by themselves (D4); else their
            consumers are cancelled (W221).
        serves_after_cancel: a cancel serves the remaining consumers from the backlog, and a message may overtake others
            on its way to a consumer (W222); else a queue with an untaken backlog crashes with the next message (P8.3).
        deaths_apart: a message's deaths are kept apart from its headers; clients also see its last death, its own
            expiration is kept, and CC stays (W223).
        unknown_type: the AMQP error for an unknown type of exchange (P18, W225).
        exchanges_stay: a restart keeps exchanges that are not durable, and deletes queues that are not, like any
            deletion (W227); else it keeps only what is durable (D1).
        settles_by_name: an acknowledgement goes to whoever has the queue's name, where a queue was declared anew
            (P14); else to the process that delivered.
        commits_to_processes: a commit sends to the processes that the queues had at the publish, and fails if one of
            them is gone (W229); else to the queues that have these names at the commit (D13).
        commits_look_up: a commit looks up each message's queues; the connection ends where one is gone (W229).
        acknowledgements_time_out: a channel is closed if its oldest delivery waits longer than consumer_timeout (P21);
            else a classic queue waits for ever (W230).
        late_words: why it is closed, with the channel's number and the time.
        validation: the accepted arguments, policies and exchanges.
    """

    settles_by_name: bool = True
    commits_to_processes: bool = False
    commits_look_up: bool = False
    acknowledgements_time_out: bool = True
    validation: ReleaseValidation = REFERENCE
    limits_channels: bool = True
    consumes_again: bool = True
    serves_after_cancel: bool = False
    deaths_apart: bool = False
    unknown_type: Literal["command_invalid", "precondition_failed"] = "command_invalid"
    exchanges_stay: bool = False
    late_words: str = (
        "delivery acknowledgement on channel {channel} timed out. Timeout value used: {timeout_ms} ms. "
        "This timeout value can be configured, see consumers doc guide to learn more"
    )


TODAYS: Final = AmqpRules(
    limits_channels=False,
    consumes_again=False,
    serves_after_cancel=True,
    deaths_apart=True,
    unknown_type="precondition_failed",
    exchanges_stay=True,
    commits_to_processes=True,
    commits_look_up=True,
    acknowledgements_time_out=False,
)
"""Checks of 4.x, with what 4.3 denies (section 17 of the rules of version 2)."""
