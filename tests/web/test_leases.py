"""Leases: a session has one owner, and what an owner of before still writes is refused."""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from channels.db import database_sync_to_async
from django.utils import timezone

from playground.hosting import protocol
from playground.hosting.host import HostRegistry
from playground.hosting.real_engine import door
from playground.hosting.session_record import OwnedElsewhere
from playground.limits import session_limits
from playground.models import CommandRecord, Lease, Session
from playground.records import kept_runs, session_leases
from playground.records.database_record import DatabaseRecord, OwnedLeases
from playground.records.session_leases import LeaseHolder
from tests.helpers.patience import PATIENCE_S
from tests.web import record
from tests.web.stub import Reader
from tests.web.test_host import acknowledge

pytestmark = pytest.mark.django_db(transaction=True)

LONG_S = 600.0
A, B = LeaseHolder("process-a", "app1"), LeaseHolder("process-b", "app2")
PUBLISH = {"do": "publish", "count": 13, "size_bytes": 100}


def begin() -> str:
    return kept_runs.start_session(kept_runs.blank_scenario("classroom")).public_id


def lapse() -> None:
    """Let the time of every lease be over."""
    Lease.objects.update(expires_at=timezone.now() - timedelta(seconds=1))


# --- the row ---


def test_only_one_process_owns_a_session() -> None:
    one = begin()
    epoch = session_leases.take(one, A, LONG_S)
    with pytest.raises(OwnedElsewhere) as elsewhere:
        session_leases.take(one, B, LONG_S)
    assert elsewhere.value.node == "app1"
    assert session_leases.take(one, A, LONG_S, epoch) == epoch, "who has it keeps it"
    assert session_leases.node_of(one) == "app1"


@pytest.mark.parametrize("end", [lapse, lambda: session_leases.lapse(["process-a"])])
def test_a_lease_that_is_over_is_taken_with_a_higher_epoch(end: Callable[[], Any]) -> None:
    one = begin()
    before = session_leases.take(one, A, LONG_S)
    end()
    assert session_leases.node_of(one) == ""
    assert session_leases.take(one, B, LONG_S) > before
    assert session_leases.renew(A, [one], LONG_S) == set()
    assert session_leases.renew(B, [one], LONG_S) == {one}


def test_an_owner_that_died_before_the_clock_was_set_back_keeps_nothing() -> None:
    one = begin()
    session_leases.take(one, A, 9.0)
    Lease.objects.update(
        expires_at=timezone.now() + timedelta(hours=1, seconds=9)
    )  # as the database sees it now
    assert session_leases.take(one, B, 9.0) == 2
    assert session_leases.node_of(one) == "app2"


def test_an_owner_that_lives_goes_on_when_the_clock_is_set_forward_or_back() -> None:
    one = begin()
    epoch = session_leases.take(one, A, 9.0)
    for jump in (timedelta(hours=1), -timedelta(hours=1)):
        Lease.objects.update(expires_at=timezone.now() + timedelta(seconds=9) - jump)
        assert session_leases.renew(A, [one], 9.0) == {one}
        assert session_leases.take(one, A, 9.0, epoch) == epoch
        with pytest.raises(OwnedElsewhere):
            session_leases.take(one, B, 9.0)


def test_who_comes_back_to_an_epoch_that_is_over_gets_a_new_one_or_nothing() -> None:
    one = begin()
    epoch = session_leases.take(one, A, LONG_S)
    lapse()
    session_leases.take(one, B, LONG_S)
    with pytest.raises(OwnedElsewhere):
        session_leases.take(one, A, LONG_S, epoch)
    lapse()
    assert session_leases.take(one, A, LONG_S, epoch) > epoch + 1


def test_a_lease_that_is_given_back_is_free_and_an_old_one_cannot_be() -> None:
    one = begin()
    epoch = session_leases.take(one, A, LONG_S)
    session_leases.give_back(one, A, epoch - 1)
    with pytest.raises(OwnedElsewhere):
        session_leases.take(one, B, LONG_S)
    session_leases.give_back(one, A, epoch)
    session_leases.take(one, B, LONG_S)


def test_a_session_that_is_gone_has_no_owner() -> None:
    with pytest.raises(Session.DoesNotExist):
        session_leases.take("nosuch", A, LONG_S)
    one = begin()
    epoch = session_leases.take(one, A, LONG_S)
    Session.objects.all().delete()
    with pytest.raises(OwnedElsewhere):
        record.record_command(one, 0, 0, PUBLISH, epoch)


