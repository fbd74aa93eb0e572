"""The files of sessions: one directory for each process, with one for each session in it, and checkpoints.

A process locks its directory while it lives. The next process to start removes unlocked directories, so a killed
server's files do not stay for long. A worker of a killed server lives slightly longer and may still write, so
no worker recreates the directory of its process, and a lock is removed only after its directory.

A checkpoint is a saved run with its files, so that waking need not repeat everything. A session *is* its
scenario and its commands; a checkpoint only saves time. A checkpoint that does not fit (another engine, other
commands, damage) is ignored, and the run is repeated from the beginning.
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import hashlib
import hmac
import io
import logging
import os
import shutil
import tarfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Final

import msgspec

from engine.broker.cluster import Cluster
from engine.storage.directory import DirectoryStorage
from playground.hosting import session_record
from playground.hosting.real_engine import EngineDoor
from playground.hosting.session_record import RecordedSession, Timed

logger = logging.getLogger(__name__)

ATTEMPTS: Final = 20
AGAIN_S: Final = 0.1
"""How often, and after how long, to remove a directory again if somebody wrote into it meanwhile."""


class SessionFiles:
    """A directory with one directory for each session in it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def fresh(self, session_id: str) -> Path:
        """Return an empty directory for a session. Raises FileNotFoundError: the directory of the process is gone."""
        path = self.of(session_id)
        self.forget(session_id)
        path.mkdir()
        return path

    def of(self, session_id: str) -> Path:
        return self.path / session_id

    def forget(self, session_id: str) -> None:
        shutil.rmtree(self.of(session_id), ignore_errors=True)


class ProcessDirectory(SessionFiles):
    """The directory of this process under `root`."""

    def __init__(self, root: Path) -> None:
        root.mkdir(parents=True, exist_ok=True)
        self.swept = [path.name for path in sweep(root)]
        """Processes found to be gone."""
        super().__init__(root / f"process-{os.getpid()}-{os.urandom(4).hex()}")
        self._lock_path = self.path.with_suffix(".lock")
        self._lock: IO[bytes] | None = None
        self._ended = False
        self._begin()
        atexit.register(self.remove)

    def _begin(self) -> None:
        """Make the directory. Its lock is beside it and taken first, so that a sweep finds no unlocked directory."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if self._lock:
            self._lock.close()
        self._lock = _locked(self._lock_path)
        self.path.mkdir(exist_ok=True)

    def renew(self) -> None:
        """Make the directory again if somebody removed the files of all sessions. Raises FileNotFoundError: this
        process has removed its directory; a thread that is late does not bring it back.
        """
        if self._ended:
            raise FileNotFoundError(self.path)
        if not self._lock_path.exists():
            self._begin()
        self.path.mkdir(exist_ok=True)

    def fresh(self, session_id: str) -> Path:
        """Return an empty directory for a session in this process's directory, which `renew` makes if needed."""
        self.renew()
        return super().fresh(session_id)

    def remove(self) -> None:
        atexit.unregister(self.remove)
        self._ended = True
        if _removed(self.path):
            with contextlib.suppress(OSError):
                self._lock_path.unlink()
        if self._lock:
            self._lock.close()
            self._lock = None


def _locked(path: Path) -> IO[bytes] | None:
    """Open and lock a file, or return None when another process holds it."""
    handle = path.open("ab")
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        handle.close()
        return None
    return handle


def _removed(path: Path) -> bool:
    """Remove a directory, repeatedly while somebody still writes into it; return whether it is gone."""
    for _attempt in range(ATTEMPTS):
        shutil.rmtree(path, ignore_errors=True)
        if not path.exists():
            return True
        time.sleep(AGAIN_S)
    logger.warning("the files of a process cannot be removed: %s", path.name)
    return False


