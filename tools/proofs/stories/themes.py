"""Random programs about one theme: what clients and operators meet together, in one program again and again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from engine.amqp.tables import KEYS
from tools.proofs.stories.choices import DEAD, IDLE_MS, LONG_MS, QUEUES
from tools.proofs.stories.programs import Program
from tools.proofs.stories.story import Story

Verbs = list[tuple[Callable[[], None], float]]

RING: Final = dict(zip(QUEUES, (*QUEUES[1:], QUEUES[0]), strict=True))
"""Where each queue's dead letters go in a cycle."""
REASONS: Final = ("rejected", "expired", "maxlen", "delivery_limit", "odd")
ODD_DEATHS: Final[tuple[Any, ...]] = ("text", 5, True, {"a": 1}, [], [5], ["text"], [{}])
"""What a client may send as `x-death` that is no list of deaths."""
FULL: Final = 16_777_216
"""Bytes of a message: the most that 4.x takes."""
KNOWN: Final = sorted({key for release in KEYS.values() for key in release if not key.startswith("ha-")})
"""Keys of policies that some release knows."""
KINDS: Final = ("all", "queues", "classic_queues", "quorum_queues", "streams", "exchanges")


class Retries(Program):
    """Rejected messages go to a second queue, and clients publish them again with the headers that they got.

    A step publishes one message to one queue: what a channel sends next and what a queue buries have no order.
    """

    def __init__(self, seed: int, restarts: bool = False, idle_ms: int = IDLE_MS) -> None:
        super().__init__(seed, restarts, idle_ms)
        self._most, self._fans = 1, False

    def begin(self) -> None:
        """Declare two queues that bury each other's messages."""
        self._declare(DEAD, plain=True)
        for name in QUEUES[:2]:
            more: dict[str, Any] = (
                {"x-message-ttl": self._random.choice((0, LONG_MS))} if self._chance(0.3) else {}
            )
            self._declare_ring(name, more)
        self._buries = True

    def _declare_ring(self, name: str, more: dict[str, Any]) -> None:
        self._queues.append(name)
        key = self._random.choice((RING[name], QUEUES[0], DEAD))
        found = {"x-dead-letter-exchange": "", "x-dead-letter-routing-key": key, **more}
        self._do("declare_queue", name=name, durable=True, arguments=found)

    def _verbs(self) -> Verbs:
        return [*super()._verbs(), (self._again, 25), (self._reject, 25)]

    def _again(self) -> None:
        """Publish with deaths, as one who took them from a delivery, or wrote them by hand."""
        headers: dict[str, Any] = {"x-death": self._deaths()}
        if self._chance(0.4):
            headers |= {
                "x-first-death-queue": self._random.choice((*QUEUES, DEAD)),
                "x-first-death-reason": self._random.choice(REASONS),
                "x-first-death-exchange": self._random.choice(("", "x1")),
            }
        if self._chance(0.3):
            headers["x-retries"] = self._random.randint(0, 9)
        words: dict[str, Any] = {"confirm": self._chance(0.6), "persistent": self._chance(0.5)}
        self._do("publish", sizes=[self._size()], routing_key=self._queue(), headers=headers, **words)

    def _deaths(self) -> Any:
        if self._chance(0.1):
            return self._random.choice(ODD_DEATHS)
        return [self._death() for _ in range(self._random.randint(1, 3))]

    def _death(self) -> dict[str, Any]:
        death: dict[str, Any] = {
            "count": self._random.randint(1, 4),
            "reason": self._random.choice(REASONS),
            "queue": self._random.choice((*QUEUES, DEAD)),
            "exchange": self._random.choice(("", "x1")),
            "routing-keys": [self._random.choice((*QUEUES, "k"))],
        }
        if self._chance(0.1):
            del death[self._random.choice(sorted(death))]
        return death

    def _reject(self) -> None:
        """Take what a queue has, and give it back for good."""
        self._do("get", queue=self._queue(), count=self._random.choice((1, 1, 2, 3)), ack=True)
        self._do("reject", count=self._random.choice((1, 2, 3)), requeue=False)


