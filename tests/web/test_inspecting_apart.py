"""Files are read in a process of its own: bounded, one for each visitor, and ended with the visitor."""

from __future__ import annotations

import asyncio
import io
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import msgspec
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from playground.inspecting import reader, reading, rehearsal, uploads
from playground.inspecting.uploads import USUAL, OutOfTime, ReleaseChoice, UnreadableInput
from playground.limits.request_callers import RequestCaller
from playground.limits.work_places import PlacesFull, WorkPlaces
from tests.helpers.hostile_journal import scattered_acks
from tests.web.test_inspecting import sent, zipped

ROOT = Path(__file__).resolve().parents[2]
SOMEBODY = RequestCaller("192.0.2.1", "somebody")


def ran(code: str) -> subprocess.CompletedProcess[str]:
    """Run a program with bounds."""
    begin = "from playground.inspecting import reader\nfrom playground.inspecting.uploads import OutOfTime\n"
    return subprocess.run(
        [sys.executable, "-c", begin + code], cwd=ROOT, capture_output=True, text=True, check=False
    )


def test_memory_is_bounded() -> None:
    found = ran(
        f"reader.bind()\ntry:\n  bytearray({reader.MOST_MEMORY})\nexcept MemoryError:\n  print('held')"
    )
    assert found.stdout == "held\n", found.stderr


def test_work_is_bounded_even_where_the_end_of_the_time_is_passed_over() -> None:
    # A loop that is the very first thing of a `try` would not do: Python 3.11 looks for the handler of a
    # signal's exception one instruction before the loop, which then lies outside the `try`.
    limits = "reader.NICENESS = 0\nreader.MOST_WORK_S = reader.GRACE_S = 1\nreader.bind()\n"
    found = ran(f"{limits}try:\n  sum([1])\n  while True: sum([1])\nexcept OutOfTime:\n  print('held')")
    assert found.stdout == "held\n", found.stderr
    stubborn = ran(
        f"{limits}while True:\n  try:\n    sum([1])\n    while True: sum([1])\n  except OutOfTime: pass"
    )
    assert stubborn.returncode < 0


def parcel_of(files: dict[str, bytes]) -> Any:
    packed = zipped(files)
    return reader.pack([packed], ["data.zip"], USUAL)


