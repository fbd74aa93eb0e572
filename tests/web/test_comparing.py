"""Two runs side by side: one change, where they part, what differs, and refusals that leave nothing half done."""

from __future__ import annotations

import gzip
import json
import threading
import time
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

import pytest
from django.test import Client

from playground.comparing import changes, reel
from playground.comparing.reel import ReelMaker, RunComparison, make
from playground.hosting.real_engine import door
from playground.models import Scenario
from playground.records import kept_runs
from playground.texts import RequestRefused
from tests.helpers.patience import PATIENCE_S

pytestmark = pytest.mark.django_db


def made(scenarios: list[dict[str, Any]]) -> bytes:
    *shares, reel = make(scenarios)
    assert shares == sorted(shares)
    assert isinstance(reel, bytes)
    return reel


def scenario(*commands: dict[str, Any], until_us: int = 5_000_000, **rest: Any) -> dict[str, Any]:
    return door().check(
        {"version": 1, "profile": "classroom", "until_us": until_us, "commands": list(commands), **rest}
    )


BURST = {"at_us": 1_000_000, "do": "publish", "count": 40, "size_bytes": 6000}
CONSUMER = {"at_us": 2_000_000, "do": "set_consumer", "name": "c1", "rate_per_s": 10, "prefetch": 1}


