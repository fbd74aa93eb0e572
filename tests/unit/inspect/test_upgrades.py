"""An upgrade rehearsed on files: the node's gate, and what becomes of the queues (W100, V6)."""

from __future__ import annotations

import json
import tarfile
from typing import Any

import pytest

from engine.broker.cluster import Cluster
from engine.broker.commands.scenario import parse
from engine.releases import PROFILES
from engine.replay import RunPlayer
from engine.storage.ledger import LedgerStorage
from playground.inspecting import next_release, reading, rehearsal
from playground.inspecting.uploads import ReleaseChoice, UnreadableInput, gathered, is_needed, read_choice
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
    assert next_release.read_flags(data) is None
    assert next_release.read_flags(b"[].") == frozenset()


def test_a_node_with_all_flags_passes() -> None:
    assert next_release.gate("4.0", "4.3", next_release.KNOWN["4.0"])["accepted"]
    assert next_release.gate("4.0", "4.3", frozenset())["missing"]
    assert next_release.gate("3.8", "3.10", frozenset())["accepted"]


DATADIRS = RECORDINGS / "v2" / "datadirs"


def directory_of(name: str) -> dict[str, bytes]:
    place = DATADIRS / name
    return {
        path.relative_to(place).as_posix(): path.read_bytes()
        for path in place.rglob("*")
        if path.is_file() and path.name != "manifest.json"
    }


def test_a_directory_of_4_0_goes_to_4_3_as_it_is() -> None:
    """W82, W110: every file stays; after an orderly stop what was delivered before is redelivered (W41)."""
    answer, _ = reading.directory(directory_of("clean-mixed-4.0.5"), ReleaseChoice(day=1.0))
    assert answer["source"] == "4.0"
    row, back = answer["upgrades"]
    assert (row["target"], row["gate"]["accepted"], row["failure"]) == ("4.3.6", True, None)
    assert all(
        before == after for _kind, *before_after in row["files"] for before, after in [two(before_after)]
    )
    found = {each["name"]: each for each in row["queues"]}
    assert all(each["order"] and each["before"] == each["after"] for each in found.values())
    assert all(each["redelivered"] == each["orderly"]["redelivered"] for each in found.values())
    assert answer["orderly"]["found"]
    assert all(each["orderly"]["order"] for each in found.values())
    assert {name: each["orderly"]["redelivered"] for name, each in found.items()} == {
        "q.ttl": 0, "q.mixed": 2, "q.drained": 0, "q.small": 5, "q.fan": 1, "q.large": 2, "q.purged": 0,
    }  # fmt: skip
    assert row["work"]["read"] > row["work"]["written"] > 0
    assert (back["target"], back["is_back"], back["gate"]["accepted"]) == ("3.10.8", True, False)
    assert back["queues"] == []


RECORDED = {
    release: json.loads((RECORDINGS / "upgrades" / f"{release}.json").read_text())["queues"]
    for release in ("3.10.8", "4.0.5", "4.3.6")
}
"""What real nodes made of 21 messages of a 3.10.8 in a queue of each version; 2 had been delivered before."""
CONVERTED = {1: "3.10.8-v2", 2: "3.10.8-v1"}


def left_in_journal(version: int) -> dict[str, bytes]:
    """Return the files of a killed 3.10.8 like that of the recordings: nothing has left the journal of version 1."""
    arguments = {"x-queue-version": version}
    publish = {"at_us": 0, "do": "publish", "persistent": True}
    run = {
        "version": 1,
        "profile": "real",
        "topology": {"queues": [{"name": "orders", "arguments": arguments}]},
        "commands": [
            {**publish, "count": count, "size_bytes": size} for count, size in ((10, 100), (3, 6000), (8, 9))
        ],
        "until_us": 1_000_000,
    }
    return played_files(run)


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("release", RECORDED)
def test_what_real_nodes_made_of_a_queue(release: str, version: int) -> None:
    """W100, W41: after a kill and after an orderly stop; of a journal alone 4.0.5 finds nothing after a kill."""
    answer, _ = reading.directory(left_in_journal(version), ReleaseChoice(profile="real"))
    target = CONVERTED[version] if release == "3.10.8" else release
    [queue] = next(row["queues"] for row in answer["upgrades"] if row["target"] == target)
    killed, stopped = (RECORDED[release][f"3.10.8 v{version} {how}"] for how in ("kill", "stop"))
    assert (queue["after"], queue["redelivered"]) == (killed["count"], killed["redelivered"])
    assert queue["orderly"]["after"] == stopped["count"]
    assert killed["numbers"] == sorted(killed["numbers"])
    assert queue["order"] is (killed["count"] == 21)
    assert queue["orderly"]["order"] is (stopped["count"] == 21)


