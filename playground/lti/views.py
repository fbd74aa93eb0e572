"""What a platform asks for: keys, the beginning of a log-in, launches, and the choice of what is placed in a course."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode, urlsplit

import msgspec
from csp.decorators import csp_replace, csp_update
from django.core import signing
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from lti_tool.models import Key, LtiRegistration
from pylti1p3.deep_link import DeepLink
from pylti1p3.deep_link_resource import DeepLinkResource
from pylti1p3.lineitem import LineItem

from playground.limits import page_scheduler
from playground.lti import launches
from playground.lti.launches import DeepLinking, TokenDistrusted, TokenMalformed
from playground.lti.models import LogIn
from playground.texts import PageMessage
from playground.web.access import rate_limited_launch
from playground.web.errors import answer as error_page

SALT = "what is placed in a course"
CHOICE_S = 3600
RESOURCE, DEEP_LINKING = "LtiResourceLinkRequest", "LtiDeepLinkingRequest"
MOST_HINT = 4_000
"""Characters of what the platform wants back as it is."""


@require_safe
@never_cache
def keys(request: HttpRequest) -> HttpResponse:
    """Publish the public keys; the first one is made when somebody asks."""
    _have_key()
    return JsonResponse(Key.objects.as_jwks())


def _have_key() -> None:
    if not Key.objects.active().exists():
        Key.objects.generate()


def _refused(
    request: HttpRequest, error: Exception, registration: LtiRegistration | None = None
) -> HttpResponse:
    """Say what is wrong, in the platform's frame as well where it is known whose that is."""
    text = PageMessage(
        _(
            "The learning platform's message was not accepted (%(problem)s). Open the exercise from the course again."
        ),
        problem=str(error)[:200],
    )
    status = 400 if isinstance(error, TokenMalformed) else 403
    page = error_page(request, status, _("The launch did not work"), text)
    return page if registration is None else _in_frame(page, registration)


@csrf_exempt  # it comes from the platform; nothing is done but to send the browser back to it
@require_http_methods(["GET", "POST"])
@rate_limited_launch
@never_cache
@xframe_options_exempt
def log_in(request: HttpRequest, registration_uuid: Any) -> HttpResponse:
    """Begin a log-in that the platform asked for; it comes back to the launch and nowhere else."""
    asked = request.POST if request.method == "POST" else request.GET
    hints = {name: asked[name] for name in ("login_hint", "lti_message_hint") if asked.get(name)}
    registration = LtiRegistration.objects.active().filter(uuid=registration_uuid).first()
    try:
        if "login_hint" not in hints or any(len(each) > MOST_HINT for each in hints.values()):
            raise TokenMalformed("login_hint is missing or too long")
        if registration is None:
            raise TokenDistrusted("this platform is not registered")
        if asked.get("iss") != registration.issuer:
            raise TokenDistrusted("iss is not that of the registration")
        if asked.get("client_id", registration.client_id) != registration.client_id:
            raise TokenDistrusted("client_id is not that of the registration")
    except (TokenMalformed, TokenDistrusted) as error:
        return _refused(request, error, registration)
    state, nonce, secret = launches.begin_log_in(request, registration)
    question = {
        "scope": "openid",
        "response_type": "id_token",
        "response_mode": "form_post",
        "prompt": "none",
        "client_id": registration.client_id,
        "redirect_uri": request.build_absolute_uri(reverse("lti-launch")),
        "state": state,
        "nonce": nonce,
        **hints,
    }
    between = "&" if "?" in registration.auth_url else "?"
    address = f"{registration.auth_url}{between}{urlencode(question)}"
    target = asked.get("lti_storage_target", "")[:200]
    if target:
        context = {"storage": _storage(registration, target, state), "secret": secret, "address": address}
        response = _in_frame(render(request, "lti/log_in.html", context), registration)
    else:
        response = redirect(address)
    launches.remember(request, response, secret)
    return response


def _storage(registration: LtiRegistration, target: str, state: str) -> dict[str, str]:
    """Return where the platform's window keeps a secret: its frame, whose origin it is, and under which key."""
    return {"frame": target, "origin": _origin(registration.auth_url), "key": f"waterline-{state[:16]}"}


@csrf_exempt  # it comes from the platform, and is signed by it
@require_POST
@rate_limited_launch
@never_cache
@xframe_options_exempt
def launch(request: HttpRequest) -> HttpResponse:
    """Take a signed launch: work on an exercise, or choose what is placed in a course."""
    token, state, kept = (request.POST.get(name, "") for name in ("id_token", "state", "kept"))
    found = launches.find(state)
    try:
        if not token or not state:
            raise TokenMalformed("id_token or state is missing")
        if found is None:
            raise TokenDistrusted("state is unknown, used already, or older than an hour")
        if not launches.began_in(request, found, kept):
            return _ask_platform(request, found.registration, token, state)
        claims = _claims(found, token)
    except (TokenMalformed, TokenDistrusted) as error:
        return _refused(request, error, found.registration if found else None)
    if claims.message_type == DEEP_LINKING:
        return _choice(request, found.registration, claims)
    return redirect(launches.begin(request.session, found.registration, claims))


