"""`python -m engine inspect DIR`: decode a data directory and name what is damaged in it."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from engine.damage.reading import ReadingOptions
from engine.inspect.directory_kinds import inspect, kind_of
from engine.inspect.words import lines
from engine.storage.directory import DirectoryStorage
from engine.values.entries import USUAL_ENTRY_COUNT

EVERYTHING = 1 << 62


def report_on(place: Path, options: ReadingOptions) -> dict[str, Any]:
    """Return the report on a directory; a queue's `.config` is looked for two levels above it.

    Args:
        place: an existing directory.
        options: how much to report.
    """
    place = place.resolve()
    storage = DirectoryStorage(str(place))
    vhost = place.parent.parent
    if (
        options.entry_count is None
        and kind_of(storage) == "queue"
        and place.parent.name == "queues"
        and (vhost / ".config").is_file()
    ):
        return inspect(DirectoryStorage(str(vhost)), options, f"queues/{place.name}")
    return inspect(storage, options)


def main(argv: Sequence[str]) -> int:
    """Print the report; return 0 when there is no damage, 1 when there is, 2 when there is nothing to read."""
    parser = argparse.ArgumentParser(prog="python -m engine inspect", description=__doc__)
    parser.add_argument("directory", type=Path, help="a queue, a message store, a virtual host or a node")
    parser.add_argument("--json", action="store_true", help="print JSON with the names of the manifests")
    parser.add_argument("--all", action="store_true", help="list every record and message, however many")
    parser.add_argument(
        "--segment-entry-count", type=int, metavar="N", help="entries in a segment; without it, .config's"
    )
    options = parser.parse_args(argv)
    entry_count = options.segment_entry_count
    if entry_count is not None and not 1 <= entry_count <= USUAL_ENTRY_COUNT:
        parser.error(f"--segment-entry-count: from 1 to {USUAL_ENTRY_COUNT}")
    place: Path = options.directory
    if not place.is_dir():
        sys.stderr.write(
            f"inspect: {place} is no directory; give that of a queue, a store, a vhost or a node\n"
        )
        return 2
    how = ReadingOptions(EVERYTHING if options.all else ReadingOptions().list_most, entry_count)
    try:
        report = report_on(place, how)
    except OSError as error:
        sys.stderr.write(f"inspect: {error}\n")
        return 2
    if options.json:
        sys.stdout.write(json.dumps(report, indent=1) + "\n")
    else:
        sys.stdout.write("\n".join(lines(report)) + "\n")
    if report["kind"] is None:
        return 2
    return 1 if report["damage"] else 0
