"""Turning the validator's findings into refusals: a code, and where the wrong value stands."""

from __future__ import annotations

import re
from typing import Final, TypeVar

import msgspec

from engine.values.errors import Refusal

_FOUND: Final = re.compile(r"(?P<what>.*?)(?: - at `(?P<place>[^`]*)`)?", re.DOTALL)

# The validator has no codes of its own: this is the one place that reads its sentences.
_FORMS: Final[tuple[tuple[re.Pattern[str], str], ...]] = tuple(
    (re.compile(pattern), code)
    for pattern, code in (
        (r"Expected `(?:int|float)` >= (?P<least>\S+)", "too_small"),
        (r"Expected `(?:int|float)` <= (?P<most>\S+)", "too_high"),
        (r"Expected `(?:int|float)` > (?P<least>\S+)", "not_above"),
        (r"Expected `str` of length >= (?P<least>\S+)", "too_short"),
        (r"Expected `str` of length <= (?P<most>\S+)", "too_long"),
        (r"Expected `array` of length <= (?P<most>\S+)", "too_many_elements"),
        (r"Expected `array` of length (?P<wanted>\d+), got (?P<got>\d+)", "wrong_length"),
        (r"Expected `str` matching regex .*", "no_name"),
        (r"Expected `int(?: \| null)?`, got `(?P<got>.+)`", "not_whole"),
        (r"Expected `float(?: \| (?:null|object))*`, got `(?P<got>.+)`", "not_a_number"),
        (r"Expected `bool`, got `(?P<got>.+)`", "not_a_flag"),
        (r"Expected `str(?: \| null)?`, got `(?P<got>.+)`", "not_text"),
        (r"Expected `object`, got `(?P<got>.+)`", "not_an_object"),
        (r"Expected `array`, got `(?P<got>.+)`", "not_a_list"),
        (r"Object missing required field `(?P<name>\w+)`", "missing"),
        (r"Object contains unknown field `(?P<name>.*)`", "unknown"),
        (r"Invalid enum value (?P<name>.*)", "no_such_value"),
        (r"Invalid value (?P<name>.*)", "no_such_value"),
        (r"Integer value out of range", "too_large"),
    )
)

_WORDS: Final = {"str": "text", "bool": "true or false", "float": "a number with a point", "array": "a list"}

R = TypeVar("R", bound=Refusal)


def refused(kind: type[R], error: msgspec.ValidationError, before: str = "") -> R:
    """Return what is wrong and where as a refusal, which reads like `settings.ram_bytes must be at least 1`.

    Args:
        kind: class of the refusal.
        error: what the validator found.
        before: is in front of the place.
    """
    found = _FOUND.fullmatch(str(error))
    assert found is not None
    place = (before + (found["place"] or "$").removeprefix("$").removeprefix(".")).strip()
    if isinstance(error.__cause__, Refusal):  # the value's own class has refused it already
        return error.__cause__.inside(_joined(place, ""), kind)
    what = re.sub(r"got `(\w+)`", lambda got: f"got `{_WORDS.get(got[1], got[1])}`", found["what"])
    for pattern, code in _FORMS:
        match = pattern.fullmatch(what)
        if match:
            values = match.groupdict()
            if "name" in values:
                place = _joined(place, values.pop("name"))
            return kind(code, place=place, **values)
    return kind("invalid", words=_joined(place, what))


def _joined(place: str, what: str) -> str:
    if not place:
        return what
    return f"{place} {what}" if place.endswith(":") else f"{place}: {what}"
