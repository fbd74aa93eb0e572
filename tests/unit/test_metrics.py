"""Metrics are a fold of transitions: counts, bytes, and clocks in virtual time."""

import functools
import re
import sys
from pathlib import Path

import pytest

import engine
from engine.broker.cluster import Cluster
from engine.broker.commands.scenario import parse
from engine.classic_v1.transitions import (
    AlphasPushed,
    BetasPushed,
    DeltaRead,
    JournalFlushed,
    JournalSynced,
    SegmentDeleted,
    SegmentRead,
    SegmentWritten,
    StoreSynced,
)
from engine.classic_v2.transitions import (
    BodiesBuffered,
    BodiesRead,
    BodiesWritten,
    FilesFound,
    IndexFileDeleted,
    SlotsRead,
)
from engine.metrics import METRICS, TOPICS, PowerCut, RunMeter
from engine.report.transitions.base import Transition
from engine.report.transitions.node import ActorChanged, ConfirmsSent, NodeChanged, QueuePromoted
from engine.report.transitions.queue import (
    BufferWritten,
    ConfirmsDue,
    Discarded,
    Dropped,
    Fetched,
    Published,
    PublishedDelivered,
    QueueStarted,
    QueueStopped,
    Requeued,
    StoreRead,
    TargetChanged,
)
from engine.storage.ledger import LedgerStorage
from engine.values.extents import HOME_STORE, IN_RAM, IN_STORE, WANTS_CONFIRM, DeltaExtent, Extent
from engine.values.stretches import Range
from playground.storybook.entry import read

Events = list[tuple[int, Transition]]

ENGINE = Path(engine.__file__).parent
SCENARIOS = Path(__file__).resolve().parents[2] / "playground" / "scenarios"
RUNS = (
    "memory-alarm",
    "garbage-collection",
    "clean-vs-dirty-restart",
    "confirm-timeline",
    "journal-flush",
    "mirrors-confirm",
)
POWER_CUT = ("lost_on_power_cut", "lost_persistent_on_power_cut", "returned_after_power_cut")
OUTSIDE = {"refused", *POWER_CUT, "confirmed_and_lost"}
"""Metrics that only the node knows."""


@functools.cache
def events_of(name: str) -> Events:
    """Return all that happens in a ready scenario."""
    run = read((SCENARIOS / f"{name}.json").read_text("utf-8")).run
    node = Cluster(parse(run), LedgerStorage(), keep=500_000)
    node.advance(run["until_us"])
    rows = node.log.since(0)
    assert rows is not None
    return list(zip(rows.at_us, rows.rows, strict=True))


def metered(events: Events, end_us: int = 0) -> dict[str, float | None]:
    """Return the metrics of these events, which end with the last one or later."""
    return row(*events, end_us=end_us or events[-1][0])


def row(*happened: tuple[int, Transition], end_us: int = 10_000_000) -> dict[str, float | None]:
    """Return the metrics of a run that consisted of these transitions."""
    meter = RunMeter()
    for at_us, transition in happened:
        meter.observe(at_us, transition)
    return meter.row(end_us)


def run(start: int, count: int, flags: int = IN_RAM | HOME_STORE) -> tuple[Extent, ...]:
    """Return one extent of 5000-byte messages."""
    return (Extent(start, count, start, 5000, flags),)


def test_a_row_has_every_metric_and_nothing_else() -> None:
    assert list(row()) == list(METRICS)


def test_what_is_known_of_a_metric_stands_with_its_function() -> None:
    for name, metric in METRICS.items():
        assert metric.name == metric.function.__name__ == name
        assert metric.label
        assert metric.help.endswith("."), name
        assert metric.accumulator or metric.reads or name in OUTSIDE
    labels = [metric.label for metric in METRICS.values()]
    assert len(set(labels)) == len(labels)


def test_what_only_the_node_knows_comes_from_outside() -> None:
    assert {row()[name] for name in OUTSIDE} == {None}
    measured = RunMeter().row(1, refused=2, power_cut=PowerCut(5, 3, 1), confirmed_and_lost=4)
    assert [measured[name] for name in ("refused", *POWER_CUT, "confirmed_and_lost")] == [2, 5, 3, 1, 4]


