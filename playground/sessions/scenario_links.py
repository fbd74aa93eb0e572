"""Links: their place in a run, and links whose address contains the whole scenario."""

from __future__ import annotations

import base64
import binascii
import re
import zlib
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

import msgspec
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from engine import ENGINE_VERSION
from engine.broker.commands import commands
from engine.broker.commands.base import MAX_SHORT_BYTES
from engine.releases import RELEASES
from engine.values.errors import CommandError
from playground.hosting import session_record
from playground.hosting.command_queue import RunSoFar
from playground.hosting.real_engine import door
from playground.jobs.job import CHECK, job
from playground.limits import session_limits, work_places
from playground.models import Scenario, Session
from playground.records import selectors, services
from playground.sessions import owner_address, run_repetitions
from playground.storybook import other_release, rehearsal
from playground.storybook.entry import BadScenario, LibraryEntry, read
from playground.texts.page_message import PageMessage, RequestRefused

LONGEST: Final = 8000
"""Most characters of a scenario in an address: browsers and proxies take this much."""
LARGEST: Final = 512 * 1024
"""Most bytes that it may unfold to."""
FORM: Final = "1"
"""How the scenario is written, as the first character: another Waterline may write otherwise."""
WORDS: Final = (
    b'{"version":1,"title":"","profile":"classroom","settings":{},"seed":1,"commands":[{"at_us":,"do":"publish",'
    b'"count":,"size_bytes":6000,"persistent":true,"confirm":true},{"at_us":,"do":"set_publisher","name":"p1",'
    b'"rate_per_s":,"running":false},{"do":"set_consumer","name":"c1","prefetch":,"ack":"each"},"do":"remove",'
    b'"do":"get","do":"ack","multiple":true,"do":"requeue","do":"purge","do":"set","name":"queue_mode","value":'
    b'"lazy","vm_memory_high_watermark_paging_ratio","target_ram_count","do":"restart","kind":"clean"000000}],'
    b'"until_us":000000,"digest":"'
)
"""Common text of scenarios, with which the compressor starts. Part of form 1, so never change it."""

NAMED: Final = "engine"
"""Key of an address's scenario: which engine its digest is of."""
UNNAMED: Final = "≤ 0.3.0"
"""Which engine made a link that names none: links do so since 0.4.0."""

VIEWS: Final = ("stage", "files", "why", "narrative", "controls", "dock", "story")
MOST: Final = 2**53


class LinkPlace(msgspec.Struct, frozen=True):
    """Where a link leads inside a run.

    Args:
        at_us: the time.
        number: how many transitions had happened, for a moment inside an instant.
        msg: the seq_id of a message that is chosen.
        view: a part of the page.
        lang: the language of the page.
        vhost: the virtual host that is shown; empty for the first.
        release: the series of the release on which the commands are opened; empty for the run's own.
    """

    at_us: int | None = None
    number: int | None = None
    msg: int | None = None
    view: str = ""
    lang: str = ""
    vhost: str = ""
    release: str = ""

    def query(self) -> str:
        """Return the part of the address after the question mark, with it, or nothing."""
        named = {"at": self.at_us, "n": self.number, "msg": self.msg, "view": self.view, "lang": self.lang}
        named |= {"vhost": self.vhost, "release": self.release}
        kept = {name: value for name, value in named.items() if value not in (None, "")}
        return f"?{urlencode(kept)}" if kept else ""

    def start_us(self, until_us: int) -> int:
        """Return how far a run is played before the page opens: for a number, to just before its instant."""
        at_us = min(self.at_us or 0, until_us)
        return max(0, at_us - 1) if self.number is not None else at_us


