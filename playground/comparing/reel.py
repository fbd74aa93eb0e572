"""Two to four runs side by side in time, which the page plays, scrubs and explains; made in a thread of its own."""

from __future__ import annotations

import gzip
import logging
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from typing import Any

import msgspec

from engine.counting.disk import bytes_written, disk_reads, disk_writes, fsyncs
from engine.counting.load import blocked_s, confirm_p95_s, confirmed, over_watermark_s, peak_ram_bytes
from engine.counting.survival import confirmed_and_lost
from engine.metrics import METRICS, RunMeter, is_answered, is_had
from engine.replay import PlayedPiece, RunPlayer, RunWitness
from engine.replay.player import (
    KEEP_EVENTS,
    ROWS_IN_A_FRAME,
    PlayedFrame,
    encode,
    frame_message,
    snapshot_message,
)
from engine.transitions import all_kinds
from engine.values.errors import RunTooLong
from engine.values.sizes import plain
from playground.comparing import changes
from playground.hosting.real_engine import door
from playground.jobs import RUN, job
from playground.limits import work_places
from playground.storybook.rehearsal import shown_release
from playground.texts import PageMessage, RequestRefused
from playground.whatif.shipped import metric

TOLD = tuple(each.name for each in (confirmed_and_lost, confirmed, confirm_p95_s, bytes_written))
"""Loss, confirms and bytes: what of the difference matters first."""
_FIRST = (peak_ram_bytes, blocked_s, over_watermark_s, disk_reads, disk_writes, fsyncs, bytes_written)
FIRST = tuple(each.name for each in _FIRST)
"""Figures that are shown even when they are alike, in this order."""


def figure_labels() -> list[dict[str, object]]:
    """Return name, label, kind and better direction of every figure, the important ones first."""
    labels = {name: metric(name) for name in dict.fromkeys((*TOLD, *FIRST, *METRICS))}
    return [
        {
            "name": name,
            "label": str(label.name),
            "kind": label.kind,
            "better": label.better,
            "always": name in FIRST,
        }
        for name, label in labels.items()
    ]


MOST_TRANSITIONS = 250_000
MOST_BYTES = 8_000_000
"""Bytes of messages of all sides; when half of its share is used, a side's whole states come further apart."""
CURVES = tuple(each.name for each in (disk_writes, disk_reads, fsyncs, confirmed))
"""Metrics that are drawn as they grow."""

Row = tuple[int, bytes]


class ComparedRun:
    """A run from its beginning to its end, in the same messages that a live session sends. `scenario`: the run, in
    full. `until_us`: where it ends. `sides`: how many are compared.
    """

    def __init__(self, scenario: dict[str, Any], until_us: int, sides: int = 2) -> None:
        self._node = door().rehearse(scenario, KEEP_EVENTS)
        release = shown_release(scenario)
        self._figures = {name for name in METRICS if is_had(release, name) and is_answered(scenario, name)}
        self._player = RunPlayer(self._node, most=MOST_TRANSITIONS, whole=True)
        self._until_us = until_us
        self._meter, self._witness = RunMeter(), RunWitness(self._node)
        self._bytes, self._most_bytes = 0, MOST_BYTES // sides
        self.curves: dict[str, list[Any]] = {name: [0] for name in CURVES}
        self._snapshot_us = 0
        self.messages: list[msgspec.Raw] = []
        self._send_message(self._snapshot("join"))
        self._shown = self._node.log.number
        self.first = self._observe(self._player.news())

    def go_on(self, until_us: int) -> list[Row]:
        """Advance to `until_us`, add a message about it, and return what happened. Raises Refused for a run that is
        longer than a comparison may be.
        """
        rows: list[Row] = []
        try:
            for piece in self._player.play(until_us):
                rows += self._observe(piece)
        except RunTooLong:
            raise RequestRefused(changes.TOO_LONG, most=MOST_TRANSITIONS) from None
        self._send_frame(rows)
        for name, values in self.curves.items():
            values.append(self._meter.so_far(until_us, name) or 0)
        return rows

    def _observe(self, piece: PlayedPiece) -> list[Row]:
        rows = []
        for at_us, transition in zip(piece.at_us, piece.rows, strict=True):
            self._meter.observe(at_us, transition)
            self._witness.observe(transition)
            rows.append((at_us, encode(transition)))
        return rows

    # --- messages ---

    def _send_frame(self, rows: list[Row]) -> None:
        if len(rows) <= ROWS_IN_A_FRAME:
            if self._shown == self._node.log.number - len(rows):
                self._send_message(self._frame(rows))
            else:  # a state was left out before these rows
                self._send_message(self._snapshot("fast"))
        elif (
            self._bytes < self._most_bytes // 2
            or self._node.now_us - self._snapshot_us >= self._until_us // 60
        ):
            self._send_message(self._snapshot("fast"))
        else:
            return
        self._shown = self._node.log.number

    def _send_message(self, message: dict[str, Any]) -> None:
        data = encode(message)
        self._bytes += len(data)
        self.messages.append(msgspec.Raw(data))

    def _frame(self, rows: list[Row]) -> dict[str, Any]:
        times = [at_us for at_us, _row in rows]
        return frame_message(
            PlayedFrame(self._shown, times, [msgspec.Raw(row) for _at_us, row in rows]), self._node.now_us
        )

    def _snapshot(self, why: str) -> dict[str, Any]:
        node = self._node
        self._snapshot_us = node.now_us
        return snapshot_message(node.log.number, node.now_us, node.snapshot(), why, {})

    # --- the end ---

    @property
    def digest(self) -> str:
        return str(self._node.log.digest)

    def figures(self) -> dict[str, Any]:
        """Return the metrics of the run so far by name; None for what its release or its log does not answer."""
        refused, lost = len(self._node.refused), self._witness.lost()
        counted = self._meter.row(self._node.now_us, refused, confirmed_and_lost=lost)
        return {name: value if name in self._figures else None for name, value in counted.items()}


