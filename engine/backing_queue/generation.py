"""What a generation of storage brings: its settings, the files that queues of a virtual host share, and a queue.

A generation is a folder of its own (`engine.classic_v1` is the first) that knows no other. `engine.releases` says
which release of the broker has which.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from engine.backing_queue.host_files import HostFiles, HostMeans, StorageSettings
from engine.backing_queue.queue_config import Maker
from engine.formats.message import MessageCodec, MessageTemplate


class StorageGeneration(msgspec.Struct, frozen=True, kw_only=True):
    """One generation of storage.

    Args:
        name: of its folder.
        settings: what its queues and stores read from the configuration, of defaults that a release may change.
        chosen: names of the settings that a scenario may choose.
        bounds: least and greatest value of those that are whole numbers.
        codec: makes what encodes messages, of the settings, the beginning of their ids and known templates.
        host_files: makes what the queues of a virtual host share.
        make: makes a blank queue.
    """

    name: str
    settings: Callable[..., StorageSettings]
    chosen: frozenset[str]
    bounds: Mapping[str, tuple[int, int]]
    codec: Callable[[StorageSettings, bytes, Sequence[MessageTemplate]], MessageCodec]
    host_files: Callable[[HostMeans], HostFiles]
    make: Maker
