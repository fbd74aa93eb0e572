"""A report on files as rows of a page, and an upgrade rehearsed: another release starts on a copy of a directory.

The files are those of a node that stopped without a word, as a copy of a running one is; each release starts on them as
the engine plays it, and once more on what an orderly stop makes of them, which comes before an upgrade. A start is
played and counted: the messages in their order, the files, and the work.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import msgspec

from engine.backing_queue.stores import CLEAN
from engine.broker.cluster import Cluster
from engine.releases import REFERENCE, RELEASES
from playground.inspecting import next_release
from playground.inspecting.readout import (
    CRASHES,
    MOST_MESSAGES,
    TakenOut,
    has_old_store,
    of_node,
    without_marks,
)
from playground.inspecting.revival import (
    POWER_CUT_US,
    UNTIL_US,
    V2_ENTRIES,
    FoundFiles,
    QueueRevival,
    files_of,
    parse_whole,
    records_of,
    taken_out,
    too_much,
)
from playground.inspecting.uploads import Files, OutOfTime, PlacedFiles, ReleaseChoice, Why, has_placed, why

HEX_BYTES: Final = 256
MOST_DAMAGE: Final = 100
TOTALS: Final = tuple(
    "live back listed unreadable expired gone transient no_content delivered redelivered crashes segments".split()
)
MOST_LISTED: Final = 200
"""Files that are named one by one."""


def _parts(report: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    if report["kind"] == kind:
        return [report]
    return [part for host in report.get("vhosts", [report]) for part in host.get(f"{kind}s", [])]


def queues_of(report: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the summary of each queue, whatever kind of directory was given."""
    return _parts(report, "queue")


def stores_of(report: dict[str, Any]) -> list[dict[str, Any]]:
    return _parts(report, "store")


def _first_host(report: dict[str, Any]) -> dict[str, Any]:
    return next(iter(report.get("vhosts", [report])), {})


def release_of(report: dict[str, Any]) -> str | None:
    """Return the series of the release that wrote the files, None for the usual one (V6, W94, W160)."""
    return _first_host(report).get("release")


def is_believed(report: dict[str, Any]) -> bool:
    """Return whether a real start believes what a clean stop saved, and looks into no store file (S206)."""
    return bool(_first_host(report).get("believed"))


def whole_name(own: str) -> tuple[str, int | None]:
    """Return the name of a queue and the priority of its part, which a broker writes as a byte behind a zero."""
    return (own[:-2], ord(own[-1])) if own[-2:-1] == "\0" else (own, None)


