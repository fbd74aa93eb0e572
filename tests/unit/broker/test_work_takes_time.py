"""A node whose work takes time: mailboxes, credit along the chain, the states that connections show."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from engine.broker.cluster import Cluster
from engine.broker.commands.scenario import parse
from engine.classic_v1.transitions import JournalSynced, StoreSynced
from engine.report.transitions.node import ConfirmsSent, ProcessChanged
from engine.report.transitions.queue import Acked, Published, Requeued
from engine.storage.ledger import LedgerStorage
from tests.helpers.following import Follower

SECOND = 1_000_000
TWO_NAMES = ("orders", "slow")
TWO = {"queues": [{"name": "orders"}, {"name": "slow"}]}


def node_of(
    work_profile: str = "measured-vm", topology: dict[str, Any] | None = None, **settings: Any
) -> Cluster:
    scenario: dict[str, Any] = {
        "version": 1,
        "profile": "real",
        "settings": {"work_profile": work_profile, **settings},
    }
    if topology is not None:
        scenario["topology"] = topology
    return Cluster(parse(scenario), LedgerStorage(), keep=1_000_000)


def burst(count: int, size_bytes: int = 1000, **more: Any) -> dict[str, Any]:
    return {"do": "publish", "count": count, "size_bytes": size_bytes, **more}


def publisher(rate_per_s: int, size_bytes: int = 1000, **more: Any) -> dict[str, Any]:
    return {"do": "set_publisher", "name": "p1", "rate_per_s": rate_per_s, "size_bytes": size_bytes, **more}


def shown(node: Cluster, process: str) -> dict[str, Any]:
    found: dict[str, Any] = node.snapshot()["node"]["processes"][process]
    return found


def actor(node: Cluster, name: str) -> dict[str, Any]:
    found: dict[str, Any] = node.snapshot()["node"]["actors"][name]
    return found


def rows(node: Cluster, *kinds: type) -> list[tuple[int, Any]]:
    found = node.log.since(0)
    assert found is not None
    return [(at, row) for at, row in zip(found.at_us, found.rows, strict=True) if type(row) in kinds]


def after(node: Cluster, duration_us: int) -> None:
    node.advance(node.now_us + duration_us)


def test_publishers_are_in_flow_without_any_alarm() -> None:
    """F1-F4, F7, A4: the queue writes 50 microseconds for each message, so the link to it is the one that starves."""
    node = node_of()
    node.submit(publisher(50_000, persistent=True))
    after(node, 3 * SECOND)
    assert node.snapshot()["node"]["alarms"] == {"memory": False}
    assert actor(node, "p1")["state"] == "flow"
    channel, reader, queue = (shown(node, f"{kind}") for kind in ("channel:p1", "reader:p1", "queue:orders"))
    assert channel["blocked_by"] == ["queue:orders"]
    assert reader["blocked_by"] == ["channel:p1"]
    assert (channel["state"], reader["state"], queue["state"]) == ("flow", "flow", "running")
    assert channel["credit"]["queue:orders"][1:] == [400, 200]
    assert channel["deferred"].get("reader:p1") in (None, 200, 400)
    assert queue["busy_us"] > 0.98 * node.now_us
    assert reader["blocked_us"] > 0.8 * node.now_us
    # What the queue cannot take stays with the client: its socket, and credit for 400 on either hop.
    assert 10_000 < actor(node, "p1")["published"] / 3 < 20_000
    assert actor(node, "p1")["waiting"] < 1000


def test_flow_ends_some_seconds_after_the_last_block() -> None:
    """A4, F7: five seconds for the connection, one for the channel."""
    node = node_of()
    node.submit(publisher(50_000, persistent=True))
    after(node, SECOND)
    node.submit(publisher(50_000, running=False))
    after(node, 2 * SECOND)
    assert actor(node, "p1")["state"] == "flow"
    assert shown(node, "channel:p1")["state"] == "running"
    node.submit(publisher(1))
    after(node, 5 * SECOND)
    assert actor(node, "p1")["state"] == "running"


def test_transient_messages_flow_freely_and_persistent_ones_do_not() -> None:
    node = node_of()
    counts = []
    for persistent in (False, True):
        node.submit(burst(20_000, 100, persistent=persistent))
        before = node.queues["orders"].depth
        after(node, SECOND // 4)
        counts.append(node.queues["orders"].depth - before)
        after(node, 5 * SECOND)
    assert counts[0] > 2 * counts[1] > 1000
    assert node.queues["orders"].depth == 40_000


def test_a_full_queue_of_store_writes_blocks_the_queue_process() -> None:
    """F4, F5, F6: paging uses up the store's credit of 4; the grant comes back through the mailbox and resumes."""
    node = node_of("hdd", msg_store_credit_disc_bound=[4, 2])
    node.submit(burst(2000, 20_000))
    after(node, SECOND)
    node.submit({"do": "set", "name": "target_ram_count", "value": 0})
    blocked = set()
    left = []
    for _ in range(100):
        after(node, 1000)
        blocked |= set(node.processes.of("queue", "orders").credit.blocked_by)
        left.append(node.queues["orders"].process.queue.state.ram_msg_count)
    assert blocked == {"store:transient"}
    assert all(earlier - later <= 40 for earlier, later in pairwise(left))
    assert shown(node, "queue:orders")["credit"]["store:transient"][1:] == [4, 2]
    after(node, 10 * SECOND)
    assert node.queues["orders"].process.queue.state.ram_msg_count == 0
    assert shown(node, "queue:orders")["blocked_by"] == []


