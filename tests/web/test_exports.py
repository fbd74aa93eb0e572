"""Runs to take away: as lines of JSON and as a table, bounded, with names that no program takes for formulas."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.test import AsyncClient

from engine.report.transitions.queue import QueueStopped
from playground.records import kept_runs
from playground.storybook import ready_scenarios
from playground.views import sessions

pytestmark = pytest.mark.django_db(transaction=True)


async def lines_of(response: Any) -> str:
    return "".join([piece.decode() async for piece in response.streaming_content])


async def test_a_run_comes_out_as_json_lines_and_csv() -> None:
    @sync_to_async
    def begin() -> str:
        entry = ready_scenarios.entry("first-burst")
        assert entry is not None
        kept = kept_runs.keep_scenario(entry.run)
        session = kept_runs.start_session(kept_runs.scenario_body(kept), kept, 4_800_000)
        return session.public_id

    session_id = await begin()
    client = AsyncClient()
    text = await lines_of(await client.get(f"/s/{session_id}/run.jsonl"))
    head, *rows = [json.loads(line) for line in text.splitlines()]
    assert head["scenario"]["until_us"] == 4_800_000
    assert [row["number"] for row in rows] == list(range(len(rows)))
    assert {"kind", "rule", "at_us"} <= set(rows[-1])
    assert rows[-1]["at_us"] <= 4_800_000
    table = list(csv.DictReader(io.StringIO(await lines_of(await client.get(f"/s/{session_id}/run.csv")))))
    assert [row["kind"] for row in table] == [row["kind"] for row in rows]
    assert json.loads(table[-1]["fields"])


async def test_an_export_is_bounded_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "MOST_ROWS", 100)
    monkeypatch.setattr(sessions, "SLICE", 50)

    @sync_to_async
    def begin() -> str:
        entry = ready_scenarios.entry("taking-from-a-queue")
        assert entry is not None
        return kept_runs.start_session(entry.run, None, 11_000_000).public_id

    text = await lines_of(await AsyncClient().get(f"/s/{await begin()}/run.jsonl"))
    last = json.loads(text.splitlines()[-1])
    assert "cut after" in last["notice"]
    assert len(text.splitlines()) < 400


def test_names_do_not_become_formulas() -> None:
    assert sessions.harmless("=1+1") == "'=1+1"
    assert sessions.harmless("orders") == "orders"
    assert sessions.harmless("") == ""


def test_a_stop_comes_out_under_the_name_of_its_kind() -> None:
    stop = QueueStopped("D4", "orders", "kill")
    assert sessions._named(stop) == {
        "kind": "QueueStopped",
        "rule": "D4",
        "queue": "orders",
        "how": "kill",
    }
