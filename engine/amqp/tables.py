# ruff: noqa: E501 - the broker's texts are as long as they are
"""The arguments, policies and exchanges that each release accepts, and its messages about the others.

Written by `make questions` from the answers of real nodes (tests/recordings/questions); not to be changed by hand.
"""

from typing import Any, Final


def by_release(rows: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return what each release has by name; a row holds from its release up to the next one, None for nothing."""
    found: dict[str, dict[str, Any]] = {}
    now: dict[str, Any] = {}
    for release in RELEASES:
        now |= {name: each[release] for name, each in rows.items() if release in each}
        found[release] = {name: now[name] for name in rows if now.get(name) is not None}
    return found


REFERENCE: Final = "3.10.8"
RELEASES: Final = ("3.8.9", "3.10.8", "4.0.5", "4.3.6")

ARGUMENTS = by_release(
    {
        "x-queue-type": {
            "3.8.9": ("one_of", "invalid_queue_type", "classic", "quorum"),
            "3.10.8": ("one_of", "\"unsupported queue type '~'\"", "classic", "quorum", "stream"),
            "4.3.6": ("one_of", "\"unsupported queue type '~'\"", "", "classic", "quorum", "stream"),
        },
        "x-expires": {"3.8.9": ("expires", "type"), "3.10.8": ("expires", "expected", 315360000000)},
        "x-message-ttl": {"3.8.9": ("natural", "type"), "3.10.8": ("ttl", "expected", 315360000000)},
        "x-dead-letter-exchange": {"3.8.9": ("text",)},
        "x-dead-letter-routing-key": {"3.8.9": ("key",)},
        "x-max-length": {"3.8.9": ("natural", "type"), "3.10.8": ("natural", "expected")},
        "x-max-length-bytes": {"3.8.9": ("natural", "type"), "3.10.8": ("natural", "expected")},
        "x-max-priority": {"3.8.9": ("priority", "type"), "3.10.8": ("priority", "expected")},
        "x-overflow": {
            "3.8.9": ("one_of", "invalid_overflow", "drop-head", "reject-publish", "reject-publish-dlx")
        },
        "x-queue-mode": {
            "3.8.9": ("one_of", "invalid_queue_mode", "default", "lazy"),
            "3.10.8": ("one_of", "\"unsupported queue mode '~'\"", "default", "lazy"),
            "4.3.6": None,
        },
        "x-queue-version": {"3.10.8": ("version", "expected", 1, 2), "4.3.6": ("version", "expected", 2)},
        "x-single-active-consumer": {"3.8.9": ("boolean",)},
        "x-consumer-disconnected-timeout": {"4.3.6": ("another_type",)},
        "x-consumer-timeout": {"4.3.6": ("another_type",)},
        "x-dead-letter-strategy": {"3.10.8": ("another_type",)},
        "x-delayed-retry-max": {"4.3.6": ("another_type",)},
        "x-delayed-retry-min": {"4.3.6": ("another_type",)},
        "x-delayed-retry-type": {"4.3.6": ("another_type",)},
        "x-delivery-limit": {"3.10.8": ("another_type",)},
        "x-initial-cluster-size": {"3.10.8": ("another_type",)},
        "x-max-age": {"3.10.8": ("another_type",)},
        "x-max-in-memory-bytes": {"3.8.9": ("natural", "type"), "3.10.8": ("another_type",)},
        "x-max-in-memory-length": {"3.8.9": ("natural", "type"), "3.10.8": ("another_type",)},
        "x-queue-leader-locator": {
            "3.10.8": ("another_type",),
            "4.0.5": (
                "one_of",
                "invalid_queue_locator_arg",
                "client-local",
                "balanced",
                "random",
                "least-leaders",
            ),
        },
        "x-queue-master-locator": {
            "3.8.9": ("location", "client-local", "random", "min-masters"),
            "4.0.5": None,
            "4.3.6": (
                "denied",
                "Feature `queue_master_locator` is deprecated.\nBy default, this feature is not permitted anymore.\nThe feature will be removed from a future major RabbitMQ version, regardless of the configuration; actual version to be determined.\nTo con...",
            ),
        },
        "x-quorum-initial-group-size": {"3.8.9": ("expires", "type"), "3.10.8": ("another_type",)},
        "x-stream-filter-size-bytes": {"4.3.6": ("another_type",)},
        "x-stream-max-segment-size-bytes": {"3.10.8": ("another_type",)},
    }
)

COUNTING = by_release(
    {
        "x-queue-type": {"3.8.9": True},
        "x-expires": {"3.8.9": True},
        "x-message-ttl": {"3.8.9": True},
        "x-dead-letter-exchange": {"3.8.9": True},
        "x-dead-letter-routing-key": {"3.8.9": True},
        "x-max-length": {"3.8.9": True},
        "x-max-length-bytes": {"3.8.9": True},
        "x-max-priority": {"3.8.9": True},
        "x-overflow": {"3.8.9": True},
        "x-queue-mode": {"3.8.9": True},
        "x-queue-version": {"3.10.8": True},
        "x-single-active-consumer": {"3.8.9": True},
        "x-max-in-memory-bytes": {"3.8.9": True, "3.10.8": None},
        "x-max-in-memory-length": {"3.8.9": True, "3.10.8": None},
        "x-queue-leader-locator": {"4.0.5": True},
        "x-queue-master-locator": {"3.10.8": True},
        "x-quorum-initial-group-size": {"3.8.9": True, "3.10.8": None},
    }
)

KEYS = by_release(
    {
        "alternate-exchange": {"3.8.9": ("text", "~ is not a valid alternate exchange name")},
        "consumer-disconnected-timeout": {
            "4.3.6": ("integer", "~ is not a valid consumer disconnected timeout", 0)
        },
        "consumer-timeout": {"4.0.5": ("integer", "~ is not a valid consumer timeout", 0)},
        "dead-letter-exchange": {"3.8.9": ("text", "~ is not a valid dead letter exchange name")},
        "dead-letter-routing-key": {"3.8.9": ("text", "~ is not a valid dead letter routing key")},
        "dead-letter-strategy": {
            "3.10.8": ("one_of", "~ is not a valid dead letter strategy", "at-most-once", "at-least-once")
        },
        "delayed-retry-max": {
            "4.3.6": (
                "integer",
                "~ is not a valid delayed retry maximum delay. Must be a positive integer",
                1,
            )
        },
        "delayed-retry-min": {
            "4.3.6": (
                "integer",
                "~ is not a valid delayed retry minimum delay. Must be a positive integer",
                1,
            )
        },
        "delayed-retry-type": {
            "4.3.6": (
                "retries",
                "~ is not a valid delayed retry type. Must be one of: all, failed, returned, disabled",
                "all",
                "failed",
                "returned",
                "disabled",
            )
        },
        "delivery-limit": {
            "3.8.9": ("integer", "~ is not a valid delivery limit", 0),
            "4.0.5": ("integer", "~ is not a valid delivery limit"),
        },
        "expires": {"3.8.9": ("integer", "~ is not a valid queue expiry", 1)},
        "ha-mode": {"3.8.9": ("mirrors", ""), "4.0.5": None},
        "ha-params": {"3.8.9": ("mirrors", ""), "4.0.5": None},
        "ha-promote-on-failure": {"3.8.9": ("mirrors", ""), "4.0.5": None},
        "ha-promote-on-shutdown": {"3.8.9": ("mirrors", ""), "4.0.5": None},
        "ha-sync-batch-size": {"3.8.9": ("mirrors", ""), "4.0.5": None},
        "ha-sync-mode": {"3.8.9": ("mirrors", ""), "4.0.5": None},
        "initial-cluster-size": {"3.10.8": ("integer", "~ is not a valid cluster size", 0)},
        "max-age": {
            "3.10.8": ("age", "~ is not a valid max age", "numbers"),
            "4.3.6": ("age", "~ is not a valid max age", "texts"),
        },
        "max-in-memory-bytes": {"3.8.9": ("integer", "~ is not a valid maximum memory in bytes", 0)},
        "max-in-memory-length": {"3.8.9": ("integer", "~ is not a valid maximum memory in bytes", 0)},
        "max-length": {"3.8.9": ("integer", "~ is not a valid maximum length", 0)},
        "max-length-bytes": {"3.8.9": ("integer", "~ is not a valid maximum length in bytes", 0)},
        "message-ttl": {"3.8.9": ("integer", "~ is not a valid message TTL", 0)},
        "overflow": {
            "3.8.9": (
                "one_of",
                "~ is not a valid overflow value",
                "drop-head",
                "reject-publish",
                "reject-publish-dlx",
            )
        },
        "queue-leader-locator": {
            "3.10.8": (
                "one_of",
                "~ is not a valid queue leader locator value",
                "client-local",
                "balanced",
                "random",
                "least-leaders",
            )
        },
        "queue-master-locator": {
            "3.8.9": (
                "one_of",
                "~ invalid queue-master-locator value",
                "client-local",
                "random",
                "min-masters",
            ),
            "4.0.5": ("one_of", "~ is not a valid master locator", "client-local", "random", "min-masters"),
            "4.3.6": ("never", "use of deprecated queue-master-locator argument is not permitted"),
        },
        "queue-mode": {"3.8.9": ("one_of", "~ is not a valid queue-mode value", "default", "lazy")},
        "queue-version": {"3.10.8": ("one_of", "~ is not a valid queue-version value", 1, 2)},
        "stream-filter-size-bytes": {
            "4.0.5": ("integer", "~ is not a valid filter size. Valid range is 16-255", 16, 255)
        },
        "stream-max-segment-size-bytes": {
            "3.10.8": ("integer", "~ is not a valid segment size", 0, 3000000000)
        },
        "target-group-size": {"4.0.5": ("integer", "~ is not a valid qq target count value", 1)},
    }
)

NOT_FOR_CLASSIC = by_release(
    {
        "dead-letter-strategy": {"3.10.8": True},
        "delivery-limit": {"3.10.8": True},
        "initial-cluster-size": {"3.10.8": True},
        "max-age": {"3.10.8": True},
        "max-in-memory-bytes": {"4.0.5": True},
        "max-in-memory-length": {"4.0.5": True},
        "queue-leader-locator": {"3.10.8": True, "4.0.5": None},
        "stream-max-segment-size-bytes": {"3.10.8": True},
        "target-group-size": {"4.0.5": True},
    }
)

OTHERS = by_release(
    {
        "names_type": {"3.8.9": False, "4.0.5": True},
        "mirrors_first": {"3.8.9": False, "3.10.8": True, "4.0.5": False},
        "apply_to": {
            "3.8.9": ("all", "queues", "exchanges"),
            "4.0.5": ("all", "queues", "exchanges", "classic_queues", "quorum_queues", "streams"),
        },
        "apply_to_words": {
            "3.8.9": "apply-to '~' unrecognised; should be 'queues', 'exchanges' or 'all'",
            "4.0.5": "apply-to '~' unrecognised; should be one of: 'queues', 'classic_queues',  'quorum_queues', 'streams', 'exchanges', or 'all'",
        },
        "exchange_types": {
            "3.8.9": ("direct", "fanout", "topic", "headers"),
            "4.0.5": ("direct", "fanout", "topic", "headers", "x-local-random"),
            "4.3.6": ("direct", "fanout", "topic", "headers", "x-local-random", "x-modulus-hash"),
        },
        "other_types": {"3.8.9": ("", "system"), "4.3.6": ("x-random", "x-jms-topic", "", "system")},
        "pcre2": {"3.8.9": False, "4.3.6": True},
    }
)
