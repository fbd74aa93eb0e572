"""What a story is made of, and what a client can see of one step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import msgspec

Step = dict[str, Any]
"""One step: `do` names the verb, the rest are its words; see `Player`."""


class Story(msgspec.Struct, frozen=True):
    """Steps that a client takes.

    Args:
        rules: of the specification that it is about.
    """

    name: str
    rules: str
    steps: tuple[Step, ...]


class Delivery(msgspec.Struct, frozen=True):
    """A message as it reaches the client; its size tells which one it is.

    Args:
        consumer: tag of the consumer, None for basic.get.
    """

    tag: int
    consumer: str | None
    size_bytes: int
    redelivered: bool
    exchange: str
    routing_key: str
    headers: dict[str, Any] = {}


class View(msgspec.Struct):
    """What a client sees after one step.

    Args:
        confirmed, nacked: how many publishes the broker spoke of.
        together: whether one frame confirmed several.
        returned: exchange, routing key and count of what came back.
        closed: who was closed, with code and text.
        counts: for each queue asked for, ready messages and consumers; None when it is not there.
        said: what rabbitmqctl printed.
        empty: basic.get found nothing.
    """

    deliveries: list[Delivery] = []
    confirmed: int = 0
    nacked: int = 0
    together: bool = False
    returned: list[tuple[str, str, int]] = []
    closed: list[tuple[str, int, str]] = []
    cancelled: list[str] = []
    counts: dict[str, tuple[int, int] | None] = {}
    said: str = ""
    empty: bool = False


class Player(Protocol):
    """Takes the steps of a story, on either side.

    Verbs: declare_queue, delete_queue, declare_exchange, bind, publish (sizes), consume, cancel, get, ack (tag),
    nack and reject (of the oldest held), close_channel, purge, counts, ctl, wait.
    """

    def begin(self) -> None:
        """Start a story from nothing."""

    def take(self, step: Step) -> View:
        """Take one step and return what a client sees of it."""


def comparable_headers(headers: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return headers without the time of death, which is the only thing in them that the two sides cannot share."""
    return {
        name: [_plain({key: each[key] for key in sorted(each) if key != "time"}) for each in value]
        if name == "x-death"
        else _plain(value)
        for name, value in sorted((headers or {}).items())
    }


def _plain(value: Any) -> Any:
    """Return a value without the types of its own that pika gives large numbers."""
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    return int(value) if isinstance(value, int) and not isinstance(value, bool) else value


def differences(ours: View, theirs: View) -> list[str]:
    """Return in words where two views of one step differ."""
    one, other = msgspec.to_builtins(ours), msgspec.to_builtins(theirs)
    return [
        f"{name}: broker {other[name]!r}, engine {one[name]!r}" for name in one if one[name] != other[name]
    ]
