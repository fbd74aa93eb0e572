"""RAM of a queue of version 2 is counted with what nodes of 4.3.6 showed (fidelity/calibration-4.3.6.json)."""

from __future__ import annotations

import json

import pytest

from engine.backing_queue.heap import MEASURED_3_10, heap_of
from engine.broker.cluster import Cluster
from engine.broker.commands.scenario import parse
from engine.classic_v2 import heap
from engine.storage.ledger import LedgerStorage
from tests.conftest import ROOT

KEPT = json.loads((ROOT / "fidelity" / "calibration-4.3.6.json").read_text(encoding="utf-8"))["ram"]
SMALL_BYTES = 16


def measured(name: str) -> float:
    """Return a figure in bytes."""
    return float(KEPT[name]["middle"])


def test_the_figures_are_those_that_were_measured() -> None:
    figures = heap.FIGURES
    counted = {
        "head 16": figures.alpha_small + 1000 * SMALL_BYTES,
        "head 1000": figures.alpha_large,
        "unacked 1000": figures.alpha_large + figures.pending,
        "channel_unacked 1000": figures.channel_pending,
        "unacked_on_disk 5000": figures.gamma + figures.pending,
        "queue_process": figures.process,
        "rabbit_msg_store_ets_index": figures.store_row,
        "rabbit_msg_store_cur_file": figures.cache_row,
        "index_buffer 1000": heap.INDEX_ITEM_OWN,
        "index_buffer 5000": heap.INDEX_ITEM_SHARED,
        "body_cache 1000": heap.BODY_ITEM,
    }
    for name, thousandths in counted.items():
        assert thousandths / 1000 == pytest.approx(measured(name), abs=0.2), name


def test_kinds_of_queues_that_nobody_measured_count_as_3_10_8() -> None:
    assert heap_of({"backing_queue": "classic_v2"}) is heap.FIGURES
    assert heap_of({"backing_queue": "variable_queue_v2"}) is heap_of({}) is MEASURED_3_10


@pytest.mark.parametrize("size_bytes", [1000, 5000])
def test_a_backlog_costs_what_its_buffers_and_caches_keep(size_bytes: int) -> None:
    """W89, W114: the tail costs nothing; what was flushed last stays in caches."""
    node = Cluster(parse({"version": 1, "profile": "4.3.6", "settings": {}}), LedgerStorage())
    node.submit({"do": "publish", "count": 1500, "size_bytes": size_bytes, "persistent": True})
    queue = node.queues["orders"].process.queue
    load = queue.index_load()
    state = queue.state
    kept = len(state.index.buffer) + len(state.index.cache)
    bodies = sum(each.count for each in state.store.buffer) + len(state.store.cache)
    assert kept > 0
    assert (bodies > 0) == (size_bytes < 4096)
    each = heap.INDEX_ITEM_OWN if size_bytes < 4096 else heap.INDEX_ITEM_SHARED
    least = kept * each + bodies * heap.BODY_ITEM
    assert least <= load.more <= least + 1.25 * 1000 * bodies * size_bytes
