"""A whole node: what a person sees when bursts, publishers, consumers and alarms meet."""

from __future__ import annotations

from typing import Any

import pytest

from engine.broker.cluster import Cluster
from engine.broker.commands.scenario import parse
from engine.broker.control.client_verbs import MAX_ACTORS
from engine.classic_v1.queue.state import QueueState
from engine.report.transitions.base import Transition
from engine.report.transitions.node import ConfirmsSent
from engine.report.transitions.queue import Discarded, PublishedDelivered
from engine.storage.ledger import LedgerStorage
from engine.values.errors import CommandError
from tests.helpers.following import Follower

SECOND = 1_000_000


def node_of(profile: str = "classroom", **settings: Any) -> Cluster:
    return Cluster(
        parse({"version": 1, "profile": profile, "settings": settings}), LedgerStorage(), keep=100_000
    )


def burst(count: int, size_bytes: int = 6144, **more: Any) -> dict[str, Any]:
    return {"do": "publish", "count": count, "size_bytes": size_bytes, **more}


def consumer(**more: Any) -> dict[str, Any]:
    return {"do": "set_consumer", "name": "c1", **more}


def publisher(**more: Any) -> dict[str, Any]:
    return {"do": "set_publisher", "name": "p1", "rate_per_s": 10, "size_bytes": 1000, **more}


def state_of(node: Cluster) -> QueueState:
    return node.process.queue.state


def actor(node: Cluster, name: str) -> dict[str, Any]:
    found: dict[str, Any] = node.snapshot()["node"]["actors"][name]
    return found


def all_of(node: Cluster, kind: type[Transition]) -> list[Any]:
    rows = node.log.since(0)
    assert rows is not None
    return [each for each in rows.rows if type(each) is kind]


def test_a_first_burst_is_paged_out_within_a_second() -> None:
    """M3, M4."""
    node = node_of()
    node.advance(2 * SECOND)
    node.submit(burst(30))
    assert state_of(node).q4.total == 30
    node.advance(node.now_us + SECOND)
    state = state_of(node)
    assert not node.watch.alarm
    assert 4 <= state.ram_msg_count <= 20
    assert state.q3.total
    assert state.delta.count
    assert node.storage.used_bytes() > 80_000


def test_a_small_burst_stays_in_ram() -> None:
    """M3."""
    node = node_of()
    node.submit(burst(12))
    node.advance(5 * SECOND)
    assert state_of(node).ram_msg_count == 12


def test_a_consumer_drains_everything() -> None:
    """P13."""
    node = node_of()
    node.submit(burst(40))
    node.advance(2 * SECOND)
    node.submit(consumer(rate_per_s=20, prefetch=3))
    assert actor(node, "c1")["unacked"] == 3
    node.advance(node.now_us + 5 * SECOND)
    state = state_of(node)
    assert (state.len, node.process.queue.unacked) == (0, 0)
    assert actor(node, "c1")["acked"] == 40


@pytest.mark.parametrize("mode", ["each", "multiple", "auto"])
def test_a_consumer_finishes_at_its_rate(mode: str) -> None:
    """P12, P13, F8."""
    node = node_of("real")
    node.submit(burst(100_000, 100))
    node.submit(consumer(rate_per_s=700, prefetch=30, ack=mode))
    window = 200 if mode == "auto" else 30
    node.advance(node.now_us + 10 * SECOND)
    assert abs(actor(node, "c1")["delivered"] - 7000 - window) <= 7
    assert state_of(node).len == 100_000 - actor(node, "c1")["delivered"]


def test_an_empty_queue_hands_messages_over_directly() -> None:
    """Q23, P7, P8."""
    node = node_of()
    node.submit(consumer(prefetch=5))
    node.submit(burst(8))
    assert sum(e.count for t in all_of(node, PublishedDelivered) for e in t.extents) == 5
    assert state_of(node).len == 3
    assert actor(node, "c1")["unacked"] == 5


def test_a_no_ack_consumer_leaves_nothing_behind() -> None:
    """Q24, K2, D4."""
    node = node_of()
    node.submit(consumer(ack="auto", rate_per_s=1000))
    node.submit(burst(3, persistent=True, confirm=True))
    assert len(all_of(node, Discarded)) == 1
    assert state_of(node).next_seq_id == 0
    assert [(t.rule, t.count) for t in all_of(node, ConfirmsSent)] == [("K2", 3)]


