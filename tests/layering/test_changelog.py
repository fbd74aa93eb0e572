"""The changelog is for users: one line a change, each of a known sort, and a date for each release."""

import re
from collections.abc import Iterator
from itertools import pairwise

from engine import ENGINE_VERSION
from tests.layering.sources import ROOT

LETTERS = 120
LINES = 60
"""Of one release."""
RELEASE = re.compile(r"## (?:Unreleased|\d+\.\d+\.\d+ \(\d{4}-\d\d-\d\d\))")
CHANGE = re.compile(r"- (?:Added|Changed|Fixed|Docs|Internal): \S.*[.]")


def sections(text: str) -> list[list[str]]:
    """Return the lines of each release, its heading first."""
    lines = text.splitlines()
    heads = [number for number, line in enumerate(lines) if line.startswith("## ")]
    return [lines[begin:end] for begin, end in pairwise([*heads, len(lines)])]


def breaches(section: list[str]) -> Iterator[str]:
    """Yield a sentence for each line of a release that does not have the form."""
    head, *body = section
    if not RELEASE.fullmatch(head):
        yield f"{head}: a release has a number and a date, as in `## 0.4.0 (2026-11-29)`"
    if len(section) > LINES:
        yield f"{head}: {len(section)} lines, more than {LINES}"
    body = [line for line in body if line]
    if not body or not re.fullmatch(r"[A-Z].*[.]", body[0]):
        yield f"{head}: begins with one sentence that sums it up"
    part = "*What changed*"
    for line in body[1:]:
        if len(line) > LETTERS:
            yield f"{line}: {len(line)} letters, more than {LETTERS}"
        if line in {"*What you must do*", "*What changed*"}:
            part = line
        elif part == "*What changed*" and not CHANGE.fullmatch(line):
            yield f"{line}: a change is one line that begins with Added, Changed, Fixed, Docs or Internal"
        elif not line.startswith("- "):
            yield f"{line}: what somebody must do is one line"
    if head != "## Unreleased" and "*What you must do*" not in body:
        yield f"{head}: says what one must do"


def test_each_release_has_the_form() -> None:
    found = sections((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    assert [breach for section in found for breach in breaches(section)] == []
    first, *released = [section[0].split()[1] for section in found]
    assert first == "Unreleased"
    numbers = [[int(part) for part in each.split(".")] for each in (ENGINE_VERSION, *released)]
    assert numbers == sorted(numbers, reverse=True), "the newest release comes first"


def test_a_breach_is_found() -> None:
    good = [
        "## 0.1.0 (2026-11-20)",
        "",
        "The first.",
        "",
        "*What you must do*",
        "- Nothing.",
        "*What changed*",
    ]
    assert list(breaches([*good, "- Added: a queue."])) == []
    assert list(breaches(["## Unreleased", "Fixes.", "- Fixed: a queue."])) == []
    bad = {
        "a date": ["## 0.1.0 (unreleased)", *good[1:]],
        "sums it up": [*good[:2], "- Added: a queue.", *good[4:]],
        "more than 60": [*good, *["- Added: a queue."] * 60],
        "more than 120": [*good, f"- Added: {'x' * 120}."],
        "begins with": [*good, "- **A queue** is there."],
        "is one line": [*good[:6], "  and more.", *good[6:]],
        "must do": [*good[:4], *good[6:]],
    }
    for words, section in bad.items():
        assert [words in each for each in breaches(section)] == [True]
