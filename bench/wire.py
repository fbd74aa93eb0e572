"""Bytes on the wire for a burst, its page-out and its drain: a million messages are a few gestures."""

from __future__ import annotations

from bench.measure import Result
from bench.session import BenchSession, Reader

COUNT = 1_000_000
TINY_COUNT = 50_000
MOST_BYTES = 100_000


def gestures(count: int, size_bytes: int) -> Reader:
    """Publish, page out and drain by three commands, with a second of time after each."""
    reader = Reader()
    session = BenchSession((reader,), ram_bytes=1 << 36)
    session.submit(do="publish", count=count, size_bytes=size_bytes)
    session.play(1)
    session.submit(do="set", name="target_ram_count", value=10_000)
    session.play(1)
    session.submit(do="get", count=count, ack=False)
    session.play(1)
    assert session.node.process.queue.depth == 0
    return reader


def steady(count: int) -> Reader:
    """Publish and page out as above; a consumer drains 200,000 messages a second."""
    reader = Reader()
    session = BenchSession((reader,), ram_bytes=1 << 36)
    session.submit(do="publish", count=count, size_bytes=16)
    session.submit(do="set", name="target_ram_count", value=10_000)
    session.submit(do="set_consumer", name="c1", rate_per_s=200_000, prefetch=2000, ack="multiple")
    while session.node.process.queue.depth:
        session.play(1)
    return reader


def run(tiny: bool) -> Result:
    """Measure."""
    count = TINY_COUNT if tiny else COUNT
    small, large, consumed = gestures(count, 16), gestures(count, 6144), steady(count)
    thousand = gestures(1000, 16)
    return {
        "messages": count,
        "bytes": small.sent_bytes,
        "frames_and_snapshots": [small.frames, small.snapshots],
        "bytes_for_6144_byte_bodies": large.sent_bytes,
        "bytes_for_1000_messages": thousand.sent_bytes,
        "times_the_bytes_for_1000": round(small.sent_bytes / thousand.sent_bytes, 2),
        "compressed_bytes": small.wire_bytes,
        "bytes_with_a_consumer_draining": consumed.sent_bytes,
        "compressed_bytes_with_that_consumer": consumed.wire_bytes,
        "passed": small.sent_bytes < MOST_BYTES,
    }
