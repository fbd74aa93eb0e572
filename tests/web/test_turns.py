"""Whose page is made next: a few at once, lanes that take turns, and 503 for whoever cannot wait."""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
import time
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from playground.limits import work_places
from playground.limits.page_scheduler import (
    MOST_REST_S,
    PARTS,
    InTurn,
    PageScheduler,
    PagesOverfull,
    PageTurn,
    aside,
    lane_of,
)
from playground.limits.request_callers import RequestCaller
from playground.web.errors import answer_busy
from tests.helpers.patience import PATIENCE_S


async def settle() -> None:
    for _each in range(5):
        await asyncio.sleep(0)


async def test_so_many_have_a_turn_and_the_others_come_in_their_order() -> None:
    turns, came = PageScheduler(at_once=2), []
    held = [await turns.take("one"), await turns.take("one")]

    async def come(name: str) -> None:
        came.append((name, await turns.take("one")))

    waiting = [asyncio.create_task(come(name)) for name in "abc"]
    await settle()
    assert came == []
    held[0].end()
    held[0].end()  # again: it gives back only one
    await waiting[0]
    await settle()
    assert [name for name, _turn in came] == ["a"]
    held[1].end()
    came[0][1].end()
    await asyncio.gather(*waiting)
    assert [name for name, _turn in came] == ["a", "b", "c"]


async def test_a_lane_with_many_requests_does_not_hold_up_one_with_few() -> None:
    turns, came = PageScheduler(at_once=1), []
    held = await turns.take("pupils")

    async def come(lane: str, name: str) -> None:
        turn = await turns.take(lane)
        came.append(name)
        await asyncio.sleep(0)
        turn.end()

    waiting = [asyncio.create_task(come("pupils", str(each))) for each in range(50)]
    await settle()
    waiting.append(asyncio.create_task(come("teacher", "freeze")))
    await settle()
    held.end()
    await asyncio.gather(*waiting)
    assert came.index("freeze") == 1
    assert [name for name in came if name != "freeze"] == [str(each) for each in range(50)]


async def test_too_many_are_refused_at_once_and_one_that_waits_for_too_long_later() -> None:
    turns = PageScheduler(at_once=1, waiting=1, patience_s=0.05)
    held = await turns.take("one")
    late = asyncio.create_task(turns.take("one"))
    await settle()
    with pytest.raises(PagesOverfull):
        await turns.take("two")
    with pytest.raises(PagesOverfull):
        await late
    held.end()
    (await turns.take("one")).end()  # who gave up left no turn behind, and took none along
    assert turns.late_s() == 0.0


async def test_whoever_leaves_while_waiting_loses_no_turn_for_the_others() -> None:
    turns = PageScheduler(at_once=1)
    for _round in range(20):
        held = await turns.take("one")
        gone = asyncio.create_task(turns.take("one"))
        await settle()
        held.end()  # it has the turn, and does not know yet
        gone.cancel()
        with pytest.raises(asyncio.CancelledError):
            await gone
        (await asyncio.wait_for(turns.take("one"), PATIENCE_S)).end()


async def test_how_late_pages_are_is_what_the_first_of_them_waits() -> None:
    now_s = 100.0
    turns = PageScheduler(at_once=1, clock=lambda: now_s)
    held = await turns.take("one")
    assert turns.late_s() == 0.0
    first = asyncio.create_task(turns.take("one"))
    await settle()
    now_s = 103.0
    second = asyncio.create_task(turns.take("two"))
    await settle()
    assert turns.late_s() == 3.0
    held.end()
    (await first).end()
    (await second).end()
    assert turns.late_s() == 0.0


async def test_while_commands_are_late_pages_rest_and_a_class_does_not_wait_for_that() -> None:
    now_s, came = 100.0, []
    turns = PageScheduler(at_once=1, clock=lambda: now_s)
    turns.pressure = lambda: 3.0
    held = await turns.take("192.0.2.1 learn")

    async def come(lane: str) -> PageTurn:
        turn = await turns.take(lane)
        came.append(lane)
        return turn

    pupil = asyncio.create_task(come("192.0.2.1 learn"))
    await settle()
    now_s += 0.1
    begun_s = time.monotonic()
    held.end()
    await settle()
    assert came == []
    freeze = await asyncio.wait_for(come("192.0.2.1 class"), PATIENCE_S)
    hands_out = asyncio.create_task(come("192.0.2.1 class"))
    await settle()
    now_s += 0.1
    freeze.end()
    await settle()
    assert came == ["192.0.2.1 class"] * 2
    now_s += 0.1
    (await hands_out).end()
    now_s += 0.1
    (await asyncio.wait_for(pupil, PATIENCE_S)).end()
    assert time.monotonic() - begun_s > 0.19  # twice as long as it was worked
    turns.pressure = lambda: 1.0
    (await asyncio.wait_for(turns.take("192.0.2.1 learn"), PATIENCE_S)).end()
    assert turns._free == 1


