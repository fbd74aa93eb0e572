"""`python -m tools.prepare`: make ready what a server needs, unless it is ready for exactly these sources.

A SQLite database keeps in its own header what it was made ready for, so an older copy that is put back is made ready
again. Another database is made ready at each start. Only the standard library is imported until there is work to do.
"""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Final

from tools.prepared import content_of

ROOT: Final = Path(__file__).resolve().parent.parent
MADE_FROM: Final = (
    "engine",
    "locale",
    "locked",
    "manage.py",
    "playground",
    "static",
    "templates",
    "workloads",
    "node_modules/.package-lock.json",
)
"""What decides which tables, scenarios, texts and static files there are, and whether scripts can be put together."""
OTHERWISE: Final = ("DATABASE_URL", "WATERLINE_STATIC")
"""Variables that put the tables or the static files elsewhere: there it is made ready at each start."""


def main() -> int:
    """Prepare if need be; return 0 only if all is ready."""
    place = Path(os.environ.get("WATERLINE_VAR") or ROOT / "var")
    own = not any(os.environ.get(name) for name in OTHERWISE)
    if own and _ready_for(place) == _mark():
        print("Everything is prepared already.", flush=True)
        return 0
    steps = ([sys.executable, "tools/compile_messages.py"], [sys.executable, "manage.py", "prepare"])
    for step in steps:
        if code := subprocess.run(step, cwd=ROOT, check=False).returncode:
            return code
    if own:
        with closing(sqlite3.connect(_database(place))) as database:
            database.execute(f"PRAGMA user_version = {_mark()}")
    return 0


def _mark() -> int:
    """Return 31 bits of a digest of the sources: what a SQLite header has room for."""
    return int(content_of(ROOT, MADE_FROM)[:8], 16) >> 1 or 1


def _database(place: Path) -> Path:
    return place / "waterline.sqlite3"


def _ready_for(place: Path) -> int:
    """Return the mark of what the tables and static files in a directory were made ready for; 0 for nothing."""
    if not (_database(place).is_file() and (place / "static" / "staticfiles.json").is_file()):
        return 0
    try:
        with closing(sqlite3.connect(_database(place))) as database:
            return int(database.execute("PRAGMA user_version").fetchone()[0])
    except sqlite3.Error:  # the step that opens it says what is wrong
        return 0


if __name__ == "__main__":
    sys.exit(main())
