"""Inspect on directories of nodes of 4.0.5 and 4.3.6: what is there, what a start brings back, what is damaged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from playground.inspecting import reading
from playground.inspecting.uploads import ReleaseChoice

DIRECTORIES = Path(__file__).parents[1] / "recordings" / "v2" / "datadirs"
NAMES = sorted(each.name for each in DIRECTORIES.iterdir())
LOST = {"clean-manysegments-4.0.5": 1, "clean-manysegments-4.3.6": 1, "kill9-segments-4.3.6": 3}
"""Findings that are true: what W200 lost, and bodies that a kill kept from being written."""


def files_of(name: str) -> dict[str, bytes]:
    place = DIRECTORIES / name
    return {
        path.relative_to(place).as_posix(): path.read_bytes()
        for path in place.rglob("*")
        if path.is_file() and path.name != "manifest.json"
    }


def inspected(files: dict[str, bytes]) -> dict[str, Any]:
    return reading.directory(files, ReleaseChoice(day=1.0))[0]


@pytest.mark.parametrize("name", NAMES)
def test_a_directory_of_4_x_is_read_as_its_node_found_it(name: str) -> None:
    """W83, W97, W112, W143, W160: release, messages, which come back and which as redelivered, and no false damage."""
    manifest = json.loads((DIRECTORIES / name / "manifest.json").read_text())
    found = inspected(files_of(name))
    assert found["release"] == manifest["version"].rpartition(".")[0]
    assert found["failure"] is None
    lasting = {
        queue["name"]: [each for each in queue["messages"] if each["delivery_mode"] == 2]
        for queue in manifest["queues"]
    }
    rows = {row["name"]: row for row in found["queues"]}
    assert {each: rows[each]["back"] for each in lasting} == {each: len(lasting[each]) for each in lasting}
    assert {each: rows[each]["redelivered"] for each in lasting} == {
        each: sum(message["redelivered"] for message in lasting[each]) for each in lasting
    }
    assert len(found["damage"]) == LOST.get(name, 0)


SMALL = "queues/8HKCHMCHLHJ9DDASIPO7XLLO6/0"
STORE = "msg_store_persistent/0.rdq"


@pytest.mark.parametrize(
    ("path", "damage", "code", "offset"),
    [
        (f"{SMALL}.qi", lambda data: data[:20], "index_header", 0),
        (f"{SMALL}.qi", lambda data: b"RCQX" + data[4:], "index_header", 0),
        (f"{SMALL}.qi", lambda data: data[:-5], "slot_cut_off", None),
        (f"{SMALL}.qs", lambda data: data[:20], "body_header", 0),
        (f"{SMALL}.qs", lambda data: b"RCQX" + data[4:], "body_magic", 0),
        (f"{SMALL}.qs", lambda data: data[:-1], "body_cut_off", None),
        (f"{SMALL}.qs", lambda data: data[:-1] + bytes([data[-1] ^ 1]), "body_checksum", None),
        (STORE, lambda data: data[:-1], "store_record_cut_off", None),
        (STORE, lambda data: data[:-1] + b"\0", "wrong_marker", None),
    ],
)
def test_damage_is_named_with_its_file_and_offset(
    path: str, damage: Any, code: str, offset: int | None
) -> None:
    """W205, W120, W143."""
    files = files_of("clean-mixed-4.3.6")
    files[path] = damage(files[path])
    found = [each for each in inspected(files)["damage"] if each["code"] == code]
    assert found, code
    assert all(each["file"] == path for each in found)
    if offset is not None:
        assert found[0]["offset"] == offset
    else:
        assert 0 < found[0]["offset"] < len(files[path]) + 1


def test_a_slot_that_is_neither_live_nor_empty_is_named() -> None:
    """W205: a status byte of 2 ends that queue's process at each start; the other queues start."""
    files = files_of("kill9-mixed-4.0.5")
    data = bytearray(files[f"{SMALL}.qi"])
    at = next(at for at in range(64, len(data), 32) if data[at] == 1)
    data[at] = 2
    files[f"{SMALL}.qi"] = bytes(data)
    found = inspected(files)
    assert [(each["code"], each["offset"]) for each in found["damage"]] == [("slot_status", at)]
    assert found["failure"] is None
    dead = [row for row in found["queues"] if row["ends"] == "dead"]
    assert [(row["dir"], row["back"]) for row in dead] == [(SMALL.rpartition("/")[0], None)]
    assert all(row["back"] is not None for row in found["queues"] if row not in dead)


def test_a_queue_alone_is_recognised() -> None:
    files = files_of("clean-segments-4.3.6")
    below = SMALL.rpartition("/")[0] + "/"
    alone = {path.removeprefix(below): data for path, data in files.items() if path.startswith(below)}
    found = inspected(alone)
    assert found["release"] == "4.3"
    assert [row["back"] for row in found["queues"]] == [18]
