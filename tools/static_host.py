"""The edition for static hosts, and such a host on the loopback address: gzipped files that browsers may keep."""

from __future__ import annotations

import gzip
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

from tools.prepared import content_of, fill
from tools.wasm import MADE_FROM as ENGINE_MADE_FROM

ROOT: Final = Path(__file__).resolve().parent.parent
GZIPPED: Final = {".html", ".css", ".js", ".mjs", ".json", ".svg", ".wasm", ".csv", ".txt"}
"""Suffixes of what hosts compress; archives, fonts and pictures are small already."""
MADE_FROM: Final = (*ENGINE_MADE_FROM, "docs", "static")
"""What decides how the edition looks: what the engine in it is made of, texts and scripts."""
KEPT_S: Final = 600
"""How long browsers may keep a file without asking again: as GitHub Pages sets it."""


def build(out: Path, *, tiny: bool) -> None:
    """Write the edition as `make static` does; a tiny one has only the pages of sessions, and a heatmap.

    A run of tests makes once what is made from the same.
    """
    kind = "tiny" if tiny else "whole"
    fill(out, lambda: f"edition-{kind}-{content_of(ROOT, MADE_FROM)}", partial(_build, tiny=tiny))


def _build(out: Path, *, tiny: bool) -> None:
    for module, *options in (
        ("tools.wasm", "--out", str(out / "wasm")),
        ("playground.static_edition", str(out), *(("--tiny",) if tiny else ())),
    ):
        subprocess.run([sys.executable, "-m", module, *options], cwd=ROOT, check=True, stdout=subprocess.PIPE)


@cache
def sent(path: Path) -> bytes:
    """Return the bytes that the host sends for a file."""
    data = path.read_bytes()
    return gzip.compress(data, 6) if path.suffix in GZIPPED else data


class Host:
    """Where the files are available, and how many bytes of them were sent so far."""

    def __init__(self, folder: Path) -> None:
        self.sent_bytes = 0
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Files, host=self, directory=str(folder)))
        self.url = f"http://127.0.0.1:{self.server.server_port}/"


class _Files(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def __init__(self, *given: Any, host: Host, **named: Any) -> None:
        self.host = host
        super().__init__(*given, **named)

    def do_GET(self) -> None:
        """Send a file; of a folder, its index."""
        path = Path(self.translate_path(self.path))
        if path.is_dir() and self.path.partition("?")[0].endswith("/"):
            path /= "index.html"
        if not path.is_file():
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        data = sent(path)
        self.host.sent_bytes += len(data)
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", self.guess_type(path.name))
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Cache-Control", f"max-age={KEPT_S}")
        if path.suffix in GZIPPED:
            self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name that the library gives it
        """Log nothing."""


@contextmanager
def serving(folder: Path) -> Iterator[Host]:
    """Serve a folder until the block ends."""
    host = Host(folder)
    thread = threading.Thread(target=host.server.serve_forever, daemon=True)
    thread.start()
    try:
        yield host
    finally:
        host.server.shutdown()
        host.server.server_close()
        thread.join()