def test_confirms() -> None:
    """K1, K8."""
    node = node_of()
    node.submit(burst(3, 100, confirm=True))
    node.submit(burst(4, 100, persistent=True, confirm=True))
    node.submit(burst(5, 6000, persistent=True, confirm=True))
    node.submit(burst(6, 6000, persistent=True))
    assert sum(t.count for t in all_of(node, ConfirmsSent)) == 12
    assert all_of(node, ConfirmsSent)[0].rule == "K1"
    assert {t.rule for t in all_of(node, ConfirmsSent)[1:]} == {"K8"}
    assert actor(node, "burst")["unconfirmed"] == 0


def test_the_memory_alarm_blocks_publishers_until_memory_falls() -> None:
    """M7, A2, A3, A4, A6, P19."""
    node = node_of(vm_memory_high_watermark_paging_ratio=1.5)
    node.submit(publisher())
    node.submit(burst(60))
    node.advance(node.now_us + 150_000)
    assert node.watch.alarm
    assert actor(node, "p1")["state"] == "blocked"
    assert actor(node, "burst")["state"] == "blocking"
    node.submit(burst(10))
    assert actor(node, "burst")["state"] == "blocked"
    assert actor(node, "burst")["waiting"] == 10
    published = actor(node, "p1")["published"]
    node.advance(node.now_us + 3 * SECOND)
    assert actor(node, "p1")["published"] == published
    node.submit({"do": "purge"})
    node.advance(node.now_us + SECOND)
    assert not node.watch.alarm
    assert actor(node, "burst")["waiting"] == 0
    assert actor(node, "burst")["published"] == 70
    assert published + 8 <= actor(node, "p1")["published"] <= published + 10


def test_a_consumer_works_under_an_alarm() -> None:
    """A4."""
    node = node_of(vm_memory_high_watermark_paging_ratio=1.5)
    node.submit(consumer(rate_per_s=100, prefetch=10))
    node.submit(burst(100))
    node.advance(node.now_us + 110_000)
    assert actor(node, "c1")["state"] == "blocking"
    node.advance(node.now_us + 2 * SECOND)
    assert actor(node, "c1")["state"] == "running"
    assert state_of(node).len == 0


def test_acks_by_hand() -> None:
    """P11, P14."""
    node = node_of()
    node.submit(burst(10))
    node.submit(consumer(ack="manual", prefetch=4))
    node.submit({"do": "get", "count": 2})
    assert actor(node, "hand")["unacked"] == 6
    node.submit({"do": "ack", "count": 3, "multiple": True})
    assert (actor(node, "c1")["unacked"], actor(node, "hand")["unacked"]) == (4, 6)
    node.submit({"do": "requeue", "count": 2})
    assert actor(node, "c1")["redelivered"] >= 1
    node.submit({"do": "remove", "name": "c1"})
    state = state_of(node)
    assert state.len + node.process.queue.unacked == 7
    with pytest.raises(CommandError, match="held by hand"):
        node.submit({"do": "ack", "count": 9})


def test_closing_a_consumer_returns_what_it_holds() -> None:
    """P11."""
    node = node_of()
    node.submit(consumer(prefetch=5, rate_per_s=1))
    node.submit(burst(8))
    node.submit({"do": "remove", "name": "c1"})
    assert (state_of(node).len, node.process.queue.unacked) == (8, 0)
    assert "c1" not in node.snapshot()["node"]["actors"]


def test_pinned_target_wins_over_the_monitor() -> None:
    node = node_of()
    node.submit({"do": "set", "name": "target_ram_count", "value": 2})
    node.submit(burst(30))
    node.advance(3 * SECOND)
    assert state_of(node).target_ram_count == 2
    assert state_of(node).ram_msg_count <= 2
    node.submit({"do": "set", "name": "target_ram_count", "value": None})
    assert state_of(node).target_ram_count is None


def test_an_idle_queue_flushes_its_journal_and_sleeps() -> None:
    """P2, P4, Q65, S84."""
    node = node_of("real")
    node.submit(burst(5, 100, persistent=True))
    index = state_of(node).index
    assert index.journal.buffered_bytes
    node.advance(210_000)
    assert not index.journal.buffered_bytes
    assert index.journal.file_bytes
    node.advance(1_300_000)
    assert index.journal.file_bytes == 0
    assert index.dirty == 0
    assert node.snapshot()["node"]["clock"] == {"queue_process": "hibernating", "rate_timer_at_us": None}


