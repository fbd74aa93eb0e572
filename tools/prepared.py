"""What a run of tests makes once: the first process that needs it makes it, the others take copies."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

PREPARED: Final = "WATERLINE_PREPARED"
"""Variable with the directory in which a run of tests keeps it; outside of tests everybody makes its own."""


def made_once(kept: Path, name: str, make: Callable[[Path], None]) -> Path:
    """Return the directory of this name below `kept`.

    Args:
        kept: where such directories are kept.
        name: of what it is made of: the same name, the same content.
        make: fills a new directory; the first caller's is called, and others wait for it.
    """
    made = kept / name
    with (kept / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.is_dir():
            begun = Path(tempfile.mkdtemp(dir=kept))
            make(begun)
            begun.rename(made)
    return made


def fill(place: Path, name: Callable[[], str], make: Callable[[Path], None]) -> None:
    """Fill a directory: in a run of tests with a copy of what the first process made, else by making it.

    Args:
        place: the directory, which is made if need be.
        name: returns the name of what it is made of; only asked in a run of tests.
        make: fills a directory.
    """
    kept = os.environ.get(PREPARED)
    if kept:
        shutil.copytree(made_once(Path(kept), name(), make), place, dirs_exist_ok=True)
    else:
        place.mkdir(parents=True, exist_ok=True)
        make(place)


def content_of(root: Path, names: Iterable[str]) -> str:
    """Return a digest of the files and folders of these names below `root`, as names and bytes; it is a file's name."""
    digest = hashlib.sha256()
    for name in names:
        for path in sorted(_files(root / name)):
            data = path.read_bytes()
            digest.update(f"{path.relative_to(root)} {len(data)} ".encode() + data)
    return digest.hexdigest()[:32]


def _files(place: Path) -> Iterable[Path]:
    if place.is_file():
        return [place]
    return (each for each in place.rglob("*") if each.is_file() and each.parent.name != "__pycache__")
