"""Filled past the paging line at once, a queue sleeps without a target; the next message wakes it, and it pages out.

That is what the page's headline says, and what its button offers (static/js/view/panels/controls.js).
"""

from __future__ import annotations

from typing import Any

import pytest

from engine.replay import on_ledger


def _now(node: Any) -> tuple[bool, int | None, int]:
    """Return whether memory is past the line, the queue's target, and how many contents it has in RAM."""
    state = node.snapshot()
    memory = state["node"]["memory"]
    counters = state["queues"]["orders"]["counters"]
    is_past = memory["process_memory"] >= memory["paging_at"]
    return is_past, counters["target_ram_count"], counters["ram_msg_count"]


@pytest.mark.parametrize("profile", ["real", "articles"])
def test_only_another_message_makes_it_page_out(profile: str) -> None:
    burst = {"do": "publish", "size_bytes": 6144, "at_us": 1_000_000, "count": 17_500}
    node = on_ledger({"version": 1, "profile": profile, "until_us": 200_000_000, "commands": [burst]})
    node.advance(65_000_000)
    assert _now(node) == (True, None, 17_500), "a minute later nothing was paged out"
    node.submit({"do": "publish", "size_bytes": 6144, "count": 1})
    node.advance(70_000_000)
    assert _now(node) == (False, 1, 1)
