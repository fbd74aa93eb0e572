"""A variable queue with its stores on some storage, as the measurements need it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from engine.amqp.declarations import DeclaredQueue
from engine.backing_queue.protocol import Arrival, BackingQueue
from engine.broker.vhost.configuration import QUEUE
from engine.broker.vhost.virtual_hosts import VirtualHost
from engine.formats.message import OWN_PREFIX, MessageTemplate
from engine.releases import REFERENCE, BrokerRelease
from engine.report.log import TransitionLog
from engine.report.transitions.base import Transition
from engine.storage.port import Storage
from engine.values.settings import StorageSettings

SIZE_BYTES = 16
TARGET = 10_000


class QueueUnderTest:
    """One queue with the real constants; transitions are logged and digested as in a session."""

    def __init__(
        self,
        storage: Storage,
        target: int | None = TARGET,
        release: BrokerRelease = REFERENCE,
        arguments: Mapping[str, Any] = MappingProxyType({}),
        settings: StorageSettings | None = None,
    ) -> None:
        self.log = TransitionLog()
        settings = settings or release.storage_settings("real", {})
        self.codec = release.storage.codec(settings, OWN_PREFIX, (MessageTemplate(routing_keys=(QUEUE,)),))
        self.host = VirtualHost(
            release=release,
            settings=settings,
            codec=self.codec,
            storage=storage,
            emit=self.emit,
            as_read=lambda extent: (extent,),
            later=lambda delay_us, action: None,
        )
        self.host.start_new()
        self.queue: BackingQueue = self.host.add(
            DeclaredQueue(name=QUEUE, arguments=dict(arguments)), now_us=0
        )
        self.queue.set_target(target)

    def emit(self, transition: Transition) -> None:
        """Take a transition."""
        self.log.add(0, transition)

    def burst_and_drain(self, count: int) -> None:
        """Publish `count` transient messages, let them be paged out, and take them all again."""
        queue = self.queue
        queue.publish([Arrival(count, 0, SIZE_BYTES)])
        queue.drain_mailbox()
        while queue.depth:
            queue.fetch(queue.depth, False)
            queue.drain_mailbox()
