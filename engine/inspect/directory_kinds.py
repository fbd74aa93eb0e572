"""Finds the kind of a directory, whose generation reads it, and reports on all of it, a node's saved stop included."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from engine.damage import (
    DamageFindings,
    HostReader,
    InspectedQueue,
    QueueReader,
    ReadingOptions,
    StoredMessage,
    StoreFiles,
    content,
    numbered,
    parsed,
)
from engine.formats import properties as amqp
from engine.formats.clean_stop import RecoveryTerms, read_recovery_terms
from engine.formats.message import FIRST_FOREIGN, MessageCodec
from engine.formats.names import queue_directory, read_config, read_queue_name, vhost_directory
from engine.formats.properties import FLAGS
from engine.formats.terms import TermError
from engine.generations import HOST_READERS
from engine.releases import V3_8_9
from engine.storage.directory import DirectoryStorage
from engine.values.settings import USUAL_ENTRY_COUNT

NAME: Final = "recovery.dets"


def recovery_terms(
    storage: DirectoryStorage, directory: str, findings: DamageFindings
) -> dict[str, RecoveryTerms]:
    """Return the terms that queues saved, by directory; a malformed table is a finding."""
    path = f"{directory}/{NAME}" if directory else NAME
    found: dict[str, RecoveryTerms] | None
    found = parsed(content(storage, path, findings), path, findings, read_recovery_terms)
    return found or {}


def is_believed(terms: dict[str, RecoveryTerms], store: StoreFiles | None) -> bool:
    """Return whether a start loads what the persistent store saved and reads none of its files (S206). A
    queue that never wrote has terms and no directory (S5). No start finds the terms without a name that 4.0
    leaves after a purge (W201).
    """
    if store is None or store.saved_refs is None:
        return False
    return set(store.saved_refs) == {each.persistent_ref for name, each in terms.items() if name}


def compare(queue: QueueReader, terms: RecoveryTerms, path: str, findings: DamageFindings) -> None:
    """Note the segments for which terms and index differ (S112, W94)."""
    live = queue.live
    for segment, unacked in terms.segments:
        if unacked == live.get(segment, 0):
            continue
        file, found = f"{path}/{segment}.{queue.extension}", live.get(segment, 0)
        if segment not in queue.segments:
            findings.add(file, None, "missing", "segment_missing", count=unacked)
        else:
            findings.add(file, None, "contradiction", "segment_of_other_count", saved=unacked, found=found)


def try_start(
    storage: DirectoryStorage, queue: QueueReader, terms: RecoveryTerms, path: str, findings: DamageFindings
) -> bool:
    """Note and return whether the next start of a 3.8 would end the queue's process, which is then restarted (V8)."""
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


def unowned(store: StoreFiles, queues: list[QueueReader]) -> dict[str, Any]:
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


def pins(store: StoreFiles, queues: Mapping[str, QueueReader]) -> list[dict[str, Any]]:
    """Return for each file of a store its `live_bytes`, and the `pins`: queues that need records of it, few
    first. `queues`: read already, by name.
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


OLD: Final = "3.8"
"""The release whose rules apply if there is no `.config`; brokers write that file since 3.8.15 (V6)."""


class GenerationReaders:
    """Makes the readers of the directories of one virtual host, by their contents. `vhost`: name of the
    virtual host. `entry_count`: entries in a segment of version 1.
    """

    def __init__(
        self,
        storage: DirectoryStorage,
        vhost: str,
        entry_count: int,
        findings: DamageFindings,
        options: ReadingOptions,
    ) -> None:
        self.codec = MessageCodec(vhost)
        """Numbers the ids of queues and stores together."""
        host = InspectedQueue(storage, self.codec, entry_count, findings, options)
        self._hosts: list[HostReader] = [each(host) for each in HOST_READERS]

    def queue(self, directory: str) -> QueueReader:
        return next(each for each in self._hosts if each.has_queue(directory)).queue(directory)

    def store(self, directory: str) -> StoreFiles:
        return next(each for each in self._hosts if each.has_store(directory)).store(directory)

    def message(self, term: bytes) -> StoredMessage | None:
        """Return the message in a stored term, None if no generation reads it."""
        return next(filter(None, (each.message(term) for each in self._hosts)), None)

    def release(self, terms: Collection[RecoveryTerms], has_config: bool) -> str | None:
        """Return the release's series if the files show it; None for the usual one of version 1."""
        known = next(filter(None, (each.release(terms) for each in self._hosts)), None)
        return known or (None if has_config else OLD)


