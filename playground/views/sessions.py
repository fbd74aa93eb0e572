"""A session's page, its real files, what it asks of the past, and what can be taken away from it."""

from __future__ import annotations

import asyncio
import contextlib
import csv
import io
import re
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Hashable, Iterator
from functools import partial
from typing import Any, Final, cast

import msgspec
import orjson
from django.http import HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from engine.releases import RELEASES
from engine.replay import RunPlayer
from engine.replay.player import SLICE
from engine.report.transitions.base import Transition
from engine.transitions import fields_of
from engine.values.errors import RunTooLong
from playground.classroom.selectors import harmless
from playground.hosting.file_records import NotThere, wanted
from playground.hosting.real_engine import door
from playground.hosting.refusals import missing_words
from playground.hosting.session_record import RecordedSession
from playground.jobs import RUN, BoundedJob, JobEnded, job
from playground.limits import request_callers, work_places
from playground.models import Scenario, Session
from playground.offline.page import PageSource, write
from playground.records import kept_bytes, kept_runs, paused_sessions
from playground.sessions import live_hosts, past_runs, session_sharing
from playground.sessions.past_runs import KINDS, PendingAnswers
from playground.sessions.scenario_links import packed, place_of
from playground.storybook import rehearsal
from playground.texts import PageMessage, RequestRefused
from playground.web import live_page
from playground.web.access import (
    answers_refusals,
    charge,
    keeps,
    may_repeat,
    rate_limited,
    rate_limited_reading,
    say,
    session_or_gone,
    whole_number,
)
from playground.web.errors import PageGone, answer, too_many

LISTED = 200
FILE_BYTES = 4096
"""Most bytes of a file in one answer."""


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def mine(request: HttpRequest) -> HttpResponse:
    """List what this browser began, with what it takes; delete what was chosen."""
    if request.method == "POST":
        kept_runs.delete_sessions(
            kept_bytes.sessions_of(request.session).filter(public_id__in=request.POST.getlist("session"))
        )
        return redirect("sessions")
    rows = [
        {
            "public_id": each.public_id,
            "title": each.origin.title if each.origin and each.origin.title else _("Playground"),
            "begun": each.created,
            "goes": kept_bytes.goes_at(each),
            "size_bytes": kept_bytes.SESSION_BYTES + each.record_bytes + each.text_bytes,
        }
        for each in kept_bytes.sessions_of(request.session)[:LISTED]
    ]
    context = {"rows": rows, "used": kept_bytes.shown(request_callers.of_request(request))}
    return render(request, "playground/sessions.html", context)


@require_safe
@never_cache
def session(request: HttpRequest, session_id: str) -> HttpResponse:
    found = session_or_gone(session_id)
    session_sharing.adopt_demo(request.session, found.public_id)
    return render(request, "playground/live.html", live_page.context(request, found))


def _stateless(request: HttpRequest, kept: Scenario) -> str:
    """Return the address that carries the run itself, or nothing when it is too long for one."""
    text = packed(kept_runs.scenario_body(kept), kept.engine_version)
    return request.build_absolute_uri(reverse("stateless", args=[text])) if text else ""


def kept_until(kept: Scenario) -> int:
    return int(kept_runs.scenario_body(kept)["until_us"])


@require_POST
@keeps
@answers_refusals
def share(request: HttpRequest, session_id: str) -> HttpResponse:
    """Make a link that repeats the session up to now."""
    found = session_or_gone(session_id)
    paused_sessions.check_may_leave(found.public_id, link=True)
    kept = session_sharing.share(found)
    charge(request, kept_runs.scenario_body(kept))
    url = request.build_absolute_uri(reverse("permalink", args=[kept.short_id]))
    context = {"url": url, "short_id": kept.short_id, "digest": kept.digest, "until_us": kept_until(kept)}
    context["stateless"] = _stateless(request, kept)
    context["embed"] = request.build_absolute_uri(reverse("embed", args=[kept.short_id]))
    if request.htmx:
        return render(request, "playground/_share.html", context)
    return JsonResponse(context)


@require_POST
@keeps
@answers_refusals
def fork(request: HttpRequest, session_id: str) -> HttpResponse:
    """Begin a session of one's own that is this one up to the moment that is looked at."""
    found = session_or_gone(session_id)
    text = request.POST.get("at_us", "")
    paused_sessions.check_may_leave(found.public_id)
    forked = session_sharing.fork(found, int(text) if re.fullmatch(r"[0-9]{1,15}", text) else None)
    charge(request, forked.scenario)
    kept_runs.claim(request.session, forked)
    return redirect("session", forked.public_id)


