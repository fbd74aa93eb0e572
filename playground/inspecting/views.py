"""The page Inspect, for the reader's own browser; what is sent here all the same is read apart, and forgotten.

The engine's files are sent from here, too.
"""

from __future__ import annotations

import logging
import sys
from typing import Any, Final

from django.http import HttpRequest, JsonResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_http_methods

from engine.broker.commands.settings import segment_entries
from playground.hosting import refusals
from playground.inspecting import definitions, reader, reading, uploads
from playground.inspecting.reader import ReaderProcess
from playground.inspecting.uploads import UnreadableInput, read_choice
from playground.jobs.job import CHECK, job
from playground.limits import request_callers, work_places
from playground.web import engine_files, live_page
from playground.web.access import rate_limited, session_or_gone

KINDS: Final[dict[str, Any]] = {
    "truncated": _("cut off"),
    "garbage": _("unreadable bytes"),
    "wrong marker": _("wrong end mark"),
    "zeros": _("zero bytes"),
    "missing": _("missing"),
    "contradiction": _("contradiction"),
    "unreadable": _("not readable"),
}
TEXTS: Final[dict[str, Any]] = {
    # --- any file or directory ---
    "file_too_large": _("The file has %(size)s bytes; at most %(most)s are read."),
    "file_not_readable": _("The file cannot be read: %(why)s"),
    "file_became_shorter": _("The file became shorter while it was read."),
    "recovery_crashes": _("%(why)s A broker's recovery crashes on it."),
    "no_term": _("The file cannot be read: %(why)s A broker starts as after a crash."),
    "other_content": _("The file does not contain what a broker writes to it."),
    "nothing_known": _("There is no queue, message store, virtual host or node here."),
    # --- a virtual host ---
    "config_without_number": _(
        "The file gives no number from 1 to %(most)s: %(assumed)s entries in a segment are assumed, as a broker does "
        "(S4)."
    ),
    "queue_elsewhere": _("Queue %(name)s of virtual host %(vhost)s belongs in another directory (S1)."),
    "messages_without_record": _(
        "Live persistent messages without a record in %(store)s: %(count)s; the first has seq %(first)s. A broker "
        "drops them when it starts after a crash."
    ),
    "expiry_of_no_clock": _(
        "Messages with an expiry that no broker has written: %(count)s. The first, seq %(first)s, expires %(at)s us "
        "after 1970. A start drops what it takes for expired."
    ),
    "size_of_other_body": _(
        "Messages whose size in the index is not the body's: %(count)s. Of the first, seq %(first)s, the index says "
        "%(said)s B, and the body has %(found)s B."
    ),
    # --- a queue's index ---
    "segment_missing": _(
        "recovery.dets counts live messages in this segment (%(count)s), but the segment's file "
        "is missing. Messages that only this file held do not come back (S112)."
    ),
    "segment_of_other_count": _(
        "Live messages of this segment: %(saved)s by recovery.dets, %(found)s by the file and the journal (S112)."
    ),
    "start_ends_process": _(
        "The next start of a 3.8 ends this queue's process, in %(function)s: its journal repeats what the "
        "segments already have, because an orderly stop followed a kill in the middle of a flush. The "
        "queue is then started again as after a crash: what was acknowledged in between may come back (V8)."
    ),
    # --- a queue of version 2 ---
    "index_header": _(
        "In this file of %(size)s B the header of a .qi file is incomplete or wrong. Recovery after a "
        "crash deletes the file and its .qs (W97)."
    ),
    "index_range": _(
        "The header says that the segment begins at %(first)s and ends before %(end)s, so none of its slots is read "
        "here."
    ),
    "slots_beyond": _(
        "The file has slots after the end of its segment, which is %(end)s: %(count)s. A broker reads "
        "none of them."
    ),
    "slot_status": _(
        "The slot at offset %(at)s begins with byte %(found)s, which is neither live (1) nor empty (0). The queue's "
        "process crashes on it (W205)."
    ),
    "slot_fields": _("The slot at offset %(at)s is live, but no broker writes such fields."),
    "slot_cut_off": _("The slot at offset %(at)s is cut off after %(count)s B. Recovery ends there."),
    "body_header": _(
        "These %(size)s B are not a complete header of a .qs file. Recovery after a crash drops its "
        "messages; a clean start crashes at the first fetch (W205)."
    ),
    "body_magic": _(
        "The file does not begin as a .qs file of version 2. The queue's process crashes on it (W205)."
    ),
    "bodies_missing": _(
        "This file is missing, and live messages from seq %(first)s on have their bodies in it: %(count)s. "
        "Recovery after a crash drops them."
    ),
    "body_cut_off": _(
        "The body of seq %(seq)s at offset %(at)s should have %(wanted)s B after its header; only %(left)s "
        "B are left. Recovery after a crash drops it, and a fetch crashes the queue's process."
    ),
    "body_of_other_size": _(
        "The body of seq %(seq)s at offset %(at)s says %(found)s B, and the index %(wanted)s B. Recovery after a "
        "crash drops it, and a fetch crashes the queue's process."
    ),
    "body_checksum": _(
        "The body of seq %(seq)s at offset %(at)s has another checksum. Recovery after a crash drops it; a fetch after "
        "a clean start crashes the queue's process (W205)."
    ),
    "body_without_message": _(
        "The body of seq %(seq)s at offset %(at)s holds no message. A fetch would fail."
    ),
    "versions_mixed": _(
        "Files of both index versions are here: .idx files that wait for their conversion (W100)."
    ),
    # --- a queue's index ---
    "no_journal": _("There are segments, but no journal. A broker makes one."),
    "segment_of_zeros": _("Every byte of it is zero (%(count)s B). A broker deletes the file."),
    "publish_record_cut_off": _(
        "The end of the file cuts off the publish record at offset %(at)s. A broker skips 2 bytes and reads the rest "
        "as records."
    ),
    "published_twice": _("Entries that are published twice: %(count)s, from seq %(first)s on."),
    "marked_and_not_published": _(
        "Entries that are delivered or acknowledged without a publish record: %(count)s, from seq %(first)s on."
    ),
    "journal_ends_in_zeros": _(
        "From offset %(at)s on there are %(count)s zero bytes. A broker ends its replay here and uses what stands "
        "before."
    ),
    "journal_goes_on_with_zeros": _(
        "The %(count)s bytes from offset %(at)s on begin with 40 zero bytes. A broker ends its replay here and uses "
        "what stands before."
    ),
    "journal_cut_off": _(
        "The record at offset %(at)s is cut off after %(count)s B. A broker ends its replay here and uses what "
        "stands before."
    ),
    # --- a message store ---
    "compaction_interrupted": _(
        "A compaction was interrupted. A broker appends this file to the .rdq file of the same number (S206)."
    ),
    "store_file_missing": _("The file summary lists this file with %(size)s B."),
    "store_file_too_short": _("The file summary says %(size)s B, but the file ends at %(end)s."),
    "no_record": _(
        "The %(count)s B from offset %(at)s on are not a record. A broker's scanner goes on byte by "
        "byte (W143)."
    ),
    "record_without_message": _("The record at offset %(at)s holds no message. Reading it would fail."),
    "record_of_another_message": _(
        "The message in the record at offset %(at)s has another id than the record."
    ),
    "store_zeros": _("From offset %(at)s on there are %(count)s zero bytes. A broker stops reading here."),
    "wrong_marker": _(
        "The record at offset %(at)s ends with byte %(found)s instead of %(wanted)s. A broker skips it."
    ),
    "zero_size": _(
        "The bytes from offset %(at)s on (%(count)s B) begin with a size of zero. A broker stops "
        "reading here."
    ),
    "size_field_cut_off": _(
        "The bytes from offset %(at)s on (%(count)s B) are too few for a size field. A broker stops "
        "reading here."
    ),
    "store_record_cut_off": _(
        "The record at offset %(at)s claims %(size)s B, but only %(left)s B are left. A broker "
        "stops reading here."
    ),
}


