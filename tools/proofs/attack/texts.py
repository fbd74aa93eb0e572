"""Cases with texts that a field, a table or an archive does not take: refused in words, or taken; never an error."""

from __future__ import annotations

import json
from typing import Any, Final

from tools.proofs.attack.hogs import BLANK, scenario
from tools.proofs.attack.world import SMALL, World, in_thread

LONG_FIELD: Final = 131_073
"""One more than Python's reader of CSV takes of a field."""
NAMES: Final = (
    '"><script>alert(1)</script>',
    "]]><svg onload=alert(1)>",
    "../../../etc/passwd",
    "a\u202etxt.exe",
    "<!ENTITY x SYSTEM 'file:///etc/passwd'>",
    "'; drop table x; --",
)
MARK: Final = "\N{ZERO WIDTH NO-BREAK SPACE}"


async def fields_that_are_too_long(world: World) -> None:
    """C8: a cell of a pasted table over 131,072 characters."""
    person = world.person()
    await in_thread(person.ask, "/")
    for text in (
        f"name,messages\n{'x' * LONG_FIELD},1\n",
        f'name,messages\n"{"x" * LONG_FIELD}',
        "\x00,\x00\n" * 10,
    ):
        answer = await in_thread(person.ask, "/inspect/", figures=text)
        assert answer.status in {200, 422, 429}, answer.status


async def numbers_beyond_their_type(world: World) -> None:
    """C8: a priority, an expiration, a prefetch beyond what the protocol has: refused, and the session lives."""
    person = world.person()
    seat = await world.seat(person, await in_thread(person.new_session))
    for number, value in enumerate((256, -1, 2**31, 2**63, 10**18, 1.5)):
        for name in ("priority", "expiration_ms", "count", "size_bytes"):
            reply = await seat.command(f"{name} {number}", {**SMALL, name: value})
            assert reply["t"] in {"accepted", "refused"}, reply
    assert (await seat.command("after", SMALL))["t"] == "accepted"


async def marks_at_the_beginning(world: World) -> None:
    """C8: a byte order mark before a text, as Windows writes it, is passed over."""
    person = world.person()
    await in_thread(person.ask, "/")
    answer = await in_thread(person.ask, "/s/import", text=MARK + scenario(commands=[]))
    assert answer.status in {200, 429}, answer.status


async def names_in_pictures_and_packages(world: World) -> None:
    """C9: titles and queues with marks of HTML, SVG and paths: each way out has them escaped."""
    person = world.person()
    await in_thread(person.ask, "/")
    for name in NAMES[: 1 if world.tiny else None]:
        queues: list[Any] = [{"name": name}]
        text = json.dumps({**BLANK, "title": name, "commands": [], "topology": {"queues": queues}})
        answer = await in_thread(person.ask, "/s/import", text=text)
        assert answer.status in {200, 422, 429}, answer.status
        if answer.status != 200:
            continue
        session = answer.text.split('"websocket": "/ws/session/', 1)[1].split("/", 1)[0]
        for page in ("", "run.html", "run.csv", "scenario.json", "files.zip"):
            found = await in_thread(person.ask, f"/s/{session}/{page}")
            assert found.status < 500, (page, found.status)
            if page in ("", "run.html"):
                assert "<script>alert(1)" not in found.text
                assert "<svg onload" not in found.text


CASES = (
    fields_that_are_too_long,
    numbers_beyond_their_type,
    marks_at_the_beginning,
    names_in_pictures_and_packages,
)
