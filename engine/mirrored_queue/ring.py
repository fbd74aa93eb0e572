"""The ring of one queue: its master's instructions come to every member in order, hop after hop (H24-H28, H88)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial

from engine.mirrored_queue.instructions import MirrorInstruction

FRAME_BYTES = 64
"""Assumed bytes of an instruction beside its bodies."""


class MirrorRing:
    """Who is in the ring, and what is under way.

    Args:
        hop_us: how long an instruction travels from one member to the next; 0 for no time.
        after: lets something happen later.
        deliver: gives an instruction to the member on a node.
        sent: called with the number of bytes that went over a connection between two nodes.
    """

    def __init__(
        self,
        hop_us: int,
        after: Callable[[int, Callable[[], None]], None],
        deliver: Callable[[str, MirrorInstruction], None],
        sent: Callable[[int], None],
    ) -> None:
        self.members: list[str] = []
        self.frozen: set[str] = set()
        """Nodes whose multicast process hangs: what would pass through it waits."""
        self._hop_us = hop_us
        self._after = after
        self._deliver = deliver
        self._sent = sent
        self._held: dict[str, deque[tuple[list[str], MirrorInstruction]]] = {}
        self._under_way: dict[str, deque[MirrorInstruction]] = {}

    @property
    def under_way(self) -> bool:
        """Whether any instruction has not reached everybody."""
        return any(self._under_way.values()) or any(self._held.values())

    def join(self, node: str) -> None:
        """Take a new member in, in front of the first one's left neighbour (H24 leaves the place to chance)."""
        self.members.append(node)

    def leave(self, node: str) -> None:
        """Close the ring after a death: what a dead member passed on arrives, what it had not sent is lost (H28)."""
        if node in self.members:
            self.members.remove(node)
        self.frozen.discard(node)
        self._under_way.pop(node, None)
        for nodes, instruction in self._held.pop(node, ()):
            if node not in nodes:  # it only passed it on: its neighbours see to that
                self._pass(nodes, instruction)

    def broadcast(self, sender: str, instruction: MirrorInstruction) -> None:
        """Send an instruction around, from its sender on (H25)."""
        if sender not in self.members:
            return
        at = self.members.index(sender)
        path = [*self.members[at:], *self.members[:at]]
        hops = len(path) if len(path) > 1 else 0
        # Body and acknowledgement go once around each (H26).
        self._sent(hops * (instruction.body_bytes + 2 * FRAME_BYTES * instruction.times))
        if sender in self.frozen:
            self._held.setdefault(sender, deque()).append((path, instruction))
        else:
            self._pass(path, instruction)

    def _pass(self, path: list[str], instruction: MirrorInstruction) -> None:
        for hop, node in enumerate(path):
            if node in self.frozen:
                self._held.setdefault(node, deque()).append((path[hop:], instruction))
                return
            if node not in self.members:
                continue
            if hop == 0 or self._hop_us == 0:
                self._deliver(node, instruction)
            else:
                self._under_way.setdefault(node, deque()).append(instruction)
                self._after(hop * self._hop_us, partial(self._arrived, node))

    def _arrived(self, node: str) -> None:
        """Deliver the oldest instruction that is on its way to a member."""
        waiting = self._under_way.get(node)
        if waiting:
            self._deliver(node, waiting.popleft())

    def finish(self) -> None:
        """Let everything that is under way arrive now: nobody is promoted before (H28)."""
        for node, waiting in list(self._under_way.items()):
            while waiting:
                self._deliver(node, waiting.popleft())

    def thaw(self, node: str) -> None:
        """Let a multicast process go on, with what waited for it."""
        self.frozen.discard(node)
        for path, instruction in self._held.pop(node, ()):
            self._pass(path, instruction)