STORES: Final = ("msg_store_persistent", "msg_store_transient")
VHOSTS: Final = "msg_stores/vhosts"
SEGMENTS: Final = ("idx", "qi", "qs")
"""Suffixes of files that only a queue's directory has."""

EARLIEST_US: Final = 1_167_609_600_000_000
LATEST_US: Final = 7_258_118_400_000_000
"""Between 2007, when the first broker was made, and 2200, every expiry lies that a broker writes: 50 days at most."""


def kind_of(storage: DirectoryStorage, directory: str = "") -> str | None:
    """Return what a directory is: "node", "vhost", "queue", "store", or None for nothing known."""
    names = storage.list(directory)
    if "journal.jif" in names or ".queue_name" in names or any(numbered(names, each) for each in SEGMENTS):
        return "queue"
    if numbered(names, "rdq") or "clean.dot" in names or "file_summary.ets" in names:
        return "store"
    inside = _directories(storage, directory)
    if ".vhost" in names or "queues" in inside or any(store in inside for store in STORES):
        return "vhost"
    if _directories(storage, _joined(directory, VHOSTS)):
        return "node"
    return None


def inspect(storage: DirectoryStorage, options: ReadingOptions, directory: str = "") -> dict[str, Any]:
    """Return everything that can be read from a directory, damage included. `options`: how much to report.
    `directory`: path inside it to begin at, "" for all of it.
    """
    kind = kind_of(storage, directory)
    findings = DamageFindings()
    found: dict[str, Any]
    if kind == "node":
        vhosts = _directories(storage, _joined(directory, VHOSTS))
        found = {
            "vhosts": [
                _vhost(storage, _joined(directory, f"{VHOSTS}/{name}"), findings, options) for name in vhosts
            ]
        }
    elif kind == "vhost":
        found = _vhost(storage, directory, findings, options)
    elif kind == "queue":
        above = directory.rpartition("/")[0].rpartition("/")[0] if "/" in directory else None
        count = options.entry_count
        if above is not None and count is None:
            count = _entry_count(storage, above, findings, options)
        readers = GenerationReaders(storage, "/", count or USUAL_ENTRY_COUNT, findings, options)
        found = readers.queue(directory).report()
        found["release"] = readers.release((), has_config=True)
    elif kind == "store":
        readers = GenerationReaders(storage, "/", USUAL_ENTRY_COUNT, findings, options)
        found = readers.store(directory).report()
        found["release"] = readers.release((), has_config=True)
    else:
        found = {}
        findings.add(directory or ".", None, "missing", "nothing_known")
    return {"kind": kind, **found, "damage": findings.as_rows(), "damage_more": findings.more}


def _vhost(
    storage: DirectoryStorage, directory: str, findings: DamageFindings, options: ReadingOptions
) -> dict[str, Any]:
    name = content(storage, _joined(directory, ".vhost"), findings)
    vhost = name.decode("utf-8", "replace") if name is not None else None
    entry_count = _entry_count(storage, directory, findings, options)
    readers = GenerationReaders(storage, "/" if vhost is None else vhost, entry_count, findings, options)
    stores = {
        each: readers.store(_joined(directory, each))
        for each in STORES
        if storage.list(_joined(directory, each))
    }
    store_reports = [store.report() for store in stores.values()]
    terms = recovery_terms(storage, directory, findings)
    bodies = (each for store in stores.values() for each in store.body_bytes.items())
    sizes = {number: size for number, size in bodies if number >= FIRST_FOREIGN}
    old = storage.size(_joined(directory, ".config")) is None
    read, queues, unknown = [], [], []
    owned = _directories(storage, _joined(directory, "queues"))
    titles = _titles(storage, directory, owned, vhost)
    owners = {queue_directory(*title): title for title in titles.values()}
    for each in owned:
        inside = _joined(directory, f"queues/{each}")
        title = titles.get(each)
        if title is not None and owners.get(each) != title:
            file = f"{inside}/.queue_name"
            findings.add(file, None, "contradiction", "queue_elsewhere", name=title[1], vhost=title[0])
            if each not in owners and queue_directory(*title) in owned:  # a copy, which a start deletes (S8)
                unknown.append(f"queues/{each}")
                continue
        queue = readers.queue(inside)
        report = queue.report()
        if each in owners:  # a start finds the directory by the queue's name, whatever the file in it says
            report["name"] = owners[each][1]
        if each in terms:
            compare(queue, terms[each], inside, findings)
            report["delivered_before"] = delivered_before(queue, terms[each])
            report["start_ends_process"] = old and try_start(storage, queue, terms[each], inside, findings)
        report["without_record"] = _look_up(queue, stores.get(STORES[0]), sizes, inside, findings)
        read.append(queue)
        queues.append(_relative(report, directory))
    for store, found in zip(stores.values(), store_reports, strict=True):
        found["unowned"] = unowned(store, read)
        if options.pins:
            names = [str(each["name"] or each["dir"]) for each in queues]
            for file, pinned in zip(
                found["files"], pins(store, dict(zip(names, read, strict=True))), strict=True
            ):
                file.update(pinned)
    return {
        "vhost_dir": directory.rpartition("/")[2] if vhost is None else vhost_directory(vhost),
        "vhost": vhost,
        "segment_entry_count": next(
            (each["segment_entry_count"] for each in queues if each.get("segment_entry_count")), entry_count
        ),
        "release": readers.release(terms.values(), has_config=not old),
        "believed": is_believed(terms, stores.get(STORES[0])),
        "unknown": unknown,
        "config_is_empty": storage.size(_joined(directory, ".config")) == 0,
        "queues": queues,
        "stores": [_relative(report, directory) for report in store_reports],
        "files": _files(storage, directory) if options.digests else [],
    }


