"""The page's scripts and styles as text: modules named by their path, so that an import map can lead to them."""

from __future__ import annotations

import base64
import re
from posixpath import dirname, join, normpath
from typing import Final

from django.conf import settings

NAME: Final = "waterline/"
"""Before a module's path in its name: bare names are the only ones that an import map can lead anywhere from a disk."""
IMPORT: Final = re.compile(
    r'^(\s*import\s*(?:[\w*{}\s,$]*?\bfrom\s*)?|\s*export\s*[\w*{}\s,$]*?\bfrom\s*|.*?\bawait import\()"(\.[^"\n]+)"',
    re.MULTILINE,
)
COMMENT: Final = re.compile(r"^[ \t]*(?:/\*\*(?:(?!\*/).)*\*/[ \t]*|//[^\n]*)\n", re.MULTILINE | re.DOTALL)
"""On lines of its own: a cast is before what it casts, which must stay."""
URL: Final = re.compile(r'url\("\.\./([^"]+)"\)')


def read(path: str) -> str:
    """Return a text among the static files, by its path below their folder."""
    return (settings.BASE_DIR / "static" / path).read_text("utf-8")


def modules(entry: str) -> dict[str, str]:
    """Return a module and all that it imports, by name, without the comments that stand on lines of their own.

    Args:
        entry: path below the static files.
    """
    found: dict[str, str] = {}
    wanted = [entry]
    while wanted:
        path = wanted.pop()
        if NAME + path in found:
            continue

        def named(match: re.Match[str], path: str = path) -> str:
            target = normpath(join(dirname(path), match[2]))
            wanted.append(target)
            return f'{match[1]}"{NAME}{target}"'

        found[NAME + path] = IMPORT.sub(named, COMMENT.sub("", read(path)))
    return found


def styles(names: list[str]) -> str:
    """Return style sheets in one, with what they load written into it."""

    def inside(match: re.Match[str]) -> str:
        data = (settings.BASE_DIR / "static" / match[1]).read_bytes()
        return f'url("data:font/woff2;base64,{base64.b64encode(data).decode()}")'

    return "\n".join(URL.sub(inside, read(name)) for name in names)


def sprite() -> str:
    """Return the icons as a part of a page; each has an id that nothing else there has."""
    text = read("icons/sprite.svg").replace('<symbol id="', f'<symbol id="{ICON}')
    return text.replace("<svg ", '<svg hidden aria-hidden="true" ', 1)


ICON: Final = "icon-sprite#"
"""Before an icon's name in its id: the page's scripts write the sprite's address, `#`, and the name."""
