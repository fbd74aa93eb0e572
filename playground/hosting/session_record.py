"""What a host must remember: the database does it in the app, a list in a test. Is a run the one that was recorded?"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

import msgspec

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


class RecordedSession(msgspec.Struct):
    """A session as it is on record."""

    scenario: dict[str, Any]
    commands: list[Timed]
    """Those that nobody took back."""
    reached_us: int = 0
    digest: str = ""
    engine_version: str = ""
    """That with which the run was made."""
    recorded_by: str = ""
    """The engine version that recorded scenario["digest"]."""
    waits: bool = False
    """Whether time stands still until somebody plays: there is something to read or to predict first."""
    holds_us: int | None = None
    """Virtual time at which the run waits for an answer; None for none."""
    rows: int = 0
    """How many the record has: a command is one, and taking it back another."""
    uncharged_bytes: int = 0
    """Of its rows, that nobody was charged for yet."""


class RecordUnreachable(Exception):
    """The record cannot be read or written now; later perhaps."""


class OwnedElsewhere(Exception):
    """Another process owns the session, or it is gone: this one may neither run it nor write its record."""

    def __init__(self, node: str = "") -> None:
        super().__init__(node)
        self.node = node
        """Where the owner is found, if that is known."""


class SessionRecord(Protocol):
    """The record of one session, which its owner alone may write. Each verb may raise `RecordUnreachable`. Those that
    write raise `OwnedElsewhere` once another process has become the owner.
    """

    async def take(self, lost: Callable[[], None]) -> None:
        """Become the owner, or stay it; `lost` is called if another process becomes it. Raises `OwnedElsewhere`."""

    async def give_back(self) -> None:
        """Own the session no longer, so that the next one need not wait."""

    async def load(self) -> RecordedSession:
        """Return everything on record."""

    async def make_room(self, command: dict[str, Any]) -> None:
        """Let a command be kept before the engine gets it. Raises `RequestRefused` where there is no room for it."""

    async def add_command(self, sequence: int, at_us: int, command: dict[str, Any]) -> None:
        """Write a command down as row `sequence`; it counts as given only after this."""

    async def undo_command(self, sequence: int, at_us: int) -> None:
        """Write down as row `sequence` that the last command is taken back; the run ends at `at_us`."""

    async def answer(self, option: int | None) -> None:
        """Write down what was answered to the question at which the run waits: an option's number, or nothing."""

    def note(self, at_us: int) -> None:
        """Write down soon how far the run has come, in the middle of things; never waits and never fails."""

    async def reached(self, at_us: int, digest: str) -> None:
        """Write down how far the run has come."""


DIGITS_SHOWN = 12
"""Digits of a digest that are shown."""


def judge(
    expected: str | None, got: str, recorded_by: str = "", version: str = ""
) -> tuple[str, str, dict[str, str]]:
    """Return the level of what there is to say, its code, and the values in it.

    Args:
        expected: the digest that was recorded; none where nothing was.
        got: the run's own.
        recorded_by: the engine's version at that time, where it is known.
        version: the engine's now.
    """
    if not expected:
        return "info", "run_ends", {}
    if got == expected:
        return "info", "run_repeated", {"digest": got[:DIGITS_SHOWN]}
    differing = {"got": got[:DIGITS_SHOWN], "expected": expected[:DIGITS_SHOWN]}
    if recorded_by and recorded_by != version:
        return "info", "run_of_another_engine", {"then": recorded_by, "now": version, **differing}
    return "error", "run_differs", differing
