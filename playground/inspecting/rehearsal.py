"""An upgrade, rehearsed: what becomes of the queues in a directory when another release starts on a copy of it.

The files are those of a node that stopped without a word, as a copy of a running one is; each release starts on them as
the engine plays it. What an orderly stop changes is said beside it, by its rule.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import msgspec

from engine.broker.cluster import Cluster
from engine.broker.commands.scenario import parse
from engine.releases import REFERENCE, RELEASES
from engine.values.errors import EngineError
from playground.inspecting import summary, ways
from playground.inspecting.choice import Choice
from playground.inspecting.revival import POWER_CUT_US, UNTIL_US, V2_ENTRIES, FoundFiles, Revival
from playground.inspecting.unreadable import OutOfTime, why
from playground.inspecting.uploads import Files

MOST_MESSAGES: Final = 200_000
"""With more the order is not compared one by one."""
ROOM_BYTES: Final = 256 << 20


class Target(NamedTuple):
    """Where an upgrade leads.

    Args:
        name: of the target, as the page has words for it.
        series: of its release.
        arguments: of each queue there.
        is_back: whether it is an older release, which nobody supports: nothing is played then.
        keeps_terms: whether it reads what an orderly stop of the source says of deliveries (W41).
    """

    name: str
    series: str
    arguments: dict[str, Any]
    is_back: bool = False
    keeps_terms: bool = False


VERSION_2: Final = "3.10-v2"
"""The reference with queues of version 2, which it has where an argument or a policy asks for them (W2)."""
_TO_4_0: Final = Target("4.0.5", "4.0", {})
_TO_4_3: Final = Target("4.3.6", "4.3", {})
TARGETS: Final = {
    "3.8": (Target("3.10.8", "3.10", {}),),
    "3.10": (Target("3.10.8-v2", "3.10", {"x-queue-version": 2}), _TO_4_0, _TO_4_3),
    VERSION_2: (Target("3.10.8-v1", "3.10", {}), _TO_4_0, _TO_4_3),
    "4.0": (Target("4.3.6", "4.3", {}, keeps_terms=True), Target("3.10.8", "3.10", {}, is_back=True)),
    "4.3": (Target("4.0.5", "4.0", {}, is_back=True),),
}
"""By the series that wrote the files, and for one of them by the version of its queues."""


def source_of(report: dict[str, Any], choice: Choice) -> str:
    """Return which release wrote the files, as `TARGETS` has it.

    Args:
        report: on them.
        choice: names the release where a session wrote them.
    """
    series = choice.series or summary.release_of(report) or REFERENCE.series
    queues = summary.queues_of(report)
    second = series == REFERENCE.series and any(each.get("version") == 2 for each in queues)
    return VERSION_2 if second else series


def target_of(source: str, name: str) -> Target | None:
    """Return the target of that name that the files could go to, None where there is none that is played."""
    return next((each for each in TARGETS[source] if each.name == name and not each.is_back), None)


def rehearse(
    revival: Revival,
    report: dict[str, Any],
    flags: bytes | None,
    choice: Choice,
    steps: Callable[..., None],
) -> list[dict[str, Any]]:
    """Return a row for each release that the files could go to.

    Args:
        revival: a start of the release that wrote them.
        report: on the files.
        flags: the node's own list of enabled feature flags, None where it was not given.
        choice: the scale of the constants.
        steps: is told which release starts; see `reading.Steps`.
    """
    rows: list[dict[str, Any]] = []
    source = source_of(report, choice)
    enabled = None if flags is None else ways.read_flags(flags)
    series = source.partition("-")[0]
    delivered = {
        str(each["name"] or each["dir"]): each.get("delivered_before") for each in summary.queues_of(report)
    }
    try:
        before = _played(revival)
        for target in TARGETS[source]:
            gate = ways.gate(series, target.series, enabled)
            if target.is_back:
                rows.append(_row(revival, target, gate, before, None, delivered))
                continue
            steps("rehearsing", release=target.name)
            after = _played(upgraded(revival, source, target, choice))
            rows.append(_row(revival, target, gate, before, after, delivered))
    except (MemoryError, OutOfTime):
        pass  # the report on the files does not depend on it; what was rehearsed by then is shown
    return rows


def upgraded(revival: Revival, source: str, target: Target, choice: Choice) -> Revival:
    """Return a start of another release on the same files, not yet played.

    The entries of a segment stay with the directory where both releases have the same kind of files (S4, V6).
    """
    before, release = RELEASES[source.partition("-")[0]], RELEASES[target.series]
    settings: dict[str, Any] = {}
    if V2_ENTRIES in revival.scenario["settings"] and V2_ENTRIES not in release.storage.bounds:
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
    return msgspec.structs.replace(
        revival, scenario=scenario, state=None, messages=[], failure=None, unplayed=None
    )


def _row(
    revival: Revival,
    target: Target,
    gate: dict[str, Any],
    before: dict[str, Any],
    after: dict[str, Any] | None,
    delivered: dict[str, int | None],
) -> dict[str, Any]:
    row: dict[str, Any] = {"target": target.name, "gate": gate, "is_back": target.is_back}
    if after is None:
        return {**row, "failure": None, "queues": [], "files": [], "work": None}
    queues = [
        _compared(own, before["queues"].get(name), after["queues"].get(name))
        | {"delivered": delivered.get(own) if target.keeps_terms else None}
        for own, name in revival.names.items()
    ]
    return {
        **row,
        "failure": after["failure"],
        "queues": queues,
        "files": _changes(before["files"], after["files"]),
        "work": after["work"],
    }


class _CountedFiles(FoundFiles):
    """Files that count what a start does with them."""

    def __init__(self, files: Files) -> None:
        super().__init__(files, ROOM_BYTES)
        self.work = dict.fromkeys(("read", "written", "synced", "deleted"), 0)
        """Bytes read and written; calls that make a file durable, and files deleted."""

    def power_cut(self) -> None:
        """Count from here on."""
        super().power_cut()
        self.work = dict.fromkeys(self.work, 0)

    def read(self, path: str, decode: Any) -> Any:
        """Read as a storage does."""
        self.work["read"] += self.size(path) or 0
        return super().read(path, decode)

    def read_bytes(self, path: str, offset: int, count: int) -> bytes:
        """Read as a storage does."""
        found = super().read_bytes(path, offset, count)
        self.work["read"] += len(found)
        return found

    def append(self, path: str, chunks: Any) -> None:
        """Write as a storage does."""
        super().append(path, chunks)
        self.work["written"] += sum(each.size_bytes for each in chunks)

    def write(self, path: str, offset: int, chunks: Any) -> None:
        """Write as a storage does."""
        super().write(path, offset, chunks)
        self.work["written"] += sum(each.size_bytes for each in chunks)

    def fsync(self, path: str) -> None:
        """Make durable as a storage does."""
        super().fsync(path)
        self.work["synced"] += 1

    def delete(self, path: str) -> None:
        """Delete as a storage does."""
        self.work["deleted"] += self.size(path) is not None
        super().delete(path)


def _played(revival: Revival) -> dict[str, Any]:
    """Return what a start makes of the files: each queue's messages in order, its files afterwards, and its work."""
    storage = _CountedFiles(revival.files)
    try:
        node = Cluster(parse({**revival.scenario, "commands": []}), storage)
        node.advance(POWER_CUT_US)
        node.submit({"do": "restart", "kind": "power"})
        node.advance(UNTIL_US)
        files, work = _files(storage), dict(storage.work)
        found = {name: _contents(node, name) for name in revival.names.values()}
    except (EngineError, ArithmeticError, LookupError, TypeError, ValueError) as error:
        return {"queues": {}, "files": {}, "work": None, "failure": why(error)}
    return {"queues": found, "files": files, "work": work, "failure": None}


