"""Pages and data are compressed for a browser that takes it; pictures and short answers are not."""

import gzip

import pytest
from django.http import HttpResponse, StreamingHttpResponse
from django.test import Client, RequestFactory

from playground.web.page_delivery import TextCompression

TAKES = {"Accept-Encoding": "gzip, br"}


@pytest.mark.django_db
def test_a_page_is_compressed_and_says_so() -> None:
    plain, small = Client().get("/rules/"), Client().get("/rules/", headers=TAKES)
    assert "Content-Encoding" not in plain.headers
    assert small.headers["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in small.headers["Vary"]
    assert int(small.headers["Content-Length"]) == len(small.content) < len(plain.content) / 3
    assert b"</html>" in gzip.decompress(small.content)


@pytest.mark.parametrize("kind", ["image/png", "application/zip"])
def test_what_is_compressed_already_goes_as_it_is(kind: str) -> None:
    assert "Content-Encoding" not in compressed(HttpResponse(b"x" * 5000, content_type=kind)).headers


def test_a_stream_is_not_held_back() -> None:
    assert "Content-Encoding" not in compressed(StreamingHttpResponse([b"x" * 5000])).headers


def test_the_length_tells_nothing() -> None:
    """What an attacker repeats of a secret must not show in the length: the same page has many."""
    lengths = {len(compressed(HttpResponse(b"secret " * 500)).content) for _ in range(20)}
    assert len(lengths) > 1


def compressed(answer: HttpResponse | StreamingHttpResponse) -> HttpResponse:
    """Return what the middleware makes of an answer."""
    request = RequestFactory().get("/", headers=TAKES)
    return TextCompression(lambda _request: answer)(request)
