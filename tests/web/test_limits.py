"""What a command may take."""

import contextlib
from pathlib import Path
from typing import Any

import pytest

from playground.hosting.real_engine import door
from playground.hosting.refusals import coded
from playground.hosting.run import BurstBeyond, SessionRun, SessionUsage, check_burst
from playground.limits import session_limits
from playground.limits.session_bounds import SessionBounds
from playground.limits.session_limits import check_command, check_shape
from playground.texts import RequestRefused


def check(command: dict[str, Any], **usage: int) -> None:
    check_command(command, session_limits.current(), usage.get("commands", 0))
    bounds = session_limits.current().bounds()
    check_burst(command, bounds, SessionUsage(**usage), bounds.max_messages)


def test_an_ordinary_burst_passes() -> None:
    check({"do": "publish", "count": 1000, "size_bytes": 6144, "persistent": False, "confirm": False})


@pytest.mark.parametrize(
    ("command", "word"),
    [
        ({}, "verb"),
        ({"do": 3}, "verb"),
        ({"do": "publish", "count": 10**12, "size_bytes": 0}, "count"),
        ({"do": "publish", "count": 1, "size_bytes": 10**10}, "size_bytes"),
        ({"do": "set_publisher", "rate_per_s": 10**9}, "rate_per_s"),
        ({"do": "publish", "count": float("inf")}, "infinite"),
        ({"do": "publish", "count": float("nan")}, "not a number"),
        ({"do": "publish", "count": 10**40}, "too large"),
        ({"do": "x" * 1000}, "longer"),
        ({"do": "publish", "at_us": 5}, "at_us"),
        ({"do": [[[[[[[[1]]]]]]]]}, "deep"),
        ({"do": "publish", "list": list(range(500))}, "values"),
    ],
)
def test_what_no_server_can_do_is_refused(command: dict[str, Any], word: str) -> None:
    with pytest.raises(RequestRefused) as refused:
        check(command)
    assert word in str(refused.value)


def test_what_is_held_counts() -> None:
    most = session_limits.current().max_messages
    check({"do": "publish", "count": 10, "size_bytes": 1}, messages=most - 10)
    with pytest.raises(BurstBeyond):
        check({"do": "publish", "count": 11, "size_bytes": 1}, messages=most - 10)


def test_commands_are_counted() -> None:
    with pytest.raises(RequestRefused):
        check({"do": "purge"}, commands=session_limits.current().max_commands)


def test_a_value_of_the_wrong_type_is_left_to_the_engine() -> None:
    check({"do": "publish", "count": "many", "size_bytes": True})


def test_shape_counts_keys_too() -> None:
    assert check_shape({"a": 1, "b": [2, 3]}) == 7


def test_what_does_not_fit_is_refused_with_how_many_do() -> None:
    """A million messages of 100 bytes: their records take more than their bodies, and the run could not go on."""
    with pytest.raises(BurstBeyond) as beyond:
        check({"do": "publish", "count": 1_000_000, "size_bytes": 100})
    room = beyond.value.values["room"]
    assert 500_000 < room < 1_000_000
    check({"do": "publish", "count": room, "size_bytes": 100})
    sentence = str(coded(beyond.value.code, beyond.value.values))
    assert f"{room:,} of this size fit".replace(",", "\u202f") in sentence
    assert "MiB" in sentence
    assert str(beyond.value.values["wanted"]) not in sentence, "nobody counts bytes by the million"


@pytest.mark.parametrize(("most", "size_bytes"), [(20_000, 100), (20_000, 100_000), (10**6, 100_000)])
def test_what_is_offered_keeps_every_bound(most: int, size_bytes: int) -> None:
    """The node's own bound of messages and the session's of bytes: what is offered is not refused again."""
    bounds, usage = session_limits.current().bounds(), SessionUsage(messages=17)
    burst = {"do": "publish", "count": 900_000, "size_bytes": size_bytes}
    with pytest.raises(BurstBeyond) as beyond:
        check_burst(burst, bounds, usage, most)
    check_burst({**burst, "count": beyond.value.values["room"]}, bounds, usage, most)


def test_what_is_in_ram_has_a_promise_of_room() -> None:
    most = session_limits.current().max_disk_bytes
    with pytest.raises(BurstBeyond):
        check({"do": "publish", "count": 100_000, "size_bytes": 1000}, ram_bytes=most // 2, messages=100_000)


def test_what_many_bursts_brought_can_leave_ram_and_be_consumed(tmp_path: Path) -> None:
    """Each burst fitted beside what was on disk; their records together take more, and the run goes on."""
    bounds = SessionBounds(
        max_disk_bytes=400_000, max_messages=5000, max_transitions=10**6, max_virtual_s=3600
    )
    scenario = {"version": 1, "profile": "classroom", "settings": {"ram_bytes": 10**9, "max_messages": 5000}}
    node, files = door().open(
        door().check({**scenario, "title": "", "seed": 1}), str(tmp_path), bounds.room_bytes
    )
    run = SessionRun(node, files, bounds.max_disk_bytes)
    burst = {"do": "publish", "count": 100, "size_bytes": 100, "persistent": False, "confirm": False}
    with contextlib.suppress(BurstBeyond):  # in the end one does not fit
        for _burst in range(60):
            check_burst(burst, bounds, run.usage(0), node.most_messages)
            run.submit(burst)
            run.turn(node.now_us + 1000, 60)
    let_in = node.held_messages()
    run.submit({"do": "set", "name": "target_ram_count", "value": 0})
    while not run.turn(5_000_000, 60):
        pass
    assert files.used_bytes() > bounds.max_disk_bytes, "more than a session may ask for"
    consumer = {"do": "set_consumer", "name": "c1", "rate_per_s": 1000, "prefetch": 50, "ack": "each"}
    run.submit({**consumer, "running": True})
    while not run.turn(12_000_000, 60):
        pass
    assert node.held_messages() < let_in // 2
    run.close()
