"""Sessions, links and scenarios in the database: who may command them, how they are read, kept and deleted."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs

import orjson
from django.core import signing
from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet, Sum
from django.utils import timezone

from playground.hosting import session_record
from playground.hosting.real_engine import door
from playground.hosting.session_record import RecordedSession
from playground.limits import request_callers, session_limits
from playground.models import CommandRecord, Lease, Scenario, ScenarioText, Session
from playground.records import paused_sessions

ROW_BYTES = 64
"""Of a row of a record, beside its command."""
UNDO = {"do": "undo"}
"""The row of a record that takes the command before it back. No engine has a command of this name."""


def session_by_id(public_id: str) -> Session | None:
    return Session.objects.select_related("origin", "text").filter(public_id=public_id).first()


def session_exists(public_id: str) -> bool:
    return Session.objects.filter(public_id=public_id).exists()


def latest_of(public_ids: Sequence[str]) -> Session | None:
    return Session.objects.filter(public_id__in=public_ids).order_by("-last_seen").first()


def latest_of_all(public_ids: Sequence[str], most: int) -> list[Session]:
    """Return those of these sessions that were seen last, the latest first, `most` of them."""
    return list(
        Session.objects.select_related("text").filter(public_id__in=public_ids).order_by("-last_seen")[:most]
    )


def rows_of(session: Session) -> list[tuple[int, dict[str, Any]]]:
    """Return every row of a session's record: when it was written, and its content."""
    records = CommandRecord.objects.filter(session=session).order_by("sequence")
    return list(records.values_list("at_us", "command"))


def record_bytes(command: dict[str, Any]) -> int:
    """Return about how many bytes a command takes on record."""
    return ROW_BYTES + len(orjson.dumps(command))


def commands_of(session: Session) -> list[tuple[int, dict[str, Any]]]:
    """Return when each command was given, and what it was, without those that were taken back."""
    return standing(rows_of(session))


def standing(rows: list[tuple[int, dict[str, Any]]]) -> list[tuple[int, dict[str, Any]]]:
    """Return the commands of a record that no undo took back."""
    found: list[tuple[int, dict[str, Any]]] = []
    for at_us, command in rows:
        if command != UNDO:
            found.append((at_us, command))
        elif found:
            found.pop()
    return found


def reached(session: Session, commands: Sequence[tuple[int, dict[str, Any]]]) -> tuple[int, str]:
    """Return how far a session with these commands has come, and the run's digest there; empty if it is not on
    record. A command is on record at once, how far the run came only now and then: the last command may be later.
    """
    last_us = commands[-1][0] if commands else 0
    return (session.reached_us, session.digest) if last_us <= session.reached_us else (last_us, "")


def remembered(public_id: str) -> RecordedSession:
    session = Session.objects.select_related("origin", "text").get(public_id=public_id)
    rows = rows_of(session)
    commands = standing(rows)
    reached_us, digest = reached(session, commands)
    return RecordedSession(
        scenario=session.scenario,
        commands=commands,
        rows=len(rows),
        uncharged_bytes=max(0, sum(record_bytes(command) for _at_us, command in rows) - session.record_bytes),
        reached_us=reached_us,
        digest=digest,
        engine_version=session.engine_version,
        recorded_by=session.origin.engine_version if session.origin else session.engine_version,
        waits=bool(session.origin and session.origin.story),
        holds_us=paused_sessions.waits_at_us(session),
    )


def library() -> list[Scenario]:
    return list(Scenario.objects.select_related("text").filter(slug__isnull=False).order_by("slug"))


def scenario_by_name(name: str) -> Scenario | None:
    """Return a scenario by its short id or, for a library one, its slug."""
    return Scenario.objects.select_related("text").filter(Q(short_id=name) | Q(slug=name)).first()


def scenario_body(scenario: Scenario) -> dict[str, Any]:
    return {**orjson.loads(scenario.text.body), "digest": scenario.digest or None}


LISTED = 20

PLAY_SALT = "a frame may play its session"

PLAY_S = 24 * 3600


def claim(browser: MutableMapping[str, Any], session: Session) -> None:
    number = request_callers.visitor(browser)
    if session.visitor != number:
        session.visitor = number
        session.save(update_fields=["visitor"])


def owned(browser: Mapping[str, Any]) -> list[str]:
    """Return the sessions that a browser began, the latest first."""
    number = request_callers.known_visitor(browser)
    if not number:
        return []
    found = Session.objects.filter(visitor=number).order_by("-created", "-pk")
    return list(found.values_list("public_id", flat=True)[:LISTED])


