"""The engine's command line: `python -m engine inspect ...`."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from engine.inspect import command


def main(argv: Sequence[str]) -> int:
    """Run a command. `argv`: the command's name and its arguments."""
    if argv and argv[0] == "inspect":
        return command.main(argv[1:])
    sys.stderr.write("usage: python -m engine {inspect} ...\n")
    return 0 if argv in (["-h"], ["--help"]) else 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
