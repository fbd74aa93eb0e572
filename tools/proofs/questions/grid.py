"""What is asked: every name that any release knows, with every kind of value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

VALUES: Final[tuple[Any, ...]] = (
    *(-1, 0, 1, 2, 5, 15, 16, 255, 256, 60_000, 2**31, 3_000_000_001, 315_360_000_001),
    *(1.5, True, False, "", "5", "odd", [], {}),
)
"""Of each kind at least one, and the borders of those that have any."""

WORDS: Final = {
    "queue-type": ("classic", "quorum", "stream"),
    "queue-mode": ("default", "lazy"),
    "overflow": ("drop-head", "reject-publish", "reject-publish-dlx"),
    "queue-master-locator": ("client-local", "random", "min-masters"),
    "queue-leader-locator": ("client-local", "balanced", "random", "least-leaders"),
    "dead-letter-strategy": ("at-most-once", "at-least-once"),
    "max-age": ("1D", "5h", "0s", "5w"),
    "delayed-retry-type": ("all", "failed", "returned", "disabled"),
    "ha-mode": ("all", "exactly", "nodes"),
    "ha-sync-mode": ("manual", "automatic"),
    "ha-promote-on-shutdown": ("always", "when-synced"),
    "ha-promote-on-failure": ("always", "when-synced"),
}
"""What some names take besides."""

SHARED: Final = (
    *("expires", "message-ttl", "dead-letter-exchange", "dead-letter-routing-key", "dead-letter-strategy"),
    *("max-length", "max-length-bytes", "max-in-memory-length", "max-in-memory-bytes", "overflow"),
    *("queue-mode", "queue-version", "queue-master-locator", "queue-leader-locator", "delivery-limit"),
    *("max-age", "stream-max-segment-size-bytes", "stream-filter-size-bytes", "initial-cluster-size"),
    *("target-group-size", "consumer-timeout", "consumer-disconnected-timeout", "delayed-retry-type"),
    *("delayed-retry-min", "delayed-retry-max", "single-active-consumer", "queue-type", "max-priority"),
    *("quorum-initial-group-size", "quorum-target-group-size", "selector-fields", "selector-field-max-bytes"),
)
"""Names of arguments (with x-) and of a policy's keys."""

ARGUMENTS: Final = (*(f"x-{each}" for each in SHARED), "x-cancel-on-ha-failover", "x-ha-policy", "x-foo")
KEYS: Final = (
    *SHARED,
    *("alternate-exchange", "federation-upstream", "federation-upstream-set", "shards-per-node"),
    *("message-interceptors", "unlimited-publish", "x-max-length", "foo"),
    *("ha-mode", "ha-params", "ha-sync-mode", "ha-sync-batch-size", "ha-promote-on-shutdown"),
    "ha-promote-on-failure",
)

TOGETHER: Final[tuple[dict[str, Any], ...]] = (
    {},
    {"foo": 1, "bar": 2},
    {"max-length": 5, "foo": 1, "bar": 2},
    {"max-length": -1, "foo": 1},
    {"foo": 1, "a-name-that-is-long-enough": "and a value, too", "another-name": "for a second line", "b": 1},
    {"overflow": "odd", "max-length": -1},
    {"message-ttl": -1, "expires": 0},
    {"ha-mode": "odd", "max-length": -1},
    {"ha-mode": "odd", "foo": 1},
    {"ha-mode": "all", "max-length": 5},
    {"ha-mode": "exactly"},
    {"ha-mode": "exactly", "ha-params": 2},
    {"ha-mode": "exactly", "ha-params": 0},
    {"ha-mode": "exactly", "ha-params": 2, "ha-sync-mode": "automatic"},
    {"ha-mode": "nodes", "ha-params": []},
    {"ha-mode": "nodes", "ha-params": ["a", 5]},
    {"ha-mode": "all", "ha-params": 2},
    {"ha-mode": "all", "ha-sync-batch-size": 0},
    {"ha-mode": "all", "ha-promote-on-failure": "odd"},
    {"delayed-retry-type": "all", "delayed-retry-min": 5},
    {"delayed-retry-min": 5},
    {"dead-letter-routing-key": "k", "dead-letter-exchange": "x"},
)
"""Definitions of several keys."""

APPLY_TO: Final = ("all", "queues", "exchanges", "classic_queues", "quorum_queues", "streams", "odd", "")
PRIORITIES: Final = (-(2**40), -1, 2**31, 10**10, 2**70)
PATTERNS: Final = ("(", "[", "*", "", "a{2", "\\")
TYPES: Final = (
    *("direct", "fanout", "topic", "headers", "x-local-random", "x-modulus-hash", "x-consistent-hash"),
    *("x-random", "x-delayed-message", "x-recent-history", "x-federation-upstream", "x-jms-topic"),
    *("", "odd", "Direct", "system"),
)

GOOD: Final[dict[str, Any]] = {
    **dict.fromkeys(SHARED, 5),
    **{name: words[0] for name, words in WORDS.items()},
    "dead-letter-exchange": "",
    "dead-letter-routing-key": "k",
    "queue-version": 2,
    "stream-filter-size-bytes": 16,
    "alternate-exchange": "amq.fanout",
    "message-ttl": 600_000,
    "expires": 600_000,
    "max-length": 1,
    "max-length-bytes": 600_000,
    "consumer-timeout": 600_000,
}
"""A value that a key takes, so that the policy may be set."""

AGAIN: Final[dict[str, Any]] = {
    **{f"x-{name}": GOOD[name] for name in SHARED},
    "x-queue-type": "quorum",
    "x-overflow": "reject-publish",
    "x-queue-mode": "lazy",
    "x-single-active-consumer": True,
    "x-max-age": "1h",
    "x-foo": 5,
}
"""A value of each argument that a queue without arguments does not have."""


def values(name: str) -> Iterator[Any]:
    """Yield the values that a name is asked with.

    A locator is asked with numbers and texts only: 3.10.8 goes round for ever when it makes a text of anything else.
    """
    locator = name.endswith("queue-master-locator")
    yield from (each for each in VALUES if not locator or isinstance(each, int | str))
    yield from WORDS.get(name.removeprefix("x-"), ())
