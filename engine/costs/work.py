"""What work costs: nanoseconds for each step of each process, in named profiles.

The CPU part was measured on a RabbitMQ 3.10.8 node on a shared virtual machine; it is rough, up to a factor of two off,
so ratios count. `residual_pct` is the worst deviation that was seen, None where there was one measurement. The disk
parts of all but `measured-vm` are assumptions, marked as such. Whole numbers only: every machine computes alike.
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

import msgspec

KIBIBYTE: Final = 1024
MEBIBYTE: Final = 1024 * 1024

ProfileName = Literal["instant", "measured-vm", "nvme", "ssd", "hdd", "cloud-volume"]


class Cost(NamedTuple):
    """What one message costs in one place.

    Args:
        each_ns: nanoseconds for a message.
        per_kib_ns: nanoseconds for each KiB of its body.
        residual_pct: worst deviation of the measurements, in per cent.
    """

    each_ns: int = 0
    per_kib_ns: int = 0
    residual_pct: float | None = None

    def of(self, count: int, size_bytes: int = 0) -> int:
        """Return the nanoseconds for `count` messages of this size."""
        return count * (self.each_ns + self.per_kib_ns * size_bytes // KIBIBYTE)


class Cpu(NamedTuple):
    """What processes do with messages, by the names of the calibration."""

    reader_publish: Cost = Cost()
    channel_publish: Cost = Cost()
    channel_confirm_extra: Cost = Cost()
    writer_confirm: Cost = Cost()
    queue_publish_transient: Cost = Cost()
    queue_publish_persistent_embedded: Cost = Cost()
    queue_publish_persistent_store: Cost = Cost()
    queue_confirm_extra_transient: Cost = Cost()
    queue_confirm_extra_persistent: Cost = Cost()
    queue_deliver_and_ack: Cost = Cost()
    queue_deliver_and_ack_persistent_embedded: Cost = Cost()
    queue_deliver_ack_multiple: Cost = Cost()
    channel_deliver: Cost = Cost()
    channel_ack_each: Cost = Cost()
    reader_ack_each: Cost = Cost()
    writer_deliver: Cost = Cost()
    page_out_alpha_transient_queue_side: Cost = Cost()
    beta_or_embedded_to_delta: Cost = Cost()
    load_from_delta_embedded: Cost = Cost()
    store_write_client: Cost = Cost()
    store_read_cached: Cost = Cost()
    store_remove: Cost = Cost()
    bq_fetch_ram: Cost = Cost()
    bq_ack_ram: Cost = Cost()
    journal_flush_per_record: Cost = Cost()
    store_write_server_cpu: Cost = Cost()


class Disk(NamedTuple):
    """What the disk costs, for each operation and each MiB."""

    fsync_ns: int = 0
    fsync_ns_per_mib: int = 0
    write_ns: int = 0
    write_ns_per_mib: int = 0
    read_ns: int = 0
    read_ns_per_mib: int = 0

    def fsync(self, size_bytes: int) -> int:
        """Return the nanoseconds of an fsync after that many bytes."""
        return self.fsync_ns + self.fsync_ns_per_mib * size_bytes // MEBIBYTE

    def write(self, size_bytes: int) -> int:
        """Return the nanoseconds of one write call."""
        return self.write_ns + self.write_ns_per_mib * size_bytes // MEBIBYTE

    def read(self, size_bytes: int) -> int:
        """Return the nanoseconds of one read of consecutive bytes."""
        return self.read_ns + self.read_ns_per_mib * size_bytes // MEBIBYTE


class WorkProfile(msgspec.Struct, frozen=True, kw_only=True):
    """A machine to work on.

    Args:
        milli_cores: thousandths of a core that all processes share.
        trip_us: microseconds for which a delivery to a client that has nothing to do, and its acknowledgement, are on
            their way, beside what processes do: sockets, and sleepers that are woken.
        combine_ns_per_mib, combine_ns_per_message: what the garbage collector needs to merge two files.
        assumed: whether the disk part is an assumption.
        why: where the figures come from.
    """

    name: ProfileName
    cpu: Cpu = Cpu()
    disk: Disk = Disk()
    combine_ns_per_mib: int = 0
    combine_ns_per_message: int = 0
    milli_cores: int = 1000
    trip_us: int = 0
    assumed: bool = True
    why: str

    @property
    def instant(self) -> bool:
        """Whether work costs nothing, so that every mailbox is empty at once."""
        return self.name == "instant"


MEASURED_CPU: Final = Cpu(
    reader_publish=Cost(5430, 1065, 36.07),
    channel_publish=Cost(12510, 0, 95.9),
    channel_confirm_extra=Cost(10860, 0, 28.3),
    writer_confirm=Cost(690, 0, 653.7),
    queue_publish_transient=Cost(16760, 0, 42.5),
    queue_publish_persistent_embedded=Cost(49870, 3625, 22.08),
    queue_publish_persistent_store=Cost(48670, 0, 16.9),
    queue_confirm_extra_transient=Cost(3750, 0, None),
    queue_confirm_extra_persistent=Cost(27060, 0, 9.0),
    queue_deliver_and_ack=Cost(14880, 0, 25.9),
    queue_deliver_and_ack_persistent_embedded=Cost(58220, 0, None),
    queue_deliver_ack_multiple=Cost(10670, 0, None),
    channel_deliver=Cost(4890, 0, None),
    channel_ack_each=Cost(3200, 0, None),
    reader_ack_each=Cost(2250, 0, 22.0),
    writer_deliver=Cost(7310, 635, 34.98),
    page_out_alpha_transient_queue_side=Cost(21750, 0, 7.2),
    beta_or_embedded_to_delta=Cost(6050, 0, None),
    load_from_delta_embedded=Cost(22160, 0, 5.4),
    store_write_client=Cost(2550, 0, 23.2),
    store_read_cached=Cost(31520, 655, 4.51),
    store_remove=Cost(1970, 0, 75.7),
    bq_fetch_ram=Cost(4030, 0, 19.5),
    bq_ack_ram=Cost(3290, 0, 12.7),
    journal_flush_per_record=Cost(1310, 1393, 25.33),
    store_write_server_cpu=Cost(22610, 635, None),
)
"""Medians of tracing real AMQP traffic; `store_write_server_cpu` is derived and leaves the fsyncs to the disk."""

MEASURED_TRIP_US: Final = 250
"""Clients with prefetch 1 finished 224 of 250 and 369 of 400 messages a second: 0.2 to 0.5 ms more for each."""

PROFILES: Final[dict[str, WorkProfile]] = {
    each.name: each
    for each in (
        WorkProfile(name="instant", why="order only: work costs no time"),
        WorkProfile(
            name="measured-vm",
            cpu=MEASURED_CPU,
            disk=Disk(135130, 1331700, 40000, 291000, 0, 0),
            combine_ns_per_mib=16435000,
            combine_ns_per_message=103000,
            milli_cores=1300,
            trip_us=MEASURED_TRIP_US,
            assumed=False,
            why="measured: two shared virtual cores, a virtual disk; bodies are read from the page cache",
        ),
        WorkProfile(
            name="nvme",
            cpu=MEASURED_CPU,
            disk=Disk(60000, 500000, 20000, 300000, 80000, 333000),
            combine_ns_per_mib=15646000,
            combine_ns_per_message=103000,
            milli_cores=2000,
            trip_us=MEASURED_TRIP_US,
            assumed=True,
            why="assumption: data-centre NVMe with power-loss protection, "
            "about 2 GiB/s write, 3 GiB/s read, flush well under 0.1 ms",
        ),
        WorkProfile(
            name="ssd",
            cpu=MEASURED_CPU,
            disk=Disk(800000, 2222000, 20000, 300000, 120000, 2000000),
            combine_ns_per_mib=19035000,
            combine_ns_per_message=103000,
            milli_cores=2000,
            trip_us=MEASURED_TRIP_US,
            assumed=True,
            why="assumption: SATA SSD, about 450-500 MiB/s, flush about 1 ms without power-loss protection",
        ),
        WorkProfile(
            name="hdd",
            cpu=MEASURED_CPU,
            disk=Disk(12000000, 6667000, 20000, 300000, 9000000, 6667000),
            combine_ns_per_mib=28146000,
            combine_ns_per_message=103000,
            milli_cores=2000,
            trip_us=MEASURED_TRIP_US,
            assumed=True,
            why="assumption: 7200 rpm, 4.2 ms mean rotation + 8 ms seek, "
            "a flush costs about a revolution plus a journal seek; 150 MiB/s sequential",
        ),
        WorkProfile(
            name="cloud-volume",
            cpu=MEASURED_CPU,
            disk=Disk(1500000, 8000000, 20000, 300000, 1000000, 8000000),
            combine_ns_per_mib=30812000,
            combine_ns_per_message=103000,
            milli_cores=2000,
            trip_us=MEASURED_TRIP_US,
            assumed=True,
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
