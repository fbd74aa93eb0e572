"""Seeded random programs: a configuration, and steps that are chosen by what the broker has shown so far."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

SIZES = (0, 1, 16, 100, 146, 147, 190, 200, 996, 997, 1000, 4092, 4093, 4096, 5000, 9000)
RATES = ([0.5, 0.5, 0, 0], [0, 0, 0.75, 0.25], [0, 0.5, 0.5, 0])
ALL = 100_000
MOST_ENTRIES = 16384


def _bare(op: str) -> dict[str, Any]:
    return {"op": op}


def random_config(rng: random.Random) -> dict[str, Any]:
    """Return settings that are small enough for every border to be crossed by some hundreds of messages."""
    return {
        "durable": rng.random() < 0.9,
        "mode": "lazy" if rng.random() < 0.2 else "default",
        "segment_entry_count": rng.choice((4, 8, 8, 16, 16, 32, 64, 128, 2048, 16384)),
        "queue_index_embed_msgs_below": rng.choice((4096, 4096, 4096, 0, 1000, 150)),
        "queue_index_max_journal_entries": rng.choice((1, 16, 64, 64, 200, 1000, 32768)),
        "msg_store_file_size_limit": rng.choice((6000, 20000, 50000, 120000, 16777216)),
        "msg_store_io_batch_size": rng.choice((1, 1, 4, 16, 64, 4096)),
        "msg_store_credit_disc_bound": rng.choice(([4000, 800], [100, 25], [40, 8], [16, 4], [4, 2])),
        "explicit_gc_run_operation_threshold": rng.choice((0, 1, 10, 50, 1000)),
        "rates": list(rng.choice(RATES)),
    }


class ModuleProgram:
    """The steps of one program, one at a time.

    Programs of version 1; those of version 2 are a family of their own.

    Args:
        seed: the program's own seed.
        whole_segments: for a broker whose segments always have 16,384 entries (V6): most programs use up the numbers
            of the first one nearly to its end.
    """

    family: ClassVar[str] = "program"

    def __init__(self, seed: int, whole_segments: bool = False) -> None:
        self.seed = seed
        self._rng = random.Random(f"{self.family} {seed}")
        self.config = self._config()
        self.steps = self._rng.randint(8, 60)
        self._first: list[dict[str, Any]] = []
        if whole_segments:
            self.config["segment_entry_count"] = MOST_ENTRIES
            if self._rng.random() < 0.8:
                count = MOST_ENTRIES - self._rng.choice((20, 40, 60, 120))
                burst = {"op": "publish", "count": count, "persistent": False, "size": 0, "batch": True}
                self._first = [burst, {"op": "purge"}]
                if self.config["mode"] == "lazy":
                    self._first = [{"op": "set_mode", "mode": "default"}, *self._first]
        self._clock_ms = 0
        self._tags: list[int] = []
        self._len = 0
        self._weights = self._random_weights()

    def _config(self) -> dict[str, Any]:
        return random_config(self._rng)

    def _random_weights(self) -> list[tuple[Callable[[], dict[str, Any]], float]]:
        """Return operations with weights of their own for each program, so that programs have characters."""
        spread = self._rng.choice((0.2, 1.0, 2.0))
        restarts = self._rng.choice((0.0, 1.0, 3.0)) if self.config["durable"] else 0.0
        base: list[tuple[Callable[[], dict[str, Any]], float]] = [
            (self._publish, 26),
            (self._fetch, 18),
            (self._set_target, 12),
            (self._ack, 9),
            (self._requeue, 5),
            (self._publish_delivered, 3),
            (self._drop, 3),
            (lambda: self._expire("dropwhile"), 3),
            (lambda: self._expire("fetchwhile"), 2),
            (self._set_mode, 3),
            (self._set_duration, 3),
            (lambda: {"op": "rates", "rates": list(self._rng.choice(RATES))}, 1),
            (lambda: {"op": "purge"}, 1),
            (lambda: {"op": "restart"}, 2 * restarts),
            (self._crash, 2 * restarts),
        ]
        base += [
            (partial(_bare, op), weight)
            for op, weight in (
                ("timeout", 4),
                ("drain_confirmed", 3),
                ("resume", 2),
                ("pre_hibernate", 2),
                ("needs_timeout", 1),
            )
        ]
        return [(make, weight * self._rng.uniform(1, 3) ** spread) for make, weight in base]

    def next(self) -> dict[str, Any]:
        """Return the next step."""
        if self._first:
            return self._first.pop(0)
        makers, weights = zip(*self._weights, strict=True)
        make: Callable[[], dict[str, Any]] = self._rng.choices(makers, weights)[0]
        return make()

    def seen(self, after: dict[str, Any], pending: list[list[int]]) -> None:
        """Take note of what the broker showed: later steps refer to its pending tags."""
        self._len = after["len"]
        self._tags = [tag for first, last in pending for tag in range(first, last + 1)]

    # --- operations ---------------------------------------------------------------------------------------------------

    def _count(self) -> int:
        n = self.config["segment_entry_count"]
        near = self._rng.choice((n, 2 * n, 3 * n)) if n <= 128 else 64
        return max(1, self._rng.choice((1, 2, 5, 12, 20, 40, 65, 130, near - 1, near, near + 1)))

    def _size(self) -> int:
        return self._rng.choice(SIZES) if self._rng.random() < 0.7 else self._rng.randint(0, 6000)

    def _message(self) -> dict[str, Any]:
        if self._rng.random() < 0.5:
            return {"persistent": self._rng.random() < 0.5, "size": self._size()}
        length = self._rng.randint(2, 5)
        return {"pattern": [[self._size(), self._rng.random() < 0.5] for _ in range(length)]}

    def _publish(self) -> dict[str, Any]:
        step: dict[str, Any] = {"op": "publish", "count": self._count(), **self._message()}
        if self._rng.random() < 0.4:
            step["confirm"] = True
        if self._rng.random() < 0.2:
            step["batch"] = True
        if self._rng.random() < 0.07:
            step["delivered"] = True
        if self._rng.random() < 0.25:
            step["expiry_ms"] = self._clock_ms + self._rng.randint(0, 400)
            step["expiry_step_ms"] = self._rng.choice((0, 1, 3))
        return step

    def _publish_delivered(self) -> dict[str, Any]:
        if self._len:
            return {"op": "fetch", "count": ALL, "ack": self._rng.random() < 0.5}
        step = {"op": "publish_delivered", "count": self._rng.randint(1, 12), **self._message()}
        if self._rng.random() < 0.4:
            step["confirm"] = True
        if self._rng.random() < 0.2:
            step["batch"] = True
        return step

    def _fetch(self) -> dict[str, Any]:
        count = ALL if self._rng.random() < 0.06 else self._count()
        return {"op": "fetch", "count": count, "ack": self._rng.random() < 0.75}

    def _drop(self) -> dict[str, Any]:
        return {"op": "drop", "count": self._count(), "ack": self._rng.random() < 0.4}

    def _chosen_tags(self) -> list[list[int]]:
        """Return some of the pending tags: all, one end, every other, or scattered; up, down or shuffled."""
        tags = self._tags
        how = self._rng.random()
        if how < 0.25:
            chosen = list(tags)
        elif how < 0.5:
            some = self._rng.randint(1, len(tags))
            chosen = tags[:some] if self._rng.random() < 0.5 else tags[-some:]
        elif how < 0.65:
            chosen = tags[:: self._rng.randint(2, 4)]
        else:
            chosen = self._rng.sample(tags, self._rng.randint(1, min(60, len(tags))))
        order = self._rng.random()
        if order < 0.4:
            chosen.sort()
        elif order < 0.6:
            chosen.sort(reverse=True)
        if self._rng.random() < 0.04:
            chosen.insert(self._rng.randint(0, len(chosen)), self._rng.randint(0, max(tags) + 5))
        chosen = list(dict.fromkeys(chosen))
        runs: list[list[int]] = []
        for tag in chosen:
            if runs and runs[-1][1] + 1 == tag:
                runs[-1][1] = tag
            else:
                runs.append([tag, tag])
        return runs

    def _ack(self) -> dict[str, Any]:
        return self._settled("ack", 0.6)

    def _requeue(self) -> dict[str, Any]:
        return self._settled("requeue", 0.7)

    def _settled(self, op: str, multiple: float) -> dict[str, Any]:
        if not self._tags:
            return self._fetch()
        return {"op": op, "multiple": self._rng.random() < multiple, "tags": self._chosen_tags()}

    def _expire(self, op: str) -> dict[str, Any]:
        self._clock_ms += self._rng.randint(0, 150)
        return {"op": op, "now_ms": self._clock_ms}

    def _amount(self) -> Any:
        return self._rng.choice(
            (0, 0, 0, 1, 1, "infinity", self._rng.randint(2, 20), self._rng.randint(2, 250))
        )

    def _set_target(self) -> dict[str, Any]:
        return {"op": "set_target", "target": self._amount()}

    def _set_duration(self) -> dict[str, Any]:
        return {"op": "set_duration", "duration": self._amount()}

    def _set_mode(self) -> dict[str, Any]:
        return {"op": "set_mode", "mode": self._rng.choice(("default", "lazy"))}

    def _crash(self) -> dict[str, Any]:
        return {"op": "crash_restart", "torn": True} if self._rng.random() < 0.25 else {"op": "crash_restart"}
