"""Limits of memory and disk, relative or absolute, in bytes (M8, M10)."""

from __future__ import annotations

import math
import re
from typing import Annotated, Final

import msgspec

from engine.values.errors import CommandError, ValueRefused

DEFAULT_FRACTION: Final = 0.4
_BYTES: Final = re.compile(r"(\d{1,15})(?:([kKmMgG])(iB|B)?)?")
_POWERS: Final = {"": 0, "k": 1, "m": 2, "g": 3}


class AbsoluteLimit(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A watermark in bytes."""

    absolute: Annotated[int, msgspec.Meta(ge=0, le=2**50)]


class FreeLimit(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The least free disk: in bytes, or as a part of the machine's RAM (M10)."""

    absolute: Annotated[int, msgspec.Meta(ge=0, le=2**50)] | None = None
    mem_relative: Annotated[float, msgspec.Meta(ge=0, le=1024)] | None = None

    def __post_init__(self) -> None:
        """Refuse a limit that gives both or neither."""
        if (self.absolute is None) == (self.mem_relative is None):
            raise ValueRefused("one_of_two", first="absolute", second="mem_relative")

    def in_bytes(self, ram_bytes: int) -> int:
        """Return the limit in bytes for a machine with so much RAM (M10)."""
        if self.mem_relative is not None:
            return math.floor(self.mem_relative * ram_bytes + 0.5)
        return self.absolute or 0


def limit_bytes(watermark: float | AbsoluteLimit, ram_bytes: int) -> int:
    """Return the memory limit in bytes (M8).

    Args:
        watermark: a part of the RAM, clamped to all of it, 0.4 where it is not a number; or bytes, at most all.
        ram_bytes: RAM of the machine.
    """
    if isinstance(watermark, AbsoluteLimit):
        return min(watermark.absolute, ram_bytes)
    if math.isnan(watermark) or watermark < 0:
        watermark = DEFAULT_FRACTION
    return math.trunc(min(watermark, 1.0) * ram_bytes)


def free_limit_bytes(limit: int | FreeLimit, ram_bytes: int) -> int:
    """Return the limit of free space in bytes (M10).

    Args:
        limit: bytes, or a part of the RAM.
        ram_bytes: RAM of the machine.
    """
    return limit if isinstance(limit, int) else limit.in_bytes(ram_bytes)


def bytes_of(text: str) -> int:
    """Return the bytes that a text such as "512MiB" or "1GB" means (M8, M10).

    Raises CommandError for anything else.
    """
    found = _BYTES.fullmatch(text)
    if found is None:
        raise CommandError("no_amount", text=text)
    base = 1000 if found[3] == "B" else 1024
    factor: int = base ** _POWERS[(found[2] or "").lower()]
    return int(found[1]) * factor
