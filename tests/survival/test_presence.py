"""A process that is killed is known to be gone at once, and one that only stands still is not: on a real PostgreSQL."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.helpers.patience import PATIENCE_S
from tools import private_postgresql

SETUP = """
import os, sys, time
import django
os.environ["DJANGO_SETTINGS_MODULE"] = "playground.settings"
django.setup()
from django.db import connection
from playground.records import session_leases
session_leases.STARTED_S = 0
"""
HOLDS = f"""{SETUP}
session_leases.ProcessPresence(sys.argv[1]).hold()
print("held", flush=True)
time.sleep(600)
"""
LOOKS = f"""{SETUP}
for line in sys.stdin:
    process, seconds = line.split()
    session_leases.STARTED_S = float(seconds)
    print(int(session_leases.is_gone(process)), flush=True)
"""
BREAKS = f"""{SETUP}
mine = session_leases.ProcessPresence("mine")
mine.hold()
with connection.cursor() as cursor:
    cursor.execute("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'")


def until(gone):
    begun_s = time.monotonic()
    while session_leases.is_gone("mine") is not gone:
        time.sleep(0.01)
        assert time.monotonic() - begun_s < {PATIENCE_S}


until(True)
until(False)
mine.end()
until(True)
"""


class Database:
    """A server, and programs that use it."""

    def __init__(self, url: str, var: Path, root: Path) -> None:
        self._environment = {**os.environ, "DATABASE_URL": url, "WATERLINE_VAR": str(var)}
        self._root = root
        self._looks = self.start(LOOKS)

    def start(self, program: str, *arguments: str) -> subprocess.Popen[str]:
        """Start a program."""
        return subprocess.Popen(
            [sys.executable, "-c", program, *arguments],
            cwd=self._root,
            env=self._environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def is_gone(self, process: str, started_s: float = 0) -> bool:
        """Return what another process finds."""
        assert self._looks.stdin is not None
        assert self._looks.stdout is not None
        self._looks.stdin.write(f"{process} {started_s}\n")
        self._looks.stdin.flush()
        return self._looks.stdout.readline() == "1\n"

    def end(self) -> None:
        """End what was started here."""
        self._looks.kill()
        self._looks.communicate()


@pytest.fixture
def database(tmp_path: Path, repo_root: Path) -> Iterator[Database]:
    with private_postgresql.running() as url:
        found = Database(url, tmp_path, repo_root)
        yield found
        found.end()


def test_a_process_that_is_killed_is_gone_and_one_that_is_stopped_is_not(database: Database) -> None:
    held = database.start(HOLDS, "one")
    assert held.stdout is not None
    assert held.stdout.readline() == "held\n"
    assert not database.is_gone("one")
    assert database.is_gone("another")
    os.kill(held.pid, signal.SIGSTOP)  # no machine is busier
    time.sleep(2)
    assert not database.is_gone("one")
    held.kill()
    held.communicate()
    ends_s = time.monotonic() + PATIENCE_S
    while not database.is_gone("one"):
        assert time.monotonic() < ends_s
        time.sleep(0.01)
    assert not database.is_gone("one", 3600), "a database that has just started knows of nobody"


def test_a_connection_that_breaks_is_replaced(database: Database) -> None:
    broken = database.start(BREAKS)
    broken.communicate(timeout=PATIENCE_S)
    assert broken.returncode == 0
