"""Types made ready while only one thread runs.

msgspec builds a type's tables when it is first used. Two threads that build the same tables at once crash the whole
process (msgspec 0.22), and pages, sockets and engines do run in several threads.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import msgspec


def types() -> None:
    """Build the tables of every type that is imported by now. Call it again after importing more."""
    for kind in _kinds(msgspec.Struct):
        with contextlib.suppress(TypeError):  # a type that cannot be decoded never is
            msgspec.json.Decoder(kind)


def _kinds(kind: type) -> Iterator[type]:
    subclasses: list[type] = kind.__subclasses__()
    for each in subclasses:
        yield each
        yield from _kinds(each)
