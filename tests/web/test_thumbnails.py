"""Each ready scenario has a picture of its run in the library, drawn from the run that its digest names."""

from __future__ import annotations

import pytest
from django.test import Client

from playground.exercises.grading import GradedRun
from playground.models import Scenario
from playground.storybook import cards, ready_scenarios
from playground.storybook.cards import BLOCK, DISK, ROWS, STEP, WATER, StagePicture, picture_of
from tools.story_digests import draw


def test_every_scenario_has_a_picture_of_its_own_run() -> None:
    kept = cards.kept()
    names = {path.stem for path in ready_scenarios.files()}
    assert set(kept) == names, "run `make digests`"
    stale = [name for name in names if kept[name].digest != ready_scenarios.entry(name).run["digest"]]  # type: ignore[union-attr]
    assert stale == [], "run `make digests`"


def test_a_picture_is_what_the_run_gives() -> None:
    """It asks about six persistent messages that wait in delta with others: gamma has not been seen yet."""
    entry = ready_scenarios.entry("greek-letters")
    assert entry is not None
    assert entry.story.prediction is not None
    drawn = draw(entry)
    assert drawn == cards.kept()["greek-letters"]
    run = GradedRun(entry.run)
    run.go(entry.story.prediction.ask_at_us)
    assert drawn.picture == picture_of(run.node.snapshot())


def test_blocks_stand_where_their_messages_are() -> None:
    picture = StagePicture([("q1", {}), ("q3", {"beta": 3, "gamma": 30}), ("q4", {"alpha": 2})])
    assert picture.held == [("q3", 33), ("q4", 2)]
    q1, q3, q4 = picture.drawn
    assert (q1.messages, q1.blocks) == (0, [])
    assert q3.x - q1.x < q4.x - q3.x, "an empty lane takes the room of its name"
    betas, gammas = q3.blocks
    assert (betas.letter, gammas.letter) == ("beta", "gamma")
    assert betas.rows == [(q3.x, DISK + BLOCK, 3)]
    assert betas.path == f"M{q3.x} {DISK + BLOCK}h{3 * STEP - STEP + BLOCK}"
    assert gammas.rows[0][:2] == (q3.x, DISK + BLOCK + STEP), "below the betas"
    assert q4.blocks == [("alpha", [(q4.x, WATER - BLOCK, 2)])]
    assert len(StagePicture([("q4", {"alpha": 10**6})]).drawn[0].blocks[0].rows) == ROWS


@pytest.mark.django_db
def test_a_card_is_one_link_with_the_picture_of_its_moment(client: Client, library: list[Scenario]) -> None:
    page = client.get("/library/?q=greek").content.decode()
    card = page.partition('id="greek-letters"')[2].partition("</li>")[0]
    plain, folded = card.split("<details>")
    short_id = next(kept.short_id for kept in library if kept.slug == "greek-letters")
    assert plain.count("<a ") == 1
    assert f'href="/r/{short_id}/"' in plain
    assert 'class="stage-picture"' in plain
    assert "verdict" not in plain, "the answer is not told before the prediction"
    assert "verdict" in folded
    client.get(f"/r/{short_id}/")
    assert client.get("/library/?q=greek").content.decode().count("✓ opened") == 1
