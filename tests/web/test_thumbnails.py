"""Each ready scenario has a picture of its run in the library, drawn from the run that its digest names."""

from __future__ import annotations

import pytest
from django.test import Client

from playground.library import ready_scenarios
from playground.storybook import thumbnails


def test_every_scenario_has_a_picture_of_its_own_run() -> None:
    kept = thumbnails.kept()
    names = {path.stem for path in ready_scenarios.files()}
    assert set(kept) == names, "run `make digests`"
    stale = [name for name in names if kept[name].digest != ready_scenarios.entry(name).run["digest"]]  # type: ignore[union-attr]
    assert stale == [], "run `make digests`"


def test_a_picture_is_what_the_run_gives() -> None:
    entry = ready_scenarios.entry("greek-letters")
    assert entry is not None
    drawn = thumbnails.draw(entry)
    assert drawn == thumbnails.kept()["greek-letters"]
    assert {letter for letter, _path in drawn.areas} >= {"alpha", "beta", "gamma", "delta"}
    assert [x for x, _kind in drawn.marks] == sorted(x for x, _kind in drawn.marks)


@pytest.mark.django_db
def test_the_library_shows_it(client: Client, library: object) -> None:
    page = client.get("/library/").content.decode()
    assert page.count('<svg class="thumb"') == page.count('class="card pad" id=')
    assert 'class="chapter is-delta"' in page
