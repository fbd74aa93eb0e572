"""A burst whose messages differ in size does what the same messages do one by one."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest

from engine.broker.cluster import Cluster
from engine.broker.commands.commands import parse as parse_command
from engine.broker.commands.packed import mean_of, pack, unpack
from engine.broker.commands.scenario import parse
from engine.folding.state import empty_state, fold, to_json
from engine.storage.directory import DirectoryStorage
from engine.storage.ledger import LedgerStorage
from engine.storage.port import Storage
from engine.values.errors import CommandError
from engine.values.sizes import at, plain

SIZES = [round(random.Random(7).lognormvariate(6, 1.5)) for _ in range(300)]


def burst(sizes: list[int], **more: Any) -> dict[str, Any]:
    packed = pack(sizes)
    mean = mean_of(unpack(packed, len(sizes)))
    return {"do": "publish", "count": len(sizes), "size_bytes": mean, "sizes": packed, **more}


def scenario(commands: list[dict[str, Any]], **settings: Any) -> dict[str, Any]:
    rest = [
        {"at_us": 300_000, "do": "set", "name": "target_ram_count", "value": 40},
        {"at_us": 2_000_000, "do": "get", "count": 120, "ack": True},
        {"at_us": 3_000_000, "do": "ack", "count": 70},
        {"at_us": 4_000_000, "do": "requeue", "count": 30},
        {"at_us": 5_000_000, "do": "restart", "kind": "clean"},
        {"at_us": 6_000_000, "do": "set_consumer", "name": "c1", "rate_per_s": 60, "prefetch": 20},
    ]
    return {
        "version": 1,
        "title": "unequal",
        "profile": "classroom",
        "settings": settings,
        "seed": 1,
        "commands": [{"at_us": 0, **each} for each in commands] + rest,
        "until_us": 9_000_000,
    }


def played(given: dict[str, Any], storage: Storage) -> Cluster:
    node = Cluster(parse(given), storage)
    node.advance(9_000_000)
    node.verify()
    return node


def messages_of(node: Cluster) -> dict[str, Any]:
    """Return where each message is, with its size, and all counters."""
    found: dict[str, Any] = {}
    for name, queue in node.snapshot()["queues"].items():
        found[name] = [queue["counters"]] + [
            (place, extent[0] + skip, at(extent[3], extent[2] + skip), extent[4])
            for place, extents in queue["lanes"].items()
            for extent in extents
            for skip in range(extent[1])
        ]
    return found


@pytest.mark.parametrize("persistent", [False, True])
def test_it_is_as_one_by_one(persistent: bool, tmp_path: Any) -> None:
    together = scenario([burst(SIZES, persistent=persistent)])
    singles = scenario(
        [{"do": "publish", "count": 1, "size_bytes": each, "persistent": persistent} for each in SIZES]
    )
    one, other = played(together, LedgerStorage()), played(singles, LedgerStorage())
    assert messages_of(one) == messages_of(other)
    on_files = played(together, DirectoryStorage(str(tmp_path), fsync=False))
    assert on_files.log.digest == one.log.digest
    assert msgspec.json.encode(on_files.snapshot(), enc_hook=plain) == msgspec.json.encode(
        one.snapshot(), enc_hook=plain
    )


@pytest.mark.parametrize(
    "settings", [{"work_profile": "measured-vm"}, {"connection_bytes_per_s": 200_000}], ids=["work", "wire"]
)
def test_where_each_message_takes_its_time_they_come_one_by_one(settings: dict[str, Any]) -> None:
    together = scenario([burst(SIZES[:60])], **settings)
    singles = scenario([{"do": "publish", "count": 1, "size_bytes": each} for each in SIZES[:60]], **settings)
    assert messages_of(played(together, LedgerStorage())) == messages_of(played(singles, LedgerStorage()))


def test_its_state_is_the_fold_of_its_transitions() -> None:
    node = Cluster(parse(scenario([burst(SIZES, persistent=True)])), LedgerStorage())
    state, number = empty_state(), 0
    for until_us in range(0, 9_000_001, 500_000):
        node.advance(until_us)
        rows = node.log.since(number)
        assert rows is not None
        for row in rows.rows:
            fold(state, row)
        number = rows.next
        assert to_json(state) == node.snapshot()


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"sizes": "no base 64"}, "sizes_unreadable"),
        ({"sizes": "AAAA"}, "sizes_unreadable"),
        ({"count": 2}, "sizes_of_others"),
        ({"count": 4}, "sizes_of_others"),
        ({"size_bytes": 7}, "sizes_other_mean"),
        ({"sizes": pack([0, 0, 2**31])}, "sizes_too_large"),
    ],
)
def test_sizes_that_are_none_are_refused(change: dict[str, Any], code: str) -> None:
    parse_command(burst([1, 2, 3]))
    with pytest.raises(CommandError) as refusal:
        parse_command({**burst([1, 2, 3]), **change})
    assert refusal.value.code == code


def test_packing_is_undone_by_unpacking_and_has_a_bound() -> None:
    assert unpack(pack(SIZES), len(SIZES)).tolist() == SIZES
    bomb = pack([0] * 1_000_000)
    with pytest.raises(Exception, match="3 messages"):
        unpack(bomb, 3)
