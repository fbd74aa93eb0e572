"""A launch counts once, in the browser that began it, for this tool, in a known deployment; and is made as one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone
from lti_tool.models import LtiDeployment, LtiRegistration

from playground.exercises.models import Learner
from playground.limits import rate_limits, session_limits
from playground.lti import launches
from playground.lti.models import LogIn
from tests.web.lti_platform import AGS, CLAIM, CLIENT, CUSTOM, DEEP_LINKING, Platform
from tests.web.test_lti import begin, connected, launch

pytestmark = pytest.mark.django_db


@pytest.fixture
def platform(monkeypatch: pytest.MonkeyPatch) -> Iterator[Platform]:
    rate_limits.forget()
    yield from connected(Platform(), monkeypatch)
    rate_limits.forget()


def form_of(client: Client, platform: Platform, subject: str = "u1", **claims: Any) -> dict[str, str]:
    """Return what the platform sends through a browser that began."""
    asked = begin(client, platform)
    claims = {CUSTOM: {"waterline": "first-in"}, **claims}
    return {"id_token": platform.signed(asked["nonce"], subject, **claims), "state": asked["state"]}


def test_the_same_launch_again_is_refused_in_every_browser(client: Client, platform: Platform) -> None:
    form = form_of(client, platform)
    assert client.post("/lti/launch", form).status_code == 302
    for again in (client, Client()):
        reply = again.post("/lti/launch", form)
        assert reply.status_code == 403
        assert "used already" in reply.content.decode()
    assert LogIn.objects.count() == 0
    assert Learner.objects.count() == 1


def test_a_token_is_not_believed_under_another_state(client: Client, platform: Platform) -> None:
    first, second = form_of(client, platform), form_of(client, platform)
    mixed = {"id_token": first["id_token"], "state": second["state"]}
    assert client.post("/lti/launch", mixed).status_code == 403
    assert client.post("/lti/launch", first).status_code == 302, "what went wrong used nothing up"
    assert client.post("/lti/launch", second).status_code == 302


def test_nobody_is_logged_in_as_somebody_else(client: Client, platform: Platform) -> None:
    """A stranger begins a log-in, and has a victim's browser send the form."""
    stranger = form_of(client, platform, "stranger")
    victim = Client()
    form_of(victim, platform, "victim")  # it has a cookie of its own
    for browser in (victim, Client()):
        assert browser.post("/lti/launch", stranger).status_code == 403
        assert "is-first" not in browser.get("/learn/").content.decode()
    assert Learner.objects.count() == 0
    assert client.post("/lti/launch", stranger).status_code == 302


def test_a_cookie_that_was_not_signed_here_is_none(client: Client, platform: Platform) -> None:
    form = form_of(client, platform)
    other = Client()
    other.cookies[launches.COOKIE] = client.cookies[launches.COOKIE].value[:-3] + "xyz"
    assert other.post("/lti/launch", form).status_code == 403


def test_a_log_in_lasts_an_hour_and_leaves_nothing(client: Client, platform: Platform) -> None:
    form = form_of(client, platform)
    LogIn.objects.update(at=timezone.now() - launches.LASTS - timedelta(seconds=1))
    assert client.post("/lti/launch", form).status_code == 403
    form_of(client, platform)
    assert LogIn.objects.count() == 1, "the old one is deleted"


def test_the_cookie_goes_with_what_a_platform_sends_and_no_script_reads_it(platform: Platform) -> None:
    client = Client()
    registration = LtiRegistration.objects.get()
    form = {"iss": platform.address, "login_hint": "u1"}
    client.post(f"/lti/log-in/{registration.uuid}/", form, secure=True)
    cookie = client.cookies[launches.COOKIE]
    assert (cookie["samesite"], cookie["secure"], cookie["httponly"]) == ("None", True, True)
    assert cookie["path"] == "/lti/"


# --- where a page in a frame has no cookies ---


def test_the_platforms_window_keeps_the_secret_where_cookies_do_not(
    client: Client, platform: Platform
) -> None:
    registration = LtiRegistration.objects.get()
    asked = {"iss": platform.address, "login_hint": "u1", "lti_storage_target": "_parent"}
    page = client.post(f"/lti/log-in/{registration.uuid}/", asked)
    text = page.content.decode()
    assert f"frame-ancestors {platform.address}" in page["Content-Security-Policy"]
    put = dict(re.findall(r'data-(key|value|origin|frame)="([^"]*)"', text))
    assert (put["origin"], put["frame"]) == (platform.address, "_parent")
    address = re.search(r'href="([^"]+)" data-onward', text)
    assert address is not None
    question = platform.asked(address[1].replace("&amp;", "&"))
    token = platform.signed(question["nonce"], **{CUSTOM: {"waterline": "first-in"}})
    form = {"id_token": token, "state": question["state"], "lti_storage_target": "_parent"}
    bare = Client()
    page = bare.post("/lti/launch", form)
    assert page.status_code == 200
    assert f'data-key="{put["key"]}"' in page.content.decode(), "the same place is asked"
    assert put["value"] not in page.content.decode()
    once_more = {"id_token": token, "state": question["state"]}
    assert bare.post("/lti/launch", {**once_more, "kept": ""}).status_code == 403
    assert bare.post("/lti/launch", {**once_more, "kept": "guessed"}).status_code == 403
    assert bare.post("/lti/launch", {**once_more, "kept": put["value"]}).status_code == 302
    assert bare.post("/lti/launch", {**once_more, "kept": put["value"]}).status_code == 403, "once"


