"""Records of a session's real files, field by field, and its files to take away."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.test import Client

from engine import releases
from playground.hosting.file_records import RecordReader
from playground.hosting.real_engine import door
from playground.limits import work_places
from playground.sessions import live_hosts

pytestmark = pytest.mark.django_db

SCENARIO = {"version": 1, "profile": "classroom"}
PROFILES = {each.name: each.profiles["classroom"] for each in releases.RELEASES.values()}
JSON = {"accept": "application/json"}


@pytest.fixture
def session_id(client: Client) -> str:
    """Return a session whose files are there, as its host would have made them."""
    found = str(client.post("/s/new")["Location"].split("/")[2])
    with running(found) as node:
        node.submit({"do": "publish", "count": 20, "size_bytes": 6000, "persistent": True})
        node.submit({"do": "publish", "count": 3, "size_bytes": 40, "persistent": True})
        node.advance(5_000_000)
    return found


@contextmanager
def running(session_id: str, profile: str = "classroom") -> Iterator[Any]:
    path = live_hosts.registry().directory.fresh(session_id)
    node, files = door().open(door().check({**SCENARIO, "profile": profile}), str(path), 2**28)
    yield node
    files.close()


def root(session_id: str) -> Path:
    return Path(live_hosts.registry().directory.of(session_id))


def ask(client: Client, session_id: str, **query: Any) -> dict[str, Any]:
    response = client.get(f"/s/{session_id}/record", query, headers=JSON)
    assert response.status_code == 200, response.content
    return dict(response.json())


def assert_true_bytes(session_id: str, reply: dict[str, Any]) -> None:
    """What is shown is what the file has, and the fields cover the record."""
    data = (root(session_id) / reply["path"]).read_bytes()[reply["offset"] : reply["offset"] + reply["size"]]
    at, shown = 0, bytes.fromhex(reply["hex"])
    for field in reply["fields"]:
        assert field["offset"] == at
        assert data[at : at + field["shown"]] == shown[: field["shown"]]
        shown = shown[field["shown"] :]
        at += field["length"]
    assert at == reply["size"]
    assert shown == b""


def body_of(answer: Any) -> bytes:
    async def gather() -> bytes:
        return b"".join([part async for part in answer.streaming_content])

    data: bytes = async_to_sync(gather)()
    return data


def store_file(session_id: str) -> Path:
    return next(path for path in sorted(root(session_id).rglob("*.rdq")) if path.stat().st_size)


def test_a_message_is_found_in_the_index_and_its_id_in_the_store(client: Client, session_id: str) -> None:
    reply = ask(client, session_id, seq=3)
    assert_true_bytes(session_id, reply)
    assert (reply["kind"], reply["seq"], reply["embedded"]) == ("publish", 3, 0)
    number = store_file(session_id).stem
    stored = ask(client, session_id, file=f"persistent:{number}", offset=0, whose=1)
    assert_true_bytes(session_id, stored)
    assert stored["seq"] is not None
    assert ask(client, session_id, seq=stored["seq"])["msg_id"] == stored["msg_id"]
    body = next(field for field in stored["fields"] if field["part"] == "body")
    assert (body["length"], body["shown"]) == (6000, 512)


def test_each_queue_has_its_own_index(client: Client) -> None:
    found = str(client.post("/s/new")["Location"].split("/")[2])
    path = live_hosts.registry().directory.fresh(found)
    queues = [{"name": "orders"}, {"name": "audit"}, {"name": "urgent", "arguments": {"x-max-priority": 2}}]
    node, files = door().open(door().check({**SCENARIO, "topology": {"queues": queues}}), str(path), 2**28)
    for name, size in (("orders", 6000), ("audit", 7000), ("urgent", 8000)):
        node.submit(
            {"do": "publish", "count": 4, "size_bytes": size, "persistent": True, "routing_key": name}
        )
        node.advance(node.now_us + 5_000_000)
    files.close()
    reply = {name: ask(client, found, queue=name, seq=1) for name in ("orders", "audit", "urgent:0")}
    assert len({each["path"] for each in reply.values()}) == 3
    assert len({each["msg_id"] for each in reply.values()}) == 3
    for name, each in reply.items():
        again = ask(client, found, queue=name, file=each["file"], offset=each["offset"])
        assert (again["path"], again["msg_id"]) == (each["path"], each["msg_id"])
    assert "no record" in ask(client, found, queue="nobody", seq=1)["waiting"]

    number = store_file(found).stem
    where = {"file": f"persistent:{number}", "offset": 0, "whose": 1}
    owners = [name for name in reply if ask(client, found, queue=name, **where)["seq"] is not None]
    assert owners == ["orders"]


@pytest.mark.parametrize("profile", releases.PROFILES)
def test_an_entry_is_found_behind_the_first_segment(client: Client, profile: str) -> None:
    """In whatever segments a release and a scale have; 3.8.9 leaves no `.config` that tells their size."""
    session_id = str(client.post("/s/new", {"profile": profile})["Location"].split("/")[2])
    with running(session_id, profile) as node:
        node.submit({"do": "publish", "count": 20, "size_bytes": 6000, "persistent": True})
        node.advance(20_000_000)
        node.submit({"do": "restart", "kind": "clean"})  # it leaves the journal for its segment
        node.advance(40_000_000)
    reply = ask(client, session_id, seq=19)
    assert_true_bytes(session_id, reply)
    assert reply["seq"] == 19


def test_a_small_message_is_inside_its_index_record(client: Client, session_id: str) -> None:
    reply = ask(client, session_id, seq=21)
    assert_true_bytes(session_id, reply)
    assert reply["embedded"] > 40
    again = ask(client, session_id, file=reply["file"], offset=reply["offset"])
    assert again["fields"] == reply["fields"]


@pytest.mark.parametrize("release", ["4.0.5", "4.3.6"])
def test_of_version_2_the_slot_names_the_body(client: Client, release: str) -> None:
    """W83, W112: a small body in the queue's own file, a large one in the shared store under its id."""
    session_id = str(client.post("/s/new")["Location"].split("/")[2])
    with running(session_id, PROFILES[release]) as node:
        node.submit({"do": "publish", "count": 20, "size_bytes": 6000, "persistent": True})
        node.submit({"do": "publish", "count": 3, "size_bytes": 40, "persistent": True})
        node.advance(20_000_000)
        node.submit({"do": "publish", "count": 20, "size_bytes": 40, "persistent": True})
    small, large = ask(client, session_id, seq=21), ask(client, session_id, seq=7)
    for slot in (small, large):
        assert_true_bytes(session_id, slot)
        assert (slot["kind"], slot["size"]) == ("slot", 32)
    assert (small["seq"], large["seq"]) == (21, 7)
    assert (small["msg_id"], large["body"]) == (None, None)
    entry = ask(client, session_id, **small["body"], queue="orders")
    assert_true_bytes(session_id, entry)
    assert (entry["kind"], entry["name"][-3:]) == ("entry", ".qs")
    content = ask(client, session_id, file="persistent:0", offset=0, whose=1)
    assert_true_bytes(session_id, content)
    assert ask(client, session_id, seq=content["seq"])["msg_id"] == content["msg_id"]
    assert {field["name"] for field in content["fields"]} >= {"annotations", "arrival time"}
    waits = client.get(f"/s/{session_id}/record", {"seq": 40}, headers=JSON).json()
    assert waits["reason"] in ("waiting", "absent")
    assert ask(client, session_id, file=f"slots:{21 // 8}", offset=64 + 21 % 8 * 32)["hex"] == small["hex"]
    header = ask(client, session_id, file="slots:0", offset=0, whose=1)  # nobody's: it is no message
    assert_true_bytes(session_id, header)
    assert (header["kind"], header["size"]) == ("header", 64)
    data = body_of(client.get(f"/s/{session_id}/download", {"path": entry["path"]}))
    assert data == (root(session_id) / entry["path"]).read_bytes()