@require_POST
@keeps
@answers_refusals
def release(request: HttpRequest, session_id: str) -> HttpResponse:
    """Begin a session of one's own with this one's commands on another release; say what does not exist there."""
    found = session_or_gone(session_id)
    series = request.POST.get("release", "")
    if series not in RELEASES:
        return redirect("session", found.public_id)
    paused_sessions.check_may_leave(found.public_id)
    other, said = session_sharing.on_release(found, series)
    charge(request, other.scenario)
    kept_runs.claim(request.session, other)
    say(request, said)
    return redirect("session", other.public_id)


@require_safe
@rate_limited
@answers_refusals
def scenario_file(request: HttpRequest, session_id: str) -> HttpResponse:
    """Download a session as a scenario file: everything that happened so far, or the run that it repeats."""
    found = session_or_gone(session_id)
    paused_sessions.check_may_leave(found.public_id)
    scenario = session_sharing.file_of(found)
    response = JsonResponse(scenario, json_dumps_params={"indent": 2, "ensure_ascii": False})
    response["Content-Disposition"] = f'attachment; filename="waterline-{found.public_id}.json"'
    return response


@require_safe
@rate_limited_reading
@never_cache
def file_bytes(request: HttpRequest, session_id: str) -> HttpResponse:
    """Return some bytes of a real file of the session, in hexadecimal."""
    found = session_or_gone(session_id)
    try:
        path, offset, count = _wanted(request)
    except RequestRefused as refused:
        return JsonResponse({"error": str(refused)}, status=400)
    directory = live_hosts.files_of(found.public_id)
    try:
        size, data = door().read_file(str(directory), path, offset, count)
    except (*door().no_file, OSError):  # type: ignore[misc]  # mypy cannot unpack a tuple here
        message = PageMessage(
            _("There is no such file now: it may have been deleted, or the session sleeps.")
        )
        raise PageGone(_("No such file"), message) from None
    return JsonResponse({"path": path, "size": size, "offset": offset, "count": len(data), "hex": data.hex()})


def _wanted(request: HttpRequest) -> tuple[str, int, int]:
    path = request.GET.get("path", "")
    if not path or len(path) > 500:
        raise RequestRefused(_("path must name a file of the session, as the page shows them."))
    return path, whole_number(request, "offset", "0"), min(whole_number(request, "count", "256"), FILE_BYTES)


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
    """Return the rows of a session from number `?from=` to before `&to=`, see `past_runs`. Nothing is sent that the
    session itself has not reached, so nobody can see the future. Of a session that was removed while its page was
    still open, by "Begin again" for example, there is nothing to send: that is not an error of the page.
    """
    found = kept_runs.session_by_id(session_id)
    if found is None:
        return HttpResponse(past_runs.NOTHING, content_type="application/json")
    try:
        first, last = whole_number(request, "from", "0"), whole_number(request, "to")
        if first >= last:
            raise RequestRefused(_("from must be less than to."))
        record = _reached(found)
    except (RequestRefused, TimeoutError) as refused:
        return _not_now(request, refused)
    return _answer_kept(
        request,
        rows_kept,
        (session_id, first, last),
        record,
        lambda: past_runs.rows_of(first, last, record),
    )


@require_safe
@rate_limited_reading
@never_cache
def survival(request: HttpRequest, session_id: str) -> HttpResponse:
    """Return what a stop of `?kind=` would leave of each queue now, see `engine.replay.survival.Fate`. A session
    that waits for an answer sends nothing: it could contain the answer.
    """
    found = session_or_gone(session_id)
    kind = request.GET.get("kind", "")
    try:
        if kind not in KINDS:
            raise RequestRefused(_("kind must be clean, kill or power."))
        paused_sessions.check_may_leave(found.public_id)
        record = _reached(found)
    except (RequestRefused, TimeoutError) as refused:
        return _not_now(request, refused)
    return _answer_kept(
        request,
        fates_kept,
        (session_id, kind, record.reached_us, len(record.commands)),
        record,
        lambda: past_runs.fates_of(kind, record),
    )


