"""What happened in a session before its page came: rows and states, told again."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from playground import live, repeating, selectors, whereabouts
from playground.hosting.book import Remembered
from playground.hosting.places import NotThere
from playground.messages import Message, Refused
from playground.models import Session
from playground.web.access import may_repeat, rate_limited_reading, session_or_gone
from playground.web.errors import answer, too_many
from playground.web.query import whole_number


@require_safe
@rate_limited_reading
@never_cache
def rows(request: HttpRequest, session_id: str) -> HttpResponse:
    """Return the rows of a session from number `?from=` to before `&to=`, see `playground.hosting.retelling`.

    Nothing is told that the session itself has not reached, so nobody looks ahead.
    """
    found = session_or_gone(session_id)
    try:
        first, last = whole_number(request, "from", "0"), whole_number(request, "to")
        if first >= last:
            raise Refused(_("from must be less than to."))
        record = _reached(found)
    except Refused as refused:
        return answer(request, 400, _("That did not work"), refused.message)
    except TimeoutError:
        return JsonResponse({"error": _("The session is busy. Pause it, and try again.")}, status=503)
    told = live.retellings().known(session_id, first, last, record)
    if told is None:
        if not may_repeat(request):
            return too_many(
                request, Message(_("Too many moments of the past were asked for. Wait a little."))
            )
        try:
            with repeating.for_request(request):
                told = live.retellings().tell(session_id, first, last, record)
        except NotThere:
            return JsonResponse({"error": _("The run has not come to that moment.")}, status=404)
    return HttpResponse(told, content_type="application/json")


def _reached(session: Session) -> Remembered:
    """Return the record of a session, with where its run is now: as its host knows it, or as it is written down."""
    moment = whereabouts.moment(session.public_id)
    if moment is None:
        return selectors.remembered(session.public_id)
    return Remembered(scenario=moment.scenario, commands=moment.commands, reached_us=moment.at_us)
