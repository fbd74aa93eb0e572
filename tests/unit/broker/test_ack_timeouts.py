"""Deliveries that wait too long for their acknowledgement (P21), as real nodes close their channels."""

from __future__ import annotations

import json
from typing import Any

import pytest

from engine.releases import RELEASES
from engine.report.transitions.node import ChannelClosed
from tests.conftest import RECORDINGS
from tests.unit.broker.test_missing_files import QUEUE, node_of

SETTINGS = {"consumer_timeout_ms": 4000, "channel_tick_interval_ms": 2000}
SECOND_US = 1_000_000
ANSWERS = {
    each.name: json.loads((RECORDINGS / "questions" / f"{each.name}.json").read_text())["consumer_timeout"]
    for each in RELEASES.values()
}
"""What a real node of each release did with these settings: code and text of the close, and what is ready."""


def _closed(node: Any) -> list[ChannelClosed]:
    return [each for each in node.log.since(0).rows if isinstance(each, ChannelClosed)]


def _with_a_consumer(release: str, **more: Any) -> Any:
    node = node_of(release, {}, **{**SETTINGS, **more})
    node.submit(
        {"do": "set_consumer", "name": "c", "queue": QUEUE, "rate_per_s": 1, "prefetch": 5, "ack": "manual"}
    )
    node.submit({"do": "publish", "count": 3, "size_bytes": 10, "persistent": True})
    return node


@pytest.mark.parametrize("release", [each.name for each in RELEASES.values()])
def test_a_channel_whose_acknowledgement_is_late(release: str) -> None:
    """P21, W230: closed as on a real node, or never; what it held is ready again."""
    node = _with_a_consumer(release)
    node.advance(30 * SECOND_US)
    said = [part for each in _closed(node) for part in (each.code, each.text)]
    assert {"closed": said, "ready_after": node.queues[QUEUE].depth} == ANSWERS[release]


def test_the_oldest_delivery_counts_and_ticks_decide() -> None:
    node = _with_a_consumer("3.10.8")
    node.advance(3 * SECOND_US)
    node.submit({"do": "publish", "count": 1, "size_bytes": 10})
    node.submit({"do": "ack", "count": 3})
    node.advance(7_999_999)
    assert not _closed(node)
    node.advance(8 * SECOND_US)
    assert len(_closed(node)) == 1, "the fourth waits since 3 s: too old at the tick of 8 s"


def test_who_acknowledges_in_time_stays() -> None:
    node = node_of("3.10.8", {}, **SETTINGS)
    node.submit(
        {"do": "set_consumer", "name": "c", "queue": QUEUE, "rate_per_s": 1, "prefetch": 2, "ack": "each"}
    )
    node.submit({"do": "publish", "count": 60, "size_bytes": 10})
    node.advance(90 * SECOND_US)
    assert not _closed(node)


def test_nothing_times_out_with_0() -> None:
    node = _with_a_consumer("3.10.8", consumer_timeout_ms=0)
    node.advance(90 * SECOND_US)
    assert not _closed(node)


def test_a_queue_of_4_0_may_have_its_own_by_policy() -> None:
    node = node_of("4.0.5", {}, **{**SETTINGS, "consumer_timeout_ms": 60_000})
    node.submit(
        {
            "do": "set_policy",
            "name": "p",
            "pattern": ".*",
            "definition": {"consumer-timeout": 1000},
            "apply_to": "queues",
        }
    )
    node.submit({"do": "publish", "count": 1, "size_bytes": 10})
    node.submit({"do": "get", "queue": QUEUE, "count": 1, "ack": True})
    node.advance(3 * SECOND_US)
    assert "Timeout value used: 1000 ms" in _closed(node)[0].text
