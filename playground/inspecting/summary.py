"""A report on files and the state after a start, as rows of a page."""

from __future__ import annotations

from typing import Any, Final

from engine.releases import RELEASES
from playground.inspecting.readout import has_old_store
from playground.inspecting.revival import QueueRevival
from playground.inspecting.uploads import Files

HEX_BYTES: Final = 256
MOST_DAMAGE: Final = 100
TOTALS: Final = (
    "live",
    "back",
    "listed",
    "unreadable",
    "expired",
    "gone",
    "transient",
    "no_content",
    "delivered",
    "redelivered",
    "crashes",
    "segments",
)
MOST_LISTED: Final = 200
"""Files that are named one by one."""


def queues_of(report: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the summary of each queue, whatever kind of directory was given."""
    if report["kind"] == "queue":
        return [report]
    hosts = report.get("vhosts", [report])
    return [queue for host in hosts for queue in host.get("queues", [])]


def stores_of(report: dict[str, Any]) -> list[dict[str, Any]]:
    if report["kind"] == "store":
        return [report]
    hosts = report.get("vhosts", [report])
    return [store for host in hosts for store in host.get("stores", [])]


def release_of(report: dict[str, Any]) -> str | None:
    """Return the series of the release that wrote the files, None for the usual one (V6, W94, W160)."""
    vhosts = report["vhosts"] if report["kind"] == "node" else [report]
    found: str | None = vhosts[0].get("release") if vhosts else None
    return found


def is_believed(report: dict[str, Any]) -> bool:
    """Return whether a real start believes what a clean stop saved, and looks into no store file (S206)."""
    hosts = report["vhosts"] if report["kind"] == "node" else [report]
    return bool(hosts) and bool(hosts[0].get("believed"))


def whole_name(own: str) -> tuple[str, int | None]:
    """Return the name of a queue and the priority of its part, which a broker writes as a byte behind a zero."""
    return (own[:-2], ord(own[-1])) if own[-2:-1] == "\0" else (own, None)


def in_whole(rows: list[dict[str, Any]], totals: tuple[str, ...]) -> list[dict[str, Any]]:
    """Return the rows of queues, those of a priority queue's parts as one.

    Args:
        rows: each with a `name`.
        totals: what is added up; None of a part makes it None, and any other value is that of the first part.
    """
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        name, priority = whole_name(row["name"])
        if priority is None:
            found[row["name"]] = row
            continue
        whole = found.get(name)
        if whole is None:
            found[name] = {**row, "name": name, "parts": 1}
            continue
        whole["parts"] += 1
        for each in totals:
            whole[each] = None if None in (whole[each], row[each]) else whole[each] + row[each]
    return list(found.values())


def queue_rows(report: dict[str, Any], revival: QueueRevival | None) -> list[dict[str, Any]]:
    """Return a row for each queue: segments, live records, how many a start brings back, and why not the others."""
    in_store = {
        record["msg_id"]
        for store in stores_of(report)
        for file in store["files"]
        for record in file.get("list", ())
    }
    believed = is_believed(report)
    rows = []
    for queue in queues_of(report):
        own = str(queue["name"] or queue["dir"])
        found = revival.found.get(own) if revival is not None else None
        back = found and found.back
        live = [each for each in queue["messages"] if not each["acked"]]
        whole = len(live) == queue["live_messages"]
        lasting = [each for each in live if each["persistent"]]
        no_content = [
            each for each in lasting if not each["embedded_bytes"] and each["msg_id"] not in in_store
        ]
        rows.append(
            {
                "name": own,
                "dir": queue["dir"],
                "version": queue.get("version", 1),
                "live": queue["lasting_messages"],
                "back": back,
                "listed": found.count if found and believed else None,
                "unreadable": (found.count or 0) - found.given if found and believed else None,
                "expired": found.expired if found else None,
                "ends": found.end if found else None,
                "gone": None
                if found is None or back is None
                else max(0, queue["lasting_messages"] - back - found.expired),
                "transient": len(live) - len(lasting) if whole else None,
                "no_content": len(no_content) if whole else None,
                "delivered": sum(each["delivered"] for each in lasting) if whole else None,
                "redelivered": found and found.redelivered,
                "crashes": found and found.crashes,
                "journal": queue["journal"]
                and {name: queue["journal"][name] for name in ("size", "records")},
                "segments": [
                    {name: each.get(name) for name in ("file", "size", "publishes", "del_or_ack", "live")}
                    for each in queue["segments"]
                ],
            }
        )
    return in_whole(rows, TOTALS)


def store_rows(report: dict[str, Any], revival: QueueRevival | None) -> list[dict[str, Any]]:
    """Return a row for each store file, by cost: records, and what of it is alive and what garbage after a start.

    First are the files whose pins keep the most garbage on the disk.
    `size` is that of the file as given, `after` the size that a start leaves: 0 where it deletes it.
    """
    owners = _owners(report)
    rows = []
    for store in stores_of(report):
        side = "transient" if "transient" in store["dir"] else "persistent"
        alive, left = _alive(revival, side), _left(revival, side)
        for file in store["files"]:
            number = int(file["file"].split(".")[0])
            live = alive.get(number, (0, 0)) if alive is not None else None
            after, valid = left.get(number, (0, 0)) if left is not None else (None, 0)
            garbage = None if after is None else after - valid
            share = round(100 * garbage / after) if after and garbage is not None else None
            rows.append(
                {
                    "store": side,
                    "file": file["file"],
                    "size": file["size"],
                    "after": after,
                    "entries": file["entries"],
                    "live": None if live is None else live[0],
                    "garbage": garbage,
                    "share": share,
                    "pins": _pins_of(file, owners),
                }
            )
    return sorted(rows, key=lambda row: -(row["garbage"] or 0))


def collector_row(series: str, stores: list[dict[str, Any]]) -> dict[str, int] | None:
    """Return what the collector of 4.x has not come to, None where the release has another, or there is no garbage.

    It compacts each file of which less than half is alive, one after the other, and leaves the others alone (W141).

    Args:
        series: of the release that wrote the files.
        stores: rows as `store_rows` returns them.

    Returns:
        `files` and `bytes` of garbage that wait for it, and `kept`: bytes of garbage in files that it leaves alone.
    """
    known = [row for row in stores if row["after"] and row["garbage"]]
    if has_old_store(RELEASES[series].profiles["real"]) or not known:
        return None
    due = [row for row in known if 2 * row["garbage"] > row["after"]]
    garbage = sum(row["garbage"] for row in due)
    return {"files": len(due), "bytes": garbage, "kept": sum(row["garbage"] for row in known) - garbage}


def _owners(report: dict[str, Any]) -> dict[str, list[tuple[str, int]]]:
    """Return for each message id the queues that need its record after a start, with their seq_ids."""
    owners: dict[str, list[tuple[str, int]]] = {}
    for queue in queues_of(report):
        for each in queue["messages"]:
            if each["persistent"] and not each["acked"] and not each["embedded_bytes"]:
                owners.setdefault(each["msg_id"], []).append(
                    (whole_name(str(queue["name"] or queue["dir"]))[0], each["seq"])
                )
    return owners


def _pins_of(file: dict[str, Any], owners: dict[str, list[tuple[str, int]]]) -> list[dict[str, Any]] | None:
    """Return the pins of a store file; None where its records are neither listed nor counted."""
    if "pins" in file:
        found: dict[str, dict[str, Any]] = {}
        for each in file["pins"]:
            own = whole_name(each["queue"])[0]
            other = found.get(own, {"count": 0, "first": each["first"], "last": each["last"]})
            found[own] = {
                "queue": own,
                "count": other["count"] + each["count"],
                "first": min(other["first"], each["first"]),
                "last": max(other["last"], each["last"]),
            }
        return sorted(found.values(), key=lambda each: each["count"])
    return _pins(file, owners) if file["entries"] == len(file.get("list", ())) else None


def _pins(file: dict[str, Any], owners: dict[str, list[tuple[str, int]]]) -> list[dict[str, Any]]:
    """Return the queues whose messages keep a store file from being deleted, each with the first and last of them."""
    found: dict[str, list[int]] = {}
    for record in file["list"]:
        for queue, seq in owners.get(record["msg_id"], ()):
            found.setdefault(queue, []).append(seq)
    return [
        {"queue": queue, "count": len(seqs), "first": min(seqs), "last": max(seqs)}
        for queue, seqs in sorted(found.items(), key=lambda each: len(each[1]))
    ]


def stop_row(report: dict[str, Any], files: Files) -> dict[str, Any] | None:
    """Return what a clean stop left, or None where there is nothing of it.

    `clean`: whether all of it is there. The files of `compared` are checked against the rest, those of `ignored` are
    not read.
    """
    left = sorted(path for path in files if path.endswith((".ets", ".dets", "clean.dot")))
    if not left:
        return None
    stores = stores_of(report)
    whole = all(
        each["clean_dot"] and each["file_summary"] is not None and each["index_rows"] is not None
        for each in stores
    )
    return {
        "clean": bool(stores) and whole and (report["kind"] == "store" or is_believed(report)),
        "compared": left,
    }


def unowned_rows(report: dict[str, Any]) -> list[dict[str, Any]]:
    """Return for each store the bodies that belong to no message of any index, where there are some."""
    return [
        {"store": each["dir"].rpartition("/")[2], **each["unowned"]}
        for each in stores_of(report)
        if each.get("unowned", {}).get("count")
    ]


def _alive(revival: QueueRevival | None, side: str) -> dict[int, tuple[int, int]] | None:
    """Return messages and bytes that live in each file after the start, which may have deleted files."""
    if revival is None or revival.state is None or side not in revival.state["stores"]:
        return None
    found: dict[int, tuple[int, int]] = {}
    for _start, count, refs, file, _offset, record_bytes, _step in revival.state["stores"][side]["rows"]:
        if refs:
            messages, size = found.get(file, (0, 0))
            found[file] = messages + count, size + count * record_bytes
    return found


def _left(revival: QueueRevival | None, side: str) -> dict[int, tuple[int, int]] | None:
    """Return the size and the valid bytes of each file that a start leaves, as the page's map of the store has them."""
    if revival is None or revival.state is None or side not in revival.state["stores"]:
        return None
    return {number: (size, valid) for number, size, valid, *_ in revival.state["stores"][side]["files"]}


def damage_rows(report: dict[str, Any], files: Files) -> list[dict[str, Any]]:
    """Return each finding, with the bytes that it begins at."""
    rows = []
    for each in report["damage"][:MOST_DAMAGE]:
        data = files.get(each["file"])
        begin = max(0, (each["offset"] or 0) - 32)
        rows.append({**each, "hex": dump(data[begin : begin + HEX_BYTES], begin) if data else ""})
    return rows


def file_rows(files: Files) -> list[dict[str, Any]]:
    """Return every file with its first bytes."""
    return [
        {"path": path, "size": len(data), "hex": dump(data[:HEX_BYTES], 0)}
        for path, data in sorted(files.items())[:MOST_LISTED]
    ]


def dump(data: bytes, begin: int) -> str:
    """Return bytes as lines of an offset, sixteen bytes, and what of them can be read.

    Args:
        data: the bytes.
        begin: offset of the first one in its file.
    """
    lines = []
    for at in range(0, len(data), 16):
        part = data[at : at + 16]
        text = "".join(chr(each) if 32 <= each < 127 else "." for each in part)
        lines.append(f"{begin + at:08x}  {part.hex(' '):<47}  {text}")
    return "\n".join(lines)
