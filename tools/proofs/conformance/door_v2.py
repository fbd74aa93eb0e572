"""The backing-queue door of version 2 as the recording driver used it: operations of cq-trace/2, one method each."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from engine.backing_queue.protocol import CleanTerms
from engine.classic_v2.formats.mc import EPOCH_MS, McCodec
from engine.classic_v2.index.recovery import references
from engine.classic_v2.queue.queue import ClassicQueueV2
from engine.classic_v2.queue.state import V2Means
from engine.classic_v2.queue.taking import times_delivered
from engine.classic_v2.settings import V4_0, V4_3, V2Settings
from engine.classic_v2.store.server import SharedStore
from engine.formats.arrays import Bytes2D, np
from engine.formats.message import MessageCodec, MessageTemplate, TermLayout
from engine.storage.port import Storage
from engine.values.chunks import RawBytes
from engine.values.errors import ProcessCrash, ProcessCrashed
from engine.values.marks import ignore
from engine.values.stretches import Range
from tools.proofs.conformance.operations import Operations, ranges
from tools.proofs.conformance.picks import picked
from tools.proofs.conformance.vector import seq_ranges
from tools.proofs.conformance.vector_v2 import Files, vector

SETTING_NAMES: Final = (
    "segment_entry_count",
    "store_max_cache_size",
    "check_crc32",
    "queue_index_embed_msgs_below",
    "msg_store_file_size_limit",
)
RELEASES: Final = {"4.3.6": V4_3, "4.0.5": V4_0}
REF: Final = "trace"
OWN, PERSISTENT, TRANSIENT = "queues/trace", "msg_store_persistent", "msg_store_transient"
NO_FRAMES: Final = 1 << 40
"""The driver's bodies are in one fragment, however large."""


class DriverCodec(MessageCodec):
    """The codec with the driver's ids: digests of the message numbers."""

    def ids(self, msg_no: int, count: int) -> Bytes2D:
        """Return the ids of consecutive message numbers as one table, 16 bytes a row."""
        joined = b"".join(self.id_bytes(number) for number in range(msg_no, msg_no + count))
        return np.frombuffer(joined, np.uint8).reshape(count, 16)

    def id_bytes(self, msg_no: int) -> bytes:
        """Return the 16 id bytes of a message number."""
        id16 = id_of(msg_no)
        self._foreign_numbers.setdefault(id16, msg_no)
        return id16

    def fill(self, rows: Bytes2D, at: int, layout: TermLayout, ids: Bytes2D) -> None:
        """Write terms into a table of records: bodies begin with the number, which the driver's ids do not contain."""
        super().fill(rows, at, layout, ids)
        numbers = b"".join(self._foreign_numbers[each.tobytes()].to_bytes(8, "big") for each in ids)
        body, lead = at + layout.body_at, layout.lead_bytes
        rows[:, body : body + lead] = np.frombuffer(numbers, np.uint8).reshape(len(ids), 8)[:, :lead]


class TraceCodec(DriverCodec, McCodec):
    """The same for messages of 4.x."""


def id_of(msg_no: int) -> bytes:
    """Return the id that the driver gave a message: a digest of its number."""
    return hashlib.md5(f"cq-trace/2:{msg_no}".encode(), usedforsecurity=False).digest()


def release_of(trace: dict[str, Any]) -> str:
    """Return the release of the node that a trace was recorded on.

    Raises:
        ValueError: its source names none that this engine has.
    """
    for release in RELEASES:
        if release in trace["source"]:
            return release
    raise ValueError(f"{trace['source']} is none of the releases {', '.join(RELEASES)}")


def settings_of(config: dict[str, Any], release: str) -> V2Settings:
    """Return the settings of a trace: its configuration with the capabilities of its release."""
    initial, more = config["msg_store_credit_disc_bound"]
    return msgspec.structs.replace(
        RELEASES[release],
        msg_store_credit_disc_bound=(initial, more),
        **{name: config[name] for name in SETTING_NAMES},
    )


