"""Lines of rabbitmqctl on a node: what they change is replayed from the log, what they ask changes nothing."""

from __future__ import annotations

import pytest

from engine.broker.cluster import Cluster
from engine.broker.commands.scenario import parse
from engine.ctl.console import ask_node, operated
from engine.storage.ledger import LedgerStorage
from engine.values.errors import CommandError
from tests.helpers.following import Follower


def node() -> Cluster:
    return operated(parse({"version": 1, "profile": "classroom", "until_us": 1_000_000}), LedgerStorage())


def ctl(made: Cluster, line: str) -> None:
    made.submit({"do": "ctl", "line": line})


def test_a_policy_set_by_a_line_is_obeyed_listed_and_cleared() -> None:
    made = node()
    ctl(made, "rabbitmqctl set_policy short '^or' '{\"max-length\":2}' --apply-to queues --priority 1")
    made.submit({"do": "publish", "count": 5, "size_bytes": 10})
    assert ask_node(made, "-s list_queues name messages policy").text == "orders\t2\tshort\n"
    assert ask_node(made, "-s list_policies").text == '/\tshort\t^or\tqueues\t{"max-length":2}\t1\n'
    ctl(made, "clear_policy short")
    assert ask_node(made, "-q list_policies").text == "\n"


def test_what_a_line_does_is_replayed_as_it_was_typed() -> None:
    made = node()
    made.advance(1000)
    ctl(made, "set_vm_memory_high_watermark 0.25")
    ctl(made, "delete_queue orders")
    so_far = made.scenario_so_far()
    assert [command.command.line for command in so_far.commands] == [
        "set_vm_memory_high_watermark 0.25",
        "delete_queue orders",
    ]
    again = operated(so_far, LedgerStorage())
    assert again.run() == made.log.digest
    assert made.snapshot()["node"]["settings"]["vm_memory_high_watermark"] == 0.25
    assert not made.snapshot()["queues"]


def test_a_stopped_broker_has_its_files_and_nothing_else() -> None:
    follower = Follower(node())
    made = follower.node
    follower.submit({"do": "publish", "count": 4, "size_bytes": 6000, "persistent": True, "confirm": True})
    follower.submit({"do": "publish", "count": 3, "size_bytes": 6000})
    follower.submit({"do": "set_consumer", "name": "c1", "prefetch": 1, "ack": "each"})
    follower.advance(50_000)
    follower.submit({"do": "ctl", "line": "rabbitmqctl stop_app"})
    state = made.snapshot()
    assert (state["queues"], state["stores"], state["node"]["app"]) == ({}, {}, {"runs": False})
    assert ask_node(made, "list_queues").text.startswith(
        "Error: this command requires the 'rabbit' app to be running"
    )
    assert not follower.submit({"do": "publish", "count": 1, "size_bytes": 10})
    assert "start_app" in follower.refused[-1]
    follower.submit({"do": "stop_app"})
    follower.advance(20_000_000)
    follower.submit({"do": "ctl", "line": "start_app"})
    assert made.snapshot()["node"]["app"] == {"runs": True}
    assert ask_node(made, "-s list_queues name messages").text == "orders\t4\n"
    follower.submit({"do": "publish", "count": 1, "size_bytes": 10})
    made.verify()


def test_asking_changes_nothing() -> None:
    made = node()
    digest = made.log.digest
    for line in (
        "list_queues name backing_queue_status",
        "status",
        "purge_queue orders",
        "stop_app",
        "nonsense",
    ):
        assert ask_node(made, line).text
    assert made.log.digest == digest


@pytest.mark.parametrize("line", ["list_queues", "purge_queue nothing", "set_disk_free_limit x", ""])
def test_a_line_that_cannot_be_done_changes_nothing(line: str) -> None:
    made = node()
    digest = made.log.digest
    with pytest.raises(CommandError):
        ctl(made, line)
    assert made.log.digest == digest


def test_connections_show_what_alarms_do_to_them() -> None:
    made = node()
    made.submit({"do": "set_publisher", "name": "p1", "rate_per_s": 100, "size_bytes": 100})
    made.submit({"do": "set_consumer", "name": "c1", "prefetch": 1, "ack": "each", "rate_per_s": 1})
    made.advance(100_000)
    assert ask_node(made, "-s list_connections state").text == "running\nrunning\n"
    ctl(made, "set_vm_memory_high_watermark absolute 1000")
    made.advance(1_000_000)
    assert ask_node(made, "-s list_connections state").text == "blocked\nblocking\n"
    assert "Memory alarm on node rabbit@waterline" in ask_node(made, "status").text
    assert ask_node(made, "-s list_consumers consumer_tag").text == "c1\n"
    made.submit({"do": "cancel", "name": "c1"})
    assert ask_node(made, "-s list_queues name consumers").text == "orders\t0\n"
    made.submit({"do": "close_channel", "name": "c1"})
    made.advance(2_000_000)
    assert ask_node(made, "-s list_consumers consumer_tag").text == ""
    assert ask_node(made, "-s list_connections channels").text == "1\n0\n"


def test_a_transaction_is_seen_in_list_channels() -> None:
    """D12: what waits for tx.commit is listed, publishes and acknowledgements apart; channels share a connection."""
    made = node()
    made.submit({"do": "publish", "count": 3, "size_bytes": 100})
    made.submit({"do": "get", "count": 2, "channel": "app.work"})
    made.submit({"do": "tx_select", "channel": "app.work"})
    made.submit({"do": "publish", "count": 5, "size_bytes": 100, "channel": "app.work"})
    made.submit({"do": "ack", "count": 1, "multiple": False, "channel": "app.work"})
    made.submit({"do": "get", "count": 1, "channel": "app.other"})
    line = "-s list_channels number transactional messages_uncommitted acks_uncommitted"
    assert ask_node(made, line).text.splitlines()[1:] == ["1\ttrue\t5\t1", "2\tfalse\t0\t0"]
    assert ask_node(made, "-s list_connections channels").text.splitlines()[1:] == ["2"]
    made.submit({"do": "tx_commit", "channel": "app.work"})
    assert ask_node(made, line).text.splitlines()[1:] == ["1\ttrue\t0\t0", "2\tfalse\t0\t0"]
    made.submit({"do": "set_publisher", "name": "p1", "rate_per_s": 100, "size_bytes": 10, "tx": 50})
    made.advance(made.now_us + 200_000)
    assert ask_node(made, line).text.splitlines()[1].startswith("1\ttrue\t2")
