"""A message store and its garbage collector as processes of their own (S136, S166, K6)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from engine.backing_queue.stores import SYNC_INTERVAL_US, MessageStore
from engine.broker.time.process import ProcessContext, WorkProcess
from engine.values.inherit import override

MESSAGES: Final = 100
"""A store handles so many messages at a time."""


class StoreProcess(WorkProcess):
    """The server of one message store: its mailbox is the store's own."""

    def __init__(
        self, store: MessageStore, around: ProcessContext, after_each: Callable[[WorkProcess], None]
    ) -> None:
        super().__init__(kind="store", id_=f"store:{store.name}", around=around, after_each=after_each)
        self._store = store
        self._owed_since_us: int | None = None

    @property
    @override
    def mailbox(self) -> int:
        return self._store.mailbox_messages

    @property
    def idle(self) -> bool:
        """Whether nothing waits, not even a sync, and nothing is being worked on."""
        return not self.busy and not self.mailbox and not self._store.sync_owed

    def _take(self, everything: bool) -> Callable[[], None] | None:
        """Sync when it is time or nothing else is left to do, else handle the next messages (S166)."""
        store = self._store
        if not store.sync_owed:
            self._owed_since_us = None
        elif self._owed_since_us is None:
            self._owed_since_us = self._scheduler.now_us
        waited = self._owed_since_us is not None and (
            self._scheduler.now_us - self._owed_since_us >= SYNC_INTERVAL_US
        )
        if store.sync_owed and (waited or not self.mailbox):
            return self._sync
        if not self.mailbox:
            return None
        limit = None if everything else MESSAGES
        return lambda: self._handle(limit)

    def _sync(self) -> None:
        self._owed_since_us = None
        self._store.sync()

    def _handle(self, limit: int | None) -> None:
        self._store.handle_mailbox(limit)


class GcProcess(WorkProcess):
    """The garbage collector of one message store: one step of its work at a time (S183, S184)."""

    def __init__(
        self, store: MessageStore, around: ProcessContext, after_each: Callable[[WorkProcess], None]
    ) -> None:
        super().__init__(kind="gc", id_=f"gc:{store.name}", around=around, after_each=after_each)
        self._store = store

    @property
    def mailbox(self) -> int:
        """Waiting requests, including the one in progress."""
        return self._store.gc_requests

    @property
    def idle(self) -> bool:
        """Whether it has nothing to collect."""
        return not self.busy and not self._store.gc_busy

    def _take(self, everything: bool) -> Callable[[], None] | None:
        if not self._store.gc_busy:
            return None
        return self._step

    def _step(self) -> None:
        self._store.run_gc_step()
