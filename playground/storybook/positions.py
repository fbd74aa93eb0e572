"""Where in a JSON text each value stands, so that a message can point at the line and column."""

from __future__ import annotations

import re
from json import JSONDecodeError
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Final

Steps = tuple[str | int, ...]

_SPACE: Final = re.compile(r"[ \t\n\r]*")
_PLAIN: Final = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null")
DEPTH: Final = 30


def positions(text: str) -> dict[Steps, int]:
    """Return the offset at which each value begins, by its path. A key that is there twice counts as the last.

    Raises JSONDecodeError, which has line and column, for what is no JSON.
    """
    found: dict[Steps, int] = {}
    end = _value(text, _skip(text, 0), (), found)
    end = _skip(text, end)
    if end != len(text):
        raise JSONDecodeError("there is something after the end of the object", text, end)
    return found


def line_and_column(text: str, offset: int) -> tuple[int, int]:
    """Return both, counted from 1."""
    before = text[:offset]
    return before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _value(text: str, at: int, path: Steps, found: dict[Steps, int]) -> int:
    if len(path) > DEPTH:
        raise JSONDecodeError("this is nested too deeply", text, at)
    found[path] = at
    first = text[at : at + 1]
    if first == "{":
        return _members(text, at, path, found)
    if first == "[":
        return _items(text, at, path, found)
    if first == '"':
        return int(scanstring(text, at + 1, True)[1])
    plain = _PLAIN.match(text, at)
    if plain is None:
        raise JSONDecodeError("a value is expected here", text, at)
    return plain.end()


def _members(text: str, at: int, path: Steps, found: dict[Steps, int]) -> int:
    at = _skip(text, at + 1)
    if text[at : at + 1] == "}":
        return at + 1
    while True:
        if text[at : at + 1] != '"':
            raise JSONDecodeError("a name in double quotes is expected here", text, at)
        name, at = scanstring(text, at + 1, True)
        at = _skip(text, at)
        if text[at : at + 1] != ":":
            raise JSONDecodeError("a colon is expected here", text, at)
        at = _skip(text, _value(text, _skip(text, at + 1), (*path, name), found))
        if text[at : at + 1] == "}":
            return at + 1
        if text[at : at + 1] != ",":
            raise JSONDecodeError("a comma or } is expected here", text, at)
        at = _skip(text, at + 1)


def _items(text: str, at: int, path: Steps, found: dict[Steps, int]) -> int:
    at = _skip(text, at + 1)
    if text[at : at + 1] == "]":
        return at + 1
    number = 0
    while True:
        at = _skip(text, _value(text, at, (*path, number), found))
        if text[at : at + 1] == "]":
            return at + 1
        if text[at : at + 1] != ",":
            raise JSONDecodeError("a comma or ] is expected here", text, at)
        at = _skip(text, at + 1)
        number += 1
