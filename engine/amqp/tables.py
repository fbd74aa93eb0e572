# ruff: noqa: E501 - the broker's texts are as long as they are
"""The arguments, policies and exchanges that each release accepts, and its messages about the others.

Written by `make questions` from the answers of real nodes (tests/recordings/questions); not to be changed by hand.
"""

from typing import Any, Final

Row = tuple[Any, ...]


def by_release(rows: dict[str, dict[str, Row]]) -> dict[str, dict[str, Row]]:
    """Return what each release has of each name; `rows` hold it by the releases that share it."""
    return {
        release: {
            name: row
            for name, each in rows.items()
            for releases, row in each.items()
            if release in releases.split()
        }
        for release in RELEASES
    }


REFERENCE: Final = "3.10.8"
RELEASES: Final = ("3.8.9", "3.10.8", "4.0.5", "4.3.6")

ARGUMENTS = by_release(
    {
        "x-queue-type": {
            "3.8.9": ("one_of", "invalid_queue_type", "classic", "quorum"),
            "3.10.8 4.0.5": ("one_of", "\"unsupported queue type '~'\"", "classic", "quorum", "stream"),
            "4.3.6": ("one_of", "\"unsupported queue type '~'\"", "", "classic", "quorum", "stream"),
        },
        "x-expires": {
            "3.8.9": ("expires", "type"),
            "3.10.8 4.0.5 4.3.6": ("expires", "expected", 315360000000),
        },
        "x-message-ttl": {
            "3.8.9": ("natural", "type"),
            "3.10.8 4.0.5 4.3.6": ("ttl", "expected", 315360000000),
        },
        "x-dead-letter-exchange": {"3.8.9 3.10.8 4.0.5 4.3.6": ("text",)},
        "x-dead-letter-routing-key": {"3.8.9 3.10.8 4.0.5 4.3.6": ("key",)},
        "x-max-length": {"3.8.9": ("natural", "type"), "3.10.8 4.0.5 4.3.6": ("natural", "expected")},
        "x-max-length-bytes": {"3.8.9": ("natural", "type"), "3.10.8 4.0.5 4.3.6": ("natural", "expected")},
        "x-max-priority": {"3.8.9": ("priority", "type"), "3.10.8 4.0.5 4.3.6": ("priority", "expected")},
        "x-overflow": {
            "3.8.9 3.10.8 4.0.5 4.3.6": (
                "one_of",
                "invalid_overflow",
                "drop-head",
                "reject-publish",
                "reject-publish-dlx",
            )
        },
        "x-queue-mode": {
            "3.8.9": ("one_of", "invalid_queue_mode", "default", "lazy"),
            "3.10.8 4.0.5": ("one_of", "\"unsupported queue mode '~'\"", "default", "lazy"),
        },
        "x-queue-version": {
            "3.10.8 4.0.5": ("version", "expected", 1, 2),
            "4.3.6": ("version", "expected", 2),
        },
        "x-single-active-consumer": {"3.8.9 3.10.8 4.0.5 4.3.6": ("boolean",)},
        "x-consumer-disconnected-timeout": {"4.3.6": ("another_type",)},
        "x-consumer-timeout": {"4.3.6": ("another_type",)},
        "x-dead-letter-strategy": {"3.10.8 4.0.5 4.3.6": ("another_type",)},
        "x-delayed-retry-max": {"4.3.6": ("another_type",)},
        "x-delayed-retry-min": {"4.3.6": ("another_type",)},
        "x-delayed-retry-type": {"4.3.6": ("another_type",)},
        "x-delivery-limit": {"3.10.8 4.0.5 4.3.6": ("another_type",)},
        "x-initial-cluster-size": {"3.10.8 4.0.5 4.3.6": ("another_type",)},
        "x-max-age": {"3.10.8 4.0.5 4.3.6": ("another_type",)},
        "x-max-in-memory-bytes": {"3.8.9": ("natural", "type"), "3.10.8 4.0.5 4.3.6": ("another_type",)},
        "x-max-in-memory-length": {"3.8.9": ("natural", "type"), "3.10.8 4.0.5 4.3.6": ("another_type",)},
        "x-queue-leader-locator": {
            "3.10.8": ("another_type",),
            "4.0.5 4.3.6": (
                "one_of",
                "invalid_queue_locator_arg",
                "client-local",
                "balanced",
                "random",
                "least-leaders",
            ),
        },
        "x-queue-master-locator": {
            "3.8.9 3.10.8": ("location", "client-local", "random", "min-masters"),
            "4.3.6": (
                "denied",
                "Feature `queue_master_locator` is deprecated.\nBy default, this feature is not permitted anymore.\nThe feature will be removed from a future major RabbitMQ version, regardless of the configuration; actual version to be determined.\nTo con...",
            ),
        },
        "x-quorum-initial-group-size": {
            "3.8.9": ("expires", "type"),
            "3.10.8 4.0.5 4.3.6": ("another_type",),
        },
        "x-stream-filter-size-bytes": {"4.3.6": ("another_type",)},
        "x-stream-max-segment-size-bytes": {"3.10.8 4.0.5 4.3.6": ("another_type",)},
    }
)

