"""Alarms of memory and disk on a whole node, and what connections hear of them (A1-A6, M7-M12)."""

from __future__ import annotations

from typing import Any

import pytest

from engine.broker.cluster import Cluster
from engine.broker.commands.scenario import parse
from engine.report.transitions.node import ConnectionBlocked, ConnectionUnblocked, NodeChanged
from engine.storage.ledger import LedgerStorage
from engine.values.errors import CommandError
from tests.helpers.following import Follower

SECOND = 1_000_000
DISK = {"disk_total_bytes": 1_000_000_000, "disk_free_limit": 50_000_000}


def follower_of(**settings: Any) -> Follower:
    scenario = {"version": 1, "profile": "classroom", "settings": settings}
    return Follower(Cluster(parse(scenario), LedgerStorage(), keep=1_000_000))


def burst(count: int, size_bytes: int = 6144, **more: Any) -> dict[str, Any]:
    return {"do": "publish", "count": count, "size_bytes": size_bytes, **more}


def others(count: int) -> dict[str, Any]:
    return {"do": "set", "name": "disk_free_bytes_other", "value": count}


def part_of(follower: Follower, part: str) -> dict[str, Any]:
    found: dict[str, Any] = follower.node.snapshot()["node"][part]
    return found


def emitted(follower: Follower, *kinds: type) -> list[Any]:
    rows = follower.node.log.since(0)
    assert rows is not None
    return [each for each in rows.rows if type(each) in kinds]


def test_a_disk_alarm_stops_paging_and_publishers() -> None:
    """M3, M10, M12, A6: what is on its way arrives; the queue keeps it in RAM although memory is past the line."""
    follower = follower_of(**DISK)
    follower.advance(2 * SECOND)
    follower.submit(burst(30))
    follower.advance(SECOND)
    queue = follower.node.process.queue.state
    assert queue.target_ram_count is not None
    assert queue.ram_msg_count < 30
    follower.submit(others(951_000_000))
    follower.advance(10 * SECOND)
    assert part_of(follower, "alarms") == {"memory": False, "disk": True}
    assert part_of(follower, "memory")["desired_duration"] is None
    follower.submit(burst(10))
    assert part_of(follower, "actors")["burst"]["state"] == "blocked"
    assert queue.len == 30
    follower.submit({"do": "set_consumer", "name": "c1", "rate_per_s": 20, "prefetch": 5})
    follower.advance(5 * SECOND)
    assert queue.target_ram_count is None
    assert queue.len == 0
    follower.submit(others(0))
    follower.advance(10 * SECOND)
    assert part_of(follower, "alarms") == {"memory": False, "disk": False}
    assert part_of(follower, "actors")["burst"]["published"] == 40


def test_a_disk_can_fill_between_two_checks() -> None:
    """M11: the disk was checked when a lot was free, and is not checked again for ten seconds."""
    follower = follower_of(disk_total_bytes=10_000_000_000)
    assert part_of(follower, "disk")["next_check_at_us"] == 10 * SECOND
    follower.advance(SECOND)
    follower.submit(others(10_000_000_000))
    follower.advance(8 * SECOND)
    follower.submit(burst(5))
    assert part_of(follower, "alarms")["disk"] is False
    assert part_of(follower, "actors")["burst"]["published"] == 5
    follower.advance(SECOND)
    assert part_of(follower, "alarms")["disk"] is True
    assert part_of(follower, "disk")["free"] == 0


def test_the_checks_come_closer_as_the_disk_fills() -> None:
    """M11."""
    follower = follower_of(disk_total_bytes=10_000_000_000, disk_free_bytes_other=9_825_000_000)
    gaps = []
    for free in (175_010_000, 100_010_000, 51_000_000):
        follower.submit(others(10_000_000_000 - free))
        follower.submit({"do": "set", "name": "disk_free_limit", "value": 50_000_000})
        gaps.append(part_of(follower, "disk")["next_check_at_us"] - follower.node.now_us)
    assert gaps == [1_000_000, 400_000, 100_000]


def test_a_new_limit_is_compared_at_once() -> None:
    """M10."""
    follower = follower_of(**DISK)
    limit = {"do": "set", "name": "disk_free_limit", "value": {"mem_relative": 1000.0}}
    follower.submit(limit)
    assert part_of(follower, "alarms")["disk"] is True
    assert part_of(follower, "settings")["disk_free_limit"] == 1000 * 1024 * 1024
    follower.submit({**limit, "value": {"absolute": 1000}})
    assert part_of(follower, "alarms")["disk"] is False


