"""What every generation of storage reads from the configuration, and how many entries a segment has without it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

import msgspec

from engine.values.errors import InvalidSetting

USUAL_ENTRY_COUNT: Final = 16384
"""Entries of a segment where `.config` states no other number (S4), and the most that there can be."""
MEBIBYTE: Final = 1024 * 1024
GIBIBYTE: Final = 1024 * MEBIBYTE
CREDIT: Final = "msg_store_credit_disc_bound"


class StorageSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What every generation reads from the configuration, among its own. Counts are messages or entries, sizes bytes.

    Args:
        segment_entry_count: entries of one file of a queue's index.
        queue_index_embed_msgs_below: messages below this size stay out of the shared stores (Q12).
        msg_store_file_size_limit: size at which a shared store begins a new file (S171).
        msg_store_credit_disc_bound: credit of a queue at a shared store (F1).
        write_buffer_bytes: the shared store's buffer is handed over when it holds that much (W134).
    """

    bounds: ClassVar[Mapping[str, tuple[int, int]]]
    """Least and greatest value of each number that a scenario may choose."""

    segment_entry_count: int
    queue_index_embed_msgs_below: int = 4096
    msg_store_file_size_limit: int = 16 * MEBIBYTE
    msg_store_credit_disc_bound: tuple[int, int] = (4000, 800)
    write_buffer_bytes: int = MEBIBYTE

    def __post_init__(self) -> None:
        """Refuse values with which the formats or the rules cannot work (S4, S250)."""
        initial, more = self.msg_store_credit_disc_bound
        if not 1 <= more <= initial:
            raise InvalidSetting.of(CREDIT, f"{initial}, {more}", "1 <= more <= initial")
        for name, (least, _) in self.bounds.items():
            if getattr(self, name) < least:
                raise InvalidSetting.of(name, getattr(self, name), f"{least} or more")

    def shown(self) -> dict[str, Any]:
        """Return the configuration's values under their names; the pair of credits as two."""
        values = {name: getattr(self, name) for name in self.bounds}
        initial, more = self.msg_store_credit_disc_bound
        return values | {"msg_store_credit_initial": initial, "msg_store_credit_more": more}
