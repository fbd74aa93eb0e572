"""The player of runs: it advances a node and yields what happened. Live sessions, previews, exports, comparisons, the
grader and cells of sweeps take pieces from `RunPlayer.play` and stop when they have enough: after some time or some
transitions, or when a piece shows what they wait for. The player uses no clock; a piece is a bounded amount of work.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, Protocol

import msgspec

from engine.backing_queue.message_places import place_named
from engine.broker.cluster import Cluster
from engine.broker.commands.scenario import parse
from engine.ctl.console import operated
from engine.metrics import RunMeter
from engine.reading.message_places import letter_of
from engine.report.transitions.queue import QueueStopped, Shift
from engine.storage.ledger import LedgerStorage
from engine.values.errors import CommandError, RunHalted, RunTooLong
from engine.values.sizes import plain

Timed = tuple[int, dict[str, Any]]
"""The virtual microsecond of a command, and the command."""

SLICE: Final = 400
"""Transitions after which a piece ends, at the end of the event."""
SPAN_US: Final = 60_000_000
"""Virtual time after which a piece ends, for times without transitions."""
KEEP: Final = 2048
KEEP_EVENTS: Final = 100_000
"""Transitions that a log keeps if none may be missed; more than any single event makes."""


class PlayableRun(Protocol):
    """A node as the player uses it; see `engine.broker.cluster.Cluster`."""

    log: Any

    @property
    def now_us(self) -> int:
        """The virtual time."""

    def submit(self, command: Any) -> None:
        """Apply a command now."""

    def advance(self, until_us: int, max_transitions: int | None = None) -> bool:
        """Let virtual time pass; return whether `until_us` was reached."""

    def step(self) -> bool:
        """Go on to the next transition."""


class PlayedPiece(msgspec.Struct, frozen=True):
    """Consecutive transitions.

    Args:
        first: number of the first.
        at_us: when each happened, in virtual microseconds.
        lost: their number, if the log no longer has them because one event made too many; `rows` is then empty.
        last: whether the player has reached its goal.
    """

    first: int
    at_us: list[int] = []
    rows: list[Any] = []
    lost: int = 0
    last: bool = False

    @property
    def count(self) -> int:
        return self.lost + len(self.rows)


class RunPlayer:
    """Plays a node, with commands in addition to the scenario's own.

    Args:
        node: a new one, or one from a checkpoint.
        commands: ascending by time, without those that a node from a checkpoint already has.
        first: number of the first transition to yield.
        lenient: skip commands that the node refuses and keep them in `refused`; else raise the error.
        most: transitions that the run may have, None for any number.
        whole: whether every single transition is needed.
        give_up: called after each piece; returns whether the run takes too long.
    """

    def __init__(
        self,
        node: PlayableRun,
        commands: Sequence[Timed] = (),
        *,
        first: int = 0,
        lenient: bool = False,
        most: int | None = None,
        whole: bool = False,
        give_up: Callable[[], bool] = lambda: False,
    ) -> None:
        self.node = node
        self.commands = list(commands)
        self.given = 0
        """How many commands were given, including the current one."""
        self.settled_us = 0
        """The last instant at which everything has been done."""
        self.next = first
        """Number of the first transition that was not yielded yet."""
        self.refused: list[tuple[int, CommandError]] = []
        self._lenient = lenient
        self._most = most
        self._whole = whole
        self._give_up = give_up

    def play(self, until_us: int, slice_: int = SLICE) -> Iterator[PlayedPiece]:
        """Play until `until_us`, with the commands up to then; yield pieces, the last one marked. The caller may stop
        after any piece, and call again with another time.

        Args:
            until_us: virtual microseconds; everything of that instant is done.
            slice_: transitions after which a piece ends. With 1, each event with transitions gets its own piece.

        Raises:
            RunTooLong: after the piece that passed a bound.
            CommandError: the node refuses a command, and the player is not lenient.
        """
        if self.next < self.node.log.number:
            yield from self._checked(self.news())
        while self.given < len(self.commands) and self.commands[self.given][0] <= until_us:
            at_us, command = self.commands[self.given]
            yield from self._advance(at_us, slice_, last=False)
            self.given += 1
            yield from self._checked(self.give(command))
        yield from self._advance(until_us, slice_, last=True)

    def play_all(self, until_us: int) -> Iterator[PlayedPiece]:
        """Play until `until_us`, but at least to the last command."""
        last_us = self.commands[-1][0] if self.commands else 0
        yield from self.play(max(until_us, last_us, self.node.now_us))

    def play_to(self, number: int, until_us: int) -> Iterator[PlayedPiece]:
        """Play until there are `number` transitions, even in the middle of an event, or until `until_us`. The
        files are then those of exactly that moment. Do not play the node further if it reached the number.
        """
        if self.node.log.number >= number:
            yield msgspec.structs.replace(self.news(), last=True)
            return
        self.node.log.halt_at = number
        try:
            yield from self.play(until_us)
        except RunHalted:
            yield msgspec.structs.replace(self.news(), last=True)

    def finish(self, until_us: int) -> None:
        for _piece in self.play(until_us):
            pass

    def give(self, command: dict[str, Any]) -> PlayedPiece:
        """Give a command now, between two instants; return its immediate transitions."""
        try:
            self.node.submit(command)
        except CommandError as error:
            if not self._lenient:
                raise
            self.refused.append((self.node.now_us, error))
        return self.news()

    def step(self) -> PlayedPiece:
        self.node.step()
        self.settled_us = max(self.settled_us, self.node.now_us - 1)
        return self.news()

    def news(self, last: bool = False) -> PlayedPiece:
        first, self.next = self.next, self.node.log.number
        rows = self.node.log.since(first)
        if rows is None:
            return PlayedPiece(first, lost=self.next - first, last=last)
        return PlayedPiece(first, rows.at_us, rows.rows, last=last)

    def _advance(self, until_us: int, slice_: int, last: bool) -> Iterator[PlayedPiece]:
        reached = False
        while not reached:
            span_us = min(until_us, self.node.now_us + SPAN_US)
            whole_span = self.node.advance(span_us, slice_)
            reached = whole_span and span_us == until_us
            self.settled_us = max(self.settled_us, span_us if whole_span else self.node.now_us - 1)
            piece = self.news(last and reached)
            # who leaves after each piece must come to the command
            if piece.count or piece.last or not reached:
                yield from self._checked(piece)

    def _checked(self, piece: PlayedPiece) -> Iterator[PlayedPiece]:
        """Yield a piece; raise RunTooLong if it exceeded a bound; time of the last piece does not count."""
        if piece.lost and self._whole:
            raise RunTooLong("event", piece.lost)
        yield piece
        if self._most is not None and self.next > self._most:
            raise RunTooLong("transitions", self._most)
        if not piece.last and self._give_up():
            raise RunTooLong("time", None)


def on_ledger(scenario: dict[str, Any], keep: int = KEEP) -> Cluster:
    """Return a node that runs a scenario without files: the same transitions, but it keeps only sizes. `scenario`: as
    `engine.broker.commands.scenario.parse` reads it. `keep`: how many transitions its log holds.
    """
    return operated(parse(scenario), LedgerStorage(), keep)


class RunTally(msgspec.Struct):
    """Counts over the pieces of a run.

    Args:
        happened: how many transitions of each kind there were.
        moved: how many messages each kind moved.
        became: how many messages came to a place as each Greek letter (Q3).
        stopped: how many queues ended in each way: clean, crash, kill or power.
        meter: every metric of the run so far.
    """

    happened: Counter[str] = msgspec.field(default_factory=Counter)
    moved: Counter[str] = msgspec.field(default_factory=Counter)
    became: Counter[str] = msgspec.field(default_factory=Counter)
    stopped: Counter[str] = msgspec.field(default_factory=Counter)
    meter: RunMeter = msgspec.field(default_factory=RunMeter)

    def add(self, piece: PlayedPiece) -> None:
        """Add a piece; transitions that the log lost are not counted."""
        for at_us, row in zip(piece.at_us, piece.rows, strict=True):
            kind = type(row).__name__
            self.happened[kind] += 1
            if isinstance(row, QueueStopped):
                self.stopped[row.how] += 1
            elif isinstance(row, Shift):
                self.moved[kind] += sum(extent.count for extent in row.extents)
                if row.to is not None and not place_named(row.to).unacked:
                    for extent in row.extents:
                        self.became[letter_of(row.to, extent.flags)] += extent.count
            self.meter.observe(at_us, row)


MOST_MESSAGES: Final = 20_000
MOST_TRANSITIONS: Final = 40_000
"""Most transitions of a run to be graded; more would take too long."""

WatchedState = dict[str, Any]
"""A snapshot, with counts of the whole run: `happened`, `moved`, `became`, `stopped` (`engine.reading.conditions`)."""


class RunWatcher(Protocol):
    """An observer of moments of a run."""

    needs_every_moment: bool
    """Whether it needs every moment, or only the last one."""

    def observe(self, state: WatchedState) -> None:
        """Observe a moment."""


class WatchedRun:
    """A run with its watchers. `player`: plays it from its first transition on. `watchers`: those that need
    every moment get each one at which something happened.
    """

    def __init__(self, node: Cluster, player: RunPlayer, watchers: Iterable[RunWatcher] = ()) -> None:
        self.node = node
        self.tally = RunTally()
        self.last: WatchedState = {}
        """The moment at which the run stopped."""
        self._player = player
        self._watchers = [each for each in watchers if each.needs_every_moment]

    def go(self, until_us: int) -> WatchedState:
        """Play up to a time; return the moment there. Raises RunTooLong."""
        for piece in self._player.play(until_us, 1 if self._watchers else SLICE):
            self.take(piece)
        self.last = {**self.moment(), "figures": self.tally.meter.row(self.node.now_us)}
        return self.last

    def take(self, piece: PlayedPiece) -> None:
        """Count a piece, and show the moment to watchers that need every moment."""
        self.tally.add(piece)  # one event that is larger than the log is not counted by kind
        if self._watchers and piece.count:
            moment = self.moment()
            for watcher in self._watchers:
                watcher.observe(moment)

    def moment(self) -> WatchedState:
        """Return the current moment, without the figures, which are costly and rarely needed."""
        tally = self.tally
        return {
            **self.node.snapshot(),
            "happened": dict(tally.happened),
            "moved": dict(tally.moved),
            "became": dict(tally.became),
            "stopped": dict(tally.stopped),
        }


ROWS_IN_A_FRAME: Final = 400

encode: Final = msgspec.json.Encoder(enc_hook=plain).encode


class PlayedFrame(msgspec.Struct):
    """The rows since the last frame, or only their numbers by kind if there are too many."""

    first: int
    at_us: list[int] = []
    rows: list[Any] = []
    counts: Counter[str] = msgspec.field(default_factory=Counter)

    @property
    def fast(self) -> bool:
        return self.counts.total() > ROWS_IN_A_FRAME

    @property
    def next(self) -> int:
        return self.first + self.counts.total()

    def add(self, piece: PlayedPiece) -> None:
        """Add the next rows; rows without room are only counted."""
        if piece.lost:  # one event was larger than the log: readers get a snapshot in any case
            self.counts["more"] += piece.lost
            return
        self.counts.update(type(row).__name__ for row in piece.rows)
        room = max(0, ROWS_IN_A_FRAME - len(self.rows))
        self.at_us += piece.at_us[:room]
        self.rows += piece.rows[:room]


def frame_message(frame: PlayedFrame, now_us: int, **pace: Any) -> dict[str, Any]:
    """Return a frame as a message. `now_us`: the run's time. `pace`: further values for the page: the digest,
    whether time passes, and how fast.
    """
    return {
        "t": "frame",
        "first": frame.first,
        "at_us": frame.at_us,
        "rows": frame.rows,
        "now_us": now_us,
        **pace,
    }


def snapshot_message(
    number: int, now_us: int, state: Any, why: str, skipped: dict[str, int], digest: str = ""
) -> dict[str, Any]:
    """Return a snapshot as a message.

    Args:
        number: of the next transition.
        state: of the node, as plain values or already encoded.
        why: the reason for sending the whole state: "join", "fast" or "lag".
        skipped: numbers of left-out rows, by kind.
        digest: of everything so far.
    """
    return {
        "t": "snapshot",
        "next": number,
        "at_us": now_us,
        "state": state,
        "digest": digest,
        "skipped": skipped,
        "why": why,
    }
