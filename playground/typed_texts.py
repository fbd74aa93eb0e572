"""Texts that people type, paste or upload: as they wrote them, and found by any of the words they seek."""

from __future__ import annotations

import math
import re
import textwrap
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from typing import Final, Generic, NamedTuple, TypeVar

BYTE_ORDER_MARK: Final = "\N{ZERO WIDTH NO-BREAK SPACE}"
"""Some editors begin a text with it."""
COLOUR: Final = re.compile(r"\x1b\[[0-9;]*m")
"""What a terminal's tools write for colours."""
FENCE: Final = re.compile(r"^```\w*$", re.MULTILINE)
QUOTED: Final = re.compile(r"^> ?", re.MULTILINE)
"""How the lines of a mail begin that somebody answers."""


def given_text(given: bytes | str) -> str:
    """Return a text without its byte order mark, and with the line breaks that it had before a form sent it. Raises
    UnicodeDecodeError for bytes that are not UTF-8.
    """
    text = given if isinstance(given, str) else given.decode()
    return text.removeprefix(BYTE_ORDER_MARK).replace("\r\n", "\n")


def typed_number(text: str, most_digits: int = 3) -> int | None:
    """Return the whole number that a text is, None for any other text and for one with more digits."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= most_digits else None


def bare_text(given: str) -> str:
    """Return what a tool printed without what a terminal, a mail, or a page adds to it; lines keep their numbers."""
    text = FENCE.sub("", COLOUR.sub("", given_text(given)))
    if all(line.startswith(">") for line in text.splitlines() if line.strip()):
        text = QUOTED.sub("", text)
    return textwrap.dedent(text)


SYNONYMS: Final[Mapping[str, tuple[str, ...]]] = {
    "541": ("internal_error", "internal error"),
    "container": ("node name", "nodename", "hostname"),
    "cqv1": ("version 1",),
    "cqv2": ("version 2",),
    "crash": ("dirty", "killed", "dies"),
    "crashed": ("crash", "dirty", "killed", "dies"),
    "disconnect": ("connection closes", "connection ends"),
    "docker": ("container", "node name", "nodename"),
    "hang": ("blocked", "credit", "flow"),
    "hostname": ("node name", "nodename"),
    "kubernetes": ("container", "node name", "nodename"),
    "oom": ("memory", "watermark"),
    "reboot": ("restart",),
    "recreated": ("anew", "restart"),
    "shutdown": ("stop", "restart"),
    "stuck": ("blocked", "credit", "unacknowledged"),
    "unclean": ("dirty", "crash", "killed"),
}
"""Words that people type, and what the texts say for them."""
FILLERS: Final = frozenset(
    "a an and are at but by can did do does for from had has have how i in is it its my no of on or such than that "
    "the their there they this though to was were what when where which why with".split()
)
"""Words that say nothing about a text, unless nothing else is asked."""
ENDINGS: Final = ("ing", "ed", "es", "s")
SHORTEST_STEM: Final = 3
HEADING_WEIGHT: Final = 3

Key = TypeVar("Key")


def plain(text: str) -> str:
    """Return a text as it is compared: letters alike in width and case."""
    return unicodedata.normalize("NFKC", text).casefold()


def forms(word: str) -> set[str]:
    """Return a word, its stem, and what the texts may say for it."""
    stems = {
        word.removesuffix(end)
        for end in ENDINGS
        if word.endswith(end) and len(word) - len(end) >= SHORTEST_STEM
    }
    return {word, *stems, *SYNONYMS.get(word, ())}


@lru_cache(maxsize=1000)
def _beginning(form: str) -> re.Pattern[str]:
    return re.compile(r"(?<![a-z0-9])" + re.escape(form))


def has_form(form: str, text: str) -> bool:
    """Return whether a plain text has a form where a word begins: `541` is not in `1541`, nor `ram` in `program`."""
    return form in text and _beginning(form).search(text) is not None


def sought_words(query: str) -> list[str]:
    """Return the words of a query that say something, each once."""
    words = list(dict.fromkeys(plain(query).split()))
    return [word for word in words if word not in FILLERS] or words


class RankedTexts(NamedTuple, Generic[Key]):
    """What a query found. `keys`: of the texts, the best first. `words`: of the query, the rarest first."""

    keys: list[Key]
    words: list[str]


def ranked(query: str, texts: Mapping[Key, tuple[str, str]]) -> RankedTexts[Key]:
    """Return what has at least half of those words of a query that any text has, the best first. More words come
    first; among as many, rare words and words of a heading count more; then the given order decides. `query`: what
    somebody typed. `texts`: heading and text of each thing, as `plain` returns them.
    """
    words = sought_words(query)
    found: dict[Key, tuple[int, float]] = {}
    rarities: dict[str, float] = {}
    known = 0
    for word in words:
        said = forms(word)
        in_heading = {
            key for key, (heading, _text) in texts.items() if any(has_form(form, heading) for form in said)
        }
        has = [
            key
            for key, (_heading, text) in texts.items()
            if key in in_heading or any(has_form(form, text) for form in said)
        ]
        known += bool(has)
        rarity = rarities[word] = math.log(1 + len(texts) / (1 + len(has)))
        for key in has:
            count, score = found.get(key, (0, 0.0))
            found[key] = count + 1, score + rarity * (HEADING_WEIGHT if key in in_heading else 1)
    order = {key: place for place, key in enumerate(texts)}
    enough = [key for key, (count, _score) in found.items() if 2 * count >= known]
    return RankedTexts(
        sorted(enough, key=lambda key: (-found[key][0], -found[key][1], order[key])),
        sorted(words, key=lambda word: -rarities[word]),
    )


def first_form(word: str, text: str) -> str | None:
    """Return the form of a word that a plain text has; the word itself before others."""
    return next(
        (form for form in sorted(forms(word), key=lambda form: form != word) if has_form(form, text)), None
    )
