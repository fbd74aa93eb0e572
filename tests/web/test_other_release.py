"""The same commands on another release: from a session, a link, the library; what does not exist there is said."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from engine.releases import PROFILES, RELEASES
from playground.browser_app import browser_app
from playground.hosting.real_engine import door
from playground.models import Session
from playground.records import kept_runs
from playground.storybook import ready_scenarios, rehearsal

pytestmark = pytest.mark.django_db


def scenario(**more: Any) -> dict[str, Any]:
    base = {"version": 1, "profile": "classroom", "until_us": 2_000_000, "commands": []}
    return door().check({**base, **more})


def said(series: str, **more: Any) -> str:
    return " ".join(map(str, rehearsal.taken_to(series, scenario(**more)).said))


def opened(response: Any) -> Session:
    assert response.status_code == 302
    return Session.objects.get(public_id=response["Location"].split("/")[2])


@pytest.mark.parametrize("series", RELEASES)
def test_every_ready_scenario_opens_on_every_release(series: str) -> None:
    for entry in ready_scenarios.entries():
        taken = rehearsal.taken_to(series, entry.run).scenario
        found = door().check(taken)
        assert rehearsal.shown_release(found).series == series
        assert PROFILES[found["profile"]].scale == PROFILES[entry.run["profile"]].scale
        assert found["commands"] == entry.run["commands"]


def test_what_the_other_release_does_not_have_is_said_with_its_rule() -> None:
    mode = [{"at_us": 0, "do": "set", "name": "queue_mode", "value": "lazy"}]
    assert "Lazy mode has no effect in 4.3.6 (W39)" in said("4.3", commands=mode)
    assert "(W75)" in said("4.0", settings={"nodes": 3})
    policy = [{"at_us": 0, "do": "ctl", "line": 'rabbitmqctl set_policy ha . \'{"ha-mode":"all"}\''}]
    assert "(W75)" in said("4.0", commands=policy)
    ratio = [{"at_us": 0, "do": "set", "name": "vm_memory_high_watermark_paging_ratio", "value": 0.3}]
    assert "paging ratio has no effect in 4.3.6 (W70)" in said("4.3", commands=ratio)
    target = [{"at_us": 0, "do": "set", "name": "target_ram_count", "value": 3}]
    assert "4.3.6 has no target_ram_count (W70)" in said("4.3", commands=target)
    journal = {"queue_index_max_journal_entries": 3, "segment_entry_count": 16, "write_buffer_bytes": 0}
    taken = rehearsal.taken_to("4.3", scenario(settings=journal))
    assert taken.scenario["settings"] == {"segment_entry_count": 16}
    assert "queue_index_max_journal_entries, write_buffer_bytes" in str(taken.said[0])
    assert not said("3.8", commands=[*mode, *ratio, *target], settings={"nodes": 1})


def test_a_setting_says_on_which_releases_it_works() -> None:
    ratio = [str(each) for each in rehearsal.where_it_works("vm_memory_high_watermark_paging_ratio")]
    assert ratio[0].endswith("has an effect in 3.8.9, 3.10.8.")
    assert "(W70)" in ratio[1]
    batch = [str(each) for each in rehearsal.where_it_works("msg_store_io_batch_size")]
    assert batch == ["msg_store_io_batch_size has an effect in 3.8.9, 3.10.8."]
    assert not rehearsal.where_it_works("vm_memory_high_watermark")
    assert not rehearsal.where_it_works("prefetch")


def test_a_session_opens_at_its_moment_on_another_release(client: Client) -> None:
    publish = [{"at_us": 500_000, "do": "publish", "count": 5, "size_bytes": 100, "persistent": True}]
    mine = kept_runs.start_session(scenario(commands=publish), reached_us=1_000_000)
    other = opened(client.post(f"/s/{mine.public_id}/release", {"release": "4.3"}))
    assert other.scenario["profile"] == "4.3.6-classroom"
    assert other.scenario["commands"] == mine.scenario["commands"]
    assert (other.reached_us, other.scenario["until_us"]) == (1_000_000, 2_000_000)
    page = client.get(f"/s/{other.public_id}/").content.decode()
    assert 'value="4.3" selected' in page


def test_an_unknown_release_leads_back(client: Client) -> None:
    mine = kept_runs.start_session(scenario())
    answer = client.post(f"/s/{mine.public_id}/release", {"release": "9.9"})
    assert answer["Location"] == f"/s/{mine.public_id}/"


def test_a_link_names_a_release(client: Client) -> None:
    entry = ready_scenarios.entry("lazy-vs-default")
    assert entry is not None
    kept = kept_runs.keep_scenario(entry.run, story=entry.story_json())
    answer = client.get(f"/r/{kept.short_id}/?at=1000&release=4.0")
    assert "release" not in answer["Location"]
    session = opened(answer)
    assert (session.scenario["profile"], session.reached_us) == ("4.0.5-classroom", 1000)
    assert "Lazy mode has no effect" in client.get(answer["Location"]).content.decode()
    own = opened(client.get(f"/r/{kept.short_id}/?release=3.10"))
    assert own.origin == kept


def test_the_library_opens_on_the_chosen_release(client: Client) -> None:
    entry = ready_scenarios.entry("lazy-vs-default")
    assert entry is not None
    kept_runs.put_in_library(entry.slug, entry.run, entry.story_json())
    page = client.get("/library/?release=4.3").content.decode()
    assert "Lazy mode has no effect in 4.3.6" in page
    session = opened(client.post("/s/new", {"scenario": entry.slug, "release": "4.3"}))
    assert session.scenario["profile"] == "4.3.6-classroom"
    assert session.origin is None
    assert kept_runs.scenario_by_name(entry.slug) is not None


def test_the_static_edition_takes_the_run_that_begins_without_a_title() -> None:
    free = {**scenario(), "title": "", "digest": None}
    taken = browser_app.QUESTIONS["release"]({"release": "4.3", "scenario": free})
    assert taken["scenario"]["profile"] == "4.3.6-classroom"
    assert browser_app.QUESTIONS["release"]({"release": "3.10", "scenario": free}) == {
        "scenario": None,
        "said": [],
    }