class V2Door(Operations):
    """One queue of version 2 with its two stores, driven by the steps of a trace.

    Args:
        config: the trace's configuration.
        release: of the node that was recorded.
        storage: where the files go.
        own: directory of the queue in it.
    """

    def __init__(self, config: dict[str, Any], release: str, storage: Storage, own: str = OWN) -> None:
        self.config = config
        self.storage = storage
        self.own = own
        self.settings = settings_of(config, release)
        self.codec = self._codec()
        self.out_rate = config["out_rate"]
        self._begin()

    def _codec(self) -> McCodec:
        """Return what encodes messages as the recording driver made them."""
        return TraceCodec(
            vhost=self.config["vhost"],
            templates=(MessageTemplate(routing_keys=(self.config["queue"],)),),
            transient_mark_second=self.settings.transient_mark_second,
            frame_bytes=NO_FRAMES,
            rts_ms=EPOCH_MS,
        )

    def _begin(self) -> None:
        """Begin with empty stores and an empty queue."""
        self.next_msg_no = 0
        self.seq_of_msg: dict[int, int] = {}
        self.files = Files(self.storage, {"": self.own, "p/": PERSISTENT, "t/": TRANSIENT})
        self._make_stores()
        self.persistent.start_new()
        self.transient.start_new()
        self._make_queue()
        self.queue.start_new()
        self._freeze()

    def _make_stores(self) -> None:
        def store(name: str, directory: str) -> SharedStore:
            return SharedStore(
                name=name,
                directory=directory,
                storage=self.storage,
                codec=self.codec,
                settings=self.settings,
            )

        self.persistent = store("persistent", PERSISTENT)
        self.transient = store("transient", TRANSIENT)

    def _make_queue(self) -> None:
        self.queue = ClassicQueueV2(
            V2Means(
                name=self.config["queue"],
                durable=self.config["durable"],
                settings=self.settings,
                codec=self.codec,
                storage=self.storage,
                directory=self.own,
                persistent=self.persistent,
                transient=self.transient,
                ref=REF,
                emit=ignore,
                settle=self.settle,
            )
        )

    def _freeze(self) -> None:
        self.queue.state.rates.freeze(0.0, float(self.out_rate), 0.0, 0.0)

    def step(self, step: dict[str, Any]) -> dict[str, Any]:
        """Execute one step; return what the trace calls result, drain (absent when empty) and after."""
        try:
            result = getattr(self, f"_{step['op']}")(step)
        except ProcessCrashed as crash:
            return {"result": {"crash": crash.reason, "in": crash.function}}
        except ProcessCrash as crash:
            return {"result": {"crash": crash.kind, "in": f"{crash.function.replace(',', ':')}/1"}}
        self.settle()
        blocked = self.queue.state.blocked
        drained = self.queue.drain_mailbox()
        outcome: dict[str, Any] = {}
        if result:
            outcome["result"] = result
        if blocked or drained.bumps:
            outcome["drain"] = {"blocked": blocked, "bumps": drained.bumps}
        found = self.files.read()
        outcome["after"] = self._after(found)
        changed = self.files.changed(found)
        if changed:
            outcome["after"]["hex"] = changed
        return outcome

    def _after(self, found: dict[str, bytes]) -> dict[str, Any]:
        """Return the state vector, with the files as they are now."""
        return vector(self.queue.state, self.persistent, self.transient, found)

    # --- operations, named as in the trace ---------------------------------------------------------------------------

    def _noted(self, first_msg_no: int, first: int, count: int) -> None:
        for skip in range(count):
            self.seq_of_msg[first_msg_no + skip] = first + skip

    def _publish(self, step: dict[str, Any]) -> dict[str, Any]:
        first, first_msg_no = self.queue.state.next_seq_id, self.next_msg_no
        for arrival in self._arrivals(step):
            self.queue.publish([arrival], bool(step.get("delivered")))
        self._noted(first_msg_no, first, step["count"])
        return {"seq": [first, self.queue.state.next_seq_id - 1]}

    def _publish_delivered(self, step: dict[str, Any]) -> dict[str, Any]:
        first, first_msg_no = self.queue.state.next_seq_id, self.next_msg_no
        for arrival in self._arrivals(step):
            self.queue.publish_delivered([arrival])
        self._noted(first_msg_no, first, step["count"])
        return {"tags": [first, self.queue.state.next_seq_id - 1]}

    def _fetch(self, step: dict[str, Any]) -> dict[str, Any]:
        taken = self.queue.fetch(step["count"], step["ack"])
        delivered: list[list[Any]] = []
        counted: list[list[int]] = []
        for each in taken:
            longer(delivered, bool(each.redelivered), each.extent.count)
            for times, count in times_delivered(self.queue.state, each.extent.start, each.extent.count):
                longer(counted, times, count)
        result = {**self._taken(taken, step["count"]), "delivered": delivered}
        if self.settings.counts_deliveries:
            result["delivery_count"] = counted
        return result

    def _ack(self, step: dict[str, Any]) -> dict[str, Any]:
        tags = ranges(step["tags"]) if "tags" in step else self._picked(step["pick"])
        found = self.queue.ack(tags, step["multiple"])
        return {"acked": sum(each.count for each in found)}

    def _picked(self, pick: dict[str, Any]) -> list[Range]:
        """Return the tags that a step inside a burst chooses among the pending ones."""
        state = self.queue.state
        pending = sorted(
            seq
            for place in (state.ram_pending, state.disk_pending)
            for e in place
            for seq in range(e.start, e.end)
        )
        return [Range(seq, 1) for seq in picked(pick, pending)]

    def _requeue(self, step: dict[str, Any]) -> dict[str, Any]:
        failed = step.get("delivery_failed", True)
        found = self.queue.requeue(ranges(step["tags"]), step["multiple"], failed)
        return {"requeued": sum(each.count for each in found)}

    def _ackfold(self, step: dict[str, Any]) -> dict[str, Any]:
        found = [
            each
            for tags in ranges(step["tags"])
            for each in self.queue.ackfold([tags], delivery_failed=False)
        ]
        return {"seq": seq_ranges(found)}

    def _out_rate(self, step: dict[str, Any]) -> dict[str, Any]:
        self.out_rate = step["out_rate"]
        self._freeze()
        return {}

    _resume = Operations._timeout
    _pre_hibernate = Operations._timeout

    def _gc_tick(self, step: dict[str, Any]) -> dict[str, Any]:
        fired = {}
        for store in (self.persistent, self.transient):
            files = store.gc_tick()
            if files is not None:
                fired[store.name] = sorted(files)
        return {"fired": fired}

    def _burst(self, step: dict[str, Any]) -> dict[str, Any]:
        self.queue.let_stores_work_alone(True)
        results = [getattr(self, f"_{each['op']}")(each) for each in step["steps"]]
        self.queue.let_stores_work_alone(False)
        return {"results": results}

    def _dump(self, step: dict[str, Any]) -> dict[str, Any]:
        return {
            "hex": {name: data.hex() for name, data in self.files.read().items() if 0 < len(data) <= 4096}
        }

    def _overwrite(self, step: dict[str, Any]) -> dict[str, Any]:
        self._damage([[step["file"], step["offset"], step["value"]]])
        return {}

    def _damage(self, damage: Sequence[Sequence[Any]]) -> None:
        for name, where, value in damage:
            folder = PERSISTENT if name.endswith(".rdq") else self.own
            path = f"{folder}/{name}"
            if where == "truncate":
                self.storage.truncate(path, value)
            else:
                self.storage.write(path, where, [RawBytes(bytes([value]))])

    # --- restarts ----------------------------------------------------------------------------------------------------

    def _restart(self, step: dict[str, Any]) -> dict[str, Any]:
        terms = self.queue.terminate()
        self.settle()
        self.persistent.terminate()
        self.transient.terminate()
        crashed = self.queue.state.index_crashed
        self._start_again(terms)
        result: dict[str, Any] = {"terms": "non_clean_shutdown" if terms is None else self._terms(terms)}
        if crashed:
            result["terminate_crashed"] = True
        return result

    def _terms(self, terms: CleanTerms) -> dict[str, Any]:
        shown: dict[str, Any] = {
            "next_seq_id": terms.next_seq_id,
            "persistent_count": terms.persistent_count,
            "persistent_bytes": terms.persistent_bytes,
            "v2_index_state": [2, [list(each) for each in terms.segments or ()]],
        }
        if self.settings.counts_deliveries:
            shown["redeliver_seq_id"] = terms.next_deliver_seq_id
            shown["delivery_count"] = [
                [seq, times]
                for start, count, times in terms.deliveries
                for seq in range(start, start + count)
            ]
        else:
            shown["next_deliver_seq_id"] = terms.next_deliver_seq_id
        return shown

    def _crash_restart(self, step: dict[str, Any]) -> dict[str, Any]:
        torn = step.get("torn")
        if torn == "index":
            self.queue.state.index.flush()
        elif torn == "store":
            self.queue.state.store.flush()
        self.queue.kill()
        self.persistent.kill()
        self.transient.kill()
        self._damage(step.get("damage", ()))
        self._start_again(None)
        return {"terms": "non_clean_shutdown"}

    def _start_again(self, terms: CleanTerms | None) -> None:
        self._make_stores()
        refs = [terms.persistent_ref] if terms and terms.persistent_ref else []
        named = references(self.storage, self.own, self.codec, self.settings)
        clean = self.persistent.start(refs, lambda: [(each.start, each.count) for each in named])
        self.transient.start_new()
        self._make_queue()
        self.queue.recover(terms, clean, self.persistent.contains)
        self._freeze()


def longer(runs: list[list[Any]], value: Any, count: int) -> None:
    """Make the last of some run lengths longer, or begin another."""
    if runs and runs[-1][0] == value:
        runs[-1][1] += count
    else:
        runs.append([value, count])