async def test_an_answer_does_not_wait_for_a_rest_and_page_views_behind_it_do() -> None:
    now_s, came = 100.0, []
    turns = PageScheduler(at_once=1, clock=lambda: now_s)
    turns.pressure = lambda: 3.0
    held = await turns.take("192.0.2.1 learn")

    async def come(name: str, **how: bool) -> PageTurn:
        turn = await turns.take("192.0.2.1 learn", **how)
        came.append(name)
        return turn

    view = asyncio.create_task(come("view"))
    await settle()
    led = asyncio.create_task(come("led", goes_on=True))
    answer = asyncio.create_task(come("answer", goes_on=True, sends=True))
    await settle()
    now_s += 0.1
    held.end()
    await settle()
    assert came == ["answer"]
    now_s += 0.1
    (await answer).end()
    await settle()
    assert came == ["answer"]
    (await asyncio.wait_for(led, PATIENCE_S)).end()
    (await asyncio.wait_for(view, PATIENCE_S)).end()


async def test_a_rest_ends_however_long_a_page_took() -> None:
    now_s = 100.0
    turns = PageScheduler(at_once=1, clock=lambda: now_s)
    turns.pressure = lambda: 6.0
    held = await turns.take("one")
    now_s += 600
    held.end()
    (await asyncio.wait_for(turns.take("one"), MOST_REST_S + 5)).end()


async def _page(scope: Any, receive: Any, send: Any) -> None:
    """Do what a page does: work in a thread, then answer in pieces."""
    await sync_to_async(scope["work"])()
    await send({"type": "http.response.start", "status": 200})
    await scope["answered"]()
    await send({"type": "http.response.body"})


def _scope(path: str = "/", address: str = "192.0.2.1", **more: Any) -> dict[str, Any]:
    async def nothing() -> None: ...

    base = {"path": path, "client": (address, 1), "headers": [], "method": "GET"}
    return {**base, "work": lambda: None, "answered": nothing, **more}


