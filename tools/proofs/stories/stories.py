"""The stories. A message is named by its size, so every size stands for one message."""

from __future__ import annotations

from typing import Any

from tools.proofs.stories.story import Step, Story


def declare(name: str, **more: Any) -> Step:
    """queue.declare with x-arguments in `arguments`."""
    return {"do": "declare_queue", "name": name, **more}


def publish(*sizes: int, to: str = "q", exchange: str = "", **more: Any) -> Step:
    """Publish one message for each size."""
    return {"do": "publish", "sizes": list(sizes), "routing_key": to, "exchange": exchange, **more}


def consume(name: str, queue: str = "q", prefetch: int = 0, **more: Any) -> Step:
    """basic.consume on the channel that also gets and acknowledges, or `on` another."""
    return {"do": "consume", "name": name, "queue": queue, "prefetch": prefetch, **more}


def get(count: int = 1, queue: str = "q", ack: bool = True) -> Step:
    """basic.get so many times."""
    return {"do": "get", "queue": queue, "count": count, "ack": ack}


def ack(tag: int, multiple: bool = False) -> Step:
    """basic.ack."""
    return {"do": "ack", "tag": tag, "multiple": multiple}


def nack(count: int, multiple: bool = False, requeue: bool = True) -> Step:
    """basic.nack of the oldest held, one by one or all at once."""
    return {"do": "nack", "count": count, "multiple": multiple, "requeue": requeue}


def ctl(line: str) -> Step:
    """A line of rabbitmqctl."""
    return {"do": "ctl", "line": line}


def wait(ms: int) -> Step:
    """Let time pass."""
    return {"do": "wait", "ms": ms}


DEAD = {"x-dead-letter-exchange": "", "x-dead-letter-routing-key": "dead"}
CLOSE: Step = {"do": "close_channel"}

TASKS = ((1, 0), (2, 2), (5003, 9), (4, 2), (5, 1))
"""Sizes of messages, and their priorities."""

