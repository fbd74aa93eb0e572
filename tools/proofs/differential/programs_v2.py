"""Seeded random programs for a queue of version 2: what clients and the process do to it, its timers, and kills."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

from tools.proofs.differential.programs import ModuleProgram

OUT_RATES = (0, 0, 0.5, 2, 5, 10, 30, 100, 2000)
SIZES = (0, 1, 16, 100, 146, 147, 190, 1000, 4000, 4092, 4093, 5000, 9000, 12000, 12001)
"""Bytes of bodies at the borders of the embed threshold (W31) and of pre-reading (W45)."""
TORN = ("index", "store")


def random_config(rng: random.Random) -> dict[str, Any]:
    """Return settings that are small enough for every border to be crossed by some hundreds of messages."""
    return {
        "durable": rng.random() < 0.9,
        "segment_entry_count": rng.choice((8, 8, 16, 16, 32, 64, 128, 4096)),
        "store_max_cache_size": rng.choice((2000, 10000, 50000, 512000)),
        "check_crc32": rng.random() < 0.8,
        "queue_index_embed_msgs_below": rng.choice((4096, 4096, 4096, 0, 1000, 150)),
        "msg_store_file_size_limit": rng.choice((20000, 50000, 120000, 16777216)),
        "msg_store_credit_disc_bound": rng.choice(([4000, 800], [40, 8], [16, 4])),
        "out_rate": rng.choice(OUT_RATES),
    }


class ProgramV2(ModuleProgram):
    """The steps of one program for a queue of version 2."""

    family: ClassVar[str] = "program of version 2"

    def _config(self) -> dict[str, Any]:
        return random_config(self._rng)

    def _random_weights(self) -> list[tuple[Callable[[], dict[str, Any]], float]]:
        spread = self._rng.choice((0.2, 1.0, 2.0))
        restarts = self._rng.choice((0.0, 1.0, 3.0)) if self.config["durable"] else 0.0
        base: list[tuple[Callable[[], dict[str, Any]], float]] = [
            (self._publish, 26),
            (self._fetch, 18),
            (self._ack, 9),
            (self._requeue, 5),
            (self._publish_delivered, 3),
            (self._drop, 3),
            (self._ackfold, 1),
            (self._burst, 3),
            (lambda: self._expire("dropwhile"), 3),
            (lambda: self._expire("fetchwhile"), 2),
            (lambda: {"op": "out_rate", "out_rate": self._rng.choice(OUT_RATES)}, 5),
            (lambda: {"op": "restart"}, 2 * restarts),
            (self._crash, 2 * restarts),
        ]
        base += [
            (partial(dict, op=op), weight)
            for op, weight in (
                ("timeout", 5),
                ("drain_confirmed", 3),
                ("needs_timeout", 2),
                ("resume", 2),
                ("pre_hibernate", 2),
                ("gc_tick", 4),
                ("purge", 1),
            )
        ]
        return [(make, weight * self._rng.uniform(1, 3) ** spread) for make, weight in base]

    def _size(self) -> int:
        return self._rng.choice(SIZES) if self._rng.random() < 0.7 else self._rng.randint(0, 6000)

    def _publish(self) -> dict[str, Any]:
        return self._alone(super()._publish())

    def _publish_delivered(self) -> dict[str, Any]:
        return self._alone(super()._publish_delivered())

    @staticmethod
    def _alone(step: dict[str, Any]) -> dict[str, Any]:
        """Return a step without what only mirrors used (W38)."""
        return {name: value for name, value in step.items() if name != "batch"}

    def _requeue(self) -> dict[str, Any]:
        step = super()._requeue()
        if step["op"] == "requeue" and self._rng.random() < 0.5:
            step["delivery_failed"] = False
        return step

    def _ackfold(self) -> dict[str, Any]:
        step = self._settled("ackfold", 0)
        runs = [each for each in step.get("tags", ()) if each[1] in self._tags]
        return {"op": "ackfold", "tags": runs} if step["op"] == "ackfold" and runs else self._fetch()

    def _burst(self) -> dict[str, Any]:
        """Return calls that both stores see together, so that removes may overtake writes (W133)."""
        pick: dict[str, Any] = self._rng.choice(
            (
                {"kind": "oldest", "n": self._rng.randint(1, 40)},
                {"kind": "newest", "n": self._rng.randint(1, 40)},
                {"kind": "newest_desc", "n": self._rng.randint(1, 40)},
                {"kind": "every", "k": self._rng.randint(2, 5), "offset": self._rng.randint(0, 4)},
                {"kind": "random", "n": self._rng.randint(1, 40), "seed": self._rng.randint(0, 10**6)},
            )
        )
        confirm = {"confirm": True} if self._rng.random() < 0.4 else {}
        steps = [
            {"op": "publish", "count": self._rng.choice((1, 2, 3, 4, 24, 59)), **self._message(), **confirm},
            {"op": "fetch", "count": self._rng.randint(1, 20), "ack": True},
            {"op": "ack", "multiple": self._rng.random() < 0.7, "pick": pick},
            {"op": "fetch", "count": self._rng.randint(1, 9), "ack": False},
        ]
        return {"op": "burst", "steps": steps}

    def _crash(self) -> dict[str, Any]:
        step: dict[str, Any] = {"op": "crash_restart"}
        if self._rng.random() < 0.25:
            step["torn"] = self._rng.choice(TORN)
        return step