def began(browser: Mapping[str, Any], session: Session) -> bool:
    """Return whether a browser began a session that was read just now."""
    return request_callers.known_visitor(browser) == session.visitor != ""


def owns(browser: Mapping[str, Any], public_id: str) -> bool:
    number = request_callers.known_visitor(browser)
    return bool(number) and Session.objects.filter(public_id=public_id, visitor=number).exists()


def play_key(public_id: str) -> str:
    return signing.dumps(public_id, salt=PLAY_SALT)


def holds_key(query: bytes, public_id: str) -> bool:
    """Return whether a socket's address has the key of this session."""
    given = parse_qs(query[:1000].decode("ascii", "replace")).get("key", [""])[0]
    if not given:
        return False
    try:
        return bool(signing.loads(given, salt=PLAY_SALT, max_age=PLAY_S) == public_id)
    except signing.BadSignature:
        return False


ID_LETTERS = 16
"""Some 79 bits: whoever has a session's address may watch it."""

RING_HOP_US = 2000
"""How long an instruction travels between two nodes of a new cluster: long enough to be seen."""


def blank_scenario(profile: str, nodes: int = 1) -> dict[str, Any]:
    """Return the scenario of a session in which nothing has happened yet, on one node or a cluster."""
    settings = {"settings": {"nodes": nodes, "ring_hop_us": RING_HOP_US}} if nodes > 1 else {}
    return door().check({"version": 1, "profile": profile, "until_us": 0} | settings)


def body_of(scenario: dict[str, Any]) -> str:
    """Return what is kept of a checked scenario: its canonical text, without the digest."""
    return session_record.canonical({**scenario, "digest": None})


def new_id(letters: int) -> str:
    """Return a name that nobody guesses, of letters and digits that are not taken for each other."""
    return "".join(secrets.choice(session_record.ALPHABET) for _each in range(letters))


def start_session(scenario: dict[str, Any], origin: Scenario | None = None, reached_us: int = 0) -> Session:
    """Begin a session with a checked scenario, at its beginning or as if it had been played up to `reached_us`."""
    return Session.objects.create(
        public_id=new_id(ID_LETTERS),
        text=ScenarioText.of(body_of(scenario)),
        recorded=scenario.get("digest") or "",
        group=request_callers.trace_of(request_callers.present().group),
        origin=origin,
        engine_version=door().version,
        reached_us=reached_us,
        predicted=paused_sessions.at_start(origin, reached_us),
    )


def replay_session(kept: Scenario, at_us: int = 0) -> Session:
    """Begin a session that repeats a kept scenario, at the moment `at_us` of it."""
    scenario = scenario_body(kept)
    return start_session(scenario, kept, min(at_us, scenario["until_us"]))


def delete_sessions(sessions: QuerySet[Session]) -> int:
    """Delete sessions with their records; return how many. A row that an owner is writing must be on record first, or
    not at all: a row that came in between would point to a session that is gone. So the leases are locked first, as
    for every write (see `session_leases.guard`).
    """
    with transaction.atomic(savepoint=False):
        keys = list(sessions.values_list("pk", flat=True))
        leases = Lease.objects.filter(session__in=keys).order_by("session_id")
        list(leases.select_for_update(of=("self",)).values_list("epoch", flat=True))
        Session.objects.filter(pk__in=keys).delete()
    return len(keys)


def delete_untouched(session: Session) -> None:
    if not CommandRecord.objects.filter(session=session).exists():
        delete_sessions(Session.objects.filter(pk=session.pk))


def keep_scenario(
    scenario: dict[str, Any], engine_version: str | None = None, story: dict[str, Any] | None = None
) -> Scenario:
    """Return the kept form of a checked scenario; the same scenario, digest and story are kept once."""
    body = body_of(scenario)
    digest = scenario.get("digest") or ""
    version = engine_version or door().version
    # The digest belongs to the name: with another engine the same commands may be another run.
    name = f"{body}\n{digest}\n{version}" + (f"\n{session_record.canonical(story)}" if story else "")
    short_id = session_record.short_id(name)
    caller = request_callers.present()
    values = {"title": scenario["title"], "digest": digest, "engine_version": version, "story": story or None}
    values |= {"visitor": caller.visitor, "group": request_callers.trace_of(caller.group)}
    try:
        with transaction.atomic():
            kept = Scenario.objects.select_related("text").filter(short_id=short_id).first()
            is_new = kept is None
            if kept is None:
                text = ScenarioText.of(body)
                size_bytes = text.size_bytes + len(session_record.canonical(story or {}).encode())
                kept = Scenario.objects.create(short_id=short_id, text=text, size_bytes=size_bytes, **values)
    except IntegrityError:
        return Scenario.objects.get(short_id=short_id)
    if is_new:
        make_room_for_links(session_limits.current().kept_bytes, kept)
    else:
        touch_scenario(kept)
    return kept


