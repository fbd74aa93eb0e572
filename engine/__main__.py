"""The engine's command line: `python -m engine COMMAND ...`."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence

COMMANDS = {
    "inspect": "engine.inspect.command",
}
"""The module that each command is in; its `main` takes the arguments and returns the exit status."""


def main(argv: Sequence[str]) -> int:
    """Run a command.

    Args:
        argv: the command's name and its arguments.
    """
    if not argv or argv[0] not in COMMANDS:
        sys.stderr.write(f"usage: python -m engine {{{','.join(COMMANDS)}}} ...\n")
        return 0 if argv in (["-h"], ["--help"]) else 2
    status: int = importlib.import_module(COMMANDS[argv[0]]).main(argv[1:])
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
