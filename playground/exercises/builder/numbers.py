"""Numbers of a run that a second try draws again: each has a letter, which stands for it in texts and conditions."""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import Any

import msgspec

from playground.exercises.authors import words
from playground.exercises.authors.runs import AuthoredRun, command_line
from playground.exercises.posted import PostedForm
from playground.texts.page_message import RequestRefused

FIELDS = ("count", "value", "size_bytes")
MOST = 8
DIGITS = 7


class BuiltNumber(msgspec.Struct, frozen=True):
    """One number of a command: how it is called, what it is usually, and in which line it stands."""

    name: str
    usual: int
    field: str
    command: dict[str, Any]

    @property
    def line(self) -> str:
        """Return the command as a line."""
        return command_line(self.command)


def of_run(run: AuthoredRun) -> list[BuiltNumber]:
    """Return the whole numbers of a run's commands, called a, b, c in their order."""
    found = [
        (command[field], field, command)
        for command in run.commands
        for field in FIELDS
        if isinstance(command.get(field), int) and not isinstance(command[field], bool)
    ]
    return [
        BuiltNumber(name, *each) for name, each in zip(string.ascii_lowercase[:MOST], found, strict=False)
    ]


def drawn(numbers: Sequence[BuiltNumber], posted: PostedForm, plain: dict[str, Any]) -> dict[str, Any]:
    """Return the content of an exercise with its letters in the commands, and from where to where they are drawn.

    Args:
        numbers: of the run that the content was made from.
        posted: `first-a` and `last-a` for each number that may differ.
        plain: the content, which still has the commands of the run themselves.
    """
    variants, letters = {}, dict[int, dict[str, str]]()
    for each in numbers:
        first, last = (posted.get(f"{end}-{each.name}", "").strip() for end in ("first", "last"))
        if not first and not last:
            continue
        if not (_whole(first) and _whole(last) and int(first) <= each.usual <= int(last)):
            raise RequestRefused(words.RANGE, name=each.name, usual=each.usual)
        variants[each.name] = {"usual": each.usual, "first": int(first), "last": int(last)}
        letters.setdefault(id(each.command), {})[each.field] = f"{{{each.name}}}"

    def lettered(value: Any) -> Any:
        if isinstance(value, list | tuple):
            return [lettered(each) for each in value]
        if isinstance(value, dict):
            return {name: lettered(each) for name, each in value.items()} | letters.get(id(value), {})
        return value

    return {**lettered(plain), "variants": variants} if variants else plain


def _whole(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= DIGITS
