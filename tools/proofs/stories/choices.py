"""What a random program chooses from, and by which chance: the same for a seed on every machine."""

from __future__ import annotations

import random
from typing import Any

from tools.proofs.stories.story import HAND, Step

QUEUES = ("q1", "q2", "q3")
DEAD = "dead"
EXCHANGES = {"x1": "direct", "x2": "fanout", "x3": "topic", "x4": "headers"}
KEYS = ("k", "k.a", "a.k", "")
OF_QUEUES = {"q1": HAND, "q2": "hand.2", "q3": "other", DEAD: "hand.4"}
"""Channels of the consumers of each queue: they share none, because it is chance whose delivery reaches a channel
first, or finds room there.
"""
CHANNELS = (HAND, HAND, HAND, HAND, "hand.2", "other")
LARGE = 5000
"""Bytes that are added to some sizes, so that the bodies lie in the store (Q12)."""
TTL_MS = 300
LONG_MS = 300_000
IDLE_MS = 400
HIBERNATED_MS = 2500
"""Waited before a kill of a queue that writes what nobody waits for only when it sleeps (W63)."""
PAD_MS = 900
"""Waited after a publish that expires, so that the message has expired on a slow machine too."""
LEASE_MS = 1500
"""How long a queue that is not used stays: several steps on a slow machine take less."""
LEASE_PAD_MS = 2100
"""Waited until such a queue is gone, on a slow machine too."""
WRONG: tuple[tuple[str, dict[str, Any]], ...] = (
    ("publish", {"exchange": "nope", "routing_key": "k"}),
    ("publish", {"routing_key": "q1", "expiration": "soon"}),
    ("declare_exchange", {"name": "x9", "type": "odd"}),
    ("declare_queue", {"name": "amq.mine"}),
    ("declare_queue", {"name": "odd", "arguments": {"x-message-ttl": -1}}),
    ("delete_queue", {"name": "q1", "if_empty": True}),
    ("delete_exchange", {"name": "amq.direct"}),
    ("bind", {"exchange": "", "queue": "q1", "routing_key": "k"}),
)
"""What the broker answers by closing something."""
FLAGS: dict[str, tuple[str, ...]] = {
    "declare_queue": ("durable", "exclusive", "auto_delete", "passive", "no_wait"),
    "delete_queue": ("if_unused", "if_empty", "no_wait"),
    "declare_exchange": ("durable", "auto_delete", "internal", "passive", "no_wait"),
    "delete_exchange": ("if_unused", "no_wait"),
    "publish": ("confirm", "persistent", "mandatory"),
    "nack": ("multiple", "requeue"),
}
"""The flags of methods that have several: now and then a step has two of them set."""
DEAD_LETTERS: tuple[dict[str, str], ...] = (
    {},
    {},
    {"x-dead-letter-exchange": "", "x-dead-letter-routing-key": DEAD},
)


