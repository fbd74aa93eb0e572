"""LTI 1.3 with a platform that others wrote: it makes and signs the launch, and judges what it is sent."""

from __future__ import annotations

import re
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.test import Client
from jwcrypto.jwk import JWK
from lti1p3platform.ltiplatform import LTI1P3PlatformConfAbstract
from lti1p3platform.message_launch import LTIAdvantageMessageLaunchAbstract
from lti1p3platform.oidc_login import OIDCLoginAbstract
from lti1p3platform.registration import Registration
from lti_tool.models import LtiRegistration

from playground.lti import launches
from tests.web.lti_platform import CLIENT, DEPLOYMENT, Platform
from tests.web.test_lti import connected, work_on

pytestmark = pytest.mark.django_db
LAUNCH = "http://testserver/lti/launch"
LEARNER = "http://purl.imsglobal.org/vocab/lis/v2/membership#Learner"


class Conf(LTI1P3PlatformConfAbstract):
    """What the other authors' platform knows of itself and of us."""

    def init_platform_config(self, **kwargs: Any) -> None:
        key = JWK.generate(kty="RSA", size=2048)
        self._registration = (
            Registration()
            .set_iss(kwargs["address"])
            .set_client_id(CLIENT)
            .set_deployment_id(DEPLOYMENT)
            .set_launch_url(LAUNCH)
            .set_platform_private_key(key.export_to_pem(private_key=True, password=None).decode())
            .set_platform_public_key(key.export_to_pem().decode())
        )

    def get_registration_by_params(self, **kwargs: Any) -> Registration:
        return self._registration


class Elsewhere(Platform):
    """The same server; tokens, keys and signatures are the other authors' business."""

    def __init__(self) -> None:
        super().__init__()
        self.conf = Conf(address=self.address)

    def keys(self) -> list[dict[str, Any]]:
        keys: list[dict[str, Any]] = self.conf.get_jwks()["keys"]
        return keys

    def token(self, form: dict[str, str]) -> Any:
        return self.conf.get_access_token(form)

    def lets_in(self, authorization: str) -> bool:
        token = authorization.removeprefix("Bearer ")
        return bool(self.conf.validate_token(token, [launches.SCORE, launches.RESULT]))


class Begin(OIDCLoginAbstract):
    """The beginning of a log-in."""

    def set_lti_message_hint(self, **kwargs: Any) -> None:
        self._lti_message_hint = "link-1"

    def get_redirect(self, url: str) -> str:
        return url


class Launch(LTIAdvantageMessageLaunchAbstract):
    """A launch, as the form that the browser sends."""

    def render_launch_form(self, launch_data: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        return launch_data


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> Iterator[Elsewhere]:
    yield from connected(Elsewhere(), monkeypatch)


def launch(client: Client, platform: Elsewhere, *, choosing: bool = False) -> Any:
    """Launch as this platform does; with `choosing` to choose what is placed in a course."""
    registration = platform.conf.get_registration()
    known = LtiRegistration.objects.get()
    registration.set_oidc_login_url(f"/lti/log-in/{known.uuid}/")
    registration.set_tool_key_set(client.get("/lti/keys.json").json())
    login = Begin(None, platform.conf)
    login.set_lti_message_hint()
    asked = platform.asked(client.get(login.prepare_preflight_url("u1"))["Location"])
    message = Launch(SimpleNamespace(get_data=asked, form_data={}), platform.conf)
    message.set_user_data("u1", [LEARNER], "Anna Example", "anna@school.example")
    message.set_resource_link_claim("link-1")
    message.set_custom_parameters_claim({"waterline": "first-in"})
    message.set_ags(f"{platform.address}/lines", f"{platform.address}/lines/first-in")
    if choosing:
        registration.set_deeplink_launch_url(LAUNCH)
        message.set_dl(f"{platform.address}/return")
    form = message.lti_launch()
    to = urlsplit(form.pop("launch_url")).path
    return client.post(to, form)


def test_a_launch_and_a_grade(client: Client, elsewhere: Elsewhere) -> None:
    reply = launch(client, elsewhere)
    assert reply.status_code == 302, reply.content.decode()[:2000]
    assert reply["Location"] == "/learn/waterline/first-in/"
    work_on(client, "first-in", "q4")
    assert elsewhere.gradebook == {("/lines/first-in", "u1"): 1}


def test_an_exercise_and_a_unit_are_placed(client: Client, elsewhere: Elsewhere) -> None:
    page = launch(client, elsewhere, choosing=True).content.decode()
    token = re.search(r'name="token" value="([^"]+)"', page)[1]
    page = Client().post("/lti/choose", {"token": token, "target": ["waterline", "first-in"]})
    jwt = re.search(r'name="JWT" value="([^"]+)"', page.content.decode())[1]
    items = elsewhere.conf.validate_deeplinking_resp({"JWT": jwt})
    assert [each["custom"]["waterline"] for each in items] == ["waterline", "first-in"]
    assert {each["type"] for each in items} == {"ltiResourceLink"}
