"""How the nodes of a cluster name what they report: mirrors and stores of other nodes carry their node (queue@n2)."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from engine.mirrored_queue import instructions as to_do
from engine.report.transitions.base import Transition
from engine.report.transitions.node import RingSent


class LabelledRing:
    """Takes the transitions of one node's virtual host, and hands them on with the member's name.

    Args:
        emit: takes them then.
        node: whose they are.
        first: whether it is the cluster's first node, whose stores have their plain names.
        label: names a queue's member on a node.
    """

    def __init__(
        self, emit: Callable[[Transition], None], node: str, first: bool, label: Callable[[str, str], str]
    ) -> None:
        self._emit = emit
        self._node = node
        self._first = first
        self._label = label

    def __call__(self, transition: Transition) -> None:
        """Take one."""
        queue, store = getattr(transition, "queue", None), getattr(transition, "store", None)
        if isinstance(queue, str):
            name = self._label(queue, self._node)
            if name != queue:
                transition = replace(transition, queue=name)
        if isinstance(store, str) and not self._first:
            transition = replace(transition, store=f"{store}@{self._node}")
        self._emit(transition)


def ring_sent(name: str, node: str, instruction: to_do.MirrorInstruction, hops: int) -> RingSent:
    """Return what is reported of an instruction that a master on `node` sends around."""
    kind = type(instruction).__name__.removesuffix("Instruction")
    why: dict[str, int | float | str | bool | None] = {}
    if isinstance(instruction, to_do.DropInstruction):
        why = {"left": instruction.left, "ack": instruction.ack}
    return RingSent("H32", name, node, kind, instruction.times, hops, instruction.body_bytes, why)
