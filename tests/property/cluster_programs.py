"""Random programs for a cluster: clients, operators and mishaps on three nodes."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

Program = list[tuple[dict[str, Any], int]]

NODES = st.sampled_from(("n1", "n2", "n3"))
QUEUES = st.sampled_from(("orders", "orders", "b"))
MANUAL_OR_NOT = st.sampled_from(("manual", "automatic"))
WHEN = st.sampled_from(("always", "when-synced"))


def _command(do: str, **words: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({"do": st.just(do), **words})


MIRRORING = st.one_of(
    st.fixed_dictionaries(
        {
            "ha-mode": st.just("all"),
            "ha-sync-mode": MANUAL_OR_NOT,
            "ha-sync-batch-size": st.sampled_from((1, 2, 3, 4096)),
            "ha-promote-on-failure": WHEN,
            "ha-promote-on-shutdown": WHEN,
        }
    ),
    st.fixed_dictionaries(
        {"ha-mode": st.just("exactly"), "ha-params": st.integers(1, 4), "ha-sync-mode": MANUAL_OR_NOT}
    ),
    st.fixed_dictionaries(
        {
            "ha-mode": st.just("nodes"),
            "ha-params": st.lists(
                st.sampled_from(("n1", "n2", "n3", "n9")), min_size=1, max_size=3, unique=True
            ),
            "ha-sync-mode": MANUAL_OR_NOT,
        }
    ),
)

ARGUMENTS = st.sampled_from(
    (
        {},
        {"x-max-length": 5},
        {"x-message-ttl": 500},
        {"x-queue-mode": "lazy"},
        {"x-max-length": 3, "x-overflow": "reject-publish"},
        {"x-queue-master-locator": "min-masters"},
    )
)

COMMANDS = st.one_of(
    _command(
        "publish",
        count=st.integers(1, 9),
        size_bytes=st.sampled_from((10, 5000)),
        persistent=st.booleans(),
        confirm=st.booleans(),
        routing_key=QUEUES,
    ),
    _command("get", count=st.integers(1, 5), queue=QUEUES, ack=st.booleans()),
    _command("ack", count=st.integers(1, 3)),
    _command("requeue", count=st.integers(1, 3)),
    _command("purge", queue=QUEUES),
    _command(
        "set_consumer",
        name=st.sampled_from(("c1", "c2")),
        rate_per_s=st.sampled_from((1, 50)),
        prefetch=st.integers(0, 4),
        queue=QUEUES,
        ack=st.sampled_from(("each", "multiple", "auto")),
        cancel_on_failover=st.booleans(),
    ),
    _command("connect", name=st.sampled_from(("c1", "c2")), node=NODES),
    _command("kill_node", node=NODES),
    _command("stop_node", node=NODES),
    _command("start_node", node=NODES),
    _command("start_node", node=NODES),
    _command("set_policy", name=st.just("ha"), pattern=st.sampled_from((".*", "^b")), definition=MIRRORING),
    _command("set_policy", name=st.just("ha"), pattern=st.just(".*"), definition=MIRRORING),
    _command("clear_policy", name=st.just("ha")),
    _command("sync_queue", queue=QUEUES),
    _command("cancel_sync_queue", queue=QUEUES),
    _command("move_master", queue=QUEUES, node=NODES),
    _command("freeze", queue=QUEUES, node=NODES, what=st.sampled_from(("queue", "gm"))),
    _command("thaw", queue=QUEUES, node=NODES),
    _command("kill_queue", queue=QUEUES, node=NODES),
    _command("declare_queue", name=st.just("b"), durable=st.booleans(), arguments=ARGUMENTS),
    _command("delete_queue", name=st.just("b"), channel=st.just("x")),
)

PROGRAMS: st.SearchStrategy[Program] = st.lists(
    st.tuples(COMMANDS, st.sampled_from((0, 0, 1000, 300_000, 2_000_000))), min_size=8, max_size=25
)
