"""Who may have a run repeated now: for a picture, an export, a comparison, a moment of the past; or a file checked.

Such work takes a core for seconds. A few are done at once, some more wait until it is their turn, and no visitor has
more than a few of them; whoever finds the queue full gets at once the time after which to ask again.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Any, Final

from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from playground.callers import request_callers
from playground.callers.request_callers import RequestCaller
from playground.limits import page_scheduler
from playground.limits.work_places import USUAL, PlacesFull, WorkPlaces
from playground.texts.page_message import PageMessage

PLACES: Final = 1 + max(2, os.cpu_count() or 1)
"""One caller keeps all processors busy; the last place is for others."""
WAITING: Final = 48
PICTURES_PER_VISITOR: Final = 16
"""A page on a subject has a stage for each of its runs, and their pictures are asked for at once."""
PATIENCE_S: Final = 20.0
SHORT_BYTES: Final = 8 * 1024
"""A scenario of so many bytes is checked in some milliseconds."""
AGAIN_S: Final = 10
"""When to ask again."""

TEXT = _("This server is repeating as many runs as it can. Ask again in %(seconds)s seconds.")
YOURS_TEXT = _("Some runs of yours are being repeated already. Ask again in %(seconds)s seconds.")


class GateBusy(Exception):
    """There is no place now: nothing is wrong with what was asked. It is answered with 503 and a time."""

    def __init__(self, text: Any) -> None:
        super().__init__()
        self.message = PageMessage(text, seconds=AGAIN_S)

    def __str__(self) -> str:
        return str(self.message)


class RepeatGate:
    """Places for work, and a queue before them. For threads.

    Args:
        places: pieces of work at the same time.
        waiting: most that wait.
        patience_s: longest that one waits.
    """

    def __init__(self, places: int = PLACES, waiting: int = WAITING, patience_s: float = PATIENCE_S) -> None:
        self._places = WorkPlaces(places, waiting)
        self._patience_s = patience_s

    @contextlib.contextmanager
    def place(self, caller: RequestCaller, *, picture: bool = False) -> Iterator[None]:
        """Hold a place, waiting for it if need be; whoever has one needs no turn among the pages.

        Args:
            picture: it is for one of a page's pictures, of which a visitor may have more.

        Raises:
            Busy: there is none, or this visitor has too many.
        """
        most, kind = (PICTURES_PER_VISITOR, "picture") if picture else (USUAL, "")
        with page_scheduler.aside():
            try:
                ticket = self._places.enter(caller, most, kind)
            except PlacesFull as full:
                raise GateBusy(YOURS_TEXT if full.yours else TEXT) from None
            try:
                self._places.wait(ticket, self._patience_s)
                yield
            except PlacesFull:
                raise GateBusy(TEXT) from None
            finally:
                self._places.leave(ticket)


gate = RepeatGate()


def for_text(request: HttpRequest, size_bytes: int) -> contextlib.AbstractContextManager[None]:
    """Hold a place for checking a scenario that somebody brings; a short one is checked at once."""
    return for_request(request) if size_bytes > SHORT_BYTES else contextlib.nullcontext()


def for_request(request: HttpRequest, *, picture: bool = False) -> contextlib.AbstractContextManager[None]:
    """Hold a place for whoever asks; `picture` where it is for one of a page's pictures."""
    return gate.place(request_callers.of_request(request), picture=picture)


def for_present() -> contextlib.AbstractContextManager[None]:
    """Hold a place for whoever sent the request that is being answered."""
    return gate.place(request_callers.present())