KEYS = by_release(
    {
        "alternate-exchange": {
            "3.8.9 3.10.8 4.0.5 4.3.6": ("text", "~ is not a valid alternate exchange name")
        },
        "consumer-disconnected-timeout": {
            "4.3.6": ("integer", "~ is not a valid consumer disconnected timeout", 0)
        },
        "consumer-timeout": {"4.0.5 4.3.6": ("integer", "~ is not a valid consumer timeout", 0)},
        "dead-letter-exchange": {
            "3.8.9 3.10.8 4.0.5 4.3.6": ("text", "~ is not a valid dead letter exchange name")
        },
        "dead-letter-routing-key": {
            "3.8.9 3.10.8 4.0.5 4.3.6": ("text", "~ is not a valid dead letter routing key")
        },
        "dead-letter-strategy": {
            "3.10.8 4.0.5 4.3.6": (
                "one_of",
                "~ is not a valid dead letter strategy",
                "at-most-once",
                "at-least-once",
            )
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
            "3.8.9 3.10.8": ("integer", "~ is not a valid delivery limit", 0),
            "4.0.5 4.3.6": ("integer", "~ is not a valid delivery limit"),
        },
        "expires": {"3.8.9 3.10.8 4.0.5 4.3.6": ("integer", "~ is not a valid queue expiry", 1)},
        "ha-mode": {"3.8.9 3.10.8": ("mirrors", "")},
        "ha-params": {"3.8.9 3.10.8": ("mirrors", "")},
        "ha-promote-on-failure": {"3.8.9 3.10.8": ("mirrors", "")},
        "ha-promote-on-shutdown": {"3.8.9 3.10.8": ("mirrors", "")},
        "ha-sync-batch-size": {"3.8.9 3.10.8": ("mirrors", "")},
        "ha-sync-mode": {"3.8.9 3.10.8": ("mirrors", "")},
        "initial-cluster-size": {"3.10.8 4.0.5 4.3.6": ("integer", "~ is not a valid cluster size", 0)},
        "max-age": {
            "3.10.8 4.0.5": ("age", "~ is not a valid max age", "numbers"),
            "4.3.6": ("age", "~ is not a valid max age", "texts"),
        },
        "max-in-memory-bytes": {
            "3.8.9 3.10.8 4.0.5 4.3.6": ("integer", "~ is not a valid maximum memory in bytes", 0)
        },
        "max-in-memory-length": {
            "3.8.9 3.10.8 4.0.5 4.3.6": ("integer", "~ is not a valid maximum memory in bytes", 0)
        },
        "max-length": {"3.8.9 3.10.8 4.0.5 4.3.6": ("integer", "~ is not a valid maximum length", 0)},
        "max-length-bytes": {
            "3.8.9 3.10.8 4.0.5 4.3.6": ("integer", "~ is not a valid maximum length in bytes", 0)
        },
        "message-ttl": {"3.8.9 3.10.8 4.0.5 4.3.6": ("integer", "~ is not a valid message TTL", 0)},
        "overflow": {
            "3.8.9 3.10.8 4.0.5 4.3.6": (
                "one_of",
                "~ is not a valid overflow value",
                "drop-head",
                "reject-publish",
                "reject-publish-dlx",
            )
        },
        "queue-leader-locator": {
            "3.10.8 4.0.5 4.3.6": (
                "one_of",
                "~ is not a valid queue leader locator value",
                "client-local",
                "balanced",
                "random",
                "least-leaders",
            )
        },
        "queue-master-locator": {
            "3.8.9 3.10.8": (
                "one_of",
                "~ invalid queue-master-locator value",
                "client-local",
                "random",
                "min-masters",
            ),
            "4.0.5": ("one_of", "~ is not a valid master locator", "client-local", "random", "min-masters"),
            "4.3.6": ("never", "use of deprecated queue-master-locator argument is not permitted"),
        },
        "queue-mode": {
            "3.8.9 3.10.8 4.0.5 4.3.6": ("one_of", "~ is not a valid queue-mode value", "default", "lazy")
        },
        "queue-version": {"3.10.8 4.0.5 4.3.6": ("one_of", "~ is not a valid queue-version value", 1, 2)},
        "stream-filter-size-bytes": {
            "4.0.5 4.3.6": ("integer", "~ is not a valid filter size. Valid range is 16-255", 16, 255)
        },
        "stream-max-segment-size-bytes": {
            "3.10.8 4.0.5 4.3.6": ("integer", "~ is not a valid segment size", 0, 3000000000)
        },
        "target-group-size": {"4.0.5 4.3.6": ("integer", "~ is not a valid qq target count value", 1)},
    }
)

