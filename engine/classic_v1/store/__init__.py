"""The message store: bodies of many queues in shared files, with reference counts and garbage collection."""

from engine.classic_v1.store.client import StoreClient
from engine.classic_v1.store.state import ClientAccount
from engine.classic_v1.store.store import MsgStore

__all__ = ["ClientAccount", "MsgStore", "StoreClient"]
