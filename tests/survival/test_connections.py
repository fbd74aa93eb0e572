"""Many requests at once share few connections to PostgreSQL, and all are answered."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tools import private_postgresql

CONNECTIONS = 3
REQUESTS = 40
PROGRAM = f"""
import os, threading
import django
os.environ["DJANGO_SETTINGS_MODULE"] = "playground.settings"
django.setup()
from django.db import close_old_connections, connection

most, answered = [], []

def request():
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*), pg_sleep(0.02) FROM pg_stat_activity WHERE backend_type = 'client backend'")
        most.append(cursor.fetchone()[0])
    close_old_connections()  # as Django does at the end of each request
    answered.append(1)

threads = [threading.Thread(target=request) for _ in range({REQUESTS})]
for each in threads:
    each.start()
for each in threads:
    each.join()
print(len(answered), max(most), connection.settings_dict["OPTIONS"]["application_name"])
connection.close_pool()
"""


def test_requests_wait_for_a_connection_of_the_few(tmp_path: Path, repo_root: Path) -> None:
    with private_postgresql.running() as url:
        environment = {
            **os.environ,
            "DATABASE_URL": f"{url}?application_name=waterline",
            "WATERLINE_CONNECTIONS": str(CONNECTIONS),
            "WATERLINE_VAR": str(tmp_path),
        }
        run = subprocess.run(
            [sys.executable, "-c", PROGRAM],
            cwd=repo_root,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
    assert run.returncode == 0, run.stderr
    answered, most, name = run.stdout.split()
    assert int(answered) == REQUESTS
    assert 1 < int(most) <= CONNECTIONS
    assert name == "waterline"