def test_mirrors_count_for_bytes_and_not_for_messages() -> None:
    """H32, H81: a mirror repeats what its master does; as its successor it has what waits."""
    figures = row(
        (1, Published("Q20", "q", None, "q4", run(0, 100))),
        (1, Published("Q20", "q@n2", None, "q4", run(0, 60))),
        (2, Fetched("Q28", "q", "q4", None, run(0, 10))),
        (2, Dropped("Q58", "q@n2", "q4", None, run(0, 10))),
        (3, NodeChanged("H1", "cluster", {"between_bytes": 700})),
        (4, QueueStopped("D4", "q", "kill")),
        (4, QueuePromoted("H62", "q", "n2", "q@n2", {"lost": 40})),
        (5, NodeChanged("H1", "cluster", {"between_bytes": 800})),
    )
    wanted = {"published": 100, "delivered": 10, "peak_ready": 100, "final_ready": 50, "between_bytes": 800}
    assert {name: figures[name] for name in wanted} == wanted


@pytest.mark.parametrize("name", RUNS)
def test_a_metric_depends_on_what_it_reads_and_on_nothing_else(name: str) -> None:
    """Counted from the transitions that it reads alone, each metric of a run is what it is from all of them."""
    events = events_of(name)
    whole = metered(events)
    for metric in METRICS.values():
        alone = metered([event for event in events if isinstance(event[1], metric.reads)], events[-1][0])
        assert alone[metric.name] == whole[metric.name] or not metric.reads, metric.name


def test_every_module_of_metrics_is_read_and_has_its_topic() -> None:
    """A module that nobody imports would register nothing, and nobody would miss it."""
    paths = [path for room in ("counting", "*/metrics") for path in ENGINE.glob(f"{room}/*.py")]
    registering = [
        path for path in paths if re.search(r"^@(counted|at_end|\w+\.of)\(", path.read_text("utf-8"), re.M)
    ]
    assert {path.stem for path in registering} == set(TOPICS)
    names = {".".join(path.relative_to(ENGINE.parent).with_suffix("").parts) for path in registering}
    assert names <= sys.modules.keys()


def test_the_runs_move_nearly_every_metric() -> None:
    moved = {name for run in RUNS for name, value in metered(events_of(run)).items() if value}
    by_hand = {"expired"}  # tested below
    assert set(METRICS) - moved == OUTSIDE | by_hand


def test_a_row_may_be_asked_for_while_the_run_goes_on() -> None:
    meter = RunMeter()
    meter.observe(0, TargetChanged("Q84", "q", 5, {}))
    assert [meter.row(at_us)["paging_s"] for at_us in (1_000_000, 1_000_000, 3_000_000)] == [1.0, 1.0, 3.0]


def test_messages_are_followed_through_the_queue() -> None:
    paged = run(50, 50, IN_STORE | HOME_STORE)
    delta = DeltaExtent(60, 40, 40, 100)
    figures = row(
        (1, Published("Q20", "q", None, "q4", run(0, 100))),
        (2, AlphasPushed("Q46", "q", "q4", "q3", paged)),
        (3, BetasPushed("Q49", "q", "q3", "delta", run(60, 40, IN_STORE | HOME_STORE), delta)),
        (4, Fetched("Q28", "q", "q4", "ram_pending", run(0, 30))),
        (5, DeltaRead("Q34", "q", "delta", "q3", run(60, 40, IN_STORE | HOME_STORE), DeltaExtent())),
    )
    wanted = {
        "published": 100,
        "peak_ready": 100,
        "final_ready": 70,
        "paged_out": 50,
        "delta_in": 40,
        "delta_out": 40,
        "peak_delta": 40,
        "delivered": 30,
        "transitions": 5,
    }
    assert {name: figures[name] for name in wanted} == wanted


