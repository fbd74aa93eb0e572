"""Settings of a release whose queues can have files of either version."""

from __future__ import annotations

from typing import Final

from engine.classic_v1.settings import QueueSettings
from engine.classic_v2.settings import V2Settings
from engine.values.errors import InvalidSetting


class BothSettings(QueueSettings, frozen=True, kw_only=True):
    """What version 1 reads, and what files of version 2 need besides (W1); names without `classic_queue_`.

    Args:
        index_v2_segment_entry_count: slots of one `.qi` file.
        store_max_cache_size: bytes of bodies that stay in the cache of `.qs` (W121).
        check_crc32: entries of `.qs` get a checksum, and it is looked at.
        default_version: of queues for which neither an argument nor a policy says it (W2).
    """

    index_v2_segment_entry_count: int = 4096
    store_max_cache_size: int = 512_000
    check_crc32: bool = True
    default_version: int = 1

    def __post_init__(self) -> None:
        """Refuse values with which the formats or the rules cannot work."""
        super().__post_init__()
        for name in ("index_v2_segment_entry_count", "store_max_cache_size"):
            if getattr(self, name) < 1:
                raise InvalidSetting.of(name, getattr(self, name), "1 or more")
        if self.default_version not in VERSIONS:
            raise InvalidSetting.of("default_version", self.default_version, "1 or 2")

    def of_files(self) -> V2Settings:
        """Return what the files of version 2 read."""
        return V2Settings(
            segment_entry_count=self.index_v2_segment_entry_count,
            store_max_cache_size=self.store_max_cache_size,
            check_crc32=self.check_crc32,
            queue_index_embed_msgs_below=self.queue_index_embed_msgs_below,
            starts_empty_at_next=False,
        )


VERSIONS: Final = (1, 2)
