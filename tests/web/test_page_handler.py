"""A page is made in one go of one thread, and a download ends when whoever fetches it is gone."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest
from asgiref.sync import ThreadSensitiveContext
from django.core.signals import request_finished, request_started
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.urls import path

from playground.web.page_delivery import PageHandler
from tests.helpers.patience import PATIENCE_S

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.urls(__name__)]

seen: list[tuple[str, int]] = []
closed = threading.Event()


def note(name: str) -> None:
    seen.append((name, threading.get_ident()))


def page(request: HttpRequest) -> HttpResponse:
    note(f"made of {request.body.decode()}")
    return HttpResponse("a page")


def download(request: HttpRequest) -> StreamingHttpResponse:
    closed.clear()
    return StreamingHttpResponse(_Endless())


def broken(request: HttpRequest) -> HttpResponse:
    raise ValueError


class _Endless:
    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        await asyncio.sleep(0.001)
        return b"more"

    def close(self) -> None:
        closed.set()


urlpatterns = [path("page", page), path("download", download), path("broken", broken)]


class CountedThread(ThreadPoolExecutor):
    """A thread that counts what it is given."""

    given = 0

    def submit(self, *arguments: Any, **named: Any) -> Future[Any]:  # type: ignore[override]
        self.given += 1
        return super().submit(*arguments, **named)


async def ask(where: str, *, whole: bool = True) -> tuple[list[dict[str, Any]], CountedThread]:
    """Send a request, and leave when something was answered, or before the request is whole."""
    answers: list[dict[str, Any]] = []
    answered = asyncio.Event()
    coming: list[dict[str, Any]] = [
        {"type": "http.request", "body": b"fields", "more_body": not whole},
        {"type": "http.disconnect"},
    ]

    async def receive() -> dict[str, Any]:
        if whole and len(coming) == 1:
            await answered.wait()
        return coming.pop(0)

    async def send(message: dict[str, Any]) -> None:
        answers.append(message)
        if message.get("body"):
            answered.set()

    thread = CountedThread(1)
    scope = {
        "type": "http",
        "method": "GET",
        "path": where,
        "headers": [(b"host", b"localhost")],
        "query_string": b"",
        "client": None,
    }
    async with ThreadSensitiveContext(executor=thread):
        await asyncio.wait_for(PageHandler()(scope, receive, send), PATIENCE_S)
    return answers, thread


async def test_a_page_is_made_in_one_go_from_its_beginning_to_its_end() -> None:
    seen.clear()

    def begun(**_named: Any) -> None:
        note("begun")

    def over(**_named: Any) -> None:
        note("over")

    request_started.connect(begun)
    request_finished.connect(over)
    try:
        answers, thread = await ask("/page")
    finally:
        request_started.disconnect(begun)
        request_finished.disconnect(over)
    assert [name for name, _thread in seen] == ["begun", "made of fields", "over"]
    assert len({ident for _name, ident in seen}) == 1
    assert thread.given == 1
    assert answers[0]["status"] == 200
    assert b"".join(each["body"] for each in answers[1:]) == b"a page"


async def test_a_download_ends_when_whoever_fetches_it_is_gone() -> None:
    answers, _thread = await ask("/download")
    assert answers[0]["status"] == 200
    assert await asyncio.to_thread(closed.wait, PATIENCE_S)


async def test_whoever_is_gone_before_the_request_is_whole_gets_nothing() -> None:
    answers, thread = await ask("/page", whole=False)
    assert not answers
    assert not thread.given


async def test_a_view_that_fails_is_answered() -> None:
    answers, _thread = await ask("/broken")
    assert answers[0]["status"] == 500
