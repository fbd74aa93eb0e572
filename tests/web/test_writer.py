"""What is written to records: many sessions' additions in one transaction, and never into a file that is gone."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from channels.db import database_sync_to_async
from django.db import OperationalError, connection, connections
from django.test.utils import CaptureQueriesContext

from playground.hosting.session_record import OwnedElsewhere, RecordUnreachable
from playground.models import CommandRecord, Session
from playground.records import database_record, kept_runs, session_leases
from playground.records.database_record import RecordAppend, append
from playground.records.session_leases import LeaseHolder
from playground.records.sqlite3 import base as sqlite3_base

pytestmark = pytest.mark.django_db(transaction=True)

PUBLISH: dict[str, Any] = {"do": "publish", "count": 1}
US = LeaseHolder("us")


def owned() -> tuple[str, int]:
    session = kept_runs.start_session(kept_runs.blank_scenario("classroom"))
    return session.public_id, session_leases.take(session.public_id, US, 60)


def test_what_ten_sessions_add_takes_as_many_queries_as_what_one_adds() -> None:
    ten = [owned() for _each in range(10)]

    def queries(number: int, of: list[tuple[str, int]]) -> int:
        wanted = [
            RecordAppend(one, epoch, row=(number, 10, PUBLISH), reached=(10 + number, ""))
            for one, epoch in of
        ]
        with CaptureQueriesContext(connection) as seen:
            assert append(wanted) == [None] * len(of)
        return len(seen)

    assert queries(0, ten) == queries(1, ten[:1])
    assert {each.reached_us for each in Session.objects.all()} == {10, 11}


def test_a_command_is_written_by_two_statements_in_one_transaction() -> None:
    """Each costs more than the database's work: who may write, and the row."""
    one, epoch = owned()
    with CaptureQueriesContext(connection) as seen:
        assert database_record.written([RecordAppend(one, epoch, row=(0, 10, PUBLISH))]) == [None]
    words = [word for each in seen for word in re.findall("SELECT|INSERT|SAVEPOINT", each["sql"])]
    assert words == ["SELECT", "INSERT"]
    assert kept_runs.remembered(one).commands == [(10, PUBLISH)]


def test_a_session_that_another_process_has_holds_up_nobody() -> None:
    (ours, epoch), (theirs, late) = owned(), owned()
    found = append(
        [RecordAppend(theirs, late - 1, row=(0, 5, PUBLISH)), RecordAppend(ours, epoch, row=(0, 5, PUBLISH))]
    )
    assert isinstance(found[0], OwnedElsewhere)
    assert found[1] is None
    assert list(CommandRecord.objects.values_list("session__public_id", flat=True)) == [ours]


def test_what_is_added_to_one_session_is_in_the_order_in_which_it_was_asked_for() -> None:
    one, epoch = owned()
    undo = RecordAppend(one, epoch, row=(1, 20, kept_runs.UNDO), reached=(20, ""))
    append(
        [RecordAppend(one, epoch, row=(0, 20, PUBLISH)), RecordAppend(one, epoch, reached=(90, "x")), undo]
    )
    remembered = kept_runs.remembered(one)
    assert (remembered.commands, remembered.rows, remembered.reached_us) == ([], 2, 20)


async def test_a_session_that_is_deleted_while_its_owner_writes_leaves_no_row_behind() -> None:
    """In PostgreSQL, deleting failed: the row that came in between pointed to what was about to go."""
    one, epoch = await database_sync_to_async(owned)()
    wrote, may_end = threading.Event(), threading.Event()

    def write() -> None:
        append([RecordAppend(one, epoch, row=(0, 5, PUBLISH))])
        wrote.set()
        may_end.wait(30)

    written = database_record.writer().write(write)
    await asyncio.to_thread(wrote.wait, 30)
    asyncio.get_running_loop().call_later(0.3, may_end.set)
    gone = database_sync_to_async(kept_runs.delete_sessions, thread_sensitive=False)
    assert await gone(Session.objects.filter(public_id=one)) == 1
    await written
    assert await database_sync_to_async(CommandRecord.objects.count)() == 0