def in_whole(rows: list[dict[str, Any]], totals: tuple[str, ...]) -> list[dict[str, Any]]:
    """Return the rows of queues, those of a priority queue's parts as one. `rows`: each with a `name`. `totals`:
    what is added up; None of a part makes it None, and any other value is that of the first part.
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
    First are the files whose pins keep the most garbage on the disk. `size` is that of the file as given, `after`
    the size that a start leaves: 0 where it deletes it.
    """
    owners = _owners(report)
    rows = []
    started = revival.state["stores"] if revival is not None and revival.state is not None else {}
    for store in stores_of(report):
        side = "transient" if "transient" in store["dir"] else "persistent"
        known = started.get(side)  # as the page's map of the store has it; None where it was not started
        alive: Counter[int] = Counter()
        for _start, count, refs, file, *_ in known["rows"] if known else ():
            alive[file] += count if refs else 0
        left = {number: (size, valid) for number, size, valid, *_ in known["files"]} if known else {}
        for file in store["files"]:
            number = int(file["file"].split(".")[0])
            after, valid = left.get(number, (0, 0)) if known else (None, 0)
            garbage = None if after is None else after - valid
            rows.append(
                {
                    "store": side,
                    "file": file["file"],
                    "size": file["size"],
                    "after": after,
                    "entries": file["entries"],
                    "live": alive[number] if known else None,
                    "garbage": garbage,
                    "share": round(100 * garbage / after) if after and garbage is not None else None,
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
    """Return the queues whose messages keep a store file from being deleted, each with the first and last of them;
    None where its records are neither listed nor counted.
    """
    if "pins" in file:
        kept = [
            (whole_name(each["queue"])[0], *map(each.get, ("count", "first", "last")))
            for each in file["pins"]
        ]
    elif file["entries"] == len(file.get("list", ())):
        needed = (owner for record in file["list"] for owner in owners.get(record["msg_id"], ()))
        kept = [(queue, 1, seq, seq) for queue, seq in needed]
    else:
        return None
    pins: dict[str, dict[str, Any]] = {}
    for queue, count, first, last in kept:
        pin = pins.setdefault(queue, {"queue": queue, "count": 0, "first": first, "last": last})
        pin["count"] += count
        pin["first"], pin["last"] = min(pin["first"], first), max(pin["last"], last)
    return sorted(pins.values(), key=lambda each: each["count"])


def stop_row(report: dict[str, Any], files: Files) -> dict[str, Any] | None:
    """Return what a clean stop left, or None where there is nothing of it. `clean`: whether all of it is there. The
    files of `compared` are checked against the rest, those of `ignored` are not read.
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


def damage_rows(report: dict[str, Any], files: Files) -> list[dict[str, Any]]:
    """Return each finding, with the bytes that it begins at."""
    rows = []
    for each in report["damage"][:MOST_DAMAGE]:
        data = files.get(each["file"])
        begin = max(0, (each["offset"] or 0) - 32)
        rows.append({**each, "hex": dump(data[begin : begin + HEX_BYTES], begin) if data else ""})
    return rows


def file_rows(files: Files) -> list[dict[str, Any]]:
    return [
        {"path": path, "size": len(data), "hex": dump(data[:HEX_BYTES], 0)}
        for path, data in sorted(files.items())[:MOST_LISTED]
    ]


def dump(data: bytes, begin: int) -> str:
    """Return bytes as lines of an offset, sixteen bytes, and what of them can be read. `data`: the bytes. `begin`:
    offset of the first one in its file.
    """
    lines = []
    for at in range(0, len(data), 16):
        part = data[at : at + 16]
        text = "".join(chr(each) if 32 <= each < 127 else "." for each in part)
        lines.append(f"{begin + at:08x}  {part.hex(' '):<47}  {text}")
    return "\n".join(lines)


ROOM_BYTES: Final = 256 << 20


class _CountedFiles(FoundFiles):
    """Files that count what a start does with them."""

    def __init__(self, revival: QueueRevival) -> None:
        super().__init__(revival.files, ROOM_BYTES, revival.stop, revival.decoded)
        self.work = dict.fromkeys(("read", "written", "synced", "deleted"), 0)
        """Bytes read and written; calls that make a file durable, and files deleted."""

    def power_cut(self) -> None:
        super().power_cut()
        self.work = dict.fromkeys(self.work, 0)

    def read(self, path: str, decode: Any) -> Any:
        self.work["read"] += self.size(path) or 0
        return super().read(path, decode)

    def read_bytes(self, path: str, offset: int, count: int) -> bytes:
        found = super().read_bytes(path, offset, count)
        self.work["read"] += len(found)
        return found

    def append(self, path: str, chunks: Any) -> None:
        super().append(path, chunks)
        self.work["written"] += sum(each.size_bytes for each in chunks)

    def write(self, path: str, offset: int, chunks: Any) -> None:
        super().write(path, offset, chunks)
        self.work["written"] += sum(each.size_bytes for each in chunks)

    def fsync(self, path: str) -> None:
        super().fsync(path)
        self.work["synced"] += 1

    def delete(self, path: str) -> None:
        self.work["deleted"] += self.size(path) is not None
        super().delete(path)


def _begun(revival: QueueRevival, storage: _CountedFiles) -> Cluster:
    node = Cluster(parse_whole({**revival.scenario, "commands": []}), storage)
    storage.met_to_count(node)
    node.advance(POWER_CUT_US)
    node.submit({"do": "restart", "kind": "power"})
    node.advance(UNTIL_US)
    return node


def _played_on(node: Cluster, revival: QueueRevival, storage: _CountedFiles) -> None:
    """Play what a scenario asks after the start, and count its work alone."""
    for command in revival.scenario["commands"]:
        if command["at_us"] >= UNTIL_US:
            storage.work = dict.fromkeys(storage.work, 0)
            node.submit({name: value for name, value in command.items() if name != "at_us"})
    node.advance(max(UNTIL_US, revival.scenario["until_us"]))


def start(revival: QueueRevival) -> dict[str, Any]:
    """Return what a start makes of the files: each queue's messages in order, its files afterwards, and its work."""
    storage = _CountedFiles(revival)
    try:
        node = _begun(revival, storage)
        _played_on(node, revival, storage)
        work = dict(storage.work)
        files = files_of(storage)  # before messages are taken, which writes some
        found = taken_out(msgspec.structs.replace(revival, node=node))
        return {"queues": found, "files": files, "work": work, "failure": None}
    except CRASHES as error:
        return {"queues": {}, "files": {}, "work": None, "failure": why(error)}


def stop(revival: QueueRevival) -> tuple[QueueRevival | None, dict[str, Any]]:
    """Start the release that wrote the files, and stop it in order (Q63, W95).

    Returns:
        A start on what it left, None where it fails; and what the stop made of the files, as `start` says it, with
        which queues saved their terms.
    """
    storage = _CountedFiles(revival)
    try:
        node = _begun(revival, storage)
        before = files_of(storage)
        storage.work = dict.fromkeys(storage.work, 0)
        node.submit({"do": "stop_app"})
        node.advance(node.now_us + POWER_CUT_US)
        saved = of_node(node)
        work, after = dict(storage.work), files_of(storage)
    except CRASHES as error:
        return None, {"files": [], "work": None, "saved": {}, "failure": why(error)}
    kept = PlacedFiles(storage)
    is_placed = has_placed(revival.files)
    left = {
        path: kept.file(path) if is_placed else storage.read_bytes(path, 0, storage.size(path) or 0)
        for path in storage.paths()
        if not path.endswith((f"/{CLEAN}", "/.vhost"))
    }
    stopped = msgspec.structs.replace(
        revival, files=left, stop=saved, state=None, messages=[], failure=None, unplayed=None, node=None
    )
    own = {name: saved.terms.get(inside) is not None for name, inside in revival.names.items()}
    return stopped, {"files": changes(before, after), "work": work, "saved": own, "failure": None}


def changes(
    before: dict[str, tuple[int, int]], after: dict[str, tuple[int, int]]
) -> list[tuple[str, int, int, int, int]]:
    """Return (kind, files and bytes before, files and bytes afterwards) of each kind of file."""
    return [(kind, *before.get(kind, (0, 0)), *after.get(kind, (0, 0))) for kind in sorted({*before, *after})]


OLDEST: Final = "3.8"
VERSION_1: Final = (OLDEST, REFERENCE.series)
"""Sources whose queues have files of version 1."""


class RehearsalTarget(NamedTuple):
    """Where an upgrade leads. `name`: of the target, as the page has words for it. `is_back`: whether it is an
    older release, which nobody supports: nothing is played then. `reads_version_1`: whether it has code for files
    of version 1; without it a queue's first start fails after an orderly stop, and the second finds nothing (W100).
    `policy`: the queue-version that a policy asks for while the node runs; None where another start converts.
    """

    name: str
    series: str
    arguments: dict[str, Any]
    is_back: bool = False
    reads_version_1: bool = True
    policy: int | None = None

    def drops(self, source: str) -> bool:
        return source in VERSION_1 and not self.reads_version_1


VERSION_2: Final = "3.10-v2"
"""The reference with queues of version 2, which it has where an argument or a policy asks for them (W2)."""
_TO_4_0: Final = RehearsalTarget("4.0.5", "4.0", {})
_TO_4_3: Final = RehearsalTarget("4.3.6", "4.3", {}, reads_version_1=False)
TARGETS: Final = {
    "3.8": (RehearsalTarget("3.10.8", "3.10", {}),),
    "3.10": (
        RehearsalTarget("3.10.8-v2", "3.10", {"x-queue-version": 2}),
        RehearsalTarget("3.10.8-v2-policy", "3.10", {}, policy=2),
        _TO_4_0,
        _TO_4_3,
    ),
    VERSION_2: (
        RehearsalTarget("3.10.8-v1", "3.10", {}),
        RehearsalTarget("3.10.8-v1-policy", "3.10", {}, policy=1),
        _TO_4_0,
        _TO_4_3,
    ),
    "4.0": (RehearsalTarget("4.3.6", "4.3", {}), RehearsalTarget("3.10.8", "3.10", {}, is_back=True)),
    "4.3": (RehearsalTarget("4.0.5", "4.0", {}, is_back=True),),
}
"""By the series that wrote the files, and for one of them by the version of its queues."""


def source_of(report: dict[str, Any], choice: ReleaseChoice) -> str:
    """Return which release wrote the files, as `TARGETS` has it. `choice`: names the release where a session wrote
    them.
    """
    series = choice.series or release_of(report) or REFERENCE.series
    queues = queues_of(report)
    second = series == REFERENCE.series and any(each.get("version") == 2 for each in queues)
    return VERSION_2 if second else series


def target_of(source: str, name: str) -> RehearsalTarget | None:
    return next((each for each in TARGETS[source] if each.name == name and not each.is_back), None)


def rehearse(
    revival: QueueRevival,
    report: dict[str, Any],
    flags: bytes | None,
    choice: ReleaseChoice,
    steps: Callable[..., None],
) -> tuple[list[dict[str, Any]], dict[str, Any] | None]:
    """Return a row for each release that the files could go to, and what the orderly stop before it does.

    Where there are too many messages, or memory or time ends, the releases that are left have rows that say so.

    Args:
        revival: a start of the release that wrote them.
        flags: the node's own list of enabled feature flags, None where it was not given.
        choice: the scale of the constants.
        steps: is told which release starts; see `reading.Steps`.
    """
    rows: list[dict[str, Any]] = []
    source = source_of(report, choice)
    enabled = None if flags is None else next_release.read_flags(flags)
    series = source.partition("-")[0]
    queues = queues_of(report)
    before = stopped = shown = None
    trouble: Why | None = None
    live = sum(queue["lasting_messages"] for queue in queues)
    if live > MOST_MESSAGES and not has_placed(revival.files):  # on the node it may take its time
        trouble = {"code": "many_messages", "values": {"most": MOST_MESSAGES}}
    else:
        try:
            before = {"queues": revival.found, "files": revival.left}
            stopped, shown = in_order(revival)
        except (MemoryError, OutOfTime) as error:
            trouble = too_much(error, records_of(queues))
    for target in TARGETS[source]:
        row = _row(target, next_release.gate(series, target.series, enabled))
        rows.append(row)
        if target.is_back:
            continue
        if trouble is None and before is not None:
            steps("rehearsing", release=target.name)
            try:
                row |= _rehearsed(revival, stopped, source, target, choice, before)
            except (MemoryError, OutOfTime) as error:
                trouble = too_much(error, records_of(queues))
        row["unplayed"] = trouble
    return rows, shown


def in_order(revival: QueueRevival) -> tuple[QueueRevival | None, dict[str, Any]]:
    """Return a start on what an orderly stop of the release that wrote the files leaves, and what it does to them.
    Files that such a stop left already are taken as they are, with what it saved beside them.
    """
    if revival.stop is not None and revival.stop.is_clean:
        saved = {own: revival.stop.terms.get(name) is not None for own, name in revival.names.items()}
        return revival, {"found": True, "files": [], "work": None, "saved": saved, "failure": None}
    stopped, done = stop(revival)
    return stopped, {"found": False, **done}


def shown(scenario: dict[str, Any]) -> dict[str, Any]:
    """Return what a page needs to show a start: its run, and the moment to open it at, which is before a stop."""
    until_us = scenario["until_us"]
    at_us = UNTIL_US - 1 if until_us > UNTIL_US else until_us
    return {"scenario": scenario, "power_cut_us": POWER_CUT_US, "at_us": at_us}


def stopping(revival: QueueRevival) -> QueueRevival:
    """Return the same start with an orderly stop behind it, not yet played."""
    more = {"at_us": UNTIL_US, "do": "stop_app"}
    scenario = {
        **revival.scenario,
        "commands": [*revival.scenario["commands"], more],
        "until_us": UNTIL_US + POWER_CUT_US,
    }
    return msgspec.structs.replace(revival, scenario=scenario, state=None, messages=[], node=None)


def upgraded(
    revival: QueueRevival, source: str, target: RehearsalTarget, choice: ReleaseChoice
) -> QueueRevival:
    """Return a start of another release on the same files, not yet played. The entries of a segment stay with the
    directory where both releases have the same kind of files (S4, V6).
    """
    before, release = RELEASES[source.partition("-")[0]], RELEASES[target.series]
    settings: dict[str, Any] = {}
    if V2_ENTRIES in revival.scenario["settings"] and V2_ENTRIES not in release.storage.settings.bounds:
        settings["segment_entry_count"] = revival.scenario["settings"][V2_ENTRIES]
    elif release.storage.host_files is before.storage.host_files:
        entries = revival.scenario["settings"].get("segment_entry_count")
        if entries is None:
            entries = before.storage_settings(choice.scale, {}).shown()["segment_entry_count"]
        settings = {**revival.scenario["settings"], "segment_entry_count": entries}
    topology = revival.scenario["topology"]
    queues = [{**each, "arguments": target.arguments} for each in topology["queues"]]
    scenario = {
        **revival.scenario,
        "profile": release.profiles[choice.scale],
        "settings": settings,
        "topology": {**topology, "queues": queues},
    }
    if target.policy is not None:
        scenario = _by_policy(scenario, target.policy)
    stop = None if target.drops(source) else revival.stop  # the queue's second start finds nothing of it
    if stop is not None and source == OLDEST:
        stop = without_marks(stop)
    return msgspec.structs.replace(
        revival, scenario=scenario, state=None, messages=[], failure=None, unplayed=None, stop=stop, node=None
    )


def _by_policy(scenario: dict[str, Any], version: int) -> dict[str, Any]:
    """Return a start on files as they are, and a policy after it that asks for the other version (W2, W100)."""
    policy = {"name": "version", "pattern": ".*", "definition": {"queue-version": 3 - version}}
    change = {**policy, "at_us": UNTIL_US, "do": "set_policy", "definition": {"queue-version": version}}
    return {
        **scenario,
        "topology": {**scenario["topology"], "policies": [policy]},
        "commands": [*scenario["commands"], change],
        "until_us": UNTIL_US + POWER_CUT_US,
    }


def _row(target: RehearsalTarget, gate: dict[str, Any]) -> dict[str, Any]:
    return {
        "target": target.name,
        "gate": gate,
        "is_back": target.is_back,
        "policy": target.policy,
        "failure": None,
        "unplayed": None,
        "queues": [],
        "files": [],
        "work": None,
        "orderly": None,
    }


def _rehearsed(
    revival: QueueRevival,
    stopped: QueueRevival | None,
    source: str,
    target: RehearsalTarget,
    choice: ReleaseChoice,
    before: dict[str, Any],
) -> dict[str, Any]:
    """Return what a start of the target makes of the files, as a crash left them and after an orderly stop."""
    after = start(upgraded(revival, source, target, choice))
    later = after if stopped is revival else None
    if stopped is not None and stopped is not revival and target.policy is None:
        later = start(upgraded(stopped, source, target, choice))
    found = later["queues"] if later else {}
    queues = []
    for own in revival.names:
        was = before["queues"].get(own)
        row = {"name": own, "before": was and was.back, **_outcome(was, after["queues"].get(own))}
        queues.append(row | {"orderly": _outcome(was, found.get(own))})
    queues = _in_whole(queues)
    row = {**_came_of(before, after), "queues": queues}
    if later is not None:
        row["orderly"] = {**_came_of(before, later), "second": target.drops(source)}
    return row


def _came_of(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """Return what a start came to, and what it made of the files."""
    files = changes(before["files"], after["files"])
    return {"failure": after["failure"], "files": files, "work": after["work"]}


def _in_whole(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows with those of a priority queue's parts as one."""
    totals = ("before", "after", "redelivered", "expired")
    whole = in_whole(rows, totals)
    orderly = in_whole([{"name": each["name"], **each["orderly"]} for each in rows], totals[1:])
    for row, other in zip(whole, orderly, strict=True):
        row["orderly"] = {key: other[key] for key in ("after", "order", "redelivered", "expired")}
    return whole


def _outcome(before: TakenOut | None, after: TakenOut | None) -> dict[str, Any]:
    row: dict[str, Any] = {"after": None, "order": None, "redelivered": None, "expired": 0}
    if after is not None:
        row |= {"after": after.back, "redelivered": after.redelivered, "expired": after.expired}
    if before is not None and after is not None and None not in (before.ids, after.ids):
        row["order"] = before.ids == after.ids
    return row
