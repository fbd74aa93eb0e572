"""The types of what each message of a run has: one number for all, or a column (`engine.values.sizes`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.values.sizes import Lengths, Sizes

if TYPE_CHECKING:
    Each = int | Sizes
    """Body bytes of each message."""
    Length = int | Lengths
    """Bytes of each record."""
else:  # decoders of plain values make numbers: what `plain` of that module returned
    Each = Length = int
