"""The engine's tables, made of what real nodes answered: for each name the kind of check that gives every answer."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from engine.amqp import policies
from engine.amqp.arguments import ANOTHER_TYPE, DENIED, LOCATION, PLACE, Row, wrong_with
from engine.amqp.policies import KEYS as MIRRORS
from engine.releases import REFERENCE, RELEASES

Answers = dict[str, list[list[Any]]]

ORDER: Final = (
    *("x-queue-type", "x-expires", "x-message-ttl", "x-dead-letter-exchange", "x-dead-letter-routing-key"),
    *(
        "x-max-length",
        "x-max-length-bytes",
        "x-max-priority",
        "x-overflow",
        "x-queue-mode",
        "x-queue-version",
    ),
    "x-single-active-consumer",
)
"""In which the broker looks at a queue's arguments; the others follow."""
INTERNAL_ERROR: Final = 541
MAX_EXPIRY_MS: Final = 315_360_000_000
"""Ten years: the longest TTL and expiry of those releases that have one."""
UNRECOGNISED: Final = " are not recognised policy settings"
HEAD: Final = '''# ruff: noqa: E501 - the broker's texts are as long as they are
"""The arguments, policies and exchanges that each release accepts, and its messages about the others.

Written by `make questions` from the answers of real nodes (tests/recordings/questions); not to be changed by hand.
"""

from typing import Any, Final


def by_release(rows: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return what each release has by name; a row holds from its release up to the next one, None for nothing."""
    found: dict[str, dict[str, Any]] = {}
    now: dict[str, Any] = {}
    for release in RELEASES:
        now |= {name: each[release] for name, each in rows.items() if release in each}
        found[release] = {name: now[name] for name in rows if now.get(name) is not None}
    return found


'''


class NoCheck(ValueError):
    """No kind of check gives these answers; the engine needs another one."""


def written(answers: dict[str, Answers]) -> str:
    """Return the tables' module for the answers of each release."""
    found = {
        "ARGUMENTS": _shared(answers, arguments, _ordered),
        "COUNTING": _shared(answers, lambda each: dict.fromkeys(counting(each), True), _ordered),
        "KEYS": _shared(answers, keys, sorted),
        "NOT_FOR_CLASSIC": _shared(answers, lambda each: dict.fromkeys(not_for_classic(each), True), sorted),
        "OTHERS": _shared(answers, others, tuple),
    }
    head = f'{HEAD}REFERENCE: Final = "{REFERENCE.name}"\nRELEASES: Final = {(*answers,)!r}\n\n'
    return formatted(head + "\n".join(f"{name} = by_release({rows!r})\n" for name, rows in found.items()))


def _shared(
    answers: dict[str, Answers],
    of: Callable[[Answers], dict[str, Any]],
    ordered: Callable[[Iterable[str]], Iterable[str]],
) -> dict[str, dict[str, Any]]:
    """Return the rows by name, and by the first of those releases that have the same one after each other."""
    rows = {release: of(each) for release, each in answers.items()}
    found: dict[str, dict[str, Any]] = {}
    for name in ordered(dict.fromkeys(name for each in rows.values() for name in each)):
        found[name] = {}
        before = None
        for release, each in rows.items():
            if each.get(name) != before:
                found[name][release] = before = each.get(name)
    return found


