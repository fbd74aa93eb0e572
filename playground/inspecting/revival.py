"""What a start would make of a broker's files: the engine's own node loses its power, and finds them afterwards.

Expired messages go to dead-letter exchanges, which a node's definitions name and its files do not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

import msgspec

from engine.amqp.exchanges import Binding, Exchange, Exchanges
from engine.broker.cluster import Cluster
from engine.broker.commands.scenario import MAX_QUEUES, ParsedScenario, QueueSpec, parse
from engine.ctl.console import operated
from engine.damage import ReadingOptions
from engine.formats.message import MessageCodec
from engine.formats.names import queue_directory
from engine.inspect.directory_kinds import VHOSTS, inspect
from engine.releases import REFERENCE, RELEASES
from engine.replay.player import KEEP_EVENTS
from engine.storage.ledger import LedgerStorage
from engine.values.chunks import ByteChunk, RawBytes
from engine.values.marks import override
from engine.values.settings import USUAL_ENTRY_COUNT
from playground.hosting.solo import SoloStorage
from playground.inspecting.readout import (
    CRASHES,
    DEAD,
    HOST,
    STORE,
    ReadableRecords,
    SavedStop,
    TakenOut,
    give,
    has_old_store,
    of_files,
    take_out,
)
from playground.inspecting.uploads import (
    FAR_SEGMENTS,
    USUAL,
    FarApart,
    Files,
    OutOfTime,
    PlacedBytes,
    ReleaseChoice,
    Why,
    has_placed,
    why,
)
from playground.offline import recording

EXCHANGE, KEY = "x-dead-letter-exchange", "x-dead-letter-routing-key"
MOST_BYTES: Final = 4 << 20


class DeadLetterRoutes(msgspec.Struct, frozen=True):
    """To which queues the expired messages of each queue go. `queues`: those that get one, by the queue in which it
    expires.
    """

    queues: dict[str, tuple[str, ...]]

    def arrivals(self, expired: Mapping[str, int]) -> dict[str, int]:
        """Return how many messages each queue gets. `expired`: how many expire in each."""
        found: Counter[str] = Counter()
        for queue, count in expired.items():
            found.update(dict.fromkeys(self.queues.get(queue, ()), count))
        return {queue: count for queue, count in found.items() if count}


def read(data: bytes, vhost: str | None) -> DeadLetterRoutes | None:
    """Return the routes in definitions.json, None if it is none. Arguments of queues count, no policies. A message
    keeps its routing key where the queue names none: the default exchange is taken to have brought it, and no other
    exchange that needs a key gets it. `vhost`: name of the virtual host; None for any.
    """
    try:
        found = msgspec.json.decode(data[:MOST_BYTES])
    except (msgspec.DecodeError, RecursionError):
        return None
    if not isinstance(found, dict):
        return None
    exchanges = Exchanges()
    queues = _items(found, "queues", vhost)
    for each in queues:
        exchanges.add_queue(str(each.get("name")))
    for each in _items(found, "exchanges", vhost):
        name, kind = str(each.get("name")), str(each.get("type"))
        exchanges.add(Exchange(name=name, type=kind, arguments=_letter_arguments(each)))
    for each in _items(found, "bindings", vhost):
        if str(each.get("source")) in exchanges.exchanges:
            exchanges.bind(
                Binding(
                    exchange=str(each["source"]),
                    queue=str(each.get("destination")),
                    routing_key=str(each.get("routing_key", "")),
                    arguments=_letter_arguments(each),
                    to="exchange" if each.get("destination_type") == "exchange" else "queue",
                )
            )
    routes = {}
    for each in queues:
        name, arguments = str(each.get("name")), _letter_arguments(each)
        exchange, key = arguments.get(EXCHANGE), arguments.get(KEY)
        if isinstance(exchange, str):
            keys = (key,) if isinstance(key, str) else () if exchange else (name,)
            routes[name] = exchanges.route(exchange, keys)
    return DeadLetterRoutes(routes)


def _letter_arguments(each: dict[str, Any]) -> dict[str, Any]:
    found = each.get("arguments")
    return found if isinstance(found, dict) else {}


def _items(found: dict[str, Any], table: str, vhost: str | None) -> list[dict[str, Any]]:
    rows = found.get(table)
    return [
        each
        for each in (rows if isinstance(rows, list) else ())
        if isinstance(each, dict) and (vhost is None or each.get("vhost", vhost) == vhost)
    ]


Decode = Callable[[bytes], Sequence[Any]]


class DecodedFiles:
    """The chunks of files by their bytes, for starts that are only counted. Chunks number messages as the codec
    that read them does, so all starts share the numbers of the first.
    """

    def __init__(self) -> None:
        self._first: MessageCodec | None = None
        self._chunks: dict[tuple[Any, ...], list[Any]] = {}

    def share(self, codec: MessageCodec) -> None:
        """Let the node of another start number messages as the first one did; nothing was read by it yet."""
        if self._first is None:
            self._first = codec
        else:
            self._first.share_with(codec)

    def chunks(self, data: bytes, decode: Decode) -> list[Any] | None:
        """Return what a decoder makes of a whole file; None of a decoder that names no codec. Raises EngineError:
        the file is damaged, each time that it is read.
        """
        if not isinstance(decode, partial) or "codec" not in decode.keywords:
            return None
        how = {name: value for name, value in decode.keywords.items() if name != "codec"}
        key = (data, decode.func, decode.args, type(decode.keywords["codec"]), *sorted(how.items()))
        if key not in self._chunks:
            self._chunks[key] = list(decode(data))
        return self._chunks[key]

    def forget(self) -> None:
        """Forget everything, after the last start."""
        self._chunks.clear()


LISTED: Final = 5_000
"""Most records of one file, and messages of one queue, that are listed one by one."""
POWER_CUT_US: Final = 1_000_000
UNTIL_US: Final = 2_000_000
V2_ENTRIES: Final = "index_v2_segment_entry_count"
"""The setting of a release that has queues of both versions."""
VHOST_ROOT: Final = "msg_stores/vhosts/628WB79CIFDYO9LJI6DKMI09L"


class QueueRevival(msgspec.Struct, frozen=True):
    """A start on files that were given.

    Args:
        shown: the same with as many queues as a page shows; None where it was not played.
        state: after the start; None where it fails.
        messages: what a page plays of it, in parts, each a list as JSON.
        failure: why it fails; None where it does not.
        unplayed: why it was not played to its end, which says nothing of the files; None where it was.
        names: of the queues in the node, by the queues' own names.
        files: what the node finds, by path in its own directory.
        not_shown: queues that were given besides those that a page shows.
        stop: what an orderly stop saved beside the files; None where the node just died.
        node: that has started; None where it was not played.
        now_us: the wall clock in microseconds when it starts.
        is_damaged: whether a report found damage in the files, so that each message is read by itself.
        found: what each queue gives, by its own name.
        left: number and bytes of the files of each kind after the start.
        routes: where expired messages go; None where nobody says.
    """

    scenario: dict[str, Any]
    state: dict[str, Any] | None
    messages: list[bytes]
    failure: Why | None
    unplayed: Why | None
    names: dict[str, str]
    files: Files
    not_shown: int = 0
    shown: dict[str, Any] | None = None
    stop: SavedStop | None = None
    node: Cluster | None = None
    now_us: int = 0
    is_damaged: bool = False
    found: dict[str, TakenOut] = {}
    left: dict[str, tuple[int, int]] = {}
    routes: DeadLetterRoutes | None = None
    decoded: DecodedFiles = msgspec.field(default_factory=DecodedFiles)


class FoundFiles(SoloStorage):
    """An empty storage that has other files after its first power cut. `max_bytes`: of all files, or None. `stop`:
    what an orderly stop saved beside them; None where there was none. `decoded`: what other starts have read of the
    files.
    """

    def __init__(
        self,
        files: Files,
        max_bytes: int | None = None,
        stop: SavedStop | None = None,
        decoded: DecodedFiles | None = None,
    ) -> None:
        super().__init__(max_bytes)
        self._given = files
        self._found: Files | None = files
        self._decoded = decoded
        self._stop = stop
        self._node: Cluster | None = None
        self._missed = 0

    @override
    def read(self, path: str, decode: Any) -> Any:
        if self.size(path) is None:
            self._missed += 1
            if self._missed > FAR_SEGMENTS:
                raise FarApart()
        file = self._files.get(path)
        if file is not None and any(isinstance(each, PlacedBytes) for each in file.chunks):
            if len(file.chunks) == 1 and path.endswith(".rdq"):
                return decode(file.chunks[0])  # it can be asked as bytes can
            found = super().read(path, decode)
            file.decoded = None
            return found
        if (
            file is not None
            and file.decoded is None
            and self._decoded is not None
            and self._is_as_given(path)
        ):
            chunks = self._decoded.chunks(self._given[path], decode)
            file.decoded = None if chunks is None else (decode, chunks)
        return super().read(path, decode)

    def _is_as_given(self, path: str) -> bool:
        match self._files[path].chunks:
            case [RawBytes(data)]:
                return data is self._given.get(path)
        return False

    @override
    def met(self, node: Cluster) -> None:
        self._node = node

    def met_to_count(self, node: Cluster) -> None:
        """Know the node of a start that is only counted: it asks for the length of properties, not for what they
        say. A session that goes on from the files shows and routes by what they say.
        """
        self.met(node)
        node.codec.pools_properties = True
        if self._decoded is not None:
            self._decoded.share(node.codec)

    def power_cut(self) -> None:
        """Forget what there was, and have the files that were given; later ones are like any other."""
        if self._found is None:
            super().power_cut()
            return
        for path in list(self.paths()):
            self.delete(path)
        found, self._found = self._found, None
        fill(self, found)
        if self._stop is not None and self._node is not None:
            self._reach(self._stop)
            give(self._node, self._stop)

    def _reach(self, stop: SavedStop) -> None:
        """Let each file of the store be as long as the stop saved: a start believes that without a look (S206)."""
        for number, size, _valid in stop.files:
            path = f"{VHOST_ROOT}/{STORE}/{number}.rdq"
            there = self.size(path)
            if there is None:
                self.create(path)
            if (there or 0) < size:
                self.append(path, [RawBytes(bytes(size - (there or 0)))])
                self.fsync(path)


def fill(storage: LedgerStorage, files: Files) -> None:
    for path, data in files.items():
        storage.create(path)
        if data:
            storage.append(path, [data if isinstance(data, PlacedBytes) else RawBytes(data)])
        storage.fsync(path)


class _Read(LedgerStorage):
    """Files that report which of them is being read. `files`: by path. `steps`: is told; see `reading.Steps`."""

    def __init__(self, files: Files, steps: Callable[..., None]) -> None:
        super().__init__()
        self._left = dict.fromkeys(files, 0)
        self._steps = steps
        self._whole = sum(map(len, files.values()))
        self._done = 0
        fill(self, files)

    def read_bytes(self, path: str, offset: int, count: int) -> bytes:
        self._note(path)
        return super().read_bytes(path, offset, count)

    def part(self, path: str, offset: int, count: int) -> Sequence[ByteChunk]:
        self._note(path)
        return super().part(path, offset, count)

    def _note(self, path: str) -> None:
        if self._left.pop(path, None) is not None:
            self._steps("reading", path=path, done=self._done, size=self._whole)
            self._done += self.size(path) or 0


def report_on(
    files: Files,
    steps: Callable[..., None] = lambda step, **values: None,
    entries: int | None = None,
    series: str | None = None,
) -> dict[str, Any]:
    """Return what `python -m engine inspect --json` prints about files, with shorter lists. `files`: by path.
    `steps`: is told how far it is; see `reading.Steps`. `entries`: of a segment of version 1; None where the files
    say it. `series`: of a 4.x whose files do not show it; None for the newest.
    """
    storage: Any = _Read(files, steps)  # it has what the inspectors ask of a directory
    options = ReadingOptions(list_most=LISTED, entry_count=entries)
    if has_placed(files):
        options = ReadingOptions(list_most=0, entry_count=entries, digests=False, pins=True, heads=True)
    return inspect(storage, msgspec.structs.replace(options, series=series) if series else options)


def vhost_directories(files: Files) -> list[str]:
    """Return the directories of the virtual hosts in a node's directory; none where something else was given."""
    below = f"{VHOSTS}/"
    inside = (path.removeprefix(below) for path in files if path.startswith(below))
    return sorted({path.partition("/")[0] for path in inside if "/" in path})


