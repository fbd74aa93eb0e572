"""What a platform asks for: keys, the beginning of a log-in, launches, and the choice of what is placed in a course."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from csp.decorators import csp_update
from django.core import signing
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe
from jwcrypto.common import JWException
from lti_tool.models import Key, LtiLaunch, LtiRegistration
from lti_tool.utils import get_launch_from_request
from lti_tool.views import OIDCLoginInitView
from pylti1p3.deep_link_resource import DeepLinkResource
from pylti1p3.exception import LtiException, OIDCException
from pylti1p3.lineitem import LineItem

from playground import turns
from playground.lti import launches, targets
from playground.messages import Message
from playground.web.access import rate_limited
from playground.web.errors import answer as error_page

SALT = "what is placed in a course"
CHOICE_S = 3600
DEEP_LINKING = "https://purl.imsglobal.org/spec/lti-dl/claim/"


@require_safe
@never_cache
def keys(request: HttpRequest) -> HttpResponse:
    """Publish the public keys; the first one is made when somebody asks."""
    if not Key.objects.active().exists():
        Key.objects.generate()
    return JsonResponse(Key.objects.as_jwks())


@method_decorator((rate_limited, never_cache), name="dispatch")
class LogIn(OIDCLoginInitView):
    """Begin a log-in that the platform asked for; it comes back to the launch and nowhere else."""

    def get_redirect_url(self, target_link_uri: str) -> str:
        """Return the address of the launch, whatever was asked for."""
        address: str = self.request.build_absolute_uri(reverse("lti-launch"))
        return address

    def get_oidc_response(self, request: HttpRequest, registration_uuid: Any, params: Any) -> HttpResponse:
        """Send the browser to the platform; say in words what is not so."""
        try:
            return super().get_oidc_response(request, registration_uuid, params)
        except (LtiException, OIDCException, LtiRegistration.DoesNotExist, ValueError, KeyError) as error:
            return _refused(request, error)


def _refused(request: HttpRequest, error: Exception) -> HttpResponse:
    text = Message(
        _(
            "The learning platform's message was not accepted (%(problem)s). Open the exercise from the course again."
        ),
        problem=str(error)[:200],
    )
    return error_page(request, 403, _("The launch did not work"), text)


@csrf_exempt  # it comes from the platform, and is signed by it
@require_POST
@rate_limited
@never_cache
@xframe_options_exempt
def launch(request: HttpRequest) -> HttpResponse:
    """Take a signed launch: work on an exercise, or choose what is placed in a course."""
    try:
        with turns.aside():  # it may ask the platform for its keys
            found = get_launch_from_request(request)
        claims: dict[str, Any] = found.get_launch_data()
        if not claims.get("sub"):
            raise LtiException("anonymous launches are not supported")
    except (LtiException, JWException, LtiRegistration.DoesNotExist, ValueError, KeyError) as error:
        return _refused(request, error)
    if found.is_deep_link_launch:
        return _choice(request, found)
    if not found.is_resource_launch:
        return _refused(request, LtiException("this kind of message is not supported"))
    return redirect(launches.begin(request.session, found.registration, claims))


def _choice(request: HttpRequest, found: LtiLaunch) -> HttpResponse:
    token = signing.dumps(found.get_launch_id(), salt=SALT)
    context = {"targets": targets.titled(get_language() or "en"), "token": token, "several": _several(found)}
    return _in_frame(render(request, "lti/choose.html", context), found)


def _several(found: LtiLaunch) -> bool:
    """Return whether the platform takes more than one at a time; Canvas does not, where it makes an assignment."""
    return _settings(found).get("accept_multiple") is not False


def _settings(found: LtiLaunch) -> dict[str, Any]:
    claim: dict[str, Any] | None = found.get_claim(f"{DEEP_LINKING}deep_linking_settings")
    return claim or {}


def _in_frame(response: HttpResponse, found: LtiLaunch) -> HttpResponse:
    """Let the platform that launched show a page in a frame, and take the form that goes back to it."""
    origins = [
        _origin(_settings(found).get("deep_link_return_url", "")),
        _origin(found.registration.auth_url),
    ]
    allowed = [each for each in origins if each]
    update = csp_update({"frame-ancestors": allowed, "form-action": allowed})
    framed: HttpResponse = update(lambda request: response)(None)
    return framed


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}" if parts.scheme in {"http", "https"} and parts.netloc else ""


@csrf_exempt  # in a frame there is no cookie; the token names the launch, and is signed
@require_POST
@rate_limited
@never_cache
@xframe_options_exempt
def choose(request: HttpRequest) -> HttpResponse:
    """Answer the platform with what the teacher chose to place in the course."""
    try:
        launch_id = signing.loads(request.POST.get("token", ""), salt=SALT, max_age=CHOICE_S)
        found = get_launch_from_request(request, launch_id)
        link = found.get_message_launch().get_deep_link()
    except (signing.BadSignature, LtiException, KeyError, ValueError) as error:
        return _refused(request, error)
    titles = {slug: title for slug, title, _is_unit in targets.titled(get_language() or "en")}
    chosen = [each for each in request.POST.getlist("target")[:60] if each in titles]
    chosen = chosen if _several(found) else chosen[:1]
    resources = [_resource(request, slug, titles[slug]) for slug in chosen]
    context = {
        "return_url": _settings(found).get("deep_link_return_url", ""),
        "jwt": link.get_response_jwt(resources),
        "chosen": [titles[slug] for slug in chosen],
    }
    return _in_frame(render(request, "lti/chosen.html", context), found)


def _resource(request: HttpRequest, slug: str, title: str) -> DeepLinkResource:
    line = LineItem().set_label(title).set_score_maximum(1).set_resource_id(slug)
    return (
        DeepLinkResource()
        .set_url(request.build_absolute_uri(reverse("lti-launch")))
        .set_title(title)
        .set_custom_params({launches.TARGET: slug})
        .set_lineitem(line)
    )
