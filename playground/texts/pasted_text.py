"""Texts that people paste or upload, as they wrote them."""

from __future__ import annotations

import re
import textwrap
from typing import Final

BYTE_ORDER_MARK: Final = "\N{ZERO WIDTH NO-BREAK SPACE}"
"""Some editors begin a text with it."""
COLOUR: Final = re.compile(r"\x1b\[[0-9;]*m")
"""What a terminal's tools write for colours."""
FENCE: Final = re.compile(r"^```\w*$", re.MULTILINE)
QUOTED: Final = re.compile(r"^> ?", re.MULTILINE)
"""How the lines of a mail begin that somebody answers."""


def text_of(given: bytes | str) -> str:
    """Return a text without its byte order mark, and with the line breaks that it had before a form sent it.

    Raises UnicodeDecodeError for bytes that are not UTF-8.
    """
    text = given if isinstance(given, str) else given.decode()
    return text.removeprefix(BYTE_ORDER_MARK).replace("\r\n", "\n")


def bare_text(given: str) -> str:
    """Return what a tool printed without what a terminal, a mail, or a page adds to it; lines keep their numbers."""
    text = FENCE.sub("", COLOUR.sub("", text_of(given)))
    if all(line.startswith(">") for line in text.splitlines() if line.strip()):
        text = QUOTED.sub("", text)
    return textwrap.dedent(text)
