"""Erlang terms as tools print them: in Erlang's own form, Elixir's, or wrapped over lines. One pass over the text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

DEEPEST: Final = 32
"""Terms inside each other; what is deeper is not read."""
TOKEN: Final = re.compile(
    r"""\s+ | "(?:[^"\\]|\\.)*(?:"|$) | <[^<>\s]*>? | [\[\]{}(),|] | => | \#(?=[\[{<]) | [^\s\[\]{}(),|"<]+""",
    re.VERBOSE | re.DOTALL,
)
"""Each character is looked at once: what begins a text or a pid and does not end goes on to the end."""
OPEN: Final = {"[": "]", "{": "}", "(": ")"}

Term = Any
"""A list (of both brackets), or a text: an atom, a number, a pid or a string without its quotes."""


class TermPair(list[Term]):
    """A tuple, or the value of a key."""


def depth_change(line: str) -> int:
    """Return how many brackets a line leaves open; texts and pids do not count."""
    change = 0
    for match in TOKEN.finditer(line):
        if match[0] in OPEN:
            change += 1
        elif match[0] in ("]", "}", ")"):
            change -= 1
    return change


def term(text: str) -> list[Term]:
    """Return the terms in a text; brackets that do not match end where the text does.

    A number or an atom that the text ends within is left out: nobody knows how it goes on.
    """
    whole: list[Term] = []
    inside: list[list[Term]] = [whole]
    too_deep = 0
    for mark in _tokens(text):
        if mark in OPEN:
            if len(inside) > DEEPEST:
                too_deep += 1
                continue
            made: list[Term] = TermPair() if mark == "{" else []
            inside[-1].append(made)
            inside.append(made)
        elif mark in ("]", "}", ")"):
            if too_deep:
                too_deep -= 1
            elif len(inside) > 1:
                inside.pop()
        elif not too_deep and mark not in (",", "|", "#", "=>"):
            inside[-1].append(mark[1:].removesuffix('"') if mark[0] == '"' else mark)
    if len(inside) > 1 and inside[-1] and isinstance(inside[-1][-1], str) and text.endswith(inside[-1][-1]):
        inside[-1].pop()
    return whole


def _tokens(text: str) -> Iterator[str]:
    for match in TOKEN.finditer(text):
        if not match[0].isspace():
            yield match[0]


def pairs(found: list[Term]) -> Iterator[tuple[str, Term]]:
    """Yield the pairs of a list of them: `{key,Value}`, or `key: value` as Elixir writes it."""
    key = ""
    for each in found:
        if key:
            yield key, each
            key = ""
        elif isinstance(each, TermPair) and len(each) > 1 and isinstance(each[0], str):
            yield plain(each[0]), each[1]
        elif isinstance(each, str) and each.endswith(":") and len(each) > 1:
            key = plain(each[:-1])


def plain(atom: str) -> str:
    """Return an atom without Elixir's prefix."""
    return atom.removeprefix(":")
