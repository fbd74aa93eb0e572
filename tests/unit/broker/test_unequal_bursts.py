"""A burst whose messages differ in size does what the same messages do one by one."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest

from engine.broker.cluster import Cluster
from engine.broker.commands import client_commands
from engine.broker.commands.base import MAX_COUNT, MAX_EXPIRATION_MS
from engine.broker.commands.client_commands import (
    MAX_UNEQUAL,
    Publish,
    mean_of,
    pack,
    pack_expirations,
    unpack,
    unpack_expirations,
)
from engine.broker.commands.commands import parse as parse_command
from engine.broker.commands.commands import to_json as command_to_json
from engine.broker.commands.scenario import parse
from engine.folding import empty_state, fold, to_json
from engine.report.transitions.node import ChannelClosed
from engine.report.transitions.queue import Published
from engine.storage.directory import DirectoryStorage
from engine.storage.ledger import LedgerStorage
from engine.storage.port import Storage
from engine.values.errors import CommandError, ValueRefused
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


@pytest.mark.parametrize("channel", [{}, {"channel": "client.one"}], ids=["burst", "hand"])
@pytest.mark.parametrize(
    "settings", [{"work_profile": "measured-vm"}, {"connection_bytes_per_s": 200_000}], ids=["work", "wire"]
)
def test_each_message_may_have_its_size_and_its_expiration(
    settings: dict[str, Any], channel: dict[str, str]
) -> None:
    sizes, expirations = SIZES[:60], [(100, 1500, None)[n % 3] for n in range(60)]
    together = burst(sizes, expirations=pack_expirations(expirations), **channel)
    singles = [
        {"do": "publish", "count": 1, "size_bytes": size, **own, **channel}
        for size, expires in zip(sizes, expirations, strict=True)
        for own in ({} if expires is None else {"expiration_ms": expires},)
    ]
    one, other = (scenario(commands, **settings) for commands in ([together], singles))
    assert messages_of(played(one, LedgerStorage())) == messages_of(played(other, LedgerStorage()))


@pytest.mark.parametrize("work", ["instant", "measured-vm"])
@pytest.mark.parametrize("profile", ["classroom", "4.0.5-classroom"])
def test_sizes_of_a_burst_by_hand_are_those_of_its_messages(profile: str, work: str) -> None:
    given = {"version": 1, "profile": profile, "settings": {"work_profile": work}}
    node = Cluster(parse(given), LedgerStorage())
    node.submit(burst([0, 9, 5000], channel="client.one"))
    node.advance(1_000_000)
    assert (node.queues["orders"].depth, node.process.queue.ready_bytes) == (3, 5009)


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
        ({"sizes": "no base 64"}, "column_unreadable"),
        ({"sizes": "AAAA"}, "column_unreadable"),
        ({"count": 2}, "column_of_others"),
        ({"count": 4}, "column_of_others"),
        ({"size_bytes": 7}, "sizes_other_mean"),
        ({"sizes": pack([0, 0, 2**31])}, "column_too_large"),
        ({"count": MAX_UNEQUAL + 1}, "column_too_long"),
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


def test_so_many_messages_are_refused_before_anything_is_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_commands, "zlib", None)
    for read in (unpack, unpack_expirations):
        with pytest.raises(ValueRefused) as refusal:
            read("AAAA", MAX_COUNT)
        assert refusal.value.code == "column_too_long"


# --- expirations -----------------------------------------------------------------------------------------------------

EXPIRATIONS = [None, 0, 0, 700, None, 5]


def expiring(expirations: list[int | None], **more: Any) -> dict[str, Any]:
    packed = pack_expirations(expirations)
    return {"do": "publish", "count": len(expirations), "size_bytes": 9, "expirations": packed, **more}


@pytest.mark.parametrize(
    ("change", "code", "place"),
    [
        ({"expirations": "no base 64"}, "column_unreadable", "publish: expirations"),
        ({"expirations": pack([1, 2, 3, 4, 5, 6])}, "column_of_others", "publish: expirations"),
        ({"count": 5}, "column_of_others", "publish: expirations"),
        ({"count": 7}, "column_of_others", "publish: expirations"),
        (
            {"expirations": pack_expirations([*EXPIRATIONS[1:], MAX_EXPIRATION_MS + 1])},
            "column_too_large",
            "publish: expirations",
        ),
        ({"expiration_ms": 5}, "expirations_beside_one", "publish: expirations"),
        ({"expiration": "soon"}, "expirations_beside_one", "publish: expirations"),
    ],
)
def test_expirations_that_are_none_are_refused(change: dict[str, Any], code: str, place: str) -> None:
    command = expiring(EXPIRATIONS)
    assert command_to_json(parse_command(command))["expirations"] == command["expirations"]
    with pytest.raises(CommandError) as refusal:
        parse_command({**command, **change})
    assert (refusal.value.code, refusal.value.values["place"]) == (code, place)


def test_packing_of_expirations_is_undone_by_unpacking_and_has_a_bound() -> None:
    longest = [*EXPIRATIONS, MAX_EXPIRATION_MS, 2**32]
    assert list(unpack_expirations(pack_expirations(longest), len(longest))) == longest
    with pytest.raises(Exception, match="3 messages"):
        unpack_expirations(pack_expirations([None] * 1_000_000), 3)


def test_a_part_and_the_single_messages_of_a_burst_keep_what_each_has() -> None:
    sizes = [1, 2, 4, 7, 7, 9]
    parsed = parse_command({**burst(sizes), **expiring(EXPIRATIONS), "size_bytes": 5, "persistent": True})
    assert isinstance(parsed, Publish)
    assert list(parsed.runs()) == [(1, None), (2, 0), (1, 700), (1, None), (1, 5)]
    part = parsed.part(2, 3)
    assert (part.count, part.size_bytes, part.persistent) == (3, 6, True)
    assert unpack(part.sizes, 3).tolist() == sizes[2:5]
    assert list(unpack_expirations(part.expirations, 3)) == EXPIRATIONS[2:5]
    singles = list(parsed.singles())
    assert [(each.size_bytes, each.expiration_ms) for each in singles] == list(
        zip(sizes, EXPIRATIONS, strict=True)
    )
    assert {(each.count, each.persistent, each.sizes, each.expirations) for each in singles} == {
        (1, True, "", "")
    }


@pytest.mark.parametrize("channel", [None, "client.one"])
def test_a_channel_that_the_first_message_closes_carries_none_of_the_others(channel: str | None) -> None:
    node = Cluster(parse({"version": 1, "profile": "classroom"}), LedgerStorage())
    by = {} if channel is None else {"channel": channel}
    node.submit(expiring(EXPIRATIONS, exchange="missing", **by))
    rows = node.log.since(0)
    assert rows is not None
    assert len([each for each in rows.rows if type(each) is ChannelClosed]) == 1
    assert node.queues["orders"].depth == 0


@pytest.mark.parametrize("queue", [{}, {"x-max-length": 100}], ids=["together", "limited"])
def test_messages_that_expire_at_different_times_enter_as_one_step_where_nothing_looks_at_each(
    queue: dict[str, Any],
) -> None:
    topology = {"queues": [{"name": "orders", "arguments": queue}]}
    node = Cluster(parse({"version": 1, "profile": "classroom", "topology": topology}), LedgerStorage())
    node.submit({"do": "set_consumer", "name": "c1", "rate_per_s": 1, "prefetch": 5, "queue": "orders"})
    sizes = SIZES[:60]
    node.submit(burst(sizes, expirations=pack_expirations(range(1000, 1060)), routing_key="orders"))
    rows = node.log.since(0)
    assert rows is not None
    entered = [each.extents for each in rows.rows if type(each) is Published]
    assert sum(each.count for extents in entered for each in extents) == 55
    assert len(entered) == (55 if queue else 2), "the first that waits, and all others"
