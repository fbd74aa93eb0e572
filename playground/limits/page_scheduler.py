"""Schedules pages: one is made at a time, so that sessions' messages need not wait for them.

Each page is made in a thread, and all threads of a process share one lock (the GIL) with the event loop that
carries commands, frames and what a teacher does. With a hundred pages in progress, the loop would wait for
dozens of threads before each message. So one page is made at a time, and a page that waits for something else gives
its turn away (`aside`).

Requests wait in lanes: one for each address and each part of the site (`PARTS`). Lanes take turns. So a class
that sends all its answers at once does not delay the teacher who freezes it, and somebody who requests a
thousand pages does not delay others. In a lane, form posts come first, then the pages to which they redirect,
so that submitting an answer never waits behind page views. On a busy machine, pages would take processor time
that engines need for commands. So while commands are late, a pause follows each turn. Forms skip the pause, because
what somebody answered is to be recorded like a command, and so do all requests of a class, because a teacher who
freezes it needs silence at once.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import ContextVar
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from asgiref.sync import ThreadSensitiveContext

from playground.limits.request_callers import address_of

AT_ONCE: Final = 1
"""Pages made at a time. Python runs one thread at a time: with a second page, the loop would only wait for two."""
WAITING: Final = 1000
"""Most waiting requests; the next one gets 503."""
PARTS: Final = frozenset({"class", "learn", "s", "static"})
"""First parts of paths that have their own lanes, because a lesson uses them at the same time."""
PROMPT: Final = "class"
"""The part of the site that skips pauses, as forms do everywhere."""
IN_A_ROW: Final = 3
"""Form requests in a row before a page view gets a turn, so that a flood of forms cannot block it."""
MOST_LED: Final = 1000
"""Most remembered redirects whose page nobody has opened yet; the oldest are forgotten."""
MOST_REST_S: Final = 0.3
"""Longest pause, so that a class of 300 on one process gets its pages in time."""
PATIENCE_S: Final = 60.0
"""How long a request waits before it is answered with 503."""

MOST_IDLE: Final = 8
"""Threads kept for the next pages."""

Ticket = tuple[float, Future[None]]
"""When a request arrived, and what gives it its turn."""

App = Callable[[Any, Any, Any], Awaitable[None]]
Busy = Callable[[Any, Any], Awaitable[None]]


class PagesOverfull(Exception):
    """Too many requests wait, or this one has waited for too long."""


class PageLane:
    """Requests that wait in one lane. `prompt`: whether all of them skip pauses, not only forms."""

    def __init__(self, prompt: bool) -> None:
        self._prompt = prompt
        self._forms: deque[Ticket] = deque()
        self._led: deque[Ticket] = deque()
        self._opening: deque[Ticket] = deque()
        self._in_a_row = 0

    def __bool__(self) -> bool:
        return bool(self._forms or self._led or self._opening)

    @property
    def since_s(self) -> float:
        """Arrival of the request that has waited longest."""
        return min(each[0][0] for each in (self._forms, self._led, self._opening) if each)

    @property
    def skips_pauses(self) -> bool:
        """Whether some request does."""
        return self._prompt or bool(self._forms)

    def add(self, ticket: Ticket, goes_on: bool, sends: bool) -> None:
        """Let a request wait, behind others of its kind."""
        (self._forms if sends else self._led if goes_on else self._opening).append(ticket)

    def next(self, rests: bool) -> Future[None]:
        """Take the next one. `rests`: only one that skips pauses."""
        goes_on = self._forms or self._led
        first = goes_on and not (self._opening and self._in_a_row >= IN_A_ROW)
        if rests and not self._prompt:
            first, goes_on = True, self._forms
        self._in_a_row = self._in_a_row + 1 if first else 0
        return (goes_on if first else self._opening).popleft()[1]


class PageScheduler:
    """Gives turns, and lets requests wait for them. For threads and for the event loop.

    Args:
        at_once: turns at the same time.
        waiting: most requests that wait.
        patience_s: longest that one waits.
        clock: seconds.
    """

    def __init__(
        self,
        at_once: int = AT_ONCE,
        waiting: int = WAITING,
        patience_s: float = PATIENCE_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._free = at_once
        self._waiting = waiting
        self._patience_s = patience_s
        self._clock = clock
        self.pressure: Callable[[], float] = lambda: 1.0
        """Length of a turn with its pause, as a multiple of its work; set from outside."""
        self._lock = threading.Lock()
        self._resting: set[object] = set()
        """Finished turns that are still in their pause."""
        self._returning: deque[Future[None]] = deque()
        """Requests that gave up their turn for a while; they come before all others."""
        self._lanes: OrderedDict[str, PageLane] = OrderedDict()
        """Lanes in the order of their turns."""
        self._count = 0

    def late_s(self) -> float:
        """Return the longest current wait, in seconds."""
        with self._lock:
            since_s = min((lane.since_s for lane in self._lanes.values()), default=None)
        return 0.0 if since_s is None else self._clock() - since_s

    async def take(self, lane: str, goes_on: bool = False, sends: bool = False) -> PageTurn:
        """Wait for a turn.

        Args:
            lane: of the request; lanes take turns.
            goes_on: whether it is a form post or its redirect, which come first.
            sends: whether it is a form post, which skips pauses.

        Raises:
            Overfull: too many are waiting, or this one has waited too long.
        """
        ticket = self._ticket(lane, goes_on, sends)
        if ticket is not None:
            try:
                async with asyncio.timeout(self._patience_s):
                    await asyncio.wrap_future(ticket)
            except TimeoutError:
                self._leave(ticket)
                raise PagesOverfull from None
            except asyncio.CancelledError:
                self._leave(ticket)
                raise
        return PageTurn(self, self._clock)

    def _ticket(self, lane: str, goes_on: bool, sends: bool) -> Future[None] | None:
        with self._lock:
            if self._free > 0:
                self._free -= 1
                return None
            prompt = lane.rpartition(" ")[2] == PROMPT
            if self._resting and (sends or prompt):
                self._resting.pop()
                return None
            if self._count >= self._waiting:
                raise PagesOverfull
            ticket: Future[None] = Future()
            self._lanes.setdefault(lane, PageLane(prompt)).add((self._clock(), ticket), goes_on, sends)
            self._count += 1
            return ticket

    def _leave(self, ticket: Future[None]) -> None:
        """Stop waiting, and give back a turn that has just come."""
        if not ticket.cancel():
            self.give_back()

    def take_again(self) -> None:
        """Wait in a thread for a turn, ahead of requests that have had none."""
        with self._lock:
            if self._free > 0:
                self._free -= 1
                return
            ticket: Future[None] = Future()
            self._returning.append(ticket)
        ticket.result()

    def give_back(self) -> None:
        """End a turn: the next one begins."""

        def be_free() -> None:
            self._free += 1

        self._hand_on(be_free)

    def end(self, worked_s: float) -> None:
        """End a turn in which a page was made; the next one begins, after a pause if needed. In the event loop.
        `worked_s`: seconds of work.
        """
        rest_s = min(MOST_REST_S, worked_s * (self.pressure() - 1))
        if rest_s <= 0:
            self.give_back()
            return
        rest = object()
        self._hand_on(lambda: self._resting.add(rest), rests=True)
        if rest in self._resting:
            asyncio.get_running_loop().call_later(rest_s, self._rested, rest)

    def _rested(self, rest: object) -> None:
        with self._lock:
            if rest not in self._resting:  # somebody did not wait for it
                return
            self._resting.remove(rest)
        self.give_back()

    def _hand_on(self, otherwise: Callable[[], None], *, rests: bool = False) -> None:
        """Start the next turn, if a request waits. `rests`: only for requests that skip pauses."""
        while True:
            with self._lock:
                ticket = self._next(rests)
                if ticket is None:
                    otherwise()
                    return
            if ticket.set_running_or_notify_cancel():  # else it waits no longer
                ticket.set_result(None)
                return

    def _next(self, rests: bool) -> Future[None] | None:
        if self._returning and not rests:
            return self._returning.popleft()
        name = next((each for each, lane in self._lanes.items() if not rests or lane.skips_pauses), None)
        if name is None:
            return None
        lane = self._lanes.pop(name)
        ticket = lane.next(rests)
        self._count -= 1
        if lane:
            self._lanes[name] = lane
        return ticket


class PageTurn:
    """One request's turn. `clock`: seconds."""

    def __init__(self, turns: PageScheduler, clock: Callable[[], float]) -> None:
        self._turns = turns
        self._clock = clock
        self._since_s = clock()
        self._lock = threading.Lock()
        self._held = True
        self._over = False

    def end(self) -> None:
        """End it for good. May be called again. In the event loop."""
        with self._lock:
            held, self._held, self._over = self._held, False, True
        if held:
            self._turns.end(self._clock() - self._since_s)

    @contextlib.contextmanager
    def aside(self) -> Iterator[None]:
        """Give up the turn for a while. For the thread in which the page is made."""
        with self._lock:
            held, self._held = self._held, False
        if held:
            self._turns.give_back()
        try:
            yield
        finally:
            if held:
                self._come_back()

    def _come_back(self) -> None:
        if self._over:
            return
        self._turns.take_again()
        self._since_s = self._clock()
        with self._lock:
            self._held = not self._over
        if not self._held:
            self._turns.give_back()


