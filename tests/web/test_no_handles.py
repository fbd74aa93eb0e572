"""A process that may open or write no more files: its pages say so, and when to ask again; no error of ours."""

from __future__ import annotations

import errno
import os
from typing import Any

import pytest
from django.db import OperationalError
from django.test import Client, RequestFactory

from playground.web import errors

pytestmark = pytest.mark.django_db


def none_left(*_given: Any, **_named: Any) -> Any:
    raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))


@pytest.mark.parametrize("accept", ["text/html", "application/json"])
def test_a_page_without_a_handle_says_when_to_ask_again(
    client: Client, monkeypatch: pytest.MonkeyPatch, accept: str
) -> None:
    monkeypatch.setattr("playground.views.home.render", none_left)
    monkeypatch.setattr(errors, "render", none_left)
    answer = client.get("/privacy/", headers={"accept": accept})
    assert (answer.status_code, answer["Retry-After"]) == (503, "10")
    assert "as many files open" in answer.content.decode()


def test_a_database_that_cannot_be_opened_is_said_without_a_template(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(errors, "render", none_left)
    middleware = errors.BusyMiddleware(lambda _request: none_left())
    found = middleware.process_exception(RequestFactory().get("/"), OperationalError("unable to open"))
    assert found is not None
    assert found.status_code == 503
    assert "The database does not answer" in found.content.decode()


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_a_page_without_room_to_write_says_so(number: int) -> None:
    """An export is written to a file first; on a full disk that was an error of the server."""
    middleware = errors.BusyMiddleware(lambda _request: none_left())
    found = middleware.process_exception(RequestFactory().get("/"), OSError(number, os.strerror(number)))
    assert found is not None
    assert (found.status_code, found["Retry-After"]) == (503, "10")
    assert "no room to write" in found.content.decode()


def test_another_error_of_the_system_is_no_lack_of_handles() -> None:
    middleware = errors.BusyMiddleware(lambda _request: none_left())
    request = RequestFactory().get("/")
    assert middleware.process_exception(request, OSError(errno.EPERM, "not allowed")) is None
