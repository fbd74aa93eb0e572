"""What today's releases refuse of definitions and configurations, held to what real nodes of them did."""

from __future__ import annotations

import json
from typing import Any

import pytest

from playground.inspecting import configuration, definitions, next_release
from playground.inspecting.next_release import JOINED, LEFT_OUT, NO_EFFECT, REFUSED, TAKEN
from tests.conftest import RECORDINGS

RELEASES = ("4.0.5", "4.3.6")


@pytest.fixture(scope="module")
def asked() -> dict[str, dict[str, Any]]:
    place = RECORDINGS / "upgrades"
    return {release: json.loads((place / f"{release}.json").read_text()) for release in RELEASES}


def refused(found: dict[str, Any], place: str, key: str, name: str) -> bool:
    """Return whether the node said so, or did not declare the queue without a word."""
    said = found["definitions"]
    silent = place == "queue" and f"{name}\t" not in said["listed queues"]
    return silent or said[f"{place}: {key}"] != "taken"


@pytest.mark.parametrize(
    ("place", "key", "name", "written"),
    [
        ("queue", "x-queue-mode", "q0", {"x-queue-mode": "lazy"}),
        ("queue", "x-queue-version 1", "q1", {"x-queue-version": 1}),
        ("queue", "x-queue-version 2", "q2", {"x-queue-version": 2}),
        ("queue", "x-queue-master-locator", "q3", {"x-queue-master-locator": "min-masters"}),
        ("queue", "x-max-priority", "q4", {"x-max-priority": 5}),
        ("policy", "ha-mode", "p0", {"ha-mode": "all"}),
        ("policy", "queue-mode", "p2", {"queue-mode": "lazy"}),
        ("policy", "queue-version", "p3", {"queue-version": 1}),
        ("policy", "queue-master-locator", "p4", {"queue-master-locator": "min-masters"}),
        ("policy", "max-length", "p5", {"max-length": 5}),
    ],
)
def test_real_nodes_refuse_what_the_table_says(
    asked: dict[str, dict[str, Any]], place: str, key: str, name: str, written: dict[str, Any]
) -> None:
    part = "arguments" if place == "queue" else "definition"
    table = "queues" if place == "queue" else "policies"
    rows = next_release.of_definitions({table: [{"name": "a", part: written}]})
    fates = rows[0]["fates"] if rows else (TAKEN, TAKEN)
    assert [fate == REFUSED for fate in fates] == [
        refused(asked[release], place, key, name) for release in RELEASES
    ]


@pytest.mark.parametrize("line", ["classic_queue.default_version = 1", "classic_queue.default_version = 2",
    "vm_memory_high_watermark_paging_ratio = 0.5", "memory_monitor_interval = 2500",
    "mirroring_sync_batch_size = 4096", "channel_max = 2047"])  # fmt: skip
def test_real_nodes_start_with_what_is_not_refused(asked: dict[str, dict[str, Any]], line: str) -> None:
    key, _, value = line.partition(" = ")
    rows = next_release.of_settings([(key, value)])
    fates = rows[0]["fates"] if rows else (TAKEN, TAKEN)
    started = [asked[release]["configuration"][line] == "starts" for release in RELEASES]
    assert [fate != REFUSED for fate in fates] == started


def test_rows_name_where_a_key_stands_and_begin_with_what_is_refused() -> None:
    policies = [
        {
            "name": f"p{at}",
            "vhost": "/",
            "pattern": "",
            "definition": {"ha-mode": "all", "queue-mode": "lazy"},
        }
        for at in range(7)
    ]
    found = definitions.read(
        json.dumps({"queues": [{"name": "orders", "vhost": "/"}], "policies": policies}).encode()
    )
    assert [(row["key"], row["fates"], row["count"]) for row in found.next] == [
        ("ha-mode", (REFUSED, REFUSED), 7),
        ("queue-mode", (NO_EFFECT, NO_EFFECT), 7),
    ]
    assert found.next[0]["names"] == ["p0", "p1", "p2", "p3", "p4"]


def test_a_line_that_keeps_the_next_release_from_starting_is_an_answer() -> None:
    found = configuration.read("classic_queue.default_version = 1\n")
    assert found.settings == {}
    assert [(row["key"], row["fates"]) for row in found.next] == [
        ("classic_queue.default_version", (REFUSED, REFUSED))
    ]


@pytest.mark.parametrize("found", [{}, {"policies": 5, "queues": [1, {"arguments": []}]}, {"policies": [{}]}])
def test_definitions_of_any_shape_are_no_trouble(found: dict[str, Any]) -> None:
    assert next_release.of_definitions(found) == []


@pytest.mark.parametrize(
    ("key", "fate"),
    [
        ("max-in-memory-length", LEFT_OUT),
        ("max-in-memory-bytes", LEFT_OUT),
        ("queue-leader-locator", JOINED),
        ("delivery-limit", None),
        ("max-length", None),
    ],
)
def test_a_policy_that_stops_or_begins_to_apply_to_classic_queues(key: str, fate: str | None) -> None:
    """P17, as real nodes kept three messages under a limit of one, or one."""
    kept = {}
    for release in ("3.10.8", *RELEASES):
        answers = json.loads((RECORDINGS / "questions" / f"validation-{release}.json").read_text())
        kept[release] = next((kept for asked, kept in answers["kept"] if key in asked and len(asked) == 2), 1)
    rows = next_release.of_definitions({"policies": [{"name": "p", "definition": {"max-length": 1, key: 5}}]})
    assert [row["fates"] for row in rows if row["key"] == key] == ([] if fate is None else [(fate, fate)])
    changes = {release: (kept[release] == 3) - (kept["3.10.8"] == 3) for release in RELEASES}
    assert set(changes.values()) == {{LEFT_OUT: 1, JOINED: -1, None: 0}[fate]}
    other = {"name": "p", "apply-to": "quorum_queues", "definition": {key: 5}}
    assert next_release.of_definitions({"policies": [other]}) == []
