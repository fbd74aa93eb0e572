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
from playground.jobs import CHECK, job
from playground.limits import session_limits
from playground.storybook.entry import BadScenario, LibraryEntry, read
from playground.texts import PageMessage, RequestRefused

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
    """What an address holds. `made_with`: the engine that reached its digest; empty where there is none."""

    entry: LibraryEntry
    made_with: str


def packed(scenario: dict[str, Any], made_with: str = ENGINE_VERSION) -> str | None:
    """Return a scenario as it is in an address, or None when it is too long for one. `made_with`: the engine that
    reached its digest.
    """
    slim = {name: value for name, value in scenario.items() if value not in ("", {}, None)}
    if "digest" in slim:
        slim[NAMED] = made_with
    slim["commands"] = [_slim(each) for each in scenario["commands"]]
    text = encoded(msgspec.json.encode(slim))
    return text if len(text) <= LONGEST else None


def encoded(body: bytes) -> str:
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
    """Return a scenario in full, checked by the engine and against what is afforded here. Raises RequestRefused."""
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
