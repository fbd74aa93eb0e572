"""What Inspect says of real nodes' directories is what the nodes did; `make interop-directories` has all of it."""

from __future__ import annotations

from typing import Any

import pytest

from playground.inspecting import node_command, reading, revival
from playground.inspecting.choice import ReleaseChoice
from playground.inspecting.uploads import Files
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
