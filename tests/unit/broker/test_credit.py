"""Credit flow between processes (F1-F7)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.broker.time.credit import DEFAULT, CreditFlow, CreditGrant, CreditSpec
from engine.classic_v1.settings import QueueSettings


class Clock:
    """Virtual time that a test sets."""

    us = 0

    def __call__(self) -> int:
        return self.us


def test_the_credits_that_the_broker_ships() -> None:
    """F4: reader, channel and queue use 400 and 200, the stores 4000 and 800."""
    assert DEFAULT == (400, 200)
    assert QueueSettings().msg_store_credit_disc_bound == (4000, 800)


def test_the_last_credit_blocks_and_later_messages_go_below_zero() -> None:
    """F2, F3: a blocked sender may still send."""
    flow = CreditFlow(Clock())
    flow.sent("channel", 399)
    assert (flow.left("channel"), flow.blocked) == (1, False)
    flow.sent("channel", 1)
    assert (flow.left("channel"), list(flow.blocked_by)) == (0, ["channel"])
    flow.sent("channel", 30)
    assert flow.left("channel") == -30
    assert flow.pairs() == {"channel": (-30, 400, 200)}


def test_a_grant_unblocks_only_when_it_lifts_the_credit_above_zero() -> None:
    """F2."""
    flow = CreditFlow(Clock())
    flow.sent("queue", 630)
    assert flow.granted("queue", 200) == []
    assert (flow.left("queue"), flow.blocked) == (-30, True)
    flow.granted("queue", 200)
    assert (flow.left("queue"), flow.blocked) == (170, False)


@pytest.mark.parametrize(
    ("counts", "amounts"),
    [([199, 1], [0, 200]), ([200], [200]), ([399, 1], [200, 200]), ([1000], [1000]), ([1, 400], [0, 400])],
)
def test_a_receiver_grants_after_every_so_many_messages(counts: list[int], amounts: list[int]) -> None:
    """F1."""
    flow = CreditFlow(Clock())
    got = [sum(grant.amount for grant in flow.handled("reader", count)) for count in counts]
    assert got == amounts


@given(st.lists(st.integers(1, 1000), max_size=30), st.integers(1, 300))
def test_batches_grant_what_single_messages_grant(counts: list[int], more: int) -> None:
    """F1."""
    spec = CreditSpec(2 * more, more)
    batches, singles = CreditFlow(Clock()), CreditFlow(Clock())
    for count in counts:
        together = sum(grant.amount for grant in batches.handled("a", count, spec))
        assert together == sum(g.amount for _ in range(count) for g in singles.handled("a", 1, spec))


def test_a_blocked_process_keeps_its_grants_back() -> None:
    """F3: and releases them all when the last receiver lets it go."""
    flow = CreditFlow(Clock())
    flow.sent("queue a", 400)
    flow.block("store")
    assert flow.handled("reader", 400) == []
    assert flow.handled("other reader", 200) == []
    assert flow.deferred == {"reader": 400, "other reader": 200}
    assert flow.granted("queue a", 200) == []
    assert flow.unblock("store") == [CreditGrant("reader", 400), CreditGrant("other reader", 200)]
    assert flow.deferred == {}
    assert flow.handled("reader", 200) == [CreditGrant("reader", 200)]


def test_a_peer_that_ends_blocks_nobody() -> None:
    """F3."""
    flow = CreditFlow(Clock())
    flow.sent("queue", 400)
    flow.handled("reader", 200)
    assert flow.peer_gone("queue") == [CreditGrant("reader", 200)]
    assert flow.granted("queue", 200) == []
    assert flow.left("queue") == 400


def test_flow_is_shown_for_a_second_after_the_last_block_began() -> None:
    """F7."""
    clock = Clock()
    flow = CreditFlow(clock)
    assert not flow.in_flow
    clock.us = 100
    flow.sent("queue", 400)
    clock.us = 10_000_000
    assert flow.in_flow
    flow.granted("queue", 200)
    assert not flow.in_flow
    flow.sent("queue", 200)
    flow.granted("queue", 200)
    clock.us = 10_999_999
    assert flow.in_flow
    clock.us = 11_000_000
    assert not flow.in_flow


def test_the_time_in_which_it_was_blocked_adds_up() -> None:
    """F3: two receivers at once do not count twice."""
    clock = Clock()
    flow = CreditFlow(clock)
    flow.block("a")
    clock.us = 10
    flow.block("b")
    clock.us = 30
    flow.unblock("a")
    assert flow.blocked_us == 30
    clock.us = 40
    flow.unblock("b")
    clock.us = 90
    assert flow.blocked_us == 40
    flow.block("b")
    clock.us = 95
    assert flow.blocked_us == 45
