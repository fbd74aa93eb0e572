"""Sessions that take more memory than a worker has: the worker ends, and says which of them it was."""

from __future__ import annotations

import asyncio
import mmap
from pathlib import Path

import msgspec
import pytest

from playground.hosting import protocol, refusals
from playground.hosting.session_record import RecordedSession
from playground.hosting.worker import WorkerMemory
from tests.web.stub import MemoryBook, settled
from tests.web.test_workers import SMALL, Workers, alive

MOST_BYTES = 6 << 20
HUGE = {"do": "publish", "count": 20_000, "size_bytes": 5000, "persistent": True}
"""One event that takes some 25 MB where each message has a store file of its own."""


def crowded(root: Path, monkeypatch: pytest.MonkeyPatch, count: int) -> Workers:
    """Return workers of little memory, and a session called hog that can take more."""
    found = Workers(root, monkeypatch, workers=count)
    found.registry.pool._begin = msgspec.structs.replace(found.registry.pool._begin, memory_bytes=MOST_BYTES)
    scenario = {"version": 1, "profile": "real", "until_us": 0, "settings": {"msg_store_file_size_limit": 1}}
    found.books["hog"] = MemoryBook(RecordedSession(found.door.check(scenario), []))
    return found


async def test_a_worker_beyond_its_memory_ends_and_its_other_sessions_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workers = crowded(tmp_path / "sessions", monkeypatch, 2)
    names = ("hog", "apart", "beside")
    readers = {name: workers.reader(name) for name in names}
    for name in names:
        await readers[name].until("snapshot")
        workers.give(readers[name], name, 1, **SMALL)
        await readers[name].until("accepted")
    first = list(workers.pids)
    try:
        workers.give(readers["hog"], "hog", 2, **HUGE)
        await readers["hog"].until("refused")
        [refused] = readers["hog"].of("refused")
        assert refused["message"] == str(refusals.TOOK_MEMORY)
        await settled(lambda: any("where it was" in each["message"] for each in readers["hog"].of("notice")))
        for name in ("beside", "hog"):
            await readers[name].until("snapshot", 2)
        assert not alive(first[0]), "its place is another one's"
        assert alive(first[1])
        assert not readers["apart"].of("notice")
        for name in names:
            workers.give(readers[name], name, 3, **SMALL)
            await readers[name].until("accepted", 2)
            moment = await workers.host(name).moment()
            assert [each["count"] for _at_us, each in moment.commands] == [5, 5]
    finally:
        await workers.registry.end()
        await settled(lambda: not any(alive(pid) for pid in workers.pids))


async def test_a_session_whose_record_takes_too_much_stands_still_and_can_be_mended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workers = crowded(tmp_path / "sessions", monkeypatch, 1)
    workers.book("hog").record.commands.extend([(0, SMALL), (0, HUGE)])
    try:
        reader = workers.reader("hog")
        await settled(
            lambda: any(each["message"] == str(refusals.NEEDS_MEMORY) for each in reader.of("notice"))
        )
        await settled(lambda: len(workers.pids) == 3)
        await asyncio.sleep(1)
        assert alive(workers.pids[-1]), "nobody tries in vain"
        workers.host("hog").request(reader.client, protocol.UndoCommand(1))
        await reader.until("snapshot")
        moment = await workers.host("hog").moment()
        assert [each["count"] for _at_us, each in moment.commands] == [5]
    finally:
        await workers.registry.end()
        await settled(lambda: not any(alive(pid) for pid in workers.pids))


def new_pages(count: int) -> mmap.mmap:
    """Return bytes that lie in pages of their own; bytes of Python may lie where others were freed before."""
    pages = mmap.mmap(-1, count)
    pages.write(b"x" * count)
    return pages


def test_what_is_added_counts_for_the_session_whose_turn_it_was() -> None:
    memory = WorkerMemory()
    memory.note("small")
    kept = new_pages(8 << 20)
    assert memory.taken_bytes() >= len(kept) // 2
    memory.note("large")
    assert memory.largest(None) == memory.largest("small") == "large"
    more = new_pages(16 << 20)
    assert memory.largest("small") == "small"
    kept.close()
    more.close()
    memory.forget("large")
    assert memory.largest(None) == "small"
    memory.close()
    assert memory.taken_bytes() <= 0, "nobody knows any more"
