"""Where the words of the glossary come in a text. `static/js/model/words.js` finds them by the same rule."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from playground import verdicts


@cache
def _words() -> tuple[re.Pattern[str], dict[str, str]]:
    anchors = {word: each.anchor for each in verdicts.glossary().values() for word in (each.term, *each.also)}
    longest_first = sorted(anchors, key=len, reverse=True)
    # Latin words stand alone, also inside of Chinese, which has no spaces.
    any_of = "|".join(re.escape(word) for word in longest_first)
    pattern = re.compile(rf"(?<![A-Za-z0-9_.-])({any_of})(?:e?s)?(?![A-Za-z0-9_]|-[a-z])", re.IGNORECASE)
    return pattern, {word.lower(): anchor for word, anchor in anchors.items()}


def found_in(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, anchor) of every word of the glossary in a text, in the plural as well."""
    pattern, anchors = _words()
    for found in pattern.finditer(text):
        yield found.start(), found.end(), anchors[found[1].lower()]


def words_of(value: Any) -> dict[str, str]:
    """Return {word in lower case: anchor} for all texts inside of a value of lists and objects."""
    if isinstance(value, str):
        return {value[start:end].lower(): anchor for start, end, anchor in found_in(value)}
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return {word: anchor for part in parts for word, anchor in words_of(part).items()}
