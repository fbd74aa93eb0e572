"""What a queue of version 2 and its stores read from the configuration, and what differs between releases."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from engine.values.settings import GIBIBYTE, USUAL_ENTRY_COUNT, StorageSettings
from engine.values.stretches import split


class V2Settings(StorageSettings, frozen=True, kw_only=True):
    """Constants of W1, and the capabilities by which releases differ (section 12).

    Names of constants are the broker's, without `classic_queue_`. Counts are messages or entries, sizes bytes.

    Args:
        segment_entry_count: slots of one `.qi` file (S).
        store_max_cache_size: the `.qs` write buffer is flushed when it holds that much (W114).
        check_crc32: entries of `.qs` get a checksum (W112).
        queue_index_embed_msgs_below: smaller messages go to `.qs`, others to the shared store (W31).
        msg_store_file_size_limit: a `.rdq` file is closed when it reaches this (W136).
        large_message_bytes: a term of that size gets a file of its own (W137).
        window_cap: most messages that a load asks for, and that the head lane takes at the tail (W32).
        shared_read_bytes, shared_read_count: when bodies of the shared store are read at a load (W45).
        tunes_reads: a load is fitted to segment boundaries by tune_read (W46), else it stops at the first.
        counts_deliveries: redelivery is told by delivery_count and redeliver_seq_id (W41), else next_deliver.
        starts_empty_at_next: an empty index begins at next_seq after a clean stop, else at 0 (W93, W196).
        counts_references_twice: the first reference counts 2 after a dirty start (W192).
        scan_stops_early: near a file's end the scanner of the shared store may stop too early (W143).
        deletes_empty_before_large: a file closed for a large message is deleted if nothing in it is valid (W137).
        purge_loses_terms: a clean stop after a purge counts as a crash (W201).
        renames_lanes: the broker's own names of tail and load are others, which its log shows (W190).
        transient_mark_second: the annotation `d` stands behind `id` on disk, else behind `x` (W162).
    """

    bounds = {
        "segment_entry_count": (1, USUAL_ENTRY_COUNT),
        "store_max_cache_size": (1, GIBIBYTE),
        "queue_index_embed_msgs_below": (0, 134_217_728),
        "msg_store_file_size_limit": (1, GIBIBYTE),
        "write_buffer_bytes": (1, GIBIBYTE),
        "window_cap": (1, 1_000_000),
    }

    segment_entry_count: int = 4096
    store_max_cache_size: int = 512_000
    check_crc32: bool = True
    large_message_bytes: int = 4_000_000
    window_cap: int = 2048
    shared_read_bytes: int = 12_000
    shared_read_count: int = 10

    tunes_reads: bool = True
    counts_deliveries: bool = True
    starts_empty_at_next: bool = True
    counts_references_twice: bool = False
    scan_stops_early: bool = False
    deletes_empty_before_large: bool = True
    purge_loses_terms: bool = False
    renames_lanes: bool = True
    transient_mark_second: bool = False

    def by_segment(self, start: int, count: int) -> Iterator[tuple[int, int, int]]:
        """Cut positions where segments end; yield (number of the segment, start, count)."""
        return split(start, count, self.segment_entry_count)

    def segment_of(self, seq: int) -> int:
        """Return the number of the segment that a position is in (W80)."""
        return seq // self.segment_entry_count

    def boundary(self, seq: int) -> int:
        """Return the first position of the next segment (B of W45)."""
        return (seq // self.segment_entry_count + 1) * self.segment_entry_count


RULES_4_0: Final[dict[str, Any]] = {
    "tunes_reads": False,
    "counts_deliveries": False,
    "starts_empty_at_next": False,
    "counts_references_twice": True,
    "scan_stops_early": True,
    "deletes_empty_before_large": False,
    "purge_loses_terms": True,
    "renames_lanes": False,
    "transient_mark_second": True,
}
"""What 4.0.5 does otherwise than 4.3.6 (section 12)."""

V4_3: Final = V2Settings()
"""4.3.6 with its defaults."""

V4_0: Final = V2Settings(**RULES_4_0)
"""4.0.5 with its defaults."""