async def test_of_two_writes_at_once_only_the_one_that_cannot_be_made_fails() -> None:
    (one, epoch), (other, others) = await database_sync_to_async(lambda: (owned(), owned()))()
    pen = database_record.writer()
    again = [pen.write(RecordAppend(one, epoch, row=(0, 5, PUBLISH))) for _twice in range(2)]
    fine = pen.write(RecordAppend(other, others, row=(0, 5, PUBLISH)))
    await asyncio.wait([*again, fine])
    assert again[0].exception() is None
    assert isinstance(again[1].exception(), RecordUnreachable)
    assert fine.exception() is None


async def test_notes_wait_for_each_other_and_never_come_after_what_is_newer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (one, epoch), (other, others) = await database_sync_to_async(lambda: (owned(), owned()))()
    delayed: list[Callable[[], None]] = []
    loop = asyncio.get_running_loop()
    call_later = loop.call_later

    def keep_notes_back(seconds: float, callback: Callable[..., Any], *arguments: Any, **more: Any) -> Any:
        if seconds == database_record.NOTES_S:
            return delayed.append(callback)
        return call_later(seconds, callback, *arguments, **more)  # the pause between two transactions

    monkeypatch.setattr(loop, "call_later", keep_notes_back)
    pen = database_record.writer()
    pen.note(RecordAppend(one, epoch, reached=(7, "")))
    pen.note(RecordAppend(other, others, reached=(8, "")))
    pen.note(RecordAppend(other, others, reached=(9, "")))
    await pen.write(RecordAppend(one, epoch, reached=(70, "rested")))
    (write_notes,) = delayed
    write_notes()
    await pen.write(lambda: None)
    reached = await database_sync_to_async(
        lambda: dict(Session.objects.values_list("public_id", "reached_us"))
    )()
    assert reached == {one: 70, other: 9}


async def test_the_connection_stays_open_and_is_made_anew_where_it_is_of_no_use(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pen = database_record.writer()

    async def used() -> Any:
        seen: list[Any] = []
        await pen.write(lambda: seen.append(connection.connection))
        return seen[0]

    first = await used()
    assert await used() is first
    looks = iter([False])
    monkeypatch.setattr(type(connections["default"]), "is_usable", lambda _self: next(looks, True))
    second = await used()
    assert second is not first
    assert await used() is second


def test_a_connection_is_of_no_use_once_its_file_is_deleted(tmp_path: Path) -> None:
    """SQLite goes on writing to such a file: what is written there is on no record."""
    settings = {**connections.settings["default"], "NAME": str(tmp_path / "one.sqlite3")}
    kept = sqlite3_base.DatabaseWrapper(settings)
    kept.connect()
    assert kept.is_usable()
    (tmp_path / "one.sqlite3").unlink()
    assert not kept.is_usable()
    kept.close()
    kept.connect()
    assert kept.is_usable()
    kept.close()


def test_a_transaction_lets_the_next_one_begin_however_it_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = {**connections.settings["default"], "NAME": str(tmp_path / "one.sqlite3")}
    one = sqlite3_base.DatabaseWrapper(settings)
    one.ensure_connection()

    def begin() -> None:
        one.set_autocommit(False, force_begin_transaction_with_broken_autocommit=True)
        assert sqlite3_base._transaction.locked()

    def end(how: Callable[[], None]) -> None:
        how()
        assert not sqlite3_base._transaction.locked()
        one.set_autocommit(True)

    for how in (one.commit, one.rollback):
        begin()
        end(how)
    begin()
    one.close()
    assert not sqlite3_base._transaction.locked()
    one.connect()

    def fail(*_arguments: Any) -> None:
        raise OperationalError("database is locked")

    monkeypatch.setattr(one, "cursor", fail)
    with pytest.raises(OperationalError):
        begin()
    assert not sqlite3_base._transaction.locked()
    one.close()


async def test_a_database_that_fails_is_not_written_to_and_tried_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one, epoch = await database_sync_to_async(owned)()
    database_record.release()

    def refuse(*_arguments: Any) -> None:
        raise OperationalError("no place")

    with monkeypatch.context() as patched:
        patched.setattr(type(connections["default"]), "connect", refuse)
        with pytest.raises(RecordUnreachable):
            await database_record.writer().write(RecordAppend(one, epoch, row=(0, 5, PUBLISH)))
    await database_record.writer().write(RecordAppend(one, epoch, row=(0, 5, PUBLISH)))
