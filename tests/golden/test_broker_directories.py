"""Data directories that a real broker wrote, compared with what its own readers found in them."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from engine.classic_v1.formats.journal import decode_journal
from engine.classic_v1.formats.record import decode_store
from engine.classic_v1.formats.segment import decode_segment
from engine.damage import ReadingOptions
from engine.formats.message import MessageCodec
from engine.formats.names import queue_directory
from engine.inspect.directory_kinds import inspect
from engine.storage.directory import DirectoryStorage

NAMES = ("clean-mixed", "clean-17000", "dirty-mixed")
NOT_DECODED = {"crosschecked_with_scan_queue_segments", "crosschecked_with_scan_file_for_valid_messages"}


@pytest.fixture(params=NAMES)
def place(request: pytest.FixtureRequest, recordings: Path) -> Path:
    name: str = request.param
    return recordings / "datadirs" / name


def manifest(place: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((place / "manifest.json").read_text())
    return found


def decoded(place: Path) -> dict[str, Any]:
    report = inspect(DirectoryStorage(str(place)), ReadingOptions(list_most=1 << 62))
    found: dict[str, Any] = json.loads(json.dumps(report))
    return found


def assert_says_the_same(expected: Any, found: Any, where: str = "") -> None:
    """Everything in `expected` is in `found`; a record list that the manifest leaves out is not compared."""
    if isinstance(expected, dict):
        for key, value in expected.items():
            if key not in NOT_DECODED:
                assert key in found, f"{where}.{key}"
                assert_says_the_same(value, found[key], f"{where}.{key}")
    elif isinstance(expected, list):
        assert len(expected) == len(found), where
        for at, (one, other) in enumerate(zip(expected, found, strict=True)):
            assert_says_the_same(one, other, f"{where}[{at}]")
    else:
        assert expected == found, where


def by_name(rows: list[dict[str, Any]], key: str) -> dict[str, dict[str, Any]]:
    return {row[key]: row for row in rows}


def test_everything_in_the_manifest(place: Path) -> None:
    """S212, S243."""
    expected, found = manifest(place), decoded(place)
    for key in ("vhost", "vhost_dir", "segment_entry_count"):
        assert found[key] == expected[key]
    assert {**by_name(found["files"], "path"), **by_name(expected["files"], "path")} == by_name(
        found["files"], "path"
    )
    ours = by_name(found["queues"], "name")
    for queue in expected["queues"]:
        mine = ours[queue["name"]]
        by_seq = {message["seq"]: message for message in mine["messages"]}
        assert mine["messages_sha256"] == queue["messages_sha256"]
        for message in queue.pop("messages"):
            assert by_seq[message["seq"]] == message
        assert mine["dir"] == "queues/" + queue_directory("/", queue["name"])
        assert_says_the_same(queue, mine, queue["name"])
    assert len(ours) == len(expected["queues"])
    dropped = {row["path"] for row in expected["dropped"]}
    stores = by_name(found["stores"], "dir")
    for store in expected["stores"]:
        mine = stores[store["dir"]]
        store["files"] = [row for row in store["files"] if f"{store['dir']}/{row['file']}" not in dropped]
        if f"{store['dir']}/msg_store_index.ets" in dropped:
            del store["index_rows"]
        assert_says_the_same(store, mine, store["dir"])


def test_only_what_was_left_out_is_missing(place: Path) -> None:
    expected, found = manifest(place), decoded(place)
    damage = [(each["kind"], each["file"]) for each in found["damage"]]
    if expected["dropped"]:
        lost = expected["queues"][0]
        assert damage == [("missing", "msg_store_persistent/0.rdq"), ("missing", lost["dir"])]
        assert (
            f"Live persistent messages without a record in msg_store_persistent: {lost['live_messages']};"
            in found["damage"][1]["words"]
        )
    else:
        assert damage == []


def test_every_file_is_written_back_byte_for_byte(place: Path) -> None:
    codec = MessageCodec()
    count = manifest(place)["segment_entry_count"]
    decoders = {
        ".idx": lambda path, data: decode_segment(data, int(path.stem), count, codec),
        ".jif": lambda path, data: decode_journal(data, codec),
        ".rdq": lambda path, data: decode_store(data, codec),
    }
    seen = set()
    for path in sorted(place.rglob("*")):
        if path.suffix in decoders:
            data = path.read_bytes()
            chunks = decoders[path.suffix](path, data)
            assert b"".join(chunk.encode() for chunk in chunks) == data
            assert not any(getattr(chunk, "plain", False) for chunk in chunks)
            seen.add(path.suffix)
    assert seen == set(decoders)


def test_a_whole_node(recordings: Path, tmp_path: Path) -> None:
    vhost = tmp_path / "msg_stores" / "vhosts" / "628WB79CIFDYO9LJI6DKMI09L"
    shutil.copytree(recordings / "datadirs" / "clean-mixed", vhost)
    report = inspect(DirectoryStorage(str(tmp_path)), ReadingOptions())
    assert report["kind"] == "node"
    assert report["damage"] == []
    assert [queue["name"] for queue in report["vhosts"][0]["queues"]] == ["q.mixed", "q.lazy"]
    assert report["vhosts"][0]["stores"][0]["dir"] == "msg_store_persistent"
