"""An upload on its way to the process that reads it: names and sizes, then the files one after the other."""

from __future__ import annotations

import io
import struct
import tempfile
from collections.abc import Iterator
from typing import IO, Any, Final

import msgspec

from playground.inspecting import uploads
from playground.inspecting.choice import ReleaseChoice
from playground.inspecting.unreadable import UnreadableInput

_HEAD: Final = struct.Struct(">I")


class ParcelLabel(msgspec.Struct, frozen=True):
    """The header of a parcel.

    Args:
        sizes: in bytes, in the same order.
        choice: what the reader wants to know of them.
    """

    paths: list[str]
    sizes: list[int]
    choice: ReleaseChoice


def pack(files: list[Any], paths: list[str], choice: ReleaseChoice) -> IO[bytes]:
    """Return an open file without a name that holds what was given; raise Unreadable where it is too much.

    Args:
        choice: see `ParcelLabel`.
    """
    if sum(each.size for each in files) > uploads.MOST_BYTES:
        raise UnreadableInput("too_many_bytes", most=uploads.MOST_BYTES >> 20)
    label = msgspec.json.encode(ParcelLabel(paths, [each.size for each in files], choice))
    held: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - whoever takes it closes it
    held.write(_HEAD.pack(len(label)) + label)
    for each in files:
        for block in each.chunks(uploads.BLOCK_BYTES):
            held.write(block)
    held.seek(0)
    return held


def unpack(held: IO[bytes], left_out: list[str]) -> tuple[uploads.Files, ReleaseChoice]:
    """Return the files, and what is wanted of them; raise Unreadable where they cannot be read.

    Args:
        held: what `pack` returned.
        left_out: gets the names of what is not read.
    """
    (size,) = _HEAD.unpack(held.read(_HEAD.size))
    label = msgspec.json.decode(held.read(size), type=ParcelLabel)
    if uploads.is_zip(label.paths):
        return uploads.of_zip(io.BytesIO(held.read()), left_out=left_out), label.choice
    found = ((path, _blocks(held, size)) for path, size in zip(label.paths, label.sizes, strict=True))
    return uploads.gathered(_each_whole(held, found, label.sizes), left_out=left_out), label.choice


def _blocks(held: IO[bytes], size: int) -> Iterator[bytes]:
    while size > 0:
        block = held.read(min(size, uploads.BLOCK_BYTES))
        yield block
        size -= len(block) or size


def _each_whole(held: IO[bytes], found: uploads.Given, sizes: list[int]) -> uploads.Given:
    """Yield the files, and go on behind each even where it was not read."""
    at = held.tell()
    for (path, blocks), size in zip(found, sizes, strict=True):
        held.seek(at)
        yield path, blocks
        at += size
