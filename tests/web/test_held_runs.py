"""A run that waits for a learner's answer goes on by itself up to there, and no further whatever is sent."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import urlsplit

import pytest
from channels.db import database_sync_to_async
from django.conf import settings
from django.test import Client

from playground.exercises import catalog
from playground.exercises.kinds import solution_of
from playground.exercises.models import Work
from tests.web.test_exercises import address, begin, posted
from tests.web.test_sockets import browsers

pytestmark = pytest.mark.django_db(transaction=True)
__all__ = ["browsers"]

HOUR_US = 3_600_000_000


class Learner:
    """A learner's browser at an exercise."""

    def __init__(self, slug: str, steps: int = 0) -> None:
        self.client, self.slug = Client(), slug
        begin(self.client, slug)
        for step in (solution_of(catalog.exercise(slug)) if steps else [])[:steps]:
            self.client.post(address(slug, "answer"), posted(slug, step))

    def page(self) -> tuple[str, str, int]:
        """Return the session's name, the query of its socket's address, and where the page says that the run ends."""
        page = self.client.get(address(self.slug)).content.decode()
        data = json.loads(re.search(r'id="live-data"[^>]*>(.*?)</script>', page)[1])  # type: ignore[index]
        ends_us = int(re.search(r'data-run-on="(\d+)"', page)[1])  # type: ignore[index]
        return data["session"], urlsplit(data["websocket"]).query, ends_us

    def cookie(self) -> str:
        return self.client.cookies[settings.SESSION_COOKIE_NAME].value

    def past(self, session: str, to: int) -> int:
        """Return how it is answered when one asks for the rows before number `to`."""
        return self.client.get(f"/s/{session}/past?from=0&to={to}").status_code


@pytest.mark.parametrize(("slug", "steps"), [("first-paging", 0), ("first-paging", 1), ("read-back", 0)])
async def test_a_run_that_waits_for_an_answer_comes_to_the_question_and_no_further(
    browsers: Any, slug: str, steps: int
) -> None:
    learner = await database_sync_to_async(Learner)(slug, steps)
    session, query, ends_us = await database_sync_to_async(learner.page)()
    exercise = catalog.exercise(slug)
    form_ends = exercise.form.steps[steps - 1].until_us if steps else exercise.scenario["until_us"]
    assert ends_us == form_ends
    browser = await browsers(session, learner.cookie(), query=query)
    await browser.kind("snapshot")
    for wish in ({"play": True, "speed": 100}, {"play": True, "until_us": HOUR_US}):
        await browser.send(t="control", **wish)
        await browser.until(
            lambda message: message["t"] == "notice" and "waits for your answer" in message["message"]
        )
    for _each in range(3):
        await browser.send(t="step")
        await browser.until(
            lambda message: message["t"] == "notice" and "waits for your answer" in message["message"]
        )
    refused = [
        await browser.command(1, do="publish", count=1, size_bytes=1),
        await browser.command(2, do="ctl", line="stop_app"),
    ]
    assert {each["t"] for each in refused} == {"refused"}
    await browser.send(t="undo", id=3)
    assert (await browser.kind("refused"))["id"] == 3
    await browser.send(t="predict", id=4, option=None)
    assert (await browser.kind("refused"))["id"] == 4
    await browser.send(t="control", play=True, speed=100)
    await browser.kind("notice")
    frames = [message for message in browser.seen if message["t"] == "frame"]
    assert max([0, *(at_us for frame in frames for at_us in frame["at_us"])]) <= ends_us
    assert max(frame["now_us"] for frame in frames) == ends_us
    assert await database_sync_to_async(learner.past)(session, browser.next) == 200
    assert await database_sync_to_async(learner.past)(session, browser.next + 1) == 404


async def test_without_the_page_s_key_a_watcher_lets_no_time_pass(browsers: Any) -> None:
    learner = await database_sync_to_async(Learner)("first-paging", 1)
    session, query, _ends_us = await database_sync_to_async(learner.page)()
    await database_sync_to_async(learner.client.post)(
        address("first-paging", "answer"),
        posted("first-paging", solution_of(catalog.exercise("first-paging"))[1]),
    )
    following = await database_sync_to_async(lambda: Work.objects.get().session.public_id)()  # type: ignore[union-attr]
    assert following != session
    for key in ("", query):  # the key is of the step before
        browser = await browsers(following, learner.cookie(), query=key)
        await browser.kind("snapshot")
        await browser.send(t="control", play=True)
        assert "watching somebody" in (await browser.kind("notice"))["message"]
