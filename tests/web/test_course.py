"""Plans of courses, and the slides of a unit: a picture from the engine each, the key only for teachers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.contrib.auth import get_user_model
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import translation
from django.utils.html import escape

from playground.exercises import catalog, task
from playground.exercises.grading import GradedRun
from playground.web import link_picture

pytestmark = pytest.mark.django_db
LANGUAGES = ("en", "zh-hans", "zh-hant")


def test_plans_name_units_and_exercises_that_there_are() -> None:
    lessons = [len(plan.lessons) for plan in task.plans()]
    assert lessons == [1, 2, 14]
    semester = task.plans()[-1].lessons
    assert {unit for each in semester for unit in each.units} == {each.slug for each in catalog.units()}
    assert [each.test for each in semester if each.test] == ["before", "exam", "after"]
    for plan in task.plans():
        for each in plan.lessons:
            for slug in (*each.exercises, *each.home):
                assert catalog.exercise(slug)


@pytest.mark.parametrize("minutes", [45, 90])
def test_a_short_plan_fits_its_time(minutes: int) -> None:
    plan = task.plans()[0 if minutes == 45 else 1]
    slugs = [slug for each in plan.lessons for slug in each.exercises]
    slugs += [one.slug for each in plan.lessons for unit in each.units for one in catalog.of_unit(unit)]
    assert sum(catalog.exercise(slug).minutes for slug in slugs) <= minutes


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_of_plans_is_for_everybody(client: Client, language: str) -> None:
    page = client.get("/learn/plans/", headers={"accept-language": language}).content.decode()
    for plan in task.plans():
        assert escape(plan.texts(language).title) in page
        assert all(escape(goal) in page for goal in plan.texts(language).goals)
    assert 'href="/learn/durability/slides/"' in page


def test_slides_have_the_key_and_are_for_teachers(client: Client) -> None:
    reply = client.get("/learn/sub-queues/slides/")
    assert (reply.status_code, reply["Location"]) == (302, "/class/log-in?next=/learn/sub-queues/slides/")
    client.force_login(get_user_model().objects.create_user("frau-lehrer"))
    page = client.get("/learn/sub-queues/slides/").content.decode()
    for each in catalog.of_unit("sub-queues"):
        assert f"<h2>{escape(each.en.title)}</h2>" in page
        assert escape(each.en.explain) in page
    assert client.get("/learn/no-such/slides/").status_code == 404


def test_a_picture_is_the_stage_as_the_engine_has_it() -> None:
    slides = {each["title"]: each for each in task.slides("sub-queues", "en")["slides"]}
    where_next = slides[catalog.exercise("where-next").en.title]
    picture = where_next["stage"].picture
    counts = dict(picture.held)
    for claim in catalog.exercise("where-next").claims:
        if claim.path == "queue.delta.count":
            assert counts["delta"] == claim.value
    assert sum(counts.values()) > 0
    for lane in picture.drawn:
        assert lane.messages == counts.get(lane.name, 0)
        assert sum(blocks for each in lane.blocks for _x, _y, blocks in each.rows) == lane.messages


def test_drawings_name_the_release_whose_rules_the_run_follows(monkeypatch: pytest.MonkeyPatch) -> None:
    """A setting may choose another one than the profile's."""
    exercise = catalog.exercise("old-conversion")
    assert task.stage_of(exercise).release == "3.8.9"
    named: list[str] = []
    monkeypatch.setattr(link_picture, "_head", lambda _pen, _title, release, *_times: named.append(release))
    link_picture.draw("", exercise.scenario, GradedRun(exercise.scenario).node.snapshot(), 0)
    assert named == ["3.8.9"]


@pytest.mark.parametrize(
    ("language", "words"), [("zh-hans", "内存 磁盘 阈值"), ("zh-hant", "記憶體 磁碟 水位線")]
)
def test_the_words_of_a_picture_are_in_the_readers_language(language: str, words: str) -> None:
    with translation.override(language):
        page = task.offline_page("waterline", language, "-", "-")
    for picture in re.findall(r"<figure.*?</figure>", page, re.DOTALL):
        assert [word for word in words.split() if word not in picture] == []
        assert "RabbitMQ 3.10.8" in picture
        assert not re.search(r">[^<]*(?:disk|memory|watermark|ready)", picture)


def test_the_command_writes_a_file_that_needs_no_server(tmp_path: Path) -> None:
    call_command("write_slides", "waterline", tmp_path, language="zh-hant", verbosity=0)
    page = (tmp_path / "slides-waterline.html").read_text("utf-8")
    assert '<html lang="zh-hant">' in page
    assert "佇列" in page
    assert not re.search(r'(?:src|href)="(?!data:)', page)
    assert page.count('class="stage-figure"') == len(catalog.unit("waterline").exercises)
    assert "url(data:font/woff2;base64," in page
    assert "../vendor" not in page
    with pytest.raises(CommandError, match="no unit is called no-such"):
        call_command("write_slides", "no-such", tmp_path)
