"""An upgrade, rehearsed: what becomes of the queues in a directory when another release starts on a copy of it.

The files are those of a node that stopped without a word, as a copy of a running one is; each release starts on them as
the engine plays it. What an orderly stop changes is said beside it, by its rule.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from engine.broker.cluster import Cluster
from engine.broker.commands.scenario import parse
from engine.releases import RELEASES
from engine.values.errors import EngineError
from playground.inspecting import ways
from playground.inspecting.revival import POWER_CUT_US, UNTIL_US, FoundFiles, Revival
from playground.inspecting.unreadable import OutOfTime, why

MOST_MESSAGES: Final = 200_000
"""With more the order is not compared one by one."""
ROOM_BYTES: Final = 256 << 20


class Target(NamedTuple):
    """Where an upgrade leads.

    Args:
        name: of the target, as the page has words for it.
        series: of its release.
        arguments: of each queue there.
    """

    name: str
    series: str
    arguments: dict[str, Any]


TARGETS: Final = {
    "3.8": (Target("3.10.8", "3.10", {}),),
    "3.10": (
        Target("3.10.8-v2", "3.10", {"x-queue-version": 2}),
        Target("4.0.5", "4.0", {}),
        Target("4.3.6", "4.3", {}),
    ),
}
"""By the series that wrote the files."""


def rehearse(
    revival: Revival, source: str, flags: bytes | None, steps: Callable[..., None]
) -> list[dict[str, Any]]:
    """Return a row for each release that the files could go to.

    Args:
        revival: a start of the release that wrote them.
        source: its series.
        flags: the node's own list of enabled feature flags, None where it was not given.
        steps: is told which release starts; see `reading.Steps`.
    """
    rows: list[dict[str, Any]] = []
    enabled = None if flags is None else ways.read_flags(flags)
    try:
        before = _played(revival, revival.scenario, {})
        for target in TARGETS.get(source, ()):
            steps("rehearsing", release=target.name)
            scenario = {**revival.scenario, **_broker(revival, source, target)}
            after = _played(revival, scenario, target.arguments)
            rows.append(_row(revival, target, ways.gate(source, target.series, enabled), before, after))
    except (MemoryError, OutOfTime):
        pass  # the report on the files does not depend on it; what was rehearsed by then is shown
    return rows


def _row(
    revival: Revival, target: Target, gate: dict[str, Any], before: dict[str, Any], after: dict[str, Any]
) -> dict[str, Any]:
    queues = [
        _compared(own, before["queues"].get(name), after["queues"].get(name))
        for own, name in revival.names.items()
    ]
    return {
        "target": target.name,
        "gate": gate,
        "failure": after["failure"],
        "queues": queues,
        "files": _changes(before["files"], after["files"]),
    }


def _broker(revival: Revival, source: str, target: Target) -> dict[str, Any]:
    """Return profile and settings of the target: the entries of a segment stay with the directory (S4, V6)."""
    before, release = RELEASES[source], RELEASES[target.series]
    entries = revival.scenario["settings"].get("segment_entry_count")
    if entries is None:
        entries = before.storage_settings("real", {}).shown()["segment_entry_count"]
    alike = release.storage.host_files is before.storage.host_files
    return {
        "profile": release.profiles["real"],
        "settings": {"segment_entry_count": entries} if alike else {},
    }


def _played(revival: Revival, scenario: dict[str, Any], arguments: dict[str, Any]) -> dict[str, Any]:
    """Return what a start makes of the files: each queue's messages in order, and its files afterwards."""
    queues = [{**each, "arguments": arguments} for each in scenario["topology"]["queues"]]
    storage = FoundFiles(revival.files, ROOM_BYTES)
    made = {**scenario, "topology": {"queues": queues}, "commands": []}
    try:
        node = Cluster(parse(made), storage)
        node.advance(POWER_CUT_US)
        node.submit({"do": "restart", "kind": "power"})
        node.advance(UNTIL_US)
        found = {name: _contents(node, name) for name in revival.names.values()}
    except (EngineError, ArithmeticError, LookupError, TypeError, ValueError) as error:
        return {"queues": {}, "files": {}, "failure": why(error)}
    return {"queues": found, "files": _files(storage), "failure": None}


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
