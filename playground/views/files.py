"""The real files of a session: one record field by field, one file, or all of them as a zip."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from playground import live
from playground.doors import door
from playground.hosting.places import NotThere, wanted
from playground.messages import Message, Refused
from playground.views.access import rate_limited_reading, session_or_gone
from playground.views.errors import Gone, too_many

ARCHIVES_AT_ONCE = 4
_archives = threading.BoundedSemaphore(ARCHIVES_AT_ONCE)
_END = object()


@require_safe
@rate_limited_reading
@never_cache
def record(request: HttpRequest, session_id: str) -> HttpResponse:
    """Return one record of a real file, field by field.

    `?seq=7` asks for a message's record in the index; `?file=persistent:4&offset=812` for the record at a place. With
    `&whose=1` the answer to the latter names the message's seq_id. A record that is still in a buffer is no error:
    the answer then has `waiting`, the reason in words, instead of fields.
    """
    found = session_or_gone(session_id)
    try:
        seq, kind, number, offset = _question(request)
    except Refused as refused:
        return JsonResponse({"error": str(refused)}, status=400)
    try:
        with door().look(_root(found.public_id)) as look:
            told = look.message(seq) if seq is not None else look.record(kind, number, offset)
            if seq is None and told["seq"] is None and "whose" in request.GET:
                told["seq"] = look.seq_of(bytes.fromhex(told["msg_id"]))
    except NotThere as missing:
        return _not_there(missing, kind)
    except (*door().no_file, OSError):
        return _not_there(NotThere("no_file"), kind)
    return JsonResponse(told)


def _question(request: HttpRequest) -> tuple[int | None, str, int, int]:
    """Return (seq, "", 0, 0) or (None, kind, number, offset)."""
    if "seq" in request.GET:
        return _number(request, "seq"), "", 0, 0
    place = wanted(request.GET.get("file", ""))
    if place is None:
        text = _("file must be journal, segment:3, persistent:0 or transient:0; or give seq, a message.")
        raise Refused(text)
    return None, *place, _number(request, "offset")


def _number(request: HttpRequest, name: str) -> int:
    text = request.GET.get(name, "")
    if not re.fullmatch(r"[0-9]{1,15}", text):
        raise Refused(_("%(name)s must be a whole number of at least 0."), name=name)
    return int(text)


def _not_there(missing: NotThere, kind: str) -> JsonResponse:
    """Tell why there is no record: what waits in a buffer is a lesson, not an error."""
    words = {
        "asleep": _("The session sleeps, and its files with it. They are made again as soon as it runs."),
        "no_file": _("There is no such file now: it is not made yet, or it was deleted."),
        "no_record": _("No record begins there now: the file has changed. Choose the message again."),
        "absent": _(
            "The index files have no record of this message: it waits in the journal's buffer, or only RAM knows it."
        ),
    }
    if missing.reason == "waiting":
        text = (
            _("These bytes are still in the journal's buffer: the file ends at %(size)s.")
            if kind in ("journal", "segment", "")
            else _("These bytes are still in the 1 MiB write buffer: the file ends at %(size)s.")
        )
        words["waiting"] = text % {"size": missing.numbers["size"]}
    told = {"reason": missing.reason, **missing.numbers}
    if missing.reason in ("waiting", "absent"):
        return JsonResponse({"waiting": words[missing.reason], **told})
    return JsonResponse({"error": words[missing.reason], **told}, status=404)


@require_safe
@rate_limited_reading
@never_cache
def download(request: HttpRequest, session_id: str) -> HttpResponse:
    """Download one real file of the session."""
    found = session_or_gone(session_id)
    path = request.GET.get("path", "")
    look = door().look(_root(found.public_id))
    if path not in look.sizes:  # only what the session's own directory lists, so no path leads out of it
        look.__exit__()
        text = _("There is no such file now: it may have been deleted, or the session sleeps.")
        raise Gone(_("No such file"), Message(text))
    name = re.sub(r"[^A-Za-z0-9._-]", "_", path.rpartition("/")[2]).lstrip(".")
    pieces = _Pieces(look.blocks(path), look, None)
    response = StreamingHttpResponse(pieces, content_type="application/octet-stream")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["Content-Length"] = str(look.sizes[path])
    return response


@require_safe
@rate_limited_reading
@never_cache
def archive(request: HttpRequest, session_id: str) -> HttpResponse:
    """Download the session's whole directory as a zip."""
    found = session_or_gone(session_id)
    if not _archives.acquire(blocking=False):
        return too_many(request, Message(_("Other directories are being packed. Wait a little.")))
    look = None
    try:
        look = door().look(_root(found.public_id))
        if not look.sizes:
            text = _("The session sleeps: it has no files now. Open it, and try again.")
            raise Gone(_("No such file"), Message(text))
        pieces = _Pieces(look.archive(), look, _archives)
    except BaseException:
        _archives.release()
        if look:
            look.__exit__()
        raise
    response = StreamingHttpResponse(pieces, content_type="application/zip")
    response["Content-Disposition"] = f'attachment; filename="waterline-{found.public_id}.zip"'
    return response


class _Pieces:
    """Pieces made in a worker thread one by one, so that none is made before the last one was sent."""

    def __init__(self, pieces: Iterator[bytes], look: Any, held: threading.BoundedSemaphore | None) -> None:
        self._pieces, self._look, self._held = pieces, look, held
        self._ended = False

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        try:
            piece = await asyncio.to_thread(next, self._pieces, _END)
        except (*door().no_file, OSError):
            piece = _END  # deleted meanwhile: the download ends early
        if piece is _END:
            self.close()
            raise StopAsyncIteration
        return piece

    def close(self) -> None:
        """Give back what is held; Django calls it when the answer is over, however it ended."""
        if not self._ended:
            self._ended = True
            self._look.__exit__()
            if self._held:
                self._held.release()


def _root(public_id: str) -> str:
    return str(live.registry().directory.of(public_id))