def _not_now(request: HttpRequest, error: RequestRefused | TimeoutError) -> HttpResponse:
    if isinstance(error, RequestRefused):
        return answer(request, 400, _("That did not work"), error.message)
    return JsonResponse({"error": _("The session is busy. Pause it, and try again.")}, status=503)


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
    moment = live_hosts.moment(session.public_id)
    if moment is None:
        return kept_runs.remembered(session.public_id)
    return RecordedSession(scenario=moment.scenario, commands=moment.commands, reached_us=moment.at_us)


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
                else records.record(kind, number, offset, queue, whose="whose" in request.GET)
            )
    except TooOften as error:
        return too_many(request, error.message)
    except NotThere as missing:
        return _not_there(missing, kind)
    except (*door().no_file, OSError):  # type: ignore[misc]  # mypy cannot unpack a tuple here
        # The run goes on: a file of the index may be deleted while it is read.
        return _not_there(NotThere("no_file") if seq is None else NotThere("absent", seq=seq), kind)
    return JsonResponse({**fields, "at": at})


class TooOften(RequestRefused):
    """The address has had its share of repetitions."""


def _moment(request: HttpRequest) -> int | None:
    """Return the number of transitions after which the files are wanted, or None for now."""
    return whole_number(request, "at") if "at" in request.GET else None


@contextlib.contextmanager
def _records(request: HttpRequest, session: Session, at: int | None) -> Iterator[Any]:
    """Read the files of now, or of a moment of the past; a run that must be repeated for it waits for its place."""
    with contextlib.ExitStack() as held:
        if at is None:
            root = live_hosts.files_of(session.public_id)
        else:
            moment = session.public_id, at, kept_runs.remembered(session.public_id)
            past = live_hosts.past()
            is_made = past.has(*moment)
            if not is_made and not may_repeat(request):
                raise TooOften(_("Too many requests for past moments. Wait a little."))
            with contextlib.nullcontext() if is_made else work_places.for_request(request):
                root = held.enter_context(past.at(*moment))
        yield held.enter_context(door().read_records(str(root), session.scenario))


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
        # Only what the session's own directory lists, so no path leads out of it.
        if path not in records.sizes:
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
    try:
        with contextlib.ExitStack() as opened:
            records = opened.enter_context(_records(request, session_or_gone(session_id), _moment(request)))
            if path is None:
                opened.enter_context(work_places.for_request(request))
            found = pieces(records)
            held = opened.pop_all()
    except TooOften as error:
        return too_many(request, error.message)
    except NotThere as missing:
        return answer(request, 404, _("No such file"), missing_words(missing, "")[missing.reason])
    except JobEnded:
        raise  # its middleware answers, as for every view
    except RequestRefused as refused:
        return answer(request, 400, _("That did not work"), refused.message)
    response = StreamingHttpResponse(_Pieces(_while_there(found), held))
    response["Content-Type"] = "application/zip" if path is None else "application/octet-stream"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    if path is not None:
        response["Content-Length"] = str(records.sizes[path])
    return response