def test_what_waits_in_a_buffer_is_no_error(client: Client, session_id: str) -> None:
    number = store_file(session_id).stem
    reply = ask(client, session_id, file=f"persistent:{number}", offset=store_file(session_id).stat().st_size)
    assert "write buffer" in reply["waiting"]
    assert reply["reason"] == "waiting"
    assert "a write buffer" in ask(client, session_id, seq=999)["waiting"]


@pytest.mark.parametrize(
    "query",
    [
        "",
        "seq=",
        "seq=-1",
        "seq=x",
        "seq=" + "9" * 40,
        "file=journal",
        "file=segment:0&offset=-3",
        "file=segment:x&offset=0",
        "file=../../etc/passwd&offset=0",
        "file=persistent:0&offset=1e3",
        "file=quorum:0&offset=0",
    ],
)
def test_a_malformed_question_is_refused(client: Client, session_id: str, query: str) -> None:
    response = client.get(f"/s/{session_id}/record?{query}")
    assert response.status_code == 400
    assert response.json()["error"]


def test_a_file_that_is_gone_is_reported(client: Client, session_id: str) -> None:
    response = client.get(f"/s/{session_id}/record?file=persistent:77&offset=0")
    assert response.status_code == 404
    assert response.json()["reason"] == "no_file"
    number = store_file(session_id).stem
    response = client.get(f"/s/{session_id}/record?file=persistent:{number}&offset=3")
    assert response.status_code == 404
    assert response.json()["reason"] == "no_record"


