"""Who has the next turn in a worker: first sessions that somebody sent a request to, then those whose time has come.

Turns in which time only passes come together: on the beats of a grid, and with them the turns of those who may have
theirs somewhat early. Then the worker is woken once for several sessions, and their messages go to the server at once.
While a worker sleeps, the processor's caches lose what it had there: a turn after a sleep takes twice as long as one
that follows another.
"""

from __future__ import annotations

import heapq
import math
from collections import deque
from typing import Final

GRID_S: Final = 0.025
CALM_S: Final = 1.0
"""Whoever was asked something so lately has no turn early: the next one comes with what is asked next."""


class WorkerAgenda:
    """Sessions by name, each with the time at which it wants a turn."""

    def __init__(self) -> None:
        self._asked: deque[str] = deque()
        self._since_s: dict[str, float] = {}
        self._heap: list[tuple[float, str]] = []
        self._due_s: dict[str, float] = {}
        """When each wants its turn; minus infinity where it was asked something. What differs in the heap is old."""
        self._early_s: dict[str, float] = {}
        """By how much a turn may come early; nothing for those who want theirs at their time."""
        self._asked_s: dict[str, float] = {}
        """When each was asked something last."""
        self._on_beat = False
        """Whether the last turn was one whose time had come: others may come with it."""

    def put(self, name: str, due_s: float, now_s: float = 0.0, early_s: float = 0.0) -> None:
        """Note when a session wants its next turn: never may be infinity.

        Args:
            now_s: since when this is known; what was due before that is not late for it.
            early_s: so much earlier it may come together with others, unless it is asked one thing after the other.
        """
        if due_s == -math.inf:
            self._asked_s[name] = now_s
        calm = now_s - self._asked_s.get(name, -math.inf) > CALM_S
        self._early_s[name] = early_s if calm else 0.0
        if self._due_s.get(name) == due_s:
            return
        if due_s < self._due_s.get(name, math.inf):
            self._since_s[name] = now_s
        if due_s == math.inf:
            self._due_s.pop(name, None)
            return
        self._due_s[name] = due_s
        if due_s == -math.inf:
            self._asked.append(name)
        else:
            heapq.heappush(self._heap, (due_s, name))

    def forget(self, name: str) -> None:
        """A session is gone."""
        self._due_s.pop(name, None)
        self._since_s.pop(name, None)
        self._early_s.pop(name, None)
        self._asked_s.pop(name, None)

    @property
    def asked(self) -> bool:
        """Whether somebody waits for a session's answer."""
        return self._next_asked() is not None

    def wait_s(self, now_s: float) -> float:
        """Return how long nobody wants a turn."""
        if self._next_asked() is not None:
            return 0.0
        self._on_beat = self._on_beat and self._may_come(now_s)
        return 0.0 if self._on_beat else max(0.0, self._next_beat_s() - now_s)

    def take(self, now_s: float) -> tuple[str, float] | None:
        """Return whose turn it is, and how late that is; None if nobody wants one yet."""
        name = self._next_asked()
        if name is not None:
            self._asked.popleft()
            del self._due_s[name]
            return name, 0.0
        self._on_beat = self._may_come(now_s)
        if not self._on_beat:
            return None
        beat_s = self._next_beat_s()
        name = heapq.heappop(self._heap)[1]
        del self._due_s[name]
        return name, max(0.0, now_s - max(beat_s, self._since_s[name]))

    def _next_asked(self) -> str | None:
        while self._asked and self._due_s.get(self._asked[0]) != -math.inf:
            self._asked.popleft()
        return self._asked[0] if self._asked else None

    def _may_come(self, now_s: float) -> bool:
        """Return whether somebody's time has come, or nearly so with others who have just had their turn."""
        beat_s = self._next_beat_s()
        return bool(self._heap) and beat_s - self._on_beat * self._early_s[self._heap[0][1]] <= now_s

    def _next_beat_s(self) -> float:
        """Return the beat of the grid at which the next turn is taken, infinity if nobody wants one."""
        while self._heap and self._due_s.get(self._heap[0][1]) != self._heap[0][0]:
            heapq.heappop(self._heap)
        return math.ceil(self._heap[0][0] / GRID_S) * GRID_S if self._heap else math.inf
