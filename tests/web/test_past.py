"""The files of past moments: the run is repeated up to a transition, kept for a while, and bounded."""

from __future__ import annotations

import io
import zipfile
from typing import Any

import pytest
from django.test import Client

from playground.records import kept_runs
from playground.sessions import live_hosts
from playground.sessions.past_runs import KEPT
from tests.web import record
from tests.web.test_records import JSON, body_of

pytestmark = pytest.mark.django_db

PUBLISH = {"do": "publish", "count": 20, "size_bytes": 6000, "persistent": True}


@pytest.fixture
def session_id(client: Client) -> str:
    """Return a session on record that published twice; nobody has it open."""
    found = str(client.post("/s/new", {"profile": "classroom"})["Location"].split("/")[2])
    record.record_command(found, 0, 100_000, PUBLISH)
    record.record_command(found, 1, 2_000_000, {"do": "purge"})
    return found


def ask(client: Client, session_id: str, **query: Any) -> Any:
    return client.get(f"/s/{session_id}/record", query, headers=JSON)


def first_with_files(client: Client, session_id: str) -> int:
    """Return a transition after which message 7 is in a file."""
    for at in range(20, 400, 20):
        answer = ask(client, session_id, seq=7, at=at)
        if answer.status_code == 200 and "fields" in answer.json():
            return at
    raise AssertionError("message 7 never reached a file")


def test_a_message_that_is_gone_has_its_bytes_in_the_past(client: Client, session_id: str) -> None:
    at = first_with_files(client, session_id)
    reply = ask(client, session_id, seq=7, at=at).json()
    assert reply["at"] == at
    assert reply["seq"] == 7
    record = {"file": "persistent:0", "offset": 0}
    there = ask(client, session_id, **record, at=at)
    assert there.json()["size"] > 6000
    assert ask(client, session_id, **record).status_code == 404, "nobody has the session open"
    before = ask(client, session_id, seq=7, at=11).json()
    assert "fields" not in before


def test_the_directory_of_a_moment_is_packed(client: Client, session_id: str) -> None:
    at = first_with_files(client, session_id)
    answer = client.get(f"/s/{session_id}/files.zip", {"at": at})
    assert f"-{at}.zip" in answer["Content-Disposition"]
    with zipfile.ZipFile(io.BytesIO(body_of(answer))) as packed:
        sizes = {info.filename: info.file_size for info in packed.infolist()}
    path = next(name for name in sizes if name.endswith("msg_store_persistent/0.rdq"))
    one = client.get(f"/s/{session_id}/download", {"path": path, "at": at})
    assert len(body_of(one)) == sizes[path] == int(one["Content-Length"])
    answer.close()
    one.close()


def test_moments_are_kept_but_not_for_ever(client: Client, session_id: str) -> None:
    for at in (20, 21, 20, 21):
        ask(client, session_id, seq=0, at=at)
    assert live_hosts.past().repeated == 2
    for at in range(22, 22 + KEPT):
        ask(client, session_id, seq=0, at=at)
    kept = [path.name for path in live_hosts.registry().directory.path.iterdir()]
    assert len(kept) == KEPT
    ask(client, session_id, seq=0, at=20)
    assert live_hosts.past().repeated == 3 + KEPT


def test_another_past_is_not_taken_for_this_one(client: Client, session_id: str) -> None:
    at = first_with_files(client, session_id)
    made = live_hosts.past().repeated
    ask(client, session_id, seq=7, at=at)
    assert live_hosts.past().repeated == made
    record.undo_command(session_id, 2, 0)
    record.undo_command(session_id, 3, 0)
    record.record_command(session_id, 4, 50_000, {**PUBLISH, "count": 3})
    assert "fields" not in ask(client, session_id, seq=7, at=at).json()
    assert live_hosts.past().repeated == made + 1


def test_what_cannot_be_repeated_is_reported(client: Client, session_id: str, limit: Any) -> None:
    answer = ask(client, session_id, seq=7, at="soon")
    assert answer.status_code == 400
    limit(past_s=0)
    live_hosts._registry.cache_clear()
    answer = ask(client, session_id, seq=7, at=10**9)
    assert answer.status_code == 404
    assert answer.json()["reason"] == "too_long"
    assert "longer than this server allows" in answer.json()["error"]
    assert list(live_hosts.registry().directory.path.iterdir()) == []
    archive = client.get(f"/s/{session_id}/files.zip", {"at": 10**9})
    assert archive.status_code == 404


def test_repetitions_are_rationed_and_what_is_kept_is_free(
    client: Client, session_id: str, limit: Any
) -> None:
    limit(past_per_minute=1)
    assert ask(client, session_id, seq=7, at=30).status_code == 200
    assert ask(client, session_id, seq=7, at=31).status_code == 429
    assert ask(client, session_id, seq=7, at=30).status_code == 200
    assert kept_runs.remembered(session_id).commands[0] == (100_000, PUBLISH)
