"""The door of a queue of 3.10.8 with files of version 2, as the recording driver used it (cq-trace/2, W18)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from engine.backing_queue.protocol import CleanTerms, TakenMessages
from engine.classic_v1.queue.state import V1Means
from engine.classic_v1.store.state import StoreState
from engine.classic_v1.store.store import MsgStore
from engine.classic_v2.index.recovery import references
from engine.formats.arrays import np
from engine.formats.message import MessageTemplate
from engine.report.transitions.base import Transition
from engine.storage.port import Storage
from engine.values.stretches import Range
from engine.version_choice.queue import BothSettings, VersionedQueue
from tools.proofs.conformance.door_v2 import (
    NO_FRAMES,
    OWN,
    PERSISTENT,
    REF,
    TRANSIENT,
    DriverCodec,
    V2Door,
    longer,
)
from tools.proofs.conformance.operations import Operations, ranges
from tools.proofs.conformance.vector import seq_ranges
from tools.proofs.conformance.vector_both import Marks, vector

RATES: Final = (0.5, 0.5, 0.0, 0.0)


class BothCodec(DriverCodec):
    """The codec with the driver's ids; each term is one of a table."""

    def one(self, own: bytes, template: int, size_bytes: int, raw_persistent: bool) -> bytes:
        """Return the term of one message."""
        layout = self.layout(template, size_bytes, raw_persistent)
        rows = np.empty((1, len(layout.row)), np.uint8)
        self.fill(rows, 0, layout, np.frombuffer(own, np.uint8).reshape(1, 16))
        return rows.tobytes()


