"""A run on several releases side by side: ready ones, from the form to the reel, and what each does otherwise."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest
from django.test import Client

from engine.releases import RELEASES
from playground.comparing.changes import READY
from playground.comparing.reel import make
from playground.hosting.real_engine import door
from playground.records import kept_runs
from playground.storybook import rehearsal

pytestmark = pytest.mark.django_db


def compared(name: str, *series: str) -> list[dict[str, Any]]:
    run = READY[name].scenario()
    sides = [rehearsal.taken_to(each, run).scenario for each in series]
    *_shares, last = make(sides)
    assert isinstance(last, bytes)
    reel = json.loads(gzip.decompress(last))
    assert len(reel["divergences"]) == len(sides) - 1
    found: list[dict[str, Any]] = [side["figures"] | {"curves": side["curves"]} for side in reel["sides"]]
    return found


@pytest.mark.parametrize("name", READY)
def test_ready_runs_are_taken_by_every_release(name: str) -> None:
    run = READY[name].scenario()
    for series in RELEASES:
        door().check(rehearsal.taken_to(series, run).scenario)
    assert str(READY[name].watch).endswith((".", "?"))


def test_confirmed_and_gone_on_todays_broker_alone() -> None:
    """W65: a confirm of 4.x survives no power cut; 3.10 had called fsync before it confirmed."""
    old, four, today = compared("power-cut", "3.10", "4.0", "4.3")
    assert [each["confirmed_and_lost"] for each in (old, four, today)] == [0, 24, 24]
    assert (old["fsyncs"] > 0, four["fsyncs"], today["fsyncs"]) == (True, 0, 0)
    for each in (old, four, today):
        assert {name: values[-1] for name, values in each["curves"].items()} == {
            name: each[name] for name in each["curves"]
        }
        assert each["disk_writes"] > 0
        assert each["bytes_written"] > 24 * 1000


def test_a_backlog_lies_on_disk_from_the_second_message_on() -> None:
    """W32, W33: nobody reads, so L is 1."""
    old, today = compared("backlog", "3.10", "4.3")
    assert old["delivered"] == today["delivered"] == 60
    assert today["peak_delta"] >= 59
    assert today["disk_reads"] > 0


def test_memory_that_blocks_one_release_leaves_the_other_alone() -> None:
    """W70: a queue of 4.x keeps the same memory whatever its backlog."""
    old, today = compared("memory", "3.10", "4.3")
    assert today["peak_ram_bytes"] < old["peak_ram_bytes"]


def test_what_a_release_does_not_have_has_no_figure() -> None:
    """W70, W80: 4.x pages nothing and has no journal, so a 0 or a memory where paging begins would be no answer."""
    old, both, today = compared("garbage", "3.8", "3.10", "4.3")
    gone = ("paging_at_bytes", "paging_s", "first_paging_s", "paged_out", "journal_flushes", "files_combined")
    assert [today[name] for name in gone] == [None] * len(gone)
    assert all(each[name] is not None for each in (old, both) for name in gone)
    assert all(today[name] is not None for name in ("disk_writes", "bytes_written", "peak_ram_bytes"))


def test_from_the_form_to_the_page(client: Client) -> None:
    form = {"ready": "lazy", "release": ["3.8", "3.10", "4.3"]}
    answer = client.post("/compare/releases", form)
    assert answer.status_code == 302
    page = client.get(answer["Location"]).content.decode()
    assert "Lazy mode has no effect in 4.3.6 (W39)" in page
    assert page.count("data-side=") == 3
    one = client.post("/compare/releases", {"ready": "lazy", "release": ["4.3"]})
    assert one.status_code == 422
    assert "Choose two releases or more." in one.content.decode()


def test_any_run_goes_on_any_release(client: Client) -> None:
    run = door().check({"version": 1, "profile": "4.0.5-classroom", "until_us": 1_000_000, "commands": []})
    kept = kept_runs.keep_scenario(run)
    answer = client.post("/compare/releases", {"a": kept.short_id, "release": ["3.10", "4.0"]})
    assert answer["Location"].count("/") == 4
    assert client.get(answer["Location"]).status_code == 200


def test_garbage_is_combined_by_twos_or_compacted_in_place() -> None:
    """S180, W140-W142: a file of 4.x is compacted alone, after its timer, and with the only fsync of the run."""
    old, today = compared("garbage", "3.10", "4.3")
    assert old["files_combined"] > 0
    assert today["files_combined"] is None
    assert today["fsyncs"] > 0
