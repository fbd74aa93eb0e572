"""Compares what a clean stop saved with the queues' files: whether a start trusts it, and what would be lost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from engine.damage.findings import DamageFindings
from engine.damage.reading import QueueReader, StoreReader, content, parsed
from engine.formats.clean_stop import RecoveryTerms, read_recovery_terms
from engine.releases import V3_8_9
from engine.storage.directory import DirectoryStorage

NAME: Final = "recovery.dets"


def recovery_terms(
    storage: DirectoryStorage, directory: str, findings: DamageFindings
) -> dict[str, RecoveryTerms]:
    """Return the terms that queues saved, by directory; a malformed table is a finding."""
    path = f"{directory}/{NAME}" if directory else NAME
    found: dict[str, RecoveryTerms] | None
    found = parsed(content(storage, path, findings), path, findings, read_recovery_terms)
    return found or {}


def is_believed(terms: dict[str, RecoveryTerms], store: StoreReader | None) -> bool:
    """Return whether a start loads what the persistent store saved and reads none of its files (S206).

    A queue that never wrote has terms and no directory (S5). No start finds the terms without a name that 4.0 leaves
    after a purge (W201).
    """
    if store is None or store.saved_refs is None:
        return False
    return set(store.saved_refs) == {each.persistent_ref for name, each in terms.items() if name}


def compare(queue: QueueReader, terms: RecoveryTerms, path: str, findings: DamageFindings) -> None:
    """Note the segments for which terms and index differ (S112, W94).

    Args:
        queue: read already.
        terms: what it left.
        path: of its directory.
        findings: where damage is noted.
    """
    live = queue.live
    for segment, unacked in terms.segments:
        if unacked == live.get(segment, 0):
            continue
        file = f"{path}/{segment}.{queue.extension}"
        if segment not in queue.segments:
            findings.add(file, None, "missing", "segment_missing", count=unacked)
        else:
            findings.add(
                file,
                None,
                "contradiction",
                "segment_of_other_count",
                saved=unacked,
                found=live.get(segment, 0),
            )


def try_start(
    storage: DirectoryStorage, queue: QueueReader, terms: RecoveryTerms, path: str, findings: DamageFindings
) -> bool:
    """Note and return whether the next start of a 3.8 would end the queue's process, which is then restarted
    (V8).

    Args:
        storage: the inspected directory.
        queue: read already.
        terms: what it left.
        path: of its directory.
        findings: where damage is noted.
    """
    journal = f"{path}/journal.jif"
    if not storage.size(journal):
        return False
    crash = queue.crash_at_start(terms, V3_8_9.storage_settings("real", {}))
    if crash is not None:
        findings.add(
            journal, None, "contradiction", "start_ends_process", function=crash.function.replace(",", ":")
        )
    return crash is not None


def delivered_before(queue: QueueReader, terms: RecoveryTerms) -> int | None:
    """Return how many persistent messages come back as redelivered by the terms (W41); None if they do not say."""
    if terms.delivered_below is None:
        return None
    return sum(
        message.persistent and (seq < terms.delivered_below or seq in terms.counted)
        for seq, message in queue.messages.items()
    )


def unowned(store: StoreReader, queues: list[QueueReader]) -> dict[str, Any]:
    """Return how many bodies of a store belong to no message of any index, and their bytes on disk."""
    owned = {
        message.msg_no for queue in queues for message in queue.messages.values() if not message.embedded
    }
    count = size = 0
    for msg_no, many, record_bytes in store.runs:
        free = sum(number not in owned for number in range(msg_no, msg_no + many))
        count += free
        size += free * record_bytes
    return {"count": count, "bytes": size}


def pins(store: StoreReader, queues: Mapping[str, QueueReader]) -> list[dict[str, Any]]:
    """Return for each file of a store its `live_bytes`, and the `pins`: queues that need records of it, few first.

    Args:
        store: read already.
        queues: read already, by name.
    """
    owners: dict[int, list[tuple[str, int]]] = {}
    for name, queue in queues.items():
        for seq, message in queue.messages.items():
            if message.is_owed:
                owners.setdefault(message.msg_no, []).append((name, seq))
    found = []
    begin = 0
    for end in store.runs_until:
        live = 0
        seqs: dict[str, list[int]] = {}
        for first, count, record_bytes in store.runs[begin:end]:
            for number in range(first, first + count):
                live += record_bytes * (number in owners)
                for name, seq in owners.get(number, ()):
                    seqs.setdefault(name, []).append(seq)
        begin = end
        rows: list[dict[str, Any]] = [
            {"queue": name, "count": len(each), "first": min(each), "last": max(each)}
            for name, each in seqs.items()
        ]
        found.append({"live_bytes": live, "pins": sorted(rows, key=lambda row: row["count"])})
    return found
