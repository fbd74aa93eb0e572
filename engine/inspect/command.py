"""`python -m engine inspect DIR`: decode a data directory, and say in words what is damaged in it."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from engine.damage import ReadingOptions
from engine.inspect.directory_kinds import inspect, kind_of
from engine.storage.directory import DirectoryStorage
from engine.values.settings import USUAL_ENTRY_COUNT


def lines(report: dict[str, Any]) -> Iterator[str]:
    """Yield a report of `inspect` line by line."""
    kind = report["kind"]
    if kind == "node":
        for vhost in report["vhosts"]:
            yield from _vhost(vhost)
    elif kind == "vhost":
        yield from _vhost(report)
    elif kind == "queue":
        yield from _queue(report, "")
    elif kind == "store":
        yield from _store(report, "")
    damage = report["damage"]
    yield ""
    yield f"{len(damage)} findings" if damage else "No damage found."
    for each in damage:
        where = each["file"] if each["offset"] is None else f"{each['file']} at {each['offset']}"
        yield f"  {each['kind']}: {where}: {each['words']}"


def _vhost(report: dict[str, Any]) -> Iterator[str]:
    older = f", no .config as in {report['release']}" if report["release"] else ""
    yield f"virtual host {report['vhost']!r}, {report['segment_entry_count']} entries in a segment{older}"
    for queue in report["queues"]:
        yield from _queue(queue, "  ")
    for store in report["stores"]:
        yield from _store(store, "  ")


def _queue(queue: dict[str, Any], indent: str) -> Iterator[str]:
    lasting = queue["lasting_messages"]
    lost = queue["live_messages"] - lasting
    besides = f", and {lost} transient that a start drops" if lost else ""
    yield f"{indent}queue {queue['name']!r} in {queue['dir'] or '.'}: {lasting} live messages{besides}"
    for each in queue["segments"]:
        yield (
            f"{indent}  {each['file']}: {each['size']} bytes, {each['publishes']} publishes, "
            f"{each['del_or_ack']} delivers and acks"
        )
    journal = queue["journal"]
    if journal is not None:
        yield (
            f"{indent}  journal.jif: {journal['size']} bytes, {journal['records']} records, "
            f"{journal['trailing_bytes']} bytes behind them"
        )
    for message in queue["messages"]:
        state = "acked" if message["acked"] else "delivered" if message["delivered"] else "published"
        home = f"embedded in {message['embedded_bytes']}" if message["embedded_bytes"] else "in a store"
        lasting = "persistent" if message["persistent"] else "transient"
        yield (
            f"{indent}    seq {message['seq']}: {lasting}, {message['size']} bytes, {home}, {state}, "
            f"id {message['msg_id']}"
        )


def _store(store: dict[str, Any], indent: str) -> Iterator[str]:
    stop = "stopped cleanly" if store["clean_dot"] else "no clean stop"
    yield f"{indent}store {store['dir'] or '.'}: {stop}"
    for each in store["files"]:
        yield f"{indent}  {each['file']}: {each['size']} bytes, {each['entries']} records"
        for record in each.get("list", ()):
            body = record["body"]
            content = f"body of {body['body_length']} bytes" if body else "no message"
            yield f"{indent}    {record['offset']}: {record['total_size']} bytes, {content}, id {record['msg_id']}"


EVERYTHING = 1 << 62


def report_on(place: Path, options: ReadingOptions) -> dict[str, Any]:
    """Return the report on a directory; a queue's `.config` is looked for two levels above it."""
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
