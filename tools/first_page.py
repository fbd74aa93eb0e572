"""What somebody does first: `make run` in a clone, until the first page is there with its style; then Ctrl-C.

Usage: python3 -m tools.first_page [--seconds 900]; needs nothing but Python, as the environment is made by `make run`.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from urllib.parse import urljoin

from tools.free_port import free_port
from tools.live_server import ROOT, wait_until_it_answers

MOST_SECONDS = 900
"""For packages over a slow line, the translations, the scenarios and the static files."""
STOP_SECONDS = 30
STYLE = re.compile(r'<link rel="stylesheet" href="([^"]+)"')


def read(url: str) -> str:
    """Return what is at an address, or raise OSError."""
    with urllib.request.urlopen(url, timeout=30) as answer:
        return str(answer.read(), "utf-8")


def visit(url: str) -> None:
    """Read the first page and its style sheets.

    Raises:
        RuntimeError: it is not Waterline's page, or names no style sheet.
        OSError: one of them is not there.
    """
    page = read(url)
    styles = STYLE.findall(page)
    if "Waterline" not in page or not styles:
        raise RuntimeError(f"{url} is not Waterline's first page:\n{page[:1000]}")
    for style in styles:
        read(urljoin(url, style))


def interrupt(run: subprocess.Popen[bytes]) -> None:
    """Press Ctrl-C, which reaches make and the server alike.

    Raises:
        RuntimeError: something of it goes on for longer than a server that ends needs.
    """
    with contextlib.suppress(ProcessLookupError):  # it failed before
        os.killpg(run.pid, signal.SIGINT)
    ends = time.monotonic() + STOP_SECONDS
    while time.monotonic() < ends:
        run.poll()
        try:
            os.killpg(run.pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    raise RuntimeError(f"`make run` goes on {STOP_SECONDS} s after Ctrl-C")


def first_page(root: Path, seconds: float) -> None:
    """Start the app by `make run`, look at its first page, and stop it.

    Args:
        root: of the clone.
        seconds: how long the page may take.

    Raises:
        RuntimeError: it did not come, is not the right one, or the server did not end.
        OSError: a style sheet of it is not there.
    """
    port = free_port()
    url = f"http://127.0.0.1:{port}/"
    with tempfile.NamedTemporaryFile(prefix="make-run-", suffix=".log") as log:
        run = subprocess.Popen(
            ["make", "--no-print-directory", "run", f"PORT={port}"],
            cwd=root,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            wait_until_it_answers(url, run, Path(log.name), seconds)
            visit(url)
        finally:
            interrupt(run)
        printed = Path(log.name).read_text(encoding="utf-8", errors="replace")
    if "Traceback" in printed:
        raise RuntimeError(f"The server failed:\n{printed[-3000:]}")


def main() -> int:
    """Return 0 if the first page came, else say why not."""
    parser = argparse.ArgumentParser(prog="python3 -m tools.first_page", description=__doc__)
    parser.add_argument("--seconds", type=float, default=MOST_SECONDS, help="how long the page may take")
    seconds = parser.parse_args().seconds
    began = time.monotonic()
    # A shell lets what it starts in the background ignore Ctrl-C, and so would the server.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        first_page(ROOT, seconds)
    except (RuntimeError, OSError) as failed:
        print(f"make run: {failed}")
        return 1
    print(f"make run: the first page answers, {time.monotonic() - began:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