def _contents(node: Cluster, name: str) -> dict[str, Any]:
    """Return how many messages a queue has, and up to a bound which, in their order, and how many are redelivered."""
    queue = node.queues[name].process.queue
    depth = queue.depth
    found: dict[str, Any] = {"count": depth, "ids": None, "redelivered": None}
    if depth <= MOST_MESSAGES:
        taken = queue.fetch(depth, True) if depth else []
        codec = node.codec
        found["ids"] = [
            codec.id_bytes(each.extent.msg_no + at) for each in taken for at in range(each.extent.count)
        ]
        found["redelivered"] = sum(each.redelivered for each in taken)
    return found


def _compared(name: str, before: dict[str, Any] | None, after: dict[str, Any] | None) -> dict[str, Any]:
    row: dict[str, Any] = {"name": name, "before": None, "after": None, "order": None, "redelivered": None}
    if before is not None:
        row["before"] = before["count"]
    if after is not None:
        row |= {"after": after["count"], "redelivered": after["redelivered"]}
    if before is not None and after is not None and None not in (before["ids"], after["ids"]):
        row["order"] = before["ids"] == after["ids"]
    return row


def _files(storage: FoundFiles) -> dict[str, tuple[int, int]]:
    """Return number and bytes of the files of each kind."""
    found: dict[str, tuple[int, int]] = {}
    for path in storage.paths():
        kind = path.rpartition(".")[2]
        if kind in ("idx", "jif", "qi", "qs", "rdq"):
            count, size = found.get(kind, (0, 0))
            found[kind] = (count + 1, size + (storage.size(path) or 0))
    return found


def _changes(
    before: dict[str, tuple[int, int]], after: dict[str, tuple[int, int]]
) -> list[tuple[str, int, int, int, int]]:
    """Return (kind, files and bytes before, files and bytes afterwards) of each kind of file."""
    return [(kind, *before.get(kind, (0, 0)), *after.get(kind, (0, 0))) for kind in sorted({*before, *after})]
