"""The real files of a session: one record field by field, one file, or all of them as a zip."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, cast

from django.http import HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from playground.hosting.file_records import NotThere, wanted
from playground.hosting.real_engine import door
from playground.hosting.refusals import missing_words
from playground.jobs.job import JobEnded
from playground.limits import work_places
from playground.models import Session
from playground.records import kept_runs
from playground.sessions import live_hosts
from playground.texts import PageMessage, RequestRefused
from playground.web.access import may_repeat, rate_limited_reading, session_or_gone, whole_number
from playground.web.errors import PageGone, answer, too_many

_END = b""
"""No piece of a download is empty, so this one means that there are no more."""


@require_safe
@rate_limited_reading
@never_cache
def record(request: HttpRequest, session_id: str) -> HttpResponse:
    """Return one record of a real file, field by field.

    `?queue=orders&seq=7` asks for a message's record in the index (without `queue`, in the first queue's);
    `?file=persistent:4&offset=812` for the record at a place. With `&whose=1` the answer to the latter names the
    message's seq_id. A record that is still in a buffer is not an error: the answer then has `waiting`, the reason in
    words, instead of fields. `&at=180` asks for the files as they were after 180 transitions.
    """
    found = session_or_gone(session_id)
    try:
        seq, kind, number, offset = _question(request)
        at = _moment(request)
    except RequestRefused as refused:
        return JsonResponse({"error": str(refused)}, status=400)
    try:
        with _records(request, found, at) as records:
            queue = request.GET.get("queue", "")
            fields = (
                records.message(seq, queue)
                if seq is not None
                else records.record(kind, number, offset, queue)
            )
            if seq is None and fields["seq"] is None and fields["msg_id"] and "whose" in request.GET:
                fields["seq"] = records.seq_of(bytes.fromhex(fields["msg_id"]), queue)
    except TooOften as error:
        return too_many(request, error.message)
    except NotThere as missing:
        return _not_there(missing, kind)
    except (*door().no_file, OSError):  # type: ignore[misc]  # mypy cannot unpack a tuple here
        return _not_there(NotThere("no_file"), kind)
    return JsonResponse({**fields, "at": at})


class TooOften(RequestRefused):
    """The address has had its share of repetitions."""


def _moment(request: HttpRequest) -> int | None:
    """Return the number of transitions after which the files are wanted, or None for now."""
    return whole_number(request, "at") if "at" in request.GET else None


@contextlib.contextmanager
def _records(request: HttpRequest, session: Session, at: int | None) -> Iterator[Any]:
    """Read the files of now, or of a moment of the past."""
    if at is None:
        with door().read_records(str(live_hosts.files_of(session.public_id)), session.scenario) as records:
            yield records
        return
    with contextlib.ExitStack() as held:
        root = held.enter_context(_past(request, session.public_id, at))
        yield held.enter_context(door().read_records(str(root), session.scenario))


@contextlib.contextmanager
def _past(request: HttpRequest, session_id: str, at: int) -> Iterator[Any]:
    """Lend the directory of a moment; a run that must be repeated for it waits for its place."""
    remembered, past = kept_runs.remembered(session_id), live_hosts.past()
    with contextlib.ExitStack() as held:
        if past.has(session_id, at, remembered):
            root = held.enter_context(past.at(session_id, at, remembered))
        elif not may_repeat(request):
            raise TooOften(_("Too many requests for past moments. Wait a little."))
        else:
            with work_places.for_request(request):
                root = held.enter_context(past.at(session_id, at, remembered))
        yield root


def _question(request: HttpRequest) -> tuple[int | None, str, int, int]:
    """Return (seq, "", 0, 0) or (None, kind, number, offset)."""
    if "seq" in request.GET:
        return whole_number(request, "seq"), "", 0, 0
    place = wanted(request.GET.get("file", ""))
    if place is None:
        text = _(
            "file must be journal, segment:3, slots:3, bodies:3, persistent:0 or transient:0; or give seq, a message."
        )
        raise RequestRefused(text)
    return None, *place, whole_number(request, "offset")


def _not_there(missing: NotThere, kind: str) -> JsonResponse:
    """Return why there is no record: that a message waits in a buffer is worth knowing, and no error."""
    words = missing_words(missing, kind)
    about = {"reason": missing.reason, **missing.numbers}
    if missing.reason in ("waiting", "absent"):
        return JsonResponse({"waiting": words[missing.reason], **about})
    return JsonResponse({"error": words[missing.reason], **about}, status=404)


@require_safe
@rate_limited_reading
@never_cache
def download(request: HttpRequest, session_id: str) -> HttpResponse:
    """Download one real file of the session; with `at`, as it was after that many transitions."""
    path = request.GET.get("path", "")

    def pieces(records: Any) -> Iterator[bytes]:
        if (
            path not in records.sizes
        ):  # only what the session's own directory lists, so no path leads out of it
            text = _("There is no such file now: it may have been deleted, or the session sleeps.")
            raise PageGone(_("No such file"), PageMessage(text))
        return cast("Iterator[bytes]", records.blocks(path))

    name = re.sub(r"[^A-Za-z0-9._-]", "_", path.rpartition("/")[2]).lstrip(".")
    return _stream(request, session_id, pieces, name, path)


@require_safe
@rate_limited_reading
@never_cache
def archive(request: HttpRequest, session_id: str) -> HttpResponse:
    """Download the session's whole directory as a zip; with `at`, as it was after that many transitions."""

    def pieces(records: Any) -> Iterator[bytes]:
        if not records.sizes:
            text = _("The session sleeps: it has no files now. Open it, and try again.")
            raise PageGone(_("No such file"), PageMessage(text))
        return cast("Iterator[bytes]", records.archive())

    at = f"-{request.GET['at']}" if request.GET.get("at", "").isdigit() else ""
    return _stream(request, session_id, pieces, f"waterline-{session_id}{at}.zip", None)