def context(
    worker: str,
    place: str,
    server: str = "",
    importing: str = "",
    outdated: bool = False,
    session: dict[str, Any] | None = None,
    node_file: str = "",
) -> dict[str, Any]:
    """Return what the template `inspecting/page.html` needs.

    Args:
        worker: address of the worker's script; empty where the engine for browsers is not built.
        place: address of the engine's files, with a slash at the end.
        server: address that reads what is sent to it; empty where there is no server.
        importing: address that takes a scenario; empty where there is no server.
        outdated: whether the engine for browsers was built from other sources than the server runs.
        node_file: address of the file that reads a directory on its node; empty where it is not built.
        session: whose files are read at once: the address of their zip, and the choice to make of them.
    """
    data = {"story": None, "urls": {**live_page.NOWHERE, "past": "#"}}
    return {
        **live_page.context_of("inspected", {"title": "", "profile": "real"}, data),
        "most_own": uploads.MOST_BYTES_OWN >> 20,
        "most_sent": uploads.MOST_BYTES >> 20,
        "on_server": bool(server),
        "node_file": node_file,
        "python": f"{sys.version_info[0]}.{sys.version_info[1]}",  # that it is built for, see tools/inspect_file.py
        "inspect_data": {
            "worker": worker,
            "place": place,
            "outdated": outdated,
            "server": server,
            "importing": importing,
            "most_sent": uploads.MOST_BYTES >> 20,
            "session": session,
            "sentences": {code: str(text) for code, text in {**refusals.TEXTS, **TEXTS}.items()},
            "kinds": {kind: str(text) for kind, text in KINDS.items()},
        },
    }


