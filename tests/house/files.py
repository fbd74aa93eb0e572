"""What a clone would hold, and whether a server that was started answers."""

from __future__ import annotations

import subprocess
import time
import urllib.request
from pathlib import Path


def repository_files(root: Path) -> list[Path]:
    """Return the files that a clone would hold, new ones included, relative to the root."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout
    return [Path(name) for name in listed.split("\0") if name and (root / name).is_file()]


def first_page(url: str, server: subprocess.Popen[bytes], most_seconds: float = 120) -> str:
    """Wait until a server answers; return what it says, or nothing where it ended or the time ran out."""
    ends = time.monotonic() + most_seconds
    while time.monotonic() < ends and server.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=5) as page:
                return str(page.read(), "utf-8")
        except OSError:
            time.sleep(0.3)
    return ""