class BothDoor(V2Door):
    """One queue of 3.10.8 with files of version 2 and its two stores, driven by the steps of a trace.

    Args:
        config: the trace's configuration.
        storage: where the files go.
    """

    queue: VersionedQueue  # type: ignore[assignment]

    def __init__(self, config: dict[str, Any], storage: Storage) -> None:
        self.config = config
        self.storage = storage
        self.own = OWN
        initial, more = config["msg_store_credit_disc_bound"]
        self.both = BothSettings(
            msg_store_credit_disc_bound=(initial, more),
            index_v2_segment_entry_count=config["segment_entry_count"],
            **{
                name: config[name]
                for name in (
                    "store_max_cache_size",
                    "check_crc32",
                    "queue_index_embed_msgs_below",
                    "msg_store_file_size_limit",
                    "msg_store_io_batch_size",
                    "explicit_gc_run_operation_threshold",
                )
            },
        )
        self.codec = BothCodec(  # type: ignore[assignment]
            vhost=config["vhost"],
            templates=(MessageTemplate(routing_keys=(config["queue"],)),),
            frame_bytes=NO_FRAMES,
        )
        self.marks = Marks()
        self._begin()

    def _emit(self, t: Transition) -> None:
        self.marks.note(t)

    def _drop(self, step: dict[str, Any]) -> dict[str, Any]:
        """Drop; without tags the driver knows messages by their ids alone (W209)."""
        found = self.queue.drop(step["count"], step["ack"])
        shown = self._taken(found, step["count"])
        if not step["ack"]:
            shown["seq"] = seq_ranges(part for each in found for part in self.marks.named(each.extent))
        return shown

    def _make_stores(self) -> None:
        def store(name: str, directory: str) -> Any:
            return MsgStore(
                StoreState(
                    name=name,
                    directory=directory,
                    storage=self.storage,
                    codec=self.codec,
                    settings=self.both,
                    emit=self._emit,
                )
            )

        self.persistent = store("persistent", PERSISTENT)
        self.transient = store("transient", TRANSIENT)

    def _make_queue(self) -> None:
        self.queue = VersionedQueue(
            V1Means(
                name=self.config["queue"],
                durable=self.config["durable"],
                settings=self.both,
                codec=self.codec,
                storage=self.storage,
                directory=self.own,
                persistent=self.persistent,  # type: ignore[arg-type]
                transient=self.transient,  # type: ignore[arg-type]
                ref=REF,
                emit=self._emit,
                settle=self.settle,
            ),
            2,
        )

    def _freeze(self) -> None:
        self.queue.state.rates.freeze(*RATES)

    def _after(self, found: dict[str, bytes]) -> dict[str, Any]:
        """Return the state vector, with the files as they are now and the marks of deliveries."""
        persistent: Any = self.persistent
        transient: Any = self.transient
        return vector(self.queue.state, persistent, transient, found, self.marks)

    # --- operations, named as in the trace ---------------------------------------------------------------------------

    def _publish(self, step: dict[str, Any]) -> dict[str, Any]:
        found = super()._publish(step)
        if step.get("delivered"):
            self.marks.mark([_whole(*found["seq"])], "d")
        return found

    def _fetch(self, step: dict[str, Any]) -> dict[str, Any]:
        taken: list[TakenMessages] = self.queue.fetch(step["count"], step["ack"])
        delivered: list[list[Any]] = []
        for each in taken:
            if each.redelivered:
                longer(delivered, True, each.redelivered)
            if each.extent.count > each.redelivered:
                longer(delivered, False, each.extent.count - each.redelivered)
        return {**self._taken(taken, step["count"]), "delivered": delivered}

    def _requeue(self, step: dict[str, Any]) -> dict[str, Any]:
        found = self.queue.requeue(ranges(step["tags"]), step["multiple"])
        return {"requeued": sum(each.count for each in found)}

    def _while(
        self, step: dict[str, Any], take: Callable[[dict[str, Any]], dict[str, Any]]
    ) -> dict[str, Any]:
        """Do one of both, and mark the entry at the head, which was looked at and put back."""
        before = self.queue.state.next_deliver_seq_id
        found = take(step)
        q = self.queue.state
        lane = q.q4 if q.mode == "default" and q.q4 else q.q3
        if lane:
            seq = lane.first.start
            self.marks.mark([lane.first.part(0, 1)], "d" if seq < before else "-")
        return found

    def _dropwhile(self, step: dict[str, Any]) -> dict[str, Any]:
        return self._while(step, super()._dropwhile)

    def _fetchwhile(self, step: dict[str, Any]) -> dict[str, Any]:
        return self._while(step, super()._fetchwhile)

    def _ackfold(self, step: dict[str, Any]) -> dict[str, Any]:
        found: list[list[int]] = []
        for tags in ranges(step["tags"]):
            found.extend(seq_ranges(self.queue.ackfold([tags])))
        return {"seq": found}

    def _set_target(self, step: dict[str, Any]) -> dict[str, Any]:
        self.queue.set_target(None if step["target"] == "infinity" else step["target"])
        return {}

    def _out_rate(self, step: dict[str, Any]) -> dict[str, Any]:
        return {}

    _resume = Operations._resume
    _pre_hibernate = Operations._pre_hibernate

    # --- restarts ----------------------------------------------------------------------------------------------------

    def _restart(self, step: dict[str, Any]) -> dict[str, Any]:
        terms = self.queue.terminate()
        self.settle()
        self.persistent.terminate()
        self.transient.terminate()
        self._start_again(terms if self.config["durable"] else None)
        if terms is None:
            return {"terms": "non_clean_shutdown", "terminate_crashed": True}
        return {"terms": self._terms(terms)}

    def _terms(self, terms: CleanTerms) -> dict[str, Any]:
        return {
            "next_seq_id": terms.next_seq_id,
            "next_deliver_seq_id": terms.next_deliver_seq_id,
            "persistent_count": terms.persistent_count,
            "persistent_bytes": terms.persistent_bytes,
            "v2_index_state": [2, [list(each) for each in sorted(terms.segments or ())]],
        }

    def _crash_restart(self, step: dict[str, Any]) -> dict[str, Any]:
        torn = step.get("torn")
        index: Any = self.queue.state.index
        if torn == "index":
            index.files.flush()
        elif torn == "store":
            index.store.flush()
        self.queue.kill("kill" if torn == "index" else "crash")
        self.settle()
        self.persistent.terminate()
        self.transient.terminate()
        self._damage(step.get("damage", ()))
        self._start_again(None)
        return {"terms": "non_clean_shutdown"}

    def _start_again(self, terms: CleanTerms | None) -> None:
        self.marks = Marks()
        named = list(references(self.storage, self.own, self.codec, self.both.of_files()))
        self._make_stores()
        persistent: Any = self.persistent
        refs = [terms.persistent_ref] if terms and terms.persistent_ref else []
        clean = persistent.start(refs, lambda: [(each.start, each.count) for each in named])
        self.transient.start_new()
        self._make_queue()
        self.queue.recover(terms, clean, persistent.contains)
        self._freeze()


def _whole(first: int, last: int) -> Any:
    return Range(first, last - first + 1)
