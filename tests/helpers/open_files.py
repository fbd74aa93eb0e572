"""Which files this process has open."""

from pathlib import Path


def open_files(below: Path) -> list[str]:
    """Return the files below a directory that this process has open."""
    found = []
    for handle in Path("/proc/self/fd").iterdir():
        try:
            target = str(handle.readlink())
        except OSError:
            continue
        if target.startswith(str(below)) and ".lock" not in target:
            found.append(target)
    return found