SETTINGS = frozenset({b"NodeChanged", b"ModeChanged"})
"""What the runs say of their settings and of the node around the queue: that differs because of the change itself."""

ARRIVALS = frozenset(kind.__name__.encode() for kind in all_kinds() if kind.about.arrives)


class RunDivergence(msgspec.Struct, frozen=True):
    """The first difference. `a`, `b`: the transition of each run, None for one that had nothing more to do."""

    at_us: int
    a: msgspec.Raw | None
    b: msgspec.Raw | None


class RunComparison:
    """Compares two logs as they grow."""

    def __init__(self) -> None:
        self.found: RunDivergence | None = None
        self._began = [False, False]
        self._sides: tuple[deque[Row], deque[Row]] = (deque(), deque())

    def add(self, a: Iterable[Row], b: Iterable[Row]) -> None:
        """Take what both runs did since the last time."""
        if self.found:
            return
        for side, rows in enumerate((a, b)):
            for row in rows:
                kind = row[1][2 : row[1].index(b'"', 2)]
                # What happens before the first message shows what was changed, not what came of it.
                self._began[side] = self._began[side] or kind in ARRIVALS
                if self._began[side] and kind not in SETTINGS:
                    self._sides[side].append(row)
        self._compare(last=False)

    def end(self) -> None:
        """Compare what is left: one of the runs may have done more than the other."""
        if not self.found:
            self._compare(last=True)

    def _compare(self, last: bool) -> None:
        a, b = self._sides
        while a and b:
            if a[0] != b[0]:
                self._part(a[0], b[0])
                return
            a.popleft()
            b.popleft()
        if last and (a or b):
            self._part(a[0] if a else None, b[0] if b else None)

    def _part(self, a: Row | None, b: Row | None) -> None:
        at_us = min(row[0] for row in (a, b) if row is not None)
        # What a run does later is not what it did instead.
        here = (msgspec.Raw(row[1]) if row is not None and row[0] == at_us else None for row in (a, b))
        self.found = RunDivergence(at_us, *here)


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
    """A comparison that is being made: how far it is, and in the end its bytes or why there are none. `group`: of
    whoever asked for it first.
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
        return not (self.problem is None and self.busy is None and self.data is None)


@job(RUN)
def make(scenarios: Sequence[dict[str, Any]]) -> Iterator[float | bytes]:
    """Run the scenarios; yield how far that is, and last the compressed JSON of the reel. Each is compared with the
    first. Raises Refused when that takes too long or too much.
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
                "divergences": [each.found for each in comparisons],
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
        self, key: str, scenarios: Sequence[dict[str, Any]], place: AbstractContextManager[None], group: str
    ) -> ReelJob:
        """Return the comparison of this name, which is begun in a `place` of whoever asks if it is not there.
        `place`: for repeating runs. `group`: of whoever asks; see `request_callers.RequestCaller`. Raises
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
        self, making: ReelJob, scenarios: Sequence[dict[str, Any]], place: AbstractContextManager[None]
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