def place_of(query: Any) -> LinkPlace:
    """Return the place that an address names; parts that make no sense are ignored."""
    view, lang, vhost, release = (query.get(name, "") for name in ("view", "lang", "vhost", "release"))
    return LinkPlace(
        _whole(query.get("at", "")),
        _whole(query.get("n", "")),
        _whole(query.get("msg", "")),
        view if view in VIEWS else "",
        lang if lang in dict(settings.LANGUAGES) else "",
        vhost
        if len(vhost.encode(errors="replace")) <= MAX_SHORT_BYTES and vhost.splitlines() == [vhost]
        else "",
        release if release in RELEASES else "",
    )


def _whole(text: str) -> int | None:
    return int(text) if re.fullmatch(r"[0-9]{1,16}", text) and int(text) <= MOST else None


# --- the stateless link ---


class BadLink(ValueError):
    """An address that holds no scenario, and why."""

    def __init__(self, message: PageMessage) -> None:
        super().__init__(str(message))
        self.message = message


class CarriedScenario(NamedTuple):
    """What an address holds.

    Args:
        made_with: the engine that reached its digest; empty where there is none.
    """

    entry: LibraryEntry
    made_with: str


def packed(scenario: dict[str, Any], made_with: str = ENGINE_VERSION) -> str | None:
    """Return a scenario as it is in an address, or None when it is too long for one.

    Args:
        made_with: the engine that reached its digest.
    """
    slim = {name: value for name, value in scenario.items() if value not in ("", {}, None)}
    if "digest" in slim:
        slim[NAMED] = made_with
    slim["commands"] = [_slim(each) for each in scenario["commands"]]
    text = encoded(msgspec.json.encode(slim))
    return text if len(text) <= LONGEST else None


def encoded(body: bytes) -> str:
    """Return JSON as addresses hold it."""
    compressor = zlib.compressobj(9, zlib.DEFLATED, -15, 9, zdict=WORDS)
    data = compressor.compress(body) + compressor.flush()
    return FORM + base64.urlsafe_b64encode(data).decode().rstrip("=")


@job(CHECK)
def unpacked(text: str) -> CarriedScenario:
    """Return the scenario of an address. Raises BadLink."""
    if text[:1] != FORM:
        raise BadLink(
            PageMessage(_("This link was made by another version of Waterline, and cannot be read here."))
        )
    cut_off = BadLink(
        PageMessage(_("The link holds no scenario. It may have been cut off when it was copied."))
    )
    try:
        data = base64.urlsafe_b64decode(text[1:] + "=" * (-len(text[1:]) % 4))
        expander = zlib.decompressobj(-15, zdict=WORDS)
        body = expander.decompress(data, LARGEST)
    except (binascii.Error, zlib.error, ValueError):
        raise cut_off from None
    if expander.unconsumed_tail or not expander.eof:
        raise cut_off
    made_with, body = _made_with(body)
    try:
        entry = read(body, session_limits.current())
        return CarriedScenario(entry, made_with if entry.run.get("digest") else "")
    except BadScenario as bad:
        raise BadLink(
            PageMessage(_("The scenario in this link cannot be repeated here: %(why)s"), why=bad.first)
        ) from None


def _made_with(body: bytes) -> tuple[str, bytes]:
    """Return which engine an address names, and the scenario without it; anything else stays as it is."""
    try:
        scenario = msgspec.json.decode(body)
        version = scenario.pop(NAMED)
    except (msgspec.DecodeError, UnicodeDecodeError, AttributeError, KeyError, TypeError):
        return UNNAMED, body
    named = isinstance(version, str) and re.fullmatch(r"[0-9.]{1,12}|" + re.escape(UNNAMED), version)
    return version if named else UNNAMED, msgspec.json.encode(scenario)


@job(CHECK)
def read_run(scenario: dict[str, Any]) -> dict[str, Any]:
    """Return a scenario in full, checked by the engine and against what is afforded here. Raises Refused."""
    try:
        return read(scenario, session_limits.current()).run
    except BadScenario as bad:
        raise RequestRefused(PageMessage("%(why)s", why=bad.first)) from None


