"""A mirror's process on its node: what waits for it, and in which order it handles that (H22, H56)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from engine.broker.queues.node import BrokerNode
from engine.broker.queues.queue_process import QueueProcess
from engine.mirrored_queue.instructions import (
    DiscardInstruction,
    MirrorInstruction,
    PublishDeliveredInstruction,
    PublishInstruction,
    SyncStartInstruction,
)
from engine.mirrored_queue.mirror import MirrorCopy, MirrorCrashed, QueueMirror
from engine.values.errors import ProcessCrash

WITH_MESSAGES = (PublishInstruction, PublishDeliveredInstruction, DiscardInstruction)


class QueueMember:
    """One mirror at work.

    Args:
        home: its node.
        process: its timers and its memory target, as any queue process has them (H23).
        asked: called when a synchronisation's beginning reaches it.
        crashed: called when an assertion of it fails.
    """

    def __init__(
        self,
        node: BrokerNode,
        mirror: QueueMirror,
        process: QueueProcess,
        asked: Callable[[QueueMember], None],
        crashed: Callable[[QueueMember], None],
    ) -> None:
        self.home = node
        self.mirror = mirror
        self.process = process
        self.frozen = False
        self.syncing = False
        self.gone = False
        self.heir = False
        """Whether it is to be promoted as soon as it handles anything again."""
        self.observer: Callable[[int], None] | None = None
        """Hears how many messages came from channels: a test sets it."""
        self._asked = asked
        self._crashed = crashed
        self._instructions: deque[MirrorInstruction] = deque()
        self._copies: deque[MirrorCopy] = deque()

    @property
    def node(self) -> str:
        """Its node's name."""
        return self.home.name

    @property
    def waits(self) -> bool:
        """Whether anything that came is not handled yet."""
        return bool(self._instructions or self._copies)

    @property
    def busy(self) -> bool:
        """Whether it handles nothing else now."""
        return self.frozen or self.syncing

    def take(self, instruction: MirrorInstruction) -> None:
        """Take an instruction of the master, which comes before what waits from channels."""
        if self.busy:
            self._instructions.append(instruction)
        elif not self.gone:
            self._obey(instruction)

    def take_copy(self, copy: MirrorCopy) -> None:
        """Take messages of a channel."""
        if self.busy:
            self._copies.append(copy)
        elif not self.gone:
            self._from_channel(copy)

    def _obey(self, instruction: MirrorInstruction) -> None:
        self.process.begin()
        if isinstance(instruction, SyncStartInstruction):
            self._asked(self)
            return
        try:
            self.mirror.obey(instruction)
        except (MirrorCrashed, ProcessCrash):
            self._crash()
            return
        self.process.handled()
        if self.mirror.stuck:
            # Its conversion never ends, so it handles nothing any more (V5).
            self.frozen = True
            self.process.hold()

    def _from_channel(self, copy: MirrorCopy) -> None:
        if self.observer is not None:
            self.observer(copy.arrival.count)
        try:
            self.mirror.from_channel(copy)
        except ProcessCrash:
            self._crash()

    def _crash(self) -> None:
        """Its own process ends (H75), also where the queue in it does (V8, V9): the master's goes on."""
        self.gone = True
        self._crashed(self)

    def go_on(self) -> None:
        """Handle what waited: all instructions first (H22)."""
        while self._instructions and not self.busy and not self.gone:
            self._obey(self._instructions.popleft())
        while self._copies and not self.busy and not self.gone and not self.heir:
            self._from_channel(self._copies.popleft())

    def unhandled(self, sender: str) -> int:
        """Return how much credit of a channel it has not returned: one for each copy and instruction (H84)."""
        copies = sum(copy.arrival.count for copy in self._copies if copy.arrival.sender == sender)
        arrivals = [each.arrival for each in self._instructions if isinstance(each, WITH_MESSAGES)]
        return copies + sum(each.count for each in arrivals if each.sender == sender)

    def late_copies(self) -> list[MirrorCopy]:
        """Return what still waits from channels, for whom it becomes."""
        waiting = list(self._copies)
        self._copies.clear()
        return waiting

    def end(self) -> None:
        """Stop handling anything; its engine is somebody else's to end."""
        self.gone = True
        self.process.stop()