def of_vhost(files: Files, directory: str) -> Files:
    """Return the files of one virtual host, by its directory in the node's, and those of the node itself."""
    below = f"{VHOSTS}/"
    return {
        path: data
        for path, data in files.items()
        if not path.startswith(below) or path.startswith(f"{below}{directory}/")
    }


def revive(
    files: Files, report: dict[str, Any], choice: ReleaseChoice = USUAL, definitions: bytes | None = None
) -> QueueRevival | None:
    """Start a node on the files of a virtual host, or of one queue; None where there is no queue. `files`: what was
    given, of one virtual host at most; see `of_vhost`. `report`: on it, as `report_on` returns it. `choice`: says
    the release and the scale where a session wrote the files. `definitions`: the node's definitions.json, which
    says where expired messages go; None where it was not given.
    """
    vhost, root = the_vhost(files, report)
    found: list[dict[str, Any]] = vhost.get("queues", [])
    queues = sorted(found, key=lambda each: -each["lasting_messages"])  # a page shows the first
    if not queues:
        return None
    names = {each["dir"]: _name(each["name"], at) for at, each in enumerate(queues)}
    below = f"{root}/" if root else ""
    moved: Files = {}
    for path, data in files.items():
        inside = path.removeprefix(below)
        directory = inside.rpartition("/")[0]
        if directory in names:
            inside = f"queues/{queue_directory('/', names[directory])}/{inside.rpartition('/')[2]}"
        if inside != ".vhost" and not inside.endswith((".dets", ".ets")):
            moved[f"{VHOST_ROOT}/{inside}"] = data
    # Without the argument a 3.10 would convert files of version 2 back when it starts (W209).
    second = {} if vhost.get("release") else {"x-queue-version": 2}
    declared = [
        {"name": names[each["dir"]], "arguments": second if each.get("version") == 2 else {}}
        for each in queues
    ]
    scenario: dict[str, Any] = {
        "version": 1,
        "title": "",
        **_broker(vhost, choice),
        "seed": 1,
        "topology": {"queues": declared},
        "commands": [{"at_us": POWER_CUT_US, "do": "restart", "kind": "power"}],
        "until_us": UNTIL_US,
    }
    own = {str(each["name"] or each["dir"]): names[each["dir"]] for each in queues}
    count = vhost.get("segment_entry_count") or USUAL_ENTRY_COUNT
    directories = {each["dir"].rpartition("/")[2]: names[each["dir"]] for each in queues}
    revival = QueueRevival(
        scenario,
        None,
        [],
        None,
        None,
        own,
        moved,
        stop=of_files(files, root, directories, count, bool(vhost.get("believed"))),
        now_us=choice.now_us,
        is_damaged=bool(report["damage"]),
        routes=None if definitions is None else read(definitions, vhost.get("vhost")),
    )
    if _far_apart(queues, count):
        return msgspec.structs.replace(revival, failure=why(FarApart()))
    if cannot_read_config(vhost):
        dead = {name: TakenOut(None, end=DEAD) for name in own}
        return msgspec.structs.replace(revival, found=dead)
    return start(revival, records_of(queues))


