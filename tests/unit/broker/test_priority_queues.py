"""A queue with x-max-priority is queues behind one (P20): order, tags, what is shown of it, and its files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine.broker.cluster import Cluster
from engine.broker.commands.scenario import parse
from engine.ctl.console import ask_node, operated
from engine.formats.names import queue_directory
from engine.reading.message_places import declared, drawn_queue, held_messages, parts_of, ready_of, unacked_of
from engine.storage.directory import DirectoryStorage
from engine.storage.ledger import LedgerStorage
from engine.values.errors import CommandError
from engine.values.sizes import equal
from tests.helpers.following import Follower


def node(highest: int = 3, compare: bool = True, **settings: Any) -> Follower:
    scenario = {"version": 1, "profile": "classroom", "topology": {}, "settings": settings}
    made = Follower(Cluster(parse(scenario), LedgerStorage(), keep=100_000), compare)
    made.submit({"do": "declare_queue", "name": "tasks", "arguments": {"x-max-priority": highest}})
    return made


def publish(made: Follower, *priorities: int | None, **words: Any) -> None:
    """Publish a message of each priority; it is recognised by its size."""
    for size, priority in enumerate(priorities, start=1):
        properties = {} if priority is None else {"properties": {"priority": priority}}
        command = {
            "do": "publish",
            "count": 1,
            "size_bytes": size,
            "routing_key": "tasks",
            **properties,
            **words,
        }
        assert made.submit(command)


def got(made: Follower, count: int) -> list[int]:
    """Take messages by hand; return their sizes in the order of delivery."""
    sizes: list[int] = []
    made.node.consumers.observe(lambda seen: sizes.extend([equal(seen.extent.size_bytes)] * seen.count))
    assert made.submit({"do": "get", "queue": "tasks", "count": count})
    made.check()
    made.node.verify()
    return sizes


def lengths(made: Follower) -> list[int]:
    """Return the ready messages of each part, the highest priority first."""
    return [ready_of(part) for part in parts_of(made.node.snapshot(), "tasks").values()]


def test_the_highest_priority_goes_first_and_one_that_is_too_high_is_the_highest() -> None:
    """A message goes to the part of its priority; the highest part that has messages is served (P20)."""
    made = node()
    publish(made, None, 2, 0, 200, 3, 2)
    assert lengths(made) == [2, 2, 0, 2]
    assert got(made, 6) == [4, 5, 2, 6, 1, 3]


def test_what_is_put_back_lies_in_its_own_priority_again() -> None:
    made = node()
    publish(made, 1, 3, 1, 3)
    assert got(made, 4) == [2, 4, 1, 3]
    assert lengths(made) == [0, 0, 0, 0]
    assert made.submit({"do": "nack", "count": 3, "multiple": True})
    assert made.submit({"do": "ack", "count": 1})
    assert lengths(made) == [2, 0, 1, 0]
    assert got(made, 3) == [2, 4, 1]


def test_a_lower_priority_expires_once_the_higher_ones_are_empty() -> None:
    made = node()
    publish(made, 0, expiration_ms=100)
    publish(made, 1)
    made.advance(1_000_000)
    assert lengths(made) == [0, 0, 1, 1]
    assert got(made, 2) == [1]
    assert lengths(made) == [0, 0, 0, 0]


def test_too_long_drops_the_head_of_the_highest_priority() -> None:
    made = node()
    made.submit({"do": "set_policy", "name": "p", "pattern": ".*", "definition": {"max-length": 2}})
    publish(made, 0, 2, 0, 1)
    assert got(made, 2) == [1, 3]


def test_the_whole_adds_up_and_the_lists_show_one_queue() -> None:
    made = Follower(
        operated(parse({"version": 1, "profile": "classroom", "topology": {}}), LedgerStorage(), 100_000)
    )
    made.submit({"do": "declare_queue", "name": "tasks", "arguments": {"x-max-priority": 2}})
    publish(made, 0, 2, 2)
    assert got(made, 1) == [2]
    state = made.node.snapshot()
    assert list(state["queues"]) == ["tasks", "tasks:0", "tasks:1", "tasks:2"]
    assert list(declared(state)) == ["tasks"]
    assert (ready_of(state["queues"]["tasks"]), unacked_of(state["queues"]["tasks"])) == (2, 1)
    assert held_messages(state) == made.node.held_messages() == 3
    assert drawn_queue(state) == state["queues"]["tasks:2"]
    text = ask_node(
        made.node, "-q list_queues name messages_ready messages_unacknowledged backing_queue_status"
    ).text
    row = text.splitlines()[-1].split("\t")
    assert row[:3] == ["tasks", "2", "1"]
    assert row[3].startswith("[{priority_lengths,[{0,1},{1,0},{2,1}]},{mode,default},{version,3},{q1,0}")
    assert "{delta,{delta,todo,todo,todo,todo}}" in row[3]
    assert "{len,2},{target_ram_count,infinity},{next_seq_id,3}" in row[3]


@pytest.mark.parametrize("kind", ["clean", "kill", "power"])
def test_persistent_messages_come_back_in_their_priorities(kind: str) -> None:
    made = node()
    publish(made, 0, 3, 1, 3, persistent=True, confirm=True)
    publish(made, 2)
    assert made.submit({"do": "restart", "kind": kind})
    assert lengths(made) == [2, 0, 1, 1]
    assert got(made, 4) == [2, 4, 3, 1]


def test_a_crash_of_the_process_starts_every_part_again() -> None:
    made = node()
    publish(made, 0, 3, persistent=True, confirm=True)
    assert made.submit({"do": "kill_queue", "queue": "tasks"})
    assert got(made, 2) == [2, 1]
    assert made.submit({"do": "delete_queue", "name": "tasks"})
    made.check()
    assert made.node.snapshot()["queues"] == {}


def test_it_pages_and_turns_lazy_part_by_part() -> None:
    made = node()
    for priority in (0, 3):
        made.submit(
            {
                "do": "publish",
                "count": 40,
                "size_bytes": 6000,
                "routing_key": "tasks",
                "properties": {"priority": priority},
            }
        )
    assert made.submit({"do": "set", "name": "queue_mode", "value": "lazy", "queue": "tasks"})
    made.check()
    made.node.verify()
    state = made.node.snapshot()["queues"]
    assert {queue["mode"] for queue in state.values()} == {"lazy"}
    assert [state[f"tasks:{number}"]["counters"]["ram_msg_count"] for number in (0, 3)] == [0, 0]
    assert sum(got(made, 80)) == 480_000


def test_it_lives_where_work_takes_time() -> None:
    made = node(compare=False, work_profile="measured-vm")
    consumer = {"do": "set_consumer", "name": "c1", "queue": "tasks", "rate_per_s": 200, "prefetch": 10}
    assert made.submit(consumer)
    for name, priority in (("low", 0), ("high", 2)):
        publisher = {"do": "set_publisher", "name": name, "rate_per_s": 150, "size_bytes": 50}
        more = {
            "routing_key": "tasks",
            "properties": {"priority": priority},
            "persistent": True,
            "confirm": True,
        }
        assert made.submit({**publisher, **more})
    made.advance(1_000_000)
    made.check()
    assert lengths(made) == [0, 0, 0, 90]
    for name in ("low", "high"):
        assert made.submit({"do": "remove", "name": name})
    made.advance(2_000_000)
    made.check()
    made.node.verify()
    assert ready_of(made.node.snapshot()["queues"]["tasks"]) == 0


def test_each_priority_has_the_brokers_directory(tmp_path: Path) -> None:
    made = Cluster(
        parse({"version": 1, "profile": "classroom", "topology": {}}), DirectoryStorage(str(tmp_path))
    )
    made.submit({"do": "declare_queue", "name": "tasks", "arguments": {"x-max-priority": 1}})
    for priority in (0, 1):
        made.submit(
            {
                "do": "publish",
                "count": 1,
                "size_bytes": 10,
                "routing_key": "tasks",
                "persistent": True,
                "confirm": True,
                "properties": {"priority": priority},
            }
        )
    stubs = {path.parent.name: path.read_bytes() for path in tmp_path.rglob(".queue_name")}
    assert stubs == {
        queue_directory("/", b"tasks\0\0"): b"VHOST: /\nQUEUE: tasks\0\0\n",
        queue_directory("/", b"tasks\0\1"): b"VHOST: /\nQUEUE: tasks\0\1\n",
    }


def test_there_is_a_bound_of_all_priorities_together() -> None:
    made = node(50)
    for highest in (77, 255):
        with pytest.raises(CommandError, match="x-max-priority is at most 76"):
            made.node.submit({"do": "declare_queue", "name": "q", "arguments": {"x-max-priority": highest}})
    assert made.submit({"do": "declare_queue", "name": "q", "arguments": {"x-max-priority": 76}})
