"""What today's releases refuse of definitions and configurations, held to what real nodes of them did."""

from __future__ import annotations

import json
from typing import Any

import pytest

from playground.inspecting import definitions, next_release
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
    rows = next_release.of_settings([(key, value, True)])
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
    found = definitions.read_configuration("classic_queue.default_version = 1\n")
    assert found.settings == {}
    assert [(row["key"], row["fates"]) for row in found.next] == [
        ("classic_queue.default_version", (REFUSED, REFUSED))
    ]


@pytest.mark.parametrize("release", RELEASES)
def test_queues_neither_durable_nor_exclusive_are_taken_with_a_warning(release: str) -> None:
    """As both releases list the feature; those that are durable or exclusive are not named."""
    queues = [
        {"name": "t", "durable": False},
        {"name": "x", "durable": False, "exclusive": True},
        {"name": "d"},
    ]
    [row] = next_release.of_definitions({"queues": queues})
    assert (row["key"], row["names"], row["instead"]) == (
        "durable = false",
        ["t"],
        "transient_nonexcl_queues",
    )
    listed = json.loads((RECORDINGS.parent / "ctl" / "recorded" / release / "releases.json").read_text())
    [said] = [each["text"] for each in listed if "deprecation_phase" in each["text"]]
    [line] = [line for line in said.splitlines() if row["instead"] in line]
    assert "permitted_by_default" in line
    assert row["fates"][RELEASES.index(release)] == next_release.WARNED
    assert not any(each["ends"] for each in next_release.outcomes({"queues": queues}))


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


@pytest.fixture(scope="module")
def given() -> dict[str, Any]:
    """What was given to real nodes, and what each then had (`answers`) or whether it started with it (`boots`)."""
    found: dict[str, Any] = json.loads((RECORDINGS / "upgrades" / "definitions.json").read_text())
    return found


FAR = ("01-helm-ha-all", "02-ha-exactly-locator", "04-quorum-stream", "06-versions", "07-federation", "10-limits",
    "11-ha-nodes-mixed", "12-ready")  # fmt: skip


@pytest.mark.parametrize("name", FAR)
@pytest.mark.parametrize("release", RELEASES)
def test_how_far_an_import_gets_is_what_real_nodes_did(
    given: dict[str, Any], name: str, release: str
) -> None:
    """A policy that is refused ends it before the queues; a queue that is, before the bindings."""
    real = given["answers"][release][name]
    [mine] = [row for row in next_release.outcomes(given["definitions"][name]) if row["target"] == release]
    assert (mine["ends"], mine["queues"]) == (real["ends"], real["queues"])


def test_an_operator_policy_is_a_parameter_and_its_section_is_ignored(given: dict[str, Any]) -> None:
    ignored = given["definitions"]["03-operator-policy"]
    assert next_release.of_definitions(ignored) == []
    [policy, _limits] = ignored["operator_policies"]
    parameter = {"component": "operator_policy", "name": "op", "value": {**policy, "name": "op"}}
    rows = next_release.of_definitions({"parameters": [parameter]})
    assert {(row["place"], row["fates"]) for row in rows} == {("operator_policy", (REFUSED, REFUSED))}
    assert [row["ends"] for row in next_release.outcomes({"parameters": [parameter]})] == [True, True]


def test_a_quorum_queue_with_a_mode_of_classic_ones_is_refused(given: dict[str, Any]) -> None:
    rows = next_release.of_definitions(given["definitions"]["11-ha-nodes-mixed"])
    fates = {row["key"]: row["fates"] for row in rows if row["place"] == "queue"}
    assert fates == {"x-queue-mode": (REFUSED, REFUSED)}


@pytest.mark.parametrize("release", RELEASES)
def test_a_node_starts_with_a_configuration_or_not_as_real_ones_did(
    given: dict[str, Any], release: str
) -> None:
    for name, started in given["boots"][release].items():
        found = definitions.read_configuration("\n".join(given["configurations"][name]))
        at = RELEASES.index(release)
        assert any(row["fates"][at] == REFUSED for row in found.next) is not started, name


def test_keys_that_are_gone_come_from_the_schemas() -> None:
    """Of a $ any one step; `channel_max` has another name in 4.3.6 and is still taken."""
    assert next_release.places_of("ssl_options.versions.1") == {"3.8.9", "3.10.8", *RELEASES}
    assert next_release.places_of("channel_max") >= set(RELEASES)
    assert next_release.places_of("no.such.key") == frozenset()
    gone = [
        ("amqp1_0.default_user", "x", True),
        ("ssl_options.cacerts.a", "x", True),
        ("mqtt.vhost", "/", True),
    ]
    assert [(row["key"], row["fates"]) for row in next_release.of_settings(gone)] == [
        ("amqp1_0.default_user", (REFUSED, REFUSED)),
        ("ssl_options.cacerts.a", (TAKEN, REFUSED)),
    ]


@pytest.mark.parametrize(
    ("value", "starts"),
    [("8.59e+09", False), ("2Gi", True), ("2GB", True), ("1000", True), ("plenty", False)],
)
def test_amounts_are_validated_by_4_x(value: str, starts: bool) -> None:
    rows = next_release.of_settings([("disk_free_limit.absolute", value, True)])
    assert [row["fates"] for row in rows] == ([] if starts else [(REFUSED, REFUSED)])
