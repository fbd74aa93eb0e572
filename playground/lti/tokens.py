"""Checks what a platform signed: that it is the platform's, meant for us, and a complete launch."""

from __future__ import annotations

import time
from typing import Any, Final

import jwt
import msgspec
from django.core.cache import cache
from lti_tool.models import LtiDeployment, LtiRegistration
from requests import RequestException

from playground.lti.statements import BoundedSession

CLAIM: Final = "https://purl.imsglobal.org/spec/lti/claim/"
ALGORITHMS: Final = ("RS256", "RS384", "RS512", "ES256")
LEEWAY_S: Final = 60
"""By how much the platform's clock may differ from ours."""
KEYS_S: Final = 3600
"""How long the platform's keys are kept; one that is not among them is asked for at once, but not often."""
AGAIN_S: Final = 30
KEYS_BYTES: Final = 256 * 1024


class TokenDistrusted(Exception):
    """The launch is not believed: it is not the platform's, not for us, or not for this log-in."""


class TokenMalformed(Exception):
    """The launch is not made of what a launch is made of."""


class ScoreEndpoint(msgspec.Struct):
    """Where scores go."""

    scope: list[str] | None = None
    lineitem: str | None = None


class DeepLinking(msgspec.Struct):
    """What the platform says about the choice that a teacher should make."""

    deep_link_return_url: str = ""
    accept_multiple: bool | str | None = None
    data: Any = None


class LaunchClaims(
    msgspec.Struct,
    rename={
        "version": CLAIM + "version",
        "deployment": CLAIM + "deployment_id",
        "message_type": CLAIM + "message_type",
        "custom": CLAIM + "custom",
        "endpoint": "https://purl.imsglobal.org/spec/lti-ags/claim/endpoint",
        "settings": "https://purl.imsglobal.org/spec/lti-dl/claim/deep_linking_settings",
    }.get,
):
    """The claims that are read of a launch; all others are ignored."""

    aud: str | list[str]
    nonce: str
    version: str
    deployment: str
    message_type: str
    sub: str = ""
    azp: str | None = None
    custom: dict[str, Any] | None = None
    endpoint: ScoreEndpoint | None = None
    settings: DeepLinking | None = None


def claims_of(token: str, registration: LtiRegistration) -> LaunchClaims:
    """Return what a launch says.

    Args:
        registration: of the platform that must have signed it.

    Raises:
        Distrusted: the platform did not sign it, or not for us, or the time is over.
        Malformed: it is no launch.
    """
    try:
        header = jwt.get_unverified_header(token)
    except jwt.PyJWTError as error:
        raise TokenMalformed(str(error)) from error
    key = _key(registration, str(header.get("kid", ""))[:200])
    try:
        found = jwt.decode(
            token,
            key,
            algorithms=list(ALGORITHMS),
            audience=registration.client_id,
            issuer=registration.issuer,
            leeway=LEEWAY_S,
            options={"require": ["exp", "iat", "iss", "aud", "nonce"]},
        )
    except jwt.InvalidSignatureError as error:
        raise TokenDistrusted(str(error)) from error
    except (jwt.DecodeError, jwt.MissingRequiredClaimError, jwt.exceptions.InvalidSubjectError) as error:
        raise TokenMalformed(str(error)) from error
    except (jwt.PyJWTError, TypeError, ValueError) as error:
        raise TokenDistrusted(str(error)) from error
    try:
        claims = msgspec.convert(found, LaunchClaims)
    except msgspec.ValidationError as error:
        raise TokenMalformed(str(error)) from error
    _check_party(claims, registration)
    _check_deployment(claims, registration)
    if claims.version != "1.3.0":
        raise TokenMalformed(f"version {claims.version[:20]!r} is not 1.3.0")
    if len(claims.sub) > 255:
        raise TokenMalformed("sub is longer than 255 characters")
    return claims


def _check_party(claims: LaunchClaims, registration: LtiRegistration) -> None:
    """Refuse a launch that several tools may use unless it names us (azp)."""
    several = isinstance(claims.aud, list) and len(claims.aud) > 1
    if (several or claims.azp is not None) and claims.azp != registration.client_id:
        raise TokenDistrusted("azp does not name this tool")


def _check_deployment(claims: LaunchClaims, registration: LtiRegistration) -> None:
    known = LtiDeployment.objects.active().filter(
        registration=registration, deployment_id=claims.deployment[:255]
    )
    if not known.exists():
        raise TokenDistrusted(
            f"deployment {claims.deployment[:60]!r} is not registered: manage.py lti --deployment"
        )


def _key(registration: LtiRegistration, number: str) -> Any:
    place = f"lti-keys-{registration.pk}"
    kept: tuple[float, dict[str, dict[str, Any]]] = cache.get(place) or (0.0, {})
    at_s, keys = kept
    if number not in keys and abs(time.time() - at_s) > AGAIN_S:
        keys = _fetched(registration.keyset_url)
        cache.set(place, (time.time(), keys), KEYS_S)
    if number not in keys:
        raise TokenDistrusted("the platform has no such key")
    try:
        return jwt.PyJWK(keys[number])
    except (jwt.PyJWTError, TypeError, ValueError, KeyError) as error:
        raise TokenDistrusted("the platform's key cannot be read") from error


def _fetched(address: str) -> dict[str, dict[str, Any]]:
    try:
        with BoundedSession().get(address, stream=True) as answer:
            answer.raise_for_status()
            text = answer.raw.read(KEYS_BYTES, decode_content=True)
        found = msgspec.json.decode(text, type=dict[str, Any])["keys"]
        return {str(each["kid"]): each for each in found if isinstance(each, dict) and each.get("kid")}
    except (RequestException, msgspec.DecodeError, KeyError, TypeError, OSError) as error:
        raise TokenDistrusted("the platform's keys cannot be had now") from error
