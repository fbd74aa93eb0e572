"""Settings of a release whose queues can have files of either version."""

from __future__ import annotations

from typing import Any, Final

from engine.classic_v1.settings import GIBIBYTE, QueueSettings
from engine.classic_v2.settings import V2Settings
from engine.values.errors import InvalidSetting


class BothSettings(QueueSettings, frozen=True, kw_only=True):
    """What version 1 reads, and what files of version 2 need besides (W1); names without `classic_queue_`.

    Args:
        index_v2_segment_entry_count: slots of one `.qi` file; 0 for twice what version 1 has, as by default (4096).
        store_max_cache_size: bytes of bodies that stay in the cache of `.qs` (W121).
        check_crc32: entries of `.qs` get a checksum, and it is looked at.
    """

    index_v2_segment_entry_count: int = 0
    store_max_cache_size: int = 512_000
    check_crc32: bool = True

    def __post_init__(self) -> None:
        """Refuse values with which the formats or the rules cannot work."""
        super().__post_init__()
        if self.index_v2_segment_entry_count < 0:
            raise InvalidSetting.of(
                "index_v2_segment_entry_count", self.index_v2_segment_entry_count, "0 or more"
            )
        if self.store_max_cache_size < 1:
            raise InvalidSetting.of("store_max_cache_size", self.store_max_cache_size, "1 or more")

    def shown(self) -> dict[str, Any]:
        """Return the values under their names; of those for version 2 the ones that were chosen."""
        chosen = {name: getattr(self, name) for name, usual in _USUAL.items() if getattr(self, name) != usual}
        return super().shown() | chosen

    def of_files(self) -> V2Settings:
        """Return what the files of version 2 read."""
        return V2Settings(
            segment_entry_count=self.index_v2_segment_entry_count or 2 * self.segment_entry_count,
            store_max_cache_size=self.store_max_cache_size,
            check_crc32=self.check_crc32,
            queue_index_embed_msgs_below=self.queue_index_embed_msgs_below,
            starts_empty_at_next=False,
        )


OWN_BOUNDS: Final[dict[str, tuple[int, int]]] = {
    "index_v2_segment_entry_count": (0, 32768),
    "store_max_cache_size": (1, GIBIBYTE),
}
"""Least and greatest value of the numbers that only files of version 2 need."""
_USUAL: Final = {"index_v2_segment_entry_count": 0, "store_max_cache_size": 512_000}
