"""Cases that say what nobody understands: over sockets, in addresses, in files."""

from __future__ import annotations

import asyncio
import json
import random

from tools.proofs.attack.hogs import scenario
from tools.proofs.attack.world import SMALL, World, in_thread

ABSURD = (
    '{"version":1,"title":"\\ud800","profile":"classroom","until_us":1}',
    scenario(seed=2**70),
    scenario(until_us=2**64),
    scenario(commands=[{"at_us": 2**65, "do": "publish", "count": 1, "size_bytes": 1}]),
    scenario(commands=[{"at_us": 1, "do": "publish", "count": 2**80, "size_bytes": -1}]),
    scenario(title="\ud800"),
    "[" * 20_000,
    "{}",
    "\x00\x01",
    "9" * 5000,
    '{"version":1e400}',
)
"""Halves of characters, numbers beyond 64 bits, nesting, nothing at all."""

LINES = (
    ("rabbitmqctl list_queues ", "name "),
    ("rabbitmqctl eval '", "("),
    ("rabbitmqctl set_policy p ", "(?=.*"),
    ("rabbitmqadmin publish payload=", '\\"'),
    ("", " "),
    ("", "\ud83d\ude00"),
)
"""How a line begins, and what is repeated until it is full."""


async def absurd_files(world: World) -> None:
    """C: at the import, in the editor and in an address: answered with a sentence, never a 500."""
    person = world.person()
    await in_thread(person.ask, "/")
    for text in ABSURD:
        sendable = text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
        for path in ("/s/import", "/library/check/", "/library/edit/"):
            answer = await in_thread(person.ask, path, text=sendable)
            assert answer.status < 500, (path, answer.status, text[:100])
    chance = random.Random(5)
    letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"
    for _each in range(3 if world.tiny else 60):
        packed = "1" + "".join(chance.choices(letters, k=chance.randint(1, 400)))
        answer = await in_thread(person.ask, f"/x/{packed}")
        assert answer.status < 500, (packed, answer.status)


async def absurd_messages(world: World) -> None:
    """Messages that no page sends: answered, or the socket is closed with a code that can be sent."""
    person = world.person()
    session = await in_thread(person.new_session)
    seat = await world.seat(person, session)
    deep: object = 1
    for _each in range(60):
        deep = [deep]
    absurd: tuple[dict[str, object], ...] = (
        {"t": "command", "id": 1, "command": {"do": "publish", "count": -1, "size_bytes": 1}},
        {"t": "command", "id": 2, "command": {"do": "publish", "count": 10**30, "size_bytes": 1}},
        {"t": "command", "id": 3, "command": {"do": ["publish"], "count": 1}},
        {"t": "command", "id": 4, "command": {"do": "publish", "deep": deep}},
        {
            "t": "command",
            "id": 5,
            "command": {"do": "publish", "count": 1, "size_bytes": 1, "name": "x" * 5000},
        },
        {"t": "command", "id": 6, "command": {}},
        {"t": "control", "speed": 10**9},
        {"t": "hello", "have": -5},
        {"t": "ack", "through": 2**60},
        {"t": "nobody knows"},
    )
    for message in absurd:
        await seat.send(**message)
    for number in range(1, 7):
        assert (await seat.until(lambda m, number=number: m.get("id") == number))["t"] == "refused"  # type: ignore[misc]
    assert (await seat.command(99, SMALL))["t"] == "accepted"
    assert [command["do"] for command in world.commands_of(session)] == ["publish"]


async def floods(world: World) -> None:
    """A socket that sends without end is closed, and its session is as it was."""
    person = world.person()
    session = await in_thread(person.new_session)
    seat = await world.seat(person, session)
    assert (await seat.command(0, SMALL))["t"] == "accepted"
    text = json.dumps({"t": "ack", "through": 1})
    for _each in range(100):
        if seat.code is not None:
            break
        await asyncio.gather(*(seat.send(**json.loads(text)) for _each in range(50)))
        # 5,000 a second. What still comes in when the server hangs up makes its system throw away the last word, too.
        await asyncio.sleep(0.01)
    assert await seat.ended() == 4008
    assert len(world.commands_of(session)) == 1


async def addresses_that_lead_nowhere(world: World) -> None:
    """Pages that are not there, and questions that make no sense, are answered in words."""
    person = world.person()
    session = await in_thread(person.new_session)
    for path in (
        "/s/nothing/",
        "/r/nothing/",
        f"/s/{session}/bytes?path=../../waterline.sqlite3",
        f"/s/{session}/download?path=../../secret_key",
        f"/s/{session}/record?seq=99999999999999999999",
        f"/s/{session}/record?file=persistent:-1&offset=0",
        "/compare/a/b/reel",
        "/x/0",
        "/embed/none/",
        "/%ff%fe",
    ):
        answer = await in_thread(person.ask, path)
        assert 400 <= answer.status < 500, (path, answer.status)


async def long_lines_of_the_console(world: World) -> None:
    """Lines of 16 kB, and the longest that are taken, full of what a parser repeats for: answered, and it goes on."""
    person = world.person()
    seat = await world.seat(person, await in_thread(person.new_session))
    for number in range(4 if world.tiny else 200):
        begins, repeated = LINES[number % len(LINES)]
        for length in (16_384, 255):
            line = (begins + repeated * length)[:length]
            await seat.send(t="ask", id=f"{number} {length}", line=line)
            # One that is too long to be read has no id.
            reply = await seat.until(lambda m: m["t"] in {"answer", "refused", "notice"})
            assert length == 255 or reply["t"] != "answer", reply
            seat.received.clear()
        await asyncio.sleep(0.05)
    assert (await seat.command("after", SMALL))["t"] == "accepted"


CASES = (absurd_files, absurd_messages, floods, addresses_that_lead_nowhere, long_lines_of_the_console)