def sweep(root: Path) -> list[Path]:
    """Remove the directories of processes that are gone; return them."""
    removed = []
    for lock_path in root.glob("process-*.lock"):
        handle = _locked(lock_path)
        if handle is None:
            continue
        path = lock_path.with_suffix("")
        with contextlib.closing(handle):
            if not _removed(path):
                continue
            lock_path.unlink(missing_ok=True)
        removed.append(path)
        logger.info("removed the files of a process that is gone: %s", path.name)
    return removed


KEPT_OF_A_SESSION: Final = 2
BETWEEN: Final = 20_000
"""Transitions between two checkpoints; repeating this many takes about a second."""
WORTH_KEEPING: Final = 2_000
"""A run with fewer transitions is repeated as fast as a checkpoint is read."""
MOST_FILE_BYTES: Final = 64 * 1024 * 1024
"""A run with larger files is not saved, because writing it would take longer than it saves."""
Breathe = Callable[[], None]
SIGNATURE_BYTES: Final = 32
SUFFIX: Final = ".checkpoint"


class CheckpointHeader(msgspec.Struct, frozen=True):
    """Describes the run in a checkpoint.

    Args:
        at_us: its virtual time.
        commands: how many commands it got.
        record: fingerprint of the scenario and those commands.
        build: fingerprint of the engine that made it.
    """

    number: int
    at_us: int
    commands: int
    record: str
    build: str


class CheckpointStore:
    """The checkpoints of one directory, which other processes may use too. `key`: signs checkpoints, since only this
    program's own may be read. `build`: fingerprint of the engine; checkpoints of other engines are useless.
    `most_bytes`: bound of all checkpoints together; the oldest are deleted first.
    """

    def __init__(self, root: Path, *, door: EngineDoor, key: bytes, build: str, most_bytes: int) -> None:
        self._root = root
        self._door = door
        self._key = key
        self._build = build
        self._most_bytes = most_bytes

    def save(
        self,
        session_id: str,
        node: Cluster,
        files: DirectoryStorage,
        root: Path,
        record: RecordedSession,
        breathe: Breathe = lambda: None,
    ) -> bool:
        """Save the run; return whether that was possible. It is not in the middle of a collection, or with very large
        files. `breathe`: called often, since packing takes seconds and others need their turns. The run must not
        advance.
        """
        if files.used_bytes() > MOST_FILE_BYTES:
            return False
        try:
            frozen = self._door.freeze(node, files)
        except self._door.not_now:
            return False
        header = CheckpointHeader(
            node.log.number,
            node.now_us,
            len(record.commands),
            fingerprint(record, len(record.commands)),
            self._build,
        )
        body = _packed(header, frozen, root, breathe)
        place = self._place(session_id) / f"{header.number:012d}{SUFFIX}"
        place.parent.mkdir(parents=True, exist_ok=True)
        fresh = place.with_suffix(".new")
        fresh.write_bytes(self._signature(body) + body)
        fresh.replace(place)
        self._tidy(session_id)
        return True

    def restore(
        self,
        session_id: str,
        record: RecordedSession,
        until_us: int,
        root: Path,
        breathe: Breathe = lambda: None,
    ) -> tuple[Cluster, DirectoryStorage, int] | None:
        """Restore the newest run before `until_us`, with its files in `root`; call `breathe` often. Returns the node,
        its files and how many commands it got; None if no checkpoint fits.
        """
        for place in sorted(self._place(session_id).glob(f"*{SUFFIX}"), reverse=True):
            try:
                found = self._open(place, record, until_us, root, breathe)
            except (ValueError, msgspec.MsgspecError, tarfile.TarError) as error:
                logger.warning("checkpoint %s cannot be read: %s", place.name, error)
                place.unlink(missing_ok=True)
                continue
            if found is not None:
                return found
        return None

    def forget(self, session_id: str) -> None:
        shutil.rmtree(self._place(session_id), ignore_errors=True)

    def _open(
        self, place: Path, record: RecordedSession, until_us: int, root: Path, breathe: Breathe
    ) -> tuple[Cluster, DirectoryStorage, int] | None:
        data = place.read_bytes()
        signature, body = data[:SIGNATURE_BYTES], data[SIGNATURE_BYTES:]
        if not hmac.compare_digest(signature, self._signature(body)):
            raise ValueError("it is not signed by this server")
        with tarfile.open(fileobj=io.BytesIO(body)) as archive:
            header = msgspec.json.decode(_member(archive, "header"), type=CheckpointHeader)
            if header.build != self._build or not _leads_to(header, record, until_us):
                return None
            frozen = _member(archive, "run")
            for member in archive:
                if member.name.startswith("files/"):
                    archive.extract(member, root, filter="data")
                    breathe()
        inside = root / "files"
        if inside.is_dir():
            for each in inside.iterdir():
                each.rename(root / each.name)
            inside.rmdir()
        return *self._door.thaw(frozen, str(root)), header.commands

    def _signature(self, body: bytes) -> bytes:
        return hmac.new(self._key, body, hashlib.sha256).digest()

    def _place(self, session_id: str) -> Path:
        return self._root / session_id

    def _tidy(self, session_id: str) -> None:
        """Keep this session's newest checkpoint, and as many of all sessions as there is room for."""
        for place in sorted(self._place(session_id).glob(f"*{SUFFIX}"), reverse=True)[KEPT_OF_A_SESSION:]:
            place.unlink(missing_ok=True)
        everything = [(place.stat(), place) for place in self._root.glob(f"*/*{SUFFIX}")]
        total = sum(stat.st_size for stat, _place in everything)
        for stat, place in sorted(everything, key=lambda each: each[0].st_mtime):
            if total <= self._most_bytes:
                return
            place.unlink(missing_ok=True)
            total -= stat.st_size


