"""Random programs of commands on a whole node: fold, invariants, both storages, replay (promises 1-3)."""

from __future__ import annotations

import tempfile
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.broker.cluster import Cluster
from engine.broker.commands.client_commands import pack_expirations
from engine.broker.commands.scenario import ParsedScenario, parse
from engine.classic_v1.queue.queue import VariableQueue
from engine.storage.directory import DirectoryStorage
from engine.storage.ledger import LedgerStorage
from engine.values.errors import CommandError
from tests.helpers.following import Follower

SIZES = st.sampled_from([0, 16, 100, 900, 4092, 4093, 6144, 20_000])
PROFILES = st.sampled_from(["classroom", "classroom", "real", "articles"])

OVERRIDES = st.fixed_dictionaries(
    {},
    optional={
        "segment_entry_count": st.sampled_from([2, 4, 16]),
        "explicit_gc_run_operation_threshold": st.sampled_from([0, 3, 1000]),
        "msg_store_io_batch_size": st.sampled_from([1, 5]),
        "queue_index_embed_msgs_below": st.sampled_from([0, 50, 4096]),
        "queue_index_max_journal_entries": st.sampled_from([10, 100]),
        "msg_store_credit_disc_bound": st.sampled_from([[4, 2], [40, 8]]),
        "msg_store_file_size_limit": st.sampled_from([20_000, 64 * 1024]),
        "write_buffer_bytes": st.sampled_from([0, 5000]),
        "queue_durable": st.booleans(),
        "max_messages": st.sampled_from([60, 500]),
        "work_profile": st.sampled_from(["instant", "measured-vm", "hdd"]),
        "credit_flow_default_credit": st.sampled_from([[4, 2], [400, 200]]),
        "disk_total_bytes": st.sampled_from([200_000, 50_100_000]),
    },
)


EXCHANGES = st.sampled_from(["", "", "", "x", "missing"])
ARGUMENTS = st.sampled_from(
    [
        {},
        {},
        {"x-max-length": 7},
        {"x-max-length": 5, "x-overflow": "reject-publish"},
        {"x-max-length-bytes": 3000, "x-dead-letter-exchange": "x"},
        {"x-message-ttl": 60, "x-dead-letter-exchange": "", "x-dead-letter-routing-key": "orders"},
        {"x-message-ttl": 0},
        {"x-expires": 400},
        {"x-queue-mode": "lazy"},
        {"x-queue-version": 2},
        {"x-queue-version": 2, "x-queue-mode": "lazy"},
    ]
)
POLICIES = st.sampled_from(
    [
        {"max-length": 9},
        {"max-length": 9, "overflow": "reject-publish-dlx", "dead-letter-exchange": "x"},
        {"message-ttl": 500},
        {"message-ttl": 0, "dead-letter-exchange": ""},
        {"queue-mode": "lazy"},
        {"queue-version": 2},
        {"queue-version": 1},
        {"dead-letter-exchange": "x", "dead-letter-routing-key": "third"},
    ]
)


def with_expirations(expirations: list[int | None], **more: Any) -> dict[str, Any]:
    """Return the command that publishes messages which expire at times of their own."""
    return {
        "do": "publish",
        "count": len(expirations),
        "expirations": pack_expirations(expirations),
        **more,
    }


