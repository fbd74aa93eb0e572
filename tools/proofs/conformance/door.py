"""The backing-queue door as the recording driver used it: operations of a golden trace, one method each.

How a step is executed follows the recording's rules: rates frozen, stores settled after each call, mailbox drained
at the end of the step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from engine.backing_queue.protocol import CleanTerms
from engine.classic_v1.queue.queue import VariableQueue
from engine.classic_v1.queue.state import V1Means
from engine.classic_v1.settings import QueueSettings
from engine.classic_v1.store.state import StoreState
from engine.classic_v1.store.store import MsgStore
from engine.formats.message import MessageCodec, MessageTemplate
from engine.releases import RELEASES
from engine.report.transitions.base import Transition
from engine.storage.port import Storage
from tools.proofs.conformance.operations import Operations, ranges
from tools.proofs.conformance.vector import vector

SETTING_NAMES = (
    "segment_entry_count",
    "queue_index_embed_msgs_below",
    "queue_index_max_journal_entries",
    "msg_store_file_size_limit",
    "msg_store_io_batch_size",
    "explicit_gc_run_operation_threshold",
)
REF = "trace"
DEFAULTS = QueueSettings()
NEVER_ENDS = {"never_ends": True}
"""The result of a verb from which the queue's process does not return; no state is shown (V5)."""


def settings_of(source: str) -> QueueSettings:
    """Return the defaults of the release that made a recording.

    Args:
        source: what the recording says of itself, such as "RabbitMQ 3.8.9 rabbit_variable_queue".

    Raises:
        ValueError: the engine has no such release.
    """
    words = source.split()
    for series, release in RELEASES.items():
        if len(words) > 1 and words[0] == "RabbitMQ" and f"{words[1]}.".startswith(f"{series}."):
            settings = release.storage_settings("real", {})
            assert isinstance(settings, QueueSettings)
            return settings
    raise ValueError(f"{source!r} names no release that the engine plays: {', '.join(RELEASES)}")