def _leads_to(header: CheckpointHeader, record: RecordedSession, until_us: int) -> bool:
    """Return whether the recorded run passes through the checkpoint. A different run may have the same
    commands so far: a killed server may have saved a moment that is not on record. The run is then rebuilt to
    an earlier moment, and gets other commands after it.
    """
    later = record.commands[header.commands :]
    in_time = header.at_us <= until_us and all(header.at_us <= at_us for at_us, _command in later[:1])
    return in_time and header.record == fingerprint(record, header.commands)


def fingerprint(record: RecordedSession, commands: int) -> str:
    """Return a name for the scenario and its first `count` commands; empty if there are fewer."""
    if commands > len(record.commands):
        return ""
    given: Sequence[Timed] = record.commands[:commands]
    text = session_record.canonical({"scenario": record.scenario, "commands": [list(each) for each in given]})
    return hashlib.sha256(text.encode()).hexdigest()


def build_of(package: Path) -> str:
    """Return a fingerprint of the Python files of a package, which changes whenever one of them does."""
    total = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        total.update(path.relative_to(package).as_posix().encode())
        total.update(path.read_bytes())
    return total.hexdigest()[:16]


class _InPieces:
    """A file that yields to others between the pieces that are read."""

    def __init__(self, file: IO[bytes], breathe: Breathe) -> None:
        self._file = file
        self._breathe = breathe

    def read(self, count: int) -> bytes:
        self._breathe()
        return self._file.read(count)


def _packed(header: CheckpointHeader, frozen: bytes, root: Path, breathe: Breathe) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz", compresslevel=1) as archive:
        for name, data in (("header", msgspec.json.encode(header)), ("run", frozen)):
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
        for path in sorted(root.rglob("*")):
            entry = archive.gettarinfo(path, arcname=f"files/{path.relative_to(root)}")
            if not entry.isreg():
                archive.addfile(entry)
                continue
            with path.open("rb") as file:
                archive.addfile(entry, _InPieces(file, breathe))  # type: ignore[arg-type]  # it only reads
    return buffer.getvalue()


def _member(archive: tarfile.TarFile, name: str) -> bytes:
    stream = archive.extractfile(name)
    if stream is None:
        raise ValueError(f"it has no {name}")
    return stream.read()