def _titles(
    storage: DirectoryStorage, directory: str, owned: Sequence[str], vhost: str | None
) -> dict[str, tuple[str, str]]:
    """Return virtual host and name of the queue that each directory's `.queue_name` names, where it names one."""
    found = {}
    for each in owned:
        path = _joined(directory, f"queues/{each}/.queue_name")
        title = parsed(content(storage, path, DamageFindings()), path, DamageFindings(), read_queue_name)
        if title is not None:
            found[each] = (title[0] if vhost is None else vhost, title[1])
    return found


def _relative(report: dict[str, Any], directory: str) -> dict[str, Any]:
    if directory:
        report["dir"] = report["dir"].removeprefix(directory + "/")
    return report


def _look_up(
    queue: QueueReader,
    store: StoreFiles | None,
    sizes: Mapping[int, int],
    path: str,
    findings: DamageFindings,
) -> int:
    """Note live persistent messages without a record in any store file; return their number. Another node's
    messages are compared with their bodies besides: an expiry that no clock gives, and a size that is not the
    body's, are damage of the index. `sizes`: bytes of another node's bodies in stores, by the numbers of
    their messages. `path`: of the queue's directory.
    """
    there = store.message_numbers if store is not None else set()
    lost: list[int] = []
    expiries: list[tuple[int, int]] = []
    others: list[tuple[int, int, int]] = []
    found: int | None
    for seq, message in queue.messages.items():
        if message.is_owed:
            number = message.msg_no
            if number not in there:
                lost.append(seq)
                continue
            if number < FIRST_FOREIGN:
                continue
            found = sizes.get(number)
        elif message.acked or not message.embedded:
            continue
        else:
            found = queue.body_bytes(seq)
            if found is None:
                continue
        expiry_us, size = message.expiry_us, message.size_bytes
        if expiry_us and not EARLIEST_US <= expiry_us <= LATEST_US:
            expiries.append((seq, expiry_us))
        if found is not None and found != size:
            others.append((seq, size, found))
    if lost:
        first, count = min(lost), len(lost)
        findings.add(
            path, None, "missing", "messages_without_record", count=count, first=first, store=STORES[0]
        )
    if expiries:
        (first, at), count = min(expiries), len(expiries)
        findings.add(path, None, "contradiction", "expiry_of_no_clock", count=count, first=first, at=at)
    if others:
        (first, said, found), count = min(others), len(others)
        findings.add(
            path,
            None,
            "contradiction",
            "size_of_other_body",
            count=count,
            first=first,
            said=said,
            found=found,
        )
    return len(lost)


def _entry_count(
    storage: DirectoryStorage, directory: str, findings: DamageFindings, options: ReadingOptions
) -> int:
    if options.entry_count is not None:
        return options.entry_count
    path = _joined(directory, ".config")
    if storage.size(path) is None:
        return USUAL_ENTRY_COUNT
    count = parsed(content(storage, path, findings), path, findings, read_config)
    if isinstance(count, int) and 1 <= count <= USUAL_ENTRY_COUNT:
        return count
    most = assumed = USUAL_ENTRY_COUNT
    findings.add(path, None, "missing", "config_without_number", most=most, assumed=assumed)
    return assumed


