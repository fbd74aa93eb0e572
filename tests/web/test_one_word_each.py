"""One term, one word in each language: playground/verdicts/words.json holds everything that readers see to it."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.web.test_translations import DOMAINS, LEFTOVERS, MAINLAND, ROOT, TAIWANESE, catalogue
from tests.web.test_translations import texts as strings

WORDS: list[dict[str, Any]] = json.loads((ROOT / "playground/verdicts/words.json").read_bytes())
SCRIPTS = ("zh_Hans", "zh_Hant")
Stated = tuple[str, str, dict[str, str]]
"""The place of a text, the text in English, and in each script."""


def of_json(value: Any, place: str) -> Iterator[Stated]:
    if isinstance(value, dict) and isinstance(value.get("en"), str) and "zh_Hans" in value:
        yield place, value["en"], {script: value[script] for script in SCRIPTS}
    elif isinstance(value, dict):
        for name, part in value.items():
            yield from of_json(part, f"{place}.{name}")
    elif isinstance(value, list):
        for at, part in enumerate(value):
            yield from of_json(part, f"{place}[{at}]")


def of_toml(english: Any, hans: Any, hant: Any, place: str) -> Iterator[Stated]:
    if isinstance(english, str):
        yield place, english, {"zh_Hans": hans, "zh_Hant": hant}
    elif isinstance(english, dict) and english.keys() == hans.keys():
        for name in english:
            yield from of_toml(english[name], hans[name], hant[name], f"{place}.{name}")
    elif isinstance(english, dict):  # the terms of a reading stand by their own names
        for name, other, third in zip(english, hans, hant, strict=True):
            yield from of_toml(name, other, third, f"{place}.{name}")
            yield from of_toml(english[name], hans[other], hant[third], f"{place}.{name}")
    elif isinstance(english, list):
        for at, part in enumerate(english):
            yield from of_toml(part, hans[at], hant[at], f"{place}[{at}]")


def of_catalogues() -> Iterator[Stated]:
    for domain in DOMAINS:
        hant = {
            (entry.msgctxt, entry.msgid): "".join(strings(entry)) for entry in catalogue("zh_Hant", domain)
        }
        for entry in catalogue("zh_Hans", domain):
            texts = {"zh_Hans": "".join(strings(entry)), "zh_Hant": hant[entry.msgctxt, entry.msgid]}
            yield f"{domain}.po", entry.msgid, texts


@cache
def everything() -> list[Stated]:
    """Return all texts of the scenarios, the verdicts, the exercises, the readings and on the pages."""
    found: list[Stated] = []
    for path in [*ROOT.glob("playground/scenarios/*.json"), *ROOT.glob("playground/verdicts/**/*.json")]:
        found += of_json(json.loads(path.read_bytes()), path.name)
    for path in ROOT.glob("playground/exercises/data/*/**/*.toml"):
        body = tomllib.loads(Path(path).read_text("utf-8"))
        for case, told in {"": body, **body.get("cases", {})}.items():
            found += of_toml(told["en"], told["zh_hans"], told["zh_hant"], f"{path.name} {case}".strip())
    return found + list(of_catalogues())


def test_there_is_something_to_look_at() -> None:
    assert len(everything()) > 2500
    assert len({word["term"] for word in WORDS}) == len(WORDS)


def test_a_term_has_one_word() -> None:
    wrong = [
        f"{place}: {word['term']} is {word[script][0]}, and not {other}: {texts[script]!r}"
        for place, _english, texts in everything()
        for script in SCRIPTS
        for word in WORDS
        for other in word[f"not_{script}"]
        if other in texts[script]
    ]
    assert wrong == []


def test_the_word_stands_wherever_the_term_does() -> None:
    words = [(re.compile(word["wherever"]), word) for word in WORDS if "wherever" in word]
    assert words
    wrong = [
        f"{place}: {word['term']} is {word[script]}: {texts[script]!r}"
        for place, english, texts in everything()
        for plain in [re.sub(r"[\w.-]*[_-][\w.-]*|`[^`]*`", "", english)]
        for pattern, word in words
        if pattern.search(plain)
        for script in SCRIPTS
        if not any(one in texts[script] for one in word[script])
    ]
    assert wrong == []


def test_the_articles_word_for_the_watermark_is_not_ours_for_the_waterline() -> None:
    words = {word["term"]: word for word in WORDS}
    for script in SCRIPTS:
        assert set(words["watermark"][script]).isdisjoint(words["waterline"][script])


@pytest.mark.parametrize(
    ("script", "foreign"),
    [("zh_Hant", LEFTOVERS), ("zh_Hant", MAINLAND), ("zh_Hans", TAIWANESE)],
    ids=["leftovers", "mainland", "taiwan"],
)
def test_neither_script_is_a_conversion_of_the_other(script: str, foreign: str) -> None:
    """A program that converts leaves characters that nobody writes there, and words that the other side uses."""
    wrong = [
        f"{place}: {word} in {texts[script]!r}"
        for place, _english, texts in everything()
        for word in foreign.split()
        if word in texts[script]
    ]
    assert wrong == []