logger = logging.getLogger(__name__)

MOST_SENT: Final = uploads.MOST_BYTES + 4 * 1024 * 1024
"""Bytes of a whole request, with the parts' heads."""


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@ensure_csrf_cookie
def page(request: HttpRequest) -> HttpResponseBase:
    """Show the page, or answer what was sent to it."""
    if request.method == "POST":
        return _answer(request)
    outdated = engine_files.is_outdated()
    session = _session(request)
    needed = context(
        session=session,
        **engine_files.addresses(),
        outdated=outdated,
        server=reverse("inspect"),
        importing=reverse("scenario-import"),
        node_file=reverse("inspect-node-file") if engine_files.has_node_file() else "",
    )
    return render(request, "inspecting/page.html", needed)


def _session(request: HttpRequest) -> dict[str, Any] | None:
    """Return where the files of the session are that the address names, and what is known of them; raise Gone."""
    if "session" not in request.GET:
        return None
    found = session_or_gone(request.GET["session"][:64])
    profile, settings = found.scenario["profile"], found.scenario["settings"]
    choice = {"profile": profile, "entries": segment_entries(profile, settings)}
    return {"archive": reverse("session-archive", args=[found.public_id]), "choice": choice}


@rate_limited
def _answer(request: HttpRequest) -> HttpResponseBase:
    try:
        if int(request.META.get("CONTENT_LENGTH") or 0) > MOST_SENT:
            raise UnreadableInput("too_many_bytes", most=uploads.MOST_BYTES >> 20)
        if "figures" in request.POST or "definitions" in request.FILES:
            with work_places.for_request(request):
                if "figures" in request.POST:
                    return JsonResponse(read_listing(request.POST["figures"]))
                data = request.FILES["definitions"].read(definitions.MOST_BYTES + 1)
                return JsonResponse(read_topology(data))
        if "agreed" not in request.POST:
            raise UnreadableInput("not_agreed")
        return StreamingHttpResponse(_apart(request), content_type="application/x-ndjson")
    except UnreadableInput as bad:
        logger.info("an inspection was refused: %.200s", bad.code)
        return JsonResponse(bad.to_json(), status=422)


@job(CHECK)
def read_listing(text: str) -> dict[str, Any]:
    """Return what a pasted listing or configuration says. Raises Unreadable."""
    return reading.listing(text)


@job(CHECK)
def read_topology(data: bytes) -> dict[str, Any]:
    """Return definitions.json as a scenario. Raises Unreadable."""
    return reading.topology(data)


def _apart(request: HttpRequest) -> ReaderProcess:
    """Return the answer about a broker's files, which a process of its own reads."""
    files = request.FILES.getlist("files")
    paths = uploads.names_of(files, request.POST.get("paths", ""))
    packed = reader.pack(files, paths, read_choice(request.POST.get("choice", "")))
    return ReaderProcess(packed, request_callers.of_request(request))
