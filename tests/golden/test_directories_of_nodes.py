"""What Inspect says of real nodes' directories is what the nodes did; `make interop-directories` has all of it."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from engine.storage.ledger import LedgerStorage
from playground.inspecting import node_command, reading, revival
from playground.inspecting.uploads import Files, PlacedFiles, ReleaseChoice
from tools.proofs.interop import directories

DAY = 1_795_953_000


def test_the_least_of_each_kind_is_equal(capsys: pytest.CaptureFixture[str]) -> None:
    """S116, W41, W96, W97, W205: counts, what is redelivered, what expires, and what a read of damage costs."""
    assert directories.main(["--tiny"]) == 0, capsys.readouterr().out


@pytest.fixture(scope="module")
def kept() -> dict[str, Files]:
    return directories.directories((directories.PLACE / "directories.tar.xz").read_bytes())


@pytest.mark.parametrize(
    ("name", "comes_back"),
    [("3.10.8-kill-basic", False), ("3.10.8-stop-basic", False), ("4.0.5-stop-basic", True)],
)
def test_an_empty_config_is_fatal_on_3_10(kept: dict[str, Files], name: str, comes_back: bool) -> None:
    """S4: the real 3.10.8 answered 404 for each queue in three rounds; 4.x needs the file for no `.qi`."""
    files = {path: b"" if path.endswith("/.config") else data for path, data in kept[name].items()}
    answer, _ = reading.directory(directories.as_of_node(files), ReleaseChoice(day=DAY))
    assert {row["ends"] for row in answer["queues"]} == ({None} if comes_back else {"dead"})
    assert any(each["code"] == "config_without_number" for each in answer["damage"])


@pytest.mark.parametrize("suffix", [".qs", ".qi"])
def test_a_process_that_crashes_once_at_its_start_is_said_so(kept: dict[str, Files], suffix: str) -> None:
    """W205: with `.qs` or `.qi` gone after an orderly stop, the real 4.3.6 logged a crash, and listed 0 messages."""
    whole = kept["dmg-4.3.6-stop/d00"]
    small = next(
        path.rpartition("/")[0]
        for path, data in whole.items()
        if path.endswith(".queue_name") and b"small" in data
    )
    files = {
        path: data
        for path, data in whole.items()
        if not path.startswith(f"{small}/") or not path.endswith(suffix)
    }
    answer, _ = reading.directory(directories.as_of_node(files), ReleaseChoice(day=DAY))
    assert {row["name"]: (row["crashes"], row["listed"]) for row in answer["queues"]} == {
        "small": (1, 0),
        "large": (0, 12),
    }
    assert any("its process crashes once at the start" in line for line in node_command.lines("", answer))


def test_an_expiry_that_no_clock_gives_is_damage(kept: dict[str, Files]) -> None:
    """A flipped bit in an index record; the real 3.10.8 let that message expire, and 11 of 12 came."""
    [found] = damage(kept["dmg-3.10.8-kill/d21"])
    assert (found["code"], found["values"]["count"], found["values"]["first"]) == (
        "expiry_of_no_clock",
        1,
        10,
    )


@pytest.mark.parametrize(
    ("name", "file", "at", "seq"),
    [("3.10.8-kill-basic", "0.idx", 29, 60), ("4.0.5-kill-basic", "0.qi", 64 + 23, 0)],
)
def test_a_size_that_is_not_the_bodys_is_damage(
    kept: dict[str, Files], name: str, file: str, at: int, seq: int
) -> None:
    path = next(path for path in kept[name] if path.endswith(f"/F0LI8Q2L5NQQX8KRJAO1AHU7J/{file}"))
    data = bytearray(kept[name][path])
    data[at] ^= 1
    [found] = damage(kept[name] | {path: bytes(data)})
    assert (found["code"], found["values"]["count"], found["values"]["first"]) == (
        "size_of_other_body",
        1,
        seq,
    )
    assert abs(found["values"]["said"] - found["values"]["found"]) == 1


def test_whole_directories_have_no_damage(kept: dict[str, Files]) -> None:
    whole = [name for name in kept if not name.startswith("dmg-")]
    assert len(whole) > 20
    assert {name: found for name in whole if (found := damage(kept[name]))} == {}


def damage(files: Files) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = revival.report_on(reading.without_beside(directories.as_of_node(files))[0])[
        "damage"
    ]
    return found


@pytest.mark.sources  # files stay in place in the file for the node alone, which is built of them
@pytest.mark.parametrize(
    "name",
    [
        "3.8.9-stop-basic",
        "3.10.8-kill-prio-ttl",
        "3.10.8-stop-basic-v2",
        "4.3.6-kill-basic",
        "dmg-3.10.8-kill/d21",
        "dmg-4.3.6-stop/d26",
    ],
)
def test_files_that_stay_where_they_are_give_the_same_answer(kept: dict[str, Files], name: str) -> None:
    """Of a directory that is too large to be kept, a start and each rehearsal look at the heads of its records."""
    files = directories.as_of_node(kept[name])
    storage = LedgerStorage()
    revival.fill(storage, files)
    left = PlacedFiles(storage)
    placed = {
        path: left.file(path) if path.endswith(node_command.WITH_MESSAGES) else data
        for path, data in files.items()
    }
    answers = [reading.directory(each, ReleaseChoice(day=DAY))[0] for each in (files, placed)]
    asked = (
        "name",
        "live",
        "back",
        "listed",
        "unreadable",
        "expired",
        "ends",
        "gone",
        "redelivered",
        "crashes",
    )
    for part in ("upgrades", "stores", "unowned", "failure", "unplayed", "source"):
        assert answers[0][part] == answers[1][part], part
    rows = [[[row[each] for each in asked] for row in answer["queues"]] for answer in answers]
    assert rows[0] == rows[1]
    found = [[(each["file"], each["code"]) for each in answer["damage"]] for answer in answers]
    assert found[0] == found[1]


def test_queues_that_need_too_much_memory_together_start_one_by_one(
    kept: dict[str, Files], monkeypatch: pytest.MonkeyPatch
) -> None:
    files = directories.as_of_node(kept["4.3.6-kill-basic"])
    together = reading.directory(files, ReleaseChoice(day=DAY))[0]
    play = revival._play

    def narrow(begun: revival.QueueRevival, records: int) -> revival.QueueRevival:
        if len(begun.names) > 1:
            return msgspec.structs.replace(begun, unplayed=revival.too_much(MemoryError(), records))
        return play(begun, records)

    monkeypatch.setattr(revival, "_play", narrow)
    alone = reading.directory(files, ReleaseChoice(day=DAY))[0]
    asked = ("name", "back", "redelivered", "expired", "ends")
    assert alone["unplayed"] is None
    assert [[row[each] for each in asked] for row in alone["queues"]] == [
        [row[each] for each in asked] for row in together["queues"]
    ]
    monkeypatch.setattr(
        revival,
        "_play",
        lambda begun, records: narrow(msgspec.structs.replace(begun, names={"a": "a", "b": "b"}), 7),
    )
    said = next(node_command.lines("/", reading.directory(files, ReleaseChoice(day=DAY))[0]))
    assert said.startswith(
        "NOT PLAYED: a start on virtual host '/': it needs more memory than it may take, for 7 "
    )
