"""How a release differs from 3.10.8 in AMQP's own matters; its row in the table of releases says which applies."""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from engine.amqp.validation import REFERENCE, ReleaseValidation


class AmqpRules(msgspec.Struct, frozen=True, kw_only=True):
    """The defaults are 3.10.8's.

    Args:
        limits_channels: basic.qos with global limits all consumers of a channel together (P13); else it is the prefetch
            of each consumer that comes after it (W220).
        consumes_again: channels consume again by themselves where a queue's process was killed (D4); else their
            consumers are cancelled (W221).
        serves_after_cancel: a cancel serves who is left from what waits, and a message may go past others to a consumer
            (W222); else a queue whose backlog nobody took crashes with the next message (P8.3).
        deaths_apart: what is known of a message's deaths is beside its headers; clients see its last death too, its
            own expiration is never forgotten, and CC stays (W223).
        unknown_type: which of AMQP's errors an unknown type of an exchange is (P18, W225).
        exchanges_stay: a restart keeps exchanges that are not durable, and deletes queues that are not as at any time
            (W227); else it keeps what is durable (D1).
        commits_to_processes: a commit sends to the processes that the queues had when the messages were published, and
            fails where one of them is gone (W229); else to the queues that have these names then (D13).
        acknowledgements_time_out: the channel is closed whose oldest delivery waits longer than consumer_timeout (P21);
            else a classic queue waits for ever (W230).
        validation: which arguments, policies and exchanges it takes.
    """

    commits_to_processes: bool = False
    acknowledgements_time_out: bool = True
    validation: ReleaseValidation = REFERENCE
    limits_channels: bool = True
    consumes_again: bool = True
    serves_after_cancel: bool = False
    deaths_apart: bool = False
    unknown_type: Literal["command_invalid", "precondition_failed"] = "command_invalid"
    exchanges_stay: bool = False


TODAYS: Final = AmqpRules(
    limits_channels=False,
    consumes_again=False,
    serves_after_cancel=True,
    deaths_apart=True,
    unknown_type="precondition_failed",
    exchanges_stay=True,
    commits_to_processes=True,
    acknowledgements_time_out=False,
)
"""4.x, with what 4.3 denies (section 17 of the rules of version 2)."""
