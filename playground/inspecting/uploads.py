"""Files that a reader gives, within bounds: a directory file by file, or a zip of it."""

from __future__ import annotations

import re
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec

from playground.inspecting.unreadable import UnreadableInput

MOST_BYTES: Final = 32 * 1024 * 1024
"""Of all files together, unpacked, where a server reads them."""
MOST_BYTES_OWN: Final = 256 * 1024 * 1024
"""The same on the reader's own machine."""
MOST_FILES: Final = 2_000
MOST_MEMBERS: Final = 4 * MOST_FILES
"""Of a zip, with those that are not needed."""
MOST_DIRECTORY_BYTES: Final = 256 * MOST_MEMBERS
"""Of a zip's own directory, which is read whole before anything can be asked of it."""
BLOCK_BYTES: Final = 256 * 1024
NEEDED: Final = re.compile(
    r"^(\d{1,18}\.(idx|qi|qs|rdq|rdt)|journal\.jif|clean\.dot|file_summary\.ets|msg_store_index\.ets|recovery\.dets"
    r"|\.vhost|\.config|\.queue_name|[A-Za-z0-9@._-]{1,100}-feature_flags"
    r"|[A-Za-z0-9@._-]{0,100}definitions[A-Za-z0-9@._-]{0,100}\.json)\Z"
)
"""What is read of a broker's directory; everything else is left out."""
STEP: Final = re.compile(r"^[A-Za-z0-9@._-]{1,128}\Z")
LONGEST_PATH: Final = 12

METHODS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""How members are packed that are read: zipfile expands what others give in one piece, gigabytes of some bytes."""

BROKEN_ZIP: Final = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    NotImplementedError,  # zipfile's word for a compression that it cannot expand
    RuntimeError,
    EOFError,
    OSError,
    OverflowError,
    ValueError,
)
"""What zipfile raises for bytes that are no zip."""

ARCHIVES: Final = (".zip", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".zst", ".7z")
Files = dict[str, Any]
"""Bytes, or `PlacedBytes` of a file that is not kept, by path below the directory that was given."""
Given = Iterable[tuple[str, Iterable[bytes]]]
"""Paths, each with the file's blocks."""

_paths = msgspec.json.Decoder(list[str])


def names_of(uploads: list[Any], paths: str) -> list[str]:
    """Return the paths of files that were sent one by one.

    Args:
        paths: their paths in the same order, as JSON: a browser sends only the last step of each.

    Raises:
        UnreadableInput: the paths are not those of the files, or there are none.
    """
    try:
        named = _paths.decode(paths) if paths else [each.name for each in uploads]
    except msgspec.DecodeError:
        raise UnreadableInput("names") from None
    if len(named) != len(uploads):
        raise UnreadableInput("names")
    if not named:
        raise UnreadableInput("no_files")
    return named


def is_zip(paths: list[str]) -> bool:
    return len(paths) == 1 and paths[0].lower().endswith(".zip")


def is_needed(path: str) -> bool:
    """Return whether a file of a broker's directory is read, by its name."""
    return "__MACOSX" not in path and NEEDED.match(re.split(r"[/\\]", path)[-1]) is not None


class _Guarded:
    """An open file that gives only so much at once: zipfile reads a directory of the size that the zip states."""

    def __init__(self, opened: Any) -> None:
        self._opened = opened

    def __getattr__(self, name: str) -> Any:
        return getattr(self._opened, name)

    def read(self, count: int = -1) -> Any:
        """Read as a file does; raise Unreadable where a directory would be too large."""
        found = self._opened.read(count if 0 <= count <= MOST_DIRECTORY_BYTES else MOST_DIRECTORY_BYTES + 1)
        if len(found) > MOST_DIRECTORY_BYTES:
            raise UnreadableInput("too_many_files", most=MOST_FILES)
        return found


def of_zip(packed_file: Any, most_bytes: int = MOST_BYTES, left_out: list[str] | None = None) -> Files:
    """Return the files in a zip. What it states of sizes is not believed: reading stops at the bound.

    Args:
        most_bytes: of all together, unpacked.
        left_out: gets the names of what is not read.

    Raises:
        UnreadableInput: it is no zip, or has too many files.
    """
    try:
        packed = zipfile.ZipFile(_Guarded(packed_file))
    except BROKEN_ZIP:
        raise UnreadableInput("zip") from None
    with packed:
        members = [each for each in packed.infolist() if not each.is_dir()]
        if len(members) > MOST_MEMBERS:
            raise UnreadableInput("too_many_files", most=MOST_FILES)
        return gathered(((each.filename, _unpacked(packed, each)) for each in members), most_bytes, left_out)


def _unpacked(packed: zipfile.ZipFile, member: zipfile.ZipInfo) -> Iterator[bytes]:
    if member.compress_type not in METHODS:
        raise UnreadableInput("zip_member", name=member.filename[:80])
    try:
        with packed.open(member) as opened:
            while block := opened.read(BLOCK_BYTES):
                yield block
    except BROKEN_ZIP:
        raise UnreadableInput("zip_member", name=member.filename[:80]) from None


def gathered(found: Given, most_bytes: int = MOST_BYTES, left_out: list[str] | None = None) -> Files:
    """Read what is needed, up to the bounds; a path that leads out of the directory is refused.

    Args:
        left_out: gets the names of what is not read.
    """
    files: Files = {}
    used = 0
    archive = ""
    for path, blocks in found:
        steps = [step for step in path.replace("\\", "/").split("/") if step not in ("", ".")]
        if not steps or not is_needed("/".join(steps)):
            if left_out is not None:
                left_out.append("/".join(steps)[:200])
            archive = path[:80] if path.lower().endswith(ARCHIVES) else archive
            continue
        if len(steps) > LONGEST_PATH or not all(STEP.match(step) for step in steps) or ".." in steps:
            raise UnreadableInput("path", name=path[:80])
        data = bytearray()
        for block in blocks:
            used += len(block)
            if used > most_bytes:
                raise UnreadableInput("too_many_bytes", most=most_bytes >> 20)
            data += block
        files["/".join(steps)] = bytes(data)
        if len(files) > MOST_FILES:
            raise UnreadableInput("too_many_files", most=MOST_FILES)
    if not files and archive:
        raise UnreadableInput("archive", name=archive)
    if not files:
        raise UnreadableInput("no_files")
    return without_parents(files)


def without_parents(files: Files) -> Files:
    """Leave out the directories that all files lie in, but keep those by whose names the kind of directory is known."""
    while True:
        first = {path.split("/", 1)[0] for path in files}
        if len(first) != 1 or any("/" not in path for path in files):
            return files
        name = first.pop()
        if name in ("queues", "msg_store_persistent", "msg_store_transient", "msg_stores"):
            return files
        files = {path.split("/", 1)[1]: data for path, data in files.items()}
