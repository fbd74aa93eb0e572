"""What every transition is."""

from __future__ import annotations

import msgspec

Why = dict[str, int | float | str | bool | None]
"""The numbers that made a transition fire."""


class Transition(msgspec.Struct, frozen=True, array_like=True, tag=True, gc=False):
    """One change, caused by `rule`."""

    rule: str