def test_an_index_file_that_is_deleted_while_it_is_read_has_no_record_of_the_message(
    client: Client, session_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def deleted(*_given: Any) -> None:
        raise FileNotFoundError

    monkeypatch.setattr(RecordReader, "message", deleted)
    assert ask(client, session_id, seq=7)["reason"] == "absent"


def test_a_session_that_sleeps_says_so(client: Client) -> None:
    found = client.post("/s/new")["Location"].split("/")[2]
    response = client.get(f"/s/{found}/record?seq=0")
    assert response.status_code == 404
    assert "sleeps" in response.json()["error"]
    assert client.get(f"/s/{found}/files.zip", headers=JSON).status_code == 404


def test_everybody_with_the_address_may_watch(client: Client, session_id: str) -> None:
    stranger = Client()
    assert ask(stranger, session_id, seq=3)["seq"] == 3


@pytest.mark.parametrize("place", ["record?seq=1", "download?path=a", "files.zip"])
def test_questions_are_bounded_and_only_questions(client: Client, limit: Any, place: str) -> None:
    limit(reads_per_minute=1)
    found = client.post("/s/new")["Location"].split("/")[2]
    answers = [client.get(f"/s/{found}/{place}", headers=JSON).status_code for _each in range(2)]
    assert answers == [404, 429]
    assert client.post(f"/s/{found}/{place}").status_code == 405
    assert client.get(f"/s/22222222/{place}", headers=JSON).status_code in (404, 429)


def test_a_file_is_downloaded_as_it_is(client: Client, session_id: str) -> None:
    path = store_file(session_id)
    response = client.get(f"/s/{session_id}/download", {"path": str(path.relative_to(root(session_id)))})
    assert response["Content-Disposition"] == f'attachment; filename="{path.name}"'
    assert body_of(response) == path.read_bytes()
    assert int(response["Content-Length"]) == path.stat().st_size


@pytest.mark.parametrize("path", ["", "../secret", "/etc/passwd", ".durable/1", "msg_stores"])
def test_nothing_outside_is_downloaded(client: Client, session_id: str, path: str) -> None:
    assert client.get(f"/s/{session_id}/download", {"path": path}, headers=JSON).status_code == 404


def test_the_whole_directory_is_a_zip(client: Client, session_id: str) -> None:
    response = client.get(f"/s/{session_id}/files.zip")
    with zipfile.ZipFile(io.BytesIO(body_of(response))) as packed:
        assert packed.testzip() is None
        there = {
            str(path.relative_to(root(session_id))) for path in root(session_id).rglob("*") if path.is_file()
        }
        assert set(packed.namelist()) == {path for path in there if not path.startswith(".durable")}
        for name in packed.namelist():
            assert packed.read(name) == (root(session_id) / name).read_bytes()


def test_only_so_many_directories_are_packed_at_once(
    client: Client, session_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work_places, "gate", work_places.RepeatGate(places=1, waiting=0))
    first = client.get(f"/s/{session_id}/files.zip")
    refused = client.get(f"/s/{session_id}/files.zip", headers=JSON)
    assert (refused.status_code, refused["Retry-After"]) == (503, str(work_places.AGAIN_S))
    assert body_of(first)
    assert body_of(client.get(f"/s/{session_id}/files.zip"))
