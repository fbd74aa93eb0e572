"""The library's paths: every scenario lies on one, and what somebody opened is marked."""

from __future__ import annotations

import pytest
from django.test import Client

from playground.models import Scenario
from playground.storybook import ready_scenarios
from playground.storybook.cards import PATHS, START


def test_every_scenario_lies_on_a_path_and_every_step_is_one() -> None:
    slugs = {path.stem for path in ready_scenarios.files()}
    steps = [slug for path in PATHS for slug in path.slugs]
    assert set(steps) == slugs
    assert set(START) <= slugs
    assert all(len(set(path.slugs)) == len(path.slugs) for path in PATHS)


@pytest.mark.django_db
def test_a_path_shows_its_scenarios_in_order_and_what_was_opened(
    client: Client, library: list[Scenario]
) -> None:
    assert library
    page = client.get("/library/").content.decode()
    assert "Begin with these five" in page
    assert page.count("?path=") == len(PATHS)
    assert "opened" not in page.split("Show all of them")[0]
    client.post("/s/new", {"scenario": "first-burst"})
    way = client.get("/library/?path=memory").content.decode()
    places = [way.index(f'id="{slug}"') for slug in PATHS[0].slugs]
    assert places == sorted(places)
    assert way.count("✓ opened") == 1
    assert 'id="mirrors-failover"' not in way
    assert "1 opened" in client.get("/library/").content.decode()
