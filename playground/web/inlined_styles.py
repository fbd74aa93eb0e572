"""Style sheets with all that they name written into them, for pages that are one file."""

from __future__ import annotations

import base64
import re
from posixpath import dirname, join, normpath
from typing import Final

from django.conf import settings

IMPORTED_SHEET: Final = re.compile(r'^@import "([^"]+)";$', re.MULTILINE)
"""How a style sheet names another one that it imports, by a relative path."""
URL: Final = re.compile(r'url\("\.\./([^"]+)"\)')


def styles(*names: str) -> str:
    """Return style sheets in one, with the sheets and fonts that they name.

    Args:
        names: paths below the static files.
    """

    def style(name: str) -> str:
        def imported(match: re.Match[str]) -> str:
            return style(normpath(join(dirname(name), match[1])))

        text = (settings.BASE_DIR / "static" / name).read_text("utf-8")
        return URL.sub(_loaded, IMPORTED_SHEET.sub(imported, text))

    return "\n".join(map(style, names))


def _loaded(match: re.Match[str]) -> str:
    data = (settings.BASE_DIR / "static" / match[1]).read_bytes()
    return f"url(data:font/woff2;base64,{base64.b64encode(data).decode()})"
