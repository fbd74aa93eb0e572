"""The Parquet tables of visitors' Spark jobs: each is kept as long as its sweep is."""

from __future__ import annotations

import shutil
from pathlib import Path

from django.conf import settings

from playground.models import OwnSweep


def folder() -> Path:
    """Return where this server keeps them."""
    return Path(settings.VAR_DIR) / "own-sweeps"


def keep(table: Path) -> None:
    """Keep a copy of a table, which has its sweep's name."""
    folder().mkdir(parents=True, exist_ok=True)
    shutil.copyfile(table, folder() / table.name)


def delete_without_sweep() -> int:
    """Delete the tables whose sweeps are gone; return how many."""
    names = set(OwnSweep.objects.values_list("name", flat=True))
    gone = [path for path in folder().glob("*.parquet") if path.stem not in names]
    for path in gone:
        path.unlink(missing_ok=True)
    return len(gone)
