"""Rate limits. The caller passes the time."""

from __future__ import annotations

import hashlib
import logging
import time
from collections import Counter, OrderedDict
from functools import cache as kept
from typing import Final, TypeVar

import msgspec
from django.conf import settings
from django.core.cache import cache

from playground import environment
from playground.limits import session_limits

Key = TypeVar("Key")


def take_from(counts: dict[Key, int], key: Key, count: int = 1) -> None:
    """Make a count smaller; one of which nothing is left is forgotten."""
    left = counts.pop(key, 0) - count
    if left > 0:
        counts[key] = left


class HeldQuotas:
    """Counts what callers hold at a time. For one thread, or one event loop."""

    def __init__(self) -> None:
        self._held: Counter[str] = Counter()

    def take(self, bounds: dict[str, int]) -> str | None:
        """Take one for every caller in `bounds`; if a bound is reached, take none and return that caller."""
        for caller, most in bounds.items():
            if self._held[caller] >= most:
                return caller
        self._held.update(bounds.keys())
        return None

    def give_back(self, callers: dict[str, int]) -> None:
        """Give back what `take` took; callers that hold nothing are forgotten."""
        for caller in callers:
            take_from(self._held, caller)


logger = logging.getLogger(__name__)

MINUTE_S: Final = 60
PER_MINUTE: Final[dict[str, int | str]] = {
    "new": "new_per_minute",
    "reads": "reads_per_minute",
    "launches": "launches_per_minute",
    "past": "past_per_minute",
    "signup": 5,
    "recover": 5,  # tries, at some 79 bits
    "login": 10,  # wrong or right
    "login-name": 5,  # for one name, from one address: a stranger elsewhere cannot lock a teacher out
    "join": 60,  # a whole class behind one address, and hopeless for guessing 40 bits
    "teacher": 240,  # of one teacher
    "vote": 30,  # of one student
    "attempts": 20,  # answers of one learner, to all exercises together
}
"""Actions per minute of one address or class: a number, or the name of a session limit."""


class RateBucket:
    """Fills with `per_s` tokens a second up to `most`; each action takes one, a large one more."""

    def __init__(self, per_s: float, most: float, now_s: float) -> None:
        self.per_s, self.most = per_s, most
        self._tokens, self._at_s = most, now_s

    def take(self, now_s: float) -> bool:
        self.spend(now_s, 0)
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True

    def spend(self, now_s: float, count: int) -> None:
        """Take this many tokens, even if there are fewer: the debt must fill up first."""
        self._tokens = min(self.most, self._tokens + (now_s - self._at_s) * self.per_s) - count
        self._at_s = now_s


class RateBuckets:
    """One bucket for each caller; the callers seen longest ago are forgotten."""

    def __init__(self, per_s: float, most: float, remember: int = 10_000) -> None:
        self.per_s, self.most, self.remember = per_s, most, remember
        self._by_caller: OrderedDict[str, RateBucket] = OrderedDict()

    def take(self, caller: str, now_s: float) -> bool:
        return self._of(caller, now_s).take(now_s)

    def spend(self, caller: str, now_s: float, count: int) -> None:
        """Take so many tokens of this caller's bucket, though there may be fewer."""
        if count:
            self._of(caller, now_s).spend(now_s, count)

    def _of(self, caller: str, now_s: float) -> RateBucket:
        bucket = self._by_caller.pop(caller, None) or RateBucket(self.per_s, self.most, now_s)
        self._by_caller[caller] = bucket
        while len(self._by_caller) > self.remember:
            self._by_caller.popitem(last=False)
        return bucket


