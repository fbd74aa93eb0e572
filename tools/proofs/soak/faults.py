"""What happens to a server in the course of a year, one after the other: kills, disks, locks."""

from __future__ import annotations

import asyncio
import contextlib
import os
import resource
import shutil
import signal
import sqlite3
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Final

from tools import live_server
from tools.processes import descendants_of
from tools.proofs.attack.processes import parent_of

LASTS_S: Final = 2.0
"""How long a fault lasts that passes by itself."""
MORE: Final = {"WATERLINE_UNWATCHED_S": "1", "WATERLINE_LOG_LEVEL": "ERROR"}
MOST_BYTES: Final = 64
"""Of a file on a full disk."""
STARTS_S: Final = 300.0
OPTIONS: Final = ("--proxy-headers",)


class Place:
    """A server that is started again after it was killed."""

    def __init__(self, var_dir: Path) -> None:
        self.var_dir = var_dir
        live_server.prepare(var_dir)
        self.server = live_server.start(var_dir, options=OPTIONS, more=MORE)

    def url(self) -> str:
        """Return where it is now."""
        return self.server.url

    def workers(self) -> list[int]:
        """Return the processes of its engines, without the one that they were forked from."""
        server, found = self.server.process.pid, []
        for each in self.started():
            with contextlib.suppress(OSError):
                if parent_of(each) != server:
                    found.append(each)
        return found

    def started(self) -> list[int]:
        """Return all processes that it has started."""
        return descendants_of(self.server.process.pid)

    def start(self) -> None:
        """Start it again, at another port; on a machine that is very busy that takes its time."""
        self.server = live_server.start(self.var_dir, options=OPTIONS, more=MORE, seconds=STARTS_S)

    def stop(self) -> None:
        """Ask it to end."""
        live_server.stop(self.server)


async def worker_is_killed(place: Place) -> None:
    """One worker dies at once."""
    for worker in place.workers()[:1]:
        with contextlib.suppress(ProcessLookupError):
            os.kill(worker, signal.SIGKILL)


async def all_workers_are_killed(place: Place) -> None:
    """Every worker dies at once, and what they were forked from too, as where a machine has no memory left."""
    for each in place.started():
        with contextlib.suppress(ProcessLookupError):
            os.kill(each, signal.SIGKILL)


async def workers_stand_still(place: Place) -> None:
    """All workers stand still for a moment, as on a machine that sleeps: nobody is killed for it."""
    workers = place.started()
    for signal_number in (signal.SIGSTOP, signal.SIGCONT):
        for worker in workers:
            with contextlib.suppress(ProcessLookupError):
                os.kill(worker, signal_number)
        await asyncio.sleep(LASTS_S)


async def server_is_killed(place: Place) -> None:
    """The whole server dies at once, and is started again."""
    place.server.process.kill()
    await asyncio.to_thread(place.server.process.wait)
    await asyncio.to_thread(place.start)


async def server_is_restarted(place: Place) -> None:
    """The server is asked to end, and started again."""
    await asyncio.to_thread(place.stop)
    await asyncio.to_thread(place.start)


async def disk_is_full(place: Place) -> None:
    """No worker can make a file longer than some bytes: what is written beyond fails, as on a full disk."""
    await _disk_is_full_for(place, place.started())


async def _disk_is_full_for(place: Place, processes: list[int]) -> None:
    _set_most_bytes(processes, MOST_BYTES)
    await asyncio.sleep(LASTS_S)
    _set_most_bytes([*processes, *place.started()], None)  # one that was forked meanwhile is bound too


def _set_most_bytes(processes: list[int], most: int | None) -> None:
    """Bound the files that processes write; None lets them write what they may by themselves."""
    for each in processes:
        with contextlib.suppress(ProcessLookupError):
            _soft, hard = resource.prlimit(each, resource.RLIMIT_FSIZE)
            resource.prlimit(each, resource.RLIMIT_FSIZE, (hard if most is None else most, hard))


async def disk_is_full_for_all(place: Place) -> None:
    """Neither the server nor a worker can write: what commands are recorded in, and what engines keep, fails."""
    await _disk_is_full_for(place, [place.server.process.pid, *place.started()])


async def no_handles_are_left(place: Place) -> None:
    """Neither the server nor a worker may open one more file, socket or process: what needs one is refused."""
    everybody = [place.server.process.pid, *place.started()]
    _set_handles(everybody, none_left=True)
    await asyncio.sleep(LASTS_S)
    _set_handles([*everybody, *place.started()], none_left=False)


def _set_handles(processes: list[int], none_left: bool) -> None:
    for each in processes:
        with contextlib.suppress(OSError):
            _soft, hard = resource.prlimit(each, resource.RLIMIT_NOFILE)
            opened = len(list(Path(f"/proc/{each}/fd").iterdir()))
            resource.prlimit(each, resource.RLIMIT_NOFILE, (opened if none_left else hard, hard))


async def database_is_locked(place: Place) -> None:
    """Another program holds SQLite's lock for a while."""

    def lock() -> sqlite3.Connection:
        base = sqlite3.connect(place.var_dir / "waterline.sqlite3", timeout=30, check_same_thread=False)
        base.execute("begin immediate")
        return base

    base = await asyncio.to_thread(lock)
    await asyncio.sleep(LASTS_S)
    base.rollback()
    base.close()


async def files_are_deleted(place: Place) -> None:
    """Somebody deletes the files of all sessions."""
    for directory in place.var_dir.glob("sessions/process-*"):
        if directory.is_dir():
            await asyncio.to_thread(shutil.rmtree, directory, True)


Fault = Callable[[Place], Coroutine[Any, Any, None]]

FAULTS: Final[tuple[Fault, ...]] = (
    worker_is_killed,
    disk_is_full,
    all_workers_are_killed,
    disk_is_full_for_all,
    no_handles_are_left,
    database_is_locked,
    files_are_deleted,
    workers_stand_still,
    server_is_killed,
    server_is_restarted,
)
