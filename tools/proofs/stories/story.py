"""What a story is made of, and what clients can see of one step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import msgspec

Step = dict[str, Any]
"""One step: `do` names the verb, the rest are its words; see `Player`."""

HAND = "hand"
PUBLISHER = "publisher"
"""The channel, on a connection of its own, of publishes that name no channel."""


class Story(msgspec.Struct, frozen=True):
    """Steps that clients take.

    Args:
        rules: of the specification that it is about.
    """

    name: str
    rules: str
    steps: tuple[Step, ...]


class Delivery(msgspec.Struct, frozen=True, omit_defaults=True):
    """A message as it reaches a client; it is recognised by its size.

    Args:
        consumer: tag of the consumer, None for basic.get.
        channel: that it came through.
        properties: what is set beside the headers.
    """

    tag: int
    consumer: str | None
    size_bytes: int
    redelivered: bool
    exchange: str
    routing_key: str
    headers: dict[str, Any] = {}
    channel: str = HAND
    properties: dict[str, Any] = {}


class View(msgspec.Struct, omit_defaults=True):
    """What clients see after one step.

    Args:
        deliveries: in the order of channels, and of tags in each.
        confirmed, nacked: how many publishes the broker spoke of.
        together: whether one frame confirmed several of a batch that was sent in one go.
        returned: exchange, routing key and count of what came back.
        closed: which channel or connection was closed, with code and text.
        cancelled: consumers that the broker cancelled.
        empty: basic.get found nothing.
        answer: what queue.declare, queue.delete and queue.purge answered: message and consumer counts.
        queues: ready messages and consumers of every queue that there is.
        printed: what rabbitmqctl printed; recordings name it `said`.
    """

    deliveries: list[Delivery] = []
    confirmed: int = 0
    nacked: int = 0
    together: bool = False
    returned: list[tuple[str, str, int]] = []
    closed: list[tuple[str, int, str]] = []
    cancelled: list[str] = []
    empty: bool = False
    answer: list[int] = []
    queues: dict[str, tuple[int, int]] = {}
    printed: str = msgspec.field(default="", name="said")


class Player(Protocol):
    """Takes the steps of a story, on either side.

    Words that many verbs share: `on` names the channel, `hand` if there is none; what stands before its first dot names
    its connection (`hand.2` is a second channel of the hand's connection, `other` a channel of another one). A message
    is named by its size.

    - declare_queue, delete_queue, purge, declare_exchange, delete_exchange
    - bind, unbind (a queue), bind_exchange, unbind_exchange
    - publish: `sizes`, one message each; without `on` through a connection of its own, with publisher confirms or not
    - consume: `name` is the tag; `mode` manual (acknowledged by steps, on the channel `on`) or auto (no-ack, on a
      connection of its own); `prefetch` and `channel_prefetch` are basic.qos before it
    - kill_queue: the queue's process is killed, or ended by an error (`how`); its supervisor begins another
    - qos, cancel, get, ack, nack, reject, recover, confirm_select, tx_select, tx_commit, tx_rollback
    - ack, nack and reject name a `tag`, or the `count` of the oldest that are held on the channel
    - close_channel, close_connection, set_policy, clear_policy, restart (`clean` or `kill`), ctl, wait
    - alarm: the memory is too full, or is not any more (`on`)
    """

    def begin(self) -> None:
        """Start a story from nothing."""

    def take(self, step: Step) -> View:
        """Take one step and return what clients see of it."""


def connection_of(channel: str) -> str:
    """Return the name of a channel's connection."""
    return channel.partition(".")[0]


def comparable_headers(headers: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return headers without the time of death, which is the only thing in them that the two sides cannot share."""
    return {
        name: [_plain(_timeless(each)) for each in value]
        if name == "x-death" and isinstance(value, list)
        else _plain(value)
        for name, value in sorted((headers or {}).items())
    }


def _timeless(death: Any) -> Any:
    """Return a death without its time; what is no death, as a client may write it, as it is."""
    return {key: death[key] for key in sorted(death) if key != "time"} if isinstance(death, dict) else death


def _plain(value: Any) -> Any:
    """Return a value without the types of its own that pika gives large numbers."""
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return int(value) if isinstance(value, int) and not isinstance(value, bool) else value


def differences(ours: View, theirs: View) -> list[str]:
    """Return in words where two views of one step differ."""
    one, other = as_plain(ours), as_plain(theirs)
    return [
        f"{name}: broker {other.get(name)!r}, engine {one.get(name)!r}"
        for name in sorted(one.keys() | other.keys())
        if one.get(name) != other.get(name)
    ]


def as_plain(view: View) -> dict[str, Any]:
    """Return a view as JSON has it, in one order."""
    view.deliveries.sort(key=lambda each: (each.channel, each.tag))
    view.returned = _summed(view.returned)
    view.closed.sort()
    view.cancelled.sort()
    found: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(view))
    return found


def _summed(returned: list[tuple[str, str, int]]) -> list[tuple[str, str, int]]:
    """Return how many came back for each exchange and key."""
    counts: dict[tuple[str, str], int] = {}
    for exchange, key, count in returned:
        counts[exchange, key] = counts.get((exchange, key), 0) + count
    return [(exchange, key, count) for (exchange, key), count in sorted(counts.items())]
