"""A burst in which each message has its own expiration leaves what the same messages leave one after the other."""

from __future__ import annotations

import tempfile
from array import array
from typing import Any, Final

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.broker.cluster import Cluster
from engine.broker.commands.client_commands import mean_of, pack, pack_expirations
from engine.broker.commands.scenario import parse
from engine.storage.directory import DirectoryStorage
from engine.storage.ledger import LedgerStorage
from engine.values.sizes import at

Each = tuple[int, int | None]
"""Body bytes, and milliseconds until it expires."""

MESSAGES: Final = st.lists(
    st.tuples(
        st.sampled_from([0, 9, 300, 4077, 4085, 5000]),
        st.sampled_from([None, None, 0, 30, 31, 170, 100_000]),
    ),
    min_size=1,
    max_size=40,
)
PROFILES: Final = st.sampled_from(["classroom", "articles", "4.0.5-classroom", "4.3.6-classroom"])
ARGUMENTS: Final = st.sampled_from(
    [
        {},
        {"x-message-ttl": 100},
        {"x-dead-letter-exchange": "", "x-dead-letter-routing-key": "dead"},
        {"x-message-ttl": 100, "x-dead-letter-exchange": "", "x-dead-letter-routing-key": "dead"},
        {"x-max-length": 12},
        {"x-max-length-bytes": 9_000, "x-overflow": "reject-publish"},
    ]
)
SETTINGS: Final = st.sampled_from([{}, {}, {"connection_bytes_per_s": 400_000}])
BY_HAND: Final = {"channel": "client.one"}
WAYS: Final[dict[str, tuple[list[dict[str, Any]], dict[str, Any], list[dict[str, Any]]]]] = {
    "burst": ([], {}, []),
    "confirmed": ([], {"confirm": True}, []),
    "by hand": ([], BY_HAND, []),
    "in a transaction": ([{"do": "tx_select", **BY_HAND}], BY_HAND, [{"do": "tx_commit", **BY_HAND}]),
    "paged": ([], {}, [{"do": "set", "name": "target_ram_count", "value": 3, "queue": "orders"}]),
    "under an alarm": (
        [{"do": "set", "name": "disk_free_limit", "value": 10**12}],
        {},
        [{"do": "set", "name": "disk_free_limit", "value": 0}],
    ),
    "by hand under an alarm": (
        [{"do": "set", "name": "disk_free_limit", "value": 10**12}],
        BY_HAND,
        [{"do": "set", "name": "disk_free_limit", "value": 0}],
    ),
}
"""What stands before a burst, in it, and behind it."""
TAKEN: Final = [
    {"at_us": 140_000, "do": "get", "count": 3, "ack": True, "queue": "orders"},
    {"at_us": 160_000, "do": "requeue", "count": 2},
    {"at_us": 400_000, "do": "restart", "kind": "clean"},
    {
        "at_us": 500_000,
        "do": "set_consumer",
        "name": "c1",
        "rate_per_s": 40,
        "prefetch": 2,
        "queue": "orders",
    },
]
AFTER_US: Final = 50_000
"""When what stands behind a burst comes."""
LOOKS_US: Final = (
    0, 25_000, 40_000, 75_000, 110_000, 150_000, 180_000, 230_000, 260_000, 390_000, 450_000, 900_000
)  # fmt: skip


def together(messages: list[Each]) -> list[dict[str, Any]]:
    """Return the one command that publishes these messages, with a column of what differs."""
    sizes, expirations = zip(*messages, strict=True)
    fields = {"size_bytes": mean_of(array("I", sizes)), "sizes": pack(sizes)}
    own = {"expirations": pack_expirations(expirations)}
    return [{"do": "publish", "count": len(messages), **fields, **own}]


def one_by_one(messages: list[Each]) -> list[dict[str, Any]]:
    """Return a command for each of these messages."""
    return [
        {"do": "publish", "count": 1, "size_bytes": size}
        | ({} if expires is None else {"expiration_ms": expires})
        for size, expires in messages
    ]


def scenario(
    given: list[dict[str, Any]], way: str, profile: str, arguments: dict[str, Any], more: dict[str, Any]
) -> dict[str, Any]:
    """Return a run that publishes by these commands and takes some of the messages."""
    before, fields, after = WAYS[way]
    return {
        "version": 1,
        "profile": profile,
        "settings": more,
        "topology": {"queues": [{"name": "orders", "arguments": arguments}, {"name": "dead"}]},
        "commands": [
            *({"at_us": 0, **each} for each in before),
            *({"at_us": 10_000, **each, **fields} for each in given),
            *({"at_us": AFTER_US, **each} for each in after),
            *TAKEN,
        ],
        "until_us": 1_000_000,
    }


def seen(node: Cluster) -> list[Any]:
    """Return where each message is, with its size, its expiry and what it carries; all counters, and all files."""
    state = node.snapshot()
    found: list[Any] = []
    for name, queue in state["queues"].items():
        found += [name, queue["counters"]]
        for place, extents in queue["lanes"].items():
            for start, count, msg_no, size, *rest in map(list, extents):
                found += [
                    (place, start + skip, msg_no + skip, at(size, msg_no + skip), *rest)
                    for skip in range(count)
                ]
    burst = state["node"]["actors"]["burst"]
    found += [burst[name] for name in ("published", "confirmed", "unconfirmed", "waiting")]
    storage = node.storage
    return [*found, {path: storage.read_bytes(path, 0, storage.size(path) or 0) for path in storage.paths()}]


@settings(max_examples=30, deadline=None)
@given(MESSAGES, st.booleans(), PROFILES, ARGUMENTS, SETTINGS, st.sampled_from(sorted(WAYS)))
def test_expirations_of_a_burst_equal_singles(
    messages: list[Each],
    persistent: bool,
    profile: str,
    arguments: dict[str, Any],
    more: dict[str, Any],
    way: str,
) -> None:
    if "x-dead-letter-exchange" in arguments:
        # A dead letter has its number when the event has ended, and a burst is one event: none dies within it.
        messages = [(size, 30 if expires == 0 else expires) for size, expires in messages]
    runs = [
        [{**each, "persistent": persistent, "routing_key": "orders"} for each in publish(messages)]
        for publish in (together, one_by_one)
    ]
    with tempfile.TemporaryDirectory() as root:
        storages = (LedgerStorage(), LedgerStorage(), DirectoryStorage(root, fsync=False))
        one, other, files = (
            Cluster(parse(scenario(given, way, profile, arguments, more)), storage)
            for given, storage in zip((*runs, runs[0]), storages, strict=True)
        )
        for until_us in LOOKS_US:
            for node in (one, other, files):
                node.advance(until_us)
            one.verify()
            assert seen(one) == seen(other) == seen(files), until_us
