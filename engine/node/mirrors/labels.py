"""How the nodes of a cluster name what they tell: mirrors and stores of other nodes carry their node (queue@n2)."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from engine.cluster import instructions as to_do
from engine.transitions import RingSent, Transition


def labelled(
    emit: Callable[[Transition], None], node: str, first: bool, label: Callable[[str, str], str]
) -> Callable[[Transition], None]:
    """Return what takes the transitions of one node's virtual host.

    Args:
        first: whether it is the cluster's first node, whose stores have their plain names.
        label: names a queue's member on a node.
    """

    def take(transition: Transition) -> None:
        queue, store = getattr(transition, "queue", None), getattr(transition, "store", None)
        if isinstance(queue, str):
            name = label(queue, node)
            if name != queue:
                transition = replace(transition, queue=name)
        if isinstance(store, str) and not first:
            transition = replace(transition, store=f"{store}@{node}")
        emit(transition)

    return take


def told(name: str, node: str, instruction: to_do.Instruction, hops: int) -> RingSent:
    """Return what is told of an instruction that a master on `node` sends around."""
    kind = type(instruction).__name__
    why: dict[str, int | float | str | bool | None] = {}
    if isinstance(instruction, to_do.Drop):
        why = {"left": instruction.left, "ack": instruction.ack}
    return RingSent("H32", name, node, kind, instruction.times, hops, instruction.body_bytes, why)