class Cycles(Retries):
    """Queues that bury each other's messages in a circle, by every cause of death."""

    def begin(self) -> None:
        """Declare a circle of two or three queues, each with a limit or not."""
        self._declare(DEAD, plain=True)
        for name in QUEUES[: self._random.randint(1, 3)]:
            more: dict[str, Any] = self._random.choice(
                ({}, {"x-max-length": 0}, {"x-max-length": 1}, {"x-message-ttl": 0}, {"x-max-length": 3})
            )
            if self._chance(0.2):
                more = {**more, "x-overflow": "reject-publish-dlx"}
            self._declare_ring(name, more)
        self._buries = True

    def _verbs(self) -> Verbs:
        return [*super()._verbs(), (self._circle, 6)]

    def _circle(self) -> None:
        """Let a policy bury into the next queue, or lift what it said."""
        name = self._random.choice(QUEUES)
        if self._chance(0.3):
            self._do("clear_policy", name=f"ring-{name}")
            return
        definition: dict[str, Any] = {"dead-letter-exchange": "", "dead-letter-routing-key": RING[name]}
        if self._chance(0.4):
            definition["max-length"] = self._random.choice((0, 1, 2))
        words = {"pattern": f"^{name}$", "definition": definition, "priority": 5, "apply_to": "queues"}
        self._do("set_policy", name=f"ring-{name}", **words)


class Transactions(Program):
    """Transactions over several queues, of which some go before the commit."""

    def _verbs(self) -> Verbs:
        return [*super()._verbs(), (self._across, 40)]

    def _across(self) -> None:
        """Publish to several queues and acknowledge from others, in one transaction or two."""
        channels = self._random.sample(("hand.3", "hand.4"), self._random.randint(1, 2))
        for channel in channels:
            if channel not in self._tx:
                self._tx.add(channel)
                self._do("tx_select", on=channel)
        for _ in range(self._random.randint(1, 5)):
            on = self._random.choice(channels)
            act = self._random.choice((self._sent, self._sent, self._taken, self._gone, self._untouched))
            act(on)
        for channel in channels:
            self._do("tx_commit" if self._chance(0.75) else "tx_rollback", on=channel)
            if self._chance(0.1):
                self._do("close_channel", name=channel)
                self._tx.discard(channel)

    def _sent(self, on: str) -> None:
        self._publish(on=on)

    def _taken(self, on: str) -> None:
        self._do("get", queue=self._queue(), count=self._random.choice((1, 2)), ack=True, on=on)
        if self._chance(0.7):
            self._do("ack", tag=0, multiple=True, on=on)
        else:
            self._do("nack", count=1, requeue=self._chance(0.5), on=on)

    def _gone(self, _: str) -> None:
        """Delete a queue, and mostly declare it anew."""
        name = self._queue()
        self._do("delete_queue", name=name)
        if self._chance(0.7):
            self._do("declare_queue", name=name, durable=True, arguments={})

    def _untouched(self, _: str) -> None:
        self._publish()


POLICIES = ("pa", "pb", "pc")


class ForeignPolicies(Program):
    """Policies with keys that no classic queue has, that other releases have, or that nobody has."""

    def _verbs(self) -> Verbs:
        return [*super()._verbs(), (self._foreign, 25), (self._seen, 10)]

    def _foreign(self) -> None:
        definition: dict[str, Any] = {"max-length": self._random.choice((0, 1, 2, 4))}
        for key in self._random.sample(KNOWN, self._random.choice((0, 1, 1, 2))):
            definition[key] = self._random.choice((1, 2, 20, "classic", "lazy", "drop-head", "at-most-once"))
        # A queue that goes for its policy's sake goes when the clock says so, and a locator that 3.10 cannot read
        # stops the node.
        for key in ("expires", "message-ttl", "queue-master-locator"):
            definition.pop(key, None)
        if self._chance(0.05):
            definition["no-such-key"] = 1
        name = self._random.choice(POLICIES)
        # Of policies with one priority the broker takes the one that its table happens to have first (P17).
        self._do(
            "set_policy",
            name=name,
            pattern=self._random.choice(("^q1$", "^q2$", "^q[12]$")),
            definition=definition,
            priority=self._random.choice((0, 4, 2**31, -8)) + POLICIES.index(name),
            apply_to=self._random.choice((*KINDS, "queues", "all")),
        )

    def _seen(self) -> None:
        self._publish()
        self._do("get", queue=self._queue(), count=2, ack=False, on=self._channel())


