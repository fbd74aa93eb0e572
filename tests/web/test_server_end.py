"""The server ends soon after it was asked to, whatever strangers make it do."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
import urllib.request
from pathlib import Path
from typing import Final

import pytest

from playground.hosting.pool import CAN_FORK
from playground.server import serve
from playground.sessions import live_hosts
from tests.helpers.busy_links import busy_link, link_of
from tests.helpers.patience import PATIENCE_S
from tools import live_server

ENDS_S: Final = 10.0
COUNT: Final = 50_000
"""Messages that differ, in one event: seconds of work that nothing but the end of its process interrupts."""


def test_files_go_where_the_server_cannot_wait_for_its_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    codes: list[int] = []
    monkeypatch.setattr(os, "_exit", codes.append)
    directory = live_hosts.registry().directory
    serve._leave()
    assert codes == [0]
    assert not directory.path.exists()


@pytest.mark.skipif(not CAN_FORK, reason="processes for jobs are forked on Linux alone")
def test_it_ends_in_the_middle_of_jobs(tmp_path: Path) -> None:
    live_server.prepare(tmp_path)
    server = live_server.start(tmp_path, seconds=3 * PATIENCE_S)
    answers: list[int] = []

    def draw(link: str, at_us: int) -> None:
        address = f"{server.url}/x/{link}/card.png?at={at_us}"
        with contextlib.suppress(OSError), urllib.request.urlopen(address) as answer:
            answers.append(answer.status)

    try:
        draw(link_of(), 0)  # the processes are there
        assert answers == [200]
        busy = busy_link(COUNT)
        threads = [threading.Thread(target=draw, args=(busy, at_us), daemon=True) for at_us in range(1, 5)]
        for each in threads:
            each.start()
        time.sleep(1)
        server.process.send_signal(signal.SIGTERM)
        server.process.wait(ENDS_S)
        assert answers == [200], "they were in the middle"
        assert list(tmp_path.glob("sessions/process-*")) == []
    except subprocess.TimeoutExpired:
        pytest.fail(f"the server is still there after {ENDS_S} s")
    finally:
        live_server.stop(server)