def test_an_orderly_stop_comes_first_and_can_be_stepped_through() -> None:
    """Q63: its buffers are written, its store is closed, and its terms say that all was delivered (Q33)."""
    answer, _ = reading.directory(given())
    assert answer["orderly"]["saved"] == {"orders": True}
    assert answer["orderly"]["work"]["synced"] == 2
    stop, revived = reading.directory(given(), ReleaseChoice(stopped=True))
    assert revived is not None
    assert (stop["target"], stop["stopped"], stop["upgrades"]) == ("", True, [])
    # The page opens before the stop, which takes all from the stage.
    assert stop["started"]["at_us"] == 1_999_999
    rows = [row for part in reading.run(revived) for message in part for row in message.get("rows", ())]
    assert [row[0] for row in rows if row[0] in ("QueueStarted", "QueueStopped")][-2:] == [
        "QueueStarted",
        "QueueStopped",
    ]
    later, _ = reading.directory(
        directory_of("clean-mixed-4.0.5"), ReleaseChoice(target="4.3.6", stopped=True)
    )
    found = {row["name"]: (row["live"], row["back"], row["redelivered"]) for row in later["queues"]}
    assert found["q.small"] == (18, 18, 5)


def test_terms_that_4_0_5_loses_by_a_purge_make_a_dirty_start() -> None:
    """W201, S116.5: that queue's are redelivered, all of them; of others those that their own terms say."""
    answer, _ = reading.directory(directory_of("clean-purged-4.0.5"), ReleaseChoice(day=1.0))
    assert not answer["orderly"]["found"]
    row = answer["upgrades"][0]
    found = {each["name"]: (each["after"], each["redelivered"]) for each in row["queues"]}
    assert found["q.purged"] == (4, 4)
    assert (found["q.mixed"], found["q.small"], found["q.ttl"]) == ((12, 2), (11, 3), (4, 0))


def two(numbers: list[int]) -> tuple[list[int], list[int]]:
    return numbers[:2], numbers[2:]


def test_from_4_3_nothing_leads_back() -> None:
    answer, _ = reading.directory(directory_of("clean-mixed-4.3.6"))
    [row] = answer["upgrades"]
    assert (row["target"], row["is_back"], row["gate"]["accepted"]) == ("4.0.5", True, False)


def session(profile: str, arguments: dict[str, Any]) -> dict[str, bytes]:
    """Return the files of a session with messages of both sizes, some of them acknowledged."""
    run = {
        "version": 1,
        "profile": profile,
        "topology": {"queues": [{"name": "orders", "arguments": arguments}]},
        "commands": [
            {"at_us": 0, "do": "publish", "count": 30, "size_bytes": 100, "persistent": True},
            {"at_us": 0, "do": "publish", "count": 5, "size_bytes": 6000, "persistent": True},
        ],
        "until_us": 1_000_000,
    }
    return played_files(run)


def played_files(run: dict[str, Any]) -> dict[str, bytes]:
    storage = LedgerStorage()
    node = Cluster(parse(run), storage)
    for _piece in RunPlayer(node).play(1_000_000):
        pass
    return {path: storage.read_bytes(path, 0, storage.size(path) or 0) for path in storage.paths()}


@pytest.mark.parametrize(
    ("profile", "arguments", "source", "targets"),
    [
        ("3.8.9-classroom", {}, "3.8", {"3.10.8": 35}),
        (
            "classroom",
            {},
            "3.10",
            {"3.10.8-v2": 35, "3.10.8-v2-policy": 35, "4.0.5": 35, "4.3.6": 0},
        ),
        (
            "classroom",
            {"x-queue-version": 2},
            "3.10-v2",
            {"3.10.8-v1": 35, "3.10.8-v1-policy": 35, "4.0.5": 35, "4.3.6": 35},
        ),
        ("4.0.5-classroom", {}, "4.0", {"4.3.6": 35}),
    ],
)
def test_the_files_of_a_session_are_taken_to_another_release(
    profile: str, arguments: dict[str, Any], source: str, targets: dict[str, int]
) -> None:
    """W100, W195, W209, V6: at the session's own scale, with its own entries in a segment."""
    files = session(profile, arguments)
    release, scale = PROFILES[profile]
    entries = release.storage_settings(scale, {}).shown()["segment_entry_count"]
    choice = ReleaseChoice(profile=profile, entries=entries)
    answer, _ = reading.directory(files, choice)
    assert answer["source"] == source
    assert [(row["live"], row["back"]) for row in answer["queues"]] == [(35, 35)]
    played = {row["target"]: row for row in answer["upgrades"] if not row["is_back"]}
    assert {name: row["queues"][0]["after"] for name, row in played.items()} == targets
    assert all(row["queues"][0]["order"] is (row["queues"][0]["after"] == 35) for row in played.values())