def _while_there(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Yield pieces of files; the download ends early where a file was deleted meanwhile."""
    with contextlib.suppress(*door().no_file, OSError):
        yield from pieces


class _Pieces:
    """Pieces made in a worker thread one by one, so that none is made before the last one was sent. `held`: what they
    come from, which is closed at their end.
    """

    def __init__(self, pieces: Iterator[bytes], held: Any) -> None:
        self._pieces = pieces
        self.close = held.close

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        piece = await asyncio.to_thread(next, self._pieces, _END)
        if not piece:
            self.close()
            raise StopAsyncIteration
        return piece


MOST_ROWS = 200_000
MOST_S = 60.0
TYPES = {"csv": "text/csv; charset=utf-8", "jsonl": "application/jsonl", "html": "text/html; charset=utf-8"}
HEAD = ("number", "at_us", "kind", "rule", "of", "fields")
BLOCK_BYTES: Final = 256 * 1024


@require_safe
@rate_limited
@never_cache
@answers_refusals
def run(request: HttpRequest, session_id: str, form: str) -> HttpResponse:
    """Download every transition of the session up to now; at its bounds the last line notes that it was cut."""
    found = session_or_gone(session_id)
    paused_sessions.check_may_leave(found.public_id)
    scenario = session_sharing.scenario_so_far(found)
    return _written(request, found, form, as_csv if form == "csv" else as_json, scenario)


def _written(
    request: HttpRequest, found: Session, form: str, write: BoundedJob[[Any], Iterator[bytes]], source: Any
) -> HttpResponse:
    """Let a job write an answer to a file, and send it from there: who takes it slowly holds no place."""
    out = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the answer
    try:
        with work_places.for_request(request):
            for piece in write(source):
                out.write(piece)
    except BaseException:
        out.close()
        raise
    out.seek(0)
    blocks = _Pieces(iter(partial(out.read, BLOCK_BYTES), _END), out)
    response = StreamingHttpResponse(blocks, content_type=TYPES[form])
    response["Content-Disposition"] = f'attachment; filename="waterline-{found.public_id}.{form}"'
    return response


@require_safe
@rate_limited
@never_cache
@answers_refusals
def page(request: HttpRequest, session_id: str) -> HttpResponse:
    """Download the session up to now as one page that works without a server."""
    found = session_or_gone(session_id)
    paused_sessions.check_may_leave(found.public_id)
    file = session_sharing.file_of(found)
    entry = rehearsal.read_kept({name: value for name, value in file.items() if value != ""})
    home = request.build_absolute_uri(reverse("home"))
    carried = packed(entry.run)
    if found.origin and entry.story_json():
        address = reverse("permalink", args=[found.origin.short_id])
    else:
        address = reverse("stateless", args=[carried]) if carried else reverse("home")
    place = place_of(request.GET)
    source = PageSource(
        entry.run, entry.story, entry.story_json(), home, request.build_absolute_uri(address), place
    )
    return _written(request, found, "html", as_page, source)


@job(RUN)
def as_page(source: PageSource) -> Iterator[bytes]:
    """Yield a run as a page. Raises RequestRefused where it takes too long."""
    deadline_s = time.monotonic() + MOST_S
    try:
        yield write(source, lambda: time.monotonic() > deadline_s).encode()
    except RunTooLong:
        raise RequestRefused(
            gettext_lazy("Repeating the run takes longer than this server allows.")
        ) from None


def _rows(scenario: dict[str, Any]) -> Iterator[list[tuple[int, int, Any]] | str]:
    """Repeat a run without files; yield its transitions in slices, and why it was cut if it was."""
    deadline_s = time.monotonic() + MOST_S
    player = RunPlayer(
        door().rehearse(scenario), most=MOST_ROWS, give_up=lambda: time.monotonic() > deadline_s
    )
    try:
        for piece in player.play(scenario["until_us"], SLICE):
            if piece.lost:
                yield f"{piece.lost} transitions of one event are left out"
            elif piece.rows:
                numbers = range(piece.first, piece.first + piece.count)
                yield list(zip(numbers, piece.at_us, piece.rows, strict=True))
    except RunTooLong:
        if piece.last:
            return
        yield f"cut after {player.next} transitions: one download has at most {MOST_ROWS}"


@job(RUN)
def as_json(scenario: dict[str, Any]) -> Iterator[bytes]:
    """Yield a run's transitions as JSON lines, the first of which says which run it is."""
    yield orjson.dumps({"scenario": scenario, "engine": door().version}) + b"\n"
    for part in _rows(scenario):
        if isinstance(part, str):
            yield orjson.dumps({"notice": part}) + b"\n"
            continue
        yield b"".join(
            orjson.dumps({"number": number, "at_us": at_us, **_named(row)}) + b"\n"
            for number, at_us, row in part
        )


@job(RUN)
def as_csv(scenario: dict[str, Any]) -> Iterator[bytes]:
    yield _csv([HEAD])
    for part in _rows(scenario):
        if isinstance(part, str):
            yield _csv([("", "", "notice", "", "", part)])
            continue
        lines = []
        for number, at_us, row in part:
            named = _named(row)
            kind, rule = named.pop("kind"), named.pop("rule", "")
            of = next((str(value) for value in named.values() if isinstance(value, str)), "")
            lines.append((number, at_us, kind, rule, harmless(of), orjson.dumps(named).decode()))
        yield _csv(lines)


def _named(row: Transition) -> dict[str, Any]:
    kind, *values = msgspec.to_builtins(row)
    return {"kind": kind, **dict(zip(fields_of(type(row)), values, strict=False))}


def _csv(lines: Any) -> bytes:
    out = io.StringIO()
    csv.writer(out).writerows(lines)
    return out.getvalue().encode()
