"""python -m tests.fuzz.claimed: open files whose records claim huge sizes, with little memory to be had.

Memory that the system refuses is noticed for certain, and opening takes a fifth of the time that it takes while each
allocation is traced. It is a process of its own, as the bound is one of the whole process.
"""

from __future__ import annotations

import resource
import sys
from pathlib import Path
from random import Random

from tests.fuzz.damage import TEMPTING
from tests.fuzz.running import inspected, opened, real_files

RECORDINGS = Path(__file__).resolve().parents[1] / "recordings"
MOST_BYTES = 64 * 1024 * 1024
TIMES = 3
"""In how many places of each file each piece is written."""


def bound() -> None:
    """Let this process take `MOST_BYTES` more than it has."""
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    _soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + MOST_BYTES, hard))


def bound_holds() -> bool:
    """Return whether memory beyond the bound is refused; what was given back since then can be had again."""
    try:
        return not bytearray(2 * MOST_BYTES)
    except MemoryError:
        return True


def main() -> int:
    """Open everything; return 0 only where no claimed size was believed."""
    files = real_files(RECORDINGS, 1)
    bound()
    tried, believed = 0, []
    for piece in TEMPTING:
        chance = Random(1)
        for path in sorted(files):
            for _ in range(TIMES):
                at = chance.randint(0, len(files[path]))
                changed = {**files, path: files[path][:at] + piece + files[path][at + len(piece) :]}
                try:
                    inspected(changed)
                    opened(changed)
                except MemoryError:
                    believed.append(f"{piece.hex()[:16]} at {at} of {path}")
                tried += 1
    print(
        f"{tried} files opened, the bound {'holds' if bound_holds() else 'does not hold'}",
        *believed,
        sep="\n",
    )
    return 1 if believed else 0


if __name__ == "__main__":
    sys.exit(main())