def test_a_rehearsal_is_a_run_that_can_be_stepped_through() -> None:
    """The start of 4.0.5 on files of 3.10.8, as a scenario and as messages of a page; its files are converted."""
    answer, revived = reading.directory(given(), ReleaseChoice(target="4.0.5"))
    assert revived is not None
    assert answer["target"] == "4.0.5"
    assert answer["upgrades"] == []
    assert answer["started"]["scenario"]["profile"] == "4.0.5"
    assert [(row["live"], row["back"]) for row in answer["queues"]] == [(21, 21)]
    kinds = {row[0] for part in reading.run(revived) for message in part for row in message.get("rows", ())}
    assert "QueueStarted" in kinds


@pytest.mark.parametrize(
    ("arguments", "target", "before", "after"),
    [
        ({}, "3.10.8-v2-policy", {"idx", "jif", "rdq"}, {"qi", "qs", "rdq"}),
        ({"x-queue-version": 2}, "3.10.8-v1-policy", {"qi", "qs", "rdq"}, {"idx", "jif", "rdq"}),
    ],
)
def test_a_policy_converts_while_the_node_runs(
    arguments: dict[str, Any], target: str, before: set[str], after: set[str]
) -> None:
    """W2, W100: one start, then the policy; it can be stepped through from the moment before the policy."""
    files = session("classroom", arguments)
    answer, _ = reading.directory(files, ReleaseChoice(profile="classroom", entries=8))
    row = next(each for each in answer["upgrades"] if each["target"] == target)
    assert (row["failure"], row["orderly"]) == (None, None)
    assert [(each["before"], each["after"], each["order"]) for each in row["queues"]] == [(35, 35, True)]
    assert {kind for kind, count, *_ in row["files"] if count} == before
    assert {kind for kind, _, _, count, _ in row["files"] if count} == after
    # Of the conversion alone: the start on these files is not in it.
    assert 0 < row["work"]["written"] < 10_000
    stepped, revived = reading.directory(files, ReleaseChoice(profile="classroom", entries=8, target=target))
    assert revived is not None
    assert (stepped["started"]["at_us"], stepped["started"]["scenario"]["until_us"]) == (1_999_999, 3_000_000)
    kinds = [row[0] for part in reading.run(revived) for message in part for row in message.get("rows", ())]
    assert kinds.count("PolicySet") == 2 - ("version" in str(stepped["started"]["scenario"]["topology"]))
    assert kinds.count("QueueStarted") == 1


def test_the_second_start_of_4_3_after_an_orderly_stop_can_be_stepped_through() -> None:
    """W100: a queue's first start on such files fails; the second one finds no message, and leaves the files."""
    answer, _ = reading.directory(given())
    row = next(each for each in answer["upgrades"] if each["target"] == "4.3.6")
    assert (row["orderly"]["second"], row["orderly"]["failure"]) == (True, None)
    assert {kind for kind, _, _, count, _ in row["orderly"]["files"] if count} == {"idx", "jif", "rdq"}
    stepped, revived = reading.directory(given(), ReleaseChoice(target="4.3.6", stopped=True))
    assert revived is not None
    assert [(each["live"], each["back"]) for each in stepped["queues"]] == [(21, 0)]
    assert stepped["started"]["scenario"]["profile"] == "4.3.6"


def test_a_target_that_is_no_way_is_not_played() -> None:
    assert rehearsal.target_of("4.0", "3.10.8") is None
    assert rehearsal.target_of("4.0", "4.3.6") is not None


@pytest.mark.parametrize("text", ["[", "[]", '{"profile": "no such"}', '{"entries": 0}', "x" * 2000])
def test_what_is_no_choice_is_refused(text: str) -> None:
    with pytest.raises(UnreadableInput, match="choice"):
        read_choice(text)
