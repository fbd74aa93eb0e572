"""Cases that want what is not theirs: places, classes, names, answers, another one's log-in."""

from __future__ import annotations

import asyncio
import http.cookiejar
import re
import stat
from typing import Any

from tools.proofs.attack.world import SMALL, Person, World, in_thread

PASSWORD = "correct horse battery"
EXERCISE = "/learn/sub-queues/read-back/"


async def idle_sockets(world: World) -> None:
    """B: sockets that never say hello take nobody's place, and are closed."""
    address = world.address()
    owner = world.person()
    session = await in_thread(owner.new_session)
    count = 8 if world.tiny else 64
    idle = [await world.seat(world.person(address), session, hello=False) for _each in range(count)]
    newcomer = world.person()
    seat = await world.seat(newcomer, await in_thread(newcomer.new_session))
    assert (await seat.command(1, SMALL))["t"] == "accepted"
    if not world.tiny:
        codes = await asyncio.gather(*(each.ended() for each in idle))
        assert set(codes) <= {4013, 4014}, codes


async def all_places_of_a_session(world: World) -> None:
    """C: those who have the link fill all places; its owner gets in, and the next one gets the reason why not."""
    owner = world.person()
    session = await in_thread(owner.new_session)
    if not world.tiny:
        watchers = [await world.seat(world.person(), session) for _each in range(33)]
        assert await watchers[-1].ended() == 4010
    seat = await world.seat(owner, session)
    assert (await seat.command(1, SMALL))["t"] == "accepted"


async def strangers_commands(world: World) -> None:
    """A stranger commands nothing, by any message."""
    owner, stranger = world.person(), world.person()
    session = await in_thread(owner.new_session)
    await in_thread(stranger.ask, "/")
    seat = await world.seat(stranger, session)
    assert (await seat.command(1, SMALL))["t"] == "refused"
    await seat.send(t="undo", id="u")
    assert (await seat.until(lambda m: m.get("id") == "u"))["t"] == "refused"
    await seat.send(t="control", play=True)
    await seat.until(lambda m: m["t"] == "notice" and "watching" in m["message"])
    assert world.commands_of(session) == []


async def other_origins(world: World) -> None:
    """C: a page of another host, or of another port, opens no socket."""
    owner = world.person()
    path = f"/ws/session/{await in_thread(owner.new_session)}/"
    for origin in ("http://evil.example", "http://127.0.0.1:1", "null"):
        assert await world.is_refused(owner, path, origin), origin


async def invented_addresses(world: World) -> None:
    """C: who writes addresses into X-Forwarded-For is still one caller, and none is in the log."""
    person = world.person()
    real = person.address
    await in_thread(person.ask, "/")
    statuses = set()

    async def ask(number: int) -> None:
        visitor = Person(person.url, f"198.51.100.{number}, {real}", person.jar)
        statuses.add((await in_thread(visitor.ask, "/s/new", profile="none")).status)

    # Many at the same time: on a slow machine as many come one by one as a minute allows.
    for first in range(0, 10 if world.tiny else 180, 20):
        await asyncio.gather(*(ask(first + each) for each in range(10 if world.tiny else 20)))
        if 429 in statuses:
            break
    if not world.tiny:
        assert 429 in statuses, statuses
    assert not re.search(r"203\.0\.11\d\.|198\.51\.100\.", world.server.log())


def _sign_up(person: Person, name: str) -> None:
    person.ask("/class/sign-up")
    done = person.ask("/class/sign-up", username=name, password1=PASSWORD, password2=PASSWORD)
    assert done.status == 200, done.text[:500]


def _class_of(person: Person) -> tuple[str, str]:
    page = person.ask("/class/new", name="Brokers", unit="sub-queues", keep_days="30").text
    code = page.split('class="join-code">', 1)[1].split("<", 1)[0]
    return page.split("/ws/class/", 1)[1].split("/", 1)[0], code


def _copied(person: Person) -> Person:
    copy = Person(person.url, person.address)
    for cookie in person.jar:
        copy.jar.set_cookie(cookie)
    assert isinstance(copy.jar, http.cookiejar.CookieJar)
    return copy


async def copied_cookies(world: World) -> None:
    """C: a log-out ends what a copied cookie could do."""
    teacher = world.person()
    await in_thread(_sign_up, teacher, "copied")
    public_id, _code = await in_thread(_class_of, teacher)
    thief = _copied(teacher)
    assert "join-code" in (await in_thread(thief.ask, f"/class/{public_id}/")).text
    await in_thread(teacher.ask, "/class/log-out", now="yes")
    assert "join-code" not in (await in_thread(thief.ask, f"/class/{public_id}/")).text


async def locked_out_teachers(world: World) -> None:
    """C: a stranger who tries a teacher's name does not lock the teacher out."""
    teacher, stranger = world.person(), world.person()
    await in_thread(_sign_up, teacher, "tried")
    await in_thread(teacher.ask, "/class/log-out", now="yes")
    await in_thread(stranger.ask, "/class/log-in")
    for _each in range(12):
        await in_thread(stranger.ask, "/class/log-in", username="tried", password="wrong")
    await in_thread(teacher.ask, "/class/log-in")
    page = await in_thread(teacher.ask, "/class/log-in", username="tried", password=PASSWORD)
    assert page.status == 200
    assert (await in_thread(teacher.ask, "/class/")).text.count("log-out")


async def classes(world: World) -> None:
    """C: look-alike nicknames are one; a frozen class holds every session of a student; held runs are not copied."""
    teacher, student, twin = world.person(), world.person(), world.person()
    await in_thread(_sign_up, teacher, "class-of-brokers")
    public_id, code = await in_thread(_class_of, teacher)
    for person, name, status in ((student, "Paul", 200), (twin, "Раul", 422)):
        await in_thread(person.ask, "/class/join/")
        answer = await in_thread(person.ask, "/class/join/", code=code, nickname=name)
        assert answer.status == status, (name, answer.status)
    own = await in_thread(student.new_session)
    seat = await world.seat(student, own)
    assert (await seat.command(1, SMALL))["t"] == "accepted"
    page = (await in_thread(student.ask, EXERCISE + "begin", begin="yes")).text
    held = page.split("/ws/session/", 1)[1].split("/", 1)[0]
    assert (await in_thread(student.ask, f"/s/{held}/fork", at_us="")).status == 409
    member = await world.seat_of_class(student)
    await in_thread(teacher.ask, f"/class/{public_id}/freeze", frozen="yes")
    await member.until(lambda m: bool(m.get("frozen")))
    reply: dict[str, Any] = {"t": "accepted"}
    for number in range(2, 40):  # the class is read a few times a second
        reply = await seat.command(number, SMALL)
        if reply["t"] == "refused":
            break
        await asyncio.sleep(0.1)
    assert "paused the class" in reply["message"]


async def files_of_others(world: World) -> None:
    """C: nobody else on the machine reads what the server wrote."""
    for path in world.server.var_dir.rglob("*"):
        # What every browser is sent is no secret; nginx reads it as another user.
        if (
            {"static", "staticfiles"}.intersection(path.parts)
            or path.name == "server.log"
            or not path.exists()
        ):
            continue
        mode = stat.S_IMODE(path.lstat().st_mode)
        assert path.is_symlink() or not mode & 0o077, (path, oct(mode))


CASES = (
    idle_sockets,
    all_places_of_a_session,
    strangers_commands,
    other_origins,
    invented_addresses,
    copied_cookies,
    locked_out_teachers,
    classes,
    files_of_others,
)
