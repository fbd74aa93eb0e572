"""`python -m sweeps.worker`: runs cells as they come, one JSON line each, and answers with their rows.

A process of its own, so that whoever asked can bound it, and end it in the middle of a cell.
"""

from __future__ import annotations

import sys

import msgspec

from sweeps.cell import Cell, run_cell


def main() -> int:
    """Answer every line until there are no more."""
    for line in sys.stdin.buffer:
        sys.stdout.buffer.write(
            msgspec.json.encode(run_cell(msgspec.json.decode(line, type=Cell), "")) + b"\n"
        )
        sys.stdout.buffer.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