def formatted(text: str) -> str:
    """Return Python in the project's format."""
    ruff = Path(sys.executable).with_name("ruff")
    command = [str(ruff), "format", "--stdin-filename", "engine/amqp/tables.py", "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def arguments(answers: Answers) -> dict[str, Row]:
    """Return what a release knows of each argument; what it passes over is left out."""
    rows: dict[str, list[tuple[Any, list[Any]]]] = {}
    for asked, closed in answers["arguments"]:
        [(name, value)] = asked.items()
        rows.setdefault(name, []).append((value, closed))
    found = {name: row for name, each in rows.items() if (row := _argument(name, each)) is not None}
    return {name: found[name] for name in _ordered(found)}


def counting(answers: Answers) -> tuple[str, ...]:
    """Return the arguments that must be equal when a queue is declared again, checked or not."""
    return _ordered(name for asked, closed in answers["again"] if closed for name in asked)


def _ordered(names: Iterable[str]) -> tuple[str, ...]:
    found = {*names}
    return (*(each for each in ORDER if each in found), *sorted(found - {*ORDER}))


def _argument(name: str, rows: list[tuple[Any, list[Any]]]) -> Row | None:
    refused = [(value, *closed) for value, closed in rows if closed]
    if not refused:
        return None
    if all(text.endswith(" of queue type rabbit_classic_queue") for _, _, text in refused) and len(
        refused
    ) == len(rows):
        return (ANOTHER_TYPE,)
    if all(code == INTERNAL_ERROR for _, code, _ in refused):
        if len(refused) == len(rows):
            return (DENIED, refused[0][2].removeprefix("INTERNAL_ERROR - "))
        return (LOCATION, *(value for value, closed in rows if not closed))
    if name == "x-dead-letter-exchange":
        return ("text",)  # refused in other words before any other argument is looked at
    expected = [(value, _wrong(closed, name)) for value, closed in rows]
    for row in _argument_rows(expected):
        if all(wrong_with(row, value, {name: value}) == words for value, words in expected):
            return row
    raise NoCheck(f"{name}: {expected}")


def _wrong(closed: list[Any], name: str) -> str | None:
    if not closed:
        return None
    return str(closed[1]).removeprefix(
        f"PRECONDITION_FAILED - invalid arg '{name}' for queue 'q' in vhost '/': "
    )


def _argument_rows(expected: list[tuple[Any, str | None]]) -> Iterator[Row]:
    yield from (("text",), ("key",), ("boolean",))
    taken = [value for value, words in expected if words is None]
    for words in ("expected", "type"):
        yield from ((kind, words) for kind in ("natural", "priority", "expires"))
        yield from ((kind, words, MAX_EXPIRY_MS) for kind in ("ttl", "expires"))
        yield ("version", words, *taken)
    otherwise = next((words for value, words in expected if value == "odd" and words), "")
    yield ("one_of", otherwise.replace("odd", PLACE), *taken)


def keys(answers: Answers) -> dict[str, Row]:
    """Return what a release knows of each key of a policy, in the order of their names."""
    rows: dict[str, list[tuple[Any, str]]] = {}
    for asked, words in answers["policies"]:
        [(key, value)] = asked.items()
        rows.setdefault(key, []).append((value, words))
    return {key: row for key, each in sorted(rows.items()) if (row := _key(key, each)) is not None}


def _key(key: str, rows: list[tuple[Any, str]]) -> Row | None:
    if all(words.endswith(UNRECOGNISED) for _, words in rows):
        return None
    if key in MIRRORS:
        return ("mirrors", "")  # looked at together
    for row in _key_rows(rows):
        if all(_words(row, key, value) == words for value, words in rows):
            return row
    raise NoCheck(f"{key}: {rows}")


def _words(row: Row, key: str, value: Any) -> str:
    try:
        return policies.wrong_with(row, value, {key: value}) or ""
    except policies.PolicyRefused as refused:
        return str(refused.values.get("words", "crash"))


def _key_rows(rows: list[tuple[Any, str]]) -> Iterator[Row]:
    taken = [value for value, words in rows if not words]
    words = next(
        (
            words.replace(policies.term(value), PLACE, 1)
            for value, words in rows
            if words not in ("", "crash")
        ),
        "",
    )
    yield ("text", words)
    yield ("never", words)
    numbers = [each for each in taken if isinstance(each, int)]
    if numbers:
        least = [each for each in (min(numbers),) if each != -1]
        yield ("integer", words, *least)
        for most in (255, 3_000_000_000) if least else ():
            yield ("integer", words, *least, most)
    yield ("one_of", words, *taken)
    for refused in ("numbers", "texts"):
        yield ("age", words, refused)
    yield (
        "retries",
        words,
        *(value for value, said in rows if said == "" or said.startswith("delayed-retry-min")),
    )


def others(answers: Answers) -> dict[str, Any]:
    """Return what is not told by name, as `ReleaseValidation` has it."""
    types = answers["exchange_types"]
    return {
        "names_type": any("current is 'classic'" in closed[1] for _, closed in answers["again"] if closed),
        "mirrors_first": mirrors_first(answers),
        "apply_to": tuple(n for n, words in answers["apply_to"] if not words),
        "apply_to_words": next(
            words.replace(f"'{n}'", f"'{PLACE}'", 1) for n, words in answers["apply_to"] if n == "odd"
        ),
        "exchange_types": tuple(n for n, closed in types if not closed),
        "other_types": tuple(n for n, closed in types if closed and " invalid " in closed[1]),
        "pcre2": any("missing closing parenthesis" in words for _, words in answers["patterns"]),
    }


def not_for_classic(answers: Answers) -> tuple[str, ...]:
    """Return the keys with which a policy does not apply to a classic queue: it kept all three messages."""
    return tuple(
        key for definition, kept in answers["kept"] if kept == 3 for key in definition if key != "max-length"
    )


def mirrors_first(answers: Answers) -> bool:
    """Return whether a policy's keys of mirrors are looked at before the others."""
    return any(
        {*definition} == {"ha-mode", "max-length"} and "ha-mode" in words and "recognised" not in words
        for definition, words in answers["definitions"]
    )


def write(folder: Path, out: Path) -> None:
    """Write the tables of all releases from the answers in a folder."""
    names = [row.name for row in RELEASES.values()]
    answers = {each: json.loads((folder / f"validation-{each}.json").read_text()) for each in names}
    out.write_text(written(answers), encoding="utf-8")