def compared(a: dict[str, Any], b: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(gzip.decompress(made([a, b])))
    return found


def test_both_sides_come_in_messages_without_a_gap() -> None:
    a = scenario(BURST, CONSUMER)
    both = compared(a, changes.apply("prefetch", 100, a))
    for side in both["sides"]:
        position = None
        for message in side["messages"]:
            if message["t"] == "frame":
                assert message["first"] == position
                position += len(message["rows"])
            else:
                position = message["next"]
        assert position == side["figures"]["transitions"]
    assert both["sides"][0]["digest"] != both["sides"][1]["digest"]


def test_a_run_against_itself_never_parts_and_has_the_digest_of_a_live_one() -> None:
    a = scenario(BURST, CONSUMER)
    both = compared(a, a)
    assert both["divergences"][0] is None
    assert both["sides"][0] == both["sides"][1]
    node = door().rehearse(a)
    node.advance(a["until_us"])
    assert both["sides"][0]["digest"] == node.log.digest


def test_a_lazy_queue_parts_at_its_first_message() -> None:
    a = scenario(BURST)
    parting = compared(a, door().check(changes.apply("queue_mode", "lazy", a)))["divergences"][0]
    assert parting["at_us"] == 1_000_000
    assert (parting["a"][4], parting["b"][4]) == ("q4", "delta")


def test_a_run_that_does_nothing_more_parts_too() -> None:
    both = RunComparison()
    same = (1, b'["Published","Q21"]')
    both.add([same], [same, (2, b'["Acked","Q39"]')])
    assert both.found is None
    both.end()
    assert both.found is not None
    assert both.found.at_us == 2
    assert both.found.a is None


def test_a_fork_in_the_middle_leaves_the_time_before_as_it_was() -> None:
    a = scenario(CONSUMER | {"at_us": 0}, BURST, until_us=8_000_000)
    b = door().check(changes.apply("prefetch", 30, a, at_us=3_000_000))
    assert [each["prefetch"] for each in b["commands"] if each["do"] == "set_consumer"] == [1, 30]
    assert compared(a, b)["divergences"][0]["at_us"] >= 3_000_000


def test_a_live_setting_in_the_middle_is_a_command() -> None:
    b = door().check(changes.apply("ram_bytes", 400_000, scenario(BURST), at_us=2_000_000))
    assert b["commands"][-1]["do"] == "set"
    assert b["commands"][-1]["at_us"] == 2_000_000


def test_every_queue_becomes_lazy_whatever_its_name_and_whenever_it_is_declared() -> None:
    """A queue that is not called orders had its command refused, and B ran as A did."""
    late = {"at_us": 3_000_000, "do": "declare_queue", "name": "late"}
    topology = {"queues": [{"name": "near"}, {"name": "far"}]}
    a = scenario(BURST | {"routing_key": "near"}, late, topology=topology)
    for at_us in (0, 1_000_000, 4_000_000):
        b = door().check(changes.apply("queue_mode", "lazy", a, at_us))
        node = door().rehearse(b)
        node.advance(b["until_us"])
        assert node.refused == []
        assert {name: queue["mode"] for name, queue in node.snapshot()["queues"].items()} == dict.fromkeys(
            ("near", "far", "late"), "lazy"
        )


@pytest.mark.parametrize("preset", range(len(changes.PRESETS)), ids=[preset[0] for preset in changes.PRESETS])
def test_every_preset_fits_the_run_that_the_list_begins_with(
    client: Client, library: list[Scenario], preset: int
) -> None:
    made = client.post("/compare/new", {"a": library[0].slug, "preset": str(preset)})
    assert made.status_code == 302
    kept = Scenario.objects.get(short_id=made["Location"].split("/")[-2])
    node = door().rehearse(door().check(json.loads(kept.text.body)))
    node.advance(4_000_000)
    assert node.refused == []


def test_the_first_page_begins_with_a_comparison_that_runs(client: Client, library: list[Scenario]) -> None:
    page = client.get("/compare/").content.decode()
    assert "data-running" in page
    assert "compare-data" in page
    assert "data-running" not in client.get(f"/compare/?a={library[0].slug}").content.decode()


@pytest.mark.parametrize(
    ("change", "text"),
    [("queue_mode", "fast"), ("prefetch", "-1"), ("prefetch", "1.5"), ("vm_memory_high_watermark", "2"),
     ("vm_memory_high_watermark", "nan"), ("ram_bytes", "9" * 30)],
)  # fmt: skip
def test_absurd_values_are_refused(change: str, text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        changes.read(change, text)


def test_a_run_that_is_too_long_is_refused_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("playground.comparing.reel.MOST_TRANSITIONS", 20)
    a = scenario(BURST)
    with pytest.raises(RequestRefused, match="more than 20 transitions"):
        made([a, a])


def test_a_comparison_that_takes_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("playground.comparing.reel.MOST_S", -1.0)
    with pytest.raises(RequestRefused, match="more than -1 seconds"):
        made([scenario(BURST), scenario(BURST)])


def test_the_studio_makes_each_comparison_once_and_leaves_room_for_other_callers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ends = threading.Event()

    def waits(_scenarios: Any) -> Iterator[bytes]:
        ends.wait(PATIENCE_S)
        yield b"made"

    monkeypatch.setattr(reel, "make", waits)
    studio = ReelMaker()
    first = studio.ask("a/b", [], nullcontext(), "one")
    assert studio.ask("a/b", [], nullcontext(), "one") is first
    under_way = [first, *(studio.ask(f"a/{each}", [], nullcontext(), "one") for each in range(reel.EACH - 1))]
    with pytest.raises(RequestRefused, match="Try again"):
        studio.ask("a/c", [], nullcontext(), "one")
    under_way += [
        studio.ask(f"b/{each}", [], nullcontext(), "another") for each in range(reel.WAITING - reel.EACH)
    ]
    with pytest.raises(RequestRefused, match="Try again"):
        studio.ask("c/c", [], nullcontext(), "a third")
    ends.set()
    deadline_s = time.monotonic() + PATIENCE_S
    while not all(each.data for each in under_way) and time.monotonic() < deadline_s:
        time.sleep(0.005)
    assert studio.ask("a/c", [], nullcontext(), "one") is not None


def test_from_the_form_to_the_reel(client: Client, library: list[Scenario]) -> None:
    page = client.get("/compare/")
    assert library[0].title in page.content.decode()
    made = client.post("/compare/new", {"a": library[0].slug, "preset": "0"})
    assert made.status_code == 302
    pair = client.get(made["Location"])
    assert "(queue mode: lazy)" in pair.content.decode()
    ends_s = time.monotonic() + PATIENCE_S
    while True:
        answer = client.get(f"{made['Location']}reel")
        if answer.status_code == 200:
            break
        assert answer.status_code == 202
        assert time.monotonic() < ends_s
        time.sleep(0.02)
    body = json.loads(gzip.decompress(answer.content))
    assert len(body["sides"]) == 2


def test_a_wrong_value_is_reported_next_to_its_field(client: Client, library: list[Scenario]) -> None:
    answer = client.post("/compare/new", {"a": library[0].slug, "change": "prefetch", "value": "many"})
    assert answer.status_code == 422
    assert "whole number from 0 to 65535" in answer.content.decode()


def test_a_session_becomes_a(client: Client) -> None:
    session = kept_runs.start_session(scenario(BURST, until_us=0 + 2_000_000))
    page = client.get(f"/compare/?session={session.public_id}")
    assert page.status_code == 200
    assert Scenario.objects.filter(slug__isnull=True).exists()


def test_links_that_lead_nowhere_say_so(client: Client) -> None:
    assert client.get("/compare/22222/33333/").status_code == 404
    assert client.get("/compare/22222/33333/reel").status_code == 404
    assert client.get("/compare/?a=22222&b=33333").status_code == 404


def test_runs_and_changes_are_called_in_the_readers_language(client: Client, library: list[Scenario]) -> None:
    assert library
    page = client.get("/compare/", headers={"accept-language": "zh-hans"}).content.decode()
    assert ">第一批消息</option>" in page
    assert ">First burst</option>" not in page
    assert "第一批消息（" in page or "第一批消息 (" in page, "the second title, too"
    assert "queue_mode lazy" not in page
    assert "name=queue_mode" not in page, "the example's difference is told by its label"
