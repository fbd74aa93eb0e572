"""Texts that people paste or upload, as they wrote them."""

from __future__ import annotations

from typing import Final

BYTE_ORDER_MARK: Final = "\N{ZERO WIDTH NO-BREAK SPACE}"
"""Some editors begin a text with it."""


def text_of(given: bytes | str) -> str:
    """Return a text without its byte order mark, and with the line breaks that it had before a form sent it.

    Raises UnicodeDecodeError for bytes that are not UTF-8.
    """
    text = given if isinstance(given, str) else given.decode()
    return text.removeprefix(BYTE_ORDER_MARK).replace("\r\n", "\n")