def test_embedded_messages_are_paged_out_when_they_enter_delta() -> None:
    to_q3 = AlphasPushed("Q46", "q", "q4", "q3", run(0, 10, IN_RAM))
    to_delta = BetasPushed("Q49", "q", "q3", "delta", run(4, 6, 0), DeltaExtent(4, 6, 6, 10))
    assert row((1, to_q3))["paged_out"] == 0
    assert row((1, to_q3), (2, to_delta))["paged_out"] == 6


def test_a_message_that_meets_a_consumer_is_published_and_delivered() -> None:
    figures = row(
        (1, PublishedDelivered("Q23", "q", None, "ram_pending", run(0, 5))),
        (2, Discarded("Q24", "q", None, None, run(5, 5))),
    )
    assert (figures["published"], figures["delivered"], figures["peak_ready"]) == (10, 10, 0)


def test_disk_work_is_counted_in_calls_and_bytes() -> None:
    figures = row(
        (1, BufferWritten("S21", "persistent", 0, 900)),
        (2, StoreSynced("S166", "persistent", 0)),
        (3, JournalSynced("S82", "q", 100)),
        (4, JournalSynced("S82", "q", 0)),
        (5, SegmentWritten("S80.1", "q", 0, 50)),
        (6, SegmentRead("S86", "q", 0, 0, 10, 30)),
        (7, StoreRead("S155", "persistent", "file", 0, 1, 4, 400)),
        (8, StoreRead("S155", "persistent", "cache", 0, 5, 4, 400)),
        (9, SegmentDeleted("S80.1", "q", 0, 50)),
        (9, JournalFlushed("S79", "q")),
    )
    wanted = {
        "disk_writes": 3,
        "bytes_written": 1050,
        "fsyncs": 4,
        "disk_reads": 5,
        "bytes_read": 430,
        "segments_written": 1,
        "segments_deleted": 1,
        "journal_flushes": 1,
    }
    assert {name: figures[name] for name in wanted} == wanted


def test_what_is_synced_again_at_the_same_moment_is_one_write() -> None:
    """A node goes through its mailbox before it syncs (P2, S166); where work takes no time each message would count."""
    store = (BufferWritten("S21", "persistent", 0, 900), StoreSynced("S23", "persistent", 0))
    journals = [JournalSynced("S82", queue, 100) for queue in ("persistent", "persistent", "q")]
    figures = row(*((1, each) for each in (*store, *store, *journals)), *((2, each) for each in store))
    assert (figures["disk_writes"], figures["fsyncs"], figures["bytes_written"]) == (4, 4, 3000)


def test_clocks_run_in_virtual_time() -> None:
    figures = row(
        (0, NodeChanged("M7", "memory", {"process_memory": 500})),
        (1_000_000, NodeChanged("M7", "memory", {"process_memory": 900})),
        (1_000_000, NodeChanged("M7", "alarms", {"memory": True})),
        (1_500_000, ActorChanged("A3", "p1", {"state": "blocked"})),
        (1_700_000, ActorChanged("A3", "p2", {"state": "blocked"})),
        (1_800_000, TargetChanged("Q43", "q", 100)),
        (2_000_000, ActorChanged("A4", "p1", {"state": "running"})),
        (2_500_000, ActorChanged("A4", "p2", None)),
        (3_000_000, NodeChanged("M7", "alarms", {"memory": False})),
        (4_000_000, NodeChanged("M7", "memory", {"process_memory": 700})),
    )
    assert figures["over_watermark_s"] == 2.0
    assert figures["blocked_s"] == 1.0  # any of them blocked: two at once count once
    assert figures["paging_s"] == 8.2  # still on at the end
    assert (figures["peak_ram_bytes"], figures["final_ram_bytes"]) == (900, 700)


def test_nothing_delivered_is_no_waiting_time() -> None:
    figures = row((0, Published("Q20", "q", None, "q4", run(0, 10))))
    assert figures["latency_p50_s"] is None
    assert figures["confirm_p99_s"] is None
    assert figures["throughput_per_s"] == 0
    assert row()["write_amplification"] is None