class Answered:
    """What an application answered."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []

    async def __call__(self, message: dict[str, Any]) -> None:
        self.messages.append(message)

    @property
    def status(self) -> int:
        return int(self.messages[0]["status"])

    @property
    def body(self) -> str:
        return bytes(self.messages[1]["body"]).decode()


async def _refuse(scope: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 503})


async def test_a_download_that_nobody_fetches_holds_no_turn() -> None:
    turns = PageScheduler(at_once=1)
    app, never = InTurn(_page, _refuse, turns), asyncio.Event()
    slow = asyncio.create_task(app(_scope(answered=never.wait), None, Answered()))
    await asyncio.wait_for(app(_scope(), None, Answered()), PATIENCE_S)
    assert not slow.done()
    never.set()
    await slow


async def test_a_page_that_waits_stands_aside_and_comes_before_those_who_had_no_turn() -> None:
    turns, came = PageScheduler(at_once=1), []
    app = InTurn(_page, _refuse, turns)
    waits, goes_on = threading.Event(), threading.Event()

    def work() -> None:
        with aside():
            waits.set()
            assert goes_on.wait(PATIENCE_S)
        came.append("first")

    def other() -> None:
        goes_on.set()  # the first one comes back while this one has the turn, and a third waits
        while not turns._returning:
            time.sleep(0.001)
        came.append("second")

    first = asyncio.create_task(app(_scope(work=work), None, Answered()))
    assert await asyncio.to_thread(waits.wait, PATIENCE_S)
    others = [
        asyncio.create_task(app(_scope(work=each), None, Answered()))
        for each in (other, lambda: came.append("third"))
    ]
    await asyncio.wait_for(asyncio.gather(first, *others), PATIENCE_S)
    assert came == ["second", "first", "third"]
    (await asyncio.wait_for(turns.take("one"), PATIENCE_S)).end()


async def test_a_page_whose_visitor_left_while_it_stood_aside_gives_its_turn_back() -> None:
    turns = PageScheduler(at_once=1)
    app, left = InTurn(_page, _refuse, turns), threading.Event()

    def work() -> None:
        with aside():
            assert left.wait(PATIENCE_S)
        done.set()

    done = threading.Event()
    task = asyncio.create_task(app(_scope(work=work), None, Answered()))
    await settle()
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    left.set()
    assert await asyncio.to_thread(done.wait, PATIENCE_S)
    for _each in range(2):
        (await asyncio.wait_for(turns.take("one"), PATIENCE_S)).end()
    assert turns._free == 1


async def test_pages_share_threads_and_a_thread_that_still_works_takes_no_other_page() -> None:
    app = InTurn(_page, _refuse, PageScheduler(at_once=2))
    seen: list[int] = []

    def note() -> None:
        seen.append(threading.get_ident())

    for _page_after_another in range(3):
        await app(_scope(work=note), None, Answered())
        while not app._threads._idle:  # the thread comes back by itself, a moment later
            await asyncio.to_thread(time.sleep, 0.001)
    assert len(set(seen)) == 1
    begun, left = threading.Event(), threading.Event()

    def work() -> None:
        note()
        begun.set()
        assert left.wait(PATIENCE_S)

    given_up = asyncio.create_task(app(_scope(work=work), None, Answered()))
    assert await asyncio.to_thread(begun.wait, PATIENCE_S)
    given_up.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await asyncio.wait_for(asyncio.shield(given_up), 0.05)
    await asyncio.wait_for(app(_scope(work=note), None, Answered()), PATIENCE_S)
    assert seen[-2] != seen[-1]
    left.set()


async def test_whoever_repeats_a_run_needs_no_turn() -> None:
    turns, gate = PageScheduler(at_once=1), work_places.RepeatGate(places=1)
    app, over = InTurn(_page, _refuse, turns), threading.Event()

    def repeats() -> None:
        with gate.place(RequestCaller("somebody")):
            assert over.wait(PATIENCE_S)

    slow = asyncio.create_task(app(_scope(work=repeats), None, Answered()))
    await asyncio.wait_for(app(_scope(), None, Answered()), PATIENCE_S)
    assert not slow.done()
    over.set()
    await slow


@pytest.mark.parametrize(
    ("language", "words"), [("en", "asked for more pages"), ("zh-hans", "页面"), ("zh-hant", "頁面")]
)
async def test_one_request_too_many_hears_when_to_ask_again(language: str, words: str) -> None:
    turns = PageScheduler(at_once=1, waiting=0)
    held = await turns.take("one")
    app, heard = InTurn(_page, answer_busy, turns), Answered()
    await app(_scope("/learn/", headers=[(b"accept-language", language.encode())]), None, heard)
    assert heard.status == 503
    assert dict(heard.messages[0]["headers"])[b"retry-after"] == str(work_places.AGAIN_S).encode()
    assert words in heard.body
    assert 'http-equiv="refresh"' in heard.body

    form = Answered()
    await app(_scope("/learn/", method="POST"), None, form)
    assert "refresh" not in form.body  # it would ask for a page in the place of the form

    script = Answered()
    await app(_scope("/s/x/state", headers=[(b"accept", b"application/json")]), None, script)
    assert str(work_places.AGAIN_S) in json.loads(script.body)["error"]
    held.end()


class Leads:
    """An application whose answers to forms lead to a page; it notes in which order requests had their turns."""

    def __init__(self) -> None:
        self.came: list[str] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.came.append(scope["name"])
        leads = scope["method"] == "POST"
        headers = [(b"location", b"/learn/unit/one%20more/?again=1#task")] if leads else []
        await send({"type": "http.response.start", "status": 302 if leads else 200, "headers": headers})
        await send({"type": "http.response.body", "body": b""})


async def in_order(requests: list[tuple[str, str, str]], before: tuple[str, ...] = ()) -> list[str]:
    """Return the order in which requests of one lane, all waiting, have their turns.

    Args:
        requests: name, method and path of each.
        before: names of forms that were answered earlier.
    """
    turns, leads = PageScheduler(at_once=1), Leads()
    app = InTurn(leads, answer_busy, turns)
    for name in before:
        await app(_scope("/learn/unit/one more/answer", method="POST", name=name), None, Answered())
    held = await turns.take("somebody else")
    waiting = []
    for name, method, path in requests:
        waiting.append(asyncio.create_task(app(_scope(path, method=method, name=name), None, Answered())))
        await settle()
    held.end()
    await asyncio.gather(*waiting)
    return leads.came[len(before) :]


async def test_an_answer_does_not_wait_behind_everybody_who_opens_a_page() -> None:
    opened = [(f"page {number}", "GET", "/learn/unit/other/") for number in range(3)]
    answer = ("answer", "POST", "/learn/unit/one more/answer")
    assert await in_order([*opened, answer]) == ["answer", "page 0", "page 1", "page 2"]


async def test_nor_does_the_page_to_which_an_answer_leads() -> None:
    opened = [(f"page {number}", "GET", "/learn/unit/other/") for number in range(3)]
    shown = ("shown", "GET", "/learn/unit/one more/")
    again = ("opened again", "GET", "/learn/unit/one more/")
    order = await in_order([*opened, shown, again], before=("answer",))
    assert order == ["shown", "page 0", "page 1", "page 2", "opened again"], "each answer leads once"


async def test_a_flood_of_forms_does_not_keep_pages_out() -> None:
    forms = [(f"form {number}", "POST", "/learn/unit/one more/answer") for number in range(8)]
    order = await in_order([("page", "GET", "/learn/unit/other/"), *forms])
    assert order.index("page") == 3


async def test_where_answers_lead_is_forgotten_some_day(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("playground.limits.page_scheduler.MOST_LED", 10)
    leads = Leads()
    app = InTurn(leads, answer_busy, PageScheduler())
    for number in range(30):
        form = _scope("/learn/unit/one more/answer", address=f"192.0.2.{number}", method="POST", name="form")
        await app(form, None, Answered())
    assert len(app._led) == 10


def test_lanes_are_few_whatever_is_asked_for() -> None:
    one = {lane_of(_scope(f"/{part}/x")) for part in (*PARTS, "", "nonsense", "more-nonsense", "class/../s")}
    assert len(one) == len(PARTS) + 1
    assert lane_of(_scope("/class/1/freeze")) != lane_of(_scope("/learn/unit/exercise/answer"))
    assert lane_of(_scope("/s/1/")) != lane_of(_scope("/s/1/", address="192.0.2.2"))
