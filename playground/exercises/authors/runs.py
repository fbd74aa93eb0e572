"""A session's run, cut in two: up to where the learner stands, and what comes after."""

from __future__ import annotations

from typing import Any

import msgspec

from playground.exercises.authors import words
from playground.exercises.grading import GradedRun, RunEvent, TooLong
from playground.texts.page_message import RequestRefused

RUN_KEYS = ("version", "profile", "settings", "seed", "topology")
MOST_COMMANDS = 200
REST_US = 2_000_000
"""How long a run goes on after its last command."""


class AuthoredRun(msgspec.Struct, frozen=True):
    """All commands of a session with absolute times.

    Args:
        scenario: what the run begins with, without commands.
        commands: ascending by time.
        at_us: where the learner stands.
        end_us: where the run ends.
    """

    scenario: dict[str, Any]
    commands: tuple[dict[str, Any], ...]
    at_us: int
    end_us: int

    def before(self) -> dict[str, Any]:
        """Return the scenario up to where the learner stands."""
        given = [each for each in self.commands if each["at_us"] <= self.at_us]
        return {**self.scenario, "commands": given, "until_us": self.at_us}

    def after(self) -> list[dict[str, Any]]:
        """Return the commands that come after."""
        return [each for each in self.commands if each["at_us"] > self.at_us]

    def whole(self) -> dict[str, Any]:
        """Return the scenario up to the end."""
        return {**self.scenario, "commands": list(self.commands), "until_us": self.end_us}

    def events(self) -> list[RunEvent]:
        """Return what happens after the learner's moment."""
        try:
            playback = GradedRun(self.whole())
            playback.go(self.at_us)
            begun = len(playback.events)
            playback.go(self.end_us)
        except TooLong:
            raise RequestRefused(words.TOO_LONG) from None
        return playback.events[begun:]


def command_line(command: dict[str, Any]) -> str:
    """Return a command as one line: when, what, with which values."""
    given = {name: value for name, value in command.items() if name not in {"at_us", "do"}}
    size = (
        f"{given.pop('count')} × {given.pop('size_bytes')} B" if {"count", "size_bytes"} <= set(given) else ""
    )
    values = ", ".join(filter(None, [size, *(_value(name, value) for name, value in given.items())]))
    return f"{command['at_us'] / 1_000_000:g} s  {command['do'].replace('_', ' ')} {values}".strip()


def _value(name: str, value: Any) -> str:
    """Return a value of a command in words; a flag gives its meaning, or nothing if it changes nothing."""
    if isinstance(value, bool):
        return str(words.FLAGS.get(name, {}).get(value, name.replace("_", " ") if value else ""))
    return f"{name.replace('_', ' ')} {'∞' if value is None else value}"


def of_session(
    scenario: dict[str, Any], log: dict[str, Any], at_us: int | None, frozen_us: int | None = None
) -> AuthoredRun:
    """Return the run of a session.

    Args:
        scenario: the session's own, with the commands that it began with.
        log: what was given since, as `stages.log_of` returns it.
        at_us: where the learner stands; None is just before the last command.
        frozen_us: where the run ended when the author began to ask; None is now. The session may go on meanwhile.
    """
    commands = sorted([*scenario.get("commands", ()), *log["commands"]], key=lambda each: each["at_us"])
    if frozen_us is not None:
        commands = [each for each in commands if each["at_us"] <= frozen_us]
    if len(commands) > MOST_COMMANDS:
        raise RequestRefused(words.TOO_MANY, most=MOST_COMMANDS)
    last = commands[-1]["at_us"] if commands else 0
    end_us = max(log["until_us"], last + REST_US)
    if frozen_us is not None:
        end_us = max(last, min(end_us, frozen_us))
    stand = max(0, last - 1) if at_us is None else min(at_us, end_us)
    plain = {name: scenario[name] for name in RUN_KEYS if name in scenario}
    return AuthoredRun(plain, tuple(commands), stand, end_us)
