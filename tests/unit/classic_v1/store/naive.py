"""The store again, one message at a time, in plain dictionaries: written from the specification for comparison only."""

from __future__ import annotations

from collections import deque
from itertools import pairwise
from typing import Any

Place = list[int]
"""[references, file, offset, record bytes]"""


class NaiveStore:
    """S130-S190 and F1, message by message; files are only their sizes.

    Args:
        limit: bytes at which a file is closed.
        more: handled writes for each grant.
        silent: clients without an on-disk callback.
    """

    def __init__(self, limit: int, more: int, silent: set[str]) -> None:
        self.limit = limit
        self.more = more
        self.silent = silent
        self.index: dict[int, Place] = {}
        self.files: dict[int, list[Any]] = {0: [0, 0, False]}
        """number -> [valid, file size, locked]"""
        self.current = 0
        self.cache: dict[int, int] = {}
        self.flying: dict[tuple[int, str], int] = {}
        self.confirms: dict[str, set[int]] = {}
        self.dying: dict[str, tuple[int, int]] = {}
        self.waiting: dict[int, list[tuple[Any, ...]]] = {}
        self.mailbox: deque[tuple[Any, ...]] = deque()
        self.results: deque[tuple[Any, ...]] = deque()
        self.requests: deque[tuple[int, ...]] = deque()
        self.notified: list[tuple[str, str, int]] = []
        self.handled: dict[str, int] = {}

    # --- clients ---

    def write(self, ref: str, msg: int, size: int) -> None:
        self.flying[msg, ref] = self.flying.get((msg, ref), 0) + 1
        self.cache[msg] = self.cache.get(msg, 0) + 1
        self.mailbox.append(("write", ref, msg, size))

    def remove(self, ref: str, msgs: list[int]) -> None:
        for msg in msgs:
            self.flying[msg, ref] = self.flying.get((msg, ref), 0) - 1
        self.mailbox.append(("remove", ref, msgs))

    def delete(self, ref: str) -> None:
        self.dying[ref] = (self.current, self.files[self.current][1])
        self.mailbox.append(("delete", ref))

    def grants(self, ref: str) -> int:
        return self.handled.get(ref, 0) // self.more * self.more

    # --- the server ---

    def handle(self, limit: int | None = None) -> None:
        done = 0
        while (self.results or self.mailbox) and (limit is None or done < limit):
            done += 1
            if self.results:
                self._on_result(*self.results.popleft())
                continue
            verb, *arguments = self.mailbox.popleft()
            getattr(self, f"_on_{verb}")(*arguments)

    def settle(self) -> None:
        while True:
            self.handle()
            self.sync()
            if not self.requests:
                return
            self.collect()

    def sync(self) -> None:
        due, self.confirms = self.confirms, {}
        for ref, msgs in due.items():
            self.notified.extend((ref, "written", msg) for msg in msgs)

    def _notify(self, ref: str, how: str, msg: int) -> None:
        if ref not in self.silent:
            self.notified.append((ref, how, msg))

    def _await(self, ref: str, msg: int) -> None:
        if ref not in self.silent:
            self.confirms.setdefault(ref, set()).add(msg)

    def _uncache(self, msg: int) -> None:
        if self.cache.get(msg) == 0:
            del self.cache[msg]

    def _settled(self, ref: str, msg: int, wanted: int) -> bool:
        value = self.flying.get((msg, ref), 0)
        if value == wanted or value >= 2:
            self.flying[msg, ref] = value - wanted
            value = self.flying[msg, ref]
            process = True
        else:
            process = False
        if value == 0:
            self.flying.pop((msg, ref), None)
        return process

    def _masked(self, ref: str, msg: int) -> bool:
        if ref not in self.dying:
            return False
        row = self.index.get(msg)
        return row is None or (row[1], row[2]) > self.dying[ref]

    def _on_write(self, ref: str, msg: int, size: int) -> None:
        self.handled[ref] = self.handled.get(ref, 0) + 1
        self.cache[msg] = max(0, self.cache[msg] - 1)
        if not self._settled(ref, msg, 1):
            self._notify(ref, "ignored", msg)
            self._uncache(msg)
            return
        row = self.index.get(msg)
        if self._masked(ref, msg):
            if row is None or row[1] != self.current:
                self._uncache(msg)
        elif row is None:
            self._append(ref, msg, size)
        elif row[0] == 0 and self.files[row[1]][2]:
            if ref in self.dying:
                self._uncache(msg)
            else:
                del self.index[msg]
                self._append(ref, msg, size)
        else:
            if row[0] == 0:
                self.files[row[1]][0] += row[3]
            row[0] += 1
            if row[1] == self.current:
                self._await(ref, msg)
            else:
                self._uncache(msg)
                self._notify(ref, "written", msg)

    def _append(self, ref: str, msg: int, size: int) -> None:
        self._await(ref, msg)
        file = self.files[self.current]
        self.index[msg] = [1, self.current, file[1], size]
        file[0] += size
        file[1] += size
        if file[1] >= self.limit:
            self.sync()
            self.current += 1
            self.files[self.current] = [0, 0, False]
            self.cache = {msg: count for msg, count in self.cache.items() if count}
            self._maybe_compact()

    def _on_remove(self, ref: str, msgs: list[int]) -> None:
        processed = [msg for msg in msgs if self._remove_one(ref, msg)]
        waiting = self.confirms.get(ref)
        if waiting is not None:
            for msg in processed:
                if msg in waiting:
                    waiting.discard(msg)
                    self._notify(ref, "ignored", msg)
            if not waiting:
                del self.confirms[ref]
        self._maybe_compact()

    def _remove_one(self, ref: str, msg: int) -> bool:
        if not self._settled(ref, msg, -1):
            return False
        self._drop(ref, msg)
        return True

    def _drop(self, ref: str, msg: int) -> None:
        row = self.index.get(msg)
        if self._masked(ref, msg) or (row is not None and not row[0] and ref in self.dying):
            return
        assert row is not None
        assert row[0], f"{msg} has no reference"
        file = self.files[row[1]]
        if row[0] > 1:
            row[0] -= 1
        elif file[2]:
            self.waiting[row[1]].append((ref, msg))
        else:
            row[0] = 0
            file[0] -= row[3]
            if row[1] != self.current and not file[0]:
                file[2] = True
                self.waiting[row[1]] = []
                self.requests.append((row[1],))

    def _on_delete(self, ref: str) -> None:
        self.confirms.pop(ref, None)
        self.dying.pop(ref, None)

    # --- garbage ---

    def _maybe_compact(self) -> None:
        size = sum(file[1] for file in self.files.values())
        valid = sum(self.valid(number) for number in self.files)
        if size <= 2 * self.limit or (size - valid) / size <= 0.5 or len(self.waiting) >= 4:
            return
        numbers = sorted(self.files)
        for left, right in pairwise(numbers[:-1]):
            a, b = self.files[left], self.files[right]
            if a[0] and b[0] and a[0] + b[0] <= self.limit and not a[2] and not b[2]:
                a[2] = b[2] = True
                self.waiting[left] = []
                self.waiting[right] = []
                self.requests.append((right, left))
                return

    def valid(self, number: int) -> int:
        found: int = self.files[number][0]
        return found

    def collect(self) -> None:
        """Work through all requests; the results wait in the mailbox."""
        while self.requests:
            request = self.requests.popleft()
            for file in reversed(request):
                for msg in [msg for msg, row in self.index.items() if row[1] == file and not row[0]]:
                    del self.index[msg]
            if len(request) == 2:
                _, destination = request
                low = 0
                rows = sorted(
                    (row for row in self.index.values() if row[1] in request), key=lambda row: row[1:3]
                )
                for row in rows:
                    row[1], row[2] = destination, low
                    low += row[3]
                self.results.append((request, low))
            else:
                self.results.append((request, 0))

    def _on_result(self, request: tuple[int, ...], size: int) -> None:
        del self.files[request[0]]
        if len(request) == 2:
            self.files[request[1]] = [size, size, False]
        for file in request:
            for ref, msg in self.waiting.pop(file):
                self._drop(ref, msg)
        self._maybe_compact()
