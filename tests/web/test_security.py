"""Headers, cookies and what the deploy check says."""

from __future__ import annotations

import pytest
from django.conf import settings as django_settings
from django.test import Client

from playground.limits import request_callers
from playground.records import kept_runs

pytestmark = pytest.mark.django_db


def test_every_page_has_a_strict_policy(client: Client) -> None:
    for address in ("/", "/no/such/page", "/i18n/catalog.js"):
        response = client.get(address)
        policy = response["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert response["X-Content-Type-Options"] == "nosniff"
        assert response["X-Frame-Options"] == "DENY"
        assert response["Referrer-Policy"] == "same-origin"


def test_no_page_has_scripts_or_styles_inside(client: Client) -> None:
    for address in ("/", "/no/such/page"):
        page = client.get(address).content.decode()
        assert "<script>" not in page
        assert "<style" not in page
        assert " style=" not in page
        assert " onclick=" not in page


def test_the_cookie_of_ownership_is_for_the_server_only(client: Client) -> None:
    cookie = client.post("/s/new").cookies[django_settings.SESSION_COOKIE_NAME]
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"


def test_debug_is_off_and_the_key_is_not_in_the_repository() -> None:
    assert django_settings.DEBUG is False
    assert len(django_settings.SECRET_KEY) >= 50


def test_a_forged_cookie_owns_nothing(client: Client) -> None:
    session_id = client.post("/s/new")["Location"].split("/")[2]
    stranger = Client()
    stranger.cookies[django_settings.SESSION_COOKIE_NAME] = "forged:cookie:value"
    assert stranger.get(f"/s/{session_id}/").context["live_data"]["owner"] is False


@pytest.mark.django_db
def test_two_pages_that_begin_a_session_at_once_both_own_theirs() -> None:
    """Each answers from the cookie as it was before the other."""
    before = {request_callers.KEY: "0123456789abcdef"}
    sessions = [kept_runs.start_session(kept_runs.blank_scenario("classroom")) for _page in range(2)]
    for session in sessions:
        kept_runs.claim(dict(before), session)
    assert [kept_runs.owns(before, session.public_id) for session in sessions] == [True, True]
    assert kept_runs.owned(before) == [session.public_id for session in reversed(sessions)]
    assert not kept_runs.owns({}, sessions[0].public_id)
    assert not kept_runs.owns({request_callers.KEY: ""}, sessions[0].public_id)
