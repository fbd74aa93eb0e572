"""Queue directories that a running RabbitMQ 3.10.8 wrote, opened by this index (S240-S243)."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from engine.values.extents import PERSISTENT
from engine.values.sizes import at
from engine.values.stretches import Range, RangeSet
from tests.unit.classic_v1.index.harness import Harness

NAMES = ("clean-mixed", "dirty-mixed", "clean-17000")


def opened(folder: Path, queue: dict[str, Any], size: int) -> Harness:
    it = Harness(size=size)
    for file in sorted((folder / queue["dir"]).iterdir()):
        it.put(file.name, file.read_bytes())
    return it


def manifest_of(folder: Path) -> dict[str, Any]:
    manifest: dict[str, Any] = json.loads((folder / "manifest.json").read_text())
    return manifest


def lines(it: Harness) -> dict[int, tuple[str, int, bool, int]]:
    found = {}
    _, end = it.index.bounds()
    for each in it.index.read(0, end):
        for i in range(each.count):
            found[each.start + i] = (
                it.codec.id_bytes(each.msg_no + i).hex(),
                at(each.size_bytes, each.msg_no + i),
                each.flags & PERSISTENT != 0,
                each.expiry_us,
            )
    return found


@pytest.mark.parametrize("name", NAMES)
def test_clean_opening_finds_every_live_message(recordings: Path, name: str) -> None:
    """S112, S241."""
    folder = recordings / "datadirs" / name
    manifest = manifest_of(folder)
    terms = {each["queue_dir"]: each["segments"] for each in manifest["recovery_dets"]}
    for queue in manifest["queues"]:
        it = opened(folder, queue, manifest["segment_entry_count"])
        segments = [tuple(row) for row in terms.get(Path(queue["dir"]).name, [(0, queue["live_messages"])])]
        it.restart(segments, store_clean=True)
        it.index.verify()
        assert it.folded() == it.index.snapshot()
        found = lines(it)
        assert len(found) == queue["live_messages"]
        for message in queue["messages"]:
            if message["acked"]:
                assert message["seq"] not in found
            else:
                assert found[message["seq"]] == (
                    message["msg_id"],
                    message["size"],
                    message["persistent"],
                    message["expiry_us"] or 0,
                )


def test_the_big_queue_message_for_message(recordings: Path) -> None:
    folder = recordings / "datadirs" / "clean-17000"
    manifest = manifest_of(folder)
    (queue,) = manifest["queues"]
    it = opened(folder, queue, manifest["segment_entry_count"])
    it.restart([(0, 16184), (1, 616)], store_clean=True)
    digest = hashlib.sha256()
    for segment in (0, 1):
        slots, _ = it.index.segments.load(segment)
        for slot in slots:
            publish = slot.publish
            assert publish is not None
            for i in range(slot.count):
                digest.update(
                    f"{slot.start + i} {int(publish.persistent)} {it.codec.id_bytes(publish.msg_no + i).hex()} "
                    f"{publish.size_bytes} {publish.expiry_us} {int(publish.embedded)} "
                    f"{int(slot.delivered)} {int(slot.acked)}\n".encode()
                )
    assert digest.hexdigest() == queue["messages_sha256"]


@pytest.mark.parametrize("name", ["clean-mixed", "dirty-mixed"])
def test_dirty_opening_keeps_what_the_node_kept(recordings: Path, name: str) -> None:
    """S113, S241."""
    folder = recordings / "datadirs" / name
    manifest = manifest_of(folder)
    (store,) = (each for each in manifest["stores"] if each["dir"] == "msg_store_persistent")
    stored = {record["msg_id"] for file in store["files"] for record in file["list"]}
    for queue in manifest["queues"]:
        it = opened(folder, queue, manifest["segment_entry_count"])

        def contains(asked: Range, it: Harness = it) -> RangeSet:
            held = range(asked.start, asked.end)
            return RangeSet(Range(n, 1) for n in held if it.codec.id_bytes(n).hex() in stored)

        before = opened(folder, queue, manifest["segment_entry_count"])
        references = before.index.store_references()
        recovered = it.restart(contains=contains)
        expected = manifest["after_restart_by_rabbitmq"][queue["name"]]
        assert recovered.count == expected["messages_ready"]
        assert recovered.size_bytes == expected["message_bytes_ready"]
        assert it.index.bounds() == (0, 2048)
        it.index.verify()
        assert it.folded() == it.index.snapshot()
        large = [each for each in it.index.read(0, 2048) if each.home_store]
        assert sum(each.count for each in references) == sum(each.count for each in large)


def test_an_embedded_message_of_another_node_keeps_its_bytes(recordings: Path) -> None:
    """A dirty recovery moves the journal's messages into the segment file byte for byte."""
    folder = recordings / "datadirs" / "dirty-mixed"
    manifest = manifest_of(folder)
    queue = manifest["queues"][0]
    it = opened(folder, queue, 2048)
    journal = it.bytes_of("journal.jif")
    it.restart()
    segment = it.bytes_of("0.idx")
    assert journal is not None
    assert segment is not None
    for record in queue["journal"]["list"]:
        if record["kind"] == "pub":
            begin = record["offset"] + 8
            assert journal[begin : begin + 32 + record["embedded_bytes"]] in segment
