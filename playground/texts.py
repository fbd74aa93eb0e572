"""What a person reads: a translatable text with its numbers, written in the reader's language at the end."""

from __future__ import annotations

from typing import Any, Final

from django.conf import settings
from django.utils import translation
from django.utils.translation import get_supported_language_variant
from django.utils.translation.trans_real import parse_accept_lang_header


def language_of(scope: dict[str, Any]) -> str:
    """Return the language of a connection: its cookie's, else the first it accepts that there is."""
    accepted = dict(scope.get("headers", [])).get(b"accept-language", b"").decode("latin1")
    wanted = [scope.get("cookies", {}).get(settings.LANGUAGE_COOKIE_NAME, "")]
    wanted += [code for code, _priority in parse_accept_lang_header(accepted)]
    for code in wanted:
        try:
            return get_supported_language_variant(code)
        except LookupError:
            continue
    return settings.LANGUAGE_CODE


MEBIBYTE: Final = 1024 * 1024

THIN_SPACE: Final = "\u202f"


class TextNumbers(dict[str, object]):
    """The numbers of a text, some as people read them. `%(used_mib)s` stands for `used` in MiB, as nobody counts
    bytes by the million; `%(room_n)s` for `room` with spaces between the thousands, as the page's scripts write it.
    """

    def __missing__(self, name: str) -> object:
        if name.endswith("_n"):
            return f"{self[name.removesuffix('_n')]:,}".replace(",", THIN_SPACE)
        value = self[name.removesuffix("_mib")] if name.endswith("_mib") else None
        if not isinstance(value, int):
            raise KeyError(name)
        mebibytes = value / MEBIBYTE
        return f"{mebibytes:.0f}" if mebibytes >= 100 else f"{mebibytes:.1f}"


class PageMessage:
    """A text with named places, translated only when somebody reads it. `text`: with places such as `%(count)s`.
    `code`: the engine's name for the message; programs read this and the values, never the text.
    """

    def __init__(self, text: Any, /, *, code: str = "", **values: object) -> None:
        self.text = text
        self.code = code
        self.values = values

    def __str__(self) -> str:
        text = str(self.text)
        return text % TextNumbers(self.values) if self.values else text

    def in_language(self, language: str) -> str:
        with translation.override(language):
            return str(self)


class RequestRefused(Exception):
    """Something a person asked for cannot be done. The message gives the reason and what to do."""

    def __init__(self, text: Any, /, *, code: str = "", **values: object) -> None:
        super().__init__()
        self.message = text if isinstance(text, PageMessage) else PageMessage(text, code=code, **values)

    def __str__(self) -> str:
        return str(self.message)
