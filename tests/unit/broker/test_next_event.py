"""A host may sleep until `next_us`: nothing is reported before, and of checks that find nothing it is told seldom."""

from __future__ import annotations

from typing import Any

import pytest

from engine.replay import on_ledger

BURST = {"do": "publish", "count": 20, "size_bytes": 6144, "persistent": True, "at_us": 1_000}
CLIENTS = [
    {
        "do": "set_publisher",
        "name": "p",
        "rate_per_s": 3,
        "size_bytes": 6144,
        "running": True,
        "at_us": 500_000,
    },
    {"do": "set_consumer", "name": "c", "rate_per_s": 2, "prefetch": 5, "ack": "each", "at_us": 600_000},
    {"do": "remove", "name": "p", "at_us": 9_000_000},
]
RUNS: dict[str, dict[str, Any]] = {
    "idle": {"commands": []},
    "burst": {"commands": [BURST]},
    "past the line": {"commands": [{**BURST, "count": 60, "persistent": False}]},
    "clients": {"commands": [BURST, *CLIENTS]},
    "restart": {"commands": [BURST, {"do": "restart", "kind": "clean", "at_us": 4_000_000}]},
    "work takes time": {"commands": [BURST, *CLIENTS], "settings": {"work_profile": "ssd"}},
}


@pytest.mark.parametrize("profile", ["classroom", "articles", "4.3.6-classroom"])
@pytest.mark.parametrize("run", RUNS)
def test_nothing_is_reported_before_the_next_event(run: str, profile: str) -> None:
    node = on_ledger({"version": 1, "profile": profile, "until_us": 60_000_000, **RUNS[run]})
    wakings = 0
    while node.now_us < 30_000_000:
        next_us = node.next_us()
        assert next_us is not None
        number = node.log.number
        node.advance(next_us - 1)
        assert node.log.number == number, f"something was reported before {next_us}"
        node.advance(next_us)
        wakings += node.now_us > 20_000_000
    assert wakings > 0


@pytest.mark.parametrize(("profile", "most"), [("classroom", 5), ("real", 4), ("4.3.6-classroom", 6)])
def test_a_queue_in_which_nothing_happens_wakes_its_host_seldom(profile: str, most: int) -> None:
    """Memory is checked ten times a second in a classroom, and each check finds the same."""
    node = on_ledger({"version": 1, "profile": profile, "until_us": 60_000_000, "commands": [BURST]})
    node.advance(20_000_000)
    wakings = 0
    while node.now_us < 30_000_000:
        node.advance(node.next_us() or 0)
        wakings += 1
    assert wakings <= most
