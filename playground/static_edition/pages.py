"""The server's own pages in one language: each is asked for as a browser would, and so are those that it links to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from django.test import Client

from playground.static_edition.addresses import is_there, page_of

BEGIN: Final = (
    "/library/",
    "/subjects/",
    "/glossary/",
    "/glossary/words.json",
    "/rules/",
    "/learn/",
    "/whatif/",
)
MORE: Final = ("/fidelity/", "/i18n/catalog.js", "/schema/scenario-v1.json")
OWN: Final = frozenset(("home", "playground", "needs-a-server", "exercise", "example", "inspect"))
"""Names of pages that the edition has templates of its own for, as the server's show what only a server has."""
_LINKED = re.compile(r'href="(/[^"?#]*)"')


def pages(
    language: str, begin: tuple[str, ...] = (*BEGIN, *MORE), *, follow: bool = True
) -> Iterator[tuple[str, bytes]]:
    """Yield the path of each page, and what the server answers there.

    Args:
        language: of the pages.
        begin: where to begin.
        follow: whether what these link to follows, as far as the edition has it.
    """
    client = Client(SERVER_NAME="localhost", headers={"accept-language": language})
    waiting, seen = list(begin), set(begin)
    while waiting:
        path = waiting.pop()
        answer = client.get(path, follow=True)
        if answer.reason_phrase != "OK":
            raise ValueError(f"{path} answers {answer.reason_phrase}")
        body = answer.getvalue()
        yield path, body
        if not follow or not answer["Content-Type"].startswith("text/html"):
            continue
        found = {
            each for each in _LINKED.findall(body.decode()) if is_there(each) and page_of(each) not in OWN
        }
        waiting += sorted(found - seen)
        seen |= found


def permalinks() -> Mapping[str, str]:
    """Return the ready scenarios by the names that links give them."""
    from playground.records import selectors  # noqa: PLC0415 - the settings are named by now

    return {kept.short_id: kept.slug for kept in selectors.library() if kept.slug}
