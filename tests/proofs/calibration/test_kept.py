"""What docs/calibration.md says of 4.3.6 is what was measured, and the tool makes figures of a node's answer."""

from __future__ import annotations

import json
from collections import defaultdict

from playground.web.fidelity_figures import ROWS, todays_memory
from tests.conftest import ROOT
from tools.proofs.calibration.__main__ import figures_of, kept, summed
from tools.proofs.calibration.cells import Look, NodeProcess, Part

FIGURES = json.loads(kept("4.3.6").read_text(encoding="utf-8"))["ram"]
NOTHING = Part(0, 24)


def look(**parts: Part) -> Look:
    names = (
        "head",
        "unacked",
        "unacked_on_disk",
        "index_buffer",
        "index_cache",
        "body_buffer",
        "body_cache",
    )
    return Look(
        NodeProcess(heap=30_000, binary=80_000, memory=40_000),
        {**dict.fromkeys(names, NOTHING), **parts},
        [NodeProcess(heap=16_000, binary=0, memory=17_000)],
        {"rabbit_msg_store_ets_index": Part(100, 13_000)},
        60_000_000,
    )


def test_a_part_is_divided_by_its_entries_and_a_small_one_is_left_out() -> None:
    found = defaultdict[str, list[float]](list)
    figures_of("unacked", 5000, look(unacked=Part(80, 44_000), head=Part(1, 568)), found)
    assert found == {
        "unacked 5000": [550],
        "rabbit_msg_store_ets_index": [130],
        "channel_unacked 5000": [200],
        "unacked_body 5000": [1000],
    }


def test_tables_count_where_their_messages_are_measured() -> None:
    found = defaultdict[str, list[float]](list)
    figures_of("buffered", 16, look(index_buffer=Part(100, 15_000)), found)
    assert set(found) == {"index_buffer 16", "parts_in_pct_of_heap 16"}


def test_the_middle_of_several_nodes_has_their_largest_deviation() -> None:
    assert summed({"head 16": [500, 536, 540]}) == {"head 16": {"middle": 536, "spread_pct": 6.7, "n": 3}}


def test_the_page_says_what_was_measured() -> None:
    shown = todays_memory()
    assert shown is not None
    assert [each["middle"] for each in shown["rows"]] == [FIGURES[key]["middle"] for _, key, _ in ROWS]
    assert [each["counted"] is None for each in shown["rows"]].count(True) == 3


def test_the_document_says_what_was_measured() -> None:
    """Each row of its table ends with the name of a figure, and the figures of it stand before."""
    text = (ROOT / "docs" / "calibration.md").read_text(encoding="utf-8")
    section = text.partition("## RabbitMQ 4.3.6")[2].partition("\n## ")[0]
    rows = [line.strip("| ").split(" | ") for line in section.splitlines() if line.endswith("` |")]
    said = {row[-1].strip("`"): (float(row[1]), float(row[2].removesuffix(" %"))) for row in rows}
    assert len(said) >= len(ROWS)
    for name, figures in said.items():
        assert figures == (round(FIGURES[name]["middle"]), FIGURES[name]["spread_pct"])
