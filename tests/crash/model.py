"""What a publisher and a consumer know of a queue, one message at a time."""

from __future__ import annotations

from typing import Any

import msgspec


class Message(msgspec.Struct):
    """One message that was published."""

    seq_id: int
    size: int
    persistent: bool
    wants_confirm: bool
    safe: bool = False
    """Its confirm went out."""
    crashed: bool = False
    """It lived through a crash."""


class Model:
    """Ready and pending messages as they must be, and what a crash may do to them."""

    def __init__(self) -> None:
        self.published: dict[int, Message] = {}
        self.ready: dict[int, int] = {}
        """Message number by seq_id."""
        self.pending: dict[int, int] = {}
        self.ended: set[int] = set()
        self.gone: set[int] = set()
        """Messages that cannot come back: their end is on disk, or a start was without them."""
        self.doubtful: set[int] = set()
        """Messages that the step under way may end."""

    def ready_msgs(self) -> list[int]:
        """Return the ready messages in the order of the queue."""
        return [self.ready[seq_id] for seq_id in sorted(self.ready)]

    def choose(self, start: int, every: int, count: int) -> list[int]:
        """Return tags of pending messages, from a place given as parts of a thousand on."""
        tags = sorted(self.pending)
        return tags[start * len(tags) // 1000 :: every][:count]

    # --- steps -------------------------------------------------------------------------------------------------------

    def begin(self, step: dict[str, Any], next_seq_id: int, next_msg_no: int) -> None:
        """Take note of a step that is about to happen, and may be cut short."""
        op = step["op"]
        if op == "publish":
            for i in range(step["count"]):
                message = Message(
                    next_seq_id + i,
                    step["size"],
                    step["persistent"],
                    step["persistent"] and step["confirm"],
                )
                self.published[next_msg_no + i] = message
                self.ready[next_seq_id + i] = next_msg_no + i
        elif op in ("fetch", "drop") and not step["ack"]:
            self.doubtful = {self.ready[seq_id] for seq_id in sorted(self.ready)[: step["count"]]}
        elif op == "ack":
            self.doubtful = {self.pending[tag] for tag, _ in step["tags"]}
        elif op == "purge":
            self.doubtful = set(self.ready.values())

    def finish(self, step: dict[str, Any], result: dict[str, Any]) -> None:
        """Take note that the step is done, and check what it gave."""
        op = step["op"]
        if op in ("fetch", "drop"):
            taken = sorted(self.ready)[: step["count"]]
            assert result["count"] == len(taken)
            assert [seq for first, last in result["seq"] for seq in range(first, last + 1)] == taken
            for seq_id in taken:
                msg_no = self.ready.pop(seq_id)
                if step["ack"]:
                    self.pending[seq_id] = msg_no
        elif op == "ack":
            assert result["acked"] == len(step["tags"])
            for tag, _ in step["tags"]:
                del self.pending[tag]
        elif op == "requeue":
            for tag, _ in step["tags"]:
                self.ready[tag] = self.pending.pop(tag)
        elif op == "purge":
            assert result["purged"] == len(self.ready)
            self.ready.clear()
        elif op == "restart":
            self._restarted()
        self.ended |= self.doubtful
        self.doubtful = set()

    def _restarted(self) -> None:
        """A stop in order keeps what is persistent, and nothing else."""
        kept = {**self.ready, **self.pending}
        self.pending = {}
        self.ready = {seq: msg_no for seq, msg_no in kept.items() if self.published[msg_no].persistent}
        self.gone |= {msg_no for msg_no in kept.values() if not self.published[msg_no].persistent}
        self.ends_are_durable()

    def confirm(self, msg_nos: list[int]) -> None:
        """The messages whose confirms the publishers got."""
        for msg_no in msg_nos:
            message = self.published[msg_no]
            message.safe = message.safe or message.wants_confirm

    def ends_are_durable(self) -> None:
        """Nothing is left to write in the index: what has ended cannot come back."""
        self.gone |= self.ended

    # --- crashes -----------------------------------------------------------------------------------------------------

    def compare(self, seen: list[tuple[int, int]], risked: set[int], undone: bool) -> tuple[set[int], int]:
        """Compare what is back with what had to and what could be; it is the truth from now on.

        Args:
            seen: (seq_id, message) in the order of the queue.
            risked: messages that a combination may have lost (S191), or an old journal's acks.
            undone: ends that were on disk may have been undone, as the journal's clearing was.

        Returns:
            The safe messages that are lost, and how many messages were uncertain.
        """
        back = [msg_no for _, msg_no in seen]
        live = {*self.ready.values(), *self.pending.values()} - self.doubtful
        must = {msg_no for msg_no in live if self.published[msg_no].safe}
        may = {msg_no for msg_no, message in self.published.items() if message.persistent}
        if not undone:
            may -= self.gone
        missing = must - set(back)
        assert missing <= risked, f"confirmed messages are missing: {sorted(missing - risked)}"
        invented = set(back) - may
        assert not invented, f"messages are back that were gone: {sorted(invented)}"
        assert back == sorted(back), "the order is not that of publishing"
        for seq_id, msg_no in seen:
            assert self.published[msg_no].seq_id == seq_id
            self.published[msg_no].crashed = True
        self.ready, self.pending = dict(seen), {}
        self.doubtful = set()
        self.ended -= set(back)
        self.gone = (self.gone | set(self.published)) - set(back)
        return missing, len(may - must)
