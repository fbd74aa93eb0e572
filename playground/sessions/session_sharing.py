"""Sessions to share: a link to the present moment, which repeats everything until then, and the demo of the first page,
where one message goes all the way through RAM, disk and back to a consumer.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

from django.utils.translation import gettext_lazy as _

from playground.hosting.host import RunSoFar
from playground.hosting.real_engine import door
from playground.limits import work_places
from playground.models import Scenario, Session
from playground.records import kept_runs
from playground.sessions import live_hosts
from playground.storybook import rehearsal
from playground.texts import PageMessage, RequestRefused

REMEMBERED = 200


def share(session: Session) -> Scenario:
    """Keep a scenario that repeats the session, up to now if somebody did something of their own in it. Blocks until
    the session has come to a stop for it.
    """
    moment = _moment(session)
    story = _story(session, moment)
    if story and session.origin:  # the whole run with its story: the link names the moment
        return kept_runs.keep_scenario(moment.scenario, session.origin.engine_version, story)
    return kept_runs.keep_scenario(rehearsal.check_run(moment.merged()))


def _story(session: Session, moment: RunSoFar) -> dict[str, Any] | None:
    """Return the story that still fits: nobody did anything else, and the run has not left its end behind."""
    story = session.origin.story if session.origin else None
    if not story or moment.commands or moment.at_us > session.scenario["until_us"]:
        return None
    return dict(story)


def scenario_so_far(session: Session) -> dict[str, object]:
    """Return the scenario that `share` would keep, without keeping it."""
    return rehearsal.check_run(_moment(session).merged())


def file_of(session: Session) -> dict[str, Any]:
    """Return the scenario file of a session: the run so far, or a run and its story as they were written."""
    moment = _moment(session)
    story = _story(session, moment)
    if story:
        return {**moment.scenario, **story}
    return rehearsal.check_run(moment.merged())


def fork(session: Session, at_us: int | None = None) -> Session:
    """Begin another session that is this one up to `at_us` (up to now where that is None or later), and goes on
    freely. The commands of that very moment belong to it.
    """
    moment = _moment(session)
    ends_us = moment.at_us if at_us is None else min(at_us, moment.at_us)
    scenario = moment.merged()
    done = [command for command in scenario["commands"] if command["at_us"] <= ends_us]
    forked = {**scenario, "commands": done, "until_us": ends_us, "digest": None}
    return kept_runs.start_session(rehearsal.check_run(forked), reached_us=ends_us)


def on_release(session: Session, series: str) -> tuple[Session, list[PageMessage]]:
    """Begin another session with this one's commands on another release, at the same moment; return what is not
    there. A run that nobody changed goes on to its end. Its story stays behind: its words are about another release.
    """
    moment = _moment(session)
    untouched = not moment.commands and moment.at_us <= session.scenario["until_us"]
    scenario = dict(moment.scenario) if untouched else moment.merged()
    scenario, said = rehearsal.taken_to(series, scenario)
    return kept_runs.start_session(rehearsal.check_run(scenario), reached_us=moment.at_us), said


def _moment(session: Session) -> RunSoFar:
    try:
        moment = live_hosts.moment(session.public_id)
    except TimeoutError:
        raise RequestRefused(_("The session is busy. Pause it, and try again.")) from None
    return moment or _rehearse(session)


def _rehearse(session: Session) -> RunSoFar:
    """Find the digest of a session that sleeps, by repeating it without files if it is not on record."""
    commands = kept_runs.commands_of(session)
    reached_us, digest = kept_runs.reached(session, commands)
    if not digest or session.engine_version != door().version:
        key = session.public_id, reached_us, len(commands)
        digest = _digests.get(key) or _repeated(session, commands, reached_us)
        _digests[key] = digest
        while len(_digests) > REMEMBERED:
            _digests.pop(next(iter(_digests)))
    return RunSoFar(reached_us, digest, session.scenario, commands)


_digests: dict[tuple[str, int, int], str] = {}
"""Of sessions that sleep, by how far they have come: asking twice repeats them once."""


def _repeated(session: Session, commands: list[tuple[int, dict[str, Any]]], until_us: int) -> str:
    """Return the digest of a session that is repeated. Raises GateBusy when others are repeated meanwhile."""
    with work_places.for_present():
        return live_hosts.digest_at(session.scenario, commands, until_us)


DEMO_KEY = "demo"

DEMO_FOLLOWED = 20
"""The message that the first page lights all the way: alpha, beta, delta, gamma, with the consumer."""

DEMO_SCENARIO: dict[str, Any] = {
    "version": 1,
    "title": "",
    "profile": "classroom",
    "settings": {},
    "seed": 1,
    "commands": [
        {"at_us": 600_000, "do": "publish", "count": 28, "size_bytes": 6000},
        {"at_us": 3_000_000, "do": "publish", "count": 24, "size_bytes": 6000, "persistent": True},
        {
            "at_us": 4_500_000,
            "do": "set_consumer",
            "name": "c1",
            "rate_per_s": 8,
            "prefetch": 4,
            "ack": "each",
        },
    ],
    "until_us": 9_000_000,
}


def demo_session(browser: MutableMapping[str, Any], again: bool = False) -> Session:
    """Return the demo session of a browser: the one that it has, unless that is gone or it wants it `again`."""
    before = browser.get(DEMO_KEY)
    found = Session.objects.filter(public_id=before).first() if isinstance(before, str) else None
    if found is not None and not again:
        return found
    if found is not None:
        kept_runs.delete_untouched(found)
    session = kept_runs.start_session(door().check(DEMO_SCENARIO))
    kept_runs.claim(browser, session)
    browser[DEMO_KEY] = session.public_id
    return session


def adopt_demo(browser: MutableMapping[str, Any], public_id: str) -> None:
    """Who opens the demo in the playground keeps it; the first page makes another one next time."""
    if browser.get(DEMO_KEY) == public_id:
        del browser[DEMO_KEY]
