"""The message store: bodies of many queues in shared files, with reference counts and garbage collection."""

from engine.classic_v1.store.store import MsgStore, StoreClient

__all__ = ["MsgStore", "StoreClient"]
