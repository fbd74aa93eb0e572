"""Shorten a program for as long as it still breaks in the same way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

Program = dict[str, Any]


def shrink(program: Program, breaks: Callable[[Program], bool], tries: int = 400) -> Program:
    """Return a program that still breaks with as few commands, settings and words as were found.

    Args:
        breaks: plays a program, and says whether it breaks as before.
        tries: how many programs may be played.
    """
    left = tries
    smaller = True
    while smaller:
        smaller = False
        for fewer in _fewer(program):
            if left == 0:
                return program
            left -= 1
            if breaks(fewer):
                program, smaller = fewer, True
                break
    return program


def _fewer(program: Program) -> Iterator[Program]:
    """Yield programs with less in them, the much shorter ones first."""
    commands = program["commands"]
    size = len(commands) // 2
    while size:
        for at in range(0, len(commands), size):
            yield {**program, "commands": commands[:at] + commands[at + size :]}
        size //= 2
    for name in ("settings", "topology"):
        for rest in _without_one(program[name]):
            yield {**program, name: rest}
    for part, declared in program["topology"].items():
        for at, each in enumerate(declared):
            others = [*declared[:at], *declared[at + 1 :]]
            changed = [others, *([*declared[:at], rest, *declared[at + 1 :]] for rest in _without_one(each))]
            for fewer in changed:
                yield {**program, "topology": {**program["topology"], part: fewer}}
    for at, command in enumerate(commands):
        for rest in _without_one(command):
            yield {**program, "commands": [*commands[:at], rest, *commands[at + 1 :]]}


def _without_one(table: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a table without one of its fields, or without one of a table in it."""
    for name, value in table.items():
        yield {other: each for other, each in table.items() if other != name}
        if isinstance(value, dict):
            yield from ({**table, name: rest} for rest in _without_one(value))
