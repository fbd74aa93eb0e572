"""Directories and lines that operators of 4.x brought: what is said of them is what the real nodes did."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import pytest

from playground.inspecting import reading, uploads
from playground.inspecting.uploads import ReleaseChoice
from tests.conftest import RECORDINGS
from workloads.errors import WorkloadError
from workloads.imports import READERS, Options

DAY = 1_795_953_000


def answer_to(name: str) -> dict[str, Any]:
    with (RECORDINGS / "directories" / f"{name}.zip").open("rb") as opened:
        return reading.directory(uploads.of_zip(opened), ReleaseChoice(day=DAY))[0]


def test_files_of_4_3_that_were_damaged_after_an_orderly_stop() -> None:
    """The real 4.3.6: big lists 35 and gives 15, then 541; small and jobs crash once, and have nothing."""
    answer = answer_to("44-files-of-4.3-damaged")
    rows = {row["name"]: row for row in answer["queues"] if row["live"] or row["crashes"]}
    assert {
        name: (row["listed"], row["back"], row["ends"], row["crashes"]) for name, row in rows.items()
    } == {
        "big": (35, 15, "queue", 0),
        "small": (0, 0, None, 1),
        "jobs": (0, 0, None, 1),
    }
    assert len(answer["queues"]) == 14, "a queue with priorities is one queue"


def test_a_store_says_what_keeps_its_file_and_what_the_collector_leaves() -> None:
    answer = answer_to("45-store-full-of-nothing")
    [row] = [row for row in answer["stores"] if row["store"] == "persistent"]
    assert [(pin["queue"], pin["count"]) for pin in row["pins"]] == [("jobs", 2), ("big", 35)]
    assert (row["entries"], row["live"], row["share"]) == (42, 37, 12)
    assert [(each["count"], each["store"]) for each in answer["unowned"]] == [(5, "msg_store_persistent")]
    assert answer["collector"] == {"files": 0, "bytes": 0, "kept": row["garbage"]}


LINES = (RECORDINGS / "texts" / "42-perftest-lines-of-4x-threads.txt").read_text().splitlines()
REFUSED = {
    0: "asks for 100 queues",
    4: "asks for 1000 queues",
    5: "no option --classic-queue",
    6: "--quorum-queue",
    8: "is no whole number",
    9: "--stream-queue",
}
"""What is said of a line that is not played, by its number."""


@pytest.mark.parametrize("number", range(len(LINES)))
def test_lines_of_perf_test_are_played_or_refused_by_name(number: int) -> None:
    said = REFUSED.get(number)
    with nullcontext() if said is None else pytest.raises(WorkloadError, match=said):
        READERS["perf-test"]([LINES[number]], Options())