class BackingQueueDoor(Operations):
    """One queue with its two stores, driven by the steps of a trace.

    Args:
        config: the trace's configuration.
        storage: where the files go.
        emit: receives every transition.
        defaults: of the release whose broker made the recording; the configuration has what differs.
    """

    def __init__(
        self,
        config: dict[str, Any],
        storage: Storage,
        emit: Callable[[Transition], None] = lambda t: None,
        defaults: QueueSettings = DEFAULTS,
    ) -> None:
        self.config = config
        self.storage = storage
        self.emit = emit
        initial, more = config["msg_store_credit_disc_bound"]
        self.settings = msgspec.structs.replace(
            defaults,
            msg_store_credit_disc_bound=(initial, more),
            **{name: config[name] for name in SETTING_NAMES},
        )
        self.codec = MessageCodec(
            vhost=config["vhost"], templates=(MessageTemplate(routing_keys=(config["queue"],)),)
        )
        self.rates = config["rates"]
        self.next_msg_no = 0
        self.seq_of_msg: dict[int, int] = {}
        self._make_stores()
        self.persistent.start_new()
        self.transient.start_new()
        self._make_queue()
        self.queue.start_new()
        self._prepare()

    def _make_stores(self) -> None:
        def store(name: str) -> MsgStore:
            return MsgStore(
                StoreState(
                    name=name,
                    directory=f"msg_store_{name}",
                    storage=self.storage,
                    codec=self.codec,
                    settings=self.settings,
                    emit=self.emit,
                )
            )

        self.persistent = store("persistent")
        self.transient = store("transient")

    def _make_queue(self) -> None:
        self.queue = VariableQueue(
            V1Means(
                name=self.config["queue"],
                durable=self.config["durable"],
                settings=self.settings,
                codec=self.codec,
                storage=self.storage,
                directory="queues/trace",
                persistent=self.persistent,
                transient=self.transient,
                ref=REF,
                emit=self.emit,
                settle=self.settle,
            )
        )

    def _prepare(self) -> None:
        self.queue.state.rates.freeze(*self.rates)
        self.queue.set_queue_mode(self.config["mode"])

    def step(self, step: dict[str, Any]) -> dict[str, Any]:
        """Execute one step; return what the trace calls result, drain (absent when empty) and after."""
        result = getattr(self, f"_{step['op']}")(step)
        self.settle()
        blocked = self.queue.state.blocked
        drained = self.queue.drain_mailbox()
        outcome: dict[str, Any] = {}
        if result:
            outcome["result"] = result
        if result == NEVER_ENDS:
            return outcome
        if blocked or drained.bumps or drained.resumes:
            outcome["drain"] = {"blocked": blocked, "bumps": drained.bumps, "resumes": drained.resumes}
        outcome["after"] = vector(self.queue.state, self.persistent, self.transient)
        return outcome

    # --- operations, named as in the trace ---------------------------------------------------------------------------

    def _publish(self, step: dict[str, Any]) -> dict[str, Any]:
        delivered = bool(step.get("delivered"))
        first = self.queue.state.next_seq_id
        first_msg_no = self.next_msg_no
        arrivals = self._arrivals(step)
        for batch in [arrivals] if step.get("batch") else [[each] for each in arrivals]:
            self.queue.publish(batch, delivered, one_call=bool(step.get("batch")))
        for i in range(step["count"]):
            self.seq_of_msg[first_msg_no + i] = first + i
        return {"seq": [first, self.queue.state.next_seq_id - 1]}

    def _publish_delivered(self, step: dict[str, Any]) -> dict[str, Any]:
        first = self.queue.state.next_seq_id
        first_msg_no = self.next_msg_no
        arrivals = self._arrivals(step)
        for batch in [arrivals] if step.get("batch") else [[each] for each in arrivals]:
            self.queue.publish_delivered(batch, one_call=bool(step.get("batch")))
        for i in range(step["count"]):
            self.seq_of_msg[first_msg_no + i] = first + i
        return {"tags": [first, self.queue.state.next_seq_id - 1]}

    def _fetch(self, step: dict[str, Any]) -> dict[str, Any]:
        taken = self.queue.fetch(step["count"], step["ack"])
        delivered: list[list[Any]] = []
        for each in taken:
            seen, fresh = each.redelivered, each.extent.count - each.redelivered
            for flag, count in ((True, seen), (False, fresh)):
                if count and delivered and delivered[-1][0] is flag:
                    delivered[-1][1] += count
                elif count:
                    delivered.append([flag, count])
        return {**self._taken(taken, step["count"]), "delivered": delivered}

    def _ack(self, step: dict[str, Any]) -> dict[str, Any]:
        found = self.queue.ack(ranges(step["tags"]), step["multiple"])
        return {"acked": sum(each.count for each in found)}

    def _requeue(self, step: dict[str, Any]) -> dict[str, Any]:
        found = self.queue.requeue(ranges(step["tags"]), step["multiple"])
        return {"requeued": sum(each.count for each in found)}

    def _set_target(self, step: dict[str, Any]) -> dict[str, Any]:
        self.queue.set_target(None if step["target"] == "infinity" else step["target"])
        return {}

    def _set_duration(self, step: dict[str, Any]) -> dict[str, Any]:
        duration = step["duration"]
        target = self.queue.set_ram_duration_target(None if duration == "infinity" else duration)
        return {"target": "infinity" if target is None else target}

    def _rates(self, step: dict[str, Any]) -> dict[str, Any]:
        self.rates = step["rates"]
        self.queue.state.rates.freeze(*self.rates)
        return {}

    def _set_mode(self, step: dict[str, Any]) -> dict[str, Any]:
        self.config = {**self.config, "mode": step["mode"]}
        return {} if self.queue.set_queue_mode(step["mode"]) else NEVER_ENDS

    # --- restarts ----------------------------------------------------------------------------------------------------

    def _restart(self, step: dict[str, Any]) -> dict[str, Any]:
        terms = self.queue.terminate()
        assert terms is not None, "an index of version 1 does not crash at a stop"
        self.settle()
        self.persistent.terminate()
        self.transient.terminate()
        self._start_again(terms if self.config["durable"] else None)
        numbers: dict[str, Any] = {}
        if not self.settings.starts_at_a_boundary:
            numbers["next_seq_id"] = terms.next_seq_id
        if not self.settings.flags_deliveries:
            numbers["next_deliver_seq_id"] = terms.next_deliver_seq_id
        shown: dict[str, Any] = {
            **numbers,
            "persistent_count": terms.persistent_count,
            "persistent_bytes": terms.persistent_bytes,
            "segments": [list(each) for each in sorted(terms.segments or ())],
        }
        return {"terms": shown}

    def _crash_restart(self, step: dict[str, Any]) -> dict[str, Any]:
        if step.get("torn"):
            self._tear()
        self.queue.kill("crash")
        self.settle()
        self.persistent.terminate()
        self.transient.terminate()
        self._start_again(None)
        return {"terms": "non_clean_shutdown"}

    def _tear(self) -> None:
        """Leave journal and segments as a crash between segment write and journal truncation does (S80)."""
        journal = f"{self.queue.state.index.directory}/journal.jif"
        kept = "kept.jif"
        self.queue.state.index.sync()
        size = self.storage.size(journal)
        if size is None:
            return
        self.storage.create(kept)
        self.storage.copy(journal, 0, size, kept)
        self.queue.state.index.flush()
        self.storage.rename(kept, journal)

    def _start_again(self, terms: CleanTerms | None) -> None:
        references = self.queue.state.index.store_references
        self._make_stores()
        refs = [terms.persistent_ref] if terms and terms.persistent_ref else []
        clean = self.persistent.start(refs, references)
        self.transient.start_new()
        self._make_queue()
        self.queue.recover(terms, clean, self.persistent.contains)
        self._prepare()