COUNTING: Final[dict[str, tuple[str, ...]]] = {
    "3.8.9": (
        "x-queue-type",
        "x-expires",
        "x-message-ttl",
        "x-dead-letter-exchange",
        "x-dead-letter-routing-key",
        "x-max-length",
        "x-max-length-bytes",
        "x-max-priority",
        "x-overflow",
        "x-queue-mode",
        "x-single-active-consumer",
        "x-max-in-memory-bytes",
        "x-max-in-memory-length",
        "x-quorum-initial-group-size",
    ),
    "3.10.8": (
        "x-queue-type",
        "x-expires",
        "x-message-ttl",
        "x-dead-letter-exchange",
        "x-dead-letter-routing-key",
        "x-max-length",
        "x-max-length-bytes",
        "x-max-priority",
        "x-overflow",
        "x-queue-mode",
        "x-queue-version",
        "x-single-active-consumer",
        "x-queue-master-locator",
    ),
    "4.0.5": (
        "x-queue-type",
        "x-expires",
        "x-message-ttl",
        "x-dead-letter-exchange",
        "x-dead-letter-routing-key",
        "x-max-length",
        "x-max-length-bytes",
        "x-max-priority",
        "x-overflow",
        "x-queue-mode",
        "x-queue-version",
        "x-single-active-consumer",
        "x-queue-leader-locator",
        "x-queue-master-locator",
    ),
    "4.3.6": (
        "x-queue-type",
        "x-expires",
        "x-message-ttl",
        "x-dead-letter-exchange",
        "x-dead-letter-routing-key",
        "x-max-length",
        "x-max-length-bytes",
        "x-max-priority",
        "x-overflow",
        "x-queue-mode",
        "x-queue-version",
        "x-single-active-consumer",
        "x-queue-leader-locator",
        "x-queue-master-locator",
    ),
}

NAMES_TYPE: Final[dict[str, bool]] = {"3.8.9": False, "3.10.8": False, "4.0.5": True, "4.3.6": True}

NOT_FOR_CLASSIC: Final[dict[str, tuple[str, ...]]] = {
    "3.8.9": (),
    "3.10.8": (
        "dead-letter-strategy",
        "queue-leader-locator",
        "delivery-limit",
        "max-age",
        "stream-max-segment-size-bytes",
        "initial-cluster-size",
    ),
    "4.0.5": (
        "dead-letter-strategy",
        "max-in-memory-length",
        "max-in-memory-bytes",
        "delivery-limit",
        "max-age",
        "stream-max-segment-size-bytes",
        "initial-cluster-size",
        "target-group-size",
    ),
    "4.3.6": (
        "dead-letter-strategy",
        "max-in-memory-length",
        "max-in-memory-bytes",
        "delivery-limit",
        "max-age",
        "stream-max-segment-size-bytes",
        "initial-cluster-size",
        "target-group-size",
    ),
}

APPLY_TO: Final[dict[str, tuple[str, ...]]] = {
    "3.8.9": ("all", "queues", "exchanges"),
    "3.10.8": ("all", "queues", "exchanges"),
    "4.0.5": ("all", "queues", "exchanges", "classic_queues", "quorum_queues", "streams"),
    "4.3.6": ("all", "queues", "exchanges", "classic_queues", "quorum_queues", "streams"),
}

APPLY_TO_WORDS: Final[dict[str, str]] = {
    "3.8.9": "apply-to '~' unrecognised; should be 'queues', 'exchanges' or 'all'",
    "3.10.8": "apply-to '~' unrecognised; should be 'queues', 'exchanges' or 'all'",
    "4.0.5": "apply-to '~' unrecognised; should be one of: 'queues', 'classic_queues',  'quorum_queues', 'streams', 'exchanges', or 'all'",
    "4.3.6": "apply-to '~' unrecognised; should be one of: 'queues', 'classic_queues',  'quorum_queues', 'streams', 'exchanges', or 'all'",
}

MIRRORS_FIRST: Final[dict[str, bool]] = {"3.8.9": False, "3.10.8": True, "4.0.5": False, "4.3.6": False}

EXCHANGE_TYPES: Final[dict[str, tuple[str, ...]]] = {
    "3.8.9": ("direct", "fanout", "topic", "headers"),
    "3.10.8": ("direct", "fanout", "topic", "headers"),
    "4.0.5": ("direct", "fanout", "topic", "headers", "x-local-random"),
    "4.3.6": ("direct", "fanout", "topic", "headers", "x-local-random", "x-modulus-hash"),
}

OTHER_TYPES: Final[dict[str, tuple[str, ...]]] = {
    "3.8.9": ("", "system"),
    "3.10.8": ("", "system"),
    "4.0.5": ("", "system"),
    "4.3.6": ("x-random", "x-jms-topic", "", "system"),
}

PCRE2: Final[dict[str, bool]] = {"3.8.9": False, "3.10.8": False, "4.0.5": False, "4.3.6": True}
