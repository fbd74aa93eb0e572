"""`python waterline-inspect.pyz DIR`: what a start brings back of a node's files, what is damaged, and what to do.

Exit status: 0 everything comes back and nothing is damaged, 1 something is lost or damaged, 2 nothing to read there,
3 the start was not played to its end: it needs more memory than it may take (--memory).

Of more than 256 MiB the files stay where they are: of a store's records the heads are read and no bodies, as a broker
does at a start; the memory that it takes follows the messages, about 1 kB for each. A directory changes while its node
runs: stop the node first, or give a copy.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime as dt
import json
import re
import resource
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from engine.inspect.directory_kinds import VHOSTS, messages_of
from engine.storage.directory import DirectoryStorage
from engine.values.errors import ENGLISH
from engine.values.settings import USUAL_ENTRY_COUNT
from playground.inspecting import reading, rehearsal
from playground.inspecting.readout import DEAD
from playground.inspecting.revival import report_on, vhost_directories
from playground.inspecting.uploads import Files, PlacedFiles, ReleaseChoice, is_needed, without_parents

GOOD, BAD, NOTHING, NOT_PLAYED = range(4)
MOST_BYTES: Final = 256 << 20
"""Of files that are kept while a start is played; of more, what it needs is read where they are."""
WITH_MESSAGES: Final = (".rdq", ".rdt", ".idx", ".jif", ".qi", ".qs")
MOST_MEMORY: Final = 1024
"""MiB, unless somebody says more."""
MOST_GARBAGE: Final = 50
"""Percent of a store file: with more, what pins it is named."""
MOST_FILES: Final = 20
"""Store files that are named, those with the most garbage first."""
MOST_PINS: Final = 5
"""Queues that pin a file and are named, those with the fewest messages first."""
BESIDE: Final = ("quorum", "stream", "coordination")
"""Directories of a node that are no classic queue's."""
OF_QUEUE: Final = re.compile(rb"queue_resource\s*=>\s*\{resource,\s*<<([^>]*)>>,\s*queue,\s*<<([^>]*)>>\}")
"""Virtual host and name in the `config` that a quorum queue's log keeps, a term in Erlang's own print."""


