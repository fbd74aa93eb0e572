"""Inspect without a server: what a worker in the reader's browser runs, and the engine that is built for it."""

from __future__ import annotations

import hashlib
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from playground.hosting.solo import SoloSession
from playground.inspecting import revival, uploads
from playground.inspecting.browser_inspect import InspectSession
from tests.conftest import RECORDINGS
from tests.fuzz.damage import damaged, load
from tests.web.test_inspecting import LISTING, ROOT, sent, zipped

pytestmark = pytest.mark.django_db


@pytest.fixture
def reader(mixed: uploads.Files) -> InspectSession:
    found = InspectSession()
    found_report = json.loads(found.directory(json.dumps(list(mixed)), list(mixed.values())))
    assert found_report["stop"]["clean"]
    assert "recovery.dets" in found_report["stop"]["compared"]
    return found


def test_it_answers_as_the_server_does(mixed: uploads.Files) -> None:
    server = sent(files=zipped(mixed)).json()
    del server["started"]["parts"]
    packed = zipped(mixed)
    assert json.loads(InspectSession().directory(json.dumps(["data.zip"]), [packed.read()])) == server
    assert json.loads(InspectSession().listing(LISTING)) == sent(figures=LISTING).json()
    assert json.loads(InspectSession().listing("nothing of the kind")) == {
        "unreadable": "figures",
        "values": {},
    }


def test_a_directory_is_read_once_for_all_its_virtual_hosts(
    mixed: uploads.Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    usual = revival.report_on

    def counted(files: uploads.Files, *rest: Any) -> dict[str, Any]:
        read.append(len(files))
        return usual(files, *rest)

    monkeypatch.setattr(revival, "report_on", counted)
    hosts = ("FIRST", "SECOND")
    given = {f"msg_stores/vhosts/{host}/{path}": data for host in hosts for path, data in mixed.items()}
    paths, contents, session = json.dumps(list(given)), list(given.values()), InspectSession()
    assert len(json.loads(session.directory(paths, contents))["vhosts"]) == 2
    answers = [json.loads(session.directory(paths, contents, json.dumps({"vhost": host}))) for host in hosts]
    assert len(read) == 2
    alone = InspectSession().directory(json.dumps(list(mixed)), list(mixed.values()))
    assert [row["back"] for row in answers[1]["queues"]] == [
        row["back"] for row in json.loads(alone)["queues"]
    ]
    session.directory(paths, [*contents[:-1], contents[-1] + b"x"], json.dumps({"vhost": "FIRST"}))
    assert len(read) == 4


def test_only_a_brokers_files_are_opened() -> None:
    paths = ["v/queues/A/0.idx", "v/notes.txt", "__MACOSX/v/0.idx", "v/recovery.dets"]
    assert json.loads(InspectSession().needed(json.dumps(paths), json.dumps([1] * 4))) == [0, 3]


@pytest.mark.parametrize(
    ("paths", "size_bytes", "code", "most"),
    [
        (["0.idx", "1.idx"], uploads.MOST_BYTES_OWN, "too_many_bytes", 256),
        (["data.zip"], 2 * uploads.MOST_BYTES_OWN + 1, "too_many_bytes", 512),
        ([f"{each}.idx" for each in range(uploads.MOST_FILES + 1)], 1, "too_many_files", uploads.MOST_FILES),
    ],
)
def test_what_a_tab_cannot_hold_is_refused_before_it_is_read(
    paths: list[str], size_bytes: int, code: str, most: int
) -> None:
    sizes = json.dumps([size_bytes] * len(paths))
    answer = json.loads(InspectSession().needed(json.dumps(paths), sizes))
    assert answer == {"unreadable": code, "values": {"most": most}}


def test_files_that_are_not_read_count_for_nothing() -> None:
    sizes = json.dumps([uploads.MOST_BYTES_OWN, 2**40])
    assert json.loads(InspectSession().needed(json.dumps(["0.idx", "notes.txt"]), sizes)) == [0]


def test_a_tab_without_memory_is_said_in_words(mixed: uploads.Files, monkeypatch: pytest.MonkeyPatch) -> None:
    def none_left(*_given: Any) -> Any:
        raise MemoryError

    monkeypatch.setattr("playground.inspecting.reading.directory", none_left)
    answer = InspectSession().directory(json.dumps(list(mixed)), list(mixed.values()))
    assert json.loads(answer) == {"unreadable": "tab_memory", "values": {}}


def test_any_record_is_shown_byte_by_byte(reader: InspectSession) -> None:
    path = "msg_store_persistent/0.rdq"
    listed = json.loads(reader.records(path, 0))
    assert [row[0] for row in listed["records"][:3]] == [0, 5218, 10536]
    offset, size, kind, _entry = listed["records"][1]
    found_report = json.loads(reader.bytes_at(path, offset, size))
    assert kind == "content"
    assert found_report["hex"].startswith("00001462  00 00 00 00 00 00 14 bd")
    assert ["message id", "67d7432fb3f9a3db5a68468bcf8f26cd"] in [
        field[2:] for field in found_report["fields"]
    ]
    assert json.loads(reader.records("no/such.rdq", 0)) == {"unreadable": "no_record", "values": {}}


def test_a_session_goes_on_from_the_start_on_the_files(reader: InspectSession) -> None:
    heard: list[dict[str, Any]] = []
    solo = reader.begin(2_000_000, lambda text: heard.append(json.loads(text)), lambda log: None)
    solo.receive('{"t": "hello"}')
    _until(solo, heard, "snapshot")
    publish = {"do": "publish", "count": 3, "size_bytes": 10, "persistent": True, "routing_key": "q.lazy"}
    solo.receive(json.dumps({"t": "command", "id": 1, "command": publish}))
    _until(solo, heard, "accepted")
    solo.receive('{"t": "record", "id": 2, "question": {"seq": "4"}}')
    counts = {name: queue["counters"]["len"] for name, queue in _state(heard)["queues"].items()}
    assert counts == {"q.mixed": 16, "q.lazy": 5}
    record = next(each["record"] for each in heard if each["t"] == "record")
    assert record["msg_id"] == "b4d3103f201dc06788cf12d6714364f5"
    assert not [each for each in heard if each["t"] == "refused"]


def _until(solo: SoloSession, heard: list[dict[str, Any]], kind: str) -> None:
    for _ in range(1000):
        if any(each["t"] == kind for each in heard):
            return
        solo.turn()
    raise AssertionError(f"no {kind} came, only {[each['t'] for each in heard]}")


def _state(heard: list[dict[str, Any]]) -> dict[str, Any]:
    return next(each["state"] for each in heard if each["t"] == "snapshot")


@pytest.mark.parametrize("seed", range(100, 108))
def test_it_survives_damaged_files(recordings: Path, seed: int) -> None:
    """As the fuzz tests damage them: an answer, each finding in words, and every file can be looked into."""
    files = damaged(load(recordings / "datadirs" / ("clean-mixed", "dirty-mixed")[seed % 2]), seed)
    reader = InspectSession()
    found_report = json.loads(reader.directory(json.dumps(list(files)), list(files.values())))
    assert "unreadable" in found_report or all(each["words"] for each in found_report["damage"])
    for each in found_report.get("files", ()):
        listed = json.loads(reader.records(each["path"], 0))
        for offset, size, _kind, _entry in listed.get("records", ())[:20]:
            assert json.loads(reader.bytes_at(each["path"], offset, size))["hex"]
    if found_report.get("started"):
        reader.begin(found_report["started"]["scenario"]["until_us"], lambda text: None, lambda log: None)


def built(folder: Path, name: str, source: bytes) -> None:
    """Write what `make wasm` would of one module."""
    (folder / "engine.zip").write_bytes(b"PK")
    (folder / "sources.json").write_text(json.dumps({name: hashlib.sha256(source).hexdigest()}))


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("engine/values/errors.py", b"# as it was yesterday\n"),
        ("engine/no_longer_there.py", (ROOT / "engine/values/errors.py").read_bytes()),
    ],
    ids=("another text", "a module that is gone"),
)
def test_a_build_of_other_sources_does_not_pass_for_this_servers_engine(
    tmp_path: Path, settings: Any, name: str, source: bytes
) -> None:
    settings.WASM_DIR = tmp_path
    built(tmp_path, name, source)
    data = Client().get("/inspect/").context["inspect_data"]
    assert (data["worker"], data["outdated"], data["server"]) == ("", True, "/inspect/")
    for text in ("", "{}x", "[]"):
        (tmp_path / "sources.json").write_text(text)
        assert Client().get("/inspect/").context["inspect_data"]["outdated"]
    (tmp_path / "sources.json").unlink()  # built by a version that did not write it
    assert Client().get("/inspect/").context["inspect_data"]["outdated"]
    built(tmp_path, "engine/values/errors.py", (ROOT / "engine/values/errors.py").read_bytes())
    data = Client().get("/inspect/").context["inspect_data"]
    assert (data["worker"], data["outdated"]) == ("/inspect/engine/worker.js", False)


