"""Texts of a file in several languages: English always, Chinese in both scripts where somebody wrote it."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

import msgspec
from django.utils.translation import get_language

Text = Annotated[str, msgspec.Meta(min_length=1, max_length=2000)]
Key = Literal["en", "zh_Hans", "zh_Hant"]
Texts = Text | dict[Key, Text]
"""One text for everybody, or one for each language."""

KEYS: Final[dict[str, Key]] = {"en": "en", "zh-hans": "zh_Hans", "zh-hant": "zh_Hant"}


def in_language(texts: Texts | None, language: str | None = None) -> str:
    """Return a text in a language, the current one if none is named; in English where it is not translated."""
    if texts is None or isinstance(texts, str):
        return texts or ""
    key = KEYS.get(language or get_language() or "en", "en")
    return texts.get(key) or texts.get("en") or next(iter(texts.values()), "")


def localized(value: Any) -> Any:
    """Return a copy of a story's object in which every text is in the current language alone."""
    if isinstance(value, dict):
        if value and set(value) <= set(KEYS.values()):
            return in_language(value)
        return {name: localized(part) for name, part in value.items()}
    return [localized(part) for part in value] if isinstance(value, list) else value
