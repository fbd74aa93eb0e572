"""Cases with a pattern that takes hours to compare: in a session, in an import, in the address of a picture."""

from __future__ import annotations

import asyncio
from typing import Any, Final

from playground.sessions.scenario_links import packed
from tools.proofs.attack import hogs
from tools.proofs.attack.hogs import BLANK
from tools.proofs.attack.world import SMALL, World, in_thread

NAME: Final = "a" * 255
PATTERNS: Final = (
    "(?=.*" * 7 + "b" + ")" * 7,
    "(?=(?=(?=(.*a)*b).*)*.*)*c",
    "^(a|a|b(a|b(a|ba*)*)*)*c",
    "((a{64}){64}){64}",
)
"""Lookaheads in lookaheads were compared in n^(2 x depth) steps; the last one stands for 262,144 letters."""
ANSWERS: Final = {200, 404, 422, 429, 503}
"""Done, refused, or to be asked for later."""


def scenario(pattern: str) -> dict[str, Any]:
    """Return a scenario with a long name and a policy."""
    policy = {"name": "p", "pattern": pattern, "definition": {"max-length": 1}}
    return {**BLANK, "commands": [], "topology": {"queues": [{"name": NAME}], "policies": [policy]}}


async def patterns_made_to_hang(world: World) -> None:
    """B: a policy's pattern, in a session and in a scenario: what it costs is known before a name is seen."""
    person = world.person()
    seat = await world.seat(person, await in_thread(person.new_session))
    name = "a" * 255
    declared = await seat.command("queue", {"do": "declare_queue", "name": name})
    assert declared["t"] == "accepted", declared
    patterns = {
        "(?=.*" * 7 + "b" + ")" * 7: True,
        "^(a|a|b(a|b(a|ba*)*)*)*c": True,
        "((a{64}){64}){64}": False,
    }
    for pattern, taken in patterns.items():
        policy = {"name": "p", "pattern": pattern, "definition": {"max-length": 1}}
        reply = await seat.command(pattern, {"do": "set_policy", **policy})
        assert (reply["t"] == "accepted") == taken, reply
        text = hogs.scenario(topology={"queues": [{"name": name}], "policies": [policy]})
        answer = await in_thread(person.ask, "/s/import", text=text)
        assert answer.status < 500, (pattern, answer.status)
        assert (answer.status != 422) == taken, (pattern, answer.status)


async def patterns_in_the_address_of_a_picture(world: World) -> None:
    """C1: who has no cookie asks for pictures; all places come back, as others' pictures show."""

    async def ask(pattern: str) -> int:
        link = packed(scenario(pattern))
        return int((await in_thread(world.person().ask, f"/x/{link}/card.png")).status)

    statuses = await asyncio.gather(*(ask(each) for each in PATTERNS * (1 if world.tiny else 3)))
    assert set(statuses) <= ANSWERS, statuses
    plain = packed({**BLANK, "commands": [{"at_us": 0, **SMALL}]})
    assert (await in_thread(world.person().ask, f"/x/{plain}/card.png")).status == 200


CASES = (patterns_made_to_hang, patterns_in_the_address_of_a_picture)