def test_the_engine_is_served_once_it_is_built(tmp_path: Path, settings: Any) -> None:
    settings.WASM_DIR = tmp_path
    assert Client().get("/inspect/engine/worker.js").status_code == 404
    assert b'"worker": ""' in Client().get("/inspect/").content
    built(tmp_path, "engine/values/errors.py", (ROOT / "engine/values/errors.py").read_bytes())
    (tmp_path / "snapshot-0.bin").write_bytes(b"memory")
    assert Client().get("/inspect/engine/snapshot-0.bin").status_code == 200
    answer = Client().get("/inspect/engine/worker.js")
    assert "wasm-unsafe-eval" in answer["Content-Security-Policy"]
    assert b"startPython" in b"".join(answer.streaming_content)  # type: ignore[attr-defined]
    assert b'"worker": "/inspect/engine/worker.js"' in Client().get("/inspect/").content
    assert Client().get("/inspect/engine/values/settings.py").status_code == 404


@pytest.mark.parametrize(
    ("example", "recorded", "without"),
    [
        ("killed-3.10.8", "datadirs/dirty-mixed", {"manifest.json"}),
        (
            "store-file-lost-3.10.8",
            "datadirs/dirty-mixed",
            {"manifest.json", "msg_store_persistent/0.rdq"},
        ),
        ("killed-4.3.6", "v2/datadirs/kill9-segments-4.3.6", {"manifest.json"}),
    ],
)
def test_an_example_is_what_a_real_node_left(
    repo_root: Path, example: str, recorded: str, without: set[str]
) -> None:
    directory = RECORDINGS / recorded
    left = {
        path.relative_to(directory).as_posix(): path.read_bytes()
        for path in directory.rglob("*")
        if path.is_file()
    }
    with zipfile.ZipFile(repo_root / "static" / "inspect" / f"{example}.zip") as packed:
        assert {name: packed.read(name) for name in packed.namelist()} == {
            name: data for name, data in left.items() if name not in without
        }