def cannot_read_config(vhost: dict[str, Any]) -> bool:
    """Return whether a `.config` without a term keeps every queue of the virtual host from starting, as on 3.10."""
    return bool(vhost.get("config_is_empty")) and not vhost.get("release")


def start(revival: QueueRevival, records: int = 0) -> QueueRevival:
    """Return the result of starting a revival's scenario on its files and playing it to its end. `revival`: that
    was not played. `records`: that are in its indexes, for anyone who asks why it takes too long.
    """
    played = _play(revival, records)
    needs_memory = played.unplayed is not None and played.unplayed["code"] == "start_needs_memory"
    if needs_memory and len(revival.names) > 1:
        return _one_by_one(revival, records)
    dead: list[str] = []
    whole = revival
    if played.failure is not None and played.failure["code"] != "far_apart":
        dead = [own for own in revival.names if _play(_alone(revival, own), 0).failure is not None]
        if dead:
            revival = _without(revival, dead)
            played = _play(revival, records)
    if played.node is None:
        return msgspec.structs.replace(played, names=whole.names)
    # Where the walk over an index of version 1 does not end, the node never ends its boot (S117).
    is_walked = revival.stop is None or not revival.stop.is_clean
    if dead and is_walked and has_old_store(revival.scenario["profile"]):
        return msgspec.structs.replace(played, failure={"code": "start_hangs", "values": {"queue": dead[0]}})
    if not revival.names:
        return msgspec.structs.replace(whole, found={own: TakenOut(None, end=DEAD) for own in dead})
    if played.node.host.down:
        return played  # a stop came after the start
    found = taken_out(played)
    if any(each.end == HOST for each in found.values()):
        again = _play(msgspec.structs.replace(revival, stop=None), records)
        later = taken_out(again) if again.node is not None else {}
        for own, each in found.items():
            if each.end == HOST and own in later:
                each.after = later[own].given
    found |= {own: TakenOut(None, end=DEAD) for own in dead}
    return msgspec.structs.replace(played, found=found)


