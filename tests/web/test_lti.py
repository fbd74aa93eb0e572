"""LTI 1.3 against a platform: launches, deep linking, scores passed back, keys; and what is not to be believed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import StringIO
from typing import Any
from uuid import uuid4

import jwt
import pytest
from django.core.cache import cache
from django.core.management import call_command
from django.test import Client
from jwcrypto.jwk import JWK
from lti_tool.models import Key, LtiRegistration, LtiUser

from playground.exercises import catalog
from playground.exercises.kinds import solution_of
from playground.exercises.models import Learner, Work
from playground.limits import rate_limits
from playground.lti import launches
from playground.lti.models import Placement, Seat
from tests.web.lti_platform import AGS, CLAIM, CLIENT, CUSTOM, DEEP_LINKING, DEPLOYMENT, Platform, key

pytestmark = pytest.mark.django_db


@pytest.fixture
def platform(monkeypatch: pytest.MonkeyPatch) -> Iterator[Platform]:
    yield from connected(Platform(), monkeypatch)


def connected(found: Platform, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Yield a platform that is registered here. Scores are sent by a thread; here the test calls what it does."""
    rate_limits.forget()
    cache.clear()
    ours = key("tool")
    Key.objects.create(
        public_key=ours.export_to_pem().decode(),
        private_key=ours.export_to_pem(private_key=True, password=None).decode(),
    )
    register(found)
    monkeypatch.setattr(launches._senders, "submit", lambda send, *what: send(*what))
    monkeypatch.setattr(launches, "close_old_connections", lambda: None)
    monkeypatch.setattr(launches.transaction, "on_commit", lambda send: send())
    yield found
    found.close()
    cache.clear()


def register(platform: Platform) -> str:
    printed = StringIO()
    call_command(
        "lti",
        "--register=Moodle",
        f"--issuer={platform.address}",
        f"--client-id={CLIENT}",
        f"--auth-url={platform.address}/auth",
        f"--token-url={platform.address}/token",
        f"--keyset-url={platform.address}/keys",
        f"--deployment={DEPLOYMENT}",
        stdout=printed,
    )
    return printed.getvalue()


def begin(client: Client, platform: Platform) -> dict[str, str]:
    """Begin a log-in as a platform does; return what it was asked for."""
    registration = LtiRegistration.objects.get()
    form = {
        "iss": platform.address,
        "client_id": CLIENT,
        "login_hint": "u1",
        "target_link_uri": "https://evil.example/",
        "lti_message_hint": "x",
    }
    reply = client.post(f"/lti/log-in/{registration.uuid}/", form)
    assert reply.status_code == 302, reply.content.decode()[:2000]
    asked = platform.asked(reply["Location"])
    assert asked["redirect_uri"] == "http://testserver/lti/launch", (
        "it comes back here, whatever was asked for"
    )
    return asked


def launch(client: Client, platform: Platform, target: str = "first-in", **more: Any) -> Any:
    asked = begin(client, platform)
    claims = {
        CUSTOM: {"waterline": target},
        AGS: {"scope": [launches.SCORE], "lineitem": f"{platform.address}/lines/{target}"},
        **more.pop("claims", {}),
    }
    token = platform.signed(asked["nonce"], **claims, **more)
    return client.post("/lti/launch", {"id_token": token, "state": asked["state"]})


def work_on(client: Client, slug: str, *answers: Any) -> None:
    base = f"/learn/{catalog.exercise(slug).unit}/{slug}/"
    client.post(base + "begin")
    for number, answer in enumerate(answers):
        if number:
            client.post(base + "again")
        client.post(base + "answer", {"answer": answer})


def test_a_launch_leads_to_the_exercise_and_the_score_goes_back(client: Client, platform: Platform) -> None:
    reply = launch(client, platform)
    assert reply.status_code == 302, reply.content.decode()[:2000]
    assert reply["Location"] == "/learn/waterline/first-in/"
    work_on(client, "first-in", "q4")
    (score,) = platform.scores
    assert score["path"] == "/lines/first-in/scores"
    assert (score["scoreGiven"], score["scoreMaximum"], score["userId"]) == (1, 1, "u1")
    assert score["gradingProgress"] == "FullyGraded"
    key = Key.objects.get().public_key
    assertion = jwt.decode(platform.assertions[0], key, algorithms=["RS256"], options={"verify_aud": False})
    assert assertion["iss"] == CLIENT, "signed with the key that is published"
    assert LtiUser.objects.count() == 0, "no name, no address"
    launch(client, platform)
    work_on(client, "first-in", "q1")
    assert len(platform.scores) == 1, "what the teacher changed meanwhile is not written over"


