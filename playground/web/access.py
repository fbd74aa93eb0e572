"""What several views ask before they do anything, and whether others can reach this server by its present name."""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, Final

import orjson
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from playground.limits import rate_limits, request_callers, session_limits
from playground.models import Scenario, Session
from playground.records import kept_bytes, kept_runs
from playground.texts import PageMessage, RequestRefused
from playground.web.errors import PageGone, answer, too_many


def whole_number(request: HttpRequest, name: str, default: str = "") -> int:
    """Return a number of the address, `default` where it names none; raise `RequestRefused` for anything else."""
    text = request.GET.get(name, default)
    if not re.fullmatch(r"[0-9]{1,15}", text):
        raise RequestRefused(_("%(name)s must be a whole number of at least 0."), name=name)
    return int(text)


View = Callable[..., HttpResponse]


def form_page(view: View) -> View:
    """Let a page show a form, and take it; no browser keeps it."""
    return never_cache(require_http_methods(["GET", "HEAD", "POST"])(view))


def has_token(request: HttpRequest, what: str) -> bool:
    """Take a token of whoever asks; `what` is a key of `rate_limits.PER_MINUTE`."""
    return rate_limits.take(what, request_callers.of_request(request).group)


def may_repeat(request: HttpRequest) -> bool:
    return has_token(request, "past")


def _rate_limited(what: str, refusal: Callable[[], PageMessage]) -> Callable[[View], View]:
    """Let one address do something only so many times a minute; `what` is a key of `rate_limits.PER_MINUTE`."""

    def decorate(view: View) -> View:
        @wraps(view)
        def limited(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if has_token(request, what):
                return view(request, *args, **kwargs)
            return too_many(request, refusal())

        return limited

    return decorate


def _too_many_new() -> PageMessage:
    text = _("This server makes up to %(most)s sessions and links a minute for one address. Wait a little.")
    return PageMessage(text, most=session_limits.current().new_per_minute)


rate_limited = _rate_limited("new", _too_many_new)
"""For views that make a session or a link."""
rate_limited_reading = _rate_limited(
    "reads", lambda: PageMessage(_("Too many requests for bytes of files. Wait a little."))
)
rate_limited_launch = _rate_limited(
    "launches",
    lambda: PageMessage(
        _("Too many launches from one address. Wait a little, and open the exercise from the course again.")
    ),
)
"""A whole class may share an address, and begin together."""


def keeps(view: View) -> View:
    """Let whoever asks begin only so many things a minute, and have only so much: for views that keep something."""

    @rate_limited
    @wraps(view)
    def limited(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        kept_bytes.check(request_callers.of_request(request))
        return view(request, *args, **kwargs)

    return limited


def answers_refusals(view: View) -> View:
    """Answer with 409 what a view refuses."""

    @wraps(view)
    def answered(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except RequestRefused as refused:
            return answer(request, 409, _("That did not work"), refused.message)

    return answered


PIECE_BYTES: Final = 16 * 1024
"""What a link or a session may take before it counts as several."""


def charge(request: HttpRequest, scenario: dict[str, Any]) -> None:
    """Count what was just kept for a visitor: who brings large scenarios waits longer for the next one."""
    pieces = len(orjson.dumps(scenario)) // PIECE_BYTES
    rate_limits.spend("new", request_callers.of_request(request).group, pieces)


def say(request: HttpRequest, said: Iterable[PageMessage]) -> None:
    """Let the next page of a visitor begin with these sentences."""
    for each in said:
        messages.info(request, str(each))


def session_or_gone(public_id: str) -> Session:
    """Return a session, or raise `PageGone`."""
    session = kept_runs.session_by_id(public_id)
    if session is None:
        text = _(
            "Sessions that nobody opens for %(days)s days are deleted, and sessions without commands "
            "after one day; links made with Share stay for %(links)s days."
        )
        days, links = session_limits.current().keep_days, session_limits.current().links_days
        raise PageGone(_("This session is gone"), PageMessage(text, days=days, links=links))
    return session


def scenario_or_gone(name: str) -> Scenario:
    """Return a kept scenario, or raise `PageGone`."""
    kept = kept_runs.scenario_by_name(name)
    if kept is None:
        text = _(
            "No run is kept under this link. It was cut off when it was copied, or nobody opened it for %(days)s days."
        )
        raise PageGone(
            _("This link leads nowhere"), PageMessage(text, days=session_limits.current().links_days)
        )
    kept_runs.touch_scenario(kept)
    return kept


ELSEWHERE = ("192.0.2.1", 9)
"""An address that belongs to nobody (RFC 5737): asking for the way there sends nothing."""


def unreachable(host: str, port: str = "") -> str:
    """Return the name of this machine in its network if `host` means only itself; otherwise nothing. `host`: as the
    browser asked for it, with a port or without. `port`: where the server listens, for a host without a port.
    """
    name, _colon, given = host.rpartition(":") if not host.endswith("]") else (host, "", "")
    name = name or given
    if not is_loopback(name.strip("[]")):
        return ""
    port = given if name != given else port
    return f"{own_address()}:{port}" if port and port != "80" else own_address()


def is_loopback(name: str) -> bool:
    """Return whether a host's name or address means the machine itself."""
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def own_address() -> str:
    """Return the address of this machine in its network, its name where it has none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as way:
        try:
            way.connect(ELSEWHERE)
            return str(way.getsockname()[0])
        except OSError:
            return socket.gethostname()
