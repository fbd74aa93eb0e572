"""Repetitions of a session's run, as jobs: what a page missed, what a stop would leave, files of the past, a digest."""

from __future__ import annotations

import time
from typing import Any, Final

from django.utils.translation import gettext_lazy as _

from engine.replay import Player
from engine.values.errors import RunTooLong
from playground import limits
from playground.doors import door
from playground.hosting import foresight, missed_rows, past
from playground.hosting.book import Remembered
from playground.jobs.job import RUN, job
from playground.messages import Refused

DIGEST_S: Final = 20.0


@job(RUN)
def rows_missed(first: int, last: int, record: Remembered) -> tuple[bytes, int]:
    """Return rows of a run, and on how many commands they rest; see `missed_rows.rows_of`."""
    return missed_rows.rows_of(door(), limits.current().past_s, first, last, record)


@job(RUN)
def fates(kind: foresight.Kind, record: Remembered) -> tuple[bytes, int]:
    """Return what a stop would leave, and on how many commands that rests; see `foresight.fates_of`."""
    return foresight.fates_of(door(), limits.current().past_s, kind, record)


@job(RUN)
def files_of_past(root: str, number: int, record: Remembered) -> int:
    """Make the files of a moment; see `past.files_of`."""
    return past.files_of(door(), limits.current(), root, number, record)


@job(RUN)
def digest_at(scenario: dict[str, Any], commands: list[tuple[int, dict[str, Any]]], until_us: int) -> str:
    """Return the digest of a run at a moment. Raises Refused where it is too long."""
    deadline_s = time.monotonic() + DIGEST_S
    node = door().rehearse(scenario)
    try:
        Player(node, commands, give_up=lambda: time.monotonic() > deadline_s).finish(until_us)
    except RunTooLong:
        raise Refused(_("This long session is asleep. Open it, and share it from there.")) from None
    return str(node.log.digest)