class Choices:
    """What one program has so far, and what its next step may say.

    Args:
        seed: all that it does follows from it.
        restarts: whether the node is stopped or killed in it at least once, and started again.
        idle_ms: how long nothing is done before a kill.
    """

    def __init__(self, seed: int, restarts: bool = False, idle_ms: int = IDLE_MS) -> None:
        self._idle_ms = idle_ms
        self._random = random.Random(f"amqp-{seed}")
        self._steps: list[Step] = []
        self._next_size = 1
        self._consumers: list[tuple[str, str]] = []
        """Names of those that were started, with their channels."""
        self._channels_of: dict[str, set[str]] = {}
        """On which channels consumers of each queue were started."""
        self._fans = self._random.random() < 0.5
        """Whether a message may go to several queues."""
        self._limits = self._random.random() < 0.5
        """Whether a channel may have a limit for all its consumers."""
        self._names = 0
        self._queues: list[str] = []
        self._exchanges: list[str] = []
        """What was declared and not deleted since, as far as the program knows."""
        self._tx: set[str] = set()
        self._deliveries = 1
        """About how many deliveries the hand's channel had."""
        self._most = 8
        """Messages that one step publishes."""
        self._buries = False
        """Whether a queue may have a dead-letter exchange."""
        self._restarts = 0.8 if self._random.random() < 0.2 else 0.0
        """How likely a restart is as the next step."""
        self._must_restart = restarts
        if restarts:
            self._restarts = 2.5
        self._waits = self._random.random() < 0.35
        self._kills = self._random.random() < 0.3
        self._single = self._random.random() < 0.5
        """Whether everything happens on one channel, as dense as can be."""

    def _do(self, verb: str, **words: Any) -> None:
        if verb in FLAGS and self._chance(0.1):
            words |= dict.fromkeys(self._random.sample(FLAGS[verb], 2), True)
            if "on" in words and verb == "publish":
                words["confirm"] = False  # that channel is in a mode already
        if words.get("on") == HAND:
            del words["on"]
        self._steps.append({"do": verb, **words})

    def _chance(self, share: float) -> bool:
        return self._random.random() < share

    def _channel(self) -> str:
        return HAND if self._single else self._random.choice(CHANNELS)

    def _queue(self) -> str:
        """Return a queue, mostly one that is there: a wrong name closes the channel, and little happens then."""
        if self._queues and self._chance(0.97):
            return self._random.choice((*self._queues, *self._queues, DEAD))
        return self._random.choice((*QUEUES, "nope"))

    def _one_exchange(self) -> str:
        """Return an exchange, mostly one that is there."""
        if self._exchanges and self._chance(0.97):
            return self._random.choice(self._exchanges)
        return self._random.choice(tuple(EXCHANGES))

    def _arguments(self) -> dict[str, Any]:
        choose = self._random.choice
        found: dict[str, Any] = {**choose(DEAD_LETTERS)}
        self._buries |= bool(found)
        if self._chance(0.25):
            found["x-max-length"] = choose((0, 1, 2, 4, 6, 9))
        if self._chance(0.06):
            found["x-max-length-bytes"] = choose((60, 6000, 20_000))
        if self._chance(0.3):
            found["x-overflow"] = choose(("drop-head", "reject-publish", "reject-publish-dlx"))
        if self._chance(0.3):
            found["x-queue-mode"] = choose(("lazy", "default"))
        if self._waits and self._chance(0.2):
            found["x-message-ttl"] = choose((0, LONG_MS))
        if self._chance(0.1):
            found["x-single-active-consumer"] = True
        if self._chance(0.15):
            found["x-max-priority"] = choose((0, 1, 3))
        return found

    def _headers(self) -> dict[str, Any]:
        choose = self._random.choice
        if self._chance(0.75):
            return {}
        found: dict[str, Any] = choose(
            ({"a": 1}, {"b": "x"}, {"a": 1, "b": "x"}, {"t": {"in": [1, "two", True]}}, {})
        )
        if self._fans and self._chance(0.3):
            found = {**found, choose(("CC", "BCC")): [choose((*QUEUES, DEAD, *KEYS)) for _ in range(2)]}
        return found

    def _properties(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        if self._chance(0.3):
            found["priority"] = self._random.randint(0, 4)
        if self._chance(0.1):
            found |= {
                "content_type": "text/plain",
                "message_id": "m",
                "timestamp": 5,
                "type": "t",
                "app_id": "a",
            }
        if self._chance(0.05):
            found |= {"content_encoding": "utf-8", "correlation_id": "c", "reply_to": "r", "user_id": "guest"}
        return found

    def _binding(self) -> dict[str, Any]:
        source = self._one_exchange()
        found: dict[str, Any] = {"routing_key": self._random.choice((*KEYS, "#", "k.*", "*.k"))}
        if source == "x4":
            found["arguments"] = {"x-match": self._random.choice(("all", "any")), "a": 1, "b": "x"}
        return {"source": source, **found}

    def _size(self) -> int:
        size = self._next_size
        self._next_size += 1
        return size + LARGE if self._chance(0.3) else size
