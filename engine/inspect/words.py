"""A report as lines of text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def lines(report: dict[str, Any]) -> Iterator[str]:
    """Yield a report line by line.

    Args:
        report: as `inspect` returns it.
    """
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