@pytest.mark.parametrize(
    ("kind", "survivors"),
    [("clean", {"confirmed": 7, "unconfirmed": 4}), ("kill", {"confirmed": 7, "unconfirmed": 0})],
)
def test_what_survives_a_restart(kind: str, survivors: dict[str, int]) -> None:
    """D1, D5."""
    node = node_of("real")
    node.submit(burst(7, 100, persistent=True, confirm=True))
    node.submit(burst(9, 100))
    node.submit(burst(4, 100, persistent=True))
    node.submit({"do": "get", "count": 3})
    node.submit({"do": "restart", "kind": kind})
    assert state_of(node).len == sum(survivors.values())
    assert actor(node, "hand")["unacked"] == 0
    node.submit({"do": "get", "count": 3, "ack": False})
    assert state_of(node).len == sum(survivors.values()) - 3


def test_a_power_cut_keeps_what_was_confirmed() -> None:
    """S230, S234."""
    follower = Follower(node_of())
    follower.submit(burst(20, 6000, persistent=True, confirm=True))
    follower.submit({"do": "restart", "kind": "power"})
    assert state_of(follower.node).len == 20


def test_refusals_leave_everything_as_it_was() -> None:
    node = node_of(max_messages=50, max_disk_bytes=1_000_000)
    node.submit(burst(40, 100))
    number = node.log.number
    for command, message in (
        (burst(11, 100), "publish at most 10"),
        (burst(9, 200_000), "bytes on disk"),
        ({"do": "remove", "name": "c9"}, "there is no c9; publishers and consumers: none"),
        ({"do": "ack", "count": 1}, "0 messages are held by hand"),
    ):
        with pytest.raises(CommandError, match=message):
            node.submit(command)
    assert node.log.number == number
    assert len(node.history) == 1


def test_a_publisher_stops_at_the_bound() -> None:
    node = node_of(max_messages=25)
    node.submit(publisher(size_bytes=10))
    node.advance(10 * SECOND)
    assert state_of(node).len == 25
    assert actor(node, "p1")["state"] == "stopped"


def test_names_and_numbers_of_actors_are_bounded() -> None:
    node = node_of()
    node.submit({"do": "set_consumer", "name": "x"})
    with pytest.raises(CommandError, match="already the name of another actor"):
        node.submit({"do": "set_publisher", "name": "x", "rate_per_s": 1, "size_bytes": 1})
    for i in range(MAX_ACTORS - 1):
        node.submit({"do": "set_consumer", "name": f"c{i}"})
    with pytest.raises(CommandError, match="there are 128 publishers and consumers"):
        node.submit({"do": "set_consumer", "name": "y"})


def test_ack_mode_of_a_busy_consumer_cannot_change() -> None:
    node = node_of()
    node.submit(burst(3))
    node.submit(consumer(prefetch=2))
    with pytest.raises(CommandError, match="its ack mode cannot change"):
        node.submit(consumer(ack="auto"))


def test_steps_stop_where_something_happens() -> None:
    node = node_of()
    node.submit(burst(20))
    seen = node.log.number
    assert node.step()
    assert node.log.number > seen
    steps = 0
    while node.step():
        steps += 1
        assert steps < 1000
    assert node.log.number > seen


def test_time_can_be_cut_anywhere() -> None:
    """S251."""
    nodes = [node_of(), node_of()]
    for node in nodes:
        node.submit(publisher(rate_per_s=300, persistent=True))
        node.submit(consumer(rate_per_s=200, prefetch=9))
    nodes[0].advance(2 * SECOND)
    for at_us in range(0, 2 * SECOND, 7_919):
        nodes[1].advance(at_us, max_transitions=3)
    while not nodes[1].advance(2 * SECOND, max_transitions=1):
        pass
    assert nodes[0].log.digest == nodes[1].log.digest


def test_commands_of_a_scenario_that_cannot_be_done_are_noted() -> None:
    scenario = {
        "version": 1,
        "profile": "classroom",
        "commands": [
            {"at_us": 5, "do": "remove", "name": "c1"},
            {"at_us": 5, "do": "publish", "count": 1, "size_bytes": 1},
        ],
        "until_us": 100,
    }
    node = Cluster(parse(scenario), LedgerStorage())
    node.run()
    assert [(each.at_us, each.message[:14]) for each in node.refused] == [(5, "there is no c1")]
    assert state_of(node).len == 1


def test_a_million_messages_cost_what_a_thousand_do() -> None:
    numbers = []
    for count in (1_000, 1_000_000):
        node = node_of("real", ram_bytes=2**32)
        node.submit(burst(count, 100))
        numbers.append(node.log.number)
    assert numbers[0] == numbers[1]
