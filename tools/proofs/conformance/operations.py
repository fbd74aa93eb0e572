"""Operations that the doors of all versions have in common, each called as in a trace."""

from __future__ import annotations

from typing import Any, Final

from engine.backing_queue.protocol import Arrival, TakenMessages
from engine.values.stretches import Range
from tools.proofs.conformance.vector import seq_ranges

EPOCH_US: Final = 1_600_000_000_000_000


def ranges(pairs: list[list[int]]) -> list[Range]:
    """Return ranges of [first, last] pairs."""
    return [Range(first, last - first + 1) for first, last in pairs]


class Operations:
    """Operations of a door, each a method called like the trace's step with `_` in front."""

    config: dict[str, Any]
    next_msg_no: int
    seq_of_msg: dict[int, int]
    queue: Any
    persistent: Any
    transient: Any

    def settle(self) -> None:
        """Let both stores handle what was sent, sync what they owe and collect garbage to the end."""
        self.persistent.settle()
        self.transient.settle()

    def _init(self, step: dict[str, Any]) -> dict[str, Any]:
        return {}

    def _arrivals(self, step: dict[str, Any]) -> list[Arrival]:
        count = step["count"]
        pattern = step.get("pattern") or [[step["size"], step["persistent"]]]
        expiry_ms = step.get("expiry_ms")
        expiry_step_ms = step.get("expiry_step_ms", 0)
        single = len(pattern) > 1 or (expiry_ms is not None and expiry_step_ms)
        arrivals: list[Arrival] = []
        done = 0
        while done < count:
            size, persistent = pattern[done % len(pattern)]
            confirm = bool(step.get("confirm")) and persistent and self.config["durable"]
            expiry_us = 0 if expiry_ms is None else EPOCH_US + (expiry_ms + done * expiry_step_ms) * 1000
            run = 1 if single else count
            arrivals.append(Arrival(run, self.next_msg_no, size, persistent, confirm, expiry_us))
            self.next_msg_no += run
            done += run
        return arrivals

    def _drop(self, step: dict[str, Any]) -> dict[str, Any]:
        return self._taken(self.queue.drop(step["count"], step["ack"]), step["count"])

    @staticmethod
    def _taken(taken: list[TakenMessages], wanted: int) -> dict[str, Any]:
        count = sum(each.extent.count for each in taken)
        return {"seq": seq_ranges(each.extent for each in taken), "count": count, "empty": count < wanted}

    def _purge(self, step: dict[str, Any]) -> dict[str, Any]:
        return {"purged": self.queue.purge()}

    def _purge_acks(self, step: dict[str, Any]) -> dict[str, Any]:
        self.queue.purge_acks()
        return {}

    @staticmethod
    def _expiry(next_expiry_us: int | None) -> Any:
        if next_expiry_us is None:
            return None
        return (next_expiry_us - EPOCH_US) // 1000 if next_expiry_us else "none"

    def _dropwhile(self, step: dict[str, Any]) -> dict[str, Any]:
        taken, expiry = self.queue.dropwhile(EPOCH_US + step["now_ms"] * 1000)
        return {"dropped": sum(each.extent.count for each in taken), "next_expiry_ms": self._expiry(expiry)}

    def _fetchwhile(self, step: dict[str, Any]) -> dict[str, Any]:
        taken, expiry = self.queue.fetchwhile(EPOCH_US + step["now_ms"] * 1000)
        return {"tags": seq_ranges(each.extent for each in taken), "next_expiry_ms": self._expiry(expiry)}

    def _timeout(self, step: dict[str, Any]) -> dict[str, Any]:
        self.queue.timeout()
        return {}

    def _needs_timeout(self, step: dict[str, Any]) -> dict[str, Any]:
        answer = self.queue.needs_timeout()
        return {"needs_timeout": False if answer == "no" else answer}

    def _resume(self, step: dict[str, Any]) -> dict[str, Any]:
        self.queue.resume()
        return {}

    def _pre_hibernate(self, step: dict[str, Any]) -> dict[str, Any]:
        self.queue.pre_hibernate()
        return {}

    def _drain_confirmed(self, step: dict[str, Any]) -> dict[str, Any]:
        ranges = self.queue.drain_confirmed()
        seqs = sorted(self.seq_of_msg[each.start + skip] for each in ranges for skip in range(each.count))
        runs: list[list[int]] = []
        for seq in seqs:
            if runs and runs[-1][1] + 1 == seq:
                runs[-1][1] = seq
            else:
                runs.append([seq, seq])
        return {"confirmed": len(seqs), "seq": runs}