def _stream(
    request: HttpRequest,
    session_id: str,
    pieces: Callable[[Any], Iterator[bytes]],
    name: str,
    path: str | None,
) -> HttpResponse:
    """Send what `pieces` reads; its files are closed when the answer is over. Packing takes a place."""
    held = contextlib.ExitStack()
    try:
        at = _moment(request)
        records = held.enter_context(_records(request, session_or_gone(session_id), at))
        if path is None:
            held.enter_context(work_places.for_request(request))
        response = StreamingHttpResponse(_Pieces(pieces(records), held))
    except TooOften as error:
        held.close()
        return too_many(request, error.message)
    except NotThere as missing:
        held.close()
        return answer(request, 404, _("No such file"), missing_words(missing, "")[missing.reason])
    except JobEnded:
        held.close()
        raise  # its middleware answers, as for every view
    except RequestRefused as refused:
        held.close()
        return answer(request, 400, _("That did not work"), refused.message)
    except BaseException:
        held.close()
        raise
    response["Content-Type"] = "application/zip" if path is None else "application/octet-stream"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    if path is not None:
        response["Content-Length"] = str(records.sizes[path])
    return response


class _Pieces:
    """Pieces made in a worker thread one by one, so that none is made before the last one was sent."""

    def __init__(self, pieces: Iterator[bytes], held: contextlib.ExitStack) -> None:
        self._pieces, self._held = pieces, held

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        try:
            piece = await asyncio.to_thread(next, self._pieces, _END)
        except (*door().no_file, OSError):  # type: ignore[misc]  # mypy cannot unpack a tuple here
            piece = _END  # deleted meanwhile: the download ends early
        if not piece:
            self.close()
            raise StopAsyncIteration
        return piece

    def close(self) -> None:
        """Give back what is held; Django calls it when the answer is over, however it ended."""
        self._held.close()