def test_blocking_becomes_blocked_with_the_first_message() -> None:
    """A3, A4: a connection that publishes nothing under an alarm, or only consumes, is never blocked."""
    follower = follower_of(**DISK)
    slow = {"do": "set_publisher", "name": "p1", "rate_per_s": 1, "size_bytes": 100}
    follower.submit(slow)
    follower.submit({"do": "set_consumer", "name": "c1", "rate_per_s": 5})
    follower.submit({"do": "set", "name": "disk_free_limit", "value": 999_999_999_999})
    states = [{name: each["state"] for name, each in part_of(follower, "actors").items() if name != "hand"}]
    follower.advance(SECOND + 20_000)
    states.append(
        {name: each["state"] for name, each in part_of(follower, "actors").items() if name != "hand"}
    )
    assert states == [
        {"burst": "blocking", "c1": "blocking", "p1": "blocking"},
        {"burst": "blocking", "c1": "blocking", "p1": "blocked"},
    ]


def test_only_clients_that_asked_for_it_hear_that_they_are_blocked() -> None:
    """A5: once, with all reasons of that moment, and again when no alarm is left."""
    follower = follower_of(**DISK)
    for name, hears in (("p1", True), ("p2", False)):
        follower.submit({
            "do": "set_publisher", "name": name, "rate_per_s": 10, "size_bytes": 100, "hears_blocked": hears,
        })  # fmt: skip
    follower.submit({"do": "set", "name": "vm_memory_high_watermark", "value": 0})
    follower.submit({"do": "set", "name": "disk_free_limit", "value": 999_999_999_999})
    follower.advance(SECOND)
    follower.submit({"do": "set", "name": "vm_memory_high_watermark", "value": 0.9})
    follower.advance(SECOND)
    assert [(t.actor, t.reason) for t in emitted(follower, ConnectionBlocked)] == [
        ("p1", "low on memory & low on disk")
    ]
    assert not emitted(follower, ConnectionUnblocked)
    assert part_of(follower, "actors")["p1"]["state"] == "blocked"
    follower.submit({"do": "set", "name": "disk_free_limit", "value": 0})
    assert [t.actor for t in emitted(follower, ConnectionUnblocked)] == ["p1"]


def test_a_restart_forgets_what_was_set_while_it_ran() -> None:
    """M8: and goes back to the configuration, for the limit of the disk too."""
    follower = follower_of(vm_memory_high_watermark=0.6, **DISK)
    follower.submit({"do": "set", "name": "vm_memory_high_watermark", "value": {"absolute": 104_858}})
    follower.submit({"do": "set", "name": "disk_free_limit", "value": 1})
    assert part_of(follower, "memory")["limit"] == 104_858
    assert part_of(follower, "settings")["vm_memory_high_watermark"] == pytest.approx(0.1, rel=1e-4)
    follower.submit({"do": "restart", "kind": "clean"})
    assert part_of(follower, "memory")["limit"] == 629_145
    settings = part_of(follower, "settings")
    assert (settings["vm_memory_high_watermark"], settings["disk_free_limit"]) == (0.6, 50_000_000)
    assert [t.values for t in emitted(follower, NodeChanged) if t.rule == "M8"] == [
        {"vm_memory_high_watermark": 0.6, "disk_free_limit": 50_000_000}
    ]


def test_an_alarm_that_a_restart_does_not_end_blocks_as_before() -> None:
    """A1, M7: the connections are new, the memory of persistent messages is not."""
    follower = follower_of(vm_memory_high_watermark=0.05)
    assert part_of(follower, "alarms")["memory"] is True
    follower.submit({"do": "restart", "kind": "clean"})
    follower.submit(burst(3))
    assert part_of(follower, "actors")["burst"]["state"] == "blocked"


