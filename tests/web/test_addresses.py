"""Where visitors and pages come from: proxies' headers, origins with ports, the access log, who may read files."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from daphne.access import AccessLogGenerator

from playground.limits.request_callers import LastHop, without_addresses
from playground.sessions.session_sockets import is_ours

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("lines", "proxies", "address"),
    [
        ([], 1, "127.0.0.1"),
        (["203.0.113.9"], 1, "203.0.113.9"),
        (["1.2.3.4, 203.0.113.9"], 1, "203.0.113.9"),
        (["1.2.3.4", "5.6.7.8,203.0.113.9"], 1, "203.0.113.9"),
        (["1.2.3.4, 203.0.113.9, 10.0.0.1"], 2, "203.0.113.9"),
        (["203.0.113.9"], 2, "203.0.113.9"),
        ([" , "], 1, "127.0.0.1"),
    ],
)
async def test_a_visitor_cannot_invent_an_address(lines: list[str], proxies: int, address: str) -> None:
    seen: list[Any] = []

    async def application(scope: Any, receive: Any, send: Any) -> None:
        seen.append(scope["client"][0])

    headers = [(b"host", b"x"), *((b"x-forwarded-for", line.encode()) for line in lines)]
    await LastHop(application, proxies)({"client": ["127.0.0.1", 9], "headers": headers}, None, None)
    assert seen == [address]


def test_the_access_log_names_no_addresses() -> None:
    out = io.StringIO()
    logger = without_addresses(AccessLogGenerator(out))
    assert logger is not None
    details = {
        "client": "203.0.113.9:5",
        "method": "GET",
        "path": "/",
        "status": 200,
        "size": 5,
        "time_taken": 1,
    }
    logger("http", "complete", details)
    logger("websocket", "connected", details)
    assert out.getvalue().count("- - - [") == 2
    assert "203" not in out.getvalue().replace("2026", "")


@pytest.mark.parametrize(
    ("origin", "host", "ours"),
    [
        ("http://localhost:8000", "localhost:8000", True),
        ("http://localhost", "localhost:80", True),
        ("https://localhost", "localhost", True),
        ("http://localhost:9000", "localhost:8000", False),
        ("http://localhost", "localhost:8000", False),
        ("http://127.0.0.1:8000", "localhost:8000", False),
        ("http://evil.example", "evil.example", False),
        ("http://[::1]:8000", "[::1]:8000", True),
        ("http://localhost:99999", "localhost:8000", False),
        ("null", "localhost", False),
        ("", "localhost", False),
        ("", "", False),
        ("https://school.example", "127.0.0.1:8000", True),
    ],
)
def test_an_origin_is_a_host_and_a_port(settings: Any, origin: str, host: str, ours: bool) -> None:
    settings.ALLOWED_HOSTS = ["localhost", "127.0.0.1", "[::1]"]
    settings.CSRF_TRUSTED_ORIGINS = ["https://school.example"]
    assert is_ours(origin, host) is ours


SERVE = """
import os, runpy, sys
from daphne.cli import CommandLineInterface
CommandLineInterface.entrypoint = classmethod(lambda cls: print(oct(os.umask(0))))
runpy.run_module("playground.server.serve", run_name="__main__")
"""


def test_what_the_server_writes_is_its_own() -> None:
    env = {**os.environ, "DJANGO_SETTINGS_MODULE": "playground.settings"}
    run = subprocess.run(
        [sys.executable, "-c", SERVE], cwd=ROOT, env=env, capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "0o77"