_turn: ContextVar[PageTurn | None] = ContextVar("turn", default=None)


@contextlib.contextmanager
def aside() -> Iterator[None]:
    """Let other pages be made while this one waits, or works in a place of its own."""
    turn = _turn.get()
    with contextlib.nullcontext() if turn is None else turn.aside():
        yield


class PageThreads:
    """Threads in which pages are made, one after the other in each. To start one for each page, as Django does, would
    hold up the loop for milliseconds while other threads work.
    """

    def __init__(self) -> None:
        self._idle: deque[ThreadPoolExecutor] = deque()

    @contextlib.asynccontextmanager
    async def one(self) -> AsyncIterator[None]:
        """Let what is synchronous in a request run in one thread."""
        thread = self._idle.pop() if self._idle else ThreadPoolExecutor(1, thread_name_prefix="page")
        try:
            async with ThreadSensitiveContext(executor=thread):
                yield
        finally:  # it may still work for a request that was given up
            thread.submit(int).add_done_callback(lambda _done: self._take_back(thread))

    def _take_back(self, thread: ThreadPoolExecutor) -> None:
        if len(self._idle) < MOST_IDLE:
            self._idle.append(thread)
        else:
            thread.shutdown(wait=False)


class InTurn:
    """Passes each request to an ASGI application when it has its turn, which ends when its answer begins.
    `application`: makes pages. `busy`: ASGI application that answers requests that cannot wait.
    """

    def __init__(self, application: App, busy: Busy, turns: PageScheduler) -> None:
        self._application = application
        self._busy = busy
        self._turns = turns
        self._threads = PageThreads()
        self._led: OrderedDict[tuple[str, str], int] = OrderedDict()
        """How often an answer led an address to a path that it has not opened since."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        try:
            turn = await self._turns.take(lane_of(scope), self._goes_on(scope), _sends(scope))
        except PagesOverfull:
            await self._busy(scope, send)
            return

        async def answer(message: Any) -> None:
            turn.end()
            self._lead(scope, message)
            await send(message)

        _turn.set(turn)
        try:
            async with self._threads.one():
                await self._application(scope, receive, answer)
        finally:
            turn.end()

    def _goes_on(self, scope: Any) -> bool:
        """Return whether a request sends a form or follows a form's redirect."""
        if _sends(scope):
            return True
        place = address_of(scope), str(scope.get("path", ""))
        count = self._led.pop(place, 0)
        if count > 1:
            self._led[place] = count - 1
        return count > 0

    def _lead(self, scope: Any, message: Any) -> None:
        """Note the target of a form's redirect."""
        if message.get("status") not in LEADING or not _sends(scope):
            return
        target = next(
            (value for name, value in message.get("headers", ()) if name.lower() == b"location"), b""
        )
        place = address_of(scope), unquote(urlsplit(target.decode("latin-1")).path)
        self._led[place] = self._led.pop(place, 0) + 1
        if len(self._led) > MOST_LED:
            self._led.popitem(last=False)


LEADING: Final = frozenset({302, 303})
"""The page to which these lead is got, whatever was sent."""


def _sends(scope: Any) -> bool:
    return scope.get("method") not in {"GET", "HEAD"}


def lane_of(scope: dict[str, Any]) -> str:
    """Return a request's lane: its address and part of the site."""
    part = str(scope.get("path", "")).lstrip("/").split("/", 1)[0]
    return f"{address_of(scope)} {part if part in PARTS else ''}"


turns = PageScheduler()