def _slim(timed: dict[str, Any]) -> dict[str, Any]:
    """Leave out of a command what it has by default."""
    command = {name: value for name, value in timed.items() if name != "at_us"}
    full = commands.to_json(commands.parse(command))
    for name in list(command):
        rest = {other: value for other, value in command.items() if other != name}
        try:
            if name != "do" and commands.to_json(commands.parse(rest)) == full:
                command = rest
        except CommandError:
            continue
    return {"at_us": timed["at_us"], **command}


REMEMBERED = 200


def share(session: Session) -> Scenario:
    """Keep a scenario that repeats the session, up to now if somebody did something of their own in it.

    Blocks until the session has come to a stop for it.
    """
    moment = _moment(session)
    story = _story(session, moment)
    if story and session.origin:  # the whole run with its story: the link names the moment
        return services.keep_scenario(moment.scenario, session.origin.engine_version, story)
    scenario = session_record.merged(moment.scenario, moment.commands, moment.at_us, moment.digest)
    return services.keep_scenario(rehearsal.check_run(scenario))


def _story(session: Session, moment: RunSoFar) -> dict[str, Any] | None:
    """Return the story that still fits: nobody did anything else, and the run has not left its end behind."""
    story = session.origin.story if session.origin else None
    if not story or moment.commands or moment.at_us > session.scenario["until_us"]:
        return None
    return dict(story)


def scenario_so_far(session: Session) -> dict[str, object]:
    """Return the scenario that `share` would keep, without keeping it."""
    moment = _moment(session)
    scenario = session_record.merged(moment.scenario, moment.commands, moment.at_us, moment.digest)
    return rehearsal.check_run(scenario)


def file_of(session: Session) -> dict[str, Any]:
    """Return the scenario file of a session: the run so far, or a run and its story as they were written."""
    moment = _moment(session)
    story = _story(session, moment)
    if story:
        return {**moment.scenario, **story}
    scenario = session_record.merged(moment.scenario, moment.commands, moment.at_us, moment.digest)
    return rehearsal.check_run(scenario)


def fork(session: Session, at_us: int | None = None) -> Session:
    """Begin another session that is this one up to `at_us` (up to now where that is None or later), and goes on freely.

    The commands of that very moment belong to it.
    """
    moment = _moment(session)
    ends_us = moment.at_us if at_us is None else min(at_us, moment.at_us)
    scenario = session_record.merged(moment.scenario, moment.commands, moment.at_us, moment.digest)
    done = [command for command in scenario["commands"] if command["at_us"] <= ends_us]
    forked = {**scenario, "commands": done, "until_us": ends_us, "digest": None}
    return services.start_session(rehearsal.check_run(forked), reached_us=ends_us)


def on_release(session: Session, series: str) -> tuple[Session, list[PageMessage]]:
    """Begin another session with this one's commands on another release, at the same moment; return what is not there.

    A run that nobody changed goes on to its end. Its story stays behind: its words are about another release.
    """
    moment = _moment(session)
    untouched = not moment.commands and moment.at_us <= session.scenario["until_us"]
    scenario = (
        dict(moment.scenario)
        if untouched
        else session_record.merged(moment.scenario, moment.commands, moment.at_us, moment.digest)
    )
    scenario, said = other_release.taken_to(series, scenario)
    return services.start_session(rehearsal.check_run(scenario), reached_us=moment.at_us), said


def _moment(session: Session) -> RunSoFar:
    try:
        moment = owner_address.moment(session.public_id)
    except TimeoutError:
        raise RequestRefused(_("The session is busy. Pause it, and try again.")) from None
    return moment or _rehearse(session)


def _rehearse(session: Session) -> RunSoFar:
    """Find the digest of a session that sleeps, by repeating it without files if it is not on record."""
    commands = selectors.commands_of(session)
    reached_us, digest = selectors.reached(session, commands)
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
    """Return the digest of a session that is repeated. Raises Busy when others are repeated meanwhile."""
    with work_places.for_present():
        return run_repetitions.digest_at(session.scenario, commands, until_us)