def _files(storage: DirectoryStorage, directory: str) -> list[dict[str, Any]]:
    """Return path, size and digest of every file, as a manifest lists them."""
    found = []
    prefix = directory + "/" if directory else ""
    for path in storage.paths():
        if path.startswith(prefix):
            data = content(storage, path, DamageFindings())
            digest = None if data is None else hashlib.sha256(data).hexdigest()
            found.append({"path": path[len(prefix) :], "size": storage.size(path), "sha256": digest})
    return found


def _directories(storage: DirectoryStorage, directory: str) -> Sequence[str]:
    """Return the names of the directories directly inside one that hold a file at any depth, sorted."""
    prefix = directory + "/" if directory else ""
    inside = (path[len(prefix) :].split("/") for path in storage.paths() if path.startswith(prefix))
    return sorted({parts[0] for parts in inside if len(parts) > 1})


def _joined(directory: str, name: str) -> str:
    return f"{directory}/{name}" if directory else name


TEXTS: Final = ("S", "x")


def messages_of(
    storage: DirectoryStorage, directory: str, queue: str, entry_count: int, now_us: int
) -> Iterator[dict[str, Any]]:
    """Yield each message of a queue, in the queue's order.

    Args:
        storage: holds the virtual host.
        directory: of the virtual host in it, "" for the root.
        queue: path of the queue's directory below that of the virtual host.
        entry_count: entries in a segment of version 1.
        now_us: the wall clock at a start in microseconds since 1970, by which messages have expired.
    """
    below = f"{directory}/" if directory else ""
    readers = GenerationReaders(
        storage, "/", entry_count, DamageFindings(), ReadingOptions(list_most=0, heads=True)
    )
    reader = readers.queue(f"{below}{queue}")
    reader.report()
    ids = {
        seq: readers.codec.id_bytes(each.msg_no) for seq, each in reader.messages.items() if not each.embedded
    }
    wanted = frozenset(ids.values())
    places: dict[bytes, tuple[str, int, int]] = {}
    for store in STORES if wanted else ():
        places |= readers.store(f"{below}{store}").places(wanted)
    for seq, message in sorted(reader.messages.items()):
        if message.embedded:
            term = reader.content(seq)
        else:
            place = places.get(ids[seq])
            term = None if place is None else storage.read_bytes(*place)
        found = None if term is None else readers.message(term)
        why = "acknowledged" if message.acked else "" if message.persistent else "transient"
        why = why or ("expired" if 0 < message.expiry_us <= now_us else "")
        why = why or ("" if found else "its content cannot be read")
        yield {
            "seq": seq,
            "comes_back": not why,
            **({"why": why} if why else {}),
            **({} if found is None else described(found)),
        }


def described(found: StoredMessage) -> dict[str, Any]:
    """Return a message as JSON has it; its body as base64."""
    return {
        "id": found.id16.hex(),
        "exchange": found.exchange.decode("utf-8", "replace"),
        "routing_keys": [key.decode("utf-8", "replace") for key in found.routing_keys],
        "persistent": found.persistent,
        "properties": _properties(found),
        "body_bytes": len(found.body),
        "body": base64.b64encode(found.body).decode(),
    }


def _properties(found: StoredMessage) -> dict[str, Any]:
    if found.properties is None:
        names = [name for name, _flag, _kind in FLAGS]
        values = zip(names, (found.decoded_properties or ())[1:], strict=False)
        return {name: _text(value) for name, value in values if isinstance(value, bytes | int)}
    try:
        known = amqp.decode(found.properties)
    except TermError:
        return {"base64": base64.b64encode(found.properties).decode()}
    if "headers" in known:
        known["headers"] = {name: _plain(field) for name, field in known["headers"]}
    return known


def _plain(field: tuple[str, Any]) -> Any:
    letter, value = field
    if letter in TEXTS:
        return _text(bytes(value))
    if letter == "F":
        return {name: _plain(each) for name, each in value}
    if letter == "A":
        return [_plain(each) for each in value]
    return list(value) if isinstance(value, tuple) else value


def _text(value: bytes | int) -> Any:
    """Return bytes as text, or as base64 where they are none."""
    if isinstance(value, int):
        return value
    try:
        return value.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(value).decode()}
