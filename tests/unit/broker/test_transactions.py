"""Transactions of publishers: held until the commit, confirmed as a whole (D12-D15)."""

from __future__ import annotations

from typing import Any

from engine.broker.cluster import Cluster
from engine.broker.commands.scenario import parse
from engine.classic_v1.transitions import StoreSynced
from engine.report.transitions.base import Transition
from engine.report.transitions.node import ChannelClosed, Committed, ConfirmsSent
from engine.storage.ledger import LedgerStorage
from tests.helpers.following import Follower

SECOND = 1_000_000


def follow(arguments: dict[str, Any] | None = None, **settings: Any) -> Follower:
    topology = {"queues": [{"name": "orders", "arguments": arguments or {}}]}
    scenario = parse({"version": 1, "profile": "classroom", "settings": settings, "topology": topology})
    return Follower(Cluster(scenario, LedgerStorage(), keep=100_000))


def publisher(tx: int, **more: Any) -> dict[str, Any]:
    return {
        "do": "set_publisher", "name": "p1", "rate_per_s": 100, "size_bytes": 5000, "persistent": True, "tx": tx, **more
    }  # fmt: skip


def all_of(follower: Follower, kind: type[Transition]) -> list[Any]:
    rows = follower.node.log.since(0)
    assert rows is not None
    return [each for each in rows.rows if type(each) is kind]


def actor(follower: Follower) -> dict[str, Any]:
    found: dict[str, Any] = follower.node.snapshot()["node"]["actors"]["p1"]
    return found


def test_messages_are_held_until_the_commit() -> None:
    """D12, D13: nothing reaches the queue before; then all of it, and no confirms of single messages."""
    follower = follow()
    follower.submit(publisher(7))
    follower.advance(65_000)
    assert follower.node.queues["orders"].depth == 0
    assert actor(follower)["tx_held"] == 6
    follower.advance(10_000)
    assert follower.node.queues["orders"].depth == 7
    assert [(t.count, t.why["commits"]) for t in all_of(follower, Committed)] == [(7, 1)]
    assert not all_of(follower, ConfirmsSent)


def test_what_is_held_is_lost_with_the_channel() -> None:
    """D14."""
    follower = follow()
    follower.submit(publisher(50))
    follower.advance(205_000)
    follower.submit({"do": "close_channel", "name": "p1"})
    assert actor(follower)["tx_held"] == 0
    follower.submit(publisher(50))
    follower.advance(495_000)
    assert follower.node.queues["orders"].depth == 0


def test_a_large_transaction_shares_its_syncs() -> None:
    """D15: one message for each commit is a round trip each; the client waits for the disk every time."""
    published = {}
    for tx in (1, 20):
        follower = follow(work_profile="hdd")
        follower.compare = False
        follower.submit(publisher(tx))
        follower.advance(3 * SECOND)
        published[tx] = (actor(follower)["published"], len(all_of(follower, StoreSynced)))
    assert published[1][0] < published[20][0]
    assert published[1][1] / published[1][0] > published[20][1] / published[20][0]


def test_a_commit_that_a_queue_refuses_closes_the_channel() -> None:
    """D13: 406, and it is not atomic: what fits stays."""
    follower = follow({"x-max-length": 3, "x-overflow": "reject-publish"})
    follower.submit(publisher(5))
    follower.advance(SECOND)
    [closed] = all_of(follower, ChannelClosed)
    assert (closed.actor, closed.code, closed.text) == (
        "p1",
        406,
        "PRECONDITION_FAILED - partial tx completion",
    )
    assert follower.node.queues["orders"].depth == 3
    assert not all_of(follower, Committed)


def test_confirms_and_transactions_exclude_each_other() -> None:
    """D12."""
    follower = follow()
    follower.submit(publisher(5, confirm=True))
    assert [t.code for t in all_of(follower, ChannelClosed)] == [406]
    assert actor(follower)["state"] == "stopped"


def test_a_channel_that_leaves_tx_mode_shows_that() -> None:
    """D12: and the fold of the transitions gives the same."""
    follower = Follower(Cluster(parse({"version": 1, "profile": "classroom"}), LedgerStorage(), keep=10_000))
    publisher = {"do": "set_publisher", "name": "c", "rate_per_s": 100, "size_bytes": 10}
    for tx, shown in ((4, (4, 1)), (0, (0, 0)), (3, (3, 1))):
        follower.submit({**publisher, "tx": tx})
        follower.advance(50_000)
        consumer = follower.node.snapshot()["node"]["actors"]["c"]
        assert (consumer["tx"], min(consumer["commits"], 1)) == shown


def test_a_commit_to_a_queue_that_was_deleted_fails_since_4_0() -> None:
    """W229: 4.x commits to the processes that were there when it was published; 3.x to whoever has the name."""
    for profile, texts in (
        ("4.3.6-classroom", ["PRECONDITION_FAILED - partial tx completion"]),
        ("classroom", []),
    ):
        topology = {"queues": [{"name": "orders"}]}
        follower = Follower(
            Cluster(
                parse({"version": 1, "profile": profile, "topology": topology}), LedgerStorage(), keep=100_000
            )
        )
        follower.submit(publisher(7))
        follower.advance(55_000)
        follower.submit({"do": "delete_queue", "name": "orders"})
        follower.submit({"do": "declare_queue", "name": "orders"})
        follower.advance(80_000)
        assert [each.text for each in all_of(follower, ChannelClosed)] == texts
