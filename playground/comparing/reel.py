"""Two to four runs side by side in time, which the page plays, scrubs and explains; made in a thread of its own."""

from __future__ import annotations

import gzip
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from typing import Any

import msgspec

from engine.values.sizes import plain
from playground.comparing import changes
from playground.comparing.side import ComparedRun, Row, RunComparison, builtins
from playground.jobs.job import RUN, job
from playground.limits import work_places
from playground.texts.page_message import PageMessage, RequestRefused

logger = logging.getLogger(__name__)

MOMENTS = 240
"""Messages about each run; scrubbing goes to every transition of those that came as rows."""
MOST_S = 40.0
KEPT = 12
"""Each of some megabytes at most, see `side.MOST_BYTES`."""
WAITING = 6

_encode = msgspec.json.Encoder(enc_hook=plain).encode


class ReelJob:
    """A comparison that is being made: how far it is, and in the end its bytes or why there are none."""

    def __init__(self) -> None:
        self.share = 0.0
        self.problem: PageMessage | None = None
        self.busy: PageMessage | None = None
        """Why it got no place."""
        self.data: bytes | None = None


@job(RUN)
def make(scenarios: Sequence[dict[str, Any]]) -> Iterator[float | bytes]:
    """Run the scenarios; yield how far that is, and last the compressed JSON of the reel.

    Each is compared with the first. Raises Refused when that takes too long or too much.
    """
    until_us = max(each["until_us"] for each in scenarios)
    deadline_s = time.thread_time() + MOST_S
    sides = [ComparedRun(each, until_us, len(scenarios)) for each in scenarios]
    comparisons = [RunComparison() for _each in sides[1:]]
    _compare(comparisons, [side.first for side in sides])
    for moment in range(1, MOMENTS + 1):
        at_us = until_us * moment // MOMENTS
        _compare(comparisons, [side.go_on(at_us) for side in sides])
        yield moment / MOMENTS
        if time.thread_time() > deadline_s:
            raise RequestRefused(changes.TOO_SLOW, most=round(MOST_S))
    for each in comparisons:
        each.end()
    yield gzip.compress(
        _encode(
            {
                "until_us": until_us,
                "divergences": [builtins(each.found) for each in comparisons],
                "sides": [
                    {
                        "messages": side.messages,
                        "digest": side.digest,
                        "figures": side.figures(),
                        "curves": side.curves,
                    }
                    for side in sides
                ],
            }
        ),
        compresslevel=5,
    )


def _compare(comparisons: list[RunComparison], rows: list[list[Row]]) -> None:
    for comparison, others in zip(comparisons, rows[1:], strict=True):
        comparison.add(rows[0], others)


class ReelMaker:
    """Makes comparisons in the places that there are for repeating runs, and keeps the last ones."""

    def __init__(self) -> None:
        self._executor = ThreadPoolExecutor(work_places.PLACES, thread_name_prefix="compare")
        self._lock = threading.Lock()
        self._makings: OrderedDict[str, tuple[ReelJob, Future[None]]] = OrderedDict()

    def ask(
        self, key: str, scenarios: Sequence[dict[str, Any]], place: AbstractContextManager[None]
    ) -> ReelJob:
        """Return the comparison of this name, which is begun in a `place` of whoever asks if it is not there.

        Raises Refused when too many wait already.
        """
        with self._lock:
            known = self._makings.get(key)
            if known is not None:
                self._makings.move_to_end(key)
                return known[0]
            if sum(not future.done() for _making, future in self._makings.values()) >= WAITING:
                raise RequestRefused(changes.BUSY)
            making = ReelJob()
            self._makings[key] = (making, self._executor.submit(self._work, making, scenarios, place))
            while len(self._makings) > KEPT:
                self._makings.popitem(last=False)[1][1].cancel()
            return making

    def forget(self, key: str, making: ReelJob) -> None:
        """Drop a comparison that got no place, so that the next request for it starts again."""
        with self._lock:
            if key in self._makings and self._makings[key][0] is making:
                del self._makings[key]

    def _work(
        self,
        making: ReelJob,
        scenarios: Sequence[dict[str, Any]],
        place: AbstractContextManager[None],
    ) -> None:
        try:
            with place:
                for found in make(scenarios):
                    if isinstance(found, bytes):
                        making.data = found
                    else:
                        making.share = found
        except work_places.GateBusy as busy:
            making.busy = busy.message
        except RequestRefused as refused:
            making.problem = refused.message
        except Exception:
            logger.exception("a comparison failed")
            making.problem = PageMessage(changes.BROKEN)


studio = ReelMaker()