def test_a_late_append_an_undo_and_progress_of_the_old_epoch_are_refused() -> None:
    one = begin()
    old = session_leases.take(one, A, LONG_S)
    record.record_command(one, 0, 10, PUBLISH, old)
    lapse()
    new = session_leases.take(one, B, LONG_S)
    record.record_command(one, 1, 20, PUBLISH, new)
    for late in (
        lambda: record.record_command(one, 2, 30, {"do": "purge"}, old),
        lambda: record.undo_command(one, 2, 0, old),
        lambda: record.note_progress(one, 99, "x", old),
    ):
        with pytest.raises(OwnedElsewhere) as elsewhere:
            late()
        assert elsewhere.value.node == "app2"
    remembered = kept_runs.remembered(one)
    assert [at_us for at_us, _command in remembered.commands] == [10, 20]
    assert (remembered.reached_us, remembered.digest) == (20, ""), (
        "as far as the last command, and no farther"
    )
    assert list(CommandRecord.objects.values_list("epoch", flat=True)) == [old, new]


def test_an_undo_is_a_row_of_the_record() -> None:
    one = begin()
    epoch = session_leases.take(one, A, LONG_S)
    for sequence, at_us in enumerate((10, 20)):
        record.record_command(one, sequence, at_us, PUBLISH, epoch)
    record.undo_command(one, 2, 20, epoch)
    record.record_command(one, 3, 30, {"do": "purge"}, epoch)
    remembered = kept_runs.remembered(one)
    assert remembered.commands == [(10, PUBLISH), (30, {"do": "purge"})]
    assert (remembered.rows, remembered.reached_us) == (4, 30)


# --- two processes on one database: each with its own directory, engines and sockets ---


class Process:
    """What a server process has, without its pages."""

    def __init__(self, root: Path, name: str, lasts_s: float) -> None:
        bounds = session_limits.SessionLimits(
            **{**session_limits.current().public(), "workers": 0, "sessions_per_process": 8},
            new_per_minute=1,
            reads_per_minute=1,
        )
        self.registry = HostRegistry(door=door(), book=self._book, limits=bounds, root=root / name)
        self.tenure = OwnedLeases(LeaseHolder(self.registry.directory.path.name, name), lasts_s)

    def _book(self, session_id: str) -> DatabaseRecord:
        return DatabaseRecord(session_id, self.tenure)

    def reader(self, session_id: str) -> Reader:
        reader = Reader()
        host = self.registry.join(session_id, reader.client)
        reader.on_sent = lambda message: acknowledge(host, reader, message)
        reader.client.move = lambda: reader.sent.append({"t": "moved"})
        host.request(reader.client, protocol.PageHello(None, None))
        return reader

    def host(self, session_id: str) -> Any:
        found = self.registry.host(session_id)
        assert found is not None
        return found


@pytest_asyncio.fixture
async def start(tmp_path: Path) -> AsyncIterator[Callable[..., Process]]:
    """Return a function that starts a process."""
    made: list[Process] = []

    def start(name: str, lasts_s: float = LONG_S) -> Process:
        made.append(Process(tmp_path, name, lasts_s))
        return made[-1]

    yield start
    for process in made:
        await process.registry.end()


async def until(condition: Callable[[], Any]) -> Any:
    """Wait until something is so."""
    ends = time.monotonic() + PATIENCE_S
    while not (found := condition()):
        assert time.monotonic() < ends
        await asyncio.sleep(0.02)
    return found


in_database = database_sync_to_async


async def test_the_second_process_does_not_run_what_the_first_one_has(start: Any) -> None:
    one = await in_database(begin)()
    a, b = start("a"), start("b")
    reader = a.reader(one)
    await reader.until("snapshot")
    other = b.reader(one)
    await other.until("moved")
    assert not other.of("snapshot")
    await until(lambda: b.registry.host(one) is None)
    a.host(one).request(reader.client, protocol.CommandMessage(1, PUBLISH))
    await reader.until("accepted")


async def test_the_owner_of_before_writes_nothing_and_both_agree(start: Any) -> None:
    """In 0.2.0 two processes parted silently: one showed 13 messages, the other 53, and waking gave 60."""
    one = await in_database(begin)()
    a, b = start("a"), start("b")
    first = a.reader(one)
    await first.until("snapshot")
    a.host(one).request(first.client, protocol.CommandMessage(1, PUBLISH))
    await first.until("accepted")
    await in_database(lapse)()  # A slept through its time
    second = b.reader(one)
    await second.until("snapshot")
    b.host(one).request(second.client, protocol.CommandMessage(1, {**PUBLISH, "count": 40}))
    await second.until("accepted")
    a.host(one).request(first.client, protocol.CommandMessage(2, {**PUBLISH, "count": 7}))
    await first.until("moved")
    assert len(first.of("accepted")) == 1, "the late command is not acknowledged"
    remembered = await in_database(kept_runs.remembered)(one)
    assert [command["count"] for _at_us, command in remembered.commands] == [13, 40]
    assert await in_database(lambda: list(CommandRecord.objects.values_list("epoch", flat=True)))() == [1, 2]
    moment = await b.host(one).moment()
    assert await in_database(repeated)(one, moment.at_us) == moment.digest


