"""A scenario and the commands given since, as values: joining them, writing them canonically, naming them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

Command = dict[str, Any]
Timed = tuple[int, Command]

ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"
"""Without characters that look like others: a short address may be read out."""


def merged(scenario: dict[str, Any], commands: Iterable[Timed], until_us: int, digest: str) -> dict[str, Any]:
    """Return the scenario that repeats a run up to `until_us`, with what was commanded in it."""
    scripted = [each for each in scenario.get("commands", []) if each["at_us"] <= until_us]
    given = [{"at_us": at_us, **command} for at_us, command in commands if at_us <= until_us]
    # A live command comes after the scripted ones of the same instant: that is when the host submits it.
    return {
        **scenario,
        "commands": sorted(scripted + given, key=lambda each: each["at_us"]),
        "until_us": until_us,
        "digest": digest or None,
    }


def canonical(scenario: dict[str, Any]) -> str:
    """Return the one way in which a scenario is written."""
    import orjson  # noqa: PLC0415 - a browser's session, which writes no scenarios, has none

    return orjson.dumps(scenario, option=orjson.OPT_SORT_KEYS).decode()


def short_id(body: str, length: int = 10) -> str:
    """Return the name of a text, so that sharing the same run twice gives the same address."""
    number = int.from_bytes(hashlib.sha256(body.encode()).digest(), "big")
    letters = []
    for _each in range(length):
        number, index = divmod(number, len(ALPHABET))
        letters.append(ALPHABET[index])
    return "".join(letters)


def running_publishers(scenario: dict[str, Any], commands: Sequence[Timed], now_us: int) -> list[Command]:
    """Return the last setting of each publisher that runs at `now_us`."""
    scripted = [each for each in scenario.get("commands", []) if each["at_us"] <= now_us]
    running: dict[str, Command] = {}
    for each in [*scripted, *(command for _at_us, command in commands)]:
        name = str(each.get("name", ""))
        if each.get("do") == "set_publisher":
            setting = {**running.pop(name, {}), **each}
            setting.pop("at_us", None)
            if setting.get("running", True):
                running[name] = setting
        elif each.get("do") == "remove":
            running.pop(name, None)
    return list(running.values())
