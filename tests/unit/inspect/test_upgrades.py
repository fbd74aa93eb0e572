"""An upgrade rehearsed on files: the node's gate, and what becomes of the queues (W100, V6)."""

from __future__ import annotations

import tarfile
from typing import Any

import pytest

from playground.inspecting import reading, ways
from playground.inspecting.uploads import gathered, is_needed
from tests.conftest import RECORDINGS

OLD = RECORDINGS / "v2" / "conversion" / "3.10.8"
FLAGS = b"[classic_mirrored_queue_version,drop_unroutable_metric,\n quorum_queue,stream_queue].\n"


def given(flags: bytes | None = None) -> dict[str, bytes]:
    below = "msg_stores/vhosts/628WB79CIFDYO9LJI6DKMI09L/"
    top = "" if flags is None else "rabbit@a/"
    files = {
        f"{top}{below}{path.relative_to(OLD)}": path.read_bytes() for path in OLD.rglob("*") if path.is_file()
    }
    files[f"{top}{below}.vhost"] = b"/"
    return files if flags is None else files | {"rabbit@a-feature_flags": flags}


@pytest.fixture(scope="module")
def rehearsed() -> dict[str, dict[str, Any]]:
    answer, _ = reading.directory(given())
    return {row["target"]: row for row in answer["upgrades"]}


@pytest.mark.parametrize(
    ("target", "after", "left"),
    [
        ("3.10.8-v2", 21, {"qi", "qs", "rdq"}),
        ("4.0.5", 21, {"qi", "qs", "rdq"}),
        ("4.3.6", 0, {"idx", "jif", "rdq"}),
    ],
)
def test_what_becomes_of_a_queue(
    rehearsed: dict[str, dict[str, Any]], target: str, after: int, left: set[str]
) -> None:
    """W100, W195, W209: as the real 4.0.5 and 4.3.6 did with these very files."""
    row = rehearsed[target]
    [queue] = row["queues"]
    assert (queue["name"], queue["before"], queue["after"]) == ("orders", 21, after)
    assert queue["order"] is (after == 21)
    assert queue["redelivered"] == after
    assert {kind for kind, _, _, count, _ in row["files"] if count} == left
    assert row["failure"] is None


def test_files_of_3_8_9_go_to_3_10_8() -> None:
    """V6: without a `.config`, as a real 3.10.8 did with what 3.8.9 left; everything counts as redelivered (Q33)."""
    files: dict[str, bytes] = {}
    with tarfile.open(RECORDINGS / "3.8.9" / "datadirs" / "kill-mixed.tar.xz") as archive:
        for member in archive.getmembers():
            opened = archive.extractfile(member) if member.isfile() else None
            if opened is not None and is_needed(member.name):
                files[member.name] = opened.read()
    answer, _ = reading.directory(gathered((path, [data]) for path, data in files.items()))
    [row] = answer["upgrades"]
    assert (row["target"], row["gate"]["accepted"], row["failure"]) == ("3.10.8", True, None)
    assert row["queues"]
    for queue in row["queues"]:
        assert (queue["after"], queue["order"], queue["redelivered"]) == (
            queue["before"],
            True,
            queue["after"],
        )


def test_the_gate_says_which_flags_are_missing_and_the_way(rehearsed: dict[str, dict[str, Any]]) -> None:
    """3.10 has never heard of what 4.0 requires, so no flag of its own opens the gate."""
    gate = rehearsed["4.0.5"]["gate"]
    assert not gate["accepted"]
    assert "stream_single_active_consumer" in gate["missing"]
    assert gate["way"] == ["3.11", "3.12", "3.13", "4.0"]
    assert not gate["listed"]
    assert rehearsed["3.10.8-v2"]["gate"]["accepted"]
    assert rehearsed["4.3.6"]["gate"]["way"][-2:] == ["4.0", "4.3"]


def test_the_node_s_own_list_is_read() -> None:
    """What has to be enabled before the first step comes from the list that lies beside the directory."""
    answer, _ = reading.directory(given(FLAGS))
    gate = next(row["gate"] for row in answer["upgrades"] if row["target"] == "4.0.5")
    assert gate["listed"]
    assert gate["enable_first"] == [
        "implicit_default_bindings",
        "maintenance_mode_status",
        "user_limits",
        "virtual_host_metadata",
    ]


@pytest.mark.parametrize("data", [b"", b"[a,b]", b"{a}.", b"[A]."])
def test_what_is_no_list_of_flags_is_none(data: bytes) -> None:
    assert ways.read_flags(data) is None
    assert ways.read_flags(b"[].") == frozenset()


def test_a_node_with_all_flags_passes() -> None:
    assert ways.gate("4.0", "4.3", ways.KNOWN["4.0"])["accepted"]
    assert ways.gate("4.0", "4.3", frozenset())["missing"]
    assert ways.gate("3.8", "3.10", frozenset())["accepted"]
