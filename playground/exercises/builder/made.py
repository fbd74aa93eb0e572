"""Made exercises as rows: kept, read as the files are, listed, taken along and brought back."""

from __future__ import annotations

import json
import secrets
from functools import lru_cache
from typing import Any

from django.utils import timezone

from playground.exercises import authors, catalog
from playground.exercises.builder.drafts import proved
from playground.exercises.models import Made
from playground.exercises.schema import MADE
from playground.hosting.session_record import ALPHABET
from playground.texts.page_message import RequestRefused
from playground.texts.pasted_text import text_of

PREFIX = "made-"
LETTERS = 12
MOST_OF_ONE = 100
MOST_BYTES = 64 * 1024
FORMAT = "waterline-exercise-1"


def keep(author: Any, plain: dict[str, Any]) -> Made:
    """Store the content of an exercise that the engine has checked. A row never changes. Raises `RequestRefused`."""
    if Made.objects.filter(author=author).count() >= MOST_OF_ONE:
        raise RequestRefused(authors.TOO_MANY_MADE, most=MOST_OF_ONE)
    proved(plain)
    slug = PREFIX + "".join(secrets.choice(ALPHABET) for _each in range(LETTERS))
    return Made.objects.create(slug=slug, author=author, content=plain, created=timezone.now())


@lru_cache(maxsize=500)
def _kept(slug: str) -> dict[str, Any] | None:
    found = Made.objects.filter(slug=slug).values_list("content", flat=True).first()
    if found is None:
        return None
    plain: dict[str, Any] = found
    return {**plain, "slug": slug, "unit": MADE}


def content_of(slug: str) -> dict[str, Any] | None:
    """Return the content of a made exercise; None where there is none. Rows never change, so it is read once."""
    if not slug.startswith(PREFIX):
        return None
    found = _kept(slug)
    if found is None:
        _kept.cache_clear()  # it may be made any time
    return found


def delete(author: Any, slug: str) -> None:
    """Delete an exercise of this author; whoever works on it loses the page, not the answers."""
    Made.objects.filter(author=author, slug=slug).delete()
    forget()


def forget() -> None:
    _kept.cache_clear()
    catalog.forget_made()


def as_file(made: Made) -> str:
    return json.dumps({"format": FORMAT, "exercise": made.content}, ensure_ascii=False, indent=1)


def of_file(text: str) -> dict[str, Any]:
    """Return the content of a file, not proved yet, or raise `RequestRefused`."""
    if len(text.encode()) > MOST_BYTES:
        raise RequestRefused(authors.NO_EXERCISE, problem=f"> {MOST_BYTES} B")
    try:
        found = json.loads(text_of(text))
    except (ValueError, RecursionError):
        raise RequestRefused(authors.NO_EXERCISE, problem=authors.NO_JSON) from None
    content = found.get("exercise") if isinstance(found, dict) and found.get("format") == FORMAT else None
    if not isinstance(content, dict):
        raise RequestRefused(authors.NO_EXERCISE, problem=FORMAT)
    return {name: value for name, value in content.items() if name not in {"slug", "unit"}}
