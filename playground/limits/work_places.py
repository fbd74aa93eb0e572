"""Places for work, with a queue: callers take turns, and no caller gets all places, so there is always one for
others. If too many wait, the group with the most requests loses its last one, so that nobody with fewer is refused.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections import Counter, OrderedDict, deque
from collections.abc import Iterator
from typing import Any, Final, Generic, TypeVar

from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from playground.limits import page_scheduler, rate_limits, request_callers
from playground.limits.request_callers import RequestCaller
from playground.texts import PageMessage

T = TypeVar("T")

WAITS, WORKS, OVER = "waits", "works", "over"
USUAL: Final = 3
"""Pieces of work of one visitor that run or wait at the same time."""


class PlacesFull(Exception):
    """There is no place now. `yours`: the visitor has too many already; else too many others wait."""

    def __init__(self, yours: bool) -> None:
        super().__init__()
        self.yours = yours


class CallerLanes(Generic[T]):
    """A queue with a lane for each group; the lanes take turns. Not thread-safe."""

    def __init__(self) -> None:
        self._lanes: OrderedDict[str, deque[T]] = OrderedDict()
        self.count = 0

    def add(self, group: str, waiting: T) -> None:
        """Let something wait behind others of its group."""
        self._lanes.setdefault(group, deque()).append(waiting)
        self.count += 1

    def first(self, *, without: frozenset[str] = frozenset()) -> T | None:
        """Return the next item, except of some groups; None if nothing waits."""
        return next((lane[0] for group, lane in self._lanes.items() if group not in without), None)

    def remove(self, group: str, waiting: T, *, has_its_turn: bool = False) -> None:
        """Take out what waits; a group that has its turn comes last then."""
        lane = self._lanes[group]
        lane.remove(waiting)
        self.count -= 1
        if not lane:
            del self._lanes[group]
        elif has_its_turn:
            self._lanes.move_to_end(group)

    def last_of_longest(self) -> T:
        """Return the last item of the group with the most; of several such groups, the one with the latest item."""
        return max(reversed(self._lanes.values()), key=len)[-1]

    def ahead(self, group: str, waiting: T) -> int:
        at = self._lanes[group].index(waiting)
        ahead, comes_first = at, True
        for other, lane in self._lanes.items():
            if other == group:
                comes_first = False
            else:
                ahead += min(len(lane), at + comes_first)
        return ahead


class PlaceTicket:
    """A caller that has a place or waits for one."""

    def __init__(self, caller: RequestCaller, kind: str) -> None:
        self.caller = caller
        self.kind = kind
        self.state = WAITS


class WorkPlaces:
    """Places, and those who wait for them. For threads and event loops. `count`: pieces of work at the same time; one
    caller has at most one less. `waiting`: most that wait.
    """

    def __init__(self, count: int, waiting: int) -> None:
        self._free = count
        self._each = max(1, count - 1)
        self._waiting = waiting
        self._lanes: CallerLanes[PlaceTicket] = CallerLanes()
        self._running: Counter[str] = Counter()
        self._held: Counter[tuple[RequestCaller, str]] = Counter()
        self._changed = threading.Condition()

    def enter(self, caller: RequestCaller, most: int = USUAL, kind: str = "") -> PlaceTicket:
        """Begin to wait.

        Args:
            caller: who wants to work.
            most: pieces of work of this kind that one visitor has.
            kind: what it is, where there are several kinds.

        Raises:
            PlacesFull: there are too many already, of this visitor or in all.
        """
        with self._changed:
            if self._held[caller, kind] >= most:
                raise PlacesFull(yours=True)
            ticket = PlaceTicket(caller, kind)
            self._held[caller, kind] += 1
            self._lanes.add(caller.group, ticket)
            if self._lanes.count > self._waiting and not self._begin(ticket):
                self._leave(self._lanes.last_of_longest())
                if ticket.state == OVER:
                    raise PlacesFull(yours=False)
            return ticket

    def ahead(self, ticket: PlaceTicket) -> int:
        """Return how many are ahead; 0 if the ticket now has a place. Raises PlacesFull if it no longer waits."""
        with self._changed:
            if ticket.state == OVER:
                raise PlacesFull(yours=False)
            return 0 if self._begin(ticket) else self._lanes.ahead(ticket.caller.group, ticket) + 1

    def wait(self, ticket: PlaceTicket, patience_s: float) -> None:
        """Wait for the place in a thread; if it does not come in time, raise PlacesFull and stop waiting."""
        with self._changed:
            self._changed.wait_for(lambda: ticket.state == OVER or self._begin(ticket), patience_s)
            if ticket.state != WORKS:
                self._leave(ticket)
                raise PlacesFull(yours=False)

    def leave(self, ticket: PlaceTicket) -> None:
        """Give back a place, or wait no longer. May be called again."""
        with self._changed:
            self._leave(ticket)

    def _begin(self, ticket: PlaceTicket) -> bool:
        """Take a place if one is free and it is this one's turn; return whether it has one."""
        if ticket.state != WAITS:
            return ticket.state == WORKS
        full = frozenset(group for group, count in self._running.items() if group and count >= self._each)
        if not self._free or self._lanes.first(without=full) is not ticket:
            return False
        self._lanes.remove(ticket.caller.group, ticket, has_its_turn=True)
        ticket.state = WORKS
        self._free -= 1
        self._running[ticket.caller.group] += 1
        self._changed.notify_all()  # somebody else's turn may be now
        return True

    def _leave(self, ticket: PlaceTicket) -> None:
        if ticket.state == WAITS:
            self._lanes.remove(ticket.caller.group, ticket)
        elif ticket.state == WORKS:
            self._free += 1
            rate_limits.take_from(self._running, ticket.caller.group)
        else:
            return
        ticket.state = OVER
        rate_limits.take_from(self._held, (ticket.caller, ticket.kind))
        self._changed.notify_all()


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
    """There is no place now, although the request is valid. The answer is 503 and a time."""

    def __init__(self, text: Any) -> None:
        super().__init__()
        self.message = PageMessage(text, seconds=AGAIN_S)

    def __str__(self) -> str:
        return str(self.message)


class RepeatGate:
    """Places for work, and a queue before them. For threads. `places`: pieces of work at the same time. `waiting`:
    most that wait. `patience_s`: longest that one waits.
    """

    def __init__(self, places: int = PLACES, waiting: int = WAITING, patience_s: float = PATIENCE_S) -> None:
        self._places = WorkPlaces(places, waiting)
        self._patience_s = patience_s

    @contextlib.contextmanager
    def place(self, caller: RequestCaller, *, picture: bool = False) -> Iterator[None]:
        """Hold a place, waiting for it if needed; a request with a place needs no turn among the pages. `picture`: it
        is for one of a page's pictures, of which a visitor may have more. Raises GateBusy: there is none, or this
        visitor has too many.
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