def main(argv: Sequence[str] | None = None) -> int:
    """Answer what was asked; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="waterline-inspect", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("directory", type=Path, help="of a node, its msg_stores, a virtual host, or a queue")
    parser.add_argument("--vhost", default="", help="name of the virtual host, where there are several")
    parser.add_argument("--json", action="store_true", help="print the whole answer as JSON")
    parser.add_argument(
        "--what-to-do", action="store_true", help="print what to move away, what that costs, and the commands"
    )
    parser.add_argument("--extract", metavar="QUEUE", help="print a queue's messages, one a line, as JSON")
    parser.add_argument(
        "--memory",
        type=int,
        default=MOST_MEMORY,
        metavar="MIB",
        help=f"that it may take; {MOST_MEMORY} without it",
    )
    parser.add_argument("--day", type=_day, default=0.0, help="of the start, as 2026-01-31; today without it")
    options = parser.parse_args(argv)
    place: Path = options.directory
    if not place.is_dir():
        sys.stderr.write(f"waterline-inspect: {place} is no directory\n")
        return NOTHING
    if options.extract is not None:
        return _extract(place, options.extract, options.vhost, ReleaseChoice(day=options.day).now_us)
    try:
        with _bound(options.memory):
            return _answer(place, options)
    except MemoryError:
        sys.stderr.write(
            f"waterline-inspect: the index of these files alone needs more than {options.memory} MiB; "
            f"give more (--memory {4 * options.memory}), or one virtual host (--vhost NAME)\n"
        )
        return NOT_PLAYED
    except OSError as error:
        sys.stderr.write(f"waterline-inspect: {error}; run it as the user of the node\n")
        return NOTHING


@contextlib.contextmanager
def _bound(most_mib: int) -> Iterator[None]:
    """Bound the memory of this process meanwhile, so that it never takes the machine's from the node."""
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    most = most_mib << 20
    resource.setrlimit(resource.RLIMIT_DATA, (most if hard < 0 else min(most, hard), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


class ProgressLines:
    """Says on the error output what is done now, and of what is read how much."""

    def __init__(self, name: str) -> None:
        self._name, self._said = name, ""

    def __call__(self, step: str, **values: Any) -> None:
        """Take note of a step; see `reading.ReadingSteps`."""
        if step == "reading":
            done = f"reading, {10 * (10 * values['done'] // max(1, values['size']))} %"
        else:
            done = {"starting": "playing the start", "answering": "answering"}.get(step) or (
                f"rehearsing {values['release']}"
            )
        if done != self._said:
            self._said = done
            sys.stderr.write(f"{self._name}: {done} ...\n")


def _node(place: Path) -> Path:
    """Return the node's directory where one above it was given, as data directories have it, else what was given."""
    below = sorted(each for each in place.glob("*/msg_stores") if each.is_dir())
    return (below[0].parent if below else place).resolve()


def _day(text: str) -> float:
    return dt.datetime.fromisoformat(text).replace(tzinfo=dt.UTC).timestamp()


def _files(place: Path) -> Files:
    """Return the files that matter, with the node's flags and definitions, which may lie beside its directory. Of
    more than `MOST_BYTES` those with messages stay where they are.
    """
    storage = DirectoryStorage(str(place))
    paths = [path for path in storage.paths() if is_needed(path)]
    sizes = {path: storage.size(path) or 0 for path in paths}
    placed = PlacedFiles(storage) if sum(sizes.values()) > MOST_BYTES else None
    files: Files = {
        path: placed.file(path)
        if placed and path.endswith(WITH_MESSAGES)
        else storage.read_bytes(path, 0, size)
        for path, size in sizes.items()
    }
    return without_parents(files) | {path.name: path.read_bytes() for path in _flag_lists(place)}


def _flag_lists(place: Path) -> list[Path]:
    """Return the lists of feature flags that lie beside the directory of the node."""
    node = next((each for each in (place, *place.resolve().parents) if (each / "msg_stores").is_dir()), None)
    return [] if node is None else [*node.parent.glob(f"{node.name}-feature_flags")]


def _answer(place: Path, options: argparse.Namespace) -> int:
    files = _files(place)
    if not files:
        sys.stderr.write(f"waterline-inspect: nothing of a queue is in {place}\n")
        return NOTHING
    plain = reading.without_beside(files)[0]
    answers = []
    for vhost in vhost_directories(plain) or [""]:
        name = plain.get(f"{VHOSTS}/{vhost}/.vhost", b"").decode("utf-8", "replace")
        if options.vhost and options.vhost != name:
            continue
        choice = ReleaseChoice(vhost=vhost, day=options.day)
        answer = reading.directory(files, choice, ProgressLines(name or str(place)))[0]
        answers.append((name, vhost, answer))
    if not answers:
        sys.stderr.write(f"waterline-inspect: no virtual host {options.vhost!r} in {place}\n")
        return NOTHING
    if options.json:
        beside = [*_beside(place)]
        only_drawn = ("begun", "started", "files")  # which only a page does
        rows = [
            {"vhost": name, **{key: answer[key] for key in answer if key not in only_drawn}, "beside": beside}
            for name, _vhost, answer in answers
        ]
        sys.stdout.write(json.dumps(rows, indent=1) + "\n")
    else:
        for name, vhost, answer in answers:
            for line in lines(name, answer):
                sys.stdout.write(line + "\n")
            for line in advice(files, vhost, answer, options.day) if options.what_to_do else ():
                sys.stdout.write(line + "\n")
        for line in _beside(place):
            sys.stdout.write(line + "\n")
    if not any(answer["queues"] or answer["stores"] for _name, _vhost, answer in answers):
        return NOTHING
    if any(answer["unplayed"] for _name, _vhost, answer in answers):
        return NOT_PLAYED
    return BAD if any(_is_bad(answer) for _name, _vhost, answer in answers) else GOOD


def _is_bad(answer: dict[str, Any]) -> bool:
    without_index = not answer["queues"] and answer["unowned"]
    return bool(answer["failure"] or answer["damage"] or _loses(answer) or without_index)


def _loses(answer: dict[str, Any]) -> bool:
    return any(row["back"] is None or row["gone"] or row["unreadable"] for row in answer["queues"])


def lines(name: str, answer: dict[str, Any]) -> Iterator[str]:
    """Yield the verdict on a virtual host, a line for each start, a line for each queue, and the damage. `name`: of
    the virtual host, empty where it is not known. `answer`: see `reading.directory`.
    """
    live = sum(row["live"] for row in answer["queues"])
    back = sum(row["back"] or 0 for row in answer["queues"])
    where = f"virtual host {name!r}" if name else "these files"
    if answer["failure"]:
        yield f"FAILS: a start on {where} fails: {_why(answer['failure'])}"
    elif answer["unplayed"]:
        yield f"NOT PLAYED: a start on {where}: {_why(answer['unplayed'])}"
    elif not answer["queues"]:
        yield f"NO QUEUE: {where} hold no index of a classic queue, so a start brings nothing back"
    else:
        sign = (
            "LOSES"
            if _loses(answer)
            else "EXPIRED"
            if back < live
            else "DAMAGED"
            if _is_bad(answer)
            else "ALL BACK"
        )
        yield f"{sign}: {answer['source']} starts on {where} and has {back} of {live} messages"
    for row in answer["upgrades"]:
        if row["is_back"] or row["policy"] is not None or "-v" in row["target"]:
            continue
        after = [queue["after"] for queue in row["queues"]]
        trouble = row["failure"] or row["unplayed"]
        said = "?" if None in after else f"{sum(after)} of {live}"
        said = f"not played: {_why(trouble)}" if trouble else f"has {said}"
        yield f"  to {row['target']}: {_gate_words(row['gate'])}" + (
            f", {said}" if row["gate"]["accepted"] else ""
        )
    losing_first = sorted(
        answer["queues"], key=lambda row: (row["back"] is not None, -(row["gone"] or 0), row["name"])
    )
    for row in losing_first:
        yield f"  {row['name']}: {_of_queue(row)}"
    yield from _pinned(answer["stores"])
    due = answer["collector"]
    if due and due["files"]:
        yield (
            f"  store: {due['files']} files are more than half garbage ({due['bytes']} bytes) and wait for the "
            "collector, which compacts one after the other; if publishers are faster than it is, the store grows"
        )
    for each in answer["unowned"]:
        yield (
            f"  store: {each['store']}: {each['count']} bodies ({each['bytes']} bytes) belong to no message of any "
            "index here: garbage, or the index is gone"
        )
    for each in answer["damage"]:
        at = "" if each["offset"] is None else f" at {each['offset']}"
        yield f"  damage: {each['file']}{at}: {each['words']}"


WHY: Final = {
    "start_needs_memory": "it needs more memory than it may take, for %(records)s records of the index; give it more "
    "(--memory), or one virtual host (--vhost)",
    "start_hangs": "the node hangs at its boot: it cannot read the index of queue %(queue)s, and the store waits for "
    "that without end (S117)",
    "far_apart": "a record's seq_id is millions of messages away from the others, and a start would look for every "
    "one between them",
    "unexpected": "%(why)s",
}


def _why(found: dict[str, Any]) -> str:
    """Return why a start fails, or was not played, in words."""
    return str((WHY | ENGLISH).get(found["code"], found["code"]) % found["values"])


def _gate_words(gate: dict[str, Any]) -> str:
    if gate["accepted"]:
        return "starts"
    return f"refuses to start; not enabled: {', '.join(gate['missing'])}; way: {' -> '.join(gate['way'])}"


def _pinned(stores: list[dict[str, Any]]) -> Iterator[str]:
    """Yield which messages keep a store file on the disk that has more garbage than content, the largest first."""
    pinned = [
        row for row in stores if row["pins"] and row["share"] is not None and row["share"] > MOST_GARBAGE
    ]
    for row in pinned[:MOST_FILES]:
        kept = ", ".join(
            f"{each['queue']} with {each['count']} (seq {each['first']} to {each['last']})"
            for each in row["pins"][:MOST_PINS]
        )
        more = len(row["pins"]) - MOST_PINS
        others = f", and {more} more queues" if more > 0 else ""
        yield (
            f"  store: {row['store']}/{row['file']}: {row['garbage']} of {row['after']} bytes are garbage; "
            f"kept by {kept}{others}"
        )
    if len(pinned) > MOST_FILES:
        yield f"  store: {len(pinned) - MOST_FILES} more files are mostly garbage"


def _of_queue(row: dict[str, Any]) -> str:
    if row["ends"] == DEAD:
        return f"does not start; {row['live']} messages are in its files"
    if row["back"] is None:
        return f"{row['live']} messages in its files"
    said = f"{row['back']} of {row['live']} back, {row['redelivered']} redelivered"
    if row["crashes"]:
        said += "; its process crashes once at the start, and is started again on its files"
    if row["expired"]:
        said += f", {row['expired']} expired"
    if row["unreadable"]:
        said += f"; lists {row['listed']}, and a read ends its {row['ends']} after {row['listed'] - row['unreadable']}"
    return said


def advice(files: Files, vhost: str, answer: dict[str, Any], day: float) -> Iterator[str]:
    """Yield what to do, each with what it costs and its commands; nothing of it is run. `vhost`: directory of the
    virtual host.
    """
    if not _is_bad(answer):
        yield "  do: nothing"
        return
    if not answer["queues"]:
        yield "  do: put the directory queues/ back from a copy; without an index no start takes a body from the store"
        return
    if not _loses(answer) and not answer["failure"]:
        yield "  do: nothing; the damage costs no message that its index still names"
        return
    yield "  do first: stop the node, and copy its directory: cp -a DIR DIR.copy"
    below = f"{VHOSTS}/{vhost}/" if vhost else ""
    helps = False
    for row in answer["queues"]:
        if row["ends"] == DEAD:
            helps = True
            yield f"  do: move the files of {row['name']} away; costs its {row['live']} messages"
            yield f"      (--extract first); mv {below}{row['dir']} /safe/place/"
    if any(row["unreadable"] for row in answer["queues"]):
        saved = "recovery.dets"
        rest = {path: data for path, data in files.items() if not path.endswith(f"/{saved}")}
        later, _started = reading.directory(rest, ReleaseChoice(vhost=vhost, day=day))
        back = sum(row["back"] or 0 for row in later["queues"])
        now = sum((row["listed"] or 0) - (row["unreadable"] or 0) for row in answer["queues"])
        if back > now:
            helps = True
            yield f"  do: let the start read all files, as after a crash: {back} can then be read, instead of {now};"
            yield "      costs: every message of this virtual host comes back as redelivered"
            yield f"      mv {below}{saved} /safe/place/"
    if not helps:
        yield "  do: no file that is moved away brings more back; take what is not back with --extract, then start"


def _beside(place: Path) -> Iterator[str]:
    """Yield a line for each directory of what is no classic queue: a quorum queue's by the name that it keeps in it."""
    for kind in BESIDE:
        for path in sorted(_node(place).glob(f"{kind}/*/*" if kind != "stream" else f"{kind}/*")):
            if path.is_dir():
                config = path / "config"
                named = OF_QUEUE.search(config.read_bytes()) if config.is_file() else None
                whose = f" of queue {_text(named[2])!r} in virtual host {_text(named[1])!r}" if named else ""
                yield f"  {kind}: {path.name}{whose}: not read"


def _text(term: bytes) -> str:
    """Return what stands between the brackets of an Erlang binary as text: a string, or the numbers of its bytes."""
    if term.startswith(b'"'):
        text, _slash, kind = term.partition(b'"/') if term.endswith(b"utf8") else (term, b"", b"")
        return text.strip(b'"').decode("utf-8" if kind else "latin-1", "replace")
    return bytes(int(each) for each in term.split(b",")).decode("utf-8", "replace")


def _extract(place: Path, queue: str, vhost: str, now_us: int) -> int:
    storage = DirectoryStorage(str(_node(place)))
    report = report_on(reading.without_beside(_files(place))[0])
    hosts = [each for each in hosts_of(report) if not vhost or each["vhost"] == vhost]
    if not any(queue == name for host in hosts for (name, _priority), _place in _parts(host)):
        sys.stderr.write(f"waterline-inspect: no queue {queue!r} in {place}\n")
        return NOTHING
    for host in hosts:
        for row in extracted(storage, host, report["kind"] == "node", queue, now_us):
            sys.stdout.write(json.dumps(row, ensure_ascii=False) + "\n")
    return GOOD


def extracted(
    storage: Any, host: dict[str, Any], in_node: bool, queue: str, now_us: int
) -> Iterator[dict[str, Any]]:
    """Yield a queue's messages in the order in which a consumer gets them, and those that no start brings back.
    `host`: report on the virtual host. `in_node`: whether a node's directory was given, not the virtual host's own.
    `queue`: its name; of a priority queue's parts the highest priority comes first. `now_us`: the wall clock at a
    start, in microseconds since 1970.
    """
    directory = f"{VHOSTS}/{host['vhost_dir']}" if in_node else ""
    entries = host["segment_entry_count"] or USUAL_ENTRY_COUNT
    for (name, priority), place in sorted(_parts(host), key=lambda part: -(part[0][1] or 0)):
        part = {} if priority is None else {"priority": priority}
        for message in messages_of(storage, directory, place, entries, now_us) if name == queue else ():
            yield {"vhost": host["vhost"], "queue": name, **part, **message}


def hosts_of(report: dict[str, Any]) -> list[dict[str, Any]]:
    hosts: list[dict[str, Any]] = report["vhosts"] if report["kind"] == "node" else [report]
    return hosts if report["kind"] in ("node", "vhost") else []


def _parts(host: dict[str, Any]) -> list[tuple[tuple[str, int | None], str]]:
    """Return the name of each queue, the priority of its part, and its directory."""
    return [(rehearsal.whole_name(str(each["name"] or each["dir"])), each["dir"]) for each in host["queues"]]


if __name__ == "__main__":
    sys.exit(main())
