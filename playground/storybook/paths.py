"""Ways through the library: each is a question with the scenarios that answer it, in an order that builds up."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from django.utils.translation import gettext_lazy as _


class PathThrough(NamedTuple):
    """One way through the library.

    Args:
        key: in addresses.
        title: what it is about.
        question: what somebody asks who takes it.
        slugs: its scenarios, in order.
    """

    key: str
    title: Any
    question: Any
    slugs: tuple[str, ...]


START: Final = ("first-burst", "greek-letters", "backlog-spiral", "restart-matrix", "confirm-timeline")
"""The five with which somebody begins who has seen none."""


def _path(key: str, title: Any, question: Any, slugs: str) -> PathThrough:
    return PathThrough(key, title, question, tuple(slugs.split()))


PATHS: Final = (
    _path(
        "memory",
        _("Memory"),
        _("When does a message leave RAM, and which one?"),
        "first-burst greek-letters five-lanes "
        "paging-spike target-ram-count two-kinds-of-messages lanes-join-at-the-drain "
        "lanes-of-lanes memory-alarm where-is-my-memory "
        "ratio-of-three-quarters threshold-too-high paging-ratio-above-one "
        "watermark-advice rss-blocks-a-small-node alpha-against-delta real-delta",
    ),
    _path(
        "backlog",
        _("Backlogs and consumers"),
        _("Why does a long queue drain slowly, and what helps?"),
        "backlog-spiral backlog-drain cost-of-a-read "
        "fast-consumer direct-delivery two-consumers-order one-connection "
        "taking-from-a-queue head-goes-back requeue-order "
        "requeue-storm what-a-delivery-costs where-a-body-is-read remedies "
        "auto-ack-loses asked-too-often restart-loads-2048 prefetch-fills-memory",
    ),
    _path(
        "lazy",
        _("Lazy queues"),
        _("What changes when everything goes to disk at once?"),
        "lazy-vs-default default-beside-lazy lazy-and-persistent lazy-lets-go lazy-consumed lazy-sends-faster "
        "lazy-restart-embed lazy-restart-no-embed lazy-transient-restart conversion-blocks conversion-never-ends "
        "argument-beats-policy",
    ),
    _path(
        "restarts",
        _("Restarts and crashes"),
        _("Which messages are back after a stop, and from which file?"),
        "restart-matrix clean-vs-dirty-restart durable-queue-matters journal-replayed a-start-takes-time "
        "redelivered-after-a-stop crash-while-combining crash-of-an-old-journal expiry-in-the-record",
    ),
    _path(
        "confirms",
        _("Confirms, credit and flow"),
        _("When is a message safe, and who slows a publisher down?"),
        "confirm-timeline confirmed-or-lost transaction-holds transaction-cost credit-chain store-credit "
        "flow-for-one-alarm-for-all blocked-or-blocking queue-process no-wait heartbeats",
    ),
    _path(
        "files",
        _("Files and bytes"),
        _("What is in .idx, .jif and .rdq, and when is a file deleted?"),
        "index-segments journal-flush journal-at-32768 segment-that-stays store-files store-record write-buffer "
        "embed-4092-4093 fourteen-properties big-transient-messages one-body-three-queues garbage-collection rdq-pin "
        "a-store-for-each-host read-while-combining sixteen-mebibytes busy-store-syncs thousand-and-first "
        "fetchwhile-forgets",
    ),
    _path(
        "disk",
        _("Disk"),
        _("What happens when the disk runs short?"),
        "disk-alarm disk-fills-between-checks disk-limit-as-ram disk-decides alarm-of-the-cluster",
    ),
    _path(
        "clusters",
        _("Clusters and mirrors"),
        _("What does a failover lose, and what does a late mirror lack?"),
        "mirrors-failover mirrors-late mirrors-late-failover "
        "mirrors-confirm mirrors-automatic mirrors-frozen mirrors-memory "
        "mirrors-or-confirms mirrors-placement mirrors-when-synced mirrors-whole-cluster mirrors-wrong-ack",
    ),
    _path(
        "operators",
        _("For operators"),
        _("Which command, which setting, and what does it cost?"),
        "operators-drill watermark-command watermark-advice remedies disk-limit-as-ram argument-beats-policy "
        "one-foreign-key never-acknowledged "
        "named-by-the-broker passive-and-internal exchange-durability exchange-auto-delete topic-and-headers "
        "auto-delete-exclusive exclusive-queue",
    ),
    _path(
        "today",
        _("Today's broker"),
        _("What does RabbitMQ 4.x do differently?"),
        "two-lanes l-follows-the-consumer one-in-ram-after-a-start confirmed-and-gone compacted-in-place "
        "one-holds-4095 counted-twice a-stop-that-loses purged-and-stopped",
    ),
    _path(
        "articles",
        _("What articles say"),
        _("Where is an article right, and where is it not?"),
        "articles-broker greek-letters target-ram-count "
        "lazy-vs-default paging-spike threshold-too-high rss-blocks-a-small-node "
        "index-segments store-record garbage-collection",
    ),
)


def path_of(key: str) -> PathThrough | None:
    """Return the path with this key, None where there is none."""
    return next((each for each in PATHS if each.key == key), None)
