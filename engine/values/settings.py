"""The reference's configuration keys that the engine obeys, with 3.10.8's defaults (queue.md section 23, S250)."""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from engine.values.errors import InvalidSetting

Release = Literal["3.10", "3.8"]
"""Whose rules a queue follows where they differ (queue.md section 24)."""

MEBIBYTE = 1024 * 1024


class QueueSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What one queue and its stores read from the configuration.

    Names are the broker's. Counts are messages or entries, sizes bytes.
    """

    segment_entry_count: int = 2048
    queue_index_embed_msgs_below: int = 4096
    queue_index_max_journal_entries: int = 32768
    msg_store_file_size_limit: int = 16 * MEBIBYTE
    msg_store_io_batch_size: int = 4096
    msg_store_credit_disc_bound: tuple[int, int] = (4000, 800)
    explicit_gc_run_operation_threshold: int = 1000
    write_buffer_bytes: int = MEBIBYTE
    delta_read_cap: int = 2048
    release: Release = "3.10"

    @property
    def flags_deliveries(self) -> bool:
        """Whether each entry is marked when it is delivered, in the index too; else the queue keeps one number (V1)."""
        return self.release == "3.8"

    @property
    def starts_at_a_boundary(self) -> bool:
        """Whether numbering goes on at the next segment after an orderly stop too, as after a crash (V2)."""
        return self.release == "3.8"

    @property
    def writes_config(self) -> bool:
        """Whether a virtual host's directory has a `.config` with its number of entries in a segment (S4, V6)."""
        return self.release != "3.8"

    @property
    def reduction_flushes(self) -> bool:
        """Whether each memory reduction ends with a flush of the journal (Q45, Q53, V4)."""
        return self.release != "3.8"

    @property
    def pages_the_rest(self) -> bool:
        """Whether a conversion to lazy moves also what is less than a batch; a 3.8 waits for it for ever (V5)."""
        return self.release != "3.8"

    @property
    def recovery_flushes(self) -> bool:
        """Whether an unclean start always ends with a flush; else only where a message got its mark now (V8)."""
        return self.release != "3.8"

    @property
    def fetchwhile_forgets(self) -> bool:
        """Whether fetchwhile loses what its own collecting changed in the index (V9)."""
        return self.release == "3.8"

    def __post_init__(self) -> None:
        """Refuse values with which the formats or the rules cannot work (S4, S250)."""
        if not 1 <= self.segment_entry_count <= 16384:
            raise InvalidSetting.of("segment_entry_count", self.segment_entry_count, "1 to 16384")
        initial, more = self.msg_store_credit_disc_bound
        if not 1 <= more <= initial:
            raise InvalidSetting.of(
                "msg_store_credit_disc_bound", f"{initial}, {more}", "1 <= more <= initial"
            )
        for name in (
            "queue_index_embed_msgs_below",
            "queue_index_max_journal_entries",
            "msg_store_io_batch_size",
            "explicit_gc_run_operation_threshold",
            "write_buffer_bytes",
        ):
            if getattr(self, name) < 0:
                raise InvalidSetting.of(name, getattr(self, name), "0 or more")
        if self.msg_store_file_size_limit < 1:
            raise InvalidSetting.of("msg_store_file_size_limit", self.msg_store_file_size_limit, "1 or more")


REAL = QueueSettings()
"""3.10.8 with its defaults."""

CLASSROOM = QueueSettings(
    segment_entry_count=8,
    msg_store_io_batch_size=1,
    explicit_gc_run_operation_threshold=0,
    msg_store_file_size_limit=64 * 1024,
    write_buffer_bytes=16 * 1024,
)
"""Same rules, visible with ten messages (queue.md section 23)."""

ARTICLES = QueueSettings(segment_entry_count=16384, delta_read_cap=16384, release="3.8")
"""The broker that the articles describe: 3.8 with its defaults (V1-V10)."""

RELEASES: Final[dict[Release, QueueSettings]] = {REAL.release: REAL, ARTICLES.release: ARTICLES}
"""Each release with its defaults."""

PROFILES: Final = {"classroom": CLASSROOM, "real": REAL, "articles": ARTICLES}
