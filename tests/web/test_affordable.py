"""What a visitor's scenario may ask: the same bounds as commands have, and no settings that make files without end."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from playground import affordable, limits, ratelimit, services
from playground.library import entries
from playground.models import Session
from playground.storybook.entry import BadScenario, read


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
        read(body, limits.current())
    assert any(word in str(problem.message) for problem in bad.value.problems)
    assert read(body) is not None, "the project's own files are not asked"


def test_the_projects_own_scenarios_would_be_taken_from_a_visitor_too() -> None:
    for entry in entries():
        assert list(affordable.problems(entry.run, limits.current())) == [], entry.slug


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
    ratelimit.forget()
    commands = [{"at_us": at_us, "do": "publish", "count": 1, "size_bytes": 10} for at_us in range(2000)]
    text = json.dumps(
        {**services.blank_scenario("classroom"), "title": "Mine", "commands": commands, "until_us": 10_000}
    )
    statuses = [client.post("/s/import", {"text": text}).status_code for _each in range(3)]
    assert statuses[0] == 302
    assert statuses[-1] == 429
