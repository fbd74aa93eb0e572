"""Commands by which clients end, or stop talking."""

from __future__ import annotations

from typing import Annotated

import msgspec

from engine.broker.commands.base import Command, ConsumerTag


class Remove(Command, frozen=True, tag="remove"):
    """Close the connection of a publisher, a consumer or the hand; unacknowledged messages go back (P11).

    The hand's next command opens another.
    """

    name: ConsumerTag


class Cancel(Command, frozen=True, tag="cancel"):
    """basic.cancel: the consumer gets nothing more; what it holds stays with its channel (P11)."""

    name: ConsumerTag


class Hang(Command, frozen=True, tag="hang"):
    """The program of a publisher or a consumer hangs: it sends nothing any more, not even heartbeats (A3).

    Its connection stays open until the broker misses the heartbeats; the actor's next command wakes the program.

    Args:
        heartbeat_s: the interval on which client and broker agreed.
    """

    name: ConsumerTag
    heartbeat_s: Annotated[int, msgspec.Meta(ge=1, le=3600)] = 60


class CloseChannel(Command, frozen=True, tag="close_channel"):
    """Close the channel of a publisher, a consumer or the hand: what it holds is requeued (P11)."""

    name: ConsumerTag
