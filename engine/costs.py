"""The time that work takes: profiles of machines, nanoseconds for each step, and costs of transitions."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final, Literal, NamedTuple

import msgspec

from engine.report.transitions.base import Transition
from engine.report.transitions.queue import (
    Acked,
    Discarded,
    Dropped,
    Fetched,
    Published,
    PublishedDelivered,
    RefCountChanged,
    Requeued,
    RowsMoved,
    Shift,
    StoreRead,
    StoreRecovered,
    StoreWritten,
)
from engine.values.extents import Extent
from engine.values.settings import MEBIBYTE
from engine.values.sizes import Length, total

KIBIBYTE: Final = 1024

ProfileName = Literal["instant", "measured-vm", "nvme", "ssd", "hdd", "cloud-volume"]


class WorkCost(NamedTuple):
    """The cost of one message in one step. `each_ns`: nanoseconds for a message. `per_kib_ns`: nanoseconds
    for each KiB of its body. `residual_pct`: worst deviation of the measurements, in per cent.
    """

    each_ns: int = 0
    per_kib_ns: int = 0
    residual_pct: float | None = None

    def of(self, count: int, size_bytes: int = 0) -> int:
        return count * (self.each_ns + self.per_kib_ns * size_bytes // KIBIBYTE)


class CpuCost(NamedTuple):
    """Processor costs of the steps, with the names of the calibration: medians of tracing real AMQP traffic.
    `store_write_server_cpu` is derived and leaves the fsyncs to the disk.
    """

    reader_publish: WorkCost = WorkCost(5430, 1065, 36.07)
    channel_publish: WorkCost = WorkCost(12510, 0, 95.9)
    channel_confirm_extra: WorkCost = WorkCost(10860, 0, 28.3)
    writer_confirm: WorkCost = WorkCost(690, 0, 653.7)
    queue_publish_transient: WorkCost = WorkCost(16760, 0, 42.5)
    queue_publish_persistent_embedded: WorkCost = WorkCost(49870, 3625, 22.08)
    queue_publish_persistent_store: WorkCost = WorkCost(48670, 0, 16.9)
    queue_confirm_extra_transient: WorkCost = WorkCost(3750)
    queue_confirm_extra_persistent: WorkCost = WorkCost(27060, 0, 9.0)
    queue_deliver_and_ack: WorkCost = WorkCost(14880, 0, 25.9)
    queue_deliver_and_ack_persistent_embedded: WorkCost = WorkCost(58220)
    queue_deliver_ack_multiple: WorkCost = WorkCost(10670)
    channel_deliver: WorkCost = WorkCost(4890)
    channel_ack_each: WorkCost = WorkCost(3200)
    reader_ack_each: WorkCost = WorkCost(2250, 0, 22.0)
    writer_deliver: WorkCost = WorkCost(7310, 635, 34.98)
    page_out_alpha_transient_queue_side: WorkCost = WorkCost(21750, 0, 7.2)
    beta_or_embedded_to_delta: WorkCost = WorkCost(6050)
    load_from_delta_embedded: WorkCost = WorkCost(22160, 0, 5.4)
    store_write_client: WorkCost = WorkCost(2550, 0, 23.2)
    store_read_cached: WorkCost = WorkCost(31520, 655, 4.51)
    store_remove: WorkCost = WorkCost(1970, 0, 75.7)
    bq_fetch_ram: WorkCost = WorkCost(4030, 0, 19.5)
    bq_ack_ram: WorkCost = WorkCost(3290, 0, 12.7)
    journal_flush_per_record: WorkCost = WorkCost(1310, 1393, 25.33)
    store_write_server_cpu: WorkCost = WorkCost(22610, 635)


class DiskCost(NamedTuple):
    """Disk costs, for each operation and each MiB."""

    fsync_ns: int = 0
    fsync_ns_per_mib: int = 0
    write_ns: int = 0
    write_ns_per_mib: int = 0
    read_ns: int = 0
    read_ns_per_mib: int = 0

    def fsync(self, size_bytes: int) -> int:
        return self.fsync_ns + self.fsync_ns_per_mib * size_bytes // MEBIBYTE

    def write(self, size_bytes: int) -> int:
        return self.write_ns + self.write_ns_per_mib * size_bytes // MEBIBYTE

    def read(self, size_bytes: int) -> int:
        return self.read_ns + self.read_ns_per_mib * size_bytes // MEBIBYTE


MEASURED_TRIP_US: Final = 250
"""Clients with prefetch 1 finished 224 of 250 and 369 of 400 messages a second, so each took 0.2 to 0.5 ms more."""


class WorkProfile(msgspec.Struct, frozen=True, kw_only=True):
    """A machine to work on, with what all of them share unless they say otherwise.

    Args:
        milli_cores: thousandths of a core that all processes share.
        trip_us: microseconds that a delivery to an idle client and its acknowledgement take in addition to
            the processes' work, for sockets and waking processes.
        combine_ns_per_mib, combine_ns_per_message: what the garbage collector needs to merge two files.
        assumed: whether the disk part is an assumption.
        why: where the figures come from.
    """

    name: ProfileName
    cpu: CpuCost = CpuCost()
    disk: DiskCost = DiskCost()
    combine_ns_per_mib: int = 0
    combine_ns_per_message: int = 103000
    milli_cores: int = 2000
    trip_us: int = MEASURED_TRIP_US
    assumed: bool = True
    why: str

    @property
    def instant(self) -> bool:
        """Whether work takes no time, so that every mailbox is empty at once."""
        return self.name == "instant"


PROFILES: Final[dict[str, WorkProfile]] = {
    each.name: each
    for each in (
        WorkProfile(
            name="instant",
            cpu=CpuCost(*[WorkCost()] * len(CpuCost._fields)),
            combine_ns_per_message=0,
            milli_cores=1000,
            trip_us=0,
            why="order only: work costs no time",
        ),
        WorkProfile(
            name="measured-vm",
            disk=DiskCost(135130, 1331700, 40000, 291000, 0, 0),
            combine_ns_per_mib=16435000,
            milli_cores=1300,
            assumed=False,
            why="measured: two shared virtual cores, a virtual disk; bodies are read from the page cache",
        ),
        WorkProfile(
            name="nvme",
            disk=DiskCost(60000, 500000, 20000, 300000, 80000, 333000),
            combine_ns_per_mib=15646000,
            why="assumption: data-centre NVMe with power-loss protection, "
            "about 2 GiB/s write, 3 GiB/s read, flush well under 0.1 ms",
        ),
        WorkProfile(
            name="ssd",
            disk=DiskCost(800000, 2222000, 20000, 300000, 120000, 2000000),
            combine_ns_per_mib=19035000,
            why="assumption: SATA SSD, about 450-500 MiB/s, flush about 1 ms without power-loss protection",
        ),
        WorkProfile(
            name="hdd",
            disk=DiskCost(12000000, 6667000, 20000, 300000, 9000000, 6667000),
            combine_ns_per_mib=28146000,
            why="assumption: 7200 rpm, 4.2 ms mean rotation + 8 ms seek, "
            "a flush costs about a revolution plus a journal seek; 150 MiB/s sequential",
        ),
        WorkProfile(
            name="cloud-volume",
            disk=DiskCost(1500000, 8000000, 20000, 300000, 1000000, 8000000),
            combine_ns_per_mib=30812000,
            why="assumption: general-purpose network volume, "
            "125 MiB/s and 3000 operations/s baseline, single-digit-millisecond latency",
        ),
    )
}


def each_us(profile: WorkProfile) -> dict[str, float | None]:
    """Return the modelled microseconds of every step with a body of 1 KiB, and their residuals in per cent."""
    found: dict[str, float | None] = {}
    for name, cost in profile.cpu._asdict().items():
        found[f"{name}_us"] = (cost.each_ns + cost.per_kib_ns) / 1000
        found[f"{name}_residual_pct"] = cost.residual_pct
    return found


Price = Callable[[WorkProfile, Any], int]
"""Returns the nanoseconds that a transition's work takes."""

