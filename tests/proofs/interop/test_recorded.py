"""The engine on directories that nodes of 4.x left: each message as the broker had it; `make interop` is live."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import pytest

from engine.releases import RELEASES
from tests.conftest import RECORDINGS
from tools.proofs.interop import clean_stop
from tools.proofs.interop.host import forget_clean_stop
from tools.proofs.interop.host_v2 import HostV2

COMPARED = ("delivery_mode", "headers")
DIRECTORIES = sorted((RECORDINGS / "v2" / "datadirs").iterdir())


@pytest.mark.parametrize("directory", DIRECTORIES, ids=lambda path: path.name)
def test_the_engine_finds_what_the_broker_found(directory: Path, tmp_path: Path) -> None:
    """W94-W97, W150, W200, W201: clean and dirty starts, and those that become dirty by a fault of the stop."""
    manifest = json.loads((directory / "manifest.json").read_text())
    place = tmp_path / "vhost"
    shutil.copytree(directory, place)
    left = clean_stop.of_node(place) if manifest["stop"] == "stop" else None
    forget_clean_stop(place)
    host = HostV2(
        place, release=manifest["version"], left=left, segment_entry_count=manifest["segment_entry_count"]
    )
    host.recover()
    found = {}
    for queue in host.queues:
        seen, _ = host.take(queue)
        found[queue] = [
            {
                "body": each.body[: len("m000000:")].decode(),
                "size": len(each.body),
                "body_sha256": hashlib.sha256(each.body).hexdigest()[:16],
                "redelivered": each.redelivered,
                **{name: value for name, value in (each.properties or {}).items() if name in COMPARED},
            }
            for each in seen
        ]
    for queue in manifest["queues"]:
        expected = [
            {**each, **({"headers": sorted(each["headers"])} if "headers" in each else {})}
            for each in queue["messages"]
        ]
        assert found.get(queue["name"], []) == expected, queue["name"]


def test_what_the_broker_saved_survives_the_way_through_the_engine(tmp_path: Path) -> None:
    """W94, S212: read, started on, stopped again without a change, it is the same but for what the start took."""
    place = tmp_path / "vhost"
    shutil.copytree(RECORDINGS / "v2" / "datadirs" / "clean-mixed-4.3.6", place)
    left = clean_stop.of_node(place)
    forget_clean_stop(place)
    host = HostV2(place, release="4.3.6", left=left)
    host.recover()
    terms = {name: queue.terminate() for name, queue in host.queues.items()}
    host.settle()
    host.stores[0].terminate()
    assert left.stop is not None
    again = clean_stop.of_engine(host.storage, host.codec, left.stop.refs)
    assert {row for row in again.rows if row[1]} == {row for row in left.stop.rows if row[1]}
    assert again.files == left.stop.files
    assert sorted(each.persistent_count for each in terms.values() if each) == sorted(
        each.persistent_count for each in left.terms.values()
    )


def test_every_release_of_today_has_directories() -> None:
    names = {row.name for row in RELEASES.values() if row.name.startswith("4.")}
    assert {json.loads((each / "manifest.json").read_text())["version"] for each in DIRECTORIES} == names