def test_what_is_right_later_counts_less(client: Client, platform: Platform) -> None:
    launch(client, platform, "small-body")
    work_on(client, "small-body", "store")
    client.post(f"/learn/{catalog.exercise('small-body').unit}/small-body/again")
    asked = catalog.variant("small-body", Work.objects.get().variant)
    client.post(f"/learn/{asked.unit}/small-body/answer", {"answer": solution_of(asked)})
    assert [each["scoreGiven"] for each in platform.scores] == [0.6]


def test_a_unit_counts_the_mean_of_its_exercises_and_grows(client: Client, platform: Platform) -> None:
    reply = launch(client, platform, "waterline")
    assert reply["Location"] == "/learn/#unit-waterline"
    work_on(client, "first-in", "q4")
    work_on(client, "persistent-copy", "both")
    count = len(catalog.of_unit("waterline"))
    assert [each["scoreGiven"] for each in platform.scores] == [round(1 / count, 4), round(2 / count, 4)]


@pytest.mark.parametrize("teacher", [None, 0.95], ids=["untouched", "changed"])
def test_a_grade_that_the_teacher_changed_stands_though_the_unit_goes_on(
    client: Client, platform: Platform, teacher: float | None
) -> None:
    line = f"{platform.address}/lines/waterline"
    scopes = [launches.SCORE, launches.RESULT]
    launch(client, platform, "waterline", claims={AGS: {"scope": scopes, "lineitem": line}})
    work_on(client, "first-in", "q4")
    if teacher is not None:
        platform.gradebook["/lines/waterline", "u1"] = teacher
    work_on(client, "persistent-copy", "both")
    assert len(platform.scores) == (2 if teacher is None else 1)
    count = len(catalog.of_unit("waterline"))
    assert platform.gradebook["/lines/waterline", "u1"] == (teacher or round(2 / count, 4))


def test_the_work_belongs_to_the_person_wherever_the_launch_comes_from(
    client: Client, platform: Platform
) -> None:
    launch(client, platform)
    work_on(client, "first-in", "q4")
    elsewhere, somebody = Client(), Client()
    launch(elsewhere, platform)
    assert "is-first" in elsewhere.get("/learn/").content.decode()
    launch(somebody, platform, subject="u2")
    assert "is-first" not in somebody.get("/learn/").content.decode()
    assert (Learner.objects.count(), Seat.objects.count()) == (2, 2)


def test_a_score_that_was_not_taken_is_sent_again(client: Client, platform: Platform) -> None:
    launch(client, platform)
    platform.broken = True
    work_on(client, "first-in", "q4")
    assert (platform.scores, Placement.objects.get().sent) == ([], None)
    platform.broken = False
    printed = StringIO()
    call_command("lti_scores", stdout=printed)
    assert printed.getvalue() == "1 scores sent\n"
    call_command("lti_scores", stdout=StringIO())
    assert len(platform.scores) == 1


def test_without_a_line_in_the_gradebook_nothing_is_sent(client: Client, platform: Platform) -> None:
    launch(client, platform, claims={AGS: {"scope": []}})
    work_on(client, "first-in", "q4")
    assert (platform.scores, Placement.objects.count()) == ([], 0)


@pytest.mark.parametrize("several", [True, False], ids=["several", "one"])
def test_a_teacher_places_exercises_and_units_in_a_course(
    client: Client, platform: Platform, several: bool
) -> None:
    settings = {
        "accept_multiple": several,
        "deep_link_return_url": f"{platform.address}/return",
        "accept_types": ["ltiResourceLink"],
        "accept_presentation_document_targets": ["window"],
        "data": "x",
    }
    claims = {
        CLAIM + "message_type": "LtiDeepLinkingRequest",
        DEEP_LINKING: settings,
    }
    reply = launch(client, platform, claims=claims)
    page = reply.content.decode()
    choice = page
    assert "Place in the course" in choice
    assert platform.address in reply["Content-Security-Policy"], "the platform may frame it"
    token = re.search(r'name="token" value="([^"]+)"', page)[1]
    form = {"token": token, "target": ["waterline", "first-in", "no-such"]}
    reply = Client().post("/lti/choose", form)  # in a frame there is no cookie
    page = reply.content.decode()
    assert f'action="{platform.address}/return"' in page
    token = re.search(r'name="JWT" value="([^"]+)"', page)[1]
    key = Key.objects.get().public_key
    message = jwt.decode(token, key, algorithms=["RS256"], audience=platform.address)
    items = message["https://purl.imsglobal.org/spec/lti-dl/claim/content_items"]
    placed = ["waterline", "first-in"] if several else ["waterline"]
    assert [each["custom"]["waterline"] for each in items] == placed, "a unit, and one exercise"
    assert ('type="checkbox"' if several else 'type="radio"') in choice
    assert {each["lineItem"]["scoreMaximum"] for each in items} == {1}
    assert items[0]["url"] == "http://testserver/lti/launch"
    assert message["https://purl.imsglobal.org/spec/lti-dl/claim/data"] == "x"
    assert Client().post("/lti/choose", {"token": token[:-2] + "xx"}).status_code == 403


