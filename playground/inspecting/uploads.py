"""What a reader gives, within bounds: files or a zip of them, the choice of a release, and what cannot be read.

Files that are too large to be kept stay where they are: of those, what is asked for is read."""

from __future__ import annotations

import re
import struct
import time
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, Protocol, overload

import msgspec

from engine.releases import PROFILES, REFERENCE, RELEASES
from engine.values.chunks import ByteChunk
from engine.values.errors import Refusal

FAR_SEGMENTS: Final = 4_096
"""Positions further apart than so many segments are damage: a start would look for each segment between."""

Why = dict[str, Any]
"""A reason as an answer has it: `code`, and `values` for the places of the sentence."""


class UnreadableInput(Exception):
    """Something that was given is not what the page reads, or more than it reads. `code`: see
    `static/js/model/inspect-words.js`. `values`: what is in the sentence's places.
    """

    def __init__(self, code: str, **values: Any) -> None:
        super().__init__(code)
        self.code = code
        self.values = values

    def to_json(self) -> dict[str, Any]:
        return {"unreadable": self.code, "values": self.values}


class FarApart(Refusal):
    """A start would look for more segments that are not there than it may: work follows files, not their numbers."""

    sentences = {"far_apart": "positions are more than %(most)s segments apart"}

    def __init__(self) -> None:
        super().__init__("far_apart", most=FAR_SEGMENTS)


class OutOfTime(Exception):
    """The process that reads has worked for as long as it may."""


def why(error: Exception) -> Why:
    """Return the reason that an error gives: a refusal's own, and Python's words for any other."""
    if isinstance(error, Refusal):
        return {"code": error.code, "values": error.values}
    return {"code": "unexpected", "values": {"why": f"{type(error).__name__}: {error}"[:300]}}


MOST_CHOICE_BYTES: Final = 1_000
LAST_DAY: Final = 1 << 34
"""Seconds since 1970: the year 2514."""


class ReleaseChoice(msgspec.Struct, frozen=True):
    """What is looked into, and which start is played.

    Args:
        vhost: the directory of the virtual host that is meant; of several the answer is their list otherwise.
        target: name of the upgrade whose start is played (`rehearsal.TARGETS`); empty for the release that wrote them.
        stopped: whether an orderly stop comes before that start; without a target it is all that is played.
        profile: of the session that wrote the files; empty where a broker did, and its files say the release.
        entries: of a segment in that session's settings; None where the files say it.
        day: of the start in seconds since 1970, by which messages expire; 0 for now.
    """

    vhost: str = ""
    target: str = ""
    stopped: bool = False
    profile: str = ""
    entries: int | None = None
    day: float = 0.0

    @property
    def now_us(self) -> int:
        """Microseconds since 1970 at the start."""
        return int((self.day or time.time()) * 1e6)

    @property
    def scale(self) -> Any:
        """Scale of the constants: that of the session, else the real ones."""
        return PROFILES[self.profile].scale if self.profile else "real"

    @property
    def series(self) -> str | None:
        """Release of the session, None where the files say it."""
        return PROFILES[self.profile].release.series if self.profile else None


USUAL: Final = ReleaseChoice()
"""Files of a broker, of one virtual host, and the release that wrote them."""


def read_choice(text: str) -> ReleaseChoice:
    """Return a choice that a page sends as JSON, the usual one for no text; raise Unreadable where it is none."""
    try:
        if len(text) > MOST_CHOICE_BYTES:
            raise ValueError
        choice = msgspec.json.decode(text, type=ReleaseChoice) if text else USUAL
        known = choice.profile in PROFILES or not choice.profile
        if not 0 <= choice.day <= LAST_DAY:
            raise ValueError
        if not known or not (choice.entries is None or 1 <= choice.entries <= 1 << 14):
            raise ValueError
    except ValueError:
        raise UnreadableInput("choice") from None
    return choice


VERSION: Final = re.compile(r"(\d{1,3})\.(\d{1,3})")


