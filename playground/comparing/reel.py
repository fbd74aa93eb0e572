"""Both runs side by side in time, from which the page plays, scrubs and explains; made in a thread of its own."""

from __future__ import annotations

import gzip
import logging
import threading
import time
from collections import OrderedDict
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from typing import Any

import msgspec

from playground import repeating
from playground.comparing import wording
from playground.comparing.divergence import Comparison, builtins
from playground.comparing.side import Side
from playground.messages import Message, Refused

logger = logging.getLogger(__name__)

MOMENTS = 240
"""Messages about each run; scrubbing goes to every transition of those that came as rows."""
MOST_S = 40.0
KEPT = 12
WAITING = 6

_encode = msgspec.json.Encoder().encode


class Making:
    """A comparison that is being made: how far it is, and in the end its bytes or why there are none."""

    def __init__(self) -> None:
        self.share = 0.0
        self.problem: Message | None = None
        self.busy: Message | None = None
        """Why it got no place."""
        self.data: bytes | None = None


def make(a: dict[str, Any], b: dict[str, Any], making: Making, clock: Any = time.monotonic) -> bytes:
    """Run both scenarios and return the compressed JSON of the reel.

    Raises Refused when that takes too long or too much.
    """
    until_us = max(a["until_us"], b["until_us"])
    deadline = clock() + MOST_S
    sides = Side(a, until_us), Side(b, until_us)
    comparison = Comparison()
    comparison.add(sides[0].first, sides[1].first)
    for moment in range(1, MOMENTS + 1):
        at_us = until_us * moment // MOMENTS
        comparison.add(*(side.go_on(at_us) for side in sides))
        making.share = moment / MOMENTS
        if clock() > deadline:
            raise Refused(wording.TOO_SLOW, most=round(MOST_S))
    comparison.end()
    return gzip.compress(
        _encode(
            {
                "until_us": until_us,
                "divergence": builtins(comparison.found),
                "sides": [
                    {"messages": side.messages, "digest": side.digest, "figures": side.figures()}
                    for side in sides
                ],
            }
        ),
        compresslevel=5,
    )


class Studio:
    """Makes comparisons in the places that there are for repeating runs, and keeps the last ones."""

    def __init__(self) -> None:
        self._executor = ThreadPoolExecutor(repeating.PLACES, thread_name_prefix="compare")
        self._lock = threading.Lock()
        self._makings: OrderedDict[str, tuple[Making, Future[None]]] = OrderedDict()

    def ask(
        self, key: str, a: dict[str, Any], b: dict[str, Any], place: AbstractContextManager[None]
    ) -> Making:
        """Return the comparison of this name, which is begun in a `place` of whoever asks if it is not there.

        Raises Refused when too many wait already.
        """
        with self._lock:
            known = self._makings.get(key)
            if known is not None:
                self._makings.move_to_end(key)
                return known[0]
            if sum(not future.done() for _making, future in self._makings.values()) >= WAITING:
                raise Refused(wording.BUSY)
            making = Making()
            self._makings[key] = (making, self._executor.submit(self._work, making, a, b, place))
            while len(self._makings) > KEPT:
                self._makings.popitem(last=False)[1][1].cancel()
            return making

    def forget(self, key: str, making: Making) -> None:
        """Drop a comparison that got no place, so that the next request for it begins anew."""
        with self._lock:
            if key in self._makings and self._makings[key][0] is making:
                del self._makings[key]

    def _work(
        self,
        making: Making,
        a: dict[str, Any],
        b: dict[str, Any],
        place: AbstractContextManager[None],
    ) -> None:
        try:
            with place:
                making.data = make(a, b, making)
        except repeating.Busy as busy:
            making.busy = busy.message
        except Refused as refused:
            making.problem = refused.message
        except Exception:
            logger.exception("a comparison failed")
            making.problem = Message(wording.BROKEN)


studio = Studio()
