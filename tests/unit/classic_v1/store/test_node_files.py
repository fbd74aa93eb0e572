"""Store files that a real broker wrote (S206, S207, S241)."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from engine.classic_v1.transitions import FilesCombined
from engine.storage.directory import DirectoryStorage
from engine.values.stretches import Range
from tests.unit.classic_v1.store.harness import DIRECTORY, Harness, extent


@pytest.fixture(params=["clean-mixed", "dirty-mixed"])
def recorded(request: pytest.FixtureRequest, recordings: Path, tmp_path: Path) -> tuple[Harness, Any]:
    """Return a store over a copy of a recorded directory, and the directory's manifest."""
    source = recordings / "datadirs" / request.param
    shutil.copytree(source / DIRECTORY, tmp_path / DIRECTORY)
    for path in (tmp_path / DIRECTORY).iterdir():
        path.chmod(0o644)
    (tmp_path / DIRECTORY).chmod(0o755)
    world = Harness(DirectoryStorage(str(tmp_path), fsync=False), limit=60000)
    return world, json.loads((source / "manifest.json").read_text())


def references(world: Harness, manifest: Any) -> list[tuple[int, int]]:
    """Return what the recorded queues refer to."""
    return [
        (world.codec.msg_no_of(bytes.fromhex(message["msg_id"])), 1)
        for queue in manifest["queues"]
        for message in queue["messages"]
        if message["persistent"] and not message["acked"] and not message["embedded_bytes"]
    ]


def test_a_dirty_start_finds_what_the_broker_had(recorded: tuple[Harness, Any]) -> None:
    world, manifest = recorded
    wanted = references(world, manifest)
    assert not world.store.start([], lambda: wanted)
    [recorded_store] = [each for each in manifest["stores"] if each["dir"] == DIRECTORY]
    [file] = recorded_store["files"]
    everything = {
        world.codec.msg_no_of(bytes.fromhex(each["msg_id"])): (0, each["offset"], each["total_size"])
        for each in file["list"]
    }
    assert {n: place[1:] for n, place in world.places().items()} == {
        msg_no: everything[msg_no] for msg_no, _ in wanted
    }
    if recorded_store["index_rows"] is not None:
        rows = {
            world.codec.msg_no_of(bytes.fromhex(msg_id)): (refs, number, offset, size)
            for msg_id, refs, number, offset, size in recorded_store["index_rows"]
            if refs
        }
        assert world.places() == rows
    assert list(world.sizes()) == ["0.rdq"], "the broker's notes of its stop are gone"
    world.check()


def test_a_broker_s_records_are_moved_byte_for_byte(recorded: tuple[Harness, Any]) -> None:
    world, manifest = recorded
    wanted = references(world, manifest)
    world.store.start([], lambda: wanted)
    client = world.client()
    client.side.write(extent(0, 120, record_bytes=1087))
    world.store.settle()
    before = {n: _record(world, n) for n, _ in wanted}
    gone = [n for n, _ in wanted][1::2]
    client.side.remove([Range(number, 1) for number in gone])
    client.side.remove([Range(0, 40), Range(57, 55)])
    world.store.settle()
    assert [(t.source, t.destination) for t in world.of(FilesCombined)] == [(1, 0)]
    for number, _ in wanted:
        if number not in gone:
            assert _record(world, number) == before[number]
    world.check()


def _record(world: Harness, msg_no: int) -> bytes:
    _, file, offset, record_bytes = world.places()[msg_no]
    return world.storage.read_bytes(f"{DIRECTORY}/{file}.rdq", offset, record_bytes)