def repeated(session_id: str, until_us: int) -> str:
    """Return the digest of the run that the record gives, repeated without anything of a process."""
    from playground.sessions.session_sharing import _repeated

    session = Session.objects.get(public_id=session_id)
    return _repeated(session, kept_runs.commands_of(session), until_us)


async def test_another_process_repeats_the_run_of_one_that_died(start: Any, tmp_path: Path) -> None:
    one = await in_database(begin)()
    a, b = start("a"), start("b")
    first = a.reader(one)
    await first.until("snapshot")
    a.host(one).say(protocol.ControlRun(False))
    a.host(one).request(first.client, protocol.CommandMessage(1, PUBLISH))
    await first.until("accepted")
    a.host(one).request(first.client, protocol.CommandMessage(2, {"do": "purge"}))
    await first.until("accepted", 2)
    moment = await a.host(one).moment()
    await in_database(record.note_progress)(one, moment.at_us, "")
    shutil.rmtree(tmp_path / "a")  # another machine sees none of its files
    await in_database(lapse)()
    second = b.reader(one)
    await second.until("snapshot")
    b.host(one).say(protocol.ControlRun(False))
    found = await b.host(one).moment()
    assert len(found.commands) == 2
    assert found.at_us >= moment.at_us
    assert await in_database(repeated)(one, moment.at_us) == moment.digest
    assert await in_database(repeated)(one, found.at_us) == found.digest


async def test_leases_are_renewed_in_time_and_given_back_at_the_end(start: Any) -> None:
    one = await in_database(begin)()
    a, b = start("a", lasts_s=6), start("b", lasts_s=6)
    reader = a.reader(one)
    await reader.until("snapshot")
    expires = in_database(lambda: Lease.objects.get().expires_at)
    first = await expires()
    ends = time.monotonic() + PATIENCE_S
    while await expires() <= first:
        assert time.monotonic() < ends
        await asyncio.sleep(0.1)
    other = b.reader(one)
    await other.until("moved")
    await a.host(one).end()
    other = b.reader(one)
    await other.until("snapshot")


async def test_who_lost_the_lease_hears_of_it_without_writing(start: Any) -> None:
    one = await in_database(begin)()
    a = start("a", lasts_s=0.6)
    first = a.reader(one)
    await first.until("snapshot")
    await in_database(lambda: Lease.objects.update(process="process-b", epoch=9))()
    await first.until("moved")
    await until(lambda: a.registry.host(one) is None)


async def test_a_process_that_was_killed_is_not_waited_for(start: Any, tmp_path: Path) -> None:
    """Its directory's lock is free, which the next process on this machine sees."""
    one = await in_database(begin)()
    await in_database(session_leases.take)(one, LeaseHolder("process-dead"), LONG_S)
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "process-dead.lock").touch()
    b = start("b")
    b.tenure = OwnedLeases(b.tenure.holder, LONG_S, b.registry.directory.swept)
    await b.reader(one).until("snapshot")


class Seen:
    """The processes that are seen to be gone, and how often that was asked."""

    def __init__(self, *gone: str) -> None:
        self.gone = list(gone)
        self.asked = 0

    def is_gone(self, process: str) -> bool:
        self.asked += 1
        return process in self.gone

    def hold(self) -> None:
        """Be seen."""


async def test_the_sessions_of_a_process_that_is_gone_need_not_lapse(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that died was waited for until its lease lapsed: 9 to 10 s."""
    one, two = await in_database(begin)(), await in_database(begin)()
    for each in (one, two):
        await in_database(session_leases.take)(each, A, LONG_S)
    seen = Seen(A.process)
    monkeypatch.setattr(session_leases, "is_gone", seen.is_gone)
    monkeypatch.setattr(session_leases, "GRACE_S", 0.05)
    heir = OwnedLeases(B, LONG_S, presence=seen)  # type: ignore[arg-type]
    assert await heir.take(one, None) == 2
    asked = seen.asked
    assert await heir.take(two, None) == 2
    assert (asked, seen.asked) == (2, 2), "all leases of it are over at once"


@pytest.mark.parametrize("comes_back", [True, False])
async def test_who_lives_or_comes_back_keeps_its_sessions(
    monkeypatch: pytest.MonkeyPatch, comes_back: bool
) -> None:
    one = await in_database(begin)()
    await in_database(session_leases.take)(one, A, LONG_S)
    seen = Seen(*([A.process] if comes_back else []))

    def is_gone(process: str) -> bool:
        gone = seen.is_gone(process)
        seen.gone.clear()  # its connection broke, and it has another one by now
        return gone

    monkeypatch.setattr(session_leases, "is_gone", is_gone)
    monkeypatch.setattr(session_leases, "GRACE_S", 0.05)
    with pytest.raises(OwnedElsewhere):
        await OwnedLeases(B, LONG_S, presence=seen).take(one, None)  # type: ignore[arg-type]
    assert seen.asked == 1 + comes_back
