"""Repetitions of a session's run, as jobs: what a page missed, what a stop would leave, files of the past, a digest."""

from __future__ import annotations

import time
from typing import Any, Final

from django.utils.translation import gettext_lazy as _

from engine.replay import RunPlayer
from engine.values.errors import RunTooLong
from playground.hosting import past
from playground.hosting.real_engine import door
from playground.hosting.session_record import RecordedSession
from playground.jobs.job import RUN, job
from playground.limits import session_limits
from playground.texts.page_message import RequestRefused

DIGEST_S: Final = 20.0


@job(RUN)
def rows_missed(first: int, last: int, record: RecordedSession) -> tuple[bytes, int]:
    """Return rows of a run, and on how many commands they rest; see `missed_rows.rows_of`."""
    return past.rows_of(door(), session_limits.current().past_s, first, last, record)


@job(RUN)
def fates(kind: past.Kind, record: RecordedSession) -> tuple[bytes, int]:
    """Return what a stop would leave, and on how many commands that rests; see `foresight.fates_of`."""
    return past.fates_of(door(), session_limits.current().past_s, kind, record)


@job(RUN)
def files_of_past(root: str, number: int, record: RecordedSession) -> int:
    """Make the files of a moment; see `past.files_of`."""
    return past.files_of(door(), session_limits.current(), root, number, record)


@job(RUN)
def digest_at(scenario: dict[str, Any], commands: list[tuple[int, dict[str, Any]]], until_us: int) -> str:
    """Return the digest of a run at a moment. Raises Refused where it is too long."""
    deadline_s = time.monotonic() + DIGEST_S
    node = door().rehearse(scenario)
    try:
        RunPlayer(node, commands, give_up=lambda: time.monotonic() > deadline_s).finish(until_us)
    except RunTooLong:
        raise RequestRefused(_("This long session is asleep. Open it, and share it from there.")) from None
    return str(node.log.digest)