def _one_by_one(revival: QueueRevival, records: int) -> QueueRevival:
    """Return what each queue gives that starts without the others: they share files, and no message of its own."""
    found: dict[str, TakenOut] = {}
    for own in revival.names:
        alone = start(_alone(revival, own), records)
        if alone.unplayed is not None:
            return msgspec.structs.replace(revival, unplayed=alone.unplayed)
        found |= alone.found
        if alone.failure is not None:
            found[own] = TakenOut(None, end=DEAD)
    return msgspec.structs.replace(revival, found=found)


def taken_out(revival: QueueRevival) -> dict[str, TakenOut]:
    node, stop = revival.node, revival.stop
    assert node is not None  # noqa: S101 - who asks has started it
    records = (
        ReadableRecords(revival.files, stop, node.codec)
        if revival.is_damaged and stop and stop.is_clean
        else None
    )
    is_old = has_old_store(revival.scenario["profile"])
    crashes = {name: node.host.hosted(name).crashes for name in revival.names.values() if name in node.queues}
    found = {
        own: take_out(node, name, revival.now_us, records, is_old)
        for own, name in revival.names.items()
        if name in node.queues
    }
    for own, taken in found.items():
        taken.crashes = crashes[revival.names[own]]
    if revival.routes is not None:
        for own, count in revival.routes.arrivals({own: each.expired for own, each in found.items()}).items():
            if own in found:
                found[own].arrived = count
    return found