def test_only_what_the_platform_signed_is_believed(client: Client, platform: Platform) -> None:
    stranger = JWK.generate(kty="RSA", size=2048, kid="platform-1")
    refused = [
        launch(client, platform, key=stranger),
        launch(client, platform, claims={"exp": 1000}),
        launch(client, platform, claims={"aud": "another"}),
        launch(client, platform, claims={"sub": ""}),
        launch(client, platform, claims={CLAIM + "message_type": "LtiSomethingElse"}),
        client.post("/lti/launch", {"id_token": "x.y.z", "state": "state-1"}),
    ]
    assert {reply.status_code for reply in refused} == {403}
    assert client.post("/lti/launch", {}).status_code == 400
    asked = begin(client, platform)
    token = platform.signed(asked["nonce"])
    assert Client().post("/lti/launch", {"id_token": token, "state": asked["state"]}).status_code == 403
    assert client.post("/lti/launch", {"id_token": token, "state": "state-other"}).status_code == 403
    assert (Learner.objects.count(), Work.objects.count()) == (0, 0)


def test_a_log_in_that_is_none_is_reported_in_words(client: Client, platform: Platform) -> None:
    known = f"/lti/log-in/{LtiRegistration.objects.get().uuid}/"
    form = {"iss": platform.address, "login_hint": "u1", "target_link_uri": "https://x.example/"}
    for path, missing, status in (
        (known, "iss", 403),
        (known, "login_hint", 400),
        (f"/lti/log-in/{uuid4()}/", "", 403),
    ):
        asked = {name: value for name, value in form.items() if name != missing}
        reply = client.post(path, asked)
        assert reply.status_code == status, (path, missing)
        assert "Open the exercise from the course again" in reply.content.decode()


def test_keys_are_published_and_rotated(client: Client, platform: Platform) -> None:
    first = client.get("/lti/keys.json").json()["keys"]
    assert [each["alg"] for each in first] == ["RS256"]
    assert "d" not in first[0], "only the public half"
    assert client.get("/lti/keys.json").json()["keys"] == first
    call_command("rotate_keys", stdout=StringIO())
    both = [each["kid"] for each in client.get("/lti/keys.json").json()["keys"]]
    assert len(both) == 2, "what was signed with the old key a moment ago is still understood"
    assert first[0]["kid"] in both
    launch(client, platform)
    work_on(client, "first-in", "q4")
    newest = jwt.get_unverified_header(platform.assertions[-1])["kid"]
    assert newest == next(each for each in both if each != first[0]["kid"]), "the new one signs at once"
    call_command("rotate_keys", deactivate_after=0, stdout=StringIO())
    (third,) = client.get("/lti/keys.json").json()["keys"]
    assert third["kid"] not in both


def test_registering_again_changes_the_addresses_and_says_the_log_in(platform: Platform) -> None:
    printed = register(platform)
    registration = LtiRegistration.objects.get()
    assert f"/lti/log-in/{registration.uuid}/" in printed


def test_a_store_of_statements_hears_once_and_of_nobody_by_name(
    client: Client, platform: Platform, settings: Any
) -> None:
    settings.WATERLINE_XAPI_URL = f"{platform.address}/xapi"
    settings.WATERLINE_XAPI_AUTH, settings.WATERLINE_XAPI_HOME = "u:p", "https://site.example"
    work_on(client, "first-in", "q4", "q4")
    (statement,) = platform.statements
    assert statement["actor"]["account"]["name"] == f"learner-{Learner.objects.get().pk}"
    assert statement["object"]["id"] == "https://site.example/learn/waterline/first-in/"
    assert statement["result"]["score"] == {"scaled": 1.0}
    platform.broken = True
    assert not launches.send(statement)