def test_who_leaves_ends_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whenever that is: the file is closed, and the place is free again."""
    begun: list[asyncio.subprocess.Process] = []
    start = asyncio.create_subprocess_exec

    async def watched(*arguments: Any, **more: Any) -> asyncio.subprocess.Process:
        begun.append(await start(*arguments, **more))
        return begun[-1]

    monkeypatch.setattr(asyncio, "create_subprocess_exec", watched)
    places = WorkPlaces(count=2, waiting=2)
    held = parcel_of(scattered_acks(200_000))

    async def leave() -> None:
        lines = aiter(reader.ReaderProcess(held, SOMEBODY, places))
        assert "progress" in json.loads(await anext(lines))
        with pytest.raises(PlacesFull):
            places.enter(SOMEBODY, most=1)
        await lines.aclose()

    asyncio.run(leave())
    [process] = begun
    assert process.returncode == -9
    with pytest.raises(ProcessLookupError):
        os.kill(process.pid, 0)
    assert held.closed
    assert places.enter(SOMEBODY, most=1)


def test_who_stops_and_gives_something_else_need_not_try_again() -> None:
    places = WorkPlaces(count=2, waiting=2)
    ticket = places.enter(SOMEBODY, most=1)

    async def give() -> dict[str, Any]:
        lines = aiter(reader.ReaderProcess(parcel_of(scattered_acks(10)), SOMEBODY, places))
        assert json.loads(await anext(lines)) == {"progress": {"step": "waiting", "ahead": 1}}
        places.leave(ticket)
        return [json.loads(line) async for line in lines][-1]

    assert asyncio.run(give())["kind"] == "vhost"


def test_a_visitor_who_reads_already_is_refused_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "LEAVES_S", 0.1)
    places = WorkPlaces(count=2, waiting=2)
    assert places.enter(SOMEBODY, most=1)

    async def give() -> dict[str, Any]:
        return [
            json.loads(line)
            async for line in reader.ReaderProcess(parcel_of({"0.idx": b""}), SOMEBODY, places)
        ][-1]

    assert asyncio.run(give())["unreadable"] == "one_at_a_time"
    with pytest.raises(PlacesFull):  # the place is still the other's
        places.enter(SOMEBODY, most=1)


def test_the_process_knows_no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WATERLINE_SECRET_KEY", "secret")
    monkeypatch.setenv("DATABASE_URL", "postgres://secret")
    assert "secret" not in json.dumps(reader._environment())


def test_files_and_zips_are_taken_out_of_a_parcel_as_they_were_put_in() -> None:
    files = {
        "queues/Q/journal.jif": b"abc",
        "queues/Q/readme": b"long" * 100,
        "queues/Q/0.idx": b"",
        "1.rdq": b"d",
    }
    given = [SimpleUploadedFile(path.rpartition("/")[2], data) for path, data in files.items()]
    left_out: list[str] = []
    found = reader.unpack(reader.pack(given, list(files), ReleaseChoice(vhost="V")), left_out)
    assert found == ({path: files[path] for path in files if "readme" not in path}, ReleaseChoice(vhost="V"))
    assert left_out == ["queues/Q/readme"]
    assert reader.unpack(parcel_of(files), [])[0] == found[0]


def test_the_directory_of_a_zip_is_bounded_before_it_is_read() -> None:
    """34 MB of entries without content took 22 s and 390 MB."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as packed:
        packed.writestr("0.idx", b"")
    [entry] = [held.getvalue()[held.getvalue().index(b"PK\1\2") : held.getvalue().index(b"PK\5\6")]]
    count = uploads.MOST_DIRECTORY_BYTES // len(entry) + 1
    end = bytearray(held.getvalue()[held.getvalue().index(b"PK\5\6") :])
    end[12:16] = (count * len(entry)).to_bytes(4, "little")
    end[16:20] = (0).to_bytes(4, "little")
    hostile = io.BytesIO(entry * count + bytes(end))
    read: list[int] = []

    class Counted(io.BytesIO):
        def read(self, count: int | None = -1) -> bytes:
            read.append(count or 0)
            return super().read(count)

    with pytest.raises(UnreadableInput, match="too_many_files"):
        uploads.of_zip(Counted(hostile.getvalue()))
    assert max(read) <= uploads.MOST_DIRECTORY_BYTES + 1
    many = zipped({f"{at}.txt": b"" for at in range(uploads.MOST_MEMBERS + 1)})
    with pytest.raises(UnreadableInput, match="too_many_files"):
        uploads.of_zip(many)


