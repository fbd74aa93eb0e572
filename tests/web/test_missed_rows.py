"""What a page missed is told again: whole when it is short, as moments and the last rows when it is long."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from engine.replay import RunPlayer, on_ledger
from engine.replay.player import encode
from playground.limits import rate_limits
from playground.records import kept_runs
from playground.sessions import live_hosts
from playground.sessions import past_runs as repeated
from playground.views import sessions
from tests.web import record

pytestmark = pytest.mark.django_db

PUBLISH = {"do": "publish", "count": 40, "size_bytes": 6000, "persistent": True}


@pytest.fixture
def session_id(client: Client) -> str:
    """Return a session on record that published and was restarted."""
    found = str(client.post("/s/new", {"profile": "classroom"})["Location"].split("/")[2])
    record.record_command(found, 0, 100_000, PUBLISH)
    record.record_command(found, 1, 2_000_000, {"do": "restart", "kind": "power"})
    record.note_progress(found, 4_000_000, "")
    return found


def ask(client: Client, session_id: str, **query: Any) -> Any:
    return client.get(f"/s/{session_id}/past", query)


def whole(session_id: str) -> list[Any]:
    """Return every row of the session's run."""
    record = kept_runs.remembered(session_id)
    player = RunPlayer(on_ledger(record.scenario, 100_000), record.commands)
    return [row for piece in player.play(record.reached_us) for row in piece.rows]


def test_a_short_past_is_sent_row_by_row_from_nothing(client: Client, session_id: str) -> None:
    rows = whole(session_id)
    missed = ask(client, session_id, to=len(rows) - 3).json()
    (only,) = missed["stretches"]
    assert missed["through"] == len(rows) - 3
    assert (only["first"], only["us"]) == (0, 0)
    assert "state" not in only
    assert len(only["at_us"]) == len(only["rows"]) == len(rows) - 3
    assert encode(only["rows"]) == encode(rows[:-3])
    assert only["at_us"] == sorted(only["at_us"])


def test_of_a_long_past_come_moments_and_the_last_rows(
    client: Client, session_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repeated, "WHOLE", 30)
    monkeypatch.setattr(repeated, "NEAR", 20)
    monkeypatch.setattr(repeated, "SLICE", 10)
    rows = whole(session_id)
    missed = ask(client, session_id, to=len(rows)).json()
    *moments, last = missed["stretches"]
    assert moments
    assert [each["first"] for each in missed["stretches"]] == sorted(
        each["first"] for each in missed["stretches"]
    )
    assert all("rows" not in each for each in moments)
    assert all("state" in each for each in missed["stretches"] if each["first"])
    assert last["first"] + len(last["rows"]) == len(rows)
    assert encode(last["rows"]) == encode(rows[last["first"] :])


def test_what_lies_between_is_sent_with_the_state_before_it(client: Client, session_id: str) -> None:
    rows = whole(session_id)
    node = on_ledger(kept_runs.remembered(session_id).scenario, 100_000)
    player = RunPlayer(node, kept_runs.remembered(session_id).commands)
    for piece in player.play(4_000_000, 10):
        if piece.first + piece.count > 60:
            break
    place = player.next
    missed = ask(client, session_id, **{"from": place, "to": len(rows)}).json()
    first = missed["stretches"][0]
    assert encode(first["rows"]) == encode(rows[first["first"] :])


def test_nothing_is_sent_that_the_run_has_not_reached(client: Client, session_id: str) -> None:
    rows = whole(session_id)
    assert ask(client, session_id, to=len(rows) + 1).status_code == 404
    assert ask(client, session_id, to="soon").status_code == 400
    assert ask(client, session_id, **{"from": 9, "to": 9}).status_code == 400
    assert ask(client, "2345", to=3).json() == {"stretches": [], "through": 0}, "a session that is gone"


def test_another_past_is_not_taken_for_this_one(client: Client, session_id: str) -> None:
    before = ask(client, session_id, to=60).content
    assert ask(client, session_id, to=60).content == before
    record.undo_command(session_id, 2, 0)
    record.undo_command(session_id, 3, 0)
    record.record_command(session_id, 4, 50_000, {**PUBLISH, "count": 3})
    record.note_progress(session_id, 4_000_000, "")
    assert ask(client, session_id, to=30).json()["stretches"][0]["rows"]
    assert ask(client, session_id, to=60).content != before


def test_repetitions_are_rationed_and_bounded_in_time_and_what_is_kept_is_free(
    client: Client, session_id: str, limit: Any
) -> None:
    limit(past_per_minute=1, past_s=0)
    live_hosts._registry.cache_clear()
    sessions.rows_kept.clear()
    told = ask(client, session_id, to=30)
    assert told.json()["through"] <= 30, "what was told in time is told"
    assert ask(client, session_id, to=31).status_code == 429
    assert ask(client, session_id, to=30).content == told.content


def test_what_a_stop_would_leave_is_asked_of_a_repetition(
    client: Client, session_id: str, limit: Any
) -> None:
    record.undo_command(session_id, 2, 0)
    record.note_progress(session_id, 4_000_000, "")
    fates = client.get(f"/s/{session_id}/survival", {"kind": "power"}).json()
    assert sum(count for _start, count in fates["orders"]["kept"]) == 40
    assert fates["orders"]["lost"] == []
    assert client.get(f"/s/{session_id}/survival", {"kind": "storm"}).status_code == 400
    assert client.get("/s/2345/survival", {"kind": "power"}).status_code == 404
    limit(past_per_minute=0, past_s=0)
    rate_limits.forget()
    again = client.get(f"/s/{session_id}/survival", {"kind": "power"})
    assert again.json() == fates, "what is kept is free"
    assert client.get(f"/s/{session_id}/survival", {"kind": "kill"}).status_code == 429