def test_acks_overtake_queued_publishes_and_requeues_do_not() -> None:
    """P6."""
    node = node_of()
    node.submit(burst(20, 100))
    after(node, SECOND)
    node.submit({"do": "get", "count": 20})
    after(node, SECOND)
    node.submit(burst(400, 100, persistent=True))
    after(node, 12_000)
    assert node.processes.of("queue", "orders").mailbox > 100
    node.submit({"do": "requeue", "count": 10})
    node.submit({"do": "ack", "count": 10})
    after(node, SECOND)
    order = [(type(row), at) for at, row in rows(node, Acked, Requeued, Published)]
    acked = next(at for kind, at in order if kind is Acked)
    requeued = next(at for kind, at in order if kind is Requeued)
    published = [at for kind, at in order if kind is Published]
    assert acked < max(published) <= requeued


def test_a_busy_queue_syncs_its_journal_for_confirms_only_after_200_ms() -> None:
    """P1, P2, K8: an idle one at once."""
    node = node_of()
    node.submit(burst(1, 100, persistent=True, confirm=True))
    after(node, 20_000)
    assert [row.count for _, row in rows(node, ConfirmsSent)] == [1]
    node.submit(publisher(50_000, 100, persistent=True, confirm=True))
    after(node, SECOND)
    synced = [at for at, _ in rows(node, JournalSynced)][1:]
    gaps = [later - earlier for earlier, later in pairwise(synced)]
    # While the channel takes thousands of confirms at once, the queue runs empty and may sync again a little later.
    assert sum(200_000 <= gap < 230_000 for gap in gaps) >= 3
    assert min(gaps) > 20_000
    assert actor(node, "p1")["unconfirmed"] > 1000
    node.submit(publisher(50_000, running=False))
    after(node, SECOND)
    assert actor(node, "p1")["unconfirmed"] == 0


