"""What a visitor's scenario may ask: the same bounds as commands have, and no settings that make files without end."""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any

import pytest
from django.test import Client

from engine.broker.commands import client_commands
from playground.limits import rate_limits, session_limits
from playground.models import Session
from playground.records import kept_runs
from playground.storybook.entry import BadScenario, read
from playground.storybook.ready_scenarios import entries


def scenario(**parts: Any) -> dict[str, Any]:
    return {"version": 1, "title": "Mine", "profile": "classroom", "until_us": 1_000_000, **parts}


PUBLISHER = {"at_us": 5, "do": "set_publisher", "name": "p1", "rate_per_s": 10, "size_bytes": 10}
TOO_MUCH = [
    (scenario(settings={"segment_entry_count": 1}), "segment_entry_count"),
    (scenario(settings={"msg_store_file_size_limit": 1}), "msg_store_file_size_limit"),
    (scenario(settings={"segment_entry_count": 8, "max_messages": 10_000_000}), "segment_entry_count"),
    (scenario(profile="real", settings={"segment_entry_count": 8}), "segment_entry_count"),
    (scenario(commands=[{**PUBLISHER, "rate_per_s": 1_000_000}]), "rate_per_s"),
    (scenario(commands=[{"at_us": 5, "do": "publish", "count": 10_000_000, "size_bytes": 1}]), "count"),
    (scenario(commands=[{**PUBLISHER, "name": f"p{number}"} for number in range(129)]), "129 publishers"),
]


@pytest.mark.parametrize(("body", "word"), TOO_MUCH)
def test_a_scenario_that_asks_too_much_is_refused_with_the_place(body: dict[str, Any], word: str) -> None:
    with pytest.raises(BadScenario) as bad:
        read(body, session_limits.current())
    assert any(word in str(problem.message) for problem in bad.value.problems)
    assert read(body) is not None, "the project's own files are not asked"


def test_the_projects_own_scenarios_would_be_taken_from_a_visitor_too() -> None:
    for entry in entries():
        assert list(session_limits.problems(entry.run, session_limits.current())) == [], entry.slug


@pytest.mark.django_db
def test_an_import_says_so_and_begins_nothing(client: Client) -> None:
    text = json.dumps(scenario(settings={"msg_store_file_size_limit": 1}))
    before = Session.objects.count()
    answer = client.post("/s/import", {"text": text})
    assert answer.status_code == 422
    assert "msg_store_file_size_limit" in answer.content.decode()
    assert Session.objects.count() == before


@pytest.mark.django_db
def test_who_brings_large_scenarios_waits_longer(client: Client, limit: Any) -> None:
    limit(new_per_minute=10)
    rate_limits.forget()
    commands = [{"at_us": at_us, "do": "publish", "count": 1, "size_bytes": 10} for at_us in range(2000)]
    text = json.dumps(
        {**kept_runs.blank_scenario("classroom"), "title": "Mine", "commands": commands, "until_us": 10_000}
    )
    statuses = [client.post("/s/import", {"text": text}).status_code for _each in range(3)]
    assert statuses[0] == 302
    assert statuses[-1] == 429


ZEROS = base64.b64encode(zlib.compress(bytes(4 * 10_000_000))).decode()
"""A column of ten million sizes, in some tens of thousands of characters."""


def bursts(*counts: int, sizes: str) -> list[dict[str, Any]]:
    return [
        {"at_us": 5, "do": "publish", "count": count, "size_bytes": 0, "sizes": sizes} for count in counts
    ]


@pytest.mark.parametrize("counts", [(10_000_000,), (40, 40, 21)])
def test_messages_that_differ_are_counted_before_any_column_is_unpacked(
    counts: tuple[int, ...], limit: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit(max_unequal=100)
    monkeypatch.setattr(client_commands, "zlib", None)
    with pytest.raises(BadScenario, match=f"with sizes or expirations of their own, not {sum(counts)}"):
        read(scenario(commands=bursts(*counts, sizes=ZEROS)), session_limits.current())
    found = session_limits.beyond(
        {"do": "publish", "count": 101, "size_bytes": 1, "expirations": "AAAA"}, session_limits.current()
    )
    assert found is not None
    assert found[0] == "count"


@pytest.mark.django_db
def test_a_file_of_zeros_is_refused_at_each_door_and_leaves_nothing(client: Client) -> None:
    body = scenario(commands=bursts(10_000_000, sizes=ZEROS))
    before = client_commands._kept.used_bytes
    assert client.post("/s/import", {"text": json.dumps(body)}).status_code == 422
    assert client.post("/library/check/", {"text": json.dumps(body)}).status_code == 200
    assert client_commands._kept.used_bytes == before