SYNCS: Final[set[type[Transition]]] = set()
"""Kinds after which everything written to a store is on disk; they name the `store`."""


def _register(prices: dict[type[Transition], Price], *kinds: type[Transition]) -> Callable[[Price], Price]:
    def register(price: Price) -> Price:
        for kind in kinds:
            assert kind not in prices, f"{kind.__name__} has a price"
            prices[kind] = price
        return price

    return register


def count(t: Shift) -> int:
    return sum(each.count for each in t.extents)


def _published(profile: WorkProfile, t: Shift) -> int:
    return sum(publish_ns(profile, each) for each in t.extents)


def _fetched(profile: WorkProfile, t: Shift) -> int:
    return sum(_deliver_cost(profile, each) for each in t.extents)


def _delivered_at_once(profile: WorkProfile, t: Shift) -> int:
    return _published(profile, t) + _fetched(profile, t)


def taken(profile: WorkProfile, t: Shift) -> int:
    """Return the cost of taking messages from the head, or of putting them back."""
    return profile.cpu.bq_fetch_ram.of(count(t))


def store_written_ns(profile: WorkProfile, record_bytes: Length, msg_no: int, messages: int) -> int:
    return profile.cpu.store_write_server_cpu.of(messages, total(record_bytes, msg_no, messages) // messages)


def removed_ns(profile: WorkProfile, messages: int) -> int:
    return profile.cpu.store_remove.of(messages)


def decoded_ns(profile: WorkProfile, messages: int, size_bytes: int) -> int:
    """Return a queue process's cost of bodies from a file, for adjacent records."""
    cpu = profile.cpu.store_read_cached
    return cpu.of(1, size_bytes) + (messages - 1) * cpu.each_ns


def publish_ns(profile: WorkProfile, extent: Extent) -> int:
    """Return the queue process's cost of accepting messages."""
    cpu = profile.cpu
    if not extent.persistent:
        return cpu.queue_publish_transient.of(extent.count)
    more = cpu.queue_confirm_extra_persistent.of(extent.count) if extent.wants_confirm else 0
    if extent.home_store:
        return more + cpu.queue_publish_persistent_store.of(extent.count)
    return more + cpu.queue_publish_persistent_embedded.of(extent.count, extent.mean_bytes)


def _deliver_cost(profile: WorkProfile, extent: Extent) -> int:
    """Return the cost of a delivery, without its acknowledgement, which counts when it arrives."""
    cpu = profile.cpu
    embedded = extent.persistent and not extent.home_store
    both = cpu.queue_deliver_and_ack_persistent_embedded if embedded else cpu.queue_deliver_and_ack
    return both.of(extent.count) - cpu.bq_ack_ram.of(extent.count)


CPU: Final[dict[type[Transition], Price]] = {
    Published: _published,
    Fetched: _fetched,
    PublishedDelivered: _delivered_at_once,
    Discarded: _delivered_at_once,
    Acked: lambda profile, t: profile.cpu.bq_ack_ram.of(count(t)),
    Dropped: taken,
    Requeued: taken,
    StoreWritten: lambda profile, t: store_written_ns(profile, t.record_bytes, t.msg_no, t.count),
    RefCountChanged: lambda profile, t: removed_ns(profile, t.count),
    # Bodies read from a file cost the queue process more than bodies from the store's cache.
    StoreRead: lambda profile, t: decoded_ns(profile, t.count, t.bytes_) if t.by == "file" else 0,
    RowsMoved: lambda profile, t: profile.combine_ns_per_message * sum(row[1] for row in t.rows),
}
"""Processor time of each kind of transition, in the process that does the work."""

DISK: Final[dict[type[Transition], Price]] = {
    # After a crash every store file is scanned to find its records (S207).
    StoreRecovered: lambda profile, t: (
        0 if t.clean else sum(profile.disk.read(each[1]) for each in t.files if each[1])
    ),
    # A run of records that lie together is one read.
    StoreRead: lambda profile, t: profile.disk.read(t.bytes_) if t.by == "file" else 0,
}
"""Disk time of each kind of transition."""

on_cpu: Final = partial(_register, CPU)
"""Registers the decorated function as the processor time of these kinds."""
on_disk: Final = partial(_register, DISK)
"""Registers the decorated function as the disk time of these kinds."""