# --- whom it is for ---


@pytest.mark.parametrize(
    ("claims", "status"),
    [
        ({"aud": [CLIENT]}, 302),
        ({"aud": [CLIENT, "other"]}, 403),
        ({"aud": [CLIENT, "other"], "azp": "other"}, 403),
        ({"aud": [CLIENT, "other"], "azp": CLIENT}, 302),
        ({"aud": CLIENT, "azp": "other"}, 403),
        ({"iss": "https://evil.example"}, 403),
        ({CLAIM + "deployment_id": "77"}, 403),
        ({"iat": 4_000_000_000, "exp": 4_000_000_300}, 403),
    ],
)
def test_a_launch_is_for_this_tool_in_a_known_deployment(
    client: Client, platform: Platform, claims: dict[str, Any], status: int
) -> None:
    assert launch(client, platform, claims=claims).status_code == status
    assert LtiDeployment.objects.count() == 1, "nobody makes one known by launching"


def test_who_is_refused_reads_which_deployment_to_register(client: Client, platform: Platform) -> None:
    page = launch(client, platform, claims={CLAIM + "deployment_id": "77"}).content.decode()
    assert "77" in page
    assert "--deployment" in page


# --- what it is made of ---


@pytest.mark.parametrize(
    "claims",
    [
        {"sub": 7},
        {"sub": ["u1"]},
        {"sub": "u" * 256},
        {CLAIM + "version": 1.3},
        {CLAIM + "version": "1.1.0"},
        {CLAIM + "deployment_id": None},
        {CLAIM + "deployment_id": {"id": "1"}},
        {CLAIM + "message_type": ["LtiResourceLinkRequest"]},
        {CUSTOM: ["waterline", "first-in"]},
        {CUSTOM: "first-in"},
        {AGS: "https://x.example"},
        {AGS: {"scope": 7, "lineitem": "x"}},
        {AGS: {"scope": ["x", 7]}},
        {AGS: {"lineitem": {"a": 1}}},
        {"azp": 5},
        {CLAIM + "message_type": "LtiDeepLinkingRequest", DEEP_LINKING: "x"},
        {CLAIM + "message_type": "LtiDeepLinkingRequest", DEEP_LINKING: {}},
        {CLAIM + "message_type": "LtiDeepLinkingRequest", DEEP_LINKING: {"deep_link_return_url": 5}},
        {
            CLAIM + "message_type": "LtiDeepLinkingRequest",
            DEEP_LINKING: {"deep_link_return_url": "javascript:x"},
        },
        {
            CLAIM + "message_type": "LtiDeepLinkingRequest",
            DEEP_LINKING: {"deep_link_return_url": "https://[x/"},
        },
    ],
)
def test_what_is_of_the_wrong_type_is_a_bad_request(
    client: Client, platform: Platform, claims: dict[str, Any]
) -> None:
    reply = launch(client, platform, claims=claims)
    assert reply.status_code == 400, (claims, reply.status_code)


@pytest.mark.parametrize(
    "token", ["", "x", "x.y.z", "a.b", "\x00", "[]", "é" * 5000, "eyJhbGciOiJub25lIn0.e30."]
)
def test_what_is_no_token_is_refused_in_words(client: Client, platform: Platform, token: str) -> None:
    reply = client.post("/lti/launch", {**form_of(client, platform), "id_token": token})
    assert reply.status_code in {400, 403}


@pytest.mark.parametrize(
    "keys", ["text", [], {}, {"keys": 5}, {"keys": ["x"]}, {"keys": [{"kid": "platform-1", "kty": "RSA"}]}]
)
def test_keys_that_are_none_are_refused_in_words(client: Client, platform: Platform, keys: Any) -> None:
    platform.absurd = keys
    form = form_of(client, platform)
    assert client.post("/lti/launch", form).status_code == 403


def test_a_wrong_hint_of_any_size_is_refused_in_words(client: Client, platform: Platform) -> None:
    path = f"/lti/log-in/{LtiRegistration.objects.get().uuid}/"
    for hint in ("", "x" * 5000):
        assert client.post(path, {"iss": platform.address, "login_hint": hint}).status_code == 400
    assert client.post(path, {"iss": ["a", "b"], "login_hint": "x"}).status_code == 403
    assert LogIn.objects.count() == 0


# --- many of them ---


def test_a_teachers_choice_outlasts_whatever_others_launch(client: Client, platform: Platform) -> None:
    settings = {"deep_link_return_url": f"{platform.address}/return", "data": {"any": ["thing"]}}
    claims = {CLAIM + "message_type": "LtiDeepLinkingRequest", DEEP_LINKING: settings}
    page = launch(client, platform, claims=claims).content.decode()
    found = re.search(r'name="token" value="([^"]+)"', page)
    assert found is not None
    cache.clear()  # nothing is kept where something else could displace it
    page = Client().post("/lti/choose", {"token": found[1], "target": ["first-in"]}).content.decode()
    assert f'action="{platform.address}/return"' in page


def test_a_class_behind_one_address_begins_together(platform: Platform) -> None:
    """Sixty students need 120 log-ins and launches within a minute; new visitors have another bucket."""
    most = session_limits.current().new_per_minute
    for number in range(most // 2 + 5):
        browser = Client()
        form = form_of(browser, platform, f"u{number}")
        assert browser.post("/lti/launch", form).status_code == 302, number
    assert Client().post("/s/new", {"profile": "classroom"}).status_code == 302
