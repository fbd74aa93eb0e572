"""Two to four runs side by side in time, which the page plays, scrubs and explains; made in a thread of its own."""

from __future__ import annotations

import gzip
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
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
WAITING = 8
"""Comparisons that run or wait for a place."""
EACH = WAITING // 2
"""The same of one caller, so that others always get in."""

_encode = msgspec.json.Encoder(enc_hook=plain).encode


class ReelJob:
    """A comparison that is being made: how far it is, and in the end its bytes or why there are none.

    Args:
        group: of whoever asked for it first.
    """

    def __init__(self, group: str) -> None:
        self.group = group
        self.share = 0.0
        self.problem: PageMessage | None = None
        self.busy: PageMessage | None = None
        """Why it got no place."""
        self.data: bytes | None = None

    @property
    def is_over(self) -> bool:
        """Whether nothing of it is to come."""
        return not (self.problem is None and self.busy is None and self.data is None)


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
        self._executor = ThreadPoolExecutor(WAITING, thread_name_prefix="compare")
        self._lock = threading.Lock()
        self._makings: OrderedDict[str, ReelJob] = OrderedDict()

    def ask(
        self,
        key: str,
        scenarios: Sequence[dict[str, Any]],
        place: AbstractContextManager[None],
        group: str,
    ) -> ReelJob:
        """Return the comparison of this name, which is begun in a `place` of whoever asks if it is not there.

        Args:
            key: its name.
            scenarios: what is compared.
            place: for repeating runs.
            group: of whoever asks; see `request_callers.RequestCaller`.

        Raises:
            RequestRefused: too many wait already, of this caller or in all.
        """
        with self._lock:
            known = self._makings.get(key)
            if known is not None:
                self._makings.move_to_end(key)
                return known
            under_way = [each.group for each in self._makings.values() if not each.is_over]
            if len(under_way) >= WAITING or under_way.count(group) >= EACH:
                raise RequestRefused(changes.BUSY)
            for old in [name for name, each in self._makings.items() if each.is_over][: 1 - KEPT]:
                del self._makings[old]
            making = self._makings[key] = ReelJob(group)
            self._executor.submit(self._work, making, scenarios, place)
            return making

    def forget(self, key: str, making: ReelJob) -> None:
        """Drop a comparison that got no place, so that the next request for it starts again."""
        with self._lock:
            if self._makings.get(key) is making:
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