class LargeMessages(Program):
    """Messages about as large as the broker takes at most."""

    def begin(self) -> None:
        """Begin as every program does, with few large messages."""
        super().begin()
        self._large = self._random.randint(2, 4)

    def _verbs(self) -> Verbs:
        return [*super()._verbs(), (self._huge, 12)]

    def _huge(self) -> None:
        if not self._large:
            self._publish()
            return
        self._large -= 1
        size = FULL + self._random.choice((-2, -1, 0, 0, 1, 2, 1000))
        words: dict[str, Any] = {"persistent": self._chance(0.5), "mandatory": self._chance(0.2)}
        on = self._random.choice((None, None, self._channel()))
        where = {} if on is None else {"on": on}
        if on is None:
            words["confirm"] = self._chance(0.8)
        self._do(
            "publish", sizes=[size], routing_key=self._queue(), headers=self._headers(), **words, **where
        )


class Alarms(Program):
    """Publishers wait while the memory is too full; consumers go on."""

    _alarm = False

    def begin(self) -> None:
        """Open both channels of the publishers' connection before it can be blocked."""
        super().begin()
        for confirm in (True, False):
            self._do("publish", sizes=[self._size()], routing_key=DEAD, confirm=confirm)

    def steps(self, count: int) -> tuple[Any, ...]:
        """Return the program, without an alarm at its end."""
        super().steps(count)
        if self._alarm:
            self._toggle()
        return tuple(self._steps)

    def _verbs(self) -> Verbs:
        """Leave out who publishes on a connection that also asks for something: its answer waits, too."""
        own = {self._confirms, self._transaction, self._wrong, self._restart, self._lease, self._kill_queue}
        return [*(each for each in super()._verbs() if each[0] not in own), (self._toggle, 10)]

    def _publish(self, on: str | None = None) -> None:
        del on
        sizes = [self._size() for _ in range(self._random.choice((1, 1, 2, 3)))]
        words = {"confirm": self._chance(0.8), "persistent": self._chance(0.5)}
        self._do("publish", sizes=sizes, routing_key=self._queue(), headers=self._headers(), **words)

    def _toggle(self) -> None:
        self._alarm = not self._alarm
        self._do("alarm", on=self._alarm)


class Restarts(Program):
    """The node is stopped or killed at least once, and started again."""

    def __init__(self, seed: int, idle_ms: int = IDLE_MS) -> None:
        super().__init__(seed, True, idle_ms)


PLAIN: Final = "p"
THEMES: Final[dict[str, Callable[..., Program]]] = {
    PLAIN: Program,
    "retries": Retries,
    "cycles": Cycles,
    "transactions": Transactions,
    "foreign": ForeignPolicies,
    "large": LargeMessages,
    "alarms": Alarms,
    "restarts": Restarts,
}
"""What the random programs are about; each begins the names of its stories."""
IN_TURN: Final = "all"
"""Each seed has the theme that its number says."""


def themed(theme: str, seed: int, idle_ms: int = IDLE_MS) -> Story:
    """Return the random program of a seed about a theme, or about the one that the seed says (`all`)."""
    name = [*THEMES][seed % len(THEMES)] if theme == IN_TURN else theme
    made = THEMES[name](seed, idle_ms=idle_ms)
    parted = "" if name == PLAIN else "-"
    return Story(f"{name}{parted}{seed}", "D, K, P, Q", made.steps(30 + seed % 24))
