"""The words of a sentence that say something: two sentences that share one speak of the same thing."""

from __future__ import annotations

import re
from typing import Final

TERM: Final = re.compile(r"[a-z]{3,}|q[1-4]")
ENDINGS: Final = ("ations", "ation", "ings", "ing", "ied", "ies", "ed", "es", "er", "s", "ly", "e")
PLAIN: Final = set(
    "message messages queue queues rabbitmq that with this from have there they when what which where while into only "
    "more than then each every other some does made make after before between until over under still also both once "
    "same such very much many first last next without because all and are for its not one the two but was has had who "
    "how can may must would another here".split()
)
"""Words of the language, and those that every text here has."""


def stem(word: str) -> str:
    """Return a word without its ending."""
    ending = next((each for each in ENDINGS if word.endswith(each) and len(word) - len(each) >= 3), "")
    return word.removesuffix(ending)


def terms_of(text: str) -> set[str]:
    """Return the words of a text that say something."""
    return {stem(word) for word in TERM.findall(text.lower()) if word not in PLAIN}
