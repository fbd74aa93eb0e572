"""Files that never change are answered by Django once; every other request, and every other answer, is Django's."""

from __future__ import annotations

from typing import Any

import pytest

from playground.server.static_assets import MOST_BYTES_EACH, KeptFiles, Message

FOR_EVER = b"max-age=315360000, public, immutable"
PATH = "/static/js/a.0123456789ab.js"


class Pages:
    """Answers as Django does, in two pieces, and counts how often it was asked."""

    def __init__(
        self, status: int = 200, headers: tuple[tuple[bytes, bytes], ...] = ((b"Cache-Control", FOR_EVER),)
    ) -> None:
        self.asked = 0
        self.body = b"let a = 1;"
        self._status = status
        self._headers = headers

    async def __call__(self, scope: Any, _receive: Any, send: Any) -> None:
        self.asked += 1
        head = [*self._headers, (b"X-Asked", dict(scope["headers"]).get(b"accept-encoding", b""))]
        await send({"type": "http.response.start", "status": self._status, "headers": head})
        await send({"type": "http.response.body", "body": self.body, "more_body": True})
        await send({"type": "http.response.body", "body": b"!"})


async def answer(
    application: KeptFiles, path: str = PATH, method: str = "GET", query: bytes = b"", **headers: str
) -> tuple[Message, bytes]:
    """Return the head and the body of an answer."""
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    given = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "method": method, "path": path, "query_string": query, "headers": given}
    await application(scope, None, send)
    assert not sent[-1].get("more_body")
    return sent[0], b"".join(message["body"] for message in sent[1:])


async def test_the_second_answer_is_the_first_one_without_django() -> None:
    pages = Pages()
    files = KeptFiles(pages, "/static/")
    first = await answer(files, accept_encoding="gzip")
    assert first[1] == b"let a = 1;!"
    assert await answer(files, accept_encoding="gzip") == first
    assert pages.asked == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"accept_encoding": "gzip"}, {}),
        ({"x_forwarded_proto": "https"}, {"x_forwarded_proto": "http"}),
        ({}, {"path": "/static/js/b.0123456789ab.js"}),
    ],
    ids=["compressed", "https", "another file"],
)
async def test_what_may_be_answered_otherwise_is_asked_for_itself(
    one: dict[str, str], other: dict[str, str]
) -> None:
    pages = Pages()
    files = KeptFiles(pages, "/static/")
    for request in (one, other, one, other):
        await answer(files, **request)
    assert pages.asked == 2


@pytest.mark.parametrize(
    "request_",
    [
        {"path": "/library/"},
        {"method": "HEAD"},
        {"query": b"v=1"},
        {"range": "bytes=0-3"},
        {"if_none_match": "x"},
        {"if_modified_since": "x"},
        {"accept_encoding": "x" * 1000},
    ],
    ids=str,
)
async def test_every_other_request_is_djangos(request_: dict[str, Any]) -> None:
    pages = Pages()
    files = KeptFiles(pages, "/static/")
    for _time in range(2):
        await answer(files, **request_)
    assert pages.asked == 2


@pytest.mark.parametrize(
    "pages",
    [
        Pages(status=304),
        Pages(status=301),
        Pages(headers=((b"Cache-Control", b"max-age=60"),)),
        Pages(headers=()),
        Pages(headers=((b"Cache-Control", FOR_EVER), (b"Set-Cookie", b"a=1"))),
    ],
    ids=["not modified", "elsewhere", "may change", "says nothing", "sets a cookie"],
)
async def test_an_answer_that_may_change_is_not_kept(pages: Pages) -> None:
    files = KeptFiles(pages, "/static/")
    await answer(files)
    pages.body = b"let a = 2;"
    assert (await answer(files))[1] == b"let a = 2;!"


async def test_memory_is_bounded() -> None:
    pages = Pages()
    files = KeptFiles(pages, "/static/", most_bytes=3 * 11)
    for number in range(4):
        await answer(files, path=f"/static/{number}.js")
    await answer(files, path="/static/3.js")
    assert pages.asked == 4, "the newest are kept"
    await answer(files, path="/static/0.js")
    assert pages.asked == 5, "the oldest is not"
    pages.body = b" " * MOST_BYTES_EACH
    for _time in range(2):
        assert len((await answer(files, path="/static/large.js"))[1]) == MOST_BYTES_EACH + 1
    assert pages.asked == 7, "a large file is not"
