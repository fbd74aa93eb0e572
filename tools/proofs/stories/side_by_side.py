"""Random programs on several private nodes at once: a program mostly waits, for rest and for what expires."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Iterable, Iterator
from multiprocessing.connection import Connection, wait
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path
from typing import Any

from pika.exceptions import AMQPError

from tools.proofs.differential.installation import LATEST, TODAYS
from tools.proofs.differential.node import NodeFailed
from tools.proofs.stories.choices import HIBERNATED_MS, IDLE_MS
from tools.proofs.stories.run import Result, run
from tools.proofs.stories.story import Story
from tools.proofs.stories.themes import IN_TURN, themed

# A process that is forked has what the tests imported; nothing here has threads.
PROCESSES = multiprocessing.get_context("fork")


MOST_FAILURES = 4
"""So many nodes of a process may fail, which a busy machine alone can bring about."""


class Seeds:
    """The seeds that are left, handed out one by one to whoever asks next.

    Args:
        first, count: of the seeds.
        last: monotonic time after which none is handed out, None for no such time.
        most_differing: none is handed out after so many programs that differ.
        theme: of each program.
    """

    def __init__(
        self, first: int, count: int, last: float | None, most_differing: int, theme: str = IN_TURN
    ) -> None:
        self._next: Synchronized[int] = PROCESSES.Value("q", first)
        self._differing: Synchronized[int] = PROCESSES.Value("q", 0)
        self._end = first + count
        self._last = last
        self._most_differing = most_differing
        self._theme = theme

    def programs(self, idle_ms: int = IDLE_MS) -> Iterator[Story]:
        """Yield programs until there is no seed left."""
        while self._differing.value < self._most_differing:
            if self._last is not None and time.monotonic() > self._last:
                return
            with self._next.get_lock():
                seed = self._next.value
                if seed >= self._end:
                    return
                self._next.value = seed + 1
            yield themed(self._theme, seed, idle_ms)

    def differs(self) -> None:
        """Count a program that differs."""
        with self._differing.get_lock():
            self._differing.value += 1


def run_side_by_side(
    seeds: Seeds,
    nodes: int,
    found: Path | None,
    release: str = LATEST,
    progress: Callable[[Result], None] = lambda _result: None,
) -> Result:
    """Play programs on so many nodes, each with a process of its own; return the counts of all.

    Args:
        progress: called with the counts so far after each program.

    Raises RuntimeError if one of them ended without a result.
    """
    counts: dict[Connection, Result] = {}
    processes: list[Any] = []
    for _ in range(nodes):
        ours, theirs = PROCESSES.Pipe(duplex=False)
        process = PROCESSES.Process(target=_share, args=(seeds, found, theirs, release))
        process.start()
        theirs.close()
        counts[ours] = Result()
        processes.append(process)
    left = list(counts)
    try:
        while left:
            for end in wait(left):
                assert isinstance(end, Connection)
                try:
                    told = end.recv()
                except EOFError:
                    raise RuntimeError("a process that played programs failed; its words are above") from None
                if told is None:
                    left.remove(end)
                else:
                    counts[end] = Result().added_to(told)
                    progress(_sum(counts.values()))
    finally:
        for process in processes:
            if left:
                process.terminate()
            process.join()
    return _sum(counts.values())


def _sum(parts: Iterable[Result]) -> Result:
    total = Result()
    for each in parts:
        total = total.added_to(each.as_dict())
    total.by_chance.sort()
    total.differing.sort()
    return total


def _share(seeds: Seeds, found: Path | None, result: Connection, release: str = LATEST) -> None:
    """Play programs on a node for as long as there are seeds; send the counts after each, and None at the end.

    A node that ends, or does not start again in time on a busy machine, is replaced; the new one plays its program.
    """
    total, left, begun = (
        Result(),
        seeds.programs(HIBERNATED_MS if release in TODAYS else IDLE_MS),
        list[Story](),
    )

    def stories() -> Iterator[Story]:
        yield from begun[-1:]
        for story in left:
            begun.append(story)
            yield story

    for failures in range(MOST_FAILURES):
        try:
            run(
                stories(),
                found=found,
                on_differing=seeds.differs,
                on_played=lambda: result.send(total.as_dict()),
                result=total,
                release=release,
            )
            break
        except (NodeFailed, AMQPError, OSError) as failed:
            print(f"{begun[-1].name if begun else 'no program yet'}: the node failed: {failed}")
            if failures == MOST_FAILURES - 1:
                raise
    result.send(None)