class SharedBuckets:
    """Counts each caller's actions within a minute, for all processes together, or for this one without a
    shared cache.
    """

    def __init__(self, name: str, most: int) -> None:
        self.name, self.most = name, most
        self._alone = RateBuckets(most / MINUTE_S, most)

    def take(self, caller: str, now_s: float) -> bool:
        """Count an action of this caller if there is room for one."""
        count = self._count(caller, 1)
        return self._alone.take(caller, now_s) if count is None else count <= self.most

    def spend(self, caller: str, now_s: float, count: int) -> None:
        """Count this many actions of the caller, even if there is no room."""
        if count and self._count(caller, count) is None:
            self._alone.spend(caller, now_s, count)

    def _count(self, caller: str, more: int) -> int | None:
        """Count actions together with all other processes; None where that cannot be done."""
        if not settings.REDIS:
            return None
        # An address is kept for a minute, and not as it is.
        who = hashlib.blake2b(caller.encode(), key=settings.SECRET_KEY.encode()[:64], digest_size=12)
        key = f"{self.name}:{who.hexdigest()}"
        try:
            cache.add(key, 0, MINUTE_S)  # counts until a minute after the first one
            return int(cache.incr(key, more))
        except Exception:
            logger.warning("what all processes do together cannot be counted now", exc_info=True)
            return None


@kept
def _buckets(what: str) -> SharedBuckets:
    most = PER_MINUTE[what]
    return SharedBuckets(what, getattr(session_limits.current(), most) if isinstance(most, str) else most)


def take(what: str, who: str) -> bool:
    """Count something that somebody does; return whether there was room for it. `what`: a key of PER_MINUTE. `who`: a
    caller's group, or whoever the table says.
    """
    return _buckets(what).take(who, time.monotonic())


def spend(what: str, who: str, count: int) -> None:
    _buckets(what).spend(who, time.monotonic(), count)


def forget() -> None:
    _buckets.cache_clear()


SCENARIO_BYTES: Final = environment.integer("WATERLINE_SCENARIO_BYTES", 512 * 1024)
FORM_BYTES: Final = SCENARIO_BYTES + 64 * 1024
"""Of a form with a scenario in it."""
MEBI: Final = 1024 * 1024


class BodyBound(msgspec.Struct, frozen=True):
    """The bound of bodies for some paths. `within_s`: seconds within which it must arrive."""

    most_bytes: int
    within_s: float


FILES: Final = BodyBound(40 * MEBI, 300)
"""Where a broker's files are given."""
TEXTS: Final = BodyBound(max(MEBI, FORM_BYTES), 60)
"""Where a scenario, an exercise or a person's work is given."""
FORMS: Final = BodyBound(128 * 1024, 30)
"""Everywhere else."""
BODIES: Final = {
    "/inspect/": FILES,
    "/s/import": TEXTS,
    "/library/": TEXTS,
    "/learn/bring": TEXTS,
    "/learn/made/": TEXTS,
    "/whatif/own/": TEXTS,
}
"""By what the path begins with."""
BODIES_BYTES: Final = 160 * MEBI
"""Most bytes of all bodies that one process receives or has not answered yet."""
BODIES_BYTES_EACH: Final = 2 * FILES.most_bytes
"""The same for one address."""
SENDERS_EACH: Final = 4
"""Requests with files that one address may send at the same time, as the proxy counts."""

HEAD_S: Final = 20
"""Seconds within which a request's head must arrive; a silent connection is closed then."""
CONNECTIONS_EACH: Final = environment.integer(
    "WATERLINE_CONNECTIONS_PER_ADDRESS",
    max(1024, 2 * environment.integer("WATERLINE_SOCKETS_PER_ADDRESS", 512)),
)
"""Of one address, sockets among them."""
KEPT_FREE: Final = 256
"""Handles that are not for connections: files, workers, the database."""


def body_of(path: str) -> BodyBound:
    return next((body for prefix, body in BODIES.items() if path.startswith(prefix)), FORMS)


class RequestBudget:
    """Counts the bytes of bodies in memory, in total and for each address."""

    def __init__(self, most: int = BODIES_BYTES, most_each: int = BODIES_BYTES_EACH) -> None:
        self._most = most
        self._most_each = most_each
        self._used: dict[str, int] = {}
        self.in_all = 0

    def take(self, address: str, count: int) -> bool:
        """Take bytes if there are so many left."""
        used = self._used.get(address, 0)
        if self.in_all + count > self._most or used + count > self._most_each:
            return False
        self.in_all += count
        self._used[address] = used + count
        return True

    def give_back(self, address: str, count: int) -> None:
        self.in_all -= count
        take_from(self._used, address, count)