def test_waits_are_exact_over_extents_and_end_with_the_first_delivery() -> None:
    figures = row(
        (0, Published("Q20", "q", None, "q4", run(0, 90))),
        (500_000, Published("Q20", "q", None, "q4", run(90, 10))),
        (1_000_000, Fetched("Q28", "q", "q4", "ram_pending", run(0, 60))),  # waited 1 s
        (1_500_000, Requeued("Q40", "q", "ram_pending", "q4", run(0, 60))),
        (2_000_000, Fetched("Q28", "q", "q4", "ram_pending", run(0, 90))),  # 30 of them waited 2 s
        (3_000_000, Dropped("Q58", "q", "q4", None, run(90, 5))),
        (4_500_000, Fetched("Q28", "q", "q4", None, run(95, 5))),  # waited 4 s
    )
    assert (figures["latency_p50_s"], figures["latency_p95_s"], figures["latency_p99_s"]) == (1.0, 4.0, 4.0)
    assert figures["throughput_per_s"] == 15.5


def test_confirms_are_timed_from_publishing_to_the_disk() -> None:
    wants = IN_RAM | HOME_STORE | WANTS_CONFIRM
    figures = row(
        (0, Published("Q20", "q", None, "q4", run(0, 99, wants))),
        (
            0,
            Published("Q20", "other", None, "q4", run(0, 99, wants)),
        ),  # a second queue of the same messages
        (100_000, ConfirmsDue("K5", "q", "store", (Range(0, 99),))),
        (200_000, ConfirmsDue("K5", "other", "store", (Range(0, 99),))),  # only now by both
        (200_000, ConfirmsSent("K8", "p1", 99, {"cause": "written"})),
        (300_000, ConfirmsSent("K1", "p2", 1, {"cause": "immediate"})),
    )
    assert (figures["confirm_p50_s"], figures["confirm_p95_s"]) == (0.2, 0.2)
    assert figures["confirmed"] == 100


def test_bytes_written_are_weighed_against_bytes_published() -> None:
    figures = row(
        (0, Published("Q20", "q", None, "q4", run(0, 2))),
        (1, BufferWritten("S21", "persistent", 0, 12_500)),
    )
    assert figures["published_bytes"] == 10_000
    assert figures["write_amplification"] == 1.25


def test_the_highest_share_of_ram_is_that_of_its_time() -> None:
    figures = row(
        (0, NodeChanged("start", "settings", {"ram_bytes": 1000})),
        (0, NodeChanged("M7", "memory", {"process_memory": 400})),
        (1, NodeChanged("set", "settings", {"ram_bytes": 4000})),
        (1, NodeChanged("M7", "memory", {"process_memory": 800})),
    )
    assert figures["peak_ram_share"] == 0.4


def test_a_restart_leaves_what_the_files_bring_back() -> None:
    figures = row(
        (0, Published("Q20", "q", None, "q4", run(0, 100))),
        (1, QueueStopped("D4", "q", "power")),
        (1, QueueStarted("Q62", "q", "default", True, DeltaExtent(0, 40, 0, 40), {})),
        (2, Published("Q20", "q", None, "q4", run(40, 5))),  # numbers of the lost ones begin again
        (3, Fetched("Q28", "q", "q4", None, run(40, 5))),
    )
    assert figures["final_ready"] == 40
    assert figures["latency_p99_s"] == 1e-6


def test_bodies_of_version_2_are_read_in_bytes_as_well() -> None:
    """W81, W112: slots of 32 bytes, bodies with the 8 bytes before them, after a start too."""
    figures = row(
        (1, BodiesBuffered("W114", "q", 0, 0, 4, 64, 400)),
        (2, BodiesBuffered("W114", "q", 0, 4, 2, 496, 500)),
        (3, BodiesWritten("W114", "q", False, ((0, 1012),))),
        (4, FilesFound("W97", "q", False, ((0, 256, 6),), ((0, 1012),))),
        (5, SlotsRead("W92", "q", 0, 2, 6)),
        (6, BodiesRead("W118", "q", 0, 2, 4)),
        (7, IndexFileDeleted("W91", "q", 0, 0, 8, 256)),
        (8, BodiesRead("W118", "q", 0, 2, 4)),
    )
    assert figures["bytes_read"] == 4 * 32 + 2 * 108 + 2 * 258
    assert figures["disk_reads"] == 3
