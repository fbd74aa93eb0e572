"""What a page asks a repetition of its run: what happened before the page came, and what a stop would leave."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Final

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from playground.hosting import past
from playground.hosting.file_records import NotThere
from playground.hosting.past import KINDS, PendingAnswers
from playground.hosting.session_record import RecordedSession
from playground.limits import work_places
from playground.models import Session
from playground.records import paused_sessions, selectors
from playground.sessions import live_hosts, owner_address
from playground.texts.page_message import PageMessage, RequestRefused
from playground.web.access import may_repeat, rate_limited_reading, session_or_gone, whole_number
from playground.web.errors import answer, too_many

rows_kept: Final = PendingAnswers(24 * 1024 * 1024)


fates_kept: Final = PendingAnswers(4 * 1024 * 1024)
"""For the next page that asks the same."""


MISSING: Final = {
    "future": gettext_lazy("The run has not reached that moment yet."),
    "too_long": gettext_lazy("Repeating the run up to that moment takes longer than this server allows."),
}


@require_safe
@rate_limited_reading
@never_cache
def rows(request: HttpRequest, session_id: str) -> HttpResponse:
    """Return the rows of a session from number `?from=` to before `&to=`, see `playground.hosting.past`.

    Nothing is sent that the session itself has not reached, so nobody can see the future. Of a session that was
    removed while its page was still open, by "Begin again" for example, there is nothing to send: that is not an error
    of the page.
    """
    found = selectors.session_by_id(session_id)
    if found is None:
        return HttpResponse(past.NOTHING, content_type="application/json")
    try:
        first, last = whole_number(request, "from", "0"), whole_number(request, "to")
        if first >= last:
            raise RequestRefused(_("from must be less than to."))
        record = _reached(found)
    except RequestRefused as refused:
        return answer(request, 400, _("That did not work"), refused.message)
    except TimeoutError:
        return JsonResponse({"error": _("The session is busy. Pause it, and try again.")}, status=503)
    return _answer_kept(
        request,
        rows_kept,
        (session_id, first, last),
        record,
        lambda: live_hosts.rows_missed(first, last, record),
    )


@require_safe
@rate_limited_reading
@never_cache
def survival(request: HttpRequest, session_id: str) -> HttpResponse:
    """Return what a stop of `?kind=` would leave of each queue now, see `engine.replay.survival.Fate`.

    A session that waits for an answer sends nothing: it could contain the answer.
    """
    found = session_or_gone(session_id)
    kind = request.GET.get("kind", "")
    try:
        if kind not in KINDS:
            raise RequestRefused(_("kind must be clean, kill or power."))
        paused_sessions.check_may_leave(found.public_id)
        record = _reached(found)
    except RequestRefused as refused:
        return answer(request, 400, _("That did not work"), refused.message)
    except TimeoutError:
        return JsonResponse({"error": _("The session is busy. Pause it, and try again.")}, status=503)
    return _answer_kept(
        request,
        fates_kept,
        (session_id, kind, record.reached_us, len(record.commands)),
        record,
        lambda: live_hosts.fates(kind, record),
    )


def _answer_kept(
    request: HttpRequest,
    answers: PendingAnswers,
    key: Hashable,
    record: RecordedSession,
    repeat: Callable[[], tuple[bytes, int]],
) -> HttpResponse:
    """Answer what is kept; else repeat the run in its turn, if this address may."""
    kept = answers.find(key, record.commands)
    if kept is None:
        if not may_repeat(request):
            return too_many(request, PageMessage(_("Too many requests for past moments. Wait a little.")))
        try:
            with work_places.for_request(request):
                kept, count = repeat()
            answers.keep(key, kept, record.commands[:count])
        except NotThere as missing:
            return JsonResponse({"error": MISSING[missing.reason]}, status=404)
    return HttpResponse(kept, content_type="application/json")


def _reached(session: Session) -> RecordedSession:
    """Return the record of a session, with where its run is now: as its host has it, or as it is written down."""
    moment = owner_address.moment(session.public_id)
    if moment is None:
        return selectors.remembered(session.public_id)
    return RecordedSession(scenario=moment.scenario, commands=moment.commands, reached_us=moment.at_us)
