"""What leaves a queue without a consumer: TTL, length limits, dead letters, and policies that change them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.broker.cluster import Cluster
from engine.broker.commands.scenario import parse
from engine.broker.queues.queues import MORE_HOPS
from engine.classic_v1.queue.queue import VariableQueue
from engine.report.transitions.base import Transition
from engine.report.transitions.node import ConfirmsSent, DeadLettered, NacksSent, Rejected
from engine.report.transitions.queue import Dropped
from engine.storage.ledger import LedgerStorage
from engine.values.errors import CommandError
from tests.helpers.following import Follower

SECOND = 1_000_000


def follow(arguments: dict[str, Any], profile: str = "classroom", **queues: dict[str, Any]) -> Follower:
    """Follow a node with a queue `work` of these arguments, and a queue `dead`; more queues by name."""
    named = {"work": arguments, "dead": {}, **queues}
    topology = {"queues": [{"name": name, "arguments": each} for name, each in named.items()]}
    scenario = parse({"version": 1, "profile": profile, "topology": topology})
    return Follower(Cluster(scenario, LedgerStorage(), keep=100_000))


def burst(count: int, size_bytes: int = 100, **more: Any) -> dict[str, Any]:
    return {"do": "publish", "count": count, "size_bytes": size_bytes, "routing_key": "work", **more}


def all_of(follower: Follower, kind: type[Transition]) -> list[Any]:
    rows = follower.node.log.since(0)
    assert rows is not None
    return [each for each in rows.rows if type(each) is kind]


def ready(follower: Follower, name: str = "work") -> int:
    return follower.node.queues[name].depth


TO_DEAD = {"x-dead-letter-exchange": "", "x-dead-letter-routing-key": "dead"}


# --- TTL -------------------------------------------------------------------------------------------------------------


def test_messages_expire_at_the_head() -> None:
    """P8, P9: the smaller of queue and message; the timer fires when the head is due."""
    follower = follow({"x-message-ttl": 500})
    follower.submit(burst(3))
    follower.submit(burst(2, expiration_ms=200))
    assert follower.node.snapshot()["queues"]["work"]["ttl_at_us"] == 500_000
    follower.advance(499_000)
    assert ready(follower) == 5, "the two that are over lie behind others"
    follower.advance(1000)
    assert ready(follower) == 0
    assert {t.why["cause"] for t in all_of(follower, Dropped)} == {"expired"}


def test_a_message_behind_a_longer_one_stays_and_is_not_delivered() -> None:
    """P9, P10: it goes as soon as it is the head."""
    follower = follow({})
    follower.submit(burst(1))
    follower.submit(burst(3, expiration_ms=100))
    follower.submit(burst(1))
    follower.advance(SECOND)
    assert ready(follower) == 5
    follower.submit({"do": "get", "count": 2, "queue": "work"})
    assert follower.node.consumers.hand.delivered == 2
    assert ready(follower) == 0


def test_ttl_zero_is_for_waiting_consumers_only() -> None:
    """P8.4: delivered at once or gone; confirmed either way."""
    follower = follow({"x-message-ttl": 0})
    follower.submit({"do": "set_consumer", "name": "c1", "queue": "work", "prefetch": 2})
    follower.submit(burst(5, persistent=True, confirm=True))
    assert ready(follower) == 0
    follower.advance(SECOND)
    assert sum(t.count for t in all_of(follower, ConfirmsSent)) == 5
    assert follower.node.snapshot()["node"]["actors"]["c1"]["delivered"] == 2


def test_expired_messages_are_gone_after_a_restart() -> None:
    """P9: their expiry is in the index."""
    follower = follow({"x-message-ttl": 2000})
    follower.submit(burst(4, persistent=True, confirm=True))
    follower.advance(SECOND)
    follower.submit({"do": "restart", "kind": "kill"})
    assert ready(follower) == 4
    follower.advance(SECOND)
    assert ready(follower) == 0


# --- length ----------------------------------------------------------------------------------------------------------


def test_a_full_queue_drops_its_head() -> None:
    """P8: the oldest, as many as are too many."""
    follower = follow({"x-max-length": 5})
    follower.submit(burst(12))
    state = follower.node.queues["work"].process.queue.state
    assert (state.len, state.q4.first.start) == (5, 7)
    follower.submit({"do": "get", "count": 2, "queue": "work"})
    follower.submit(burst(2))
    assert state.len == 5, "unacknowledged messages do not count"
    follower.submit({"do": "requeue", "count": 2})
    assert state.len == 5


def test_a_full_queue_drops_by_bytes() -> None:
    """P8."""
    follower = follow({"x-max-length-bytes": 1000})
    follower.submit(burst(4, 200))
    follower.submit(burst(1, 500))
    state = follower.node.queues["work"].process.queue.state
    assert (state.len, state.bytes) == (3, 900)
    follower.submit(burst(1, 5000))
    assert (state.len, state.bytes) == (0, 0)


def test_a_full_queue_can_refuse() -> None:
    """P8.1, K10: what fits is confirmed, the rest is nacked and never seen again."""
    follower = follow({"x-max-length": 5, "x-overflow": "reject-publish"})
    follower.submit(burst(8, confirm=True))
    follower.submit(burst(2, persistent=True, confirm=True))
    assert ready(follower) == 5
    assert [(t.queue, t.count) for t in all_of(follower, Rejected)] == [("work", 3), ("work", 2)]
    assert [t.count for t in all_of(follower, NacksSent)] == [3, 2]
    assert sum(t.count for t in all_of(follower, ConfirmsSent)) == 5
    assert follower.node.snapshot()["node"]["actors"]["burst"]["unconfirmed"] == 0


def test_refused_messages_can_be_dead_letters() -> None:
    """P8.1."""
    follower = follow({"x-max-length": 2, "x-overflow": "reject-publish-dlx", **TO_DEAD})
    follower.submit(burst(6))
    assert (ready(follower), ready(follower, "dead")) == (2, 4)
    assert [(t.reason, t.count) for t in all_of(follower, DeadLettered)] == [("maxlen", 4)]


# --- dead letters ----------------------------------------------------------------------------------------------------


def headers_in(follower: Follower, name: str) -> dict[str, Any]:
    state = follower.node.queues[name].process.queue.state
    first = (state.q4 or state.q3).first
    return follower.node.kinds.of(first.template).headers


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [({"x-message-ttl": 100}, "expired"), ({"x-max-length": 1}, "maxlen"), ({}, "rejected")],
)
def test_every_death_has_its_reason(arguments: dict[str, Any], reason: str) -> None:
    """P8, P9, P11: in x-death, with the exchange and key that it came with."""
    follower = follow({**arguments, **TO_DEAD})
    follower.submit(burst(2, headers={"a": 1}))
    if reason == "rejected":
        follower.submit({"do": "get", "count": 2, "queue": "work"})
        follower.submit({"do": "nack", "count": 2, "multiple": True, "requeue": False})
    follower.advance(SECOND)
    assert ready(follower, "dead") == (1 if reason == "maxlen" else 2)
    headers = headers_in(follower, "dead")
    assert headers["a"] == 1
    [death] = headers["x-death"]
    assert (death["reason"], death["queue"], death["count"]) == (reason, "work", 1)
    assert (death["exchange"], death["routing-keys"]) == ("", ["work"])


def test_dead_letters_survive_a_restart_with_their_headers() -> None:
    """S52: the property list is in the files."""
    follower = follow({"x-message-ttl": 100, **TO_DEAD})
    follower.submit(burst(2, persistent=True))
    follower.advance(SECOND)
    follower.submit({"do": "restart", "kind": "kill"})
    assert ready(follower, "dead") == 2
    follower.node.verify()
    assert headers_in(follower, "dead")["x-first-death-reason"] == "expired"


def test_a_cycle_without_a_reject_ends() -> None:
    """P9: as the broker does, a message that would come to a queue where it died the same way is dropped."""
    back = {"x-message-ttl": 100, "x-dead-letter-exchange": "", "x-dead-letter-routing-key": "work"}
    follower = follow({"x-message-ttl": 100, **TO_DEAD}, dead=back)
    follower.submit(burst(3))
    follower.advance(2 * SECOND)
    assert (ready(follower), ready(follower, "dead")) == (0, 0)
    assert [(t.queue, t.to) for t in all_of(follower, DeadLettered)] == [("work", ("dead",)), ("dead", ())]
    assert all_of(follower, DeadLettered)[1].why["cycling"] == 1


# --- policies --------------------------------------------------------------------------------------------------------


def policy(definition: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"do": "set_policy", "name": "p", "pattern": "^work$", "definition": definition, **more}


def test_a_policy_applies_at_once_and_gives_way_to_arguments() -> None:
    """P17: the smaller limit; queue-mode of the argument; nothing left when it is cleared."""
    follower = follow({"x-max-length": 8})
    follower.submit(burst(8))
    follower.submit(policy({"max-length": 3, "queue-mode": "lazy"}))
    shown = follower.node.snapshot()["queues"]["work"]
    assert (shown["policy"], shown["effective"]["max_length"], shown["mode"]) == ("p", 3, "lazy")
    assert ready(follower) == 3
    assert ready(follower, "dead") == 0
    follower.submit(policy({"max-length": 30}))
    follower.submit(burst(9))
    assert ready(follower) == 8
    assert follower.node.snapshot()["queues"]["work"]["mode"] == "lazy", "clearing leaves it lazy"
    follower.submit({"do": "clear_policy", "name": "p"})
    assert "policy" not in follower.node.snapshot()["queues"]["work"]
    follower.submit({"do": "restart", "kind": "clean"})
    assert follower.node.snapshot()["queues"]["work"]["mode"] == "default"


def test_the_argument_of_queue_mode_wins() -> None:
    """P17."""
    follower = follow({"x-queue-mode": "default"})
    follower.submit(policy({"queue-mode": "lazy"}))
    assert follower.node.snapshot()["queues"]["work"]["mode"] == "default"


# --- batches ---------------------------------------------------------------------------------------------------------

LIMITS = st.sampled_from(
    [
        {"x-max-length": 7},
        {"x-max-length": 7, "x-message-ttl": 300},
        {"x-max-length": 150, **TO_DEAD},
        {"x-max-length-bytes": 3000},
        {"x-max-length-bytes": 3000, "x-max-length": 12, **TO_DEAD},
        {"x-max-length": 40, "x-queue-mode": "lazy"},
    ]
)
STEPS = st.lists(
    st.one_of(
        st.fixed_dictionaries(
            {
                "do": st.just("publish"),
                "count": st.integers(1, 300),
                "size_bytes": st.sampled_from([0, 100, 100, 5000]),
                "persistent": st.booleans(),
                "confirm": st.booleans(),
                "routing_key": st.just("work"),
            }
        ),
        st.fixed_dictionaries(
            {"do": st.just("get"), "count": st.integers(1, 9), "ack": st.booleans(), "queue": st.just("work")}
        ),
        st.fixed_dictionaries(
            {
                "do": st.just("set"),
                "name": st.just("target_ram_count"),
                "value": st.sampled_from([0, 5, None]),
                "queue": st.just("work"),
            }
        ),
    ),
    max_size=8,
)


@settings(max_examples=25, deadline=None)
@given(LIMITS, STEPS, st.sampled_from(["classroom", "real"]))
def test_a_full_queue_takes_batches_as_it_takes_single_messages(
    arguments: dict[str, Any], steps: list[dict[str, Any]], profile: str
) -> None:
    """P8: jumping from one count at which something can happen to the next changes nothing."""
    batches, singles = (follow(arguments, profile).node for _ in range(2))
    for step in steps:
        for node in (batches, singles):
            with pytest.MonkeyPatch.context() as patch:
                if node is singles:
                    patch.setattr(VariableQueue, "steady", lambda queue, arrival, same_size: 1)
                try:
                    node.submit(step)
                except CommandError:
                    continue
                node.advance(node.now_us + 150_000)
        assert batches.snapshot() == singles.snapshot()


def test_a_large_burst_into_a_full_queue_costs_little() -> None:
    """Promise 6: a step is for many messages."""
    follower = follow({"x-max-length": 1000}, profile="real")
    follower.compare = False
    follower.submit(burst(50_000))
    assert ready(follower) == 1000
    assert follower.node.log.number < 8000


def test_stored_messages_die_with_what_they_carried() -> None:
    """S60: also after delta and a restart, which leave nothing of it in RAM."""
    follower = follow({"x-dead-letter-exchange": "amq.topic", "x-queue-mode": "lazy"})
    follower.submit({"do": "bind", "exchange": "amq.topic", "queue": "dead", "routing_key": "work"})
    follower.submit(burst(12, 6000, persistent=True, confirm=True, headers={"a": 1}))
    follower.advance(SECOND)
    follower.submit({"do": "restart", "kind": "kill"})
    follower.submit({"do": "set_policy", "name": "p", "pattern": "work", "definition": {"max-length": 2}})
    assert (ready(follower), ready(follower, "dead")) == (2, 10)
    assert headers_in(follower, "dead")["a"] == 1
    assert headers_in(follower, "dead")["x-death"][0]["routing-keys"] == ["work"]


@pytest.mark.parametrize(("size_bytes", "stored"), [(3595, False), (3596, True)])
def test_dead_letters_count_their_headers_for_embedding(size_bytes: int, stored: bool) -> None:
    """Q12, S57: x-death and three x-first-death-* and one more are 500 bytes, however long they are."""
    follower = follow({"x-max-length": 0, **TO_DEAD})
    follower.submit(burst(1, size_bytes, headers={"a": 1}))
    assert follower.node.queues["dead"].process.queue.state.q4.first.home_store is stored


EXPIRATIONS = st.lists(
    st.tuples(st.integers(1, 6), st.sampled_from([None, None, 50, 120, 400]), st.sampled_from([100, 5000])),
    min_size=1,
    max_size=8,
)


@settings(max_examples=60, deadline=None)
@given(EXPIRATIONS, st.sampled_from([0, 60_000, 130_000, 500_000]), st.integers(1, 12), st.booleans())
def test_many_gets_at_once_meet_the_same_expired_messages(
    bursts: list[tuple[int, int | None, int]], wait_us: int, count: int, paged: bool
) -> None:
    """P9, P10: a pass of drop_expired follows each fetch, so a batch stops where one would drop something."""
    together, one_by_one = (follow({}).node for _ in range(2))
    for node in (together, one_by_one):
        for number, expiration_ms, size_bytes in bursts:
            node.submit(burst(number, size_bytes, expiration_ms=expiration_ms))
        if paged:
            node.submit({"do": "set", "name": "target_ram_count", "value": 2, "queue": "work"})
        node.advance(wait_us)
    taken = [get(together, count)]
    taken.append(sum(get(one_by_one, 1) for _ in range(count)))
    assert taken[0] == taken[1]
    held = [[(e.start, e.count) for e in pending_of(node)] for node in (together, one_by_one)]
    assert held[0] == held[1]
    assert together.queues["work"].depth == one_by_one.queues["work"].depth


def get(node: Cluster, count: int) -> int:
    before = node.consumers.hand.delivered
    try:
        node.submit({"do": "get", "count": count, "queue": "work"})
    except CommandError:
        return 0
    return node.consumers.hand.delivered - before


def pending_of(node: Cluster) -> list[Any]:
    state = node.queues["work"].process.queue.state
    runs = [e for place in ("ram_pending", "disk_pending", "index_pending") for e in state.extents_of(place)]
    return sorted(
        (part for e in runs for part in (e.part(i, 1) for i in range(e.count))), key=lambda e: e.start
    )


@pytest.mark.parametrize("profile", ["real", "classroom"])
def test_a_message_that_goes_round_for_ever_ends_no_event(profile: str) -> None:
    """D16: a client's entry "rejected" hides the cycle; the run goes on, and the message with it."""
    around = {"x-dead-letter-exchange": "", "x-message-ttl": 0}
    follower = follow(
        {**around, "x-dead-letter-routing-key": "other"},
        profile,
        other={**around, "x-dead-letter-routing-key": "work"},
    )
    deaths = [
        {"count": 1, "reason": reason, "queue": queue}
        for queue, reason in (("other", "expired"), ("work", "rejected"))
    ]
    follower.submit(burst(1, headers={"x-death": deaths}))
    hops = [len(all_of(follower, DeadLettered))]
    for _second in range(3):
        follower.advance(SECOND)
        hops.append(len(all_of(follower, DeadLettered)))
    a_second = 2 * len(follower.node.queues) + MORE_HOPS
    assert hops == [0, *(second * a_second + 1 for second in (1, 2, 3))]
    follower.submit({"do": "delete_queue", "name": "other"})
    follower.advance(60 * SECOND)
    assert len(all_of(follower, DeadLettered)) <= hops[-1] + 1
