"""What is there before the first command: the queues of a scenario."""

from __future__ import annotations

from typing import Annotated, Any, Final

import msgspec

from engine.node.commands import DeclareQueue, Name

MAX_QUEUES: Final = 8


class QueueSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One queue of a topology; fields as in DeclareQueue."""

    name: Name
    durable: bool = True

    def declaration(self) -> DeclareQueue:
        """Return the command that declares it."""
        return DeclareQueue(self.name, self.durable)


class Topology(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Everything that a scenario declares before its first command."""

    queues: Annotated[tuple[QueueSpec, ...], msgspec.Meta(max_length=MAX_QUEUES)] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the plain object, which says all."""
        plain: dict[str, Any] = msgspec.to_builtins(self)
        return plain