@pytest.mark.parametrize("method", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize("at", [0, 2, 9, 40])
def test_broken_compression_is_a_clear_error(method: int, at: int) -> None:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", method) as packed:
        packed.writestr("0.idx", os.urandom(3000))
    data = bytearray(held.getvalue())
    begin = 30 + len("0.idx") + at
    data[begin : begin + 20] = b"\xff" * 20
    with pytest.raises(UnreadableInput, match="zip_member"):
        uploads.of_zip(io.BytesIO(bytes(data)))


@pytest.mark.parametrize("method", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_a_method_that_expands_in_one_piece_is_refused(method: int) -> None:
    """46 MB of zeros are 45 bytes of bzip2, and zipfile expands all that it has read: 4 kB became gigabytes."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", method) as packed:
        packed.writestr("0.idx", bytes(1000))
    with pytest.raises(UnreadableInput, match="zip_member"):
        uploads.of_zip(io.BytesIO(held.getvalue()))


@pytest.mark.django_db
def test_the_page_hears_of_each_step_and_of_what_was_not_read() -> None:
    answer = sent(files=zipped({**scattered_acks(1000), "queues/readme.txt": b"x"}))
    steps = [line["progress"]["step"] for line in answer.lines[:-1]]
    assert steps[0] == "unpacking"
    found = answer.json()
    assert (found["left_out"], found["left_out_count"]) == (["queues/readme.txt"], 1)


@pytest.mark.parametrize("ended", [OutOfTime(), MemoryError()])
def test_a_release_that_was_not_rehearsed_is_named(
    mixed: uploads.Files, ended: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With 50,000 messages two of four releases were missing from the answer, and nothing said so."""
    usual = rehearsal.upgraded

    def until(revival: Any, source: str, target: rehearsal.RehearsalTarget, choice: ReleaseChoice) -> Any:
        if target.name == "4.0.5":
            raise ended
        return usual(revival, source, target, choice)

    monkeypatch.setattr(rehearsal, "upgraded", until)
    rows = {row["target"]: row for row in reading.directory(mixed)[0]["upgrades"]}
    assert list(rows) == [target.name for target in rehearsal.TARGETS["3.10"]]
    assert {name: row["unplayed"] and row["unplayed"]["code"][:5] for name, row in rows.items()} == {
        "3.10.8-v2": None,
        "3.10.8-v2-policy": None,
        "4.0.5": "start",
        "4.3.6": "start",
    }


def test_too_many_messages_to_rehearse_are_said(
    mixed: uploads.Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rehearsal, "MOST_MESSAGES", 3)
    rows = reading.directory(mixed)[0]["upgrades"]
    assert {row["unplayed"]["code"] for row in rows} == {"many_messages"}


def two_hosts(files: dict[str, bytes]) -> dict[str, bytes]:
    """Return a node's directory in which two virtual hosts have these files."""
    return {f"msg_stores/vhosts/{name}/{path}": data for name in ("A", "B") for path, data in files.items()}


def asked(files: dict[str, bytes], choice: ReleaseChoice, caller: RequestCaller = SOMEBODY) -> list[Any]:
    """Return what a reading process says of files: its steps, and the answer."""
    held = reader.pack([zipped(files)], ["data.zip"], choice)

    async def lines() -> list[Any]:
        found = reader.ReaderProcess(held, caller, WorkPlaces(count=2, waiting=2))
        return [json.loads(part) for part in b"".join([part async for part in found]).splitlines()]

    return asyncio.run(lines())


def test_a_directory_is_read_once_for_all_choices(
    mixed: uploads.Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each choice read all files again on a server. What is known of them says the same as reading them."""
    monkeypatch.setattr(reader, "kept", reader.KeptReports())
    files = two_hosts(mixed)
    assert {each["dir"] for each in asked(files, USUAL)[-1]["vhosts"]} == {"A", "B"}
    held = reader.kept.of(SOMEBODY)
    label = msgspec.msgpack.decode(held, type=reader.LabeledReports)
    assert set(label.reports) == {"A", "B"}
    choice = ReleaseChoice(vhost="A", day=1.0)
    with reader.known_in(io.BytesIO(held), parcel_files(files), choice) as known:
        assert set(known) == {"A", "B"}
        quick = reading.directory(parcel_files(files), choice, known=known)[0]
    assert quick == reading.directory(parcel_files(files), choice)[0]
    assert asked(files, choice)[-1]["queues"] == quick["queues"]


def parcel_files(files: dict[str, bytes]) -> uploads.Files:
    """Return files as the process takes them out of a parcel."""
    return reader.unpack(parcel_of(files), [])[0]


def test_what_is_known_of_other_files_is_not_used(mixed: uploads.Files) -> None:
    held = io.BytesIO()
    with reader.known_in(held, mixed, USUAL) as known:
        known["A"] = {"damage": []}
    for files, choice in [(mixed | {"0.rdq": b"x"}, USUAL), (mixed, ReleaseChoice(entries=8))]:
        with reader.known_in(io.BytesIO(held.getvalue()), files, choice) as found:
            assert found == {}
    with reader.known_in(io.BytesIO(held.getvalue()), mixed, ReleaseChoice(vhost="A")) as found:
        assert found == {"A": {"damage": []}}
    for broken in (b"", b"\xc1", held.getvalue()[:-3]):
        with reader.known_in(io.BytesIO(broken), mixed, USUAL) as found:
            assert found == {}


def test_what_is_kept_is_bounded_by_address_in_all_and_by_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MOST_OF_ADDRESS", 10)
    monkeypatch.setattr(reader, "MOST_BYTES", 25)
    now = [0.0]
    kept = reader.KeptReports(lambda: now[0])
    first, second = RequestCaller("192.0.2.1", "a"), RequestCaller("192.0.2.1", "b")
    others = [RequestCaller(f"192.0.2.{at}", "c") for at in (2, 3)]
    kept.keep(first, bytes(6))
    kept.keep(second, bytes(6))  # of the same address: the older one goes
    assert (len(kept.of(first)), len(kept.of(second))) == (0, 6)
    for each in others:
        kept.keep(each, bytes(10))
    assert [len(kept.of(each)) for each in (second, *others)] == [0, 10, 10]
    kept.keep(others[0], b"new")
    assert kept.of(others[0]) == b"new"
    kept.keep(others[0], bytes(11))  # more than an address may keep
    assert kept.of(others[0]) == b""
    now[0] = reader.KEPT_S + 1
    assert kept.of(others[1]) == b""
