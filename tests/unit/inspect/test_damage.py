"""Damage is reported in sentences with offsets, and nothing makes the inspector crash."""

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.__main__ import main
from engine.damage import ReadingOptions
from engine.inspect.command import report_on

QUEUE = "queues/434QJ29PS1F7KJO6A26YZF1Z8"
STORE = "msg_store_persistent"


@pytest.fixture
def place(recordings: Path, tmp_path: Path) -> Path:
    copy = tmp_path / "vhost"
    shutil.copytree(recordings / "datadirs" / "clean-mixed", copy)
    for path in [copy, *copy.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    return copy


def damage(place: Path) -> list[tuple[str, str, int | None]]:
    return [(row["kind"], row["file"], row["offset"]) for row in report_on(place, ReadingOptions())["damage"]]


def change(path: Path, at: int, data: bytes) -> None:
    content = bytearray(path.read_bytes())
    content[at : at + len(data)] = data
    path.write_bytes(content)


def test_a_torn_journal(place: Path) -> None:
    path = place / QUEUE / "journal.jif"
    path.write_bytes(path.read_bytes()[:-3])
    assert damage(place) == [
        ("truncated", f"{QUEUE}/journal.jif", 596),
        ("contradiction", f"{QUEUE}/0.idx", None),  # the ack that is gone was counted when the node stopped
    ]


def test_zeros_behind_a_journal(place: Path) -> None:
    path = place / QUEUE / "journal.jif"
    path.write_bytes(path.read_bytes() + bytes(64))
    assert damage(place) == [("zeros", f"{QUEUE}/journal.jif", 604)]


def test_a_torn_segment(place: Path) -> None:
    path = place / QUEUE / "0.idx"
    path.write_bytes(path.read_bytes()[:50])
    kinds = damage(place)
    assert kinds[0] == ("truncated", f"{QUEUE}/0.idx", 36)
    assert kinds[1][:2] == ("garbage", f"{QUEUE}/0.idx")
    crash = report_on(place, ReadingOptions())["damage"][1]
    assert "A broker's recovery crashes" in crash["words"]
    assert crash["code"] == "recovery_crashes"
    assert crash["values"]["why"]["values"]["at"] == crash["offset"], "what is wrong keeps its own code"


def test_garbage_in_a_segment(place: Path) -> None:
    change(place / QUEUE / "0.idx", 36, b"\x00\x01")
    assert damage(place)[0] == ("garbage", f"{QUEUE}/0.idx", 36)


def test_a_wrong_marker_loses_one_message(place: Path) -> None:
    change(place / STORE / "0.rdq", 5217, b"\x00")
    found = damage(place)
    assert found[0] == ("wrong marker", f"{STORE}/0.rdq", 0)


def test_a_store_file_cut_off(place: Path) -> None:
    path = place / STORE / "0.rdq"
    path.write_bytes(path.read_bytes()[:40040])
    found = damage(place)
    assert found[0] == ("truncated", f"{STORE}/0.rdq", 40033)
    assert found[1] == ("truncated", f"{STORE}/0.rdq", 40040)
    assert ("missing", QUEUE, None) in found


def test_a_missing_store_file(place: Path) -> None:
    (place / STORE / "0.rdq").unlink()
    found = damage(place)
    assert ("missing", f"{STORE}/0.rdq", None) in found
    assert ("missing", QUEUE, None) in found


def test_a_queue_finds_the_config_above_it(place: Path) -> None:
    report = report_on(place / QUEUE, ReadingOptions())
    assert (report["kind"], report["name"], report["damage"]) == ("queue", "q.mixed", [])
    alone = place.parent / "alone"
    shutil.copytree(place / QUEUE, alone)
    assert report_on(alone, ReadingOptions(entry_count=2048))["messages_sha256"] == report["messages_sha256"]
    assert report_on(place / STORE, ReadingOptions())["kind"] == "store"


def test_the_command(place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", str(place)]) == 0
    assert "No damage found." in capsys.readouterr().out
    change(place / STORE / "0.rdq", 5217, b"\x00")
    assert main(["inspect", str(place), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["damage"][0] == {
        "file": f"{STORE}/0.rdq",
        "offset": 0,
        "kind": "wrong marker",
        "words": "The record at offset 0 ends with byte 0 instead of 255. A broker skips it.",
        "code": "wrong_marker",
        "values": {"at": 0, "found": 0, "wanted": 255},
    }
    assert main(["inspect", str(tmp_path / "absent")]) == 2
    (tmp_path / "empty").mkdir()
    assert main(["inspect", str(tmp_path / "empty")]) == 2
    assert main(["unknown"]) == 2


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_no_damage_crashes_it(place: Path, data: st.DataObject) -> None:
    files = sorted(path for path in place.rglob("*") if path.is_file() and path.name != "manifest.json")
    path = data.draw(st.sampled_from(files))
    before = path.read_bytes()
    content = bytearray(before)
    for _ in range(data.draw(st.integers(1, 5))):
        at = data.draw(st.integers(0, len(content)))
        piece = data.draw(st.binary(max_size=12) | st.integers(1, 99).map(bytes))
        if data.draw(st.booleans()):
            content[at : at + len(piece)] = piece
        else:
            del content[at : at + data.draw(st.integers(0, 300))]
    try:
        path.write_bytes(content)
        report = report_on(place, ReadingOptions())
        json.dumps(report)
    finally:
        path.write_bytes(before)
