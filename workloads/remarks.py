"""What an import rounded, assumed or left out, by code: the English sentence of each, with named places."""

from __future__ import annotations

from typing import Final

import msgspec

ENGLISH: Final[dict[str, str]] = {
    # --- any log ---
    "burst_s": "messages within %(seconds)s s are one burst, to keep the scenario short",
    "sizes_kept": (
        "each message keeps its own size and whether it is persistent, so as many belong to the message store as in "
        "the log, with as many bytes"
    ),
    "times_moved": (
        "messages come %(mean_ms)s ms earlier than in the log on average; the most in a second: %(before)s in the log, "
        "%(after)s here"
    ),
    "consumer_ticks": (
        "consumers hand in what they finished every %(ms)s ms instead of every %(usual)s, as bursts are wide: "
        "deliveries come later by less than that"
    ),
    "not_answered": (
        "bursts are fewer events than the log's messages: sweeps leave these metrics empty (%(names)s), and times are "
        "exact to the width of a burst"
    ),
    "queues_kept": "the messages of all %(count)s queues are kept; the queues are called q1, q2 and so on",
    "queues_apart": (
        "%(count)s messages for several queues at once are published to each of them: a scenario has no more bindings"
    ),
    "nowhere": "%(count)s messages went to no queue; they are left out",
    "log_part": "this is part %(number)s of the log; it begins with empty queues",
    "table_without_consumer": "a table of arrivals tells of no consumer; add one with --consumer-rate",
    "trace_rate": "the consumer takes %(rate)s messages a second, as it did on average in the log",
    "trace_rates": (
        "each queue's consumer takes messages as fast as in the log on average: %(least)s to %(most)s a second"
    ),
    "trace_acks": "a trace tells of no acknowledgements: they are assumed to follow at that rate",
    "trace_cut": (
        "this trace was cut by max_payload_bytes: %(count)s of %(of)s bodies end after %(bytes)s bytes, and the log "
        "does not say how long they were, so they are played too short; trace again without that limit, or import "
        "a table with their sizes"
    ),
    "trace_may_be_cut": (
        "%(count)s of %(of)s bodies have %(bytes)s bytes, and none is longer: if the trace was made with "
        "max_payload_bytes = %(bytes)s, they were longer, and the log does not say by how much; trace again without "
        "that limit, or import a table with their sizes"
    ),
    "trace_without_consumer": "nothing was received in this log; add a consumer with --consumer-rate",
    # --- a PerfTest command ---
    "no_effect": "without effect on what is stored: %(names)s",
    "first_command": "line %(line)s: only the first PerfTest command is read",
    "commands_around": "left out, as it is no part of PerfTest: %(names)s",
    "exclusive_queues": (
        "--exclusive: each consumer has a queue of its own, which ends with its connection; the run ends before that"
    ),
    "stray_words": "no option, so PerfTest passes over it: %(names)s",
    "default_time": "there is neither --time nor a number of messages: the run lasts %(seconds)s s",
    "names_replaced": "names of queues and exchanges are replaced",
    "no_queue": (
        "PerfTest declares no queue where it has no consumer and no --queue: here the messages stay in one that "
        "nobody reads"
    ),
    "queue_each": (
        "without --queue each consumer declares a queue of its own, and each of the %(count)s gets every message"
    ),
    "fan_out": "all %(count)s queues have the same routing key, so each of them gets every message",
    "predeclared": "--predeclared: the queue is taken to be as PerfTest would declare it",
    "auto_delete": "--auto-delete: the run ends before the consumers leave, so the queue stays",
    "clients_merged": "%(count)s %(name)s are played as %(fewer)s that do the work of several each",
    "consumer_shares": "each consumer reads %(count)s queues; its rate is divided among them",
    "unlimited_producers": (
        "without --rate producers publish as fast as they can: here, as fast as the machine of the work profile "
        "%(profile)s lets them"
    ),
    "ram_for_connections": (
        "the node gets %(mib)s MiB of RAM: %(count)s connections take their part of it, buffers and all"
    ),
    "unlimited_consumers": "consumers have no rate: each takes up to %(rate)s messages a second",
    "rate_rounded": "%(name)s %(given)s is played as %(rate)s messages a second",
    "messages_bound": "--pmessages %(count)s: each producer stops after %(seconds)s s",
    "messages_burst": "--pmessages %(count)s without --rate: each producer sends them at once",
    "consumer_messages": "--cmessages: the consumers go on after %(count)s messages",
    "confirm_window": "--confirm %(count)s: confirms are asked for, but no producer waits when so many are missing",
    "nacks_requeue": "--nack: what a consumer finishes goes back to its queue, and is delivered again",
    "nacks_discard": "--nack --requeue false: what a consumer finishes is a dead letter, or gone",
    "given_again": "%(name)s is given again; PerfTest takes the first, so %(text)s is left out",
    "transactions_left_out": (
        "--ptxsize %(count)s: transactions are left out where messages come in bursts, and beyond %(most)s messages"
    ),
    "acks_together": "--multi-ack-every %(count)s: one acknowledgement comes for all messages that are finished",
    "random_start": "PerfTest starts its producers at random within %(seconds)s s; here all start at once",
    "exit_when": "--exit-when: the run goes on to its end",
    "json_body": "--json-body: bodies have the bytes of --size, and no JSON in them",
    "random_keys": (
        "--random-routing-key: with an exchange of the type %(type)s such keys lead to no queue; here all have one key"
    ),
    "consumer_argument": "the consumer argument %(text)s has no effect on what is stored",
    "content_type": "--body-content-type becomes the property content_type",
    "bound_already": "--skip-binding-queues: the queues are taken to be bound already",
    "keys_decide": (
        "an exchange of the type %(type)s gives each message to all queues; here each producer has one queue"
    ),
    "dead_letters_dropped": (
        "dead letters go to an exchange that PerfTest does not declare: the broker drops them where there is none"
    ),
    "queue_argument": "the queue argument %(text)s is unknown to classic queues and has no effect",
    "time_cut": "the run is cut after %(hours)s hours",
    "one_node": "%(name)s: all clients connect to the same node",
    "queue_option": "the option for one queue of a log has no meaning for a command line",
}


class Remark(msgspec.Struct, frozen=True):
    """What is told of an import, as a code with parameters.

    Args:
        code: a key of `ENGLISH`.
        values: its named places.
    """

    code: str
    values: dict[str, str | int] = {}

    @classmethod
    def of(cls, code: str, **values: str | int) -> Remark:
        """Return a remark with these values."""
        return cls(code, values)

    def __str__(self) -> str:
        """Return the English sentence."""
        return ENGLISH[self.code] % self.values