def profile_of(version: object) -> str:
    """Return the profile that plays a release, the reference's where no version is written. `version`: as a text
    writes it, such as 3.13.7; anything else counts as none.
    """
    found = VERSION.match(version) if isinstance(version, str) else None
    if found is None:
        return str(REFERENCE.profiles["real"])
    release = (int(found[1]), int(found[2]))
    series = (
        "3.8" if release < (3, 9) else "3.10" if release < (4, 0) else "4.0" if release < (4, 3) else "4.3"
    )
    return str(RELEASES[series].profiles["real"])


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
    """Return the paths of files that were sent one by one. `paths`: their paths in the same order, as JSON: a
    browser sends only the last step of each. Raises UnreadableInput: the paths are not those of the files, or there
    are none.
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
    """Return the files in a zip. What it states of sizes is not believed: reading stops at the bound. `most_bytes`:
    of all together, unpacked. `left_out`: gets the names of what is not read. Raises UnreadableInput: it is no zip,
    or has too many files.
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
    """Read what is needed, up to the bounds; a path that leads out of the directory is refused. `left_out`: gets
    the names of what is not read.
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


WINDOW_BYTES: Final = 4096
"""What is read at once: the heads of a store's records are looked at one after the other, not the bodies."""


class _Readable(Protocol):
    """A directory, or what a run made of one."""

    def size(self, path: str) -> int | None:
        """Return the size of a file in bytes."""

    def read_bytes(self, path: str, offset: int, count: int) -> bytes:
        """Return up to so many bytes at an offset."""


class PlacedFiles:
    """Reads the files of one directory; of the file that was read last it keeps a window."""

    def __init__(self, storage: _Readable) -> None:
        self._storage = storage
        self._window = ("", 0, b"")

    def file(self, path: str) -> PlacedBytes:
        """Return a whole file as it is now, unread."""
        return PlacedBytes(self, path, 0, self._storage.size(path) or 0)

    def read(self, path: str, begin: int, end: int) -> bytes:
        if end - begin > WINDOW_BYTES:
            return self._storage.read_bytes(path, begin, end - begin)
        held, at, data = self._window
        if held != path or not at <= begin <= end <= at + len(data):
            at, data = begin, self._storage.read_bytes(path, begin, WINDOW_BYTES)
            self._window = path, at, data
        return data[begin - at : end - at]


class PlacedBytes:
    """Some bytes of a file, which can be asked as `bytes` can, and stand in a ledger as a chunk. `begin`, `end`:
    offsets in it.
    """

    plain = True

    def __init__(self, files: PlacedFiles, path: str, begin: int, end: int) -> None:
        self._files, self._path, self._begin, self._end = files, path, begin, end

    def __len__(self) -> int:
        return self._end - self._begin

    @overload
    def __getitem__(self, at: int) -> int: ...

    @overload
    def __getitem__(self, at: slice) -> bytes: ...

    def __getitem__(self, at: int | slice) -> int | bytes:
        """Return one of them, or some that follow each other."""
        if isinstance(at, int):
            return self[at : at + 1][0]
        begin, end, _step = at.indices(len(self))
        return self._files.read(self._path, self._begin + begin, self._begin + max(begin, end))

    def __bytes__(self) -> bytes:
        return self[:]

    def find(self, wanted: bytes, begin: int = 0) -> int:
        """Return the offset of the first place from an offset on that has some bytes, -1 without one."""
        for at in range(begin, len(self), WINDOW_BYTES):
            found = self[at : at + WINDOW_BYTES + len(wanted) - 1].find(wanted)
            if found >= 0:
                return at + found
        return -1

    # --- as a chunk ---

    @property
    def size_bytes(self) -> int:
        return len(self)

    def encode(self) -> bytes:
        return self[:]

    def cut(self, offset_bytes: int) -> tuple[Sequence[ByteChunk], Sequence[ByteChunk]]:
        return self.between(0, offset_bytes), self.between(offset_bytes, len(self))

    def between(self, begin: int, end: int) -> Sequence[ByteChunk]:
        begin, end = max(0, begin), min(end, len(self))
        if begin >= end:
            return []
        return [PlacedBytes(self._files, self._path, self._begin + begin, self._begin + end)]


def has_placed(files: dict[str, Any]) -> bool:
    return any(isinstance(each, PlacedBytes) for each in files.values())