def test_acknowledgements_on_a_blocked_connection_lie_unread() -> None:
    """A3: the broker stops reading the whole socket, so a consumer that publishes on the same connection is stuck."""
    scenario = parse({"version": 1, "profile": "classroom", "settings": {"vm_memory_high_watermark": 0.2}})
    follower = Follower(Cluster(scenario, LedgerStorage(), keep=100_000))
    follower.submit({"do": "publish", "count": 40, "size_bytes": 6000})
    follower.submit({"do": "get", "count": 4, "channel": "one.read"})
    follower.submit({"do": "get", "count": 4, "channel": "two.read"})
    follower.advance(300_000)
    actors = follower.node.snapshot()["node"]["actors"]
    assert follower.node.snapshot()["node"]["alarms"]["memory"]
    assert actors["one.read"]["state"] == "running"
    follower.submit({"do": "publish", "count": 1, "size_bytes": 6000, "channel": "one.write"})
    for name in ("one.read", "two.read"):
        follower.submit({"do": "ack", "count": 4, "multiple": False, "channel": name})
    actors = follower.node.snapshot()["node"]["actors"]
    assert (actors["one.read"]["state"], actors["one.read"]["unacked"], actors["one.read"]["unread"]) == (
        "blocked",
        4,
        2,
    )
    assert actors["two.read"]["unacked"] == 0
    follower.submit({"do": "set", "name": "vm_memory_high_watermark", "value": 1.0})
    follower.advance(300_000)
    actors = follower.node.snapshot()["node"]["actors"]
    assert (actors["one.read"]["state"], actors["one.read"]["unacked"], actors["one.read"]["unread"]) == (
        "running",
        0,
        0,
    )
    assert follower.node.queues["orders"].depth == 33


def test_a_blocked_connection_that_is_closed_takes_along_what_lay_unread() -> None:
    """A3, P11: nobody reads it any more, and what its channels held goes back."""
    scenario = parse({"version": 1, "profile": "classroom", "settings": {"vm_memory_high_watermark": 0.2}})
    follower = Follower(Cluster(scenario, LedgerStorage(), keep=100_000))
    follower.submit({"do": "publish", "count": 40, "size_bytes": 6000})
    follower.submit({"do": "get", "count": 4, "channel": "one.read"})
    follower.advance(300_000)
    follower.submit({"do": "publish", "count": 1, "size_bytes": 6000, "channel": "one.write"})
    follower.submit({"do": "ack", "count": 4, "multiple": False, "channel": "one.read"})
    follower.submit({"do": "remove", "name": "one"})
    follower.submit({"do": "set", "name": "vm_memory_high_watermark", "value": 1.0})
    follower.advance(300_000)
    assert follower.node.queues["orders"].depth == 40


def hanging(alarm: bool) -> Follower:
    """A publisher that published, and whose program hangs a moment later."""
    limit = 0.2 if alarm else 1.0
    follower = follower_of(vm_memory_high_watermark=limit, vm_memory_high_watermark_paging_ratio=2.0)
    follower.compare = False
    follower.submit(burst(40))
    follower.submit({"do": "set_publisher", "name": "p1", "rate_per_s": 20, "size_bytes": 10})
    follower.advance(2 * SECOND)
    follower.submit({"do": "hang", "name": "p1"})
    return follower


def connection(follower: Follower) -> tuple[str, str]:
    actor = follower.node.snapshot()["node"]["actors"]["p1"]
    return actor["state"], actor.get("connection_state", "open")


def test_a_client_that_hangs_is_closed_when_its_heartbeats_are_missing() -> None:
    follower = hanging(alarm=False)
    follower.advance(100 * SECOND)
    assert connection(follower) == ("stopped", "open")
    follower.advance(100 * SECOND)
    assert connection(follower) == ("stopped", "closed")


def test_heartbeats_of_a_blocked_connection_are_not_awaited() -> None:
    """A3: the broker's own check pauses, and begins anew when the alarm is over."""
    follower = hanging(alarm=True)
    follower.advance(600 * SECOND)
    assert connection(follower) == ("blocked", "open")
    follower.submit({"do": "set", "name": "vm_memory_high_watermark", "value": 1.0})
    follower.advance(100 * SECOND)
    assert connection(follower) == ("stopped", "open")
    follower.advance(150 * SECOND)
    assert connection(follower) == ("stopped", "closed")


def test_a_program_that_goes_on_is_heard_again() -> None:
    follower = hanging(alarm=False)
    follower.advance(100 * SECOND)
    follower.submit({"do": "set_publisher", "name": "p1", "rate_per_s": 1, "size_bytes": 10})
    follower.advance(300 * SECOND)
    assert connection(follower) == ("running", "open")
    with pytest.raises(CommandError, match="nobody"):
        follower.node.submit({"do": "hang", "name": "nobody"})
