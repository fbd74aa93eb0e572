"""The broker's configuration keys that queues of version 1 obey, and what differs between releases (S250)."""

from __future__ import annotations

from engine.values.errors import InvalidSetting
from engine.values.marks import override
from engine.values.settings import GIBIBYTE, USUAL_ENTRY_COUNT, StorageSettings


class QueueSettings(StorageSettings, frozen=True, kw_only=True):
    """What one queue and its stores read from the configuration, and by which rules they go where releases differ.

    Names of keys are the broker's. Counts are messages or entries, sizes bytes. Defaults are those of 3.10.8 (S250).

    Args:
        flags_deliveries: each entry is marked when it is delivered, in the index too; else the queue keeps one number
            (V1).
        starts_at_a_boundary: numbering goes on at the next segment after an orderly stop too, as after a crash (V2).
        writes_config: a virtual host's directory has a `.config` with its number of entries in a segment (S4, V6).
        reduction_flushes: each memory reduction ends with a flush of the journal (Q45, Q53, V4).
        pages_the_rest: a conversion to lazy moves also what is less than a batch, else it waits for it for ever (V5).
        recovery_flushes: an unclean start always ends with a flush, else only where a message got its mark now (V8).
        fetchwhile_forgets: fetchwhile loses what its own collecting changed in the index (V9).
    """

    bounds = {
        "segment_entry_count": (1, USUAL_ENTRY_COUNT),
        "queue_index_embed_msgs_below": (0, 134_217_728),
        "queue_index_max_journal_entries": (0, 10_000_000),
        "msg_store_file_size_limit": (1, GIBIBYTE),
        "msg_store_io_batch_size": (1, 1_000_000),
        "explicit_gc_run_operation_threshold": (0, 1_000_000),
        "write_buffer_bytes": (0, GIBIBYTE),
        "delta_read_cap": (1, 1_000_000),
    }

    segment_entry_count: int = 2048
    queue_index_max_journal_entries: int = 32768
    msg_store_io_batch_size: int = 4096
    explicit_gc_run_operation_threshold: int = 1000
    delta_read_cap: int = 2048

    flags_deliveries: bool = False
    starts_at_a_boundary: bool = False
    writes_config: bool = True
    reduction_flushes: bool = True
    pages_the_rest: bool = True
    recovery_flushes: bool = True
    fetchwhile_forgets: bool = False

    @override
    def __post_init__(self) -> None:
        if not 1 <= self.segment_entry_count <= USUAL_ENTRY_COUNT:
            raise InvalidSetting.of(
                "segment_entry_count", self.segment_entry_count, f"1 to {USUAL_ENTRY_COUNT}"
            )
        super().__post_init__()