def _alone(revival: QueueRevival, own: str) -> QueueRevival:
    return _without(revival, [each for each in revival.names if each != own])


def _without(revival: QueueRevival, left_out: list[str]) -> QueueRevival:
    """Return the same start without some queues and their directories."""
    gone = {revival.names[own] for own in left_out}
    topology = revival.scenario["topology"]
    queues = [each for each in topology["queues"] if each["name"] not in gone]
    places = {f"/queues/{queue_directory('/', name)}/" for name in gone}
    return msgspec.structs.replace(
        revival,
        scenario={**revival.scenario, "topology": {**topology, "queues": queues}},
        names={own: name for own, name in revival.names.items() if name not in gone},
        files={
            path: data for path, data in revival.files.items() if not any(each in path for each in places)
        },
    )


def _play(revival: QueueRevival, records: int) -> QueueRevival:
    starter = _Starter(revival)
    stops = [POWER_CUT_US, revival.scenario["until_us"]]
    first = _first_queues(revival.scenario)
    try:
        recorded = recording.record(starter, revival.scenario, stops)  # type: ignore[arg-type]
        if first != revival.scenario:
            recorded = recording.record(_Starter(revival), first, stops)  # type: ignore[arg-type]
    except (MemoryError, OutOfTime) as error:
        return msgspec.structs.replace(revival, unplayed=too_much(error, records))
    except (*CRASHES, OSError) as error:
        return msgspec.structs.replace(revival, failure=why(error))
    assert starter.node is not None  # noqa: S101 - it was recorded
    full, state = parse(first).to_json(), starter.node.snapshot()
    return msgspec.structs.replace(
        revival,
        scenario=full if first == revival.scenario else revival.scenario,
        shown=full,
        not_shown=max(0, len(revival.names) - MAX_QUEUES),
        state=state,
        messages=recorded.parts,
        node=starter.node,
        left=files_of(starter.node.storage),
    )


def _first_queues(scenario: dict[str, Any]) -> dict[str, Any]:
    topology = scenario["topology"]
    return {**scenario, "topology": {**topology, "queues": topology["queues"][:MAX_QUEUES]}}