def commands() -> st.SearchStrategy[dict[str, Any]]:
    count = st.integers(1, 60)
    queue = st.sampled_from(["orders", "orders", "orders", "other", "third"])
    name = st.sampled_from(["a", "b", "c", "d"])
    verb = st.fixed_dictionaries
    just = st.just
    return st.one_of(
        verb(
            {
                "do": just("publish"),
                "count": count,
                "size_bytes": SIZES,
                "persistent": st.booleans(),
                "confirm": st.booleans(),
                "routing_key": queue,
                "exchange": EXCHANGES,
                "expiration_ms": st.sampled_from([None, None, 0, 40, 700]),
                "mandatory": st.booleans(),
            }
        ),
        st.builds(
            with_expirations,
            st.lists(st.sampled_from([None, 0, 40, 700]), min_size=1, max_size=60),
            size_bytes=SIZES,
            persistent=st.booleans(),
            confirm=st.booleans(),
            routing_key=queue,
            exchange=EXCHANGES,
        ),
        verb(
            {
                "do": just("set_publisher"),
                "name": name,
                "rate_per_s": st.sampled_from([1, 30, 500]),
                "tx": st.sampled_from([0, 0, 4]),
                "size_bytes": SIZES,
                "persistent": st.booleans(),
                "confirm": st.booleans(),
                "running": st.sampled_from([True, True, False]),
                "routing_key": queue,
                "exchange": EXCHANGES,
            }
        ),
        verb(
            {
                "do": just("set_consumer"),
                "name": name,
                "rate_per_s": st.sampled_from([1, 40, 700]),
                "prefetch": st.sampled_from([0, 1, 3, 20]),
                "ack": st.sampled_from(["each", "multiple", "auto", "manual"]),
                "running": st.sampled_from([True, True, False]),
                "queue": queue,
                "priority": st.sampled_from([0, 0, 5]),
                "channel_prefetch": st.sampled_from([0, 0, 2]),
                "tick_ms": st.sampled_from([10, 10, 70]),
            }
        ),
        verb({"do": just("remove"), "name": name}),
        verb({"do": just("get"), "count": st.integers(1, 20), "ack": st.booleans(), "queue": queue}),
        verb({"do": just("ack"), "count": st.integers(1, 6), "multiple": st.booleans()}),
        verb({"do": just("requeue"), "count": st.integers(1, 6)}),
        verb({"do": just("purge"), "queue": queue}),
        verb(
            {
                "do": just("set"),
                "name": just("target_ram_count"),
                "value": st.sampled_from([0, 2, 9, None]),
                "queue": queue,
            }
        ),
        verb(
            {
                "do": just("set"),
                "name": just("queue_mode"),
                "value": st.sampled_from(["lazy", "default"]),
                "queue": queue,
            }
        ),
        verb({"do": just("set"), "name": just("ram_bytes"), "value": st.sampled_from([2**19, 2**20, 2**22])}),
        verb(
            {
                "do": just("declare_queue"),
                "name": queue,
                "durable": st.booleans(),
                "auto_delete": st.sampled_from([False, False, True]),
                "exclusive": st.sampled_from([False, False, True]),
                "arguments": ARGUMENTS,
            }
        ),
        verb({"do": just("delete_queue"), "name": queue, "if_empty": st.booleans()}),
        verb({"do": just("set_policy"), "name": just("all"), "pattern": just("."), "definition": POLICIES}),
        verb({"do": just("clear_policy"), "name": just("all")}),
        verb(
            {
                "do": just("declare_exchange"),
                "name": just("x"),
                "type": st.sampled_from(["fanout", "topic"]),
                "durable": st.booleans(),
            }
        ),
        verb({"do": just("delete_exchange"), "name": just("x")}),
        verb({"do": st.sampled_from(["bind", "bind", "unbind"]), "exchange": just("x"), "queue": queue}),
        verb({"do": just("cancel"), "name": name}),
        verb({"do": just("close_channel"), "name": st.sampled_from(["a", "b", "hand", "burst"])}),
        verb(
            {
                "do": just("nack"),
                "count": st.integers(1, 6),
                "multiple": st.booleans(),
                "requeue": st.booleans(),
            }
        ),
        verb({"do": just("ack_tag"), "tag": st.integers(0, 9), "multiple": st.booleans()}),
        verb({"do": just("kill_queue"), "queue": queue}),
        verb({"do": st.sampled_from(["stop_app", "start_app", "start_app"])}),
        verb({"do": just("set"), "name": just("work_profile"), "value": st.sampled_from(["instant", "ssd"])}),
        verb(
            {
                "do": just("set"),
                "name": just("disk_free_limit"),
                "value": st.sampled_from([0, 150_000, 10**9]),
            }
        ),
        verb({"do": just("restart"), "kind": st.sampled_from(["clean", "kill", "power"])}),
    )


PAUSES = st.sampled_from([0, 0, 1, 7_000, 120_000, 900_000, 3_000_000, 5_700_000])
PROGRAMS = st.lists(st.tuples(commands(), PAUSES), max_size=25)


def scenario_of(profile: str, overrides: dict[str, Any]) -> ParsedScenario:
    return parse({"version": 1, "profile": profile, "settings": overrides})


def follow(profile: str, overrides: dict[str, Any], program: list[tuple[dict[str, Any], int]]) -> None:
    """Hold the fold to the snapshot after every event of a program."""
    follower = Follower(Cluster(scenario_of(profile, overrides), LedgerStorage(), keep=1_000_000))
    for command, pause_us in program:
        follower.submit(command)
        follower.advance(pause_us)
        follower.node.verify()


@settings(max_examples=60, deadline=None)
@given(PROFILES, OVERRIDES, PROGRAMS)
def test_fold_equals_snapshot_after_every_event(
    profile: str, overrides: dict[str, Any], program: list[tuple[dict[str, Any], int]]
) -> None:
    follow(profile, overrides, program)


