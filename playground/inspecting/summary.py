"""A report on files and the state after a start, as rows of a page."""

from __future__ import annotations

from typing import Any, Final

from playground.inspecting.revival import Revival
from playground.inspecting.uploads import Files

HEX_BYTES: Final = 256
SHOWN: Final = 40
"""Messages of one queue that a page lists."""


def queues_of(report: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what is told of each queue, in whatever was given."""
    if report["kind"] == "queue":
        return [report]
    hosts = report.get("vhosts", [report])
    return [queue for host in hosts for queue in host.get("queues", [])]


def stores_of(report: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what is told of each store."""
    if report["kind"] == "store":
        return [report]
    hosts = report.get("vhosts", [report])
    return [store for host in hosts for store in host.get("stores", [])]


def queue_rows(report: dict[str, Any], revival: Revival | None) -> list[dict[str, Any]]:
    """Return a row for each queue: its segments, its live records, and how many a start brings back."""
    rows = []
    for queue in queues_of(report):
        back = None
        own = str(queue["name"] or queue["dir"])
        if revival is not None and revival.state is not None and own in revival.names:
            back = revival.state["queues"][revival.names[own]]["counters"]["len"]
        rows.append(
            {
                "name": own,
                "live": queue["live_messages"],
                "back": back,
                "gone": None if back is None else queue["live_messages"] - back,
                "journal": queue["journal"],
                "segments": queue["segments"],
                "messages": queue["messages"][:SHOWN],
            }
        )
    return rows


def store_rows(report: dict[str, Any], revival: Revival | None) -> list[dict[str, Any]]:
    """Return a row for each store file: records, and what of it is alive after a start."""
    rows = []
    for store in stores_of(report):
        side = "transient" if "transient" in store["dir"] else "persistent"
        alive = _alive(revival, side)
        for file in store["files"]:
            number = int(file["file"].split(".")[0])
            live = alive.get(number, (0, 0)) if alive is not None else None
            garbage = None if live is None else max(0, file["size"] - live[1])
            share = None if garbage is None or not file["size"] else round(100 * garbage / file["size"])
            rows.append(
                {
                    "store": side,
                    "file": file["file"],
                    "size": file["size"],
                    "entries": file["entries"],
                    "live": None if live is None else live[0],
                    "garbage": garbage,
                    "share": share,
                }
            )
    return rows


def _alive(revival: Revival | None, side: str) -> dict[int, tuple[int, int]] | None:
    """Return messages and bytes that live in each file after the start, which may have deleted files."""
    if revival is None or revival.state is None:
        return None
    found: dict[int, tuple[int, int]] = {}
    for _start, count, refs, file, _offset, record_bytes, _step in revival.state["stores"][side]["rows"]:
        if refs:
            messages, size = found.get(file, (0, 0))
            found[file] = messages + count, size + count * record_bytes
    return found


def damage_rows(report: dict[str, Any], files: Files) -> list[dict[str, Any]]:
    """Return each finding, with the bytes that it begins at."""
    rows = []
    for each in report["damage"][:100]:
        data = files.get(each["file"])
        at = each["offset"] or 0
        rows.append({**each, "hex": dump(data, max(0, at - 32)) if data else ""})
    return rows


def file_rows(files: Files) -> list[dict[str, Any]]:
    """Return every file with its first bytes."""
    return [
        {"path": path, "size": len(data), "hex": dump(data, 0)} for path, data in sorted(files.items())[:200]
    ]


def dump(data: bytes, begin: int) -> str:
    """Return some bytes as lines of an offset, sixteen bytes, and what of them can be read."""
    lines = []
    for at in range(begin, min(len(data), begin + HEX_BYTES), 16):
        part = data[at : at + 16]
        text = "".join(chr(each) if 32 <= each < 127 else "." for each in part)
        lines.append(f"{at:08x}  {part.hex(' '):<47}  {text}")
    return "\n".join(lines)
