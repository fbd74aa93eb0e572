"""A plain pool of processes that run cells: what one machine does by itself, without Spark."""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from sweeps.cell import Cell
from sweeps.columns import Row
from sweeps.errors import SweepError

ROOT = Path(__file__).resolve().parents[1]


class Pool:
    """Some processes, each of which runs one cell at a time; they live until the pool is closed.

    Args:
        processes: how many; None for as many as the machine has cores.
        niceness: how much they give way to other programs, 0 to 19.
    """

    def __init__(self, processes: int | None = None, niceness: int = 0) -> None:
        self._count = processes or os.cpu_count() or 1
        self._niceness = niceness
        self._workers: list[subprocess.Popen[bytes]] = []
        self._closed = False
        self._lock = threading.Lock()

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def rows(self, cells: Sequence[Cell]) -> Iterator[Row]:
        """Run cells and yield their rows as they are done, in any order.

        Raises:
            SweepError: a process ended in the middle of a cell, or the pool was closed.
        """
        waiting: queue.SimpleQueue[Cell] = queue.SimpleQueue()
        for cell in cells:
            waiting.put(cell)
        done: queue.SimpleQueue[Row | None] = queue.SimpleQueue()
        feeders = min(self._count, len(cells))
        for number in range(feeders):
            threading.Thread(target=self._feed, args=(number, waiting, done), daemon=True).start()
        for _ in cells:
            row = done.get()
            if row is None:
                self.close()
                raise SweepError("process_ended")
            yield row

    def _feed(
        self, number: int, waiting: queue.SimpleQueue[Cell], done: queue.SimpleQueue[Row | None]
    ) -> None:
        """Give one process cell after cell."""
        try:
            worker = self._worker(number)
            while True:
                with suppress(BrokenPipeError):
                    worker.stdin.write(msgspec.json.encode(waiting.get_nowait()) + b"\n")  # type: ignore[union-attr]
                    worker.stdin.flush()  # type: ignore[union-attr]
                line = worker.stdout.readline()  # type: ignore[union-attr]
                if not line:
                    done.put(None)
                    return
                done.put(msgspec.json.decode(line))
        except queue.Empty:
            return
        except (OSError, ValueError, SweepError):
            done.put(None)

    def _worker(self, number: int) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._closed:
                raise SweepError("pool_closed")
            while len(self._workers) <= number:
                self._workers.append(_started(self._niceness))
            return self._workers[number]

    def close(self) -> None:
        """End the processes, in the middle of a cell if need be."""
        with self._lock:
            self._closed = True
            workers, self._workers = self._workers, []
        for worker in workers:
            worker.kill()
            worker.wait()
            for stream in (worker.stdin, worker.stdout):
                with suppress(OSError):
                    stream.close()  # type: ignore[union-attr]


def _started(niceness: int) -> subprocess.Popen[bytes]:
    nice = ["nice", "-n", str(niceness)] if niceness else []
    return subprocess.Popen(  # noqa: S603 - this very program
        [*nice, sys.executable, "-m", "sweeps.worker"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
