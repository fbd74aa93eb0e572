"""Turning the validator's findings into sentences for people."""

from __future__ import annotations

import re
from typing import Final

import msgspec

_FOUND: Final = re.compile(r"(?P<what>.*?)(?: - at `(?P<place>[^`]*)`)?", re.DOTALL)

_SENTENCES: Final[tuple[tuple[re.Pattern[str], str], ...]] = tuple(
    (re.compile(pattern), sentence)
    for pattern, sentence in (
        (r"Expected `(?:int|float)` >= (\S+)", r"must be at least \1"),
        (r"Expected `(?:int|float)` <= (\S+)", r"must be at most \1"),
        (r"Expected `(?:int|float)` > (\S+)", r"must be more than \1"),
        (r"Expected `str` of length >= (\S+)", r"must have at least \1 characters"),
        (r"Expected `str` of length <= (\S+)", r"must have at most \1 characters"),
        (r"Expected `array` of length <= (\S+)", r"must have at most \1 elements"),
        (r"Expected `array` of length (\d+), got (\d+)", r"must have \1 elements, not \2"),
        (
            r"Expected `str` matching regex .*",
            r"must begin with a letter and have only a-z, 0-9, ., - and _ after it",
        ),
        (r"Expected `int(?: \| null)?`, got `(.+)`", r"must be a whole number, not \1"),
        (r"Expected `float(?: \| (?:null|object))*`, got `(.+)`", r"must be a number, not \1"),
        (r"Expected `bool`, got `(.+)`", r"must be true or false, not \1"),
        (r"Expected `str(?: \| null)?`, got `(.+)`", r"must be text, not \1"),
        (r"Expected `object`, got `(.+)`", r"must be an object, not \1"),
        (r"Expected `array`, got `(.+)`", r"must be a list, not \1"),
        (r"Object missing required field `(\w+)`", r"\1 is missing"),
        (r"Object contains unknown field `(.*)`", r"\1 is not known here"),
        (r"Invalid enum value (.*)", r"\1 is none of the possible values"),
        (r"Invalid value (.*)", r"\1 is none of the possible values"),
        (r"Integer value out of range", "is too large"),
    )
)


_WORDS: Final = {"str": "text", "bool": "true or false", "float": "a number with a point", "array": "a list"}


def explain(error: msgspec.ValidationError) -> str:
    """Return what is wrong and where, as in `settings.ram_bytes must be at least 1`."""
    found = _FOUND.fullmatch(str(error))
    assert found is not None
    place = (found["place"] or "$").removeprefix("$").removeprefix(".")
    what = re.sub(r"got `(\w+)`", lambda got: f"got `{_WORDS.get(got[1], got[1])}`", found["what"])
    for pattern, sentence in _SENTENCES:
        match = pattern.fullmatch(what)
        if match:
            what = match.expand(sentence)
            break
    if not place:
        return what
    return f"{place} {what}" if what.startswith("must") or what == "is too large" else f"{place}: {what}"
