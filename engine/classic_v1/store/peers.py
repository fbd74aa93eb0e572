"""The server's record of one client (S134, S135)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from engine.classic_v1.store.tallies import FileTallies, one_more
from engine.values.errors import InvariantBroken
from engine.values.ranges import Range, RangeSet

How = Literal["written", "ignored"]
OnDisk = Callable[[RangeSet, How], None]


class ClientAccount:
    """The credit between one process and a store; the clients of one process share it (F1).

    Args:
        more: handled writes for each grant, and credits in it.
    """

    def __init__(self, more: int) -> None:
        self.left: int | None = None
        """What the process may still send, None before its first write."""
        self.more = more
        self._until_grant = more

    def handled(self, count: int) -> int:
        """Count handled writes; return how many grants are due."""
        self._until_grant -= count
        grants = 0
        while self._until_grant <= 0:
            self._until_grant += self.more
            grants += 1
        return grants


class StorePeer:
    """What the server and one client share.

    Args:
        ref: the client's name.
        on_disk: called with the messages that need no further wait, and why; None in the transient store (S135).
        on_credit: called with each grant of credit.
        on_close: asked to close the handles that are marked; None leaves them open until the next read.
        account: the credit of the client's process.
    """

    def __init__(
        self,
        ref: str,
        on_disk: OnDisk | None,
        on_credit: Callable[[int], None],
        on_close: Callable[[], None] | None,
        account: ClientAccount,
    ) -> None:
        self.ref = ref
        self.on_disk = on_disk
        self.on_credit: Callable[[int], None] | None = on_credit
        self.on_close = on_close
        self.flying = FileTallies()
        self.account = account

    def handled(self, count: int) -> None:
        """Count handled writes and grant credit after every `more` of them (F1)."""
        for _ in range(self.account.handled(count)):
            if self.on_credit is not None:
                self.on_credit(self.account.more)

    def confirm(self, messages: RangeSet, how: How) -> None:
        """Notify the client, if it listens."""
        if self.on_disk is not None:
            self.on_disk(messages, how)

    def confirm_range(self, start: int, count: int, how: How) -> None:
        """Notify the client of one stretch of messages."""
        if self.on_disk is not None:
            self.on_disk(RangeSet([Range(start, count)]), how)

    def wrote(self, start: int, count: int) -> None:
        """Count writes that are sent and not handled yet (S140)."""
        self.flying.change(start, count, one_more)

    def removed(self, start: int, count: int) -> None:
        """Count removes that are sent and not handled yet (S146)."""
        self.flying.change(start, count, _one_less)

    def silence(self) -> None:
        """Stop telling a client whose process ended."""
        self.on_credit = None
        self.on_close = None
        if self.on_disk is not None:
            self.on_disk = _unheard


def _unheard(messages: RangeSet, how: How) -> None:
    """Take a message to a process that is no more."""


def _one_less(value: int) -> int:
    if value < 0:
        raise InvariantBroken(
            "a message is removed twice by one client before the store handled either (S146)"
        )
    return value - 1
