"""What strangers bring, read as a job: scenario files, runs that were changed, and kept ones that are opened again."""

from __future__ import annotations

from typing import Any

from playground.hosting.engine_factory import door
from playground.hosting.refusals import message_of
from playground.jobs.job import CHECK, job
from playground.limits import session_limits
from playground.storybook.entry import LibraryEntry, read
from playground.storybook.migrate import TooNew, migrated
from playground.texts.page_message import RequestRefused


class RunUnrepeatable(RequestRefused):
    """A kept run that this engine does not take."""


@job(CHECK)
def read_file(data: bytes | str | dict[str, Any]) -> LibraryEntry:
    """Return the entry of a file that somebody brings, checked against what this server affords. Raises BadScenario."""
    return read(data, session_limits.current())


@job(CHECK)
def read_kept(data: dict[str, Any]) -> LibraryEntry:
    """Return the entry of a file that is kept here. Raises BadScenario."""
    return read(data)


@job(CHECK)
def check_run(run: dict[str, Any]) -> dict[str, Any]:
    """Return a run in full, or raise the engine's ScenarioError."""
    return door().check(run)


@job(CHECK)
def repeatable(body: dict[str, Any]) -> dict[str, Any]:
    """Return a kept run in the present form. Raises Unrepeatable."""
    try:
        present, _came_from = migrated(body)
        return door().check(present)
    except TooNew as error:
        raise RunUnrepeatable(error.message) from None
    except door().no_scenario as error:
        raise RunUnrepeatable(message_of(error)) from None
