"""Random AMQP programs: dense in what clients can do to few queues, the same for a seed on every machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tools.proofs.stories.choices import (
    DEAD,
    EXCHANGES,
    KEYS,
    LEASE_MS,
    LEASE_PAD_MS,
    OF_QUEUES,
    PAD_MS,
    QUEUES,
    TTL_MS,
    WRONG,
    Choices,
)
from tools.proofs.stories.story import HAND, Step, connection_of


class Program(Choices):
    """One program under way; its arguments are those of what it chooses from."""

    def steps(self, count: int) -> tuple[Step, ...]:
        """Return the whole program, of about `count` steps."""
        self.begin()
        verbs, weights = zip(*self._verbs(), strict=True)
        while len(self._steps) < count:
            if self._must_restart and len(self._steps) > count // 2:
                self._restart()
            self._random.choices(verbs, weights)[0]()
        return tuple(self._steps)

    def begin(self) -> None:
        """Declare what the program begins with."""
        self._declare(DEAD, plain=True)
        for name in QUEUES[: self._random.randint(1, 3)]:
            self._declare(name)
        if self._random.random() < 0.5:
            self._exchange()

    def _verbs(self) -> list[tuple[Callable[[], None], float]]:
        return [
            (self._publish, 24),
            (self._get, 13),
            (self._consume, 13),
            (self._ack, 12),
            (self._nack, 9),
            (self._cancel, 3),
            (self._qos, 2),
            (self._close_channel, 2.5),
            (self._close_connection, 0.7),
            (self._recover, 1.5),
            (self._policy, 4),
            (self._exchange, 2.5),
            (self._bind, 4.5),
            (self._unbind, 1),
            (self._redeclare, 2),
            (self._delete, 1.2),
            (self._purge, 1.2),
            (self._transaction, 2),
            (self._confirms, 1.5),
            (self._wrong, 1),
            (self._lease, 0.6 if self._waits else 0),
            (self._restart, self._restarts),
            (self._kill_queue, 0.8 if self._kills else 0),
        ]

    # --- what is there -----------------------------------------------------------------------------------------------

    def _declare(self, name: str, plain: bool = False) -> None:
        if plain:
            self._do("declare_queue", name=name, durable=True, arguments={})
            return
        if name in QUEUES and name not in self._queues:
            self._queues.append(name)
        more: dict[str, Any] = {}
        if self._chance(0.1):
            more["auto_delete"] = True
        if self._chance(0.08):
            more["exclusive"] = True
        arguments = self._arguments()
        self._do(
            "declare_queue",
            name=name,
            durable=self._chance(0.75),
            arguments=arguments,
            **more,
            on=self._channel(),
        )

    def _lease(self) -> None:
        """A queue that goes when nobody used it for a while, and what keeps it."""
        on, name = self._channel(), "lease"
        self._do("declare_queue", name=name, arguments={"x-expires": LEASE_MS}, on=on)
        if self._chance(0.4):
            self._consume(name)
            self._wait(LEASE_PAD_MS)
            consumer, place = self._consumers.pop()
            self._do("cancel", name=consumer, on=place)
        elif self._chance(0.3):
            self._do("get", queue=name, ack=True, on=on)
        self._wait(LEASE_PAD_MS)

    def _redeclare(self) -> None:
        absent = [name for name in QUEUES if name not in self._queues]
        if absent and self._chance(0.6):
            self._declare(self._random.choice(absent))
        elif self._chance(0.6):
            self._do("declare_queue", name=self._queue(), passive=True, on=self._channel())
        else:  # mostly with other arguments, which closes the channel
            self._declare(self._queue())

    def _delete(self) -> None:
        how = self._random.choice(({}, {}, {"if_empty": True}, {"if_unused": True}))
        name = self._queue()
        self._do("delete_queue", name=name, **how, on=self._channel())
        if name in self._queues and not how:
            self._queues.remove(name)

    def _purge(self) -> None:
        self._do("purge", queue=self._queue(), on=self._channel())

    def _exchange(self) -> None:
        absent = [name for name in EXCHANGES if name not in self._exchanges]
        if self._exchanges and self._chance(0.15):
            name = self._one_exchange()
            self._do("delete_exchange", name=name, on=self._channel())
            self._exchanges = [each for each in self._exchanges if each != name]
            return
        if not absent and self._chance(0.8):
            return
        name = self._random.choice(absent or tuple(EXCHANGES))
        if absent:
            self._exchanges.append(name)
        more: dict[str, Any] = {}
        if self._chance(0.1):
            more["auto_delete"] = True
        if self._chance(0.1):
            more["internal"] = True
        if self._chance(0.2):
            more["arguments"] = {"alternate-exchange": self._random.choice(tuple(EXCHANGES))}
        self._do(
            "declare_exchange",
            name=name,
            type=EXCHANGES[name],
            durable=self._chance(0.7),
            **more,
            on=self._channel(),
        )

    def _bind(self, verb: str = "bind") -> None:
        words = self._binding()
        if self._chance(0.25):
            self._do(
                f"{verb}_exchange",
                **words,
                destination=self._one_exchange(),
                on=self._channel(),
            )
        else:
            source = words.pop("source")
            self._do(verb, exchange=source, queue=self._queue(), **words, on=self._channel())

    def _unbind(self) -> None:
        self._bind("unbind")

    def _policy(self) -> None:
        name = self._random.choice(("pa", "pb"))
        if self._chance(0.3):
            self._do("clear_policy", name=name)
            return
        renamed = {
            each.removeprefix("x-"): value
            for each, value in self._arguments().items()
            if each not in {"x-max-priority", "x-single-active-consumer"}
        }
        if not renamed:
            renamed = {"max-length": 2}
        # Which of several queues drops its heads first is chance, and seen where these meet again.
        pattern = self._random.choice(("^q1$", "^q2$") if self._buries else ("^q1$", "^q", "^q2$", ".*"))
        self._do(
            "set_policy",
            name=name,
            pattern=pattern,
            definition=renamed,
            priority=1 if name == "pa" else 2,
            apply_to="queues",
        )

    # --- messages in -------------------------------------------------------------------------------------------------

    def _publish(self, on: str | None = None) -> None:
        count = self._random.choice((1, 1, 2, 3, 5, 8))
        sizes = [self._size() for _ in range(min(count, self._most))]
        words: dict[str, Any] = {"confirm": on is None and self._chance(0.8), "persistent": self._chance(0.5)}
        if self._fans and self._exchanges and self._chance(0.35):
            words |= {
                "exchange": self._one_exchange(),
                "routing_key": self._random.choice(KEYS),
            }
        else:
            words |= {"exchange": "", "routing_key": self._queue()}
        words["mandatory"] = self._chance(0.3)
        words["headers"] = self._headers()
        if properties := self._properties():
            words["properties"] = properties
        if on is None and self._waits and self._chance(0.15):
            soon = self._random.choice((0, TTL_MS))
            words |= {"expiration_ms": soon, **({"pad_ms": PAD_MS} if soon else {})}
        elif self._chance(0.05):
            words["expiration_ms"] = 300_000
        self._do("publish", sizes=sizes, **words, **({} if on is None else {"on": on}))

    def _confirms(self) -> None:
        """Publishes on a channel by hand with confirms; now and then on one that is in tx mode."""
        on = "hand.3" if self._chance(0.1) else self._channel()
        self._do("confirm_select", on=on)
        for _ in range(self._random.randint(1, 2)):
            self._publish(on=on)
        if self._chance(0.1):
            self._do("tx_select", on=on)

    def _transaction(self) -> None:
        channel = "hand.3"
        if channel not in self._tx:
            self._tx.add(channel)
            self._do("tx_select", on=channel)
        for _ in range(self._random.randint(0, 2)):
            self._publish(on=channel)
        if self._chance(0.4):
            self._do("get", queue=self._queue(), ack=True, on=channel)
            self._do("ack", tag=0, multiple=True, on=channel)
        self._do("tx_commit" if self._chance(0.7) else "tx_rollback", on=channel)
        if self._chance(0.2):
            self._do("close_channel", name=channel)
            self._tx.discard(channel)

    # --- messages out ------------------------------------------------------------------------------------------------

    def _get(self) -> None:
        on = self._channel()
        for _ in range(self._random.choice((1, 1, 2))):
            count = self._random.choice((1, 1, 2, 4))
            self._do("get", queue=self._queue(), count=count, ack=self._chance(0.85), on=on)
            self._deliveries += count

    def _consume(self, queue: str | None = None) -> None:
        self._names += 1
        manual = self._chance(0.75)
        name = f"{'m' if manual else 'a'}{self._names}"
        held = [each for each in self._consumers if each[0].startswith("m")]
        again = self._random.choice(held) if manual and held and self._chance(0.03) else None
        words: dict[str, Any] = {"mode": "manual" if manual else "auto"}
        words["prefetch"] = self._random.choice((0, 1, 2, 3, 5)) if manual else 0
        if manual and self._limits and self._chance(0.3):
            words["channel_prefetch"] = self._random.choice((1, 2, 4))
        if self._chance(0.15):
            words["priority"] = self._random.choice((-1, 1, 5))
        if self._chance(0.06):
            words["exclusive"] = True
        on = self._channel()
        queue = queue or self._queue()
        on = OF_QUEUES.get(queue, on)
        if again is not None:  # a tag that its channel has, unless the broker cancelled it
            name, on = again
            self._consumers.remove(again)
            self._close_channels(connection_of(on), but=on)  # that closes the connection
        if manual:
            words["on"] = on
        self._consumers.append((name, on if manual else name))
        self._channels_of.setdefault(queue, set()).add(self._consumers[-1][1])
        self._do("consume", name=name, queue=queue, **words)
        self._deliveries += 2

    def _ack(self) -> None:
        multiple = self._chance(0.5)
        if self._chance(0.85):
            count = self._random.choice((1, 1, 2, 3, 5))
            self._do("ack", count=count, multiple=multiple, on=self._channel())
            return
        tag = self._random.randint(0 if multiple else 1, max(1, self._deliveries // 2))
        self._do("ack", tag=tag, multiple=multiple, on=self._channel())

    def _nack(self) -> None:
        on, requeue = self._channel(), self._chance(0.6)
        if self._chance(0.1):
            words: dict[str, Any] = {"tag": self._random.randint(1, max(1, self._deliveries // 2))}
        else:
            words = {"count": self._random.choice((1, 1, 2, 3))}
        if self._chance(0.5):
            self._do("reject", **words, requeue=requeue, on=on)
        else:
            self._do("nack", **words, multiple=self._chance(0.5), requeue=requeue, on=on)

    def _recover(self) -> None:
        self._do("recover", requeue=True, on=self._channel())

    def _qos(self) -> None:
        self._do(
            "qos",
            prefetch=self._random.choice((0, 1, 3)),
            channel=self._limits and self._chance(0.8),
            on=self._channel(),
        )

    def _cancel(self) -> None:
        if self._consumers:
            name, on = self._consumers.pop(self._random.randrange(len(self._consumers)))
            self._do("cancel", name=name, on=on)

    # --- ends --------------------------------------------------------------------------------------------------------

    def _close_channel(self) -> None:
        on = (
            self._random.choice(self._consumers)[1]
            if self._consumers and self._chance(0.4)
            else self._channel()
        )
        self._consumers = [each for each in self._consumers if each[1] != on]
        self._do("close_channel", name=on)

    def _close_connection(self) -> None:
        self._leave(self._random.choice((HAND, "other")))

    def _leave(self, connection: str) -> None:
        """Close a connection, after its channels."""
        self._close_channels(connection)
        self._do("close_connection", name=connection)

    def _close_channels(self, connection: str, but: str = "") -> None:
        """Close channels one by one before their connection is: it is chance in which order they would go together."""
        for channel in (HAND, "hand.2", "hand.3", "hand.4", "other"):
            if connection_of(channel) == connection and channel != but:
                self._do("close_channel", name=channel)

    def _wrong(self) -> None:
        """Do something that the broker answers by closing a channel, or the connection."""
        verb, words = self._random.choice(WRONG)
        if verb == "publish":
            words = {**words, "sizes": [self._size()], "confirm": True}
        elif verb == "declare_exchange":  # closes the connection
            self._close_channels(HAND, but=HAND)
        self._do(verb, **words)

    def _restart(self) -> None:
        self._must_restart = False
        kind = self._random.choice(("clean", "clean", "kill"))
        if kind == "kill":
            # What an idle queue writes after 200 ms (P2) is written then, however slow the machine.
            self._wait(self._idle_ms)
        elif self._buries or any(name.startswith("a") for name, _ in self._consumers):
            # What comes back as the node closes its connections may still reach a consumer or another queue, or not:
            # the order to stop reaches a queue some 2 ms later, and overtakes what its mailbox has.
            self._leave(HAND)
            self._leave("other")
        self._do("restart", kind=kind)
        self._consumers.clear()
        self._tx.clear()
        self._deliveries = 1

    def _kill_queue(self) -> None:
        """A queue's process dies; which of several channels consumes again first is chance."""
        channels = self._channels_of
        alone = [each for each in (*self._queues, DEAD) if len(channels.get(each, ())) <= 1]
        if not alone:
            return
        queue = self._random.choice(alone)
        unheard = not channels.get(queue) and self._chance(0.5)
        self._wait(self._idle_ms)
        self._do("kill_queue", queue=queue, how="error" if unheard else "kill")

    def _wait(self, ms: int) -> None:
        if ms:
            self._do("wait", ms=ms)
