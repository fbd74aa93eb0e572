"""A page of one heading and one sentence that needs no template, no database and no other file.

For the answers that must be possible when the usual page cannot be made: too much is asked of the server, or the usual
page is what failed.
"""

from __future__ import annotations

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

_STYLE = mark_safe(
    ":root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }"
    "main { max-width: 36rem; margin: 15vh auto; padding: 0 1rem; }"
)
_PAGE = """<!doctype html>
<html lang="{}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">{}
<title>{} · Waterline</title>
<style>{}</style>
</head>
<body>
<main>
<h1>{}</h1>
<p>{}</p>{}
</main>
</body>
</html>
"""


def plain_page(
    status: int, title: str, message: str, again_s: int | None = None, back: str | None = None
) -> SafeString:
    """Return the page, in the language that is active.

    Args:
        status: of HTTP; it is in the title.
        title: the heading.
        message: one or two sentences.
        again_s: after how many seconds the page loads itself again; never if None.
        back: words of a link to the first page; no link if None.
    """
    refresh = (
        format_html('\n<meta http-equiv="refresh" content="{}">', again_s) if again_s is not None else ""
    )
    link = format_html('\n<p><a href="/">{}</a></p>', back) if back is not None else ""
    return format_html(_PAGE, get_language() or "en", refresh, status, _STYLE, title, message, link)