def test_a_busy_store_syncs_every_25_ms_and_an_idle_one_at_once() -> None:
    """K6."""
    node = node_of(msg_store_file_size_limit=2**30)
    node.submit(burst(1, 10_000, persistent=True, confirm=True))
    after(node, 20_000)
    assert len(rows(node, StoreSynced)) == 1
    node.submit(burst(20_000, 30_000, persistent=True))
    store = node.processes.of("store", "persistent")
    after(node, SECOND // 2)
    assert store.mailbox > 50
    synced = [at for at, _ in rows(node, StoreSynced)][2:]
    assert len(synced) > 4
    assert all(25_000 <= later - earlier < 100_000 for earlier, later in pairwise(synced))


def test_confirms_of_transient_messages_come_from_the_queue_process() -> None:
    """K1: not before it took them."""
    node = node_of()
    node.submit(burst(1000, 100, confirm=True))
    after(node, 3000)
    assert actor(node, "burst")["unconfirmed"] > 0
    assert actor(node, "burst")["confirmed"] < 1000
    after(node, SECOND)
    assert actor(node, "burst")["confirmed"] == 1000
    assert {row.rule for _, row in rows(node, ConfirmsSent)} == {"K1"}


def test_a_channel_collects_confirms_until_its_mailbox_is_empty() -> None:
    """K10: those of two queues, of many quanta, go out together; a publish in between sends them off."""
    node = node_of(topology=TWO)
    node.submit(burst(6000, 100, confirm=True))
    node.submit(burst(6000, 100, confirm=True, routing_key="slow"))
    after(node, 3 * SECOND)
    sent = [(at, row.count) for at, row in rows(node, ConfirmsSent)]
    assert sum(count for _, count in sent) == 12_000
    taken = [at for at, row in rows(node, Published) if row.queue in TWO_NAMES]
    assert len(sent) < len(taken)
    assert actor(node, "burst")["unconfirmed"] == 0


def test_a_consumer_has_no_more_than_200_deliveries_unsent() -> None:
    """F8, P12, P13: prefetch is no limit here, the writer is."""
    node = node_of()
    node.submit(burst(20_000, 20_000))
    after(node, 10 * SECOND)
    node.submit({"do": "set_consumer", "name": "c1", "rate_per_s": 100_000, "prefetch": 0})
    most = 0
    for _ in range(200):
        after(node, 1000)
        most = max(most, node.consumers.all["c1"].unsent)
    assert most == 200
    after(node, 10 * SECOND)
    assert actor(node, "c1")["acked"] == 20_000
    assert actor(node, "c1")["unsent"] < 50
    assert node.queues["orders"].process.queue.unacked == 0


@pytest.mark.parametrize("ack", ["each", "multiple", "auto"])
def test_a_consumer_drains_everything(ack: str) -> None:
    """P12, P13."""
    node = node_of("ssd")
    node.submit(burst(3000, 100, persistent=True))
    node.submit({"do": "set_consumer", "name": "c1", "rate_per_s": 5000, "prefetch": 30, "ack": ack})
    node.submit({"do": "set_consumer", "name": "c2", "rate_per_s": 300, "prefetch": 7, "ack": ack})
    after(node, 10 * SECOND)
    state = node.queues["orders"].process.queue.state
    assert (state.len, node.queues["orders"].process.queue.unacked) == (0, 0)
    assert actor(node, "c1")["delivered"] + actor(node, "c2")["delivered"] == 3000


def test_a_deep_backlog_makes_consumers_slow() -> None:
    """Bodies come back from the store, one read each: on a slow disk that is what a consumer waits for."""
    drained = {}
    for deep in (False, True):
        node = node_of("hdd", ram_bytes=2**30)
        if deep:
            node.submit({"do": "set", "name": "target_ram_count", "value": 0})
        node.submit(burst(20_000, 8000))
        after(node, 60 * SECOND)
        node.submit({"do": "set_consumer", "name": "c1", "rate_per_s": 100_000, "prefetch": 100})
        after(node, SECOND // 2)
        drained[deep] = actor(node, "c1")["acked"]
    assert drained[False] > 2 * drained[True] > 0


def test_an_alarm_leaves_messages_in_the_socket_and_what_is_read_arrives() -> None:
    """A3, A4, A6, A5."""
    node = node_of(disk_total_bytes=10**9)
    node.submit(publisher(5000, 100, hears_blocked=True))
    after(node, SECOND)
    node.submit({"do": "set", "name": "disk_free_limit", "value": 10**10})
    after(node, SECOND)
    published, state = actor(node, "p1")["published"], node.queues["orders"].process.queue.state
    assert actor(node, "p1")["state"] == "blocked"
    assert state.len == published
    waiting = shown(node, "reader:p1")["mailbox"]
    assert waiting == actor(node, "p1")["waiting"]
    node.submit(burst(7))
    after(node, SECOND)
    assert actor(node, "burst")["state"] == "blocked"
    assert state.len == published
    node.submit({"do": "set", "name": "disk_free_limit", "value": 0})
    after(node, SECOND)
    assert actor(node, "p1")["state"] == "running"
    assert state.len > published + 7 + waiting


def test_switching_to_instant_handles_everything_at_once_and_back() -> None:
    node = node_of(vm_memory_high_watermark=0.5)
    follower = Follower(node)
    follower.submit(burst(20_000, 5000, persistent=True, confirm=True))
    follower.advance(50_000)
    assert node.queues["orders"].depth < 5000
    follower.submit({"do": "set", "name": "work_profile", "value": "instant"})
    assert node.queues["orders"].depth == 20_000
    assert actor(node, "burst")["confirmed"] == 20_000
    assert node.snapshot()["node"]["processes"] == {}
    follower.submit({"do": "set", "name": "work_profile", "value": "hdd"})
    follower.submit(burst(5000, 100))
    follower.advance(1000)
    assert node.queues["orders"].depth < 25_000
    follower.advance(SECOND)
    assert node.queues["orders"].depth == 25_000
    assert node.snapshot()["node"]["work"]["profile"] == "hdd"
    assert node.snapshot()["node"]["work"]["assumed"] is True
    node.verify()


def test_what_is_under_way_is_lost_with_the_node_and_with_its_queue() -> None:
    """D4: sockets, mailboxes and all."""
    node = node_of(topology=TWO)
    node.submit(burst(20_000, 100))
    node.submit(burst(20_000, 100, routing_key="slow"))
    after(node, 100_000)
    node.submit({"do": "kill_queue", "queue": "orders"})
    assert node.queues["orders"].depth == 0
    after(node, 3 * SECOND)
    lost = 20_000 - node.queues["orders"].depth
    assert 0 < lost < 20_000
    assert node.queues["slow"].depth == 20_000
    node.submit(burst(20_000, 100))
    after(node, 10_000)
    node.submit({"do": "restart", "kind": "kill"})
    assert actor(node, "burst")["waiting"] == 0
    after(node, 3 * SECOND)
    assert node.queues["orders"].depth == 0
    assert node.processes.mailboxes("queue") == 0
    node.submit(burst(10, 100))
    after(node, SECOND)
    assert node.queues["orders"].depth == 10


def test_a_publisher_that_leaves_takes_its_processes_along() -> None:
    """F3: what its channel had read is routed still."""
    node = node_of()
    node.submit(publisher(50_000, persistent=True))
    after(node, 500_000)
    node.submit({"do": "remove", "name": "p1"})
    after(node, 12 * SECOND)
    assert set(node.snapshot()["node"]["processes"]) == {
        "gc:persistent", "gc:transient", "monitor:disk", "monitor:memory", "monitor:vm_memory", "queue:orders",
        "store:persistent", "store:transient",
    }  # fmt: skip
    assert node.processes.cores.busy == 0


def test_a_consumer_that_leaves_gives_back_what_it_did_not_ack() -> None:
    """P11."""
    node = node_of()
    node.submit(burst(5000, 100))
    node.submit({"do": "set_consumer", "name": "c1", "rate_per_s": 10_000, "prefetch": 500})
    after(node, 250_000)
    node.submit({"do": "remove", "name": "c1"})
    after(node, SECOND)
    state = node.queues["orders"].process.queue.state
    assert node.queues["orders"].process.queue.unacked == 0
    assert 0 < state.len < 5000


def test_a_million_messages_take_few_transitions_of_processes() -> None:
    """Reports on processes have a bounded rate, however fast the mailboxes change."""
    node = node_of(ram_bytes=2**34)
    node.submit(burst(100_000, 100))
    after(node, 10 * SECOND)
    changes = rows(node, ProcessChanged)
    assert node.queues["orders"].depth == 100_000
    each: dict[str, list[int]] = {}
    for at, row in changes:
        each.setdefault(row.process, []).append(at)
    for times in each.values():
        assert all(later - earlier >= 100_000 for earlier, later in pairwise(times))


def test_the_same_run_in_other_pieces() -> None:
    """Promise 1: however time is cut."""
    digests = set()
    for pieces in (1, 7, 1000):
        node = node_of("cloud-volume", topology=TWO)
        node.submit(publisher(9000, 5000, persistent=True, confirm=True))
        node.submit({"do": "set_consumer", "name": "c1", "rate_per_s": 3000, "prefetch": 100})
        for part in range(1, pieces + 1):
            node.advance(2 * SECOND * part // pieces)
        digests.add((node.log.digest, node.log.number))
    assert len(digests) == 1


def test_an_idle_node_reports_nothing_about_its_processes() -> None:
    """The monitors check once a second and find nothing new."""
    node = node_of()
    node.submit(burst(100))
    after(node, 20 * SECOND)
    before = len(rows(node, ProcessChanged))
    after(node, 60 * SECOND)
    assert len(rows(node, ProcessChanged)) == before


@pytest.mark.parametrize(("how", "most"), [("error", 0), ("kill", 49)])
def test_a_consumer_finds_its_window_open_after_every_crash(how: str, most: int) -> None:
    """F8, D4: what its writer had not reported to the dead process does not count any more."""
    node = node_of()
    consumer = {"do": "set_consumer", "name": "c1", "rate_per_s": 100_000, "prefetch": 0}
    for _ in range(8):
        node.submit(consumer)
        node.submit(burst(1000, 20_000))
        after(node, 45_000)
        node.submit({"do": "kill_queue", "queue": "orders", "how": how})
        after(node, SECOND)
    assert node.consumers.all["c1"].unsent <= most, "its writer reports every fiftieth"
    before = actor(node, "c1")["acked"]
    node.submit({"do": "purge"})
    node.submit(consumer)
    node.submit(burst(1000, 20_000))
    after(node, 5 * SECOND)
    assert actor(node, "c1")["acked"] == before + 1000


@pytest.mark.parametrize("work_profile", ["instant", "measured-vm"])
def test_what_a_channel_by_hand_publishes_arrives_and_is_confirmed(work_profile: str) -> None:
    node = node_of(work_profile)
    node.submit(burst(5, persistent=True, confirm=True, channel="c.1"))
    after(node, SECOND)
    assert (node.process.queue.depth, node.held_messages()) == (5, 5)
    assert sum(row.count for _, row in rows(node, ConfirmsSent)) == 5


@pytest.mark.parametrize("work_profile", ["instant", "measured-vm"])
def test_what_a_transaction_by_hand_published_arrives_with_its_commit(work_profile: str) -> None:
    node = node_of(work_profile)
    node.submit({"do": "tx_select", "channel": "c.1"})
    node.submit(burst(5, channel="c.1"))
    after(node, SECOND)
    assert node.process.queue.depth == 0
    node.submit({"do": "tx_commit", "channel": "c.1"})
    after(node, SECOND)
    assert node.process.queue.depth == 5


@pytest.mark.parametrize("work_profile", ["instant", "measured-vm"])
def test_one_ack_for_many_frees_as_much_of_a_channels_limit(work_profile: str) -> None:
    """P13: the limit counts messages, and an ack with `multiple` is one message for many."""
    node = node_of(work_profile)
    node.submit(burst(200))
    node.submit(
        {
            "do": "set_consumer",
            "name": "c1",
            "rate_per_s": 2000,
            "prefetch": 0,
            "ack": "multiple",
            "channel_prefetch": 10,
        }
    )
    after(node, 2 * SECOND)
    assert (node.process.queue.depth, actor(node, "c1")["acked"]) == (0, 200)