STORIES = (
    Story(
        "prefetch, and acknowledgements one by one and multiple",
        "P12-P14",
        (
            declare("q"),
            publish(*range(1, 11)),
            consume("c", prefetch=3),
            ack(2, multiple=True),
            ack(4),
            ack(0, multiple=True),
            publish(11, 12),
            ack(8, multiple=True),
            ack(0, multiple=True),
        ),
    ),
    Story(
        "requeued messages return to their places",
        "P11, Q40",
        (
            declare("q"),
            publish(*range(1, 7)),
            get(4),
            {"do": "reject", "count": 1, "requeue": True},
            nack(2, multiple=True),
            get(5),
            nack(3),
            get(4, ack=False),
        ),
    ),
    Story(
        "a closing channel gives everything back, redelivered",
        "P11, P15, Q33",
        (
            declare("q"),
            publish(*range(1, 6)),
            get(2),
            consume("c", prefetch=2),
            CLOSE,
            get(5),
            CLOSE,
            publish(6),
            get(6, ack=False),
        ),
    ),
    Story(
        "a cancelled consumer keeps what it holds",
        "P11",
        (
            declare("q"),
            publish(1, 2, 3),
            consume("c", prefetch=2),
            {"do": "cancel", "name": "c"},
            publish(4),
            ack(1),
            CLOSE,
        ),
    ),
    Story(
        "only the head expires",
        "P9",
        (
            declare("q"),
            publish(1, expiration_ms=60_000),
            publish(2, expiration_ms=200),
            publish(3),
            wait(700),
            get(),
            wait(50),
            get(2),
        ),
    ),
    Story(
        "a queue's own TTL, and the smaller of two",
        "P8, P9",
        (
            declare("q", arguments={"x-message-ttl": 500}),
            publish(1),
            publish(2, expiration_ms=60_000),
            wait(1200),
            declare("now", arguments={"x-message-ttl": 0}),
            publish(3, 4, to="now", confirm=True),
        ),
    ),
    Story(
        "a full queue drops its head",
        "P8",
        (
            declare("q", arguments={"x-max-length": 3}),
            publish(1, 2, 3, 4, 5),
            get(5, ack=False),
            declare("b", arguments={"x-max-length-bytes": 100}),
            publish(40, 41, 42, 10, to="b"),
            get(5, queue="b", ack=False),
        ),
    ),
    Story(
        "a full queue rejects publishes",
        "P8, K10",
        (
            declare("q", arguments={"x-max-length": 2, "x-overflow": "reject-publish"}),
            publish(1, 2, 3, 4, confirm=True),
            get(2, ack=False),
            publish(5, confirm=True),
            get(ack=False),
        ),
    ),
    Story(
        "a full queue dead-letters what it rejects",
        "P8",
        (
            declare("dead"),
            declare("q", arguments={"x-max-length": 1, "x-overflow": "reject-publish-dlx", **DEAD}),
            publish(1, 2, 3, confirm=True),
            get(2, queue="dead"),
        ),
    ),
    Story(
        "dead letters tell how they died",
        "P8, P9, P11",
        (
            declare("dead"),
            declare("q", arguments={"x-max-length": 2, **DEAD}),
            publish(1, 2, 3, headers={"mine": "yes"}),
            get(queue="dead"),
            get(),
            nack(1, requeue=False),
            publish(4, expiration_ms=100),
            wait(500),
            get(4, queue="q"),
            {"do": "reject", "count": 2, "requeue": False},
            get(4, queue="dead"),
        ),
    ),
    Story(
        "a message that died twice counts, and a circle without a reject ends",
        "P9",
        (
            declare("b", arguments={"x-dead-letter-exchange": "", "x-dead-letter-routing-key": "q"}),
            declare("q", arguments={"x-dead-letter-exchange": "", "x-dead-letter-routing-key": "b"}),
            publish(1),
            get(),
            nack(1, requeue=False),
            get(queue="b"),
            nack(1, requeue=False),
            get(),
            nack(1, requeue=False),
            get(queue="b"),
            declare(
                "c",
                arguments={
                    "x-message-ttl": 100,
                    "x-dead-letter-exchange": "",
                    "x-dead-letter-routing-key": "c",
                },
            ),
            publish(2, to="c"),
            wait(600),
        ),
    ),
    Story(
        "confirms come together",
        "K1, K10",
        (
            declare("q"),
            publish(1, confirm=True),
            publish(*range(2, 102), confirm=True, persistent=True, together=True),
            publish(200, confirm=True),
        ),
    ),
    Story(
        "mandatory messages come back",
        "P16, K10",
        (
            {"do": "declare_exchange", "name": "x", "type": "direct"},
            declare("q"),
            {"do": "bind", "exchange": "x", "queue": "q", "routing_key": "known"},
            publish(1, to="known", exchange="x", mandatory=True, confirm=True),
            publish(2, to="unknown", exchange="x", mandatory=True, confirm=True),
            publish(3, to="unknown", exchange="x", confirm=True),
            publish(4, to="unknown", exchange="x", mandatory=True),
            publish(5, to="nowhere", mandatory=True),
        ),
    ),
    Story(
        "a policy beside an argument",
        "P17",
        (
            declare("q", arguments={"x-max-length": 10, "x-overflow": "reject-publish"}),
            publish(1, 2, 3, 4),
            ctl('set_policy short \'^q$\' \'{"max-length":2,"overflow":"drop-head"}\' --apply-to queues'),
            publish(5, confirm=True),
            get(5, ack=False),
            publish(6, 7, 8, confirm=True),
            ctl("clear_policy short"),
            publish(9, confirm=True),
            get(5, ack=False),
        ),
    ),
    Story(
        "an unknown delivery tag closes the channel",
        "P14",
        (
            declare("q"),
            publish(1, 2, 3),
            get(2),
            ack(1),
            ack(1),
            get(3),
            ack(9, multiple=True),
            get(3, ack=False),
        ),
    ),
    Story(
        "what is not there, and what is not allowed",
        "P18, P19",
        (
            declare("q", arguments={"x-max-length": 5}),
            declare("q", durable=False, arguments={"x-max-length": 5}),
            declare("q", arguments={"x-max-length": 6}),
            declare("none", passive=True),
            get(queue="none"),
            publish(1, exchange="none"),
            {"do": "bind", "exchange": "none", "queue": "q", "routing_key": "k"},
            consume("c", queue="none", on="other"),
            declare("odd", arguments={"x-message-ttl": -1}),
            publish(2),
            {"do": "delete_queue", "name": "q", "if_empty": True},
            {"do": "delete_queue", "name": "q"},
        ),
    ),
    Story(
        "consumers by priority, and one that wants to be alone",
        "P12, P18",
        (
            declare("q"),
            consume("low", prefetch=2),
            consume("high", prefetch=2, priority=5),
            publish(1, 2, 3),
            consume("alone", exclusive=True, on="other"),
        ),
    ),
    Story(
        "a queue that goes with its last consumer",
        "P18",
        (
            declare("q", auto_delete=True),
            publish(1),
            consume("c", prefetch=1),
            {"do": "cancel", "name": "c"},
        ),
    ),
    Story(
        "topics, headers and fanout",
        "D1",
        (
            {"do": "declare_exchange", "name": "t", "type": "topic"},
            {"do": "declare_exchange", "name": "h", "type": "headers"},
            {"do": "declare_exchange", "name": "f", "type": "fanout"},
            declare("one"),
            declare("two"),
            {"do": "bind", "exchange": "t", "queue": "one", "routing_key": "eu.#"},
            {"do": "bind", "exchange": "t", "queue": "two", "routing_key": "*.de"},
            {
                "do": "bind",
                "exchange": "h",
                "queue": "one",
                "arguments": {"x-match": "all", "a": 1, "b": "x"},
            },
            {
                "do": "bind",
                "exchange": "h",
                "queue": "two",
                "arguments": {"x-match": "any", "a": 1, "b": "x"},
            },
            {"do": "bind", "exchange": "f", "queue": "one"},
            {"do": "bind", "exchange": "f", "queue": "two"},
            publish(1, to="eu", exchange="t"),
            publish(2, to="eu.de", exchange="t"),
            publish(3, to="us.de", exchange="t"),
            publish(4, to="us.de.north", exchange="t"),
            publish(5, to="", exchange="h", headers={"a": 1}),
            publish(6, to="", exchange="h", headers={"a": 1, "b": "x", "c": True}),
            publish(7, to="", exchange="h", headers={"b": "y"}),
            publish(8, to="any", exchange="f"),
            get(9, queue="one", ack=False),
            get(9, queue="two", ack=False),
        ),
    ),
    Story(
        "priorities: who is first, what is put back, what expires, what is too long",
        "P20",
        (
            declare("q", arguments={"x-max-priority": 3}),
            *(publish(size, properties={"priority": level}, persistent=True) for size, level in TASKS),
            publish(6, 7),
            get(3),
            nack(2, multiple=True),
            get(4),
            ack(0, multiple=True),
            *(publish(size, properties={"priority": level}, persistent=True) for size, level in TASKS),
            {"do": "restart", "kind": "clean"},
            get(1),
            publish(8, properties={"priority": 1}, expiration_ms=1, pad_ms=100),
            publish(9, properties={"priority": 2}),
            get(9, ack=False),
            {"do": "set_policy", "name": "p", "pattern": "q", "definition": {"max-length": 2}},
            *(publish(size, properties={"priority": level}) for size, level in TASKS),
            consume("c", prefetch=1),
            ack(0, multiple=True),
            wait(400),
            {"do": "restart", "kind": "kill"},
            get(9, ack=False),
            {"do": "delete_queue", "name": "q"},
        ),
    ),
    Story(
        "a consumer tag that the channel has already",
        "P12",
        (
            declare("q"),
            consume("c"),
            publish(1, 2),
            consume("c"),
            get(1),
            consume("c"),
        ),
    ),
    Story(
        "CC and BCC that are no lists",
        "P16",
        (
            declare("q"),
            *(
                publish(1, headers={"CC": value}, confirm=True)
                for value in ("q", 5, True, {"a": 1}, [5, "q"])
            ),
            publish(2, headers={"BCC": "q"}, on="hand"),
            publish(3, headers={"BCC": ["q"]}, on="hand"),
            get(9),
        ),
    ),
    Story(
        "confirms and transactions on channels by hand",
        "K1, K10, D12",
        (
            declare("q", arguments={"x-max-length": 2, "x-overflow": "reject-publish"}),
            {"do": "confirm_select"},
            publish(1, 2, 3, on="hand", persistent=True),
            publish(4, to="nowhere", on="hand", mandatory=True),
            publish(5, exchange="nope", on="hand"),
            publish(6, to="nowhere", on="hand", mandatory=True),
            {"do": "tx_select"},
            {"do": "confirm_select"},
            {"do": "confirm_select"},
            {"do": "tx_select"},
        ),
    ),
)
