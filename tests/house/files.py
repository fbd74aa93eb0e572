"""What a clone would hold, such a clone, and whether a server that was started answers."""

from __future__ import annotations

import shutil
import subprocess
import time
import urllib.request
from pathlib import Path


def repository_files(root: Path) -> list[Path]:
    """Return the files that a clone would hold, new ones included, relative to the root."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout
    return [Path(name) for name in listed.split("\0") if name and (root / name).is_file()]


def copy_repository(root: Path, place: Path) -> None:
    """Copy what a clone would hold, and beside each module its compiled forms: those depend on nothing else."""
    for name in repository_files(root):
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(root / name, place / name, follow_symlinks=False)
        if name.suffix == ".py":
            copy_compiled(root / name, place / name)


def copy_compiled(module: Path, copy: Path) -> None:
    """Copy what Python, and pytest, compiled of a module; the time of the copied source must be the same."""
    for compiled in (module.parent / "__pycache__").glob(f"{module.stem}.*.pyc"):
        (copy.parent / "__pycache__").mkdir(exist_ok=True)
        shutil.copy2(compiled, copy.parent / "__pycache__")


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
