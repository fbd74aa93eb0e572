"""Where the links of a written edition lead: pages, styles, scripts and pictures must all be files of it."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from playground.server.static_assets import IMPORTED

_IN_PAGES: Final = re.compile(
    r'(?<= )(?:href|src|data-words|data-sprite|data-root|data-rules|data-lead)="([^"]*)"'
)
_IN_STYLES: Final = re.compile(r"(?:url\(|@import )[\"']?([^\"')]+)")
_BESIDE_SCRIPTS: Final = re.compile(r'new URL\("([^"]*)", import\.meta\.url')
_ELSEWHERE: Final = re.compile(r"[a-z]+:")
_NAMES: Final = re.compile(r' id="([^"]*)"')
_DATA: Final = re.compile(r'<script[^>]*type="application/json"[^>]*>.*?</script>', re.DOTALL)
_COMMENTS: Final = re.compile(r"/\*.*?\*/", re.DOTALL)
LINKS: Final = {
    ".html": (_DATA, (_IN_PAGES,)),
    ".css": (_COMMENTS, (_IN_STYLES,)),
    ".js": (_COMMENTS, (IMPORTED, _BESIDE_SCRIPTS)),
}
"""How the files of each suffix name others, and what of them is not looked at."""
BY_SCRIPT: Final = frozenset(("#",))
"""Links that a script takes care of."""
_RUN: Final = re.compile(r"x=[A-Za-z0-9_-]+(?:&at=\d+)?")
"""A run that a link carries behind its hash, which the script of the live page plays: no id of an element."""


def astray(out: Path, left_out: frozenset[Path] = frozenset()) -> list[str]:
    """Return each link of an edition that leads to no file of it, behind the file that has it.

    Args:
        out: where the edition was written, with the engine.
        left_out: files that it would have, were it whole.
    """
    places = _Places(frozenset(path.resolve() for path in left_out))
    pages = (path for path in sorted(out.rglob("*")) if path.suffix in LINKS and path.is_file())
    return [
        f"{path.relative_to(out).as_posix()}: {link}"
        for path in pages
        for link in sorted(set(_links(path)))
        if link not in BY_SCRIPT and not places.has(path, link)
    ]


def _links(path: Path) -> Iterator[str]:
    left_out, patterns = LINKS[path.suffix]
    text = left_out.sub("", path.read_text("utf-8"))
    for found in (each for pattern in patterns for each in pattern.findall(text)):
        link = html.unescape(found) if path.suffix == ".html" else found
        if not _ELSEWHERE.match(link):
            yield link


class _Places:
    """What was looked up once.

    Args:
        left_out: files that count as if they were there.
    """

    def __init__(self, left_out: frozenset[Path]) -> None:
        self._left_out = left_out
        self._names = cache(_names)

    def has(self, path: Path, link: str) -> bool:
        """Return whether a link leads to a file (to a folder, where it ends with a slash), and to an id in it."""
        address, _hash, name = link.partition("#")
        address = unquote(address.partition("?")[0])
        if address.startswith("/"):
            return False  # an edition lies under any path
        there = Path(path.parent, address).resolve() if address else path
        if address.endswith("/"):
            return there.is_dir()
        played = there.parent.name == "play" and _RUN.fullmatch(name)
        named = name and there.suffix in (".html", ".svg") and not played
        return (there.is_file() or there in self._left_out) and (not named or name in self._names(there))


def _names(path: Path) -> frozenset[str]:
    return frozenset(_NAMES.findall(path.read_text("utf-8")))
