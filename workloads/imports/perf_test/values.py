"""The values of PerfTest's options: numbers, value:seconds pairs, key=value tables, each checked with its line."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, Final, NamedTuple

from workloads.errors import LineError
from workloads.imports.perf_test.options import Given
from workloads.imports.perf_test.shell import VARIABLE, Word

SECOND_US: Final = 1_000_000
MOST: Final = 2**53


class Pair(NamedTuple):
    """A value that holds for some seconds."""

    value: int
    seconds: int


def whole(given: Given, name: str, default: int) -> int:
    """Return the whole number of an option.

    Raises:
        LineError: it is none, or out of range.
    """
    word = given.word(name)
    return default if word is None else _whole(word, name)


def _whole(word: Word, name: str) -> int:
    _check_variable(word, name)
    try:
        number = int(word.text)
    except ValueError:
        raise LineError(word.line, "option_not_whole", name=f"--{name}", text=repr(word.text[:40])) from None
    if not -1 <= number <= MOST:
        raise LineError(word.line, "option_out_of_range", name=f"--{name}", text=repr(word.text[:40]))
    return number


def rate(given: Given, name: str) -> Fraction | None:
    """Return messages a second, which may be a fraction; None without a bound.

    Raises:
        LineError: it is not a number.
    """
    word = given.word(name)
    if word is None:
        return None
    number = _number(word, name)
    return None if number < 0 else number


def interval_s(given: Given, name: str) -> Fraction | None:
    """Return seconds between two messages, None where they are not given.

    Raises:
        LineError: it is not a number, or shorter than PerfTest allows.
    """
    word = given.word(name)
    if word is None:
        return None
    number = _number(word, name)
    if number < Fraction(1, 10):
        raise LineError(word.line, "option_out_of_range", name=f"--{name}", text=repr(word.text[:40]))
    return number


def _number(word: Word, name: str) -> Fraction:
    _check_variable(word, name)
    try:
        number = Fraction(word.text) if "/" not in word.text and len(word.text) <= 40 else None
    except (ValueError, ZeroDivisionError):
        number = None
    if number is None or abs(number) > MOST:
        raise LineError(word.line, "option_not_number", name=f"--{name}", text=repr(word.text[:40]))
    return number


def truth(given: Given, name: str, default: bool) -> bool:
    """Return whether an option says true; PerfTest takes every other word for false."""
    word = given.word(name)
    return default if word is None else word.text.lower() == "true"


def pairs(given: Given, name: str) -> list[Pair]:
    """Return what holds for how many seconds, in turn.

    Raises:
        LineError: one is not VALUE:SECONDS.
    """
    return [_pair(word, name) for word in given.values.get(name, ())]


def _pair(word: Word, name: str) -> Pair:
    _check_variable(word, name)
    value, _colon, seconds = word.text.partition(":")
    try:
        pair = Pair(int(value), int(seconds))
    except ValueError:
        raise LineError(
            word.line, "no_value_and_seconds", name=f"--{name}", text=repr(word.text[:40])
        ) from None
    if not 0 <= pair.value <= MOST or not 1 <= pair.seconds <= MOST:
        raise LineError(word.line, "value_or_seconds_too_small", name=f"--{name}", text=repr(word.text[:40]))
    return pair


def table(given: Given, name: str) -> Iterator[tuple[Word, str, Any]]:
    """Yield key and value of each pair, with the word that they are in; numbers and truths as such."""
    for word in given.values.get(name, ()):
        for entry in word.text.split(","):
            if entry.strip():
                key, _, text = entry.strip().partition("=")
                yield word, key, plain(text)


def plain(text: str) -> int | bool | str:
    """Return a value as PerfTest reads it: true and false, whole numbers, or text."""
    if text in {"true", "false"}:
        return text == "true"
    try:
        return int(text)
    except ValueError:
        return text


def _check_variable(word: Word, name: str) -> None:
    """Refuse a value that is a variable of somebody's shell.

    Raises:
        LineError: it is one.
    """
    if VARIABLE.search(word.text) or word.text.startswith("$("):
        raise LineError(word.line, "variable_unknown", name=f"--{name}", text=word.text[:40])