@pytest.mark.soak
@settings(max_examples=5000, deadline=None)
@given(PROFILES, OVERRIDES, PROGRAMS)
def test_fold_equals_snapshot_in_many_programs(
    profile: str, overrides: dict[str, Any], program: list[tuple[dict[str, Any], int]]
) -> None:
    follow(profile, overrides, program)


def test_a_connection_that_was_blocked_shows_flow_for_five_seconds() -> None:
    """Nothing else may happen when they are over."""
    settings = {"work_profile": "measured-vm", "credit_flow_default_credit": [4, 2]}
    follow("real", settings, [({"do": "publish", "count": 8, "size_bytes": 0}, 5_700_000)])


TOPOLOGY = {
    "queues": [
        {"name": "orders", "arguments": {"x-max-length": 12, "x-dead-letter-exchange": "x"}},
        {
            "name": "other",
            "durable": False,
            "arguments": {"x-message-ttl": 300, "x-dead-letter-exchange": "x"},
        },
        {"name": "third", "arguments": {"x-queue-mode": "lazy"}},
    ],
    "exchanges": [{"name": "x", "type": "fanout"}],
    "bindings": [{"exchange": "x", "queue": name} for name in ("orders", "other", "third")],
}


@settings(max_examples=30, deadline=None)
@given(PROFILES, OVERRIDES, PROGRAMS)
def test_queues_that_feed_each_other_fold_and_replay(
    profile: str, overrides: dict[str, Any], program: list[tuple[dict[str, Any], int]]
) -> None:
    scenario = {"version": 1, "profile": profile, "settings": overrides, "topology": TOPOLOGY}
    follower = Follower(Cluster(parse(scenario), LedgerStorage(), keep=1_000_000))
    for command, pause_us in program:
        follower.submit(command)
        follower.advance(pause_us)
        follower.node.verify()
    replayed = Cluster(parse(follower.node.scenario_so_far().encode()), LedgerStorage())
    assert replayed.run() == follower.node.log.digest
    assert not replayed.refused


@settings(max_examples=40, deadline=None)
@given(PROFILES, OVERRIDES, PROGRAMS)
def test_storages_and_replay_agree(
    profile: str, overrides: dict[str, Any], program: list[tuple[dict[str, Any], int]]
) -> None:
    with tempfile.TemporaryDirectory() as root:
        ledger = Cluster(scenario_of(profile, overrides), LedgerStorage())
        real = Cluster(scenario_of(profile, overrides), DirectoryStorage(root, fsync=False))
        for command, pause_us in program:
            accepted = [submit(node, command) for node in (ledger, real)]
            assert accepted[0] == accepted[1]
            ledger.advance(ledger.now_us + pause_us)
            # Cutting time differently must not matter.
            for _ in range(3):
                real.advance(real.now_us + pause_us // 3)
            real.advance(ledger.now_us)
            assert ledger.log.number == real.log.number
            assert ledger.log.digest == real.log.digest
            assert files_of(ledger) == files_of(real)
            real.verify()
        replayed = Cluster(parse(ledger.scenario_so_far().encode()), LedgerStorage())
        assert replayed.run() == ledger.log.digest
        assert not replayed.refused
        assert replayed.snapshot() == ledger.snapshot()


@settings(max_examples=40, deadline=None)
@given(PROFILES, OVERRIDES, PROGRAMS)
def test_passes_that_are_left_out_have_no_effect(
    profile: str, overrides: dict[str, Any], program: list[tuple[dict[str, Any], int]]
) -> None:
    """P10's take and put-back after each fetch is left out where it changes nothing (Q36)."""
    usual = Cluster(scenario_of(profile, overrides), LedgerStorage())
    thorough = Cluster(scenario_of(profile, overrides), LedgerStorage())
    for command, pause_us in program:
        accepted = submit(usual, command)
        usual.advance(usual.now_us + pause_us)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(VariableQueue, "head_stays", lambda queue: False)
            assert submit(thorough, command) == accepted
            thorough.advance(thorough.now_us + pause_us)
        assert usual.snapshot() == thorough.snapshot()


def submit(node: Cluster, command: dict[str, Any]) -> bool:
    """Give a command; return whether it was accepted."""
    try:
        node.submit(command)
    except CommandError:
        return False
    return True


def files_of(node: Cluster) -> dict[str, int | None]:
    """Return the size of every file below the virtual host."""
    root = node.host.root
    directories = [
        root,
        *(node.host.hosted(name).directory for name in node.host.names()),
        f"{root}/msg_store_persistent",
        f"{root}/msg_store_transient",
    ]
    return {
        f"{directory}/{name}": node.storage.size(f"{directory}/{name}")
        for directory in directories
        for name in node.storage.list(directory)
    }