def touch_scenario(kept: Scenario) -> None:
    """Note that somebody opened a kept scenario; once a day is enough."""
    now = timezone.now()
    if kept.last_seen < now - timedelta(days=1):
        Scenario.objects.filter(pk=kept.pk).update(last_seen=now)


def make_room_for_links(most_bytes: int, newest: Scenario) -> int:
    """Delete the links that nobody has opened for the longest time while all take more than this; return how many."""
    links = Scenario.objects.filter(slug=None)
    over = (links.aggregate(total=Sum("size_bytes"))["total"] or 0) - most_bytes
    going = []
    for pk, size_bytes in links.exclude(pk=newest.pk).order_by("last_seen").values_list("pk", "size_bytes"):
        if over <= 0:
            break
        going.append(pk)
        over -= size_bytes
    Scenario.objects.filter(pk__in=going).delete()
    return len(going)


def delete_links_unseen_for(days: int) -> int:
    """Delete the links that nobody has opened for so long; return how many. The library stays."""
    stale = Scenario.objects.filter(slug=None, last_seen__lt=timezone.now() - timedelta(days=days))
    count = stale.count()
    stale.delete()
    return count


def packed_name(kept: Scenario) -> str:
    """Return a name for what a kept scenario draws: the library's entries keep their address when they change."""
    return f"{kept.short_id} {kept.digest} {kept.engine_version}"


def put_in_library(slug: str, scenario: dict[str, Any], story: dict[str, Any] | None = None) -> Scenario:
    """Store this scenario as the library's entry of this name."""
    with transaction.atomic():
        text = ScenarioText.of(body_of(scenario))
        kept, _created = Scenario.objects.update_or_create(
            slug=slug,
            defaults={
                "short_id": session_record.short_id(f"library\n{slug}"),
                "title": scenario["title"],
                "text": text,
                "digest": scenario["digest"] or "",
                "engine_version": door().version,
                "story": story,
            },
        )
    return kept


def prune_library(slugs: set[str]) -> int:
    """Take the entries that are not among `slugs` out of the library; return how many. Links to them stay."""
    return Scenario.objects.filter(slug__isnull=False).exclude(slug__in=slugs).update(slug=None)


def delete_unused_unseen_for(seconds: float, group: str | None = None) -> int:
    """Delete the sessions in which nobody did anything, and that nobody has opened for so long; return how many.
    `group`: only its sessions.
    """
    stale = Session.objects.filter(last_seen__lt=timezone.now() - timedelta(seconds=seconds))
    stale = stale.filter(Q(predicted=None) | Q(predicted=paused_sessions.SKIPPED))
    stale = stale.exclude(Exists(CommandRecord.objects.filter(session=OuterRef("pk"))))
    stale = without_use(stale)
    return delete_sessions(stale if group is None else stale.filter(group=group))


_uses: list[Callable[[], QuerySet[Any]]] = []


def register_use(sessions: Callable[[], QuerySet[Any]]) -> None:
    """Leave these sessions, given by their keys, to whoever needs them: nobody else deletes them."""
    if sessions not in _uses:
        _uses.append(sessions)


def without_use(sessions: QuerySet[Session]) -> QuerySet[Session]:
    """Return sessions without those that something else needs."""
    for used in _uses:
        sessions = sessions.exclude(pk__in=used())
    return sessions


def delete_texts_of_nothing() -> int:
    """Delete the texts of scenarios that no session and no link has any more; return how many."""
    return ScenarioText.objects.exclude(
        Exists(Session.objects.filter(text=OuterRef("pk")))
        | Exists(Scenario.objects.filter(text=OuterRef("pk")))
    ).delete()[0]


def delete_sessions_unseen_for(days: int) -> int:
    """Delete the sessions that nobody has opened for so long; return how many."""
    return delete_sessions(Session.objects.filter(last_seen__lt=timezone.now() - timedelta(days=days)))
