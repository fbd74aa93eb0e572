"""Bytes of RAM of a queue of version 2 and its stores, as fresh nodes of 4.3.6 showed.

The figures are those of fidelity/calibration-4.3.6.json, in thousandths of a byte. What was not measured on 4.x counts
nothing (docs/calibration.md): segments, buffered acks. 4.0.5 was not measured and counts the same.
"""

from __future__ import annotations

from typing import Final

from engine.backing_queue.heap import HEAPS, HeapFigures
from engine.backing_queue.message_places import CLASSIC_V2

FIGURES: Final = HeapFigures(
    alpha_small=520_000,
    alpha_large=568_100,
    beta=175_700,
    gamma=175_700,
    pending=13_300,
    channel_pending=226_400,
    process=4_320_000,
    store_row=133_800,
    cache_row=528_500,
    traced=False,
)
HEAPS[CLASSIC_V2] = FIGURES
INDEX_ITEM_OWN: Final = 181_400
"""Entry of the index's write buffer or cache whose body is in `.qs`."""
INDEX_ITEM_SHARED: Final = 150_400
"""The same with the body in the shared store."""
BODY_ITEM: Final = 454_200
"""Entry of the `.qs` write buffer or cache, beside its body."""