def parse_whole(scenario: dict[str, Any]) -> ParsedScenario:
    """Return a scenario parsed, however many queues it has: the bound is that of what a page shows."""
    parsed = parse(_first_queues(scenario))
    queues = msgspec.convert(scenario["topology"]["queues"], tuple[QueueSpec, ...])
    assert parsed.topology is not None  # noqa: S101 - the scenario has one
    return msgspec.structs.replace(parsed, topology=msgspec.structs.replace(parsed.topology, queues=queues))


def files_of(storage: Any) -> dict[str, tuple[int, int]]:
    found: dict[str, tuple[int, int]] = {}
    for path in storage.paths():
        kind = path.rpartition(".")[2]
        if kind in ("idx", "jif", "qi", "qs", "rdq"):
            count, size = found.get(kind, (0, 0))
            found[kind] = (count + 1, size + (storage.size(path) or 0))
    return found


def _broker(vhost: dict[str, Any], choice: ReleaseChoice) -> dict[str, Any]:
    """Return the profile and settings of the broker that wrote the files."""
    release = RELEASES[choice.series or vhost.get("release") or REFERENCE.series]
    usual: Any = release.storage_settings(choice.scale, {})
    without = usual.segment_entry_count if vhost.get("release") else USUAL_ENTRY_COUNT
    # The header of a `.qi` file says its slots, which the broker keeps nowhere else (W3).
    of_second = (each for each in vhost.get("queues", []) if each.get("version") == 2)
    second = next(filter(None, (each.get("segment_entry_count") for each in of_second)), None)
    both = V2_ENTRIES in release.storage.settings.bounds
    if both and second:
        other = {V2_ENTRIES: second}
        count = choice.entries or usual.segment_entry_count
    else:
        other, count = {}, vhost.get("segment_entry_count") or without
    if count != usual.segment_entry_count:
        other["segment_entry_count"] = count
    return {"profile": release.profiles[choice.scale], "settings": other}


def records_of(queues: list[dict[str, Any]]) -> int:
    records: int = sum(each["records"] for queue in queues for each in queue["segments"])
    return records + sum(queue["journal"]["records"] for queue in queues if queue["journal"])


def too_much(error: Exception, records: int) -> Why:
    """Return why a start was not played to its end, with the number of records that it had to read."""
    code = "start_needs_memory" if isinstance(error, MemoryError) else "start_takes_too_long"
    return {"code": code, "values": {"records": records}}


class _Starter:
    """Makes the one node, for a recording."""

    def __init__(self, revival: QueueRevival) -> None:
        self.node: Cluster | None = None
        self._revival = revival

    def rehearse(self, scenario: dict[str, Any], keep: int = KEEP_EVENTS) -> Cluster:
        """Return a node whose storage has the files after its power cut."""
        files = FoundFiles(self._revival.files, stop=self._revival.stop, decoded=self._revival.decoded)
        self.node = operated(parse_whole(scenario), files, keep)
        files.met_to_count(self.node)
        return self.node


def the_vhost(files: Files, report: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """Return the report on the virtual host and its path; a queue alone counts as the only one of a host."""
    if report["kind"] == "node":
        return report["vhosts"][0], f"{VHOSTS}/{vhost_directories(files)[0]}"
    if report["kind"] == "queue":
        found = {"queues": [report], "segment_entry_count": report.get("segment_entry_count")}
        return found | {"release": report["release"]}, ""
    return (report, "") if report["kind"] == "vhost" else ({}, "")


def _name(name: str | None, at: int) -> str:
    """Return a name that the engine takes, as near to the queue's own as can be."""
    kept = "".join(
        sign if sign.isascii() and (sign.isalnum() or sign in "_.-") else "-" for sign in (name or "").lower()
    )
    kept = kept[:28].lstrip("0123456789_.-")
    return kept if kept and kept == (name or "") else f"{kept or 'queue'}-{at}"


def _far_apart(queues: list[dict[str, Any]], entry_count: int) -> bool:
    for queue in queues:
        segments = [int(each["file"].split(".")[0]) for each in queue["segments"]]
        segments += [message["seq"] // entry_count for message in queue["messages"]]
        if segments and max(segments) - min(segments) > FAR_SEGMENTS:
            return True
    return False
