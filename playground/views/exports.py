"""A run to take away: its transitions as CSV or as JSON lines, or a page that works offline; made by repeating it."""

from __future__ import annotations

import asyncio
import csv
import io
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from typing import IO, Any, Final

import msgspec
import orjson
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from engine.replay import RunPlayer
from engine.replay.player import SLICE
from engine.report.transitions.base import Transition
from engine.transitions import fields_of
from engine.values.errors import RunTooLong
from playground.classroom.selectors import harmless
from playground.hosting.real_engine import door
from playground.jobs.job import RUN, BoundedJob, job
from playground.limits import work_places
from playground.models import Session
from playground.offline.page import PageSource, write
from playground.records import paused_sessions
from playground.sessions import session_sharing
from playground.sessions.scenario_links import packed, place_of
from playground.storybook import rehearsal
from playground.texts import RequestRefused
from playground.web.access import rate_limited, session_or_gone
from playground.web.errors import answer

MOST_ROWS = 200_000
MOST_S = 60.0
TYPES = {"csv": "text/csv; charset=utf-8", "jsonl": "application/jsonl", "html": "text/html; charset=utf-8"}
HEAD = ("number", "at_us", "kind", "rule", "of", "fields")
BLOCK_BYTES: Final = 256 * 1024


@require_safe
@rate_limited
@never_cache
def run(request: HttpRequest, session_id: str, form: str) -> HttpResponse:
    """Download every transition of the session up to now; at its bounds the last line notes that it was cut."""
    found = session_or_gone(session_id)
    try:
        paused_sessions.check_may_leave(found.public_id)
        scenario = session_sharing.scenario_so_far(found)
    except RequestRefused as refused:
        return answer(request, 409, _("That did not work"), refused.message)
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
    except BaseException as error:
        out.close()
        if isinstance(error, RequestRefused):
            return answer(request, 409, _("That did not work"), error.message)
        raise
    out.seek(0)
    response = StreamingHttpResponse(_InWorker(out), content_type=TYPES[form])
    response["Content-Disposition"] = f'attachment; filename="waterline-{found.public_id}.{form}"'
    return response


@require_safe
@rate_limited
@never_cache
def page(request: HttpRequest, session_id: str) -> HttpResponse:
    """Download the session up to now as one page that works without a server."""
    found = session_or_gone(session_id)
    try:
        paused_sessions.check_may_leave(found.public_id)
        entry = rehearsal.read_kept(
            {name: value for name, value in session_sharing.file_of(found).items() if value != ""}
        )
    except RequestRefused as refused:
        return answer(request, 409, _("That did not work"), refused.message)
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
    """Yield a run as a page. Raises Refused where it takes too long."""
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


class _InWorker:
    """A file read in a worker thread block by block, so that none is read before the last one was sent."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        block = await asyncio.to_thread(self._file.read, BLOCK_BYTES)
        if not block:
            raise StopAsyncIteration
        return block

    def close(self) -> None:
        """Let go of the file; Django calls it when the answer is over, however it ended."""
        self._file.close()
