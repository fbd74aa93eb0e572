"""Remarks about an imported workload in the reader's language: a text for each code."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from django.utils.translation import gettext_lazy as _

from playground.texts.page_message import PageMessage
from workloads.remarks import Remark

TEXTS: Final[dict[str, Any]] = {
    "burst_s": _("Messages within %(seconds)s s are one burst, to keep the scenario short."),
    "sizes_kept": _(
        "Each message keeps its own size and whether it is persistent, so as many belong to the message store as in "
        "the log, with as many bytes."
    ),
    "times_moved": _(
        "Messages come %(mean_ms)s ms earlier than in the log on average. The most in a second: %(before)s in the log, "
        "%(after)s here."
    ),
    "consumer_ticks": _(
        "Consumers acknowledge every %(ms)s ms instead of every %(usual)s ms, because bursts are wide. "
        "Deliveries are late by less than that, and queues sync as often as before (P2)."
    ),
    "queues_kept": _(
        "The messages of all %(count)s queues are kept. The queues are called q1, q2 and so on."
    ),
    "queues_apart": _(
        "Messages for several queues (%(count)s) are published to each of them: a scenario has no more bindings."
    ),
    "nowhere": _("Left out, as they went to no queue: %(count)s."),
    "log_part": _("This is part %(number)s of the log. It begins with empty queues."),
    "table_without_consumer": _("A table of arrivals names no consumer, so there is none."),
    "trace_rate": _("The consumer takes messages at %(rate)s/s, as it did on average in the log."),
    "trace_rates": _(
        "Each queue's consumer takes messages as fast as in the log on average: %(least)s to %(most)s a second."
    ),
    "trace_acks": _("A trace holds no acknowledgements; they are assumed to come at that rate."),
    "trace_cut": _(
        "This trace was cut by max_payload_bytes = %(bytes)s. Bodies that end there: %(count)s of %(of)s. The log does "
        "not say how long they were, so they are played too short. Trace again without that limit, or import a table "
        "with their sizes."
    ),
    "trace_may_be_cut": _(
        "Bodies as long as the longest, of %(bytes)s B: %(count)s of %(of)s. If the trace was made with "
        "max_payload_bytes = %(bytes)s, they were longer, and the log does not say by how much. Trace again without "
        "that limit, or import a table with their sizes."
    ),
    "trace_without_consumer": _("Nothing was received in this log, so there is no consumer."),
    "no_effect": _("Without effect on what is stored: %(names)s"),
    "first_command": _("Only the first PerfTest command is read; another begins in line %(line)s."),
    "commands_around": _("Left out, because it is not part of PerfTest: %(names)s"),
    "exclusive_queues": _(
        "--exclusive: each consumer has a queue of its own, which ends with its connection. The run ends before that."
    ),
    "stray_words": _("Not options, so PerfTest ignores them: %(names)s"),
    "default_time": _("There is neither --time nor a number of messages: the run lasts %(seconds)s s."),
    "names_replaced": _("Names of queues and exchanges are replaced."),
    "no_queue": _(
        "PerfTest declares no queue where it has no consumer and no --queue. Here the messages stay in "
        "one that nobody reads."
    ),
    "queue_each": _(
        "Without --queue each consumer declares a queue of its own, and each of the %(count)s queues "
        "gets every message."
    ),
    "fan_out": _("All %(count)s queues have the same routing key, so each of them gets every message."),
    "predeclared": _("--predeclared: the import assumes a queue as PerfTest would declare it."),
    "auto_delete": _("--auto-delete: the run ends before the consumers leave, so the queue stays."),
    "clients_merged": _("%(count)s %(name)s are played as %(fewer)s that do the work of several each."),
    "consumer_shares": _("Each consumer reads %(count)s queues; its rate is divided among them."),
    "unlimited_producers": _(
        "Without --rate producers publish as fast as they can: here, as fast as the machine of the work "
        "profile %(profile)s lets them."
    ),
    "ram_for_connections": _(
        "The node gets %(mib)s MiB of RAM: %(count)s connections and their buffers take part of it."
    ),
    "unlimited_consumers": _("Consumers have no rate: each takes up to %(rate)s/s."),
    "rate_rounded": _("%(name)s %(given)s is played as %(rate)s/s."),
    "messages_bound": _("--pmessages %(count)s: each producer stops after %(seconds)s s."),
    "messages_burst": _("--pmessages %(count)s without --rate: each producer sends them at once."),
    "consumer_messages": _("--cmessages %(count)s: the consumers continue after that many messages."),
    "confirm_window": _(
        "--confirm %(count)s: producers ask for confirms, but do not wait when that many are missing."
    ),
    "nacks_requeue": _("--nack: what a consumer finishes goes back to its queue, and is delivered again"),
    "nacks_discard": _("--nack --requeue false: what a consumer finishes is a dead letter, or gone"),
    "given_again": _("%(name)s is given again; PerfTest takes the first, so %(text)s is left out"),
    "transactions_left_out": _(
        "--ptxsize %(count)s: transactions are left out where messages come in bursts, and beyond %(most)s "
        "messages"
    ),
    "acks_together": _(
        "--multi-ack-every %(count)s: one acknowledgement comes for all messages that are finished."
    ),
    "random_start": _(
        "PerfTest starts its producers at random within %(seconds)s s; here all start at once."
    ),
    "exit_when": _("--exit-when: the run goes on to its end."),
    "json_body": _("--json-body: bodies have the bytes of --size, and no JSON in them."),
    "random_keys": _(
        "--random-routing-key: with an exchange of the type %(type)s such keys lead to no queue; here all have one key."
    ),
    "consumer_argument": _("The consumer argument %(text)s has no effect on what is stored."),
    "content_type": _("--body-content-type becomes the property content_type."),
    "bound_already": _("--skip-binding-queues: the import assumes that the queues are bound already."),
    "keys_decide": _(
        "An exchange of the type %(type)s gives each message to all queues; here each producer has one queue."
    ),
    "dead_letters_dropped": _(
        "Dead letters go to an exchange that PerfTest does not declare. If there is none, the "
        "broker drops them."
    ),
    "queue_argument": _("The queue argument %(text)s is unknown to classic queues and has no effect."),
    "time_cut": _("The run is cut after %(hours)s hours."),
    "one_node": _("%(name)s: all clients connect to the same node."),
    "queue_option": _("The option for one queue of a log has no meaning for a command line."),
}
"""By the codes of `workloads.remarks`."""


def messages_of(remarks: Iterable[Remark]) -> list[PageMessage]:
    """Return the sentences of remarks."""
    return [PageMessage(TEXTS[each.code], code=each.code, **each.values) for each in remarks]