def _ask_platform(
    request: HttpRequest, registration: LtiRegistration, token: str, state: str
) -> HttpResponse:
    """Have a browser without our cookie ask the platform's window for the secret, and send everything once more."""
    target = request.POST.get("lti_storage_target", "")[:200]
    if not target or "kept" in request.POST:
        raise TokenDistrusted(
            "the launch began in another browser, or this one keeps no cookies: open a new window"
        )
    context = {"storage": _storage(registration, target, state), "token": token, "state": state}
    return _in_frame(render(request, "lti/launch.html", context), registration)


def _claims(found: LogIn, token: str) -> launches.LaunchClaims:
    """Return what a launch says that belongs to a log-in, which is used up by it."""
    with page_scheduler.aside():  # it may ask the platform for its keys
        claims = launches.claims_of(token, found.registration)
    if not launches.is_nonce_of(found, claims.nonce):
        raise TokenDistrusted("nonce is that of another log-in")
    if claims.message_type not in {RESOURCE, DEEP_LINKING}:
        raise TokenDistrusted("this kind of message is not supported")
    if not claims.sub:
        raise TokenDistrusted("anonymous launches are not supported")
    if claims.message_type == DEEP_LINKING and not _origin(_settings(claims).deep_link_return_url):
        raise TokenMalformed("deep_link_return_url is missing")
    if not launches.use_up(found):
        raise TokenDistrusted("state is used already")
    return claims


def _settings(claims: launches.LaunchClaims) -> DeepLinking:
    return claims.settings or DeepLinking()


class ContentChoice(msgspec.Struct):
    """Who chooses what, signed in the page, so that nothing is kept meanwhile."""

    registration: int
    deployment: str
    settings: DeepLinking

    @property
    def is_several(self) -> bool:
        """Whether the platform takes more than one at a time; Canvas does not, where it makes an assignment."""
        return str(self.settings.accept_multiple).lower() != "false"


def _choice(
    request: HttpRequest, registration: LtiRegistration, claims: launches.LaunchClaims
) -> HttpResponse:
    choice = ContentChoice(registration.pk, claims.deployment, _settings(claims))
    token = signing.dumps(msgspec.to_builtins(choice), salt=SALT, compress=True)
    context = {
        "targets": launches.titled(get_language() or "en"),
        "token": token,
        "several": choice.is_several,
    }
    page = render(request, "lti/choose.html", context)
    return _in_frame(page, registration, choice.settings.deep_link_return_url)


def _in_frame(response: HttpResponse, registration: LtiRegistration, *returns: str) -> HttpResponse:
    """Let the platform that launched show a page in a frame, and take the form that goes back to it."""
    origins = [_origin(each) for each in (*returns, registration.auth_url)]
    allowed = [each for each in origins if each]
    in_frame, forms = csp_replace({"frame-ancestors": allowed}), csp_update({"form-action": allowed})
    framed: HttpResponse = in_frame(forms(lambda request: response))(None)
    return framed


def _origin(url: str) -> str:
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.netloc}" if parts.scheme in {"http", "https"} and parts.netloc else ""


@csrf_exempt  # in a frame there is no cookie; the token names the launch, and is signed
@require_POST
@rate_limited_launch
@never_cache
@xframe_options_exempt
def choose(request: HttpRequest) -> HttpResponse:
    """Answer the platform with what the teacher chose to place in the course."""
    try:
        signed = signing.loads(request.POST.get("token", ""), salt=SALT, max_age=CHOICE_S)
        choice = msgspec.convert(signed, ContentChoice)
        registration = LtiRegistration.objects.active().get(pk=choice.registration)
    except (signing.BadSignature, msgspec.ValidationError, LtiRegistration.DoesNotExist) as error:
        return _refused(request, error)
    _have_key()
    titles = {slug: title for slug, title, _is_unit in launches.titled(get_language() or "en")}
    chosen = [each for each in request.POST.getlist("target")[:60] if each in titles]
    chosen = chosen if choice.is_several else chosen[:1]
    resources = [_resource(request, slug, titles[slug]) for slug in chosen]
    settings: Any = {"data": choice.settings.data} if choice.settings.data is not None else {}
    context = {
        "return_url": choice.settings.deep_link_return_url,
        "jwt": DeepLink(registration.to_registration(), choice.deployment, settings).get_response_jwt(
            resources
        ),
        "chosen": [titles[slug] for slug in chosen],
    }
    page = render(request, "lti/chosen.html", context)
    return _in_frame(page, registration, choice.settings.deep_link_return_url)


def _resource(request: HttpRequest, slug: str, title: str) -> DeepLinkResource:
    line = LineItem().set_label(title).set_score_maximum(1).set_resource_id(slug)
    return (
        DeepLinkResource()
        .set_url(request.build_absolute_uri(reverse("lti-launch")))
        .set_title(title)
        .set_custom_params({launches.TARGET: slug})
        .set_lineitem(line)
    )
