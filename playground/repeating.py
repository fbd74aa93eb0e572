"""Who may have a run repeated now: for a picture, an export, a comparison, a moment of the past; or a file checked.

Such work takes a core for seconds. A few are done at once, some more wait in the order in which they came, and nobody
has more than a few of them; whoever finds the queue full gets at once the time after which to ask again.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections import deque
from collections.abc import Iterator
from typing import Any, Final

from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from playground import ownership, turns
from playground.messages import Message
from playground.quotas import Quotas

PLACES: Final = max(2, os.cpu_count() or 1)
WAITING: Final = 48
PER_VISITOR: Final = 3
PICTURES_PER_VISITOR: Final = 16
"""A page on a subject has a stage for each of its runs, and their pictures are asked for at once."""
PER_ADDRESS: Final = 32
"""A class behind one address sends its answers at the same moment."""
PATIENCE_S: Final = 20.0
SHORT_BYTES: Final = 8 * 1024
"""A scenario of so many bytes is checked in some milliseconds."""
AGAIN_S: Final = 10
"""When to ask again."""

TEXT = _("This server is repeating as many runs as it can. Ask again in %(seconds)s seconds.")
YOURS_TEXT = _("Some runs of yours are being repeated already. Ask again in %(seconds)s seconds.")


class Busy(Exception):
    """There is no place now: nothing is wrong with what was asked. It is answered with 503 and a time."""

    def __init__(self, text: Any) -> None:
        super().__init__()
        self.message = Message(text, seconds=AGAIN_S)

    def __str__(self) -> str:
        return str(self.message)


class Gate:
    """Places for work, and a queue before them. For threads.

    Args:
        places: pieces of work at the same time.
        waiting: most that wait.
        patience_s: longest that one waits.
    """

    def __init__(self, places: int = PLACES, waiting: int = WAITING, patience_s: float = PATIENCE_S) -> None:
        self._free = places
        self._waiting = waiting
        self._patience_s = patience_s
        self._queue: deque[object] = deque()
        self._changed = threading.Condition()
        self._held = Quotas()

    @contextlib.contextmanager
    def place(self, visitor: str, address: str = "", *, picture: bool = False) -> Iterator[None]:
        """Hold a place, waiting for it if need be; whoever has one needs no turn among the pages.

        Args:
            picture: it is for one of a page's pictures, of which a visitor may have more.

        Raises:
            Busy: there is none, or this visitor or address has too many.
        """
        bounds = (
            {f"pictures {visitor}": PICTURES_PER_VISITOR} if picture else {f"visitor {visitor}": PER_VISITOR}
        )
        if address:
            bounds[f"address {address}"] = PER_ADDRESS
        with turns.aside(), self._one(bounds):
            yield

    @contextlib.contextmanager
    def _one(self, bounds: dict[str, int]) -> Iterator[None]:
        with self._changed:
            if self._held.take(bounds) is not None:
                raise Busy(YOURS_TEXT)
            try:
                self._wait()
            except BaseException:
                self._held.give_back(bounds)
                raise
        try:
            yield
        finally:
            with self._changed:
                self._free += 1
                self._held.give_back(bounds)
                self._changed.notify_all()

    def _wait(self) -> None:
        if self._free and not self._queue:
            self._free -= 1
            return
        if len(self._queue) >= self._waiting:
            raise Busy(TEXT)
        ticket = object()
        self._queue.append(ticket)
        try:
            if not self._changed.wait_for(lambda: self._free and self._queue[0] is ticket, self._patience_s):
                raise Busy(TEXT)
            self._free -= 1
        finally:
            self._queue.remove(ticket)
            self._changed.notify_all()


gate = Gate()


def for_text(request: HttpRequest, size_bytes: int) -> contextlib.AbstractContextManager[None]:
    """Hold a place for checking a scenario that somebody brings; a short one is checked at once."""
    return for_request(request) if size_bytes > SHORT_BYTES else contextlib.nullcontext()


def for_request(request: HttpRequest, *, picture: bool = False) -> contextlib.AbstractContextManager[None]:
    """Hold a place for whoever asks; `picture` where it is for one of a page's pictures."""
    address = request.META.get("REMOTE_ADDR") or ""
    visitor = ownership.known_visitor(request.session) or f"at {address}"
    return gate.place(visitor, address, picture=picture)
